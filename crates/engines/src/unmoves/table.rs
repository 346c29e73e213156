//! The words of a tier while it is solved backwards: a code and a count for every number.
//!
//! Numbers are those of the words that are here: all of a tier, or a share of it counted from its
//! start.
//!
//! The tier is solved distance by distance (see [`Step`]). At distance d each position of that distance, a
//! sender, sends a message to every position that has a move to it. Threads and processes apply these messages
//! in no fixed order.
//!
//! **Claim.** The order in which the messages of one distance are applied does not change the table.
//!
//! **Proof.** The senders are known before the first message: a message of distance d only writes codes of
//! distance d + 1 or more, and never in place of a code that makes a sender of distance d. So the order does
//! not change which messages there are. It is left to look at the messages to one position:
//!
//! - A message from a lost position writes a win, unless a faster win stands. The fastest win stays,
//!   whichever came first. Ties are written in the same way.
//! - A message from a won position lowers the count of moves that may still save the position. How far a count
//!   goes down does not depend on the order. The message that takes the last move writes the loss, and the code
//!   of that loss is the same for every message of the distance.
//! - Where both kinds come, the win stays. The count includes the move to the lost position, for which no
//!   message lowers it. So the count stays above 0, and no loss is written.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use bytemuck::Zeroable;
use zermelo_core::{Code, Outcome, Remoteness, Solved, Unmove, Unpoisoned, Value};

use super::PIECE;
use crate::below::Fault;
use crate::codes::{Cell, Cells, Codes};
use crate::parallel;

/// Numbers that share a note of the distances they hold.
pub(crate) const RUN: usize = 1 << 10;

/// A cell with a count of moves beside it, in one atomic word.
pub(crate) trait Word: Cell {
    type Atomic: Send + Sync + Zeroable;
    /// A position that moves inside the tier can never make lost.
    const SAFE: u16;
    fn new(cell: Self, left: u16) -> Self::Atomic;
    fn get(atomic: &Self::Atomic) -> (Self, u16);
    fn set(atomic: &Self::Atomic, word: (Self, u16));
    /// Replaces one pair by another; says what stands there when it was another.
    fn swap(atomic: &Self::Atomic, old: (Self, u16), new: (Self, u16)) -> Result<(), (Self, u16)>;
}

macro_rules! word {
    ($cell:ty, $int:ty, $atomic:ty, $half:literal) => {
        impl Word for $cell {
            type Atomic = $atomic;
            const SAFE: u16 = <$cell>::MAX as u16;
            #[inline]
            fn new(cell: $cell, left: u16) -> $atomic {
                <$atomic>::new(<$int>::from(cell) | (left as $int) << $half)
            }
            #[inline]
            fn get(atomic: &$atomic) -> ($cell, u16) {
                let word = atomic.load(Relaxed);
                (word as $cell, (word >> $half) as u16)
            }
            #[inline]
            fn set(atomic: &$atomic, (cell, left): ($cell, u16)) {
                atomic.store(<$int>::from(cell) | (left as $int) << $half, Relaxed)
            }
            #[inline]
            fn swap(
                atomic: &$atomic,
                (cell, left): ($cell, u16),
                new: ($cell, u16),
            ) -> Result<(), ($cell, u16)> {
                let old = <$int>::from(cell) | (left as $int) << $half;
                let new = <$int>::from(new.0) | (new.1 as $int) << $half;
                let swapped = atomic.compare_exchange_weak(old, new, Relaxed, Relaxed);
                swapped.map(|_| ()).map_err(|word| (word as $cell, (word >> $half) as u16))
            }
        }
    };
}

word!(u8, u16, AtomicU16, 8);
word!(u16, u32, AtomicU32, 16);

/// A tier while it is solved.
pub(crate) struct Notes<C: Word> {
    /// The number in the tier of the first word.
    first: u64,
    words: Vec<C::Atomic>,
    /// For each run the distances of wins and losses that may stand in it, by their low byte.
    notes: Vec<[AtomicU64; 4]>,
    /// The furthest distance written so far.
    pub(crate) furthest: AtomicU32,
    pub(crate) ties: AtomicBool,
    /// Numbers with a way out of the tier that is too long to write down, and the code of moving
    /// there. It does no harm where the position turns out otherwise.
    beyond: Mutex<Vec<(u64, Code)>>,
    /// Whether a distance did not fit.
    pub(crate) narrow: AtomicBool,
}

/// One distance, and what its positions tell those that lead to them.
pub(crate) struct Step<C> {
    pub(crate) d: u16,
    pub(crate) ties: bool,
    /// Who tells of a move that loses, and the code of having no other.
    won: Option<C>,
    loses: Option<Code>,
    /// Who tells of a move that wins or ties, and the code of making it.
    lost: Option<C>,
    wins: Option<Code>,
}

