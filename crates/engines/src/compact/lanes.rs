//! The cells of a tier while it is solved, and afterwards: one byte a number where at most 250 different codes occur,
//! else two.
//!
//! A code has up to 60,001 forms, and 169 distances already do not fit the one-byte form of codes, though few of the
//! codes in between occur. So a byte is the *name* of a code: names are given as codes come up, in no order. Cells of
//! two bytes need no names.
//!
//! Cells lie side by side in words, so that a scan looks at eight of them at once. Any number of threads may read and
//! change cells.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use zermelo_core::{Code, Unpoisoned, Value};

use crate::spill::{array, misfit};

/// The cell of a hole; fresh memory is full of them.
pub(crate) const HOLE: u16 = 0;
/// The cell of a position that may still be lost, tied or drawn.
pub(crate) const OPEN: u16 = 1;
/// The cell of an open position that is to be looked at, for one of its moves now loses.
pub(crate) const FLAG: u16 = 2;
/// The cell of a position with a way out of the tier that wins, or that makes it lost, and is too long to be written.
pub(crate) const FAR: u16 = 3;
/// The cell of a position with a way out of the tier that ties and is too long to be written.
pub(crate) const FAR_TIE: u16 = 4;
/// The first cell that stands for a code.
const FIRST: u16 = 5;
/// Names of one byte.
const NAMES: usize = 256;

/// Cells of `BITS` bits, 8 or 16.
pub(crate) struct Lanes<const BITS: u32> {
    words: Vec<AtomicU64>,
    size: u64,
    /// The codes of the names, where cells have one byte. An open position counts as drawn.
    codes: Box<[AtomicU16]>,
    /// The names of the codes, and with cells of two bytes whether a code was asked for; empty once the tier is solved.
    names: Vec<AtomicU8>,
    /// How many names are given.
    given: Mutex<usize>,
    /// Whether a code found no name.
    full: AtomicBool,
    /// The furthest distance of a win or a loss that was asked for, and of a tie, plus one.
    furthest: [AtomicU32; 2],
}

impl<const BITS: u32> Lanes<BITS> {
    const PER_WORD: u64 = (64 / BITS) as u64;
    const MASK: u64 = (1 << BITS) - 1;
    /// One in each cell of a word.
    const ONES: u64 = u64::MAX / Self::MASK;
    /// The highest bit of each cell of a word.
    const HIGHS: u64 = Self::ONES << (BITS - 1);

    /// So many holes.
    pub(crate) fn new(size: u64) -> Self {
        let narrow = BITS == 8;
        let codes: Vec<AtomicU16> = (0..if narrow { NAMES } else { 0 })
            .map(|name| AtomicU16::new(if name as u16 == HOLE { Code::UNKNOWN } else { Code::DRAW }.0))
            .collect();
        Lanes {
            words: bytemuck::zeroed_vec(size.div_ceil(Self::PER_WORD) as usize),
            size,
            codes: codes.into(),
            names: bytemuck::zeroed_vec(1 << 16),
            given: Mutex::new(FIRST.into()),
            full: AtomicBool::new(false),
            furthest: Default::default(),
        }
    }

    /// How many cells there are.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The cell for a code; `None` where there are too many different codes for cells of one byte.
    #[inline]
    pub(crate) fn cell(&self, code: Code) -> Option<u16> {
        match self.names[usize::from(code.0)].load(Relaxed) {
            0 => self.name(code),
            _ if BITS == 16 => Some(!code.0),
            name => Some(name.into()),
        }
    }

    /// Gives a code a name.
    #[cold]
    fn name(&self, code: Code) -> Option<u16> {
        let mut given = self.given.lock().unpoisoned();
        let known = &self.names[usize::from(code.0)];
        if BITS == 16 {
            self.reaches(code);
            known.store(1, Relaxed);
            return Some(!code.0);
        }
        if known.load(Relaxed) != 0 {
            return Some(known.load(Relaxed).into());
        }
        if *given == NAMES {
            self.full.store(true, Relaxed);
            return None;
        }
        let name = *given as u8;
        *given += 1;
        self.reaches(code);
        // Another thread may read the cell before it sees this. It then takes the position for drawn, and so for open,
        // which is what it was before.
        self.codes[usize::from(name)].store(code.0, Relaxed);
        known.store(name, Relaxed);
        Some(name.into())
    }

    /// Remembers how far distances reach.
    fn reaches(&self, code: Code) {
        let Some(r) = code.value().and_then(Value::remoteness) else { return };
        let furthest = &self.furthest[usize::from(code.is_tie())];
        if furthest.load(Relaxed) <= u32::from(r) {
            furthest.fetch_max(u32::from(r) + 1, Relaxed);
        }
    }

    /// The cell for a value, if it may stand somewhere.
    pub(crate) fn known(&self, value: Value) -> Option<u16> {
        let code = Code::of(value)?;
        let name = self.names.get(usize::from(code.0))?.load(Relaxed);
        Some(if BITS == 16 { !code.0 } else { name.into() }).filter(|_| name != 0)
    }

