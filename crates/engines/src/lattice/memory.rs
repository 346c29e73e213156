//! What tiers take: memory and time.

use zermelo_core::{Need, Placing, Tier, TierGraph, Unpoisoned};

use super::cut::Near;
use super::engine::{LatticeTiers, other_turn, same_turn};

impl<G: Placing> LatticeTiers<G> {
    /// What a tier takes to be solved, and its values.
    pub(super) fn needs(&self, tier: Tier) -> Need {
        let halves = self.most_words(tier).map(|words| self.half_bytes(words, self.cut.ends.planes));
        let kept = self.cut.looked_at(tier);
        let result: u64 = (0..2).filter(|turn| kept[*turn]).map(|turn| halves[turn]).sum();
        // The packed table is there, too.
        let working = halves.iter().sum::<u64>() + self.size(tier) / 8;
        let images = self.image_bytes(&self.cut.below(tier), other_turn, self.cut.ends.planes);
        let working = working + images;
        Need { working, useful: working, result }
    }

    /// What it takes to mark its reached positions.
    pub(super) fn marks_need(&self, tier: Tier) -> u64 {
        let halves = self.most_words(tier).map(|words| self.half_bytes(words, 1));
        halves.iter().sum::<u64>() + self.image_bytes(&self.cut.above(tier), same_turn, 1)
    }

    /// The most words that one plane of all lists of a tier can take, for each player to move: what a look through
    /// the tier has told, or as if no shard were dead.
    pub(super) fn most_words(&self, tier: Tier) -> [usize; 2] {
        if let Some(words) = self.words.lock().unpoisoned().get(&tier) {
            return *words;
        }
        let (board, Some(contents)) = (self.kernels(), self.cut.prefix_of(tier)) else { return [0; 2] };
        let files = self.cut.files[..self.cut.prefix].iter().zip(contents);
        let before: i32 = files.map(|(file, content)| file.all[usize::from(content)].balance).sum();
        [0, 1].map(|turn| {
            let words = |balance: i32| board.inner.list(turn - before - balance).map_or(0, |l| l.words);
            board.middles.iter().map(|(balance, shards)| shards * words(*balance)).sum()
        })
    }

    /// About how many entries the lists of a tier have that are to be solved, as far as a few shards tell: where
    /// many files of its prefix are full, most shards are dead.
    pub(super) fn live_entries(&self, tier: Tier) -> u64 {
        let board = self.kernels();
        let Some(begin) = board.beginning(tier) else { return 0 };
        let samples = board.samples(begin);
        let many = samples.len() as u128;
        let words: usize = samples.map(|shard| board.words_of(&shard).iter().sum::<usize>()).sum();
        (words as u128 * u64::BITS as u128 * board.shards as u128 / many) as u64
    }

    /// Bytes of one player's lists, of so many planes.
    pub(super) fn half_bytes(&self, words: usize, planes: usize) -> u64 {
        self.kernels().pool.bytes(words * planes) + self.kernels().shards as u64 * 4
    }

    /// Bytes of the mirror images of neighbours' lists.
    pub(super) fn image_bytes(&self, near: &[Near], turn: fn(&Near) -> usize, planes: usize) -> u64 {
        let mirrored = near.iter().filter(|near| near.mirrored);
        mirrored.map(|near| self.half_bytes(self.most_words(near.tier)[turn(near)], planes)).sum()
    }
}

#[cfg(test)]
#[path = "../../tests/all/placed.rs"]
#[allow(dead_code, reason = "boards for other tests")]
mod placed;

#[cfg(test)]
mod tests {
    use super::super::board::SAMPLES;
    use super::placed::Placed;
    use super::*;
    use crate::isa::Isa;

    /// Stones fall down files; four in a row win.
    fn four_in_a_row(rows: i32, cols: i32) -> Placed {
        let inside = |(c, r): (i32, i32)| (0..cols).contains(&c) && (0..rows).contains(&r);
        let ways = [(1, 0), (0, 1), (1, 1), (1, -1)];
        let all = (0..cols).flat_map(|c| (0..rows).map(move |r| (c, r)));
        let all = all.flat_map(|(c, r)| ways.map(|(dc, dr)| [0, 1, 2, 3].map(|n| (c + n * dc, r + n * dr))));
        let set = |line: [(i32, i32); 4]| line.iter().fold(0, |set, (c, r)| set | 1u64 << (c * rows + r));
        let lines: Vec<_> = all.filter(|line| line.iter().all(|cell| inside(*cell))).map(set).collect();
        let mut game = Placed::new(cols as u32, rows as u32, true, [lines.clone(), lines]);
        game.layout.mirror = true;
        game
    }

    #[test]
    fn a_few_shards_tell_how_much_there_is_to_do() {
        let game = four_in_a_row(5, 6);
        let layout = game.layout.clone();
        let lattice = LatticeTiers::of(game, layout, Isa::best()).expect("a board");
        let board = lattice.kernels();
        assert!(board.shards > SAMPLES);
        let (mut all, mut missed) = (0, 0);
        let mut met = std::collections::HashSet::from([lattice.root()]);
        let mut tiers = vec![lattice.root()];
        while let Some(tier) = tiers.pop() {
            tiers.extend(lattice.children(tier).into_iter().filter(|child| met.insert(*child)));
            let mut walk = board.walk(board.beginning(tier).expect("a tier"), false);
            let words = std::iter::from_fn(|| walk.next()).map(|shard| board.words_of(&shard));
            let live = words.map(|words| words.iter().sum::<usize>()).sum::<usize>() as u64 * 64;
            all += live;
            missed += live.abs_diff(lattice.live_entries(tier));
        }
        assert!(missed * 8 < all, "{missed} of {all}");
    }
}