impl<C: Word> Step<C> {
    /// Wins and losses of a distance.
    pub(crate) fn decided<G: Unmove>(d: u16) -> Step<C> {
        Step {
            d,
            ties: false,
            won: Notes::cell::<G>(Value::Win(d)),
            loses: Code::of(Value::Lose(d + 1)),
            lost: Notes::cell::<G>(Value::Lose(d)),
            wins: Code::of(Value::Win(d + 1)),
        }
    }

    /// Ties of a distance.
    pub(crate) fn tied<G: Unmove>(d: u16) -> Step<C> {
        let (lost, wins) = (Notes::cell::<G>(Value::Tie(d)), Code::of(Value::Tie(d + 1)));
        Step { d, ties: true, won: None, loses: None, lost, wins }
    }

    /// Whether a position of this word tells something, and then whether it is won.
    #[inline]
    pub(crate) fn tells(&self, (cell, left): (C, u16)) -> Option<bool> {
        if Some(cell) == self.won {
            return Some(true);
        }
        (Some(cell) == self.lost && (left == 0 || self.ties)).then_some(false)
    }
}

impl<C: Word> Notes<C> {
    /// The numbers of a range, all holes so far.
    pub(crate) fn new(range: Range<u64>) -> Notes<C> {
        let size = (range.end - range.start) as usize;
        let mut words: Vec<C::Atomic> = bytemuck::zeroed_vec(size);
        parallel::within(&mut words, PIECE, &|_, words: &mut [C::Atomic]| {
            words.iter_mut().for_each(|word| *word = C::new(C::UNKNOWN, 0));
        });
        Notes {
            first: range.start,
            words,
            notes: (0..size.div_ceil(RUN)).map(|_| Default::default()).collect(),
            furthest: AtomicU32::new(0),
            ties: AtomicBool::new(false),
            beyond: Mutex::default(),
            narrow: AtomicBool::new(false),
        }
    }

    /// Takes in what the forward pass saw of a position: whether it is over, how many moves stay
    /// in the tier, and the best code of those that leave.
    #[inline]
    pub(crate) fn take_in<G: Unmove>(
        &self,
        i: u64,
        over: Option<Outcome>,
        inside: usize,
        best: Code,
        fault: &Fault,
    ) {
        let number = i + self.first;
        if inside >= usize::from(C::SAFE) && C::BYTES == 1 {
            // Two bytes count further.
            self.narrow.store(true, Relaxed);
        } else if inside >= usize::from(C::SAFE) {
            fault.blame(|| format!("number {number} has {inside} moves, more than this engine can count"));
        } else if over.is_none() && inside == 0 && best == Code::UNKNOWN {
            fault.blame(|| format!("number {number} is not over and has no move"));
        }
        let (code, left) = match (over, best) {
            (Some(outcome), _) => (Some(outcome.code()), 0),
            (None, Code::UNKNOWN) => (Some(Code::DRAW), inside as u16),
            (None, best) if best.is_win() => (best.parent(), inside as u16),
            (None, best) => (best.parent(), C::SAFE),
        };
        match code.and_then(|code| Some((code, C::pack::<G, Remoteness>(code)?))) {
            Some((code, cell)) => self.write(i, cell, left, code),
            None => self.write_beyond::<G>(i, left, best),
        }
    }

    /// Writes a word that nobody else writes at the time.
    #[inline]
    fn write(&self, i: u64, cell: C, left: u16, code: Code) {
        C::set(&self.words[i as usize], (cell, left));
        self.note(i, code);
    }

    /// Notes a position whose best way out is too long: open until something better is found.
    #[cold]
    fn write_beyond<G: Unmove>(&self, i: u64, left: u16, best: Code) {
        if let Some(draw) = Self::cell::<G>(Value::Draw) {
            C::set(&self.words[i as usize], (draw, left));
        }
        self.beyond.lock().unpoisoned().push((i, best));
        if left == 0 {
            self.narrow.store(true, Relaxed);
        }
    }

    /// Whether a way that is too long is one that is taken: a win or a tie with nothing better, or
    /// a loss. What follows from it is wrong then, and not kept.
    fn takes_beyond<G: Unmove>(&self, way: fn(Code) -> bool, taken: fn(Code) -> bool) -> bool {
        let beyond = self.beyond.lock().unpoisoned();
        let mut ways = beyond.iter().filter(|(_, best)| way(*best));
        ways.any(|(i, _)| taken(C::get(&self.words[*i as usize]).0.unpack::<G, Remoteness>()))
    }

