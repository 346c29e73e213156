//! The layout by what stands on parts of the board, and the engine that solves its tiers.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use zermelo_core::{
    AskError, Audit, BoardFiles, Checked, Code, Count, Effort, Engine, EngineError, Filing, Job, Limits,
    Made, Marked, Need, Packed, Perft, Placing, Position, Reachability, Reached, Remoteness, Solved, Spill,
    Tables, Takes, Tallied, Tier, TierGraph, Unpoisoned, Value, Watch, laws::list_moves, own,
};

use super::backward::Backward;
use super::board::Board;
use super::cut::{Cut, Near};
use super::forward::{Forward, Marks};
use super::mirror::Image;
use super::numbering::Numbering;
use super::slab::Half;
use super::solved::Slab;
use super::tally::{self, Tally};
use crate::isa::{Isa, dispatch};
use crate::layout::{Layout, Opens, TurnPosition};
use crate::perft::perft;
use crate::spill::unreadable;
use crate::verify;

/// The engine for games in which a placed stone never moves ([`Placing`]): it works on whole lists of positions, many
/// positions with each instruction.
pub struct Lattice<G>(Arc<LatticeTiers<G>>);

/// The layout of a game in which a placed stone never moves: a tier is what stands on the first files of the board.
pub struct LatticeTiers<G> {
    pub(super) game: G,
    isa: Isa,
    pub(super) cut: Arc<Cut>,
    /// What the database keeps.
    pub(super) numbering: Arc<Numbering>,
    /// The kernels' tables, made when a tier is first solved.
    board: OnceLock<Arc<Board>>,
    /// For tiers that have been looked through, and each player to move: the words of one plane of all lists.
    pub(super) words: Mutex<HashMap<Tier, [usize; 2]>>,
}

/// Runs a kernel whose number of planes is known at compile time.
macro_rules! with_planes {
    ($planes:expr, $P:ident => $run:expr) => {
        match $planes {
            1 => with_planes!(@ 1, $P => $run),
            2 => with_planes!(@ 2, $P => $run),
            3 => with_planes!(@ 3, $P => $run),
            4 => with_planes!(@ 4, $P => $run),
            5 => with_planes!(@ 5, $P => $run),
            _ => with_planes!(@ 6, $P => $run),
        }
    };
    (@ $n:literal, $P:ident => $run:expr) => {{
        const $P: usize = $n;
        $run
    }};
}

pub(super) use with_planes;

/// The most planes there is a kernel for.
const MOST_PLANES: usize = 6;

/// About how many nanoseconds a core takes for each entry that is to be solved, and to store each number.
const NANOSECONDS: Effort = Effort { discover: 2, solve: 4, store: 4 };

/// What a search may take for a position with too many stones to be kept: far more than it does.
const LATE: Limits = Limits { time: Duration::from_secs(20), memory: 64 << 20 };

impl<G: Placing> LatticeTiers<G> {
    /// Lays a game out with given files and a given instruction set, in place of the game's own files and the best
    /// instruction set; `None` where the files do not fit the game.
    pub fn of(game: G, layout: BoardFiles, isa: Isa) -> Option<Self> {
        let late = game.late();
        Self::cut(game, Cut::new(layout, late)?, isa)
    }

    /// Lays a game out as [`LatticeTiers::of`], with a database that has no positions of more than `stones` stones:
    /// these are searched when they are asked for.
    pub fn storing(game: G, layout: BoardFiles, isa: Isa, stones: u32) -> Option<Self> {
        Self::cut(game, Cut { kept: Some(stones), ..Cut::new(layout, None)? }, isa)
    }

    fn cut(game: G, cut: Cut, isa: Isa) -> Option<Self> {
        let cut = Arc::new(Some(cut).filter(|cut| cut.ends.planes <= MOST_PLANES)?);
        let numbering = Arc::new(Numbering::new(cut.clone(), cut.kept));
        Some(LatticeTiers { game, isa, cut, numbering, board: OnceLock::new(), words: Mutex::default() })
    }

    pub(super) fn kernels(&self) -> &Arc<Board> {
        self.board.get_or_init(|| Arc::new(Board::new(self.cut.clone())))
    }

