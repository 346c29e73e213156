//! Where types end: one game of placing stones and this engine behind [`AnyGame`].

use std::any::Any;
use std::sync::{Arc, OnceLock};

use zermelo_core::{
    AnyGame, AskError, Board as Picture, Card, Checked, Code, Complaint, Count, EngineError, Filing, Layout,
    Limits, Need, Options, Packed, Perft, Placing, Reached, Remoteness, Report, Solved, Tables, Tier, Turn,
    Unit, Value, Watch, laws::list_moves,
};

use super::backward::Backward;
use super::board::Board;
use super::cut::Cut;
use super::forward::{Forward, Marks};
use super::shelf::Shelf;
use super::slab::{Half, SPACE};
use super::solved::Slab;
use super::tally::{self, Tally};
use crate::front;
use crate::isa::{Isa, dispatch};
use crate::perft::perft;

/// A game solved by this engine.
pub struct Lattice<G> {
    game: G,
    variant: String,
    isa: Isa,
    cut: Arc<Cut>,
    shelf: Arc<Shelf>,
    /// The kernels' tables, made when a tier is first solved.
    board: OnceLock<Arc<Board>>,
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

/// The most planes there is a kernel for.
const MOST_PLANES: usize = 6;

impl<G: Placing> Lattice<G> {
    /// Opens a variant; `None` for one that is beyond this engine, which begins at the start
    /// and nowhere else.
    pub fn open(options: &str, from: Option<&str>) -> Result<Option<Self>, Complaint> {
        let options = Options::read(&G::CARD, options)?;
        let variant = options.normal(&G::CARD);
        let game = G::new(&options)?;
        if front::begin(&game, from)?.is_some() {
            return Ok(None);
        }
        let Some(layout) = game.layout() else { return Ok(None) };
        let lattice = Lattice::of(game, layout, Isa::best());
        Ok(lattice.map(|lattice| Lattice { variant, ..lattice }))
    }

    /// A game made by hand, with a layout and an instruction set of one's choice.
    pub fn of(game: G, layout: Layout, isa: Isa) -> Option<Self> {
        let cut = Arc::new(Cut::new(layout).filter(|cut| cut.ends.planes <= MOST_PLANES)?);
        let shelf = Arc::new(Shelf::new(cut.clone()));
        let variant = String::new();
        Some(Lattice { game, variant, isa, cut, shelf, board: OnceLock::new() })
    }

    fn kernels(&self) -> &Arc<Board> {
        self.board.get_or_init(|| Arc::new(Board::new(self.cut.clone())))
    }

    /// The most words that one plane of all lists of a tier can take, for each player to move:
    /// as if no shard were dead, which is known without looking.
    fn most_words(&self, tier: Tier) -> [usize; 2] {
        let (board, Some(contents)) = (self.kernels(), self.cut.prefix_of(tier)) else { return [0; 2] };
        let files = self.cut.files[..self.cut.prefix].iter().zip(contents);
        let before: i32 = files.map(|(file, content)| file.all[usize::from(content)].balance).sum();
        [0, 1].map(|turn| {
            let words = |balance: i32| board.inner.list(turn - before - balance).map_or(0, |l| l.words);
            board.middles.iter().map(|(balance, shards)| shards * words(*balance)).sum()
        })
    }

    /// Bytes of one player's lists, of so many planes.
    fn half_bytes(&self, words: usize, planes: usize) -> u64 {
        ((words * planes + SPACE) * 8 + self.kernels().shards * 4) as u64
    }

