//! The working form of a tier as a plain list of codes, one or two bytes each; or one byte each by names, where few of
//! the codes that need two bytes occur.
//!
//! The sweep and retrograde engines work on it, and the tables of every engine can be
//! loaded into it to be verified or counted.

use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Zeroable;
use zermelo_core::{
    Code, EngineError, Made, Objective, Reason, Solved, Spill, StoredTier, Tier, Tiers, Width,
};

use crate::compact::lanes::{HOLE, Lanes};
use crate::parallel;
use crate::spill::{array, ended, misfit, unreadable};

/// Stored codes read at a time: a block of the store, which is then decoded once; the game may have
/// chosen others.
const PIECE: usize = 1 << 14;

/// A code in a table: one byte, or two.
pub(crate) trait Cell: Copy + Eq + Zeroable + Send + Sync + 'static {
    const UNKNOWN: Self;
    const BYTES: usize;
    /// `None` when it takes a wider cell.
    fn pack<G: Tiers, O: Objective<G>>(code: Code) -> Option<Self>;
    fn unpack<G: Tiers, O: Objective<G>>(self) -> Code;
    fn wrap(cells: Vec<Self>) -> Cells;
}

impl Cell for u8 {
    const UNKNOWN: u8 = u8::MAX;
    const BYTES: usize = 1;
    #[inline]
    fn pack<G: Tiers, O: Objective<G>>(code: Code) -> Option<u8> {
        O::narrow(code)
    }
    #[inline]
    fn unpack<G: Tiers, O: Objective<G>>(self) -> Code {
        O::widen(self)
    }
    fn wrap(cells: Vec<u8>) -> Cells {
        Cells::One(cells)
    }
}

impl Cell for u16 {
    const UNKNOWN: u16 = u16::MAX;
    const BYTES: usize = 2;
    #[inline]
    fn pack<G: Tiers, O: Objective<G>>(code: Code) -> Option<u16> {
        Some(code.0)
    }
    #[inline]
    fn unpack<G: Tiers, O: Objective<G>>(self) -> Code {
        Code(self)
    }
    fn wrap(cells: Vec<u16>) -> Cells {
        Cells::Two(cells)
    }
}

pub(crate) enum Cells {
    One(Vec<u8>),
    Two(Vec<u16>),
    /// By the names of codes, and how wide the codes are in a table.
    Named(Lanes<8>, Width),
}

/// What spilled codes with names begin with, where others have the number of their bytes.
const NAMED: u8 = 3;

impl Cells {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Cells::One(cells) => out.write_all(cells),
            Cells::Two(cells) => cells.chunks(PIECE).try_for_each(|piece| {
                let bytes: Vec<u8> = piece.iter().flat_map(|cell| cell.to_le_bytes()).collect();
                out.write_all(&bytes)
            }),
            Cells::Named(lanes, width) => {
                out.write_all(&[width.bytes() as u8])?;
                lanes.write_to(out)
            }
        }
    }

    /// Bytes of [`write`](Cells::write).
    fn bytes(&self) -> u64 {
        match self {
            Cells::One(cells) => cells.len() as u64,
            Cells::Two(cells) => 2 * cells.len() as u64,
            Cells::Named(lanes, _) => 1 + lanes.bytes(),
        }
    }

    /// The inverse, for so many cells of a kind.
    fn read(from: &mut dyn Read, kind: u8, size: usize) -> io::Result<Cells> {
        if kind == NAMED {
            let [width] = array(from)?;
            let width = Width::of_bytes(width).ok_or_else(misfit)?;
            return Ok(Cells::Named(Lanes::read_from(from, size as u64)?.done(), width));
        }
        Ok(match Width::of_bytes(kind).ok_or_else(misfit)? {
            Width::One => {
                let mut cells = vec![0; size];
                from.read_exact(&mut cells)?;
                Cells::One(cells)
            }
            Width::Two => {
                let (mut cells, mut bytes) = (vec![0; size], [0; 2 * PIECE]);
                for piece in cells.chunks_mut(PIECE) {
                    let bytes = &mut bytes[..2 * piece.len()];
                    from.read_exact(bytes)?;
                    piece
                        .iter_mut()
                        .zip(bytes.as_chunks().0)
                        .for_each(|(cell, bytes)| *cell = u16::from_le_bytes(*bytes));
                }
                Cells::Two(cells)
            }
        })
    }
}

/// A solved tier, one code a number.
pub struct Codes<G, O> {
    cells: Cells,
    positions: u64,
    of: PhantomData<fn() -> (G, O)>,
}

impl<G: Tiers, O: Objective<G>> Codes<G, O> {
    pub(crate) fn new(cells: Cells, positions: u64) -> Arc<Codes<G, O>> {
        Arc::new(Codes { cells, positions, of: PhantomData })
    }

    /// The code of a number, which must be in range.
    #[inline]
    pub fn get(&self, i: u64) -> Code {
        match &self.cells {
            Cells::One(cells) => O::widen(cells[i as usize]),
            Cells::Two(cells) => Code(cells[i as usize]),
            Cells::Named(lanes, _) => lanes.code(i),
        }
    }

