//! Loopy tiers backwards, where the game can say which positions lead to one.
//!
//! Every number has one word: its code, and how many moves inside the tier may still save it.
//! The forward pass fills in what leaving the tier gives: a win stands unless a faster one
//! turns up; a loss must wait for the moves that stay. Then distance by distance: a position
//! lost in d makes those that lead to it won in d + 1; one won in d takes a move from those that
//! lead to it, and who has none left is lost. Codes are written before their distance is
//! reached, so one look at a table finds both the waiting and the new: there are no lists.
//! Runs of numbers remember which distances they hold, and are looked at for those alone.

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use zermelo_core::{
    Code, Engine, EngineError, Job, Need, Outcome, Remoteness, Sight, Solved, Stored, Tier, Unmove, Value,
};

use crate::below::Below;
use crate::codes::{Cell, Codes};
use crate::forward::TooNarrow;

/// The engine that asks the game for its unmoves.
pub struct Unmoves;

/// Numbers that share a note of the distances they hold.
const RUN: usize = 1 << 10;
/// Numbers that one task looks at in the forward pass.
const PIECE: usize = 1 << 14;

impl<G: Unmove> Engine<G> for Unmoves {
    const NAME: &'static str = "unmoves";
    type Objective = Remoteness;

    fn need(game: &G, tier: Tier) -> Need {
        // A word a number, and the codes at the end; twice that where distances run long.
        let size = game.size(tier);
        let bytes = |each: u64| size.saturating_mul(each).saturating_add(size / RUN as u64 * 32);
        Need { working: bytes(3), useful: bytes(6), result: size }
    }

    fn solve(job: &Job<'_, G>) -> Result<Arc<dyn Solved>, EngineError> {
        const { assert!(!G::AGAIN, "values go back along moves that change the turn") };
        let below = Below::new(job.game, job.tier, job.children.iter().map(|(t, i, s)| (*t, i, s)))?;
        let done = Table::<u8>::solve(job, &below);
        below.faultless()?;
        let wide = Self::need(job.game, job.tier).useful;
        let done = match done {
            Err(TooNarrow) if job.memory < wide => return Err(EngineError::LongLines(job.tier, wide)),
            Err(TooNarrow) => Table::<u16>::solve(job, &below),
            done => done,
        };
        below.faultless()?;
        done.map_err(|TooNarrow| EngineError::OutOfRange(job.tier))
    }

    fn load(stored: &Stored<'_, G>) -> Result<Arc<dyn Solved>, EngineError> {
        Ok(Codes::<G, Remoteness>::load(stored)?)
    }
}

/// A cell with a count of moves beside it, in one atomic word.
trait Word: Cell {
    type Atomic: Send + Sync;
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
struct Table<C: Word> {
    words: Vec<C::Atomic>,
    /// For each run the distances of wins and losses that may stand in it, by their low byte.
    notes: Vec<[AtomicU64; 4]>,
    positions: u64,
    /// The furthest distance written so far.
    furthest: AtomicU32,
    ties: AtomicBool,
    /// Numbers with a way out of the tier that is too long to write down, and the code of moving
    /// there. It does no harm where the position turns out otherwise.
    beyond: Mutex<Vec<(u64, Code)>>,
    /// Whether a distance did not fit.
    narrow: AtomicBool,
}

/// What the forward pass sees of one position after the other.
struct Look<'a, 'b, G: Unmove, C: Word> {
    below: &'a Below<'b, G, Remoteness>,
    table: &'a Table<C>,
    /// The best code of the moves that leave the tier.
    best: Code,
    positions: u64,
}

impl<G: Unmove, C: Word> Sight<G> for Look<'_, '_, G, C> {
    #[inline]
    fn leaves(&mut self, child: G::Position) {
        self.best = self.best.min(self.below.code(self.below.game().tier(child), child));
    }

    #[inline]
    fn seen(&mut self, i: u64, over: Option<Outcome>, inside: usize) {
        self.positions += 1;
        let best = std::mem::replace(&mut self.best, Code::UNKNOWN);
        if inside >= usize::from(C::SAFE) {
            self.below.blame(|| format!("number {i} has {inside} moves, more than this engine can count"));
        } else if over.is_none() && inside == 0 && best == Code::UNKNOWN {
            self.below.blame(|| format!("number {i} is not over and has no move"));
        }
        let (code, left) = match (over, best) {
            (Some(outcome), _) => (Some(outcome.code()), 0),
            (None, Code::UNKNOWN) => (Some(Code::DRAW), inside as u16),
            (None, best) if best.is_win() => (best.parent(), inside as u16),
            (None, best) => (best.parent(), C::SAFE),
        };
        match code.and_then(|code| Some((code, C::pack::<G, Remoteness>(code)?))) {
            Some((code, cell)) => self.table.write(i, cell, left, code),
            None => self.table.write_beyond::<G>(i, left, best),
        }
    }
}

impl<C: Word> Table<C> {
    fn solve<G: Unmove>(
        job: &Job<'_, G>,
        below: &Below<'_, G, Remoteness>,
    ) -> Result<Arc<dyn Solved>, TooNarrow> {
        let mut table = Table::<C>::forward(job, below);
        let mut d = 0;
        while d <= table.furthest.load(Relaxed) && !table.narrow.load(Relaxed) {
            table.round::<G>(job, d as u16);
            d += 1;
        }
        let open = |code: Code| code == Code::DRAW;
        let missed = table.takes_beyond::<G>(Code::is_lose, |code| !code.is_win())
            || table.takes_beyond::<G>(Code::is_win, Code::is_lose);
        table.close::<G>();
        if table.ties.load(Relaxed) {
            let mut d = 0;
            while d <= table.furthest.load(Relaxed) && !table.narrow.load(Relaxed) {
                table.tie_round::<G>(job, d as u16);
                d += 1;
            }
        }
        if missed || table.takes_beyond::<G>(Code::is_tie, open) || *table.narrow.get_mut() {
            return Err(TooNarrow);
        }
        job.watch.advance(job.game.size(job.tier).div_ceil(2));
        let cells = table.words.par_iter().map(|word| C::get(word).0).collect();
        Ok(Codes::<G, Remoteness>::new(C::wrap(cells), table.positions))
    }