    /// The code of a position: by a short look, from a table, or from the positions its moves
    /// lead to where it is not kept.
    pub fn code(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        if let Some(value) = self.game.soon(p) {
            return Ok(Code::of(value));
        }
        let [own, other] = p.pack();
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

    /// The code of a position that is kept in a table.
    fn kept(&self, p: G::Position, tables: &dyn Tables) -> Result<Option<Code>, AskError> {
        let stones = p.pack();
        let Some((tier, number)) = self.shelf.locate(stones) else { return Ok(None) };
        let Some((raw, _)) = tables.code(tier, number).map_err(AskError::Tables)? else { return Ok(None) };
        let ply = (stones[0] | stones[1]).count_ones();
        // What a short look tells is never stored; a table that says so is false.
        let left_out = self.cut.ends.soon(ply).contains(&Some(raw.into()));
        let value = self.cut.ends.value(ply, raw.into()).filter(|_| !left_out);
        Ok(value.and_then(Code::of))
    }

    fn position_of(&self, tier: Tier, number: u64) -> Option<G::Position> {
        let [first, second] = self.shelf.stones(&self.shelf.files(tier, number)?);
        Some(G::Position::unpack([first, second]))
    }

    fn text(&self, code: Option<Code>) -> String {
        code.and_then(Code::value).map_or("no value".into(), |v| v.to_string())
    }

    /// An entry of a shard's list as text.
    fn example(&self, tier: Tier, ply: usize, (shard, bit): (u32, u32)) -> Option<String> {
        let board = self.kernels();
        let mut contents = self.cut.prefix_of(tier)?;
        let mut rest = shard as usize;
        for f in self.cut.prefix..self.cut.outer {
            contents[f] = (rest / board.stride(f)) as u16;
            rest %= board.stride(f);
        }
        let files = self.cut.files[..self.cut.outer].iter().zip(contents);
        let balance: i32 = files.map(|(file, content)| file.all[usize::from(content)].balance).sum();
        let turn = ply % 2;
        let list = board.inner.list(turn as i32 - balance)?;
        let (word, bit) = (bit as usize / 64, bit as usize % 64);
        let level = list.levels.iter().find(|l| (l.word..l.word + l.words).contains(&word))?;
        let at = *level.entries.get((word - level.word) * 64 + bit)? as usize;
        for f in self.cut.outer..self.cut.files.len() {
            contents[f] = board.inner.content(at, f - self.cut.outer, self.cut.files[f].len()) as u16;
        }
        let [first, second] = self.shelf.stones(&contents);
        Some(match turn {
            0 => self.game.show(Turn::First, G::Position::unpack([first, second])),
            _ => self.game.show(Turn::Second, G::Position::unpack([second, first])),
        })
    }

    fn counts(&self, tier: Tier, tally: &Tally, marks: &Marks) -> Option<Vec<Count>> {
        // Of two mirror images each counts half; a position that is its own counts whole.
        let mirror = self.cut.layout.mirror;
        let twice = |all: u64, even: u64| if mirror { all + even } else { 2 * all };
        let mut counts = vec![];
        for (i, all) in tally.all.iter().enumerate().filter(|(_, all)| **all > 0) {
            let ply = i / tally.codes;
            counts.push(Count {
                value: self.cut.ends.value(ply as u32, (i % tally.codes) as u32)?,
                positions: *all,
                twice_canonical: twice(*all, tally.even[i]),
                ply: Some(ply as u16),
                example: tally.example[i].and_then(|at| self.example(tier, ply, at)),
            });
        }
        for (ply, over) in marks.over.iter().enumerate().filter(|(_, over)| **over > 0) {
            counts.push(Count {
                value: Value::Lose(0),
                positions: *over,
                twice_canonical: twice(*over, marks.over_even[ply]),
                ply: Some(ply as u16),
                example: None,
            });
        }
        Some(counts)
    }
}

/// Reached positions of a tier, once they are known.
struct Reach {
    start: bool,
    marks: OnceLock<Marks>,
}

impl Reached for Reach {
    fn bytes(&self) -> u64 {
        self.marks.get().map_or(0, |marks| marks.halves.iter().map(Half::bytes).sum())
    }

    fn park(&self) -> Option<Vec<u8>> {
        Some(self.marks.get()?.park())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn alien(tier: Tier) -> EngineError {
    EngineError::BadGame { tier, fault: "the tier below was solved by another engine".into() }
}

impl<G: Placing> AnyGame for Lattice<G> {
    fn card(&self) -> &'static Card {
        &const { G::CARD }
    }

    fn variant(&self) -> String {
        self.variant.clone()
    }

    fn engine(&self) -> &'static str {
        "lattice"
    }

    fn objective(&self) -> &'static str {
        "remoteness"
    }

    fn unit(&self) -> Unit {
        Unit::Moves
    }

    fn filing(&self) -> Filing {
        // Large blocks: lists of neighbouring shards are alike. Level 9 is 5 times faster than
        // 15 for 7% more bytes.
        Filing {
            name: "lattice",
            block_entries: Some(1 << 16),
            level: Some(9),
            by_tier: false,
            marked: false,
        }
    }

    fn root(&self) -> Tier {
        Tier(0)
    }

    fn children(&self, tier: Tier) -> Vec<Tier> {
        self.cut.below(tier).into_iter().map(|(_, tier)| tier).collect()
    }

    fn size(&self, tier: Tier) -> u64 {
        self.shelf.size(tier).max(1)
    }

    fn need(&self, tier: Tier) -> Need {
        let halves = self.most_words(tier).map(|words| self.half_bytes(words, self.cut.ends.planes));
        let kept = self.cut.looked_at(tier);
        let result: u64 = (0..2).filter(|turn| kept[*turn]).map(|turn| halves[turn]).sum();
        // While it is being parked, what is kept is there twice; and its packed table is there.
        let working = halves.iter().sum::<u64>() + result + self.size(tier) / 8;
        Need { working, useful: working, result }
    }

    fn most(&self) -> u64 {
        u64::MAX
    }

    fn index_bytes(&self) -> u64 {
        self.cut.table_bytes()
    }