    /// Codes whose bytes, the low one first, are filled in by `fill`.
    pub fn filled<E>(
        width: Width,
        size: u64,
        positions: u64,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Arc<Codes<G, O>>, E> {
        let cells = match width {
            Width::One => {
                let mut cells = vec![0; size as usize];
                fill(&mut cells)?;
                Cells::One(cells)
            }
            Width::Two => {
                let mut cells = vec![0u16; size as usize];
                fill(bytemuck::cast_slice_mut(&mut cells))?;
                cells.iter_mut().for_each(|cell| *cell = u16::from_le(*cell));
                Cells::Two(cells)
            }
        };
        Ok(Codes::new(cells, positions))
    }

    /// Calls `each` with all codes as bytes, a piece at a time, the low byte of a code first.
    pub fn bytes_by_piece<E>(&self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        const MANY: usize = 1 << 24;
        match &self.cells {
            Cells::One(cells) => cells.chunks(MANY).try_for_each(each),
            Cells::Two(cells) => cells.chunks(MANY).try_for_each(|piece| {
                let bytes: Vec<u8> = piece.iter().flat_map(|cell| cell.to_le_bytes()).collect();
                each(&bytes)
            }),
            Cells::Named(lanes, width) => (0..self.entries()).step_by(MANY).try_for_each(|first| {
                let codes = (first..self.entries().min(first + MANY as u64)).map(|i| lanes.code(i));
                let bytes: Vec<u8> = match width {
                    Width::One => codes.map(|code| O::narrow(code).unwrap_or(u8::MAX)).collect(),
                    Width::Two => codes.flat_map(|code| code.0.to_le_bytes()).collect(),
                };
                each(&bytes)
            }),
        }
    }

    /// Reads a range of a stored tier. Numbers in the result count from the start of the range. Codes that the table
    /// leaves out are derived from the rules.
    pub fn load(
        game: &G,
        index: &G::Index,
        stored: &StoredTier<'_>,
        range: Range<u64>,
    ) -> Result<Arc<Codes<G, O>>, EngineError> {
        match stored.width {
            Width::One => Self::load_as::<u8>(game, index, stored, range, |bytes| bytes[0]),
            Width::Two => Self::load_as::<u16>(game, index, stored, range, wide),
        }
    }

    /// The inverse of [`Solved::spill`]: no rule is looked at, which is most of the time that loading takes.
    pub(crate) fn restore(game: &G, tier: Tier, spilled: &mut dyn Read) -> Made {
        let mut read = || {
            let [kind] = array(spilled)?;
            let positions = u64::from_le_bytes(array(spilled)?);
            let cells = Cells::read(spilled, kind, game.size(tier) as usize)?;
            ended(spilled)?;
            Ok(Self::new(cells, positions))
        };
        Ok(read().map_err(unreadable(tier))?)
    }

    fn load_as<C: Cell>(
        game: &G,
        index: &G::Index,
        stored: &StoredTier<'_>,
        range: Range<u64>,
        cell: fn(&[u8]) -> C,
    ) -> Result<Arc<Codes<G, O>>, EngineError> {
        let mut cells = vec![C::UNKNOWN; (range.end - range.start) as usize];
        let piece = G::BLOCK_ENTRIES.unwrap_or(PIECE);
        let counts = parallel::try_within(&mut cells, piece, &|at, chunk: &mut [C]| {
            let first = range.start + at;
            let range = first..first + chunk.len() as u64;
            let bytes = read_codes(stored, range.clone())?;
            let mut positions = 0;
            game.scan(index, range, |i, p| {
                let at = (i - first) as usize;
                let look = O::look(game, p).and_then(C::pack::<G, O>);
                chunk[at] = look.unwrap_or_else(|| kept::<G, O, C>(cell(&bytes[at * C::BYTES..])));
                positions += 1;
            });
            Ok(positions)
        })?;
        Ok(Self::new(C::wrap(cells), counts.into_iter().sum()))
    }

    /// Reads a stored tier into one byte a code, as long as no more than some 250 different codes occur.
    pub(crate) fn load_in_bytes(
        game: &G,
        index: &G::Index,
        stored: &StoredTier<'_>,
    ) -> Result<Arc<Codes<G, O>>, EngineError> {
        let size = game.size(stored.tier);
        if stored.width == Width::One {
            return Self::load(game, index, stored, 0..size);
        }
        let lanes = Lanes::<8>::new(size);
        let piece = G::BLOCK_ENTRIES.unwrap_or(PIECE).next_multiple_of(8);
        let counts = parallel::try_over(size, piece, &|range| {
            if lanes.is_full() {
                return Ok(0);
            }
            let bytes = read_codes(stored, range.clone())?;
            let (mut cells, mut positions) = (vec![HOLE; (range.end - range.start) as usize], 0);
            game.scan(index, range.clone(), |i, p| {
                let at = (i - range.start) as usize;
                let code =
                    O::look(game, p).unwrap_or_else(|| Code(kept::<G, O, u16>(wide(&bytes[2 * at..]))));
                cells[at] = if code == Code::UNKNOWN { HOLE } else { lanes.cell(code).unwrap_or(HOLE) };
                positions += 1;
            });
            lanes.write(range.start, &cells);
            Ok(positions)
        })?;
        if lanes.is_full() {
            return Self::load(game, index, stored, 0..size);
        }
        Ok(Self::new(Cells::Named(lanes.done(), Width::Two), counts.into_iter().sum()))
    }
}

/// The stored codes of some numbers, all of them.
fn read_codes(stored: &StoredTier<'_>, range: Range<u64>) -> Result<Vec<u8>, EngineError> {
    let failed = |reason: Reason| EngineError::Load { tier: stored.tier, reason };
    let many = (range.end - range.start) as usize * stored.width.bytes();
    let mut bytes = Vec::with_capacity(many);
    (stored.read)(range, &mut bytes).map_err(failed)?;
    match bytes.len() == many {
        true => Ok(bytes),
        false => Err(failed("the table has another length than the tier".into())),
    }
}

/// A stored code of two bytes.
fn wide(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[0], bytes[1]])
}