    /// The lists of neighbours as a tier sees them: mirrored, where they are mirror images.
    fn images<'a>(
        &self,
        near: &[Near],
        halves: &[&'a Half],
        turn: fn(&Near) -> usize,
        planes: usize,
    ) -> Vec<Option<Half>> {
        let image = |(near, half): (&Near, &&'a Half)| {
            let image = Image { board: self.kernels(), tier: near.tier, turn: turn(near), half, planes };
            near.mirrored.then(|| dispatch(self.isa, image))
        };
        near.iter().zip(halves).map(image).collect()
    }

    /// The code of a position that is kept in a table.
    fn kept(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        let stones = p.pack();
        let Some((tier, number)) = self.numbering.locate(stones) else { return Ok(None) };
        let Some((raw, _)) = tables.look(tier, number)? else { return Ok(None) };
        let ply = (stones[0] | stones[1]).count_ones();
        // What a short look tells is never stored; a table that says so is false.
        let left_out = self.cut.ends.soon(ply).contains(&Some(raw.into()));
        let value = self.cut.ends.value(ply, raw.into()).filter(|_| !left_out);
        Ok(value.and_then(Code::of))
    }

    fn position_of(&self, tier: Tier, number: u64) -> Option<G::Position> {
        let [first, second] = self.numbering.stones(&self.numbering.files(tier, number)?);
        Some(G::Position::unpack([first, second]))
    }

    fn show(&self, Position { turn, packed }: Position) -> String {
        self.game.show(turn, G::Position::unpack(packed))
    }

    fn counts(&self, tier: Tier, tally: &Tally, marks: &Marks) -> Option<Vec<Count>> {
        // Of two mirror images each counts half; a position that is its own counts whole.
        let (mirror, many) = (self.cut.layout.mirror, self.cut.stands_for(tier));
        let twice = |all: u64, even: u64| if mirror { all + even } else { 2 * all };
        let mut counts = vec![];
        for (i, all) in tally.all.iter().enumerate().filter(|(_, all)| **all > 0) {
            let ply = i / tally.codes;
            counts.push(Count {
                value: self.cut.ends.value(ply as u32, (i % tally.codes) as u32)?,
                positions: many * *all,
                twice_canonical: twice(many * *all, tally.even[i]),
                ply: Some(ply as u16),
                example: tally.example[i].and_then(|at| self.example(tier, ply, at)).map(|p| self.show(p)),
            });
        }
        for (ply, over) in marks.over.iter().enumerate().filter(|(_, over)| **over > 0) {
            counts.push(Count {
                value: Value::Lose(0),
                positions: many * *over,
                twice_canonical: twice(many * *over, marks.over_even[ply]),
                ply: Some(ply as u16),
                example: None,
            });
        }
        Some(counts)
    }

    /// Counts the reached positions of a solved tier by value.
    fn count(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Tallied {
        let (board, slab) = (self.kernels(), own::<Slab>(solved, tier).ok());
        let marks = own::<Reach>(here, tier).ok().and_then(|reach| reach.marks.get());
        let halves = slab.and_then(|slab| Some([&**slab.halves[0].as_ref()?, &**slab.halves[1].as_ref()?]));
        let (Some(marks), Some(halves), Some(begin)) = (marks, halves, board.beginning(tier)) else {
            return Err(alien(tier));
        };
        let isa = self.isa;
        let tally = with_planes!(board.ends.planes, P => {
            dispatch(isa, tally::Count::<P> { board, begin, halves, marks })
        });
        let fault = || EngineError::BadGame { tier, fault: "a reached position has no value".into() };
        self.counts(tier, &tally, marks).ok_or_else(fault)
    }

    /// How much there is to do for a tier.
    fn effort_of(&self, tier: Tier) -> Effort {
        let live = self.live_entries(tier).max(1);
        let Effort { discover, solve, store } = NANOSECONDS;
        Effort { discover: live * discover, solve: live * solve, store: self.size(tier) * store }
    }
}

/// Reached positions of a tier, once they are known.
struct Reach {
    board: Arc<Board>,
    tier: Tier,
    start: bool,
    marks: OnceLock<Marks>,
}

impl Reached for Reach {
    fn bytes(&self) -> u64 {
        self.marks.get().map_or(0, |marks| marks.halves.iter().map(Half::bytes).sum())
    }

    fn spill(&self) -> Option<Spill<'_>> {
        Some(self.marks.get()?.spill(&self.board, self.tier))
    }
}

/// Who is to move where a tier's positions lead with that stone.
pub(super) fn other_turn(near: &Near) -> usize {
    1 - near.colour
}

/// Who is to move where a tier's positions come from with that stone.
pub(super) fn same_turn(near: &Near) -> usize {
    near.colour
}

