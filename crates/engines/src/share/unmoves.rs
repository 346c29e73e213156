//! Tiers of games that can play backwards, as [`crate::unmoves`] solves them: every process has the
//! words of its own numbers.
//!
//! Forward, the codes of moves that leave are asked for. Then, distance by distance, the own
//! positions of that distance tell those that lead to them, wherever those are. Within one distance
//! the order in which that is heard does not matter (see [`Notes`]), so the codes are those that
//! one process would find. A distance ends when nobody has more to tell.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;
use zermelo_core::{Code, EngineError, Made, Need, Outcome, Remoteness, Shares, Sight, Solved, Tier, Unmove};

use super::ask::{Work, ask_all};
use super::children::{Answers, Children, Lookups};
use super::group::{Group, HEAD, Status, together};
use super::outbox::{Budget, Limits, NumberWidth, Outbox, collect};
use super::{below_bytes, wide_below};
use crate::forward::TooNarrow;
use crate::ranked::ShareJob;
use crate::unmoves::table::{self, Notes, Step};

/// Items that one task takes in.
const TASK: usize = 1 << 12;
/// Items whose words are fetched together.
const TOGETHER: usize = 32;

/// A word a number, and the codes at the end: 3 bytes, or 6 where distances run long; and the notes.
fn bytes(share: u64, each: u64) -> u64 {
    share.saturating_mul(each).saturating_add(share.div_ceil(table::RUN as u64) * 32)
}

/// Bytes for each process.
pub(crate) fn need<G: Unmove>(game: &G, tier: Tier, peers: usize, block: u64) -> Need {
    super::need(game, tier, peers, block, |share| (bytes(share, 3), bytes(share, 6)))
}

/// Solves a tier.
pub(crate) fn solve<G: Unmove>(job: &ShareJob<'_, G>) -> Made {
    together(job.peers, job.tier, |group| {
        let shares = Shares::new(job.game.size(job.tier), group.count(), job.block);
        let fixed = |each| bytes(shares.largest(), each).saturating_add(below_bytes(job));
        let whole = |each| fixed(each).saturating_add(Limits::least());
        if wide_below(job) && job.memory < whole(3) {
            return Err(EngineError::LongLines(job.tier, whole(3)));
        }
        let children = Children::load(job)?;
        let backward = |each| {
            let limits = Limits::new(job.memory.saturating_sub(fixed(each)), group.count());
            let item_width = NumberWidth::below(shares.largest().saturating_mul(2));
            Backward { job, group, children: &children, shares, limits, item_width }
        };
        let done = match backward(3).solve::<u8>()? {
            Err(TooNarrow) if job.memory < whole(6) => {
                return Err(EngineError::LongLines(job.tier, whole(6)));
            }
            Err(TooNarrow) => backward(6).solve::<u16>()?,
            done => done,
        };
        done.map_err(|TooNarrow| EngineError::OutOfRange(job.tier))
    })
}

struct Backward<'a, 'b, G: Unmove> {
    job: &'a ShareJob<'b, G>,
    group: &'a Group<'b>,
    children: &'a Children<'b, G, Remoteness>,
    shares: Shares,
    limits: Limits,
    /// A number in a share, and whether the position that tells is won.
    item_width: NumberWidth,
}

impl<G: Unmove> Backward<'_, '_, G> {
    fn solve<C: table::Word>(&self) -> Result<Result<Arc<dyn Solved>, TooNarrow>, EngineError> {
        let range = self.shares.range(self.group.here());
        let size = range.end - range.start;
        let table = Notes::<C>::new(range.clone());
        let mut forward = Forward { backward: self, table: &table, first: range.start, positions: 0 };
        ask_all(self.group, self.children, &mut forward, range, self.limits)?;
        let positions = forward.positions;
        self.children.fault.check()?;
        self.rounds(&table, Step::decided::<G>)?;
        table.turn_to_ties::<G>();
        self.rounds(&table, Step::tied::<G>)?;
        table.end::<G>();
        self.children.fault.check()?;
        if self.group.agree(status(&table, false))?.narrow {
            return Ok(Err(TooNarrow));
        }
        // All shares have the same width.
        let wide = Status { narrow: !table.fits_bytes::<G>(), ..Status::default() };
        let bytes = !self.group.agree(wide)?.narrow;
        self.job.watch.advance(size.div_ceil(2));
        Ok(Ok(table.codes::<G>(positions, bytes)))
    }

