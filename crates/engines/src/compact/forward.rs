//! The forward pass: what the rules and the tiers below tell of each position.

use std::ops::Range;

use zermelo_core::{Code, Unmove, wins_at_once};

use super::Work;
use super::lanes::{FAR, FAR_TIE, FLAG, HOLE};
use crate::forward::seen;
use crate::{CHUNK, parallel};

/// Look-ups in tiers below that are made together: the processor then waits for many of them at once.
const TOGETHER: usize = 512;

/// Positions whose moves that leave the tier are still to be looked up.
struct Batch<P> {
    /// Where the codes of the children are.
    spots: Vec<(u32, u64)>,
    /// The codes there.
    codes: Vec<Code>,
    waiting: Vec<Waiting<P>>,
}

struct Waiting<P> {
    /// The place of the position among the numbers of the part.
    at: usize,
    p: P,
    /// Where its children end.
    end: usize,
    /// Whether a move stays in the tier.
    stays: bool,
}

impl<G: Unmove, const BITS: u32> Work<'_, G, BITS> {
    /// Fills the cells of a range that begins at a multiple of eight.
    pub(super) fn forward(&self, range: Range<u64>) {
        let from = range.start;
        parallel::over(range.end - from, CHUNK, &|part| {
            let (numbers, many) = (from + part.start..from + part.end, part.end - part.start);
            let mut cells = vec![HOLE; many as usize];
            self.look(numbers, &mut cells);
            self.lanes.write(from + part.start, &cells);
            self.job.watch.advance(many / 2);
        });
    }

    fn look(&self, numbers: Range<u64>, cells: &mut [u16]) {
        let (game, first) = (self.job.game, numbers.start);
        let mut batch = Batch { spots: vec![], codes: vec![], waiting: vec![] };
        game.scan(&self.job.index, numbers, |i, p| {
            let at = (i - first) as usize;
            if let Some(outcome) = game.outcome(p) {
                cells[at] = self.cell(outcome.code());
            } else if G::FORESEES && wins_at_once(game, p) {
                cells[at] = self.cell(Code::WIN_IN_ONE);
            } else {
                self.list(at, p, &mut batch);
                if batch.spots.len() >= TOGETHER {
                    self.look_up(&mut batch, cells);
                }
            }
        });
        self.look_up(&mut batch, cells);
    }

    /// The cell of a code. Where there is none, the pass is soon given up.
    #[inline]
    pub(super) fn cell(&self, code: Code) -> u16 {
        self.lanes.cell(code).unwrap_or(HOLE)
    }

    /// Lists the children of a position that lie in tiers below.
    #[inline]
    fn list(&self, at: usize, p: G::Position, batch: &mut Batch<G::Position>) {
        let (game, own, mut stays) = (self.job.game, self.job.tier, false);
        game.moves(p, |m| {
            let child = game.play(p, m);
            match game.tier(child) {
                tier if tier == own => stays = true,
                tier => batch.spots.extend(self.below.spot(tier, child)),
            }
        });
        batch.waiting.push(Waiting { at, p, end: batch.spots.len(), stays });
    }

    /// Looks all children up, and fills the cells of their parents.
    fn look_up(&self, batch: &mut Batch<G::Position>, cells: &mut [u16]) {
        batch.codes.clear();
        batch.codes.extend(batch.spots.iter().map(|spot| self.below.at(*spot)));
        let mut begin = 0;
        for Waiting { at, p, end, stays } in batch.waiting.drain(..) {
            let codes = &batch.codes[begin..end];
            begin = end;
            if codes.contains(&Code::UNKNOWN) {
                self.blame(p);
            }
            let best = codes.iter().fold(Code::UNKNOWN, |best, code| best.min(seen::<G>(*code)));
            if best == Code::UNKNOWN && !stays {
                self.below.fault.blame(|| format!("{p:?} is not over and has no move"));
            }
            cells[at] = self.first_cell(best, stays);
        }
        batch.spots.clear();
    }

    /// The cell of a position by the best code that its moves out of the tier lead to.
    #[inline]
    fn first_cell(&self, best: Code, stays: bool) -> u16 {
        if best == Code::UNKNOWN || best.is_win() && stays {
            return FLAG;
        }
        match best.parent() {
            Some(code) => self.cell(code),
            None if best.is_tie() => FAR_TIE,
            None => FAR,
        }
    }

    /// Says which child of a position has no code.
    #[cold]
    fn blame(&self, p: G::Position) {
        let game = self.job.game;
        game.moves(p, |m| {
            let child = game.play(p, m);
            if game.tier(child) != self.job.tier {
                self.below.code(game.tier(child), child);
            }
        });
    }
}
