//! A section as a table of the store: a byte for each turn of each board, and back.

use std::any::Any;
use std::ops::Range;

use rayon::prelude::*;
use zermelo_core::sections::{SIDE, SPOTS, Section, TURNS};
use zermelo_core::{Reason, Solved, Stored, Width, Winner};
use zermelo_games::Pentago;

use super::fives::Fives;
use super::packed::{Packed, Tally, Work, tally};
use super::turns::Pair;
use super::{Finish, section_of, unflat};

/// Entries of a tier's numbers, in whole.
fn entries(range: &Range<u64>) -> Range<u64> {
    range.start / TURNS..range.end.div_ceil(TURNS)
}

impl Solved for Packed {
    fn entries(&self) -> u64 {
        self.section.entries() * TURNS
    }

    fn positions(&self) -> u64 {
        self.section.distinct_boards()
    }

    fn width(&self) -> Width {
        Width::One
    }

    fn bytes(&self) -> u64 {
        Packed::bytes(self)
    }

    /// Boards that share a number by symmetry are written like all others, so that blocks can be
    /// brought back one by one.
    fn write(&self, range: Range<u64>, out: &mut Vec<u8>) {
        let finish = Finish::new(self.section);
        let (mut work, mut tables) = (Work::default(), vec![]);
        let (white, full) = (self.section.stones() % 2 == 1, self.section.stones() == SPOTS);
        let mut place = range.start;
        while place < range.end {
            let Some(at) = self.grid.index(place / TURNS).map(|index| index.map(|i| i / SIDE)) else { break };
            let shape = self.grid.block_shape(at);
            let first = self.grid.first(at) * TURNS;
            let end = range.end.min(first + shape.iter().product::<usize>() as u64 * TURNS);
            let known = self.grid.number(at).map(|number| self.unpack(number, &mut work, &mut tables));
            if !matches!(known, Some(Ok(()))) {
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

    fn as_any(&self) -> &dyn Any {
        self
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

/// Reads a stored section, block by block; who has five is looked up by the rules.
pub(crate) fn load(stored: &Stored<'_, Pentago>) -> Result<Packed, Reason> {
    let section = section_of(stored.tier)?;
    if stored.width != Width::One {
        return Err("its values take two bytes, where one is enough".into());
    }
    let (grid, finish) = (section.grid(), Finish::new(section));
    let block = |work: &mut Work, number: usize| -> Result<(Box<[u8]>, Tally), Reason> {
        let at = grid.block(number);
        let shape = grid.block_shape(at);
        let first = grid.first(at) * TURNS;
        let many = shape.iter().product::<usize>();
        let mut bytes = Vec::with_capacity(many * TURNS as usize);
        (stored.read)(first..first + many as u64 * TURNS, &mut bytes)?;
        let boards = bytes.as_chunks::<{ TURNS as usize }>().0;
        if boards.len() != many {
            return Err("the table has another length than the section".into());
        }
        let fives = finish.fives(at);
        let pair = |(i, codes)| decoded(codes, fives.of(unflat(i, shape)), section);
        let tables: Vec<Pair> = boards.iter().enumerate().map(pair).collect::<Result<_, Reason>>()?;
        Ok((work.pack(&tables)?, tally(section, at.map(|b| SIDE * b), shape, &tables)))
    };
    let blocks = (0..grid.len()).into_par_iter().map_init(Work::default, block);
    let blocks: Vec<(Box<[u8]>, Tally)> = blocks.collect::<Result<_, _>>()?;
    let sum = blocks.iter().fold(Tally::default(), |sum, (_, tally)| sum.plus(*tally));
    Ok(Packed { section, grid, blocks: blocks.into_iter().map(|(block, _)| block).collect(), tally: sum })
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