    /// Distance by distance, as long as anybody has any.
    fn rounds<C: table::Word>(&self, table: &Notes<C>, step: fn(u16) -> Step<C>) -> Result<(), EngineError> {
        let mut d = 0;
        while self.round(table, &step(d))? {
            d += 1;
        }
        Ok(())
    }

    /// Follows the values of one distance back; `false` when nobody has that distance any more, or
    /// somebody has one that does not fit.
    fn round<C: table::Word>(&self, table: &Notes<C>, step: &Step<C>) -> Result<bool, EngineError> {
        let runs = table.runs(step.d);
        let mut left = &runs[..];
        let mut out = self.gather(table, step, &mut left);
        let mut came: Vec<Vec<u8>> = vec![];
        loop {
            let (heard, next) = self.group.meanwhile(status(table, !left.is_empty()), out, || {
                self.take_in(table, step, &came);
                self.gather(table, step, &mut left)
            });
            let (all, messages) = heard?;
            if all.narrow || all.furthest < step.d || step.ties && !all.ties {
                return Ok(false);
            }
            if messages.iter().any(|message| !(message.len() - HEAD).is_multiple_of(self.item_width.bytes)) {
                return Err(self.group.broken("a message has half an item".into()));
            }
            (came, out) = (messages, next);
            if !all.more {
                self.take_in(table, step, &came);
                return Ok(true);
            }
        }
    }

    /// Asks positions who leads to them, until there is enough to send; own ones are told at once.
    fn gather<C: table::Word>(&self, table: &Notes<C>, step: &Step<C>, runs: &mut &[u32]) -> Vec<Vec<u8>> {
        let budget = Budget::new(0..runs.len() as u64, 1, self.limits, self.group.count());
        let mut boxes = budget.spread(|| {
            let mut outbox = Outbox::new(self.item_width, self.group.count());
            let mut own = vec![];
            while let Some(at) = budget.take() {
                for (i, is_won) in table.tellers(runs[at.start as usize], step) {
                    let is_won = is_won != G::ALONE;
                    self.sort_out(i, is_won, &mut own, &mut outbox);
                    table.fetch(own.iter().copied());
                    own.drain(..).for_each(|q| table.tell::<G>(q, is_won, step));
                }
                budget.spend(1, &mut outbox);
            }
            outbox
        });
        *runs = &runs[budget.reached() as usize..];
        let mut messages = self.group.blank();
        collect(&mut messages, &mut boxes);
        messages
    }

    /// The numbers that lead to one: own ones, and items to the others.
    #[inline]
    fn sort_out(&self, i: u64, is_won: bool, own: &mut Vec<u64>, outbox: &mut Outbox) {
        let here = self.group.here();
        let number = self.shares.start(here) + i;
        self.job.game.sources(&self.job.index, number, |q| {
            let owner = self.shares.owner(q);
            let at = q - self.shares.start(owner);
            if q >= self.shares.entries() {
                self.children.fault.blame(|| format!("number {number} is said to come from {q}"));
            } else if owner == here {
                own.push(at);
            } else {
                outbox.push(owner, at << 1 | u64::from(is_won));
            }
        });
    }