    /// Remembers that a run holds a code.
    #[inline]
    fn note(&self, i: u64, code: Code) {
        let Some(r) = code.value().and_then(Value::remoteness) else { return };
        if code.is_tie() && !self.ties.load(Relaxed) {
            self.ties.store(true, Relaxed);
        }
        let (word, bit) = (&self.notes[i as usize / RUN][usize::from(r >> 6 & 3)], 1 << (r & 63));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
        if self.furthest.load(Relaxed) < u32::from(r) {
            self.furthest.fetch_max(r.into(), Relaxed);
        }
    }

    /// The code of a value, if it fits.
    fn cell<G: Unmove>(value: Value) -> Option<C> {
        Code::of(value).and_then(C::pack::<G, Remoteness>)
    }

    /// The runs that may hold a distance.
    pub(crate) fn runs(&self, d: u16) -> Vec<u32> {
        let (word, bit) = (usize::from(d >> 6 & 3), d & 63);
        let holds = |run: &u64| self.notes[*run as usize][word].load(Relaxed) >> bit & 1 != 0;
        let runs = |all: Range<u64>| all.filter(holds).map(|run| run as u32).collect::<Vec<_>>();
        parallel::over(self.notes.len() as u64, PIECE, &runs).concat()
    }

    /// The numbers of a run that tell something, and whether they are won.
    #[inline]
    pub(crate) fn tellers(&self, run: u32, step: &Step<C>) -> impl Iterator<Item = (u64, bool)> {
        let first = run as usize * RUN;
        let words = &self.words[first..(first + RUN).min(self.words.len())];
        let told =
            words.iter().enumerate().map(move |(at, word)| ((first + at) as u64, step.tells(C::get(word))));
        told.filter_map(|(i, won)| Some((i, won?)))
    }

    /// Reads the words of some numbers, all before one is looked at: the processor then fetches
    /// them at once, but would wait for each that a branch hangs on.
    #[inline]
    pub(crate) fn fetch(&self, numbers: impl Iterator<Item = u64>) {
        std::hint::black_box(numbers.fold(0, |all, q| all ^ C::get(&self.words[q as usize]).1));
    }

    /// Tells number `q` of a move of it, which leads to a position that is won, or lost or tied, for
    /// whom it opposes there.
    #[inline]
    pub(crate) fn tell<G: Unmove>(&self, q: u64, is_won: bool, step: &Step<C>) {
        match (step.ties, is_won) {
            (true, _) => self.tie::<G>(q, step.wins),
            (false, _) if !self.concerned::<G>(q, is_won, step.d) => {}
            (false, true) => self.lose_move::<G>(q, step.loses),
            (false, false) => self.win::<G>(q, step.wins),
        }
    }

    /// Takes leave of wins and losses: who still has a move that does not lose has not lost. A way
    /// that is too long and is taken all the same makes the words too narrow.
    pub(crate) fn turn_to_ties<G: Unmove>(&self) {
        let missed = self.takes_beyond::<G>(Code::is_lose, |code| !code.is_win())
            || self.takes_beyond::<G>(Code::is_win, Code::is_lose);
        self.close::<G>();
        if missed {
            self.narrow.store(true, Relaxed);
        }
    }

    /// Takes leave of ties. A way out of the tier that is too long to be written, and that makes a position a tie, makes
    /// the words too narrow.
    pub(crate) fn end<G: Unmove>(&self) {
        if self.takes_beyond::<G>(Code::is_tie, |code| code == Code::DRAW) {
            self.narrow.store(true, Relaxed);
        }
    }

    /// A code as one byte, if it fits.
    fn byte<G: Unmove>(word: &C::Atomic) -> Option<u8> {
        u8::pack::<G, Remoteness>(C::get(word).0.unpack::<G, Remoteness>())
    }

    /// Whether all codes fit one byte: words may be wide for the sake of counts alone.
    pub(crate) fn fits_bytes<G: Unmove>(&self) -> bool {
        let fit = |words: &[C::Atomic]| words.iter().all(|word| Self::byte::<G>(word).is_some());
        C::BYTES == 1 || self.by_pieces(fit).into_iter().all(|fit| fit)
    }

    /// Works on all words, a piece at a time.
    fn by_pieces<T: Send>(&self, work: impl Fn(&[C::Atomic]) -> T + Sync) -> Vec<T> {
        let piece = |range: Range<u64>| work(&self.words[range.start as usize..range.end as usize]);
        parallel::over(self.words.len() as u64, PIECE, &piece)
    }