    /// What the rules and the tiers below tell.
    fn forward<G: Unmove>(job: &Job<'_, G>, below: &Below<'_, G, Remoteness>) -> Table<C> {
        let size = job.game.size(job.tier) as usize;
        let hole = || C::new(C::UNKNOWN, 0);
        let mut table = Table {
            words: (0..size).into_par_iter().map(|_| hole()).collect(),
            notes: (0..size.div_ceil(RUN)).map(|_| Default::default()).collect(),
            positions: 0,
            furthest: AtomicU32::new(0),
            ties: AtomicBool::new(false),
            beyond: Mutex::default(),
            narrow: AtomicBool::new(false),
        };
        let pieces = (0..size.div_ceil(PIECE)).into_par_iter().map(|n| {
            let range = (n * PIECE) as u64..((n + 1) * PIECE).min(size) as u64;
            let many = range.end - range.start;
            let mut look = Look { below, table: &table, best: Code::UNKNOWN, positions: 0 };
            job.game.outlook(job.tier, &job.index, range, &mut look);
            job.watch.advance(many / 2);
            look.positions
        });
        table.positions = pieces.sum();
        table
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
        self.beyond.lock().unwrap_or_else(PoisonError::into_inner).push((i, best));
        if left == 0 {
            self.narrow.store(true, Relaxed);
        }
    }

    /// Whether a way that is too long is one that is taken: a win or a tie with nothing better, or
    /// a loss. What follows from it is wrong then, and not kept.
    fn takes_beyond<G: Unmove>(&self, way: fn(Code) -> bool, taken: fn(Code) -> bool) -> bool {
        let beyond = self.beyond.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Visits the numbers of the runs that may hold a distance, run by run in parallel; `each`
    /// gets a buffer of its own.
    fn each(&self, d: u16, each: impl Fn(u64, C, u16, &mut Vec<u64>) + Sync) {
        self.notes.par_iter().enumerate().with_min_len(16).for_each_init(Vec::new, |buffer, (run, notes)| {
            if notes[usize::from(d >> 6 & 3)].load(Relaxed) >> (d & 63) & 1 == 0 {
                return;
            }
            let first = run * RUN;
            let end = (first + RUN).min(self.words.len());
            for (at, word) in self.words[first..end].iter().enumerate() {
                let (cell, left) = C::get(word);
                each((first + at) as u64, cell, left, buffer);
            }
        });
    }

    /// Follows the wins and losses of one distance back.
    fn round<G: Unmove>(&self, job: &Job<'_, G>, d: u16) {
        let (won, lost) = (Self::cell::<G>(Value::Win(d)), Self::cell::<G>(Value::Lose(d)));
        let (wins, loses) = (Code::of(Value::Win(d + 1)), Code::of(Value::Lose(d + 1)));
        self.each(d, |i, cell, left, buffer| {
            let is_won = Some(cell) == won;
            if !is_won && (Some(cell) != lost || left != 0) {
                return;
            }
            buffer.clear();
            job.game.sources(&job.index, i, |q| buffer.push(q));
            // All words are read before one is looked at: the processor fetches them at once, but
            // would wait for each that a branch hangs on.
            std::hint::black_box(buffer.iter().fold(0, |all, q| all ^ C::get(&self.words[*q as usize]).1));
            for q in buffer.iter().filter(|q| self.concerned::<G>(**q, is_won, d)) {
                match is_won {
                    true => self.lose_move::<G>(*q, loses),
                    false => self.win::<G>(*q, wins),
                }
            }
        });
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
        self.words.par_iter().with_min_len(PIECE).for_each(|word| {
            let (cell, left) = C::get(word);
            if left != 0 && cell.unpack::<G, Remoteness>().is_lose() {
                C::set(word, (draw, left));
            }
        });
    }

    /// Follows the ties of one distance back.
    fn tie_round<G: Unmove>(&self, job: &Job<'_, G>, d: u16) {
        let tied = Self::cell::<G>(Value::Tie(d));
        let ties = Code::of(Value::Tie(d + 1));
        self.each(d, |i, cell, _, _| {
            if Some(cell) == tied {
                job.game.sources(&job.index, i, |q| self.tie::<G>(q, ties));
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
