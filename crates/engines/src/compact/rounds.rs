//! The distances, one after another: positions of a distance tell those that lead to them, and flagged ones look forward.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use zermelo_core::{Code, Unmove, Value};

use super::Work;
use super::lanes::{FAR, FAR_TIE, FLAG, HOLE, OPEN};
use super::state::{Phase, Place};
use crate::forward::seen;
use crate::parallel;

/// Numbers that a task looks at for those of a distance.
const CHUNK: usize = 1 << 15;
/// Cells that are read together before one is changed: the processor then waits for many of them at once.
const TOGETHER: usize = 512;

/// A distance, and what its positions tell those that lead to them.
struct Step {
    ties: bool,
    /// Who tells of a move to be made.
    good: Option<u16>,
    /// The code of making it; `None` where it is too long to be written.
    code: Option<Code>,
    /// Who tells of a move that loses.
    bad: Option<u16>,
}

impl<G: Unmove, const BITS: u32> Work<'_, G, BITS> {
    /// Works on so many numbers, a multiple of eight, and says how far it has come.
    pub(super) fn piece(&self, place: Place, numbers: u64) -> Place {
        let size = self.lanes.size();
        let end = size.min(place.at + numbers);
        let range = place.at..end;
        let did = match place.phase {
            Phase::Forward => {
                self.forward(range);
                true
            }
            Phase::Tell => self.tell(range, self.decided(place.d)),
            Phase::Check => self.check(range, place.d),
            Phase::Tie => self.tell(range, self.tied(place.d)),
            Phase::End => false,
        };
        if did && end < size { Place { at: end, ..place } } else { self.next(place) }
    }

    /// What comes after a phase.
    fn next(&self, Place { phase, d, .. }: Place) -> Place {
        let further = d + 1 < self.lanes.furthest(phase == Phase::Tie);
        let (phase, d) = match phase {
            Phase::Forward => (Phase::Tell, 0),
            Phase::Tell => (Phase::Check, d),
            Phase::Check if further => (Phase::Tell, d + 1),
            Phase::Check => (Phase::Tie, 0),
            Phase::Tie if further => (Phase::Tie, d + 1),
            Phase::Tie | Phase::End => (Phase::End, 0),
        };
        Place { phase, d, at: 0 }
    }

    /// Wins and losses of a distance.
    fn decided(&self, d: u32) -> Step {
        let r = d as u16;
        let (lost, won) = (self.lanes.known(Value::Lose(r)), self.lanes.known(Value::Win(r)));
        let (good, bad) = if G::ALONE { (won, lost) } else { (lost, won) };
        // Who can end the game at once has a code, and whatever was known before the first check needs no telling.
        let good = good.filter(|_| d > 0 || !G::FORESEES);
        let bad = bad.filter(|_| d > self.known_at_first());
        Self::step(false, good, bad, Value::Win(r + 1))
    }

    /// Ties of a distance.
    fn tied(&self, d: u32) -> Step {
        let r = d as u16;
        Self::step(true, self.lanes.known(Value::Tie(r)), None, Value::Tie(r + 1))
    }

    fn step(ties: bool, good: Option<u16>, bad: Option<u16>, value: Value) -> Step {
        Step { ties, good, code: Code::of(value), bad }
    }

    /// The cell of a position that makes the move a step tells of. Its code gets a name when the first position has it:
    /// a name that no cell has would make another round.
    #[inline]
    fn cell_after(&self, step: &Step) -> u16 {
        match step.code {
            Some(code) => self.cell(code),
            None if step.ties => FAR_TIE,
            None => FAR,
        }
    }

    /// The first check knows all wins in so many moves; in a puzzle losses.
    fn known_at_first(&self) -> u32 {
        if G::ALONE { 0 } else { 1 }
    }

    /// Has the positions of a distance tell those that lead to them; whether there can be any.
    fn tell(&self, range: Range<u64>, step: Step) -> bool {
        let Some(wanted) = step.good.or(step.bad) else { return false };
        let (from, wanted) = (range.start, [wanted, step.bad.unwrap_or(wanted)]);
        parallel::over(range.end - from, CHUNK, &|part| {
            let (mut good, mut bad) = (vec![], vec![]);
            self.lanes.find(from + part.start..from + part.end, wanted, |i, cell| {
                let is_good = Some(cell) == step.good;
                let list = if is_good { &mut good } else { &mut bad };
                self.sources(i, list);
                if list.len() >= TOGETHER {
                    if is_good { self.improve(list, &step) } else { self.flag(list) }
                }
            });
            self.improve(&mut good, &step);
            self.flag(&mut bad);
        });
        true
    }

    /// Appends the numbers with a move to a number.
    #[inline]
    fn sources(&self, i: u64, list: &mut Vec<u64>) {
        let (game, index) = (self.job.game, &*self.job.index);
        if let Some(p) = game.unrank(index, i) {
            game.unmoves(p, |q| list.push(game.rank(index, q)));
        }
    }

    /// Reads cells, all before one is changed.
    #[inline]
    fn fetch(&self, list: &[u64]) {
        std::hint::black_box(list.iter().fold(0, |all, i| all ^ self.lanes.get(*i)));
    }

    /// Gives the code of a step to all numbers of a list that have none as good.
    fn improve(&self, list: &mut Vec<u64>, step: &Step) {
        self.fetch(list);
        for i in list.drain(..) {
            self.lanes.change(i, |cell| self.gains(cell, step).then(|| self.cell_after(step)));
        }
    }

    /// Whether the code of a step is better than a cell.
    #[inline]
    fn gains(&self, cell: u16, step: &Step) -> bool {
        match cell {
            HOLE => false,
            OPEN | FLAG => true,
            FAR => !step.ties && step.code.is_some(),
            FAR_TIE => !step.ties || step.code.is_some(),
            _ => {
                let (has, now) = (self.lanes.code_of(cell), step.code);
                match step.ties {
                    true => has == Code::DRAW || has.is_tie() && now.is_some_and(|now| now < has),
                    // Who has a tie without a move is over.
                    false if has.is_tie() => has != Code::TIED,
                    // Of two wins the faster has the greater code.
                    false => has == Code::DRAW || has.is_win() && now.is_some_and(|now| now > has),
                }
            }
        }
    }

    /// Flags the open numbers of a list.
    fn flag(&self, list: &mut Vec<u64>) {
        self.fetch(list);
        let mut any = false;
        for i in list.drain(..) {
            any |= self.lanes.change(i, |cell| (cell == OPEN).then_some(FLAG));
        }
        if any {
            self.flagged.store(true, Relaxed);
        }
    }

    /// Has the flagged positions look forward after a distance; whether there can be any.
    fn check(&self, range: Range<u64>, d: u32) -> bool {
        if range.start == 0 && !self.flagged.swap(false, Relaxed) {
            return false;
        }
        let from = range.start;
        // Wins in no more moves than these are known.
        let least = Code::of(Value::Win(d.max(self.known_at_first()) as u16)).unwrap_or(Code::WON);
        parallel::over(range.end - from, CHUNK, &|part| {
            self.lanes.find(from + part.start..from + part.end, [FLAG; 2], |i, _| {
                let cell = match self.job.game.unrank(&self.job.index, i) {
                    Some(p) => self.cell_if_lost(p, least).unwrap_or(OPEN),
                    None => OPEN,
                };
                self.lanes.change(i, |flag| (flag == FLAG).then_some(cell));
            });
        });
        true
    }

    /// The cell of a position that has lost by now: all its moves lead to positions that are won, those inside the tier
    /// with at least this code.
    #[inline]
    fn cell_if_lost(&self, p: G::Position, least: Code) -> Option<u16> {
        let (game, index, own) = (self.job.game, &*self.job.index, self.job.tier);
        let (mut best, mut lost, mut leaves) = (Code::UNKNOWN, true, false);
        game.moves(p, |m| {
            if !lost {
                return;
            }
            let child = game.play(p, m);
            if game.tier(child) != own {
                leaves = true;
                return;
            }
            let code = self.below.fault.known(self.lanes.code(game.rank(index, child)), child);
            let code = seen::<G>(code);
            lost = code.is_win() && code >= least;
            best = best.min(code);
        });
        if lost && leaves {
            game.moves(p, |m| {
                let child = game.play(p, m);
                let tier = game.tier(child);
                if tier != own {
                    best = best.min(seen::<G>(self.below.code(tier, child)));
                }
            });
        }
        lost.then(|| best.parent().map_or(FAR, |code| self.cell(code)))
    }
}