/// The lists of neighbours, or their mirror images where there are any, with the colour of the stone between.
fn seen<'a>(near: &[Near], halves: &[&'a Half], images: &'a [Option<Half>]) -> Vec<(usize, &'a Half)> {
    let all = near.iter().zip(halves).zip(images);
    all.map(|((near, half), image)| (near.colour, image.as_ref().unwrap_or(half))).collect()
}

fn alien(tier: Tier) -> EngineError {
    EngineError::BadGame { tier, fault: "the tier below was solved by another engine".into() }
}

impl<G: Placing> Layout for LatticeTiers<G> {
    type Game = G;
    type Objective = Remoteness;

    /// The layout of a game from its start; `None` for any other position to solve from.
    fn new(game: G, from: Option<TurnPosition<G>>) -> Option<Self> {
        let files = game.layout().filter(|_| from.is_none())?;
        LatticeTiers::of(game, files, Isa::best())
    }

    fn game(&self) -> &G {
        &self.game
    }

    fn from(&self) -> Option<TurnPosition<G>> {
        None
    }

    /// The code of a position: by a short look, by a search where there are too many stones, from a table, or from
    /// the positions its moves lead to where it is not kept.
    fn code(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        if let Some(value) = self.game.soon(p) {
            return Ok(Code::of(value));
        }
        let [own, other] = p.pack();
        if self.cut.kept.is_some_and(|most| (own | other).count_ones() > most) {
            if tables.warm() {
                return Err(AskError::Cold);
            }
            return Ok(self.game.own_search(p, LATE).flatten().and_then(Code::of));
        }
        if own.count_ones() == other.count_ones() {
            return self.kept(p, tables);
        }
        let mut best = Code::UNKNOWN;
        for (_, child) in list_moves(&self.game, p) {
            match self.code(child, tables)? {
                Some(code) => best = best.min(code),
                None => return Ok(None),
            }
        }
        Ok(best.parent())
    }
}

impl<G: Placing> TierGraph for LatticeTiers<G> {
    fn filing(&self) -> Filing {
        // Large blocks: lists of neighbouring shards are alike. Most are told as runs; then level 7 is 5 times
        // faster than 15 for 4% more bytes.
        Filing {
            name: if self.cut.kept.is_some() { "folded-few" } else { "folded" },
            block_entries: Some(1 << 16),
            level: Some(7),
            by_tier: false,
            marked: false,
        }
    }

    fn root(&self) -> Tier {
        Tier(0)
    }

    fn children(&self, tier: Tier) -> Vec<Tier> {
        let mut tiers = vec![];
        for near in self.cut.below(tier) {
            if !tiers.contains(&near.tier) {
                tiers.push(near.tier);
            }
        }
        tiers
    }

    fn name(&self, tier: Tier) -> String {
        self.cut.name(tier).unwrap_or_else(|| tier.to_string())
    }

    fn size(&self, tier: Tier) -> u64 {
        self.numbering.size(tier).max(1)
    }

    fn index_bytes(&self) -> u64 {
        self.cut.table_bytes()
    }
}

impl<G: Placing> Reachability for LatticeTiers<G> {
    fn whole(&self) -> bool {
        true
    }

    fn bytes(&self, tier: Tier) -> u64 {
        self.marks_need(tier)
    }

    fn empty(&self, tier: Tier, start: bool) -> Marked {
        Arc::new(Reach { board: self.kernels().clone(), tier, start, marks: OnceLock::new() })
    }

    fn discover(
        &self,
        tier: Tier,
        here: &dyn Reached,
        above: &[(Tier, Marked)],
        _: &[Marked],
        watch: &dyn Watch,
    ) {
        let (board, Some(here)) = (self.kernels(), own::<Reach>(here, tier).ok()) else { return };
        let Some(begin) = board.beginning(tier) else { return };
        let near: Vec<Near> = board.above(tier);
        let half = |near: &Near| {
            let (_, reach) = above.iter().find(|(t, _)| *t == near.tier)?;
            Some(&own::<Reach>(&**reach, tier).ok()?.marks.get()?.halves[near.colour])
        };
        // Tiers that nobody reaches are not there.
        let (near, halves): (Vec<Near>, Vec<&Half>) =
            near.into_iter().filter_map(|near| half(&near).map(|half| (near, half))).unzip();
        let images = self.images(&near, &halves, same_turn, 1);
        let above = seen(&near, &halves, &images);
        let found = dispatch(self.isa, Forward { board, begin, start: here.start, above: &above });
        self.words.lock().unpoisoned().insert(tier, found.words);
        // The first marks stay, should anyone mark the tier twice.
        let _ = here.marks.set(found.marks);
        watch.advance(self.effort_of(tier).discover);
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Result<Marked, EngineError> {
        let board = self.kernels().clone();
        let marks = Marks::restore(&board, tier, spilled).map_err(unreadable(tier))?;
        Ok(Arc::new(Reach { board, tier, start: false, marks: OnceLock::from(marks) }))
    }
}

impl<G: Placing> Audit for LatticeTiers<G> {
    fn position(&self, tier: Tier, rank: u64) -> Option<[u64; 2]> {
        Some(self.position_of(tier, rank)?.pack())
    }