/// A code as it was stored. What a look would have told is never stored, so such a code
/// is false, and unknown from here on.
fn kept<G: Tiers, O: Objective<G>, C: Cell>(cell: C) -> C {
    if O::derivable(cell.unpack::<G, O>()) { C::UNKNOWN } else { cell }
}

/// A stored code of a width as an engine works with it; unknown where a look would have told it, as for
/// [cells](kept).
pub(crate) fn kept_code<G: Tiers, O: Objective<G>>(width: Width, stored: u16) -> Code {
    let code = match width {
        Width::One => O::widen(stored as u8),
        Width::Two => Code(stored),
    };
    if O::derivable(code) { Code::UNKNOWN } else { code }
}

impl<G: Tiers, O: Objective<G>> Solved for Codes<G, O> {
    fn entries(&self) -> u64 {
        match &self.cells {
            Cells::One(cells) => cells.len() as u64,
            Cells::Two(cells) => cells.len() as u64,
            Cells::Named(lanes, _) => lanes.size(),
        }
    }

    fn positions(&self) -> u64 {
        self.positions
    }

    fn width(&self) -> Width {
        match &self.cells {
            Cells::One(_) => Width::One,
            Cells::Two(_) => Width::Two,
            Cells::Named(_, width) => *width,
        }
    }

    fn bytes(&self) -> u64 {
        match &self.cells {
            Cells::Named(lanes, _) => lanes.size(),
            cells => cells.bytes(),
        }
    }

    fn write(&self, range: Range<u64>, out: &mut Vec<u8>) {
        if let Cells::Named(lanes, width) = &self.cells {
            return write_named::<G, O>(lanes, *width, range, out);
        }
        let range = range.start as usize..range.end as usize;
        match &self.cells {
            Cells::One(cells) => {
                // By table: this runs over every code of every tier.
                let kept: Vec<u8> =
                    (0..=u8::MAX).map(|b| if O::derivable(O::widen(b)) { u8::MAX } else { b }).collect();
                out.extend(cells[range].iter().map(|b| kept[*b as usize]));
            }
            Cells::Two(cells) => {
                let kept = |c: &u16| if O::derivable(Code(*c)) { u16::MAX } else { *c };
                out.extend(cells[range].iter().flat_map(|c| kept(c).to_le_bytes()));
            }
            Cells::Named(..) => {}
        }
    }

    fn spill(&self) -> Option<Spill<'_>> {
        let kind = if let Cells::Named(..) = self.cells { NAMED } else { self.width().bytes() as u8 };
        Some(Spill::new(1 + 8 + self.cells.bytes(), move |out| {
            out.write_all(&[kind])?;
            out.write_all(&self.positions.to_le_bytes())?;
            self.cells.write(out)
        }))
    }
}

/// Appends codes with names as a table stores them.
fn write_named<G: Tiers, O: Objective<G>>(
    lanes: &Lanes<8>,
    width: Width,
    range: Range<u64>,
    out: &mut Vec<u8>,
) {
    let stored = |name: u16| match lanes.code_of(name) {
        code if O::derivable(code) => width.dont_care(),
        code if width == Width::One => O::narrow(code).map_or(width.dont_care(), u16::from),
        code => code.0,
    };
    // By table: this runs over every code of every tier.
    let stored: Vec<u16> = (0..=u8::MAX).map(|name| stored(name.into())).collect();
    let codes = range.map(|i| stored[usize::from(lanes.get(i))]);
    match width {
        Width::One => out.extend(codes.map(|code| code as u8)),
        Width::Two => codes.for_each(|code| out.extend_from_slice(&code.to_le_bytes())),
    }
}
