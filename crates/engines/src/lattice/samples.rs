//! Single positions of a tier's lists: examples of counts, and samples to be checked.

use zermelo_core::{Placing, Position, Tier, Turn, Value};

use super::cut::Files;
use super::engine::LatticeTiers;
use super::forward::Marks;
use super::slab::At;
use super::solved::Slab;
use super::tally;

impl<G: Placing> LatticeTiers<G> {
    /// A reached position of a tier with its value, by a random number.
    pub(super) fn draw(
        &self,
        tier: Tier,
        marks: &Marks,
        slab: &Slab,
        draw: u64,
    ) -> Option<(Position, Value)> {
        let (shards, turn) = (self.kernels().shards, draw as usize % 2);
        // The first shard from a random one on that anybody reaches, and its first such entry from a random one on.
        let from = (draw >> 1) as usize % shards;
        let mut shards = (from..shards).chain(0..from);
        let (shard, at) = shards.find_map(|shard| match marks.halves[turn].at(shard) {
            At::Words(at) => Some((shard, at)),
            _ => None,
        })?;
        let (stones, balance) = self.stones_of(&self.outer_of(tier, shard)?);
        let list = self.kernels().inner.list(turn as i32 - balance)?;
        let reached = &marks.halves[turn].list(at)[..list.words];
        let bits = list.words * 64;
        let from = (draw >> 33) as usize % bits;
        let bit = (from..bits).chain(0..from).find(|bit| reached[bit / 64] >> (bit % 64) & 1 != 0)?;
        let level = list.levels.iter().rfind(|level| level.word * 64 <= bit)?;
        let ply = stones + level.height;
        let half = slab.halves[turn].as_ref()?;
        let code = match half.at(shard) {
            At::Words(at) => tally::mover_code(self.cut.ends.planes, half.list(at), list.words, bit),
            _ => self.cut.ends.win_in_one(ply),
        };
        let value = self.cut.ends.value(ply, code)?;
        Some((self.example(tier, ply as usize, (shard as u32, bit as u32))?, value))
    }

    /// What stands on the outer files of a shard.
    pub(super) fn outer_of(&self, tier: Tier, shard: usize) -> Option<Files> {
        let (board, mut rest) = (self.kernels(), shard);
        let mut contents = self.cut.prefix_of(tier)?;
        for f in self.cut.prefix..self.cut.outer {
            contents[f] = (rest / board.strides[f]) as u16;
            rest %= board.strides[f];
        }
        Some(contents)
    }

    /// How many stones stand there, and by how many the first player has more.
    pub(super) fn stones_of(&self, contents: &Files) -> (u32, i32) {
        let files = self.cut.files[..self.cut.outer].iter().zip(contents);
        let all = files.map(|(file, content)| &file.all[usize::from(*content)]);
        all.fold((0, 0), |(stones, balance), content| (stones + content.height, balance + content.balance))
    }

    /// The position of an entry of a shard's list.
    pub(super) fn example(&self, tier: Tier, ply: usize, (shard, bit): (u32, u32)) -> Option<Position> {
        let board = self.kernels();
        let mut contents = self.outer_of(tier, shard as usize)?;
        let turn = ply % 2;
        let list = board.inner.list(turn as i32 - self.stones_of(&contents).1)?;
        let (word, bit) = (bit as usize / 64, bit as usize % 64);
        let level = list.levels.iter().find(|l| (l.word..l.word + l.words).contains(&word))?;
        let at = *level.entries.get((word - level.word) * 64 + bit)? as usize;
        for f in self.cut.outer..self.cut.files.len() {
            contents[f] = board.inner.content(at, f - self.cut.outer, self.cut.files[f].len()) as u16;
        }
        let [first, second] = self.numbering.stones(&contents);
        Some(match turn {
            0 => Position { turn: Turn::First, packed: [first, second] },
            _ => Position { turn: Turn::Second, packed: [second, first] },
        })
    }
}