    /// Tells the own numbers what others have sent.
    fn take_in<C: table::Word>(&self, table: &Notes<C>, step: &Step<C>, came: &[Vec<u8>]) {
        let range = self.shares.range(self.group.here());
        let (size, bytes) = (range.end - range.start, self.item_width.bytes);
        let tasks = came.par_iter().flat_map(|message| message[HEAD..].par_chunks(TASK * bytes));
        tasks.for_each(|items| {
            for some in items.chunks(TOGETHER * bytes) {
                let mut told = [0; TOGETHER];
                let told = &mut told[..some.len() / bytes];
                told.iter_mut()
                    .zip(some.chunks(bytes))
                    .for_each(|(told, item)| *told = self.item_width.read(item));
                if told.iter().any(|item| item >> 1 >= size) {
                    self.children.fault.blame(|| "a process was told of numbers that it has not".into());
                    continue;
                }
                table.fetch(told.iter().map(|item| item >> 1));
                told.iter().for_each(|item| table.tell::<G>(item >> 1, item & 1 != 0, step));
            }
        });
    }
}

/// How a process is.
fn status<C: table::Word>(table: &Notes<C>, more: bool) -> Status {
    Status {
        more,
        narrow: table.narrow.load(Relaxed),
        ties: table.ties.load(Relaxed),
        furthest: table.furthest.load(Relaxed) as u16,
    }
}

/// The forward pass.
struct Forward<'a, 'b, 'c, G: Unmove, C: table::Word> {
    backward: &'a Backward<'b, 'c, G>,
    table: &'a Notes<C>,
    first: u64,
    positions: u64,
}

/// What is kept of a position until the codes of its moves come.
struct Seen {
    number: u64,
    leaves: u32,
    inside: u16,
    over: Option<Outcome>,
}

/// Asks for what leaves, and keeps the rest.
struct Look<'a, 'b, G: Unmove> {
    children: &'a Children<'b, G, Remoteness>,
    lookups: &'a mut Lookups,
    memo: &'a mut Vec<Seen>,
    leaves: u32,
}

impl<G: Unmove> Sight<G> for Look<'_, '_, G> {
    #[inline]
    fn leaves(&mut self, child: G::Position) {
        self.leaves += 1;
        self.children.ask(child, self.lookups);
    }

    #[inline]
    fn seen(&mut self, number: u64, over: Option<Outcome>, inside: usize) {
        let leaves = std::mem::take(&mut self.leaves);
        let inside = u16::try_from(inside).unwrap_or(u16::MAX);
        self.memo.push(Seen { number, leaves, inside, over });
    }
}

impl<G: Unmove, C: table::Word> Work<G, Remoteness> for Forward<'_, '_, '_, G, C> {
    type Memo = Vec<Seen>;
    type Result = u64;

    fn ask(&self, range: Range<u64>, memo: &mut Vec<Seen>, lookups: &mut Lookups) {
        let job = self.backward.job;
        let mut look = Look { children: self.backward.children, lookups, memo, leaves: 0 };
        job.game.outlook(job.tier, &job.index, range, &mut look);
    }

    fn hear(&self, part: &[Range<u64>], memo: &Vec<Seen>, mut answers: Answers<'_, G, Remoteness>) -> u64 {
        let fault = &self.backward.children.fault;
        for seen in memo {
            let mut best = Code::UNKNOWN;
            for _ in 0..seen.leaves {
                let code = answers.next();
                if code == Code::UNKNOWN {
                    fault.blame(|| format!("a move of number {} leads to a hole", seen.number));
                }
                best = best.min(crate::forward::seen::<G>(code));
            }
            let i = seen.number - self.first;
            self.table.take_in::<G>(i, seen.over, seen.inside.into(), best, fault);
        }
        let many: u64 = part.iter().map(|range| range.end - range.start).sum();
        self.backward.job.watch.advance(many / 2);
        memo.len() as u64
    }

    fn keep(&mut self, _: &[Range<u64>], positions: u64) {
        self.positions += positions;
    }

    fn narrow(&self) -> bool {
        self.table.narrow.load(Relaxed)
    }
}