    /// Distances of wins and losses, or of ties, end before this one.
    pub(crate) fn furthest(&self, ties: bool) -> u32 {
        self.furthest[usize::from(ties)].load(Relaxed)
    }

    /// Whether a code found no name.
    pub(crate) fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    /// The code that a cell stands for.
    #[inline]
    pub(crate) fn code_of(&self, cell: u16) -> Code {
        match BITS {
            16 if cell == HOLE || cell >= FIRST => Code(!cell),
            16 => Code::DRAW,
            _ => Code(self.codes[usize::from(cell as u8)].load(Relaxed)),
        }
    }

    /// Where a cell is: its word, and how far from the low end.
    #[inline]
    fn place(i: u64) -> (usize, u32) {
        ((i / Self::PER_WORD) as usize, (i % Self::PER_WORD) as u32 * BITS)
    }

    /// A cell.
    #[inline]
    pub(crate) fn get(&self, i: u64) -> u16 {
        let (word, shift) = Self::place(i);
        (self.words[word].load(Relaxed) >> shift & Self::MASK) as u16
    }

    /// The code of a number.
    #[inline]
    pub(crate) fn code(&self, i: u64) -> Code {
        self.code_of(self.get(i))
    }

    /// Changes a cell where `to` says so; whether it did.
    #[inline]
    pub(crate) fn change(&self, i: u64, to: impl Fn(u16) -> Option<u16>) -> bool {
        let (word, shift) = Self::place(i);
        let word = &self.words[word];
        let mut old = word.load(Relaxed);
        loop {
            let cell = (old >> shift & Self::MASK) as u16;
            let Some(new) = to(cell) else { return false };
            let with = old ^ u64::from(cell ^ new) << shift;
            match word.compare_exchange_weak(old, with, Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(now) => old = now,
            }
        }
    }

    /// Writes cells from a number on that is a multiple of eight. Nobody else may write to the words meanwhile.
    pub(crate) fn write(&self, first: u64, cells: &[u16]) {
        let words = &self.words[(first / Self::PER_WORD) as usize..];
        for (word, cells) in words.iter().zip(cells.chunks(Self::PER_WORD as usize)) {
            let all = cells.iter().rev().fold(0, |all, cell| all << (BITS % 64) | u64::from(*cell));
            word.store(all, Relaxed);
        }
    }

    /// Visits the numbers of a range whose cell is one of two, with the cell. A range begins at a multiple of eight.
    #[inline]
    pub(crate) fn find(&self, range: Range<u64>, wanted: [u16; 2], mut visit: impl FnMut(u64, u16)) {
        let every = wanted.map(|cell| u64::from(cell) * Self::ONES);
        let has = |word: u64| (word.wrapping_sub(Self::ONES) & !word & Self::HIGHS) != 0;
        let words = (range.start / Self::PER_WORD) as usize..range.end.div_ceil(Self::PER_WORD) as usize;
        for (word, at) in self.words[words].iter().zip((range.start..).step_by(Self::PER_WORD as usize)) {
            let word = word.load(Relaxed);
            if has(word ^ every[0]) || has(word ^ every[1]) {
                for lane in 0..Self::PER_WORD.min(range.end - at) {
                    let cell = (word >> (lane as u32 * BITS) & Self::MASK) as u16;
                    if cell == wanted[0] || cell == wanted[1] {
                        visit(at + lane, cell);
                    }
                }
            }
        }
    }

    /// How many cells are no holes, and whether each of the cells occurs in a range.
    pub(crate) fn occur(&self, range: Range<u64>) -> (u64, Vec<bool>) {
        let (mut filled, mut occur) = (0, vec![false; 1 << BITS]);
        for i in range {
            let cell = self.get(i);
            filled += u64::from(cell != HOLE);
            occur[usize::from(cell)] = true;
        }
        (filled, occur)
    }

    /// The cells without what only the solving of the tier needs.
    pub(crate) fn done(self) -> Self {
        Lanes { names: vec![], ..self }
    }

    /// Cells of one byte as such; the others as they are.
    pub(crate) fn into_bytes(self) -> Result<Lanes<8>, Self> {
        if BITS != 8 {
            return Err(self);
        }
        let Lanes { words, size, codes, given, full, furthest, .. } = self;
        Ok(Lanes { words, size, codes, names: vec![], given, full, furthest })
    }

    /// Bytes of [`write_to`](Lanes::write_to).
    pub(crate) fn bytes(&self) -> u64 {
        let names = if BITS == 16 { self.names.len() } else { 2 * self.codes.len() };
        8 + 2 * 4 + names as u64 + 8 * self.words.len() as u64
    }

