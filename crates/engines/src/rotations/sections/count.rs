//! Counts a solved section by value, a table at a time.

use rayon::prelude::*;
use zermelo_core::sections::quadrants::Rotating;
use zermelo_core::sections::{SPOTS, Section, TRANSFORMS, TURNS};
use zermelo_core::{Count, Tier, Turn, Value};

use super::fives::BlockFives;
use super::packed::{Blocks, PackedSection, Work, repeats};
use super::turns::Pair;
use super::{Finish, unflat};

/// The values of a game that is over, and of one that goes on.
const VALUES: [Value; 6] =
    [Value::Win(0), Value::Lose(0), Value::Tie(0), Value::Win(1), Value::Lose(1), Value::Tie(1)];

/// Counts the boards of a section by value, a table at a time; `None` for one that is its own image, where
/// images of a board must be told apart.
pub(crate) fn count<G: Rotating>(game: &G, tier: Tier, packed: &PackedSection) -> Option<Vec<Count>> {
    let section = packed.section;
    if section.images() < usize::from(TRANSFORMS) {
        return None;
    }
    let finish = Finish::new(section);
    let block = |(work, tables): &mut (Work, Vec<Pair>), number: usize| -> Option<Sums> {
        let at = packed.grid.block(number);
        packed.unpack(number, work, tables).ok()?;
        Some(sums(section, at, packed.grid.block_shape(at), &finish.fives(at), tables))
    };
    let blocks = (0..packed.grid.len()).into_par_iter().map_init(Default::default, block);
    let all = blocks.try_reduce(Sums::default, |a, b| {
        // Blocks are in order, so that the first example is the first of all.
        Some(std::array::from_fn(|v| (a[v].0 + b[v].0, a[v].1.or(b[v].1))))
    })?;
    let index = game.index(tier);
    let example = |place: Option<u64>| Some(game.show(Turn::First, game.unrank(&index, place?)?));
    let counts = VALUES.into_iter().zip(all).filter(|(_, (boards, _))| *boards > 0);
    let count = |(value, (boards, place))| Count {
        value,
        positions: boards * u64::from(TRANSFORMS),
        twice_canonical: 2 * boards,
        ply: None,
        example: example(place),
    };
    Some(counts.map(count).collect())
}

/// By value: boards, and the number of the first.
type Sums = [(u64, Option<u64>); 6];

fn sums(section: Section, at: [usize; 4], shape: [usize; 4], fives: &BlockFives, tables: &[Pair]) -> Sums {
    let first = section.grid().first(at);
    let (white, full) = (section.stones() % 2 == 1, section.stones() == SPOTS);
    let repeats = repeats(section, at, shape);
    let mut sums = Sums::default();
    for (i, pair) in tables.iter().enumerate() {
        let at = unflat(i, shape);
        let (fives, repeats) = (fives.of(at), (0..4).map(|q| repeats[q][at[q]]).product::<u64>());
        let (own, other) = if white { (4, 0) } else { (0, 4) };
        let mut kinds = [[0u64; 4]; 6];
        for w in 0..4 {
            let over = if full { u64::MAX } else { fives.own[w] | fives.other[w] };
            let (wins, loses) = (pair[own + w], pair[other + w]);
            for (kind, set) in [wins, loses, !(wins | loses)].into_iter().enumerate() {
                kinds[kind][w] = set & over;
                kinds[kind + 3][w] = set & !over;
            }
        }
        for (sum, set) in sums.iter_mut().zip(kinds) {
            let ones: u64 = set.iter().map(|word| u64::from(word.count_ones())).sum();
            sum.0 += ones / repeats;
            if let Some(w) = set.iter().position(|word| *word != 0) {
                // The first turn of a symmetric pattern is the one that has the number.
                let turn = 64 * w as u64 + u64::from(set[w].trailing_zeros());
                sum.1 = sum.1.or(Some((first + i as u64) * TURNS + turn));
            }
        }
    }
    sums
}
