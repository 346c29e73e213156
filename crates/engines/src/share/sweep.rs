//! Tiers that every move leaves, in one pass: ask for all children of a batch, then look at its
//! moves again and fold the answers in the same order.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use zermelo_core::{EngineError, Made, Need, Objective, Shares, Solved, Tier, Tiers};

use super::ask::{Work, ask_all};
use super::children::{Answers, Children, Lookups};
use super::group::{Group, Status, together};
use super::outbox::Limits;
use super::{below_bytes, wide_below};
use crate::codes::{Cell, Codes};
use crate::ranked::ShareJob;
use crate::sweep::value;

/// Two bytes a number where one will not do.
fn bytes(share: u64) -> u64 {
    share.saturating_mul(2)
}

/// Bytes for each process.
pub(crate) fn need<G: Tiers>(game: &G, tier: Tier, peers: usize, block: u64) -> Need {
    super::need(game, tier, peers, block, |share| (bytes(share), bytes(share)))
}

/// Solves a tier that every move leaves.
pub(crate) fn solve<G: Tiers, O: Objective<G>>(job: &ShareJob<'_, G>) -> Made {
    together(job.peers, job.tier, |group| {
        let shares = Shares::new(job.game.size(job.tier), group.count(), job.block);
        let fixed = bytes(shares.largest()).saturating_add(below_bytes(job));
        if wide_below(job) && job.memory < fixed.saturating_add(Limits::least()) {
            return Err(EngineError::LongLines(job.tier, fixed.saturating_add(Limits::least())));
        }
        let limits = Limits::new(job.memory.saturating_sub(fixed), group.count());
        let children = Children::<G, O>::load(job)?;
        let range = shares.range(group.here());
        let done = match pass::<G, O, u8>(job, group, &children, range.clone(), limits)? {
            None => pass::<G, O, u16>(job, group, &children, range, limits)?,
            done => done,
        };
        done.ok_or(EngineError::OutOfRange(job.tier))
    })
}

/// One pass; `None` where some process finds the cells too narrow.
fn pass<G: Tiers, O: Objective<G>, C: Cell>(
    job: &ShareJob<'_, G>,
    group: &Group<'_>,
    children: &Children<'_, G, O>,
    range: Range<u64>,
    limits: Limits,
) -> Result<Option<Arc<dyn Solved>>, EngineError> {
    let cells = vec![C::UNKNOWN; (range.end - range.start) as usize];
    let narrow = AtomicBool::new(false);
    let mut sweep = Sweep { job, children, first: range.start, cells, positions: 0, narrow };
    ask_all(group, children, &mut sweep, range, limits)?;
    children.fault.check()?;
    let status = Status { narrow: sweep.narrow.load(Relaxed), ..Status::default() };
    if group.agree(status)?.narrow {
        return Ok(None);
    }
    Ok(Some(Codes::<G, O>::new(C::wrap(sweep.cells), sweep.positions)))
}

struct Sweep<'a, 'b, G: Tiers, O, C> {
    job: &'a ShareJob<'b, G>,
    children: &'a Children<'b, G, O>,
    /// The first number of the share.
    first: u64,
    cells: Vec<C>,
    positions: u64,
    narrow: AtomicBool,
}

impl<G: Tiers, O: Objective<G>, C: Cell> Work<G, O> for Sweep<'_, '_, G, O, C> {
    type Memo = ();
    /// The cells of all ranges, one after another, and how many are positions.
    type Result = (Vec<C>, u64);

    fn ask(&self, range: Range<u64>, _: &mut (), lookups: &mut Lookups) {
        let game = self.job.game;
        game.scan(&self.job.index, range, |_, p| {
            if game.outcome(p).is_none() {
                game.moves(p, |m| self.children.ask(game.play(p, m), lookups));
            }
        });
    }

    fn hear(&self, part: &[Range<u64>], _: &(), mut answers: Answers<'_, G, O>) -> (Vec<C>, u64) {
        let (game, fault) = (self.job.game, &self.children.fault);
        let (mut cells, mut positions) = (vec![], 0);
        for range in part {
            let from = cells.len();
            cells.resize(from + (range.end - range.start) as usize, C::UNKNOWN);
            game.scan(&self.job.index, range.clone(), |i, p| {
                let code = value::<G, O>(game, fault, p, |child| fault.known(answers.next(), child));
                match code.and_then(C::pack::<G, O>) {
                    Some(cell) => cells[from + (i - range.start) as usize] = cell,
                    None => self.narrow.store(true, Relaxed),
                }
                positions += 1;
            });
            self.job.watch.advance(range.end - range.start);
        }
        (cells, positions)
    }

    fn keep(&mut self, part: &[Range<u64>], (mut cells, positions): (Vec<C>, u64)) {
        self.positions += positions;
        let mut rest = &mut cells[..];
        for range in part {
            let (start, end) = ((range.start - self.first) as usize, (range.end - self.first) as usize);
            let (own, others) = std::mem::take(&mut rest).split_at_mut(end - start);
            self.cells[start..end].copy_from_slice(own);
            rest = others;
        }
    }

    fn narrow(&self) -> bool {
        self.narrow.load(Relaxed)
    }
}
