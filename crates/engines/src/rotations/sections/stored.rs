//! A section as a table of the store: a byte for each turn of each board, and back.

use std::ops::Range;

use zermelo_core::sections::{BlockGrid, SPOTS, Section, TURNS};
use zermelo_core::{ReadCodes, Reason, Solved, Spill, StoredTier, Tier, Width, Winner};

use super::fives::Fives;
use super::packed::{Blocks, PackedSection, SectionCounts, Work};
use super::turns::Pair;
use super::{Finish, section_of, unflat};
use crate::parallel;

/// Entries of a tier's numbers, in whole.
fn entries(range: &Range<u64>) -> Range<u64> {
    range.start / TURNS..range.end.div_ceil(TURNS)
}

impl Solved for PackedSection {
    fn entries(&self) -> u64 {
        self.section.entries() * TURNS
    }

    fn positions(&self) -> u64 {
        self.section.distinct_boards()
    }

    fn bytes(&self) -> u64 {
        PackedSection::bytes(self)
    }

    fn write(&self, range: Range<u64>, out: &mut Vec<u8>) {
        let finish = Finish::new(self.section);
        write(&finish, range, out, |number, work, tables| self.unpack(number, work, tables));
    }

    fn spill(&self) -> Option<Spill<'_>> {
        Some(Spill::new(self.spilled_bytes(), |out| self.spill_to(out)))
    }
}

/// Appends the stored codes of a range of a section's numbers, whose blocks somebody unpacks.
///
/// Boards that share a number by symmetry are written like all others, so that blocks can be brought
/// back one by one.
pub(super) fn write(
    finish: &Finish,
    range: Range<u64>,
    out: &mut Vec<u8>,
    unpack: impl Fn(usize, &mut Work, &mut Vec<Pair>) -> Result<(), Reason>,
) {
    let (grid, section) = (finish.grid, finish.section);
    let (mut work, mut tables) = (Work::default(), vec![]);
    let (white, full) = (section.stones() % 2 == 1, section.stones() == SPOTS);
    let mut place = range.start;
    while place < range.end {
        let Some(number) = grid.number_at(place / TURNS) else { break };
        let at = grid.block(number);
        let shape = grid.block_shape(at);
        let first = grid.first(at) * TURNS;
        let end = range.end.min(first + grid.entries_of(number) as u64 * TURNS);
        if unpack(number, &mut work, &mut tables).is_err() {
            // What was packed here comes back; were it not so, nobody may be told a value.
            out.extend((place..end).map(|_| Width::One.dont_care() as u8));
        } else {
            let fives = finish.fives(at);
            for entry in entries(&(place - first..end - first)) {
                let i = entry as usize;
                let fives = fives.of(unflat(i, shape));
                let over = if full { [u64::MAX; 4] } else { fives.over() };
                let codes = codes(&tables[i], over, white);
                let from = (place.max(first + entry * TURNS) - first - entry * TURNS) as usize;
                let to = (end.min(first + (entry + 1) * TURNS) - first - entry * TURNS) as usize;
                out.extend_from_slice(&codes[from..to]);
            }
        }
        place = end;
    }
}

/// The one-byte codes of lose, tie and win for games that go on.
fn bytes_of_codes() -> [u8; 3] {
    [Winner::LOSE, Winner::TIE, Winner::WIN].map(|code| code.narrow().unwrap_or(u8::MAX))
}

/// The stored codes of the turns of one board.
fn codes(pair: &Pair, over: [u64; 4], white: bool) -> [u8; TURNS as usize] {
    let [lose, tie, win] = bytes_of_codes();
    let (own, other) = if white { (4, 0) } else { (0, 4) };
    std::array::from_fn(|r| {
        let bit = |word: u64| word >> (r % 64) & 1 != 0;
        match (bit(over[r / 64]), bit(pair[own + r / 64]), bit(pair[other + r / 64])) {
            (true, _, _) => Width::One.dont_care() as u8,
            (_, true, _) => win,
            (_, _, true) => lose,
            _ => tie,
        }
    })
}

/// A section in the store, to be read block by block; who has five is looked up by the rules.
pub(super) struct OnDisk<'a> {
    finish: Finish,
    read: &'a ReadCodes<'a>,
}

impl<'a> OnDisk<'a> {
    pub(super) fn new(tier: Tier, width: Width, read: &'a ReadCodes<'a>) -> Result<OnDisk<'a>, Reason> {
        if width != Width::One {
            return Err("its values take two bytes, where one is enough".into());
        }
        Ok(OnDisk { finish: Finish::new(section_of(tier)?), read })
    }
}

impl Blocks for OnDisk<'_> {
    fn grid(&self) -> BlockGrid {
        self.finish.grid
    }

    fn unpack(&self, block: usize, work: &mut Work, out: &mut Vec<Pair>) -> Result<(), Reason> {
        let (grid, section) = (self.finish.grid, self.finish.section);
        let at = grid.block(block);
        let (shape, first) = (grid.block_shape(at), grid.first(at) * TURNS);
        let many = grid.entries_of(block);
        work.bytes.clear();
        (self.read)(first..first + many as u64 * TURNS, &mut work.bytes)?;
        let boards = work.bytes.as_chunks::<{ TURNS as usize }>().0;
        if boards.len() != many {
            return Err("the table has another length than the section".into());
        }
        let fives = self.finish.fives(at);
        out.clear();
        for (i, codes) in boards.iter().enumerate() {
            out.push(decoded(codes, fives.of(unflat(i, shape)), section)?);
        }
        Ok(())
    }
}

/// Reads a whole stored section.
pub(crate) fn load(stored: &StoredTier<'_>) -> Result<PackedSection, Reason> {
    let disk = OnDisk::new(stored.tier, stored.width, stored.read)?;
    let block = |(work, tables): &mut (Work, Vec<Pair>), number: usize| -> Result<_, Reason> {
        disk.unpack(number, work, tables)?;
        Ok((work.pack(tables)?, disk.finish.tally(number, tables)))
    };
    let (section, grid) = (disk.finish.section, disk.finish.grid);
    let blocks: Vec<(Box<[u8]>, SectionCounts)> = parallel::try_with_room(grid.len(), None, &block)?;
    let sum = blocks.iter().fold(SectionCounts::default(), |sum, (_, tally)| sum.plus(*tally));
    Ok(PackedSection {
        section,
        grid,
        blocks: blocks.into_iter().map(|(block, _)| block).collect(),
        tally: sum,
    })
}

/// The tables of one board from its stored codes.
fn decoded(codes: &[u8; TURNS as usize], fives: Fives, section: Section) -> Result<Pair, Reason> {
    let [lose, tie, win] = bytes_of_codes();
    let (mut wins, mut loses) = ([0u64; 4], [0u64; 4]);
    let over = fives.over();
    for (r, code) in codes.iter().enumerate() {
        let bit = 1 << (r % 64);
        match *code {
            _ if over[r / 64] & bit != 0 || section.stones() == SPOTS => {}
            code if code == win => wins[r / 64] |= bit,
            code if code == lose => loses[r / 64] |= bit,
            code if code == tie => {}
            code => return Err(format!("{code} is no value of a game that goes on").into()),
        }
    }
    let white = section.stones() % 2 == 1;
    let mut pair = [0; 8];
    for w in 0..4 {
        let (wins, loses) =
            (wins[w] | fives.own[w] & !fives.other[w], loses[w] | fives.other[w] & !fives.own[w]);
        (pair[w], pair[w + 4]) = if white { (loses, wins) } else { (wins, loses) };
    }
    Ok(pair)
}
