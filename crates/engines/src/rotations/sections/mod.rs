//! A section of Pentago from those that it leads to.
//!
//! One quadrant after the other: the lines of blocks along it are gathered and added, on all
//! threads, each to blocks of its own. With the last quadrant a block has heard of all its moves
//! and is finished: turns taken, fives looked at, packed. Nothing here knows where lines and
//! blocks come from or go to.

mod count;
mod fives;
mod lines;
mod packed;
mod partition;
pub(crate) mod share;
mod stored;
mod turns;

use std::sync::Mutex;

use zermelo_core::sections::{BlockGrid, SIDE, Section, TURNS, sides};
use zermelo_core::{Reason, Tier, Unpoisoned, Watch};

use crate::isa::{Bits, Isa, Kernel, dispatch};
use crate::parallel;
use fives::{BlockFives, Fives, Holds, Layout};
use lines::{Add, Gather, Way};
use packed::{Work, tally};
use turns::{Pair, Table, reach};

pub(crate) use count::count;
pub use packed::{PackedSection, SectionCounts};
pub(crate) use stored::load;

/// The section that a tier is.
pub(crate) fn section_of(tier: Tier) -> Result<Section, Reason> {
    Section::from_sig(tier.0).ok_or_else(|| format!("{:#018x} is no section", tier.0).into())
}

/// What is needed to finish the blocks of a section.
struct Finish {
    section: Section,
    grid: BlockGrid,
    layout: Layout,
    /// By quadrant and pattern.
    holds: [Vec<Holds>; 4],
}

/// Room for the work of one thread.
#[derive(Default)]
struct Room {
    work: Work,
    tables: Vec<Pair>,
    rows: Vec<Pair>,
}

impl Finish {
    fn new(section: Section) -> Finish {
        let black_moves = section.stones().is_multiple_of(2);
        let holds = std::array::from_fn(|q| {
            let hold = |pattern: &u16| {
                let [black, white] = sides(*pattern).unwrap_or_default();
                let (own, other) = if black_moves { (black, white) } else { (white, black) };
                Holds::new(q, own, other)
            };
            section.patterns()[q].iter().map(hold).collect()
        });
        Finish { section, grid: section.grid(), layout: Layout::new(), holds }
    }

    /// The fives of a block.
    fn fives(&self, at: [usize; 4]) -> BlockFives {
        let shape = self.grid.block_shape(at);
        let holds = [0, 1, 2, 3].map(|q| &self.holds[q][SIDE * at[q]..SIDE * at[q] + shape[q]]);
        BlockFives::new(&self.layout, holds)
    }

    /// Makes of the best children of each board the board's own tables.
    fn finish(&self, number: usize, tables: &mut [Pair], isa: Isa) {
        let at = self.grid.block(number);
        let shape = self.grid.block_shape(at);
        let fives = self.fives(at);
        let (full, white) = (self.section.stones() == 36, self.section.stones() % 2 == 1);
        dispatch(isa, Turn { fives: &fives, shape, full, white, tables });
    }

    /// What the tables of a block say.
    fn tally(&self, number: usize, tables: &[Pair]) -> SectionCounts {
        let at = self.grid.block(number);
        tally(self.section, at, self.grid.block_shape(at), tables)
    }
}

/// Takes the turn, and looks who has five.
struct Turn<'a> {
    fives: &'a BlockFives,
    shape: [usize; 4],
    /// No cell is empty.
    full: bool,
    /// White is to move.
    white: bool,
    tables: &'a mut [Pair],
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, _: B) {
        let mut n = 0;
        for a in 0..self.shape[0] {
            for b in 0..self.shape[1] {
                for c in 0..self.shape[2] {
                    for d in 0..self.shape[3] {
                        let fives = self.fives.of([a, b, c, d]);
                        self.tables[n] = outcome(self.tables[n], fives, self.full, self.white);
                        n += 1;
                    }
                }
            }
        }
    }
}

/// The patterns of a block's board, from its number in the block.
fn unflat(n: usize, [_, b, c, d]: [usize; 4]) -> [usize; 4] {
    [n / (b * c * d), n / (c * d) % b, n / d % c, n % d]
}

#[inline(always)]
fn outcome(best: Pair, fives: Fives, full: bool, white: bool) -> Pair {
    let mut win = reach([best[0], best[1], best[2], best[3]]);
    let mut hold = reach([best[4], best[5], best[6], best[7]]);
    if full {
        // Nobody can move, and without five nobody wins.
        (win, hold) = ([0; 4], [u64::MAX; 4]);
    }
    let Fives { own, near, other } = fives;
    let (mut wins, mut loses): (Table, Table) = ([0; 4], [0; 4]);
    for w in 0..4 {
        // A stone that makes five wins before the turn.
        let goes_on = !(own[w] | other[w]);
        wins[w] = (win[w] | near[w]) & goes_on | own[w] & !other[w];
        loses[w] = !(hold[w] | near[w]) & goes_on | other[w] & !own[w];
    }
    let mut pair = [0; 8];
    for w in 0..4 {
        pair[w] = if white { loses[w] } else { wins[w] };
        pair[w + 4] = if white { wins[w] } else { loses[w] };
    }
    pair
}

/// Bytes of a board's tables.
const TABLES: u64 = 64;
/// Bytes that they take packed: some quarter of that, or less.
pub(crate) const PACKED: u64 = 18;