    /// Writes the cells with their names.
    pub(crate) fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&(*self.given.lock().unpoisoned() as u64).to_le_bytes())?;
        for furthest in &self.furthest {
            out.write_all(&furthest.load(Relaxed).to_le_bytes())?;
        }
        for code in &self.codes {
            out.write_all(&code.load(Relaxed).to_le_bytes())?;
        }
        if BITS == 16 {
            let names: Vec<u8> = self.names.iter().map(|name| name.load(Relaxed)).collect();
            out.write_all(&names)?;
        }
        let mut bytes = Vec::with_capacity(PIECE * 8);
        for words in self.words.chunks(PIECE) {
            bytes.clear();
            words.iter().for_each(|word| bytes.extend_from_slice(&word.load(Relaxed).to_le_bytes()));
            out.write_all(&bytes)?;
        }
        Ok(())
    }

    /// The inverse of [`write_to`](Lanes::write_to), for so many cells.
    pub(crate) fn read_from(from: &mut dyn Read, size: u64) -> io::Result<Self> {
        let lanes = Self::new(size);
        let given = u64::from_le_bytes(array(from)?);
        if !(u64::from(FIRST)..=NAMES as u64).contains(&given) {
            return Err(misfit());
        }
        *lanes.given.lock().unpoisoned() = given as usize;
        for furthest in &lanes.furthest {
            furthest.store(u32::from_le_bytes(array(from)?), Relaxed);
        }
        for (name, code) in lanes.codes.iter().enumerate() {
            let found = u16::from_le_bytes(array(from)?);
            if (usize::from(FIRST)..given as usize).contains(&name) {
                code.store(found, Relaxed);
                lanes.names[usize::from(found)].store(name as u8, Relaxed);
            }
        }
        let mut bytes = vec![0; PIECE * 8];
        if BITS == 16 {
            let mut names = vec![0; lanes.names.len()];
            from.read_exact(&mut names)?;
            lanes.names.iter().zip(names).for_each(|(name, found)| name.store(found, Relaxed));
        }
        for words in lanes.words.chunks(PIECE) {
            let bytes = &mut bytes[..8 * words.len()];
            from.read_exact(bytes)?;
            let pairs = words.iter().zip(bytes.as_chunks().0);
            pairs.for_each(|(word, bytes)| word.store(u64::from_le_bytes(*bytes), Relaxed));
        }
        Ok(lanes)
    }
}

/// Words that are written or read at a time.
const PIECE: usize = 1 << 12;

#[cfg(test)]
mod tests {
    use super::*;

    fn filled<const BITS: u32>() -> (Lanes<BITS>, Vec<u16>) {
        let lanes = Lanes::<BITS>::new(1_003);
        let code = |i: u64| [Code::DRAW, Code(3), Code(19_999), Code(59_000), Code(20_007)][i as usize % 5];
        let cells: Vec<u16> = (0..1_003)
            .map(|i| {
                if i % 7 == 6 {
                    [HOLE, OPEN, FLAG][i as usize % 3]
                } else {
                    lanes.cell(code(i)).expect("room")
                }
            })
            .collect();
        lanes.write(0, &cells);
        (lanes, cells)
    }

    fn holds<const BITS: u32>() {
        let (lanes, mut cells) = filled::<BITS>();
        assert!((0..1_003).all(|i| lanes.get(i) == cells[i as usize]));
        assert_eq!((lanes.code(0), lanes.code(1), lanes.code(6)), (Code::DRAW, Code(3), Code::UNKNOWN));
        assert_eq!((lanes.furthest(false), lanes.furthest(true)), (20_000, 8));
        assert!(lanes.change(500, |cell| Some(cell ^ 1)) && !lanes.change(501, |_| None));
        cells[500] ^= 1;
        for wanted in [[FLAG, FLAG], [cells[1], OPEN], [cells[3], cells[4]], [HOLE, cells[0]]] {
            for range in [0..1_003, 8..16, 504..1_003, 1_000..1_003] {
                let mut found = vec![];
                lanes.find(range.clone(), wanted, |i, cell| found.push((i, cell)));
                let all = range.map(|i| (i, cells[i as usize]));
                assert_eq!(found, all.filter(|(_, cell)| wanted.contains(cell)).collect::<Vec<_>>());
            }
        }
        let mut bytes = vec![];
        lanes.write_to(&mut bytes).expect("memory");
        assert_eq!(bytes.len() as u64, lanes.bytes());
        let again = Lanes::<BITS>::read_from(&mut &bytes[..], 1_003).expect("what was written");
        assert!((0..1_003).all(|i| (again.get(i), again.code(i)) == (lanes.get(i), lanes.code(i))));
        assert_eq!(again.cell(Code(59_000)), lanes.cell(Code(59_000)));
        assert!(Lanes::<BITS>::read_from(&mut &bytes[1..], 1_003).is_err());
    }

    #[test]
    fn cells_are_found_and_written_and_read() {
        holds::<8>();
        holds::<16>();
    }

    #[test]
    fn one_byte_has_names_for_so_many_codes_and_no_more() {
        let lanes = Lanes::<8>::new(1);
        let named = (0..300).filter(|code| lanes.cell(Code(*code)).is_some()).count();
        assert_eq!((named, lanes.is_full()), (NAMES - usize::from(FIRST), true));
        assert_eq!((lanes.cell(Code(7)), lanes.known(Value::Lose(7))), (Some(12), Some(12)));
        assert!(lanes.known(Value::Lose(299)).is_none() && lanes.known(Value::Win(1)).is_none());
    }
}
