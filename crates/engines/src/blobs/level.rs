//! The reached positions of a tier: blobs, and the numbers of their positions in order.

use std::collections::BTreeMap;
use std::ops::Range;

use zermelo_core::{Code, Colours};

/// Sorted numbers, four bytes each where that will do.
pub(super) enum Numbers {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Numbers {
    /// For tiers of so many occupied cells.
    pub(super) fn of(cells: u32) -> Numbers {
        if cells <= 32 { Numbers::Narrow(vec![]) } else { Numbers::Wide(vec![]) }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Numbers::Narrow(list) => list.len(),
            Numbers::Wide(list) => list.len(),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        match self {
            Numbers::Narrow(list) => list.capacity() as u64 * 4,
            Numbers::Wide(list) => list.capacity() as u64 * 8,
        }
    }

    pub(super) fn reserve_exact(&mut self, more: usize) {
        match self {
            Numbers::Narrow(list) => list.reserve_exact(more),
            Numbers::Wide(list) => list.reserve_exact(more),
        }
    }

    pub(super) fn shrink(&mut self) {
        match self {
            Numbers::Narrow(list) => list.shrink_to_fit(),
            Numbers::Wide(list) => list.shrink_to_fit(),
        }
    }

    pub(super) fn push(&mut self, number: u64) {
        match self {
            Numbers::Narrow(list) => list.push(number as u32),
            Numbers::Wide(list) => list.push(number),
        }
    }

    pub(super) fn append(&mut self, more: &Numbers) {
        match (self, more) {
            (Numbers::Narrow(list), Numbers::Narrow(more)) => list.extend_from_slice(more),
            (Numbers::Wide(list), Numbers::Wide(more)) => list.extend_from_slice(more),
            (list, more) => (0..more.len()).for_each(|i| list.push(more.get(i))),
        }
    }

    #[inline]
    pub(super) fn get(&self, i: usize) -> u64 {
        match self {
            Numbers::Narrow(list) => list[i].into(),
            Numbers::Wide(list) => list[i],
        }
    }

    /// Where a number lies in a part of the list.
    #[inline]
    pub(super) fn find(&self, part: Range<usize>, number: u64) -> Option<usize> {
        let found = match self {
            Numbers::Narrow(list) => find(&list[part.clone()], number as u32),
            Numbers::Wide(list) => find(&list[part.clone()], number),
        };
        found.map(|at| part.start + at)
    }

    /// A part of the list, each number through a function.
    pub(super) fn each(&self, part: Range<usize>, out: &mut Vec<u64>, change: impl Fn(u64) -> u64) {
        out.clear();
        match self {
            Numbers::Narrow(list) => out.extend(list[part].iter().map(|n| change((*n).into()))),
            Numbers::Wide(list) => out.extend(list[part].iter().map(|n| change(*n))),
        }
    }
}

/// The place of a number in a sorted list, which is mostly short.
#[inline]
fn find<T: Copy + Ord>(list: &[T], number: T) -> Option<usize> {
    if list.len() <= 16 { list.iter().position(|n| *n == number) } else { list.binary_search(&number).ok() }
}

/// How many finished positions have a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) canonical: u64,
    pub(super) all: u64,
    pub(super) example: Colours,
}

/// The reached positions of a tier in which somebody can move, and the counts of the others.
pub(super) struct Level {
    /// Occupied cells.
    pub(super) cells: u32,
    /// The blobs that have positions, from the least.
    pub(super) blobs: Vec<u64>,
    /// Where the numbers of each begin, and at last where they end.
    pub(super) begins: Vec<usize>,
    pub(super) numbers: Numbers,
    pub(super) ends: BTreeMap<Code, Ends>,
}

impl Level {
    pub(super) fn empty(cells: u32) -> Level {
        Level { cells, blobs: vec![], begins: vec![0], numbers: Numbers::of(cells), ends: BTreeMap::new() }
    }

    pub(super) fn positions(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn part(&self, blob: usize) -> Range<usize> {
        self.begins[blob]..self.begins[blob + 1]
    }

    /// The place of a blob.
    pub(super) fn blob(&self, cells: u64) -> Option<usize> {
        self.blobs.binary_search(&cells).ok()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.numbers.bytes() + 16 * self.blobs.len() as u64
    }

    /// Adds the positions of the next blob.
    pub(super) fn add(&mut self, blob: u64, numbers: &Numbers) {
        if numbers.len() > 0 {
            self.blobs.push(blob);
            self.numbers.append(numbers);
            self.begins.push(self.numbers.len());
        }
    }

    pub(super) fn add_ends(&mut self, ends: impl IntoIterator<Item = (Code, Ends)>) {
        for (code, more) in ends {
            let sum = self.ends.entry(code).or_insert(Ends { canonical: 0, all: 0, ..more });
            sum.canonical += more.canonical;
            sum.all += more.all;
            sum.example = sum.example.min(more.example);
        }
    }

    /// All of it as bytes.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let mut word = |n: u64| out.extend_from_slice(&n.to_le_bytes());
        word(self.cells.into());
        word(self.ends.len() as u64);
        for (code, ends) in &self.ends {
            let words = [code.0.into(), ends.canonical, ends.all, ends.example[0], ends.example[1]];
            words.into_iter().for_each(&mut word);
        }
        word(self.blobs.len() as u64);
        for (blob, cells) in self.blobs.iter().enumerate() {
            word(*cells);
            word(self.part(blob).len() as u64);
        }
        match &self.numbers {
            Numbers::Narrow(list) => list.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes())),
            Numbers::Wide(list) => list.iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes())),
        }
    }

    /// The inverse of [`Level::write`]; `None` for bytes that are not so.
    pub(super) fn read(bytes: &mut &[u8]) -> Option<Level> {
        let mut level = Level::empty(u32::try_from(word(bytes)?).ok().filter(|n| *n <= 64)?);
        for _ in 0..word(bytes)? {
            let code = Code(u16::try_from(word(bytes)?).ok()?);
            let (canonical, all) = (word(bytes)?, word(bytes)?);
            level.ends.insert(code, Ends { canonical, all, example: [word(bytes)?, word(bytes)?] });
        }
        let mut total = 0usize;
        for _ in 0..word(bytes)? {
            let cells = word(bytes)?;
            if cells.count_ones() != level.cells || level.blobs.last().is_some_and(|last| *last >= cells) {
                return None;
            }
            level.blobs.push(cells);
            total = total.checked_add(usize::try_from(word(bytes)?).ok()?)?;
            level.begins.push(total);
        }
        let width = if level.cells <= 32 { 4 } else { 8 };
        let (numbers, rest) = bytes.split_at_checked(total.checked_mul(width)?)?;
        *bytes = rest;
        level.numbers.reserve_exact(total);
        for number in numbers.chunks_exact(width) {
            let mut word = [0; 8];
            word[..width].copy_from_slice(number);
            level.numbers.push(u64::from_le_bytes(word));
        }
        Some(level)
    }
}

fn word(bytes: &mut &[u8]) -> Option<u64> {
    let (word, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*word))
}
