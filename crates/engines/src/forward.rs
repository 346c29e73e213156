//! The forward pass of a tier whose moves can go round: everything the rules and the tiers below can tell.
//!
//! First each position by itself: games that are over, and wins in one, are settled for
//! good; they are more than half of all in Quixo and need no further work. All others
//! are marked as draws, which they stay unless the backward pass says otherwise. Then
//! each such open position again: moves that leave the tier, and moves to settled
//! positions inside it, fold into one code, the best of them; what remains are the
//! moves to other open positions, the only edges the backward pass ever walks.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};

use zermelo_core::{Code, Remoteness, Tiers, wins_at_once};

use crate::ranked::TierJob;

use crate::below::Below;
use crate::codes::Cell;
use crate::{CHUNK, parallel};

/// A cell that several threads may write, and that is written once after the forward pass.
pub(crate) trait Shared: Cell {
    type Atomic: Send + Sync;
    fn share(self) -> Self::Atomic;
    fn own(atomic: Self::Atomic) -> Self;
    fn get(atomic: &Self::Atomic) -> Self;
    fn set(atomic: &Self::Atomic, cell: Self);
    /// Writes `cell` if `old` stands there; says whether it did.
    fn replace(atomic: &Self::Atomic, old: Self, cell: Self) -> bool;
}

macro_rules! shared {
    ($int:ty, $atomic:ty) => {
        impl Shared for $int {
            type Atomic = $atomic;
            fn share(self) -> $atomic {
                self.into()
            }
            fn own(atomic: $atomic) -> $int {
                atomic.into_inner()
            }
            #[inline]
            fn get(atomic: &$atomic) -> $int {
                atomic.load(Relaxed)
            }
            #[inline]
            fn set(atomic: &$atomic, cell: $int) {
                atomic.store(cell, Relaxed)
            }
            #[inline]
            fn replace(atomic: &$atomic, old: $int, cell: $int) -> bool {
                atomic.compare_exchange(old, cell, Relaxed, Relaxed).is_ok()
            }
        }
    };
}

shared!(u8, AtomicU8);
shared!(u16, AtomicU16);

/// A distance too long for the width in use.
#[derive(Debug)]
pub(crate) struct TooNarrow;

/// A tier while it is solved.
pub(crate) struct Open<C: Shared> {
    /// The codes; open positions hold the draw.
    pub(crate) cells: Vec<C::Atomic>,
    /// The best code of what each open position can move to without an open one.
    pub(crate) best: Vec<Code>,
    /// How many moves to open positions are left.
    pub(crate) left: Vec<AtomicU16>,
    pub(crate) positions: u64,
    pub(crate) draw: C,
}

/// What the second look at one chunk found.
#[derive(Default)]
pub(crate) struct OpenMoves {
    /// All edges, those that are not kept included.
    pub(crate) edges: u64,
    /// Open positions that have a move to an open position.
    pub(crate) sources: Vec<u32>,
    /// For each source, where its edges end in `targets`.
    pub(crate) ends: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    /// Positions whose value is or may be known at a distance, where edges are kept: the number, and the
    /// code then, unless it is out of range.
    pub(crate) due: Vec<(u32, Option<Code>)>,
}

/// Which edges to keep for the backward pass.
#[derive(Clone, Copy)]
pub(crate) enum Edges<'a> {
    /// The edges of a slice, as a list; and beside the first slice what is due at a distance.
    Keep(&'a Slice),
    /// None, and no list of anything; count the different positions they lead to.
    Count,
}

/// A part of all edges, by where they lead. The numbers of a tier are cut into runs, and slices take turns at the runs,
/// so that each slice has about as many edges however these are spread over the tier.
pub(crate) struct Slice {
    /// The numbers of a run.
    pub(crate) run: u32,
    /// How many slices there are, a power of two.
    pub(crate) of: u32,
    /// The number of this slice.
    pub(crate) number: u32,
    /// More edges than these are not kept, only counted: there is no memory for them.
    pub(crate) most: u64,
    /// Edges of the slice that were met so far.
    pub(crate) met: AtomicU64,
}

impl Slice {
    /// Whether an edge to there belongs to the slice.
    #[inline]
    fn has(&self, target: u32) -> bool {
        (target / self.run) & (self.of - 1) == self.number
    }

    /// Lets go of the edges from a place on that belong to other slices.
    #[inline]
    fn sift(&self, targets: &mut Vec<u32>, begin: usize) {
        if self.of == 1 {
            return;
        }
        let mut end = begin;
        for at in begin..targets.len() {
            let target = targets[at];
            if self.has(target) {
                targets[end] = target;
                end += 1;
            }
        }
        targets.truncate(end);
    }

    /// Frees what the lists of a chunk do not use, and the edges if there are too many.
    fn trim(&self, found: &mut OpenMoves) {
        let many = found.targets.len() as u64;
        if self.met.fetch_add(many, Relaxed) + many > self.most {
            (found.sources, found.ends, found.targets) = (vec![], vec![], vec![]);
        }
        found.due.shrink_to_fit();
        found.sources.shrink_to_fit();
        found.ends.shrink_to_fit();
        found.targets.shrink_to_fit();
    }
}