    /// The codes alone, as bytes where all are known to fit.
    pub(crate) fn codes<G: Unmove>(&self, positions: u64, bytes: bool) -> Arc<dyn Solved> {
        let cells = match bytes && C::BYTES > 1 {
            true => Cells::One(self.cells(|word| Self::byte::<G>(word).unwrap_or(u8::UNKNOWN))),
            false => C::wrap(self.cells(|word| C::get(word).0)),
        };
        Codes::<G, Remoteness>::new(cells, positions)
    }

    fn cells<T: Cell>(&self, cell: fn(&C::Atomic) -> T) -> Vec<T> {
        let mut cells = bytemuck::zeroed_vec(self.words.len());
        parallel::within(&mut cells, PIECE, &|first, cells: &mut [T]| {
            cells.iter_mut().zip(&self.words[first as usize..]).for_each(|(to, word)| *to = cell(word));
        });
        cells
    }

    /// Whether news from a position that number `q` leads to can matter to it.
    #[inline]
    fn concerned<G: Unmove>(&self, q: u64, is_won: bool, d: u16) -> bool {
        let (cell, left) = C::get(&self.words[q as usize]);
        if cell == C::UNKNOWN {
            return false;
        }
        let code = cell.unpack::<G, Remoteness>();
        if is_won {
            left != 0 && left != C::SAFE && !code.is_win()
        } else {
            // A win that is no slower stands, and a loss with no move left is known.
            let stands = code.is_win() && code.value().and_then(Value::remoteness) <= Some(d + 1);
            !stands && (left != 0 || !code.is_lose()) && code != Code::TIED
        }
    }

    /// A move wins, as `code` says, unless a faster win stands.
    #[inline]
    fn win<G: Unmove>(&self, q: u64, code: Option<Code>) {
        let Some((code, cell)) = code.and_then(|c| Some((c, C::pack::<G, Remoteness>(c)?))) else {
            return self.narrow.store(true, Relaxed);
        };
        let word = &self.words[q as usize];
        let mut old = C::get(word);
        loop {
            let has = old.0.unpack::<G, Remoteness>();
            // Of two wins the faster has the greater code; what is over may be told of moves, too.
            let stands = has.is_win() && has >= code || has.is_lose() && old.1 == 0;
            if has == Code::UNKNOWN || has == Code::TIED || stands {
                return;
            }
            match C::swap(word, old, (cell, C::SAFE)) {
                Ok(()) => return self.note(q, code),
                Err(now) => old = now,
            }
        }
    }

    /// A move loses, as `code` says; the last one makes the position lost.
    #[inline]
    fn lose_move<G: Unmove>(&self, q: u64, code: Option<Code>) {
        let word = &self.words[q as usize];
        let mut old = C::get(word);
        loop {
            let has = old.0.unpack::<G, Remoteness>();
            if has == Code::UNKNOWN || old.1 == 0 || old.1 == C::SAFE {
                return;
            }
            if old.1 > 1 {
                match C::swap(word, old, (old.0, old.1 - 1)) {
                    Ok(()) => return,
                    Err(now) => old = now,
                }
                continue;
            }
            // A loss by leaving the tier may take longer; of two losses the later has the greater code.
            let lost = code.map(|code| if has.is_lose() { code.max(has) } else { code });
            let Some((lost, cell)) = lost.and_then(|c| Some((c, C::pack::<G, Remoteness>(c)?))) else {
                return self.narrow.store(true, Relaxed);
            };
            match C::swap(word, old, (cell, 0)) {
                Ok(()) => return self.note(q, lost),
                Err(now) => old = now,
            }
        }
    }

    /// Who still has a move that does not lose has not lost.
    fn close<G: Unmove>(&self) {
        let Some(draw) = Self::cell::<G>(Value::Draw) else { return };
        self.by_pieces(|words| {
            for word in words {
                let (cell, left) = C::get(word);
                if left != 0 && cell.unpack::<G, Remoteness>().is_lose() {
                    C::set(word, (draw, left));
                }
            }
        });
    }

    /// A move ties, as `code` says: better than a draw or a later tie.
    fn tie<G: Unmove>(&self, q: u64, code: Option<Code>) {
        let word = &self.words[q as usize];
        let mut old = C::get(word);
        loop {
            let has = old.0.unpack::<G, Remoteness>();
            if has != Code::DRAW && !(has.is_tie() && code.is_some_and(|code| has > code)) {
                return;
            }
            let Some((code, cell)) = code.and_then(|c| Some((c, C::pack::<G, Remoteness>(c)?))) else {
                return self.narrow.store(true, Relaxed);
            };
            match C::swap(word, old, (cell, old.1)) {
                Ok(()) => return self.note(q, code),
                Err(now) => old = now,
            }
        }
    }
}