    fn verify_one(&self, tier: Tier, rank: u64, tables: &dyn Tables) -> Result<Checked, AskError> {
        let mut checked = Checked::default();
        let Some(p) = self.position_of(tier, rank) else { return Ok(checked) };
        checked.checked = 1;
        if self.game.soon(p).is_some() {
            return Ok(checked);
        }
        let mut best = Code::UNKNOWN;
        for (_, child) in list_moves(&self.game, p) {
            // A child without a value is blamed where it is kept.
            best = best.min(self.code(child, tables)?.unwrap_or(Code::UNKNOWN));
        }
        let (found, want) = (self.kept(p, tables)?, best.parent());
        if found.is_none() || found != want {
            let found = found.unwrap_or(Code::UNKNOWN);
            checked.blame(verify::wrong::<G, Remoteness>(&self.game, p, found, want));
        }
        Ok(checked)
    }

    fn perft(&self, plies: u32) -> Perft {
        perft(&self.game, plies)
    }
}

impl<G: Placing> Opens for Lattice<G> {
    type Layout = LatticeTiers<G>;
    const TAKES: Takes = Takes { by_position: false, ..Takes::new("lattice") };

    fn open(tiers: &Arc<Self::Layout>) -> Option<Self> {
        Some(Lattice(tiers.clone()))
    }
}

impl<G: Placing> Engine for Lattice<G> {
    fn need(&self, tier: Tier) -> Need {
        self.0.needs(tier)
    }

    fn effort(&self, tier: Tier, _: u64) -> Effort {
        self.0.effort_of(tier)
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        let (tiers, tier) = (&*self.0, job.tier);
        let board = tiers.kernels();
        let (near, places) = (tiers.cut.below(tier), tiers.children(tier));
        let half = |near: &Near| {
            let child = job.children.get(places.iter().position(|tier| *tier == near.tier)?)?;
            own::<Slab>(&**child, tier).ok()?.halves[other_turn(near)].as_deref()
        };
        let halves: Option<Vec<&Half>> = near.iter().map(half).collect();
        let halves = halves.ok_or_else(|| alien(tier))?;
        let images = tiers.images(&near, &halves, other_turn, board.ends.planes);
        let below = seen(&near, &halves, &images);
        let begin = board.beginning(tier).ok_or_else(|| alien(tier))?;
        let planes = board.ends.planes;
        let marks = job.reached.and_then(|reached| own::<Reach>(reached, tier).ok()?.marks.get());
        let reached = marks.map(|marks| marks.halves.each_ref());
        let (below, isa) = (&below[..], tiers.isa);
        let halves = with_planes!(planes, P => dispatch(isa, Backward::<P> { board, begin, below, reached }));
        job.watch.advance(tiers.effort_of(tier).solve);
        let halves = halves.map(|half| Some(Arc::new(half)));
        Ok(Arc::new(Slab { isa, board: board.clone(), numbering: tiers.numbering.clone(), tier, halves }))
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        let slab =
            Slab::restore(self.0.isa, self.0.kernels().clone(), self.0.numbering.clone(), tier, spilled);
        Ok(Arc::new(slab.map_err(unreadable(tier))?))
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Option<Tallied> {
        Some(self.0.count(tier, here, solved))
    }

    fn sample(
        &self,
        tier: Tier,
        here: &dyn Reached,
        solved: &dyn Solved,
        draw: u64,
    ) -> Option<(Position, Value)> {
        let marks = own::<Reach>(here, tier).ok()?.marks.get()?;
        self.0.draw(tier, marks, own(solved, tier).ok()?, draw)
    }
}