/// Settles what needs no search.
pub(crate) fn first_look<G: Tiers, C: Shared>(job: &TierJob<'_, G>) -> Result<Open<C>, TooNarrow> {
    let game = job.game;
    let size = game.size(job.tier) as usize;
    let pack = |code| C::pack::<G, Remoteness>(code).ok_or(TooNarrow);
    let (draw, win) = (pack(Code::DRAW)?, pack(Code::WIN_IN_ONE)?);
    let mut cells = vec![C::UNKNOWN; size];
    let counts = parallel::within(&mut cells, CHUNK, &|first, chunk: &mut [C]| {
        let mut positions = 0;
        game.scan(&job.index, first..first + chunk.len() as u64, |i, p| {
            let cell = match game.outcome(p) {
                Some(outcome) => C::pack::<G, Remoteness>(outcome.code()),
                None if G::FORESEES && wins_at_once(game, p) => Some(win),
                None => Some(draw),
            };
            chunk[(i - first) as usize] = cell.unwrap_or(draw);
            positions += 1;
        });
        job.watch.advance(chunk.len() as u64 / 2);
        positions
    });
    let positions = counts.into_iter().sum();
    Ok(Open {
        cells: cells.into_iter().map(C::share).collect(),
        best: vec![Code::UNKNOWN; size],
        left: std::iter::repeat_with(|| AtomicU16::new(0)).take(size).collect(),
        positions,
        draw,
    })
}

/// Folds what is known and finds the edges between open positions, chunk by chunk.
pub(crate) fn second_look<G: Tiers, C: Shared>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, Remoteness>,
    open: &mut Open<C>,
    edges: Edges<'_>,
) -> Vec<OpenMoves> {
    let Open { cells, best, left, draw, .. } = open;
    let (cells, left, draw) = (&*cells, &*left, *draw);
    let slice = if let Edges::Keep(slice) = edges { Some(slice) } else { None };
    let first = slice.is_none_or(|slice| slice.number == 0);
    parallel::within(best, CHUNK, &|from, best: &mut [Code]| {
        let mut found = OpenMoves::default();
        job.game.scan(&job.index, from..from + best.len() as u64, |i, p| {
            if C::get(&cells[i as usize]) != draw {
                return;
            }
            let begin = found.targets.len();
            let folded = fold::<G, C>(job, below, cells, draw, p, &mut found.targets);
            if slice.is_none() {
                found.targets[begin..].sort_unstable();
                found.targets.dedup();
            }
            // Nothing is better than to win at once, whatever becomes of the other moves.
            if folded == Code::LOST {
                found.targets.truncate(begin);
            }
            let count = found.targets.len() - begin;
            found.edges += count as u64;
            best[(i - from) as usize] = folded;
            left[i as usize].store(count.min(u16::MAX as usize) as u16, Relaxed);
            // A way to win or to tie may be overtaken by a shorter one, but stands otherwise; a
            // loss stands only when no open move is left.
            if folded.is_lose() || folded.is_tie() || (folded.is_win() && count == 0) {
                if slice.is_some() && first {
                    found.due.push((i as u32, folded.parent()));
                }
            } else if folded == Code::UNKNOWN && count == 0 {
                below.fault.blame(|| format!("{p:?} is not over and has no move"));
            } else if count > usize::from(u16::MAX) {
                below.fault.blame(|| format!("{p:?} has more than 65,535 moves"));
            }
            let Some(slice) = slice else { return found.targets.truncate(begin) };
            slice.sift(&mut found.targets, begin);
            if found.targets.len() > begin {
                found.sources.push(i as u32);
                found.ends.push(found.targets.len() as u32);
            }
        });
        slice.inspect(|slice| slice.trim(&mut found));
        if first {
            job.watch.advance(best.len().div_ceil(2) as u64);
        }
        found
    })
}

/// The code of a child as the opponent of the player who made the move sees it, which is what [`Code::parent`] takes.
/// In a game for two the opponent moves in the child, so this is the child's code. In a puzzle the same player moves
/// again, so the code changes sides.
#[inline]
pub(crate) fn seen<G: Tiers>(code: Code) -> Code {
    const { assert!(!G::AGAIN || G::ALONE, "values go back along moves that change the turn") };
    if G::ALONE { code.other() } else { code }
}

/// The best code among the moves of an open position that do not lead to open ones; the
/// numbers of the open ones are appended.
#[inline]
pub(crate) fn fold<G: Tiers, C: Shared>(
    job: &TierJob<'_, G>,
    below: &Below<'_, G, Remoteness>,
    cells: &[C::Atomic],
    draw: C,
    p: G::Position,
    open: &mut Vec<u32>,
) -> Code {
    let game = job.game;
    let mut folded = Code::UNKNOWN;
    game.moves(p, |m| {
        let child = game.play(p, m);
        let tier = game.tier(child);
        if tier != job.tier {
            folded = folded.min(seen::<G>(below.code(tier, child)));
            return;
        }
        let rank = game.rank(&job.index, child);
        match C::get(&cells[rank as usize]) {
            cell if cell == draw => open.push(rank as u32),
            cell => {
                let code = below.fault.known(cell.unpack::<G, Remoteness>(), child);
                folded = folded.min(seen::<G>(code));
            }
        }
    });
    folded
}