    fn solve(
        &self,
        tier: Tier,
        _reached: Option<&dyn Reached>,
        children: &[Arc<dyn Solved>],
        _memory: u64,
        watch: &dyn Watch,
    ) -> Result<Arc<dyn Solved>, EngineError> {
        let board = self.kernels();
        let mut below = vec![];
        for ((c, _), child) in self.cut.below(tier).into_iter().zip(children) {
            let slab: &Slab = child.as_any().downcast_ref().ok_or_else(|| alien(tier))?;
            below.push((c, &**slab.halves[1 - c].as_ref().ok_or_else(|| alien(tier))?));
        }
        let begin = board.beginning(tier).ok_or_else(|| alien(tier))?;
        let planes = board.ends.planes;
        let words = board.solved_words(begin).map(|words| words * planes);
        let (below, isa) = (&below[..], self.isa);
        let halves = with_planes!(planes, P => dispatch(isa, Backward::<P> { board, begin, below, words }));
        watch.advance(self.size(tier));
        let halves = halves.map(|half| Some(Arc::new(half)));
        Ok(Arc::new(Slab { board: board.clone(), shelf: self.shelf.clone(), tier, halves }))
    }

    fn unpark(&self, tier: Tier, parked: &[u8]) -> Result<Arc<dyn Solved>, EngineError> {
        match Slab::unpark(self.kernels().clone(), self.shelf.clone(), tier, parked) {
            Some(slab) => Ok(Arc::new(slab)),
            None => Err(EngineError::Load { tier, reason: "the parked tier does not fit this board".into() }),
        }
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
            let position = self.game.show(Turn::First, p);
            let (found, want) = (self.text(found), self.text(want));
            checked.blame(format!("{position}: stored {found}, its moves give {want}"));
        }
        Ok(checked)
    }

    fn reach_bytes(&self, tier: Tier) -> u64 {
        self.most_words(tier).map(|words| self.half_bytes(words, 1)).iter().sum()
    }

    fn unreached(&self, _: Tier, start: bool) -> Arc<dyn Reached> {
        Arc::new(Reach { start, marks: OnceLock::new() })
    }

    fn discover(
        &self,
        tier: Tier,
        here: &dyn Reached,
        above: &[(Tier, Arc<dyn Reached>)],
        _below: &[Arc<dyn Reached>],
        watch: &dyn Watch,
    ) {
        let (board, Some(here)) = (self.kernels(), here.as_any().downcast_ref::<Reach>()) else { return };
        let Some(begin) = board.beginning(tier) else { return };
        let marks_of = |tier: Tier| {
            let (_, reach) = above.iter().find(|(t, _)| *t == tier)?;
            reach.as_any().downcast_ref::<Reach>()?.marks.get()
        };
        let above: Vec<_> = board.above(tier).iter().filter_map(|(c, t)| Some((*c, marks_of(*t)?))).collect();
        let marks = dispatch(self.isa, Forward { board, begin, start: here.start, above: &above });
        // The first marks stay, should anyone mark the tier twice.
        let _ = here.marks.set(marks);
        watch.advance(self.size(tier));
    }

    fn unpark_reached(&self, tier: Tier, parked: &[u8]) -> Result<Arc<dyn Reached>, EngineError> {
        let marks = Marks::unpark(self.kernels(), tier, parked);
        let reason = || "the parked marks do not fit this board".into();
        let marks = marks.ok_or_else(|| EngineError::Load { tier, reason: reason() })?;
        Ok(Arc::new(Reach { start: false, marks: OnceLock::from(marks) }))
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Result<Vec<Count>, EngineError> {
        let (board, slab) = (self.kernels(), solved.as_any().downcast_ref::<Slab>());
        let marks = here.as_any().downcast_ref::<Reach>().and_then(|reach| reach.marks.get());
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

    fn start(&self) -> String {
        self.game.show(Turn::First, self.game.start())
    }

    fn position(&self, tier: Tier, rank: u64, turn: Turn) -> Option<String> {
        Some(self.game.show(turn, self.position_of(tier, rank)?))
    }

    fn value(&self, position: &str, tables: &dyn Tables) -> Result<Option<Value>, AskError> {
        let (_, p) = self.game.read(position)?;
        Ok(self.code(p, tables)?.and_then(Code::value))
    }

    fn report(&self, position: &str, tables: &dyn Tables) -> Result<Report, AskError> {
        front::report::<_, Remoteness>(&self.game, position, &|p| self.code(p, tables))
    }

    fn follow(&self, position: &str, moves: &str) -> Result<String, Complaint> {
        front::follow(&self.game, position, moves)
    }

    fn search(&self, position: &str, limits: Limits) -> Result<Option<Value>, Complaint> {
        front::search(&self.game, position, limits)
    }

    fn perft(&self, plies: u32) -> Perft {
        perft(&self.game, plies)
    }

    fn board(&self) -> Picture {
        self.game.board()
    }
}