/// The most tables that a thread gathers for one line.
fn longest_row(section: Section) -> u64 {
    let grid = section.grid();
    let block = grid.entries_of(0);
    let longest = section.children().map(|(q, next)| block / grid.shape[q].min(SIDE) * next.shape()[q]);
    longest.max().unwrap_or(0) as u64
}

/// Bytes to solve a section: its tables unpacked, and what threads gather.
pub(crate) fn bytes(section: Section, threads: usize) -> u64 {
    let room = TABLES * (longest_row(section) + 4 * 4096);
    section.entries().saturating_mul(TABLES).saturating_add(threads as u64 * room)
}

/// The lines along a quadrant: those with no room on that side.
fn lines(grid: BlockGrid, quadrant: usize) -> BlockGrid {
    let mut across = grid.blocks;
    across[quadrant] = 1;
    BlockGrid { shape: grid.shape, blocks: across }
}

/// A finished block: its number, packed tables, and what they say.
type Done = (usize, Box<[u8]>, SectionCounts);

/// Solves a section from the standard images of those that it leads to, by quadrant.
pub(crate) fn solve(
    section: Section,
    children: &[(usize, Section, &PackedSection)],
    isa: Isa,
    watch: &dyn Watch,
) -> Result<PackedSection, Reason> {
    let grid = section.grid();
    let finish = Finish::new(section);
    let blocks: Vec<Mutex<Vec<Pair>>> = (0..grid.len()).map(|_| Mutex::default()).collect();
    let solve = Solve { finish: &finish, grid, blocks: &blocks, isa, watch };
    let done: Vec<Done> = match children.split_last() {
        None => parallel::try_with_room(grid.len(), None, &|work: &mut Work, number| {
            solve.finished(number, work)
        })?,
        Some((last, before)) => {
            for (quadrant, next, child) in before {
                solve.lines(&Way::new(section, *quadrant, *next, *child), false)?;
            }
            let (quadrant, next, child) = last;
            solve.lines(&Way::new(section, *quadrant, *next, *child), true)?
        }
    };
    let mut packed = vec![Box::default(); grid.len()];
    let mut tally = SectionCounts::default();
    for (number, block, more) in done {
        packed[number] = block;
        tally = tally.plus(more);
    }
    Ok(PackedSection { section, grid, blocks: packed, tally })
}

/// The work on one section.
struct Solve<'a> {
    finish: &'a Finish,
    grid: BlockGrid,
    blocks: &'a [Mutex<Vec<Pair>>],
    isa: Isa,
    watch: &'a dyn Watch,
}

impl Solve<'_> {
    /// Works on all lines along a quadrant; on the last one their blocks are finished.
    fn lines(&self, way: &Way<'_>, last: bool) -> Result<Vec<Done>, Reason> {
        let lines = lines(self.grid, way.quadrant);
        let line = |room: &mut Room, number: usize| self.line(way, lines.block(number), room, last);
        let found = parallel::try_with_room(lines.len(), None, &line)?;
        Ok(found.into_iter().flatten().collect())
    }

    fn line(&self, way: &Way<'_>, at: [usize; 4], room: &mut Room, last: bool) -> Result<Vec<Done>, Reason> {
        let Room { work, tables, rows } = room;
        let shape = self.grid.block_shape(at);
        rows.resize(rows.len().max(way.room(shape)), [0; 8]);
        dispatch(self.isa, Gather { way, block: at, shape, work, tables, out: rows })?;
        let mut done = vec![];
        for along in 0..self.grid.blocks[way.quadrant] {
            let mut at = at;
            at[way.quadrant] = along;
            let shape = self.grid.block_shape(at);
            let Some(number) = self.grid.number(at) else { continue };
            let mut block = self.blocks[number].lock().unpoisoned();
            block.resize(shape.iter().product(), [0; 8]);
            dispatch(self.isa, Add { way, along, shape, rows, out: &mut block });
            drop(block);
            if last {
                done.push(self.finished(number, work)?);
            }
        }
        Ok(done)
    }

    /// Finishes a block and packs it.
    fn finished(&self, number: usize, work: &mut Work) -> Result<Done, Reason> {
        let mut block = std::mem::take(&mut *self.blocks[number].lock().unpoisoned());
        block.resize(self.grid.entries_of(number), [0; 8]);
        self.finish.finish(number, &mut block, self.isa);
        let tally = self.finish.tally(number, &block);
        self.watch.advance(block.len() as u64 * TURNS);
        Ok((number, work.pack(&block)?, tally))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use zermelo_testing::pentago::standard_sections;

    /// Sections are solved to the same bits with every instruction set of the processor.
    #[test]
    fn instruction_sets_agree() {
        let solve_all = |isa: Isa| {
            let mut done: HashMap<u64, PackedSection> = HashMap::new();
            for stones in [36, 35, 34, 33] {
                for section in standard_sections(stones).into_iter().filter(|s| s.entries() < 3_000) {
                    let mut children = vec![];
                    for (quadrant, next) in section.children() {
                        children
                            .extend(done.get(&next.standard().0.sig()).map(|child| (quadrant, next, child)));
                    }
                    // A section may lead to a larger one, which is left out here.
                    let packed = solve(section, &children, isa, &()).expect("solved");
                    done.insert(section.sig(), packed);
                }
            }
            done
        };
        let plain = solve_all(Isa::Portable);
        assert!(plain.len() > 100, "{}", plain.len());
        for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_here()) {
            for (section, packed) in solve_all(isa) {
                assert!(packed.blocks == plain[&section].blocks, "{section:x} {isa:?}");
            }
        }
    }
}
