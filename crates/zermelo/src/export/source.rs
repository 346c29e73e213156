//! Where rows come from, piece by piece.
//!
//! | positions | tables by tier | other tables |
//! |---|---|---|
//! | stored | every number of every tier | every number of every tier |
//! | reached | tiers from the top down, with marks of what is reached | a walk ply by ply |
//!
//! With symmetric positions apart a walk is the only way: tables number one of each set.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use zermelo_core::{
    AskError, ListJob, Opened, Position, Reached, Reason, Record, StoredTier, Tier, Turn, Walking, Watch,
    Width,
};

use super::in_order::{Crew, in_order};
use super::{Export, ExportError, ExportPositions, Result, Row};
use crate::analyze::marks_bytes;
use crate::count::{Ply, each_ply};
use crate::database::codes;
use crate::{CountError, CountSettings, Graph, SolveError, full_name};

/// The fewest and the most numbers of a piece. In between, a piece is a block of the table.
const PIECE: [u64; 2] = [1 << 12, 1 << 15];

/// Makes something of the rows of a piece, on any thread.
pub(super) type MakePiece<'a, P> = dyn Fn(Vec<Row>) -> Result<P> + Sync + 'a;
/// Takes what was made, in order; returns whether more is wanted.
pub(super) type TakePiece<'a, P> = dyn FnMut(P) -> Result<bool> + Send + 'a;

impl Export<'_> {
    /// Goes through all rows that are wanted, in pieces.
    pub(super) fn pieces<P: Send>(&self, make: &MakePiece<'_, P>, take: &mut TakePiece<'_, P>) -> Result<()> {
        let marks = self.game.tiers().filing().by_tier && self.wanted.symmetries;
        match self.wanted.positions {
            ExportPositions::Stored => self.stored(make, take),
            ExportPositions::Reached if marks => self.marked(make, take),
            ExportPositions::Reached => self.walked(make, take),
        }
    }

    pub(super) fn crew(&self) -> Crew {
        Crew::new(self.settings.threads, self.settings.memory)
    }

    /// The rows of some numbers of a tier.
    pub(super) fn rows_of(
        &self,
        tier: Tier,
        range: Range<u64>,
        reached: Option<&dyn Reached>,
    ) -> Result<Vec<Row>> {
        self.go_on()?;
        let many = range.end - range.start;
        let mut rows = Vec::with_capacity(many as usize);
        let mut add = |listed| {
            let row = Row::of(tier, listed);
            if self.keeps(&row) {
                rows.push(row);
            }
        };
        let (by_tier, tables) = (self.game.tiers().filing().by_tier, self.database);
        let none =
            |_: Range<u64>, _: &mut Vec<u8>| Err(Reason::from("these tables are looked up one by one"));
        let job = |stored| ListJob { range: range.clone(), stored, tables, reached };
        if by_tier {
            let (width, read) = codes(self.game, self.database.reader(), tier)?;
            self.game.listing().list(&job(StoredTier { tier, width, read: &*read }), &mut add)?;
        } else {
            self.game.listing().list(&job(StoredTier { tier, width: Width::One, read: &none }), &mut add)?;
        }
        self.progress.advance(many);
        if self.wanted.positions == ExportPositions::Stored || !tells_turns(self.game) {
            self.settle_turns(&mut rows);
        }
        Ok(rows)
    }

    /// Gives positions that stand for both players' turns one that their text can have, as far as there is one.
    fn settle_turns(&self, rows: &mut [Row]) {
        let oracle = self.game.oracle();
        let fits = |position| oracle.parse(&oracle.text(position)).is_ok();
        for row in rows {
            let other = Position { turn: row.position.turn.other(), ..row.position };
            if !fits(row.position) && fits(other) {
                row.position = other;
            }
        }
    }

    /// The numbers of a tier that a piece has.
    fn piece_of(&self, tier: Tier) -> Result<u64> {
        let block = self.database.reader().info(tier)?.block_entries;
        let by_tier = self.game.tiers().filing().by_tier;
        Ok(if by_tier { block.clamp(PIECE[0], PIECE[1]) } else { PIECE[0] })
    }

    /// The tiers to list, from the start's on, and how many numbers each has.
    pub(super) fn tiers(&self) -> Result<Vec<(Tier, u64)>> {
        let wanted = |tier: &Tier| self.wanted.tier.is_none_or(|only| only == *tier);
        let graph = Graph::of(self.game)?;
        let tiers = graph.nodes.iter().rev().map(|node| node.tier).filter(wanted);
        let numbers = |tier| -> Result<(Tier, u64)> {
            let entries = self.database.reader().info(tier)?.entries;
            Ok((tier, self.game.audit().checks(tier, entries, self.database)?))
        };
        tiers.map(numbers).collect()
    }

    /// Every number of every tier.
    fn stored<P: Send>(&self, make: &MakePiece<'_, P>, take: &mut TakePiece<'_, P>) -> Result<()> {
        let (tiers, mut parts, mut end) = (self.tiers()?, vec![], 0);
        for (tier, numbers) in &tiers {
            let piece = self.piece_of(*tier)?;
            parts.push((end, *tier, *numbers, piece));
            end += numbers.div_ceil(piece);
        }
        self.progress.expect(tiers.len() as u64, tiers.iter().map(|(_, numbers)| numbers).sum());
        let rows = |at: u64| {
            let part = parts.partition_point(|(begin, ..)| *begin <= at).saturating_sub(1);
            let (begin, tier, numbers, piece) = parts[part];
            let first = (at - begin) * piece;
            make(self.rows_of(tier, first..numbers.min(first + piece), None)?)
        };
        in_order(self.crew(), end, &rows, take).map(drop)
    }

    /// The reached numbers of every tier. Each tier marks what its positions lead to, so that the marks of a tier are
    /// whole when all tiers above have been through.
    fn marked<P: Send>(&self, make: &MakePiece<'_, P>, take: &mut TakePiece<'_, P>) -> Result<()> {
        let (game, graph) = (self.game, Graph::of(self.game)?);
        let need = marks_bytes(game, &graph).saturating_add(game.tiers().index_bytes());
        let fix = "give more with --memory, or list what the tables hold with --positions stored";
        SolveError::if_more(need, self.settings.memory, game.tiers().root(), fix)?;
        let pool = self.settings.pool()?;
        self.progress.expect(graph.nodes.len() as u64, graph.entries().saturating_mul(2));
        let root = game.tiers().root();
        let mut marks: HashMap<usize, Arc<dyn Reached>> = HashMap::new();
        for (at, node) in graph.nodes.iter().enumerate().rev() {
            self.go_on()?;
            let fresh = |at: usize| {
                let tier = graph.nodes[at].tier;
                game.reach().empty(tier, tier == root)
            };
            let here = marks.remove(&at).unwrap_or_else(|| fresh(at));
            let below = node.children.iter();
            let below: Vec<_> = below.map(|c| marks.entry(*c).or_insert_with(|| fresh(*c)).clone()).collect();
            pool.install(|| game.discover(node.tier, &*here, &[], &below, self.progress));
            if self.wanted.tier.is_none_or(|only| only == node.tier) {
                let piece = self.piece_of(node.tier)?;
                let rows = |n: u64| {
                    let range = n * piece..node.size.min((n + 1) * piece);
                    make(self.rows_of(node.tier, range, Some(&*here))?)
                };
                let more = in_order(self.crew(), node.size.div_ceil(piece), &rows, take)?;
                if !more || self.wanted.tier.is_some() {
                    return Ok(());
                }
            } else {
                self.progress.advance(node.size);
            }
            self.progress.tier_done();
        }
        Ok(())
    }

    /// The reached positions ply by ply, as `count` finds them. What does not fit the memory lies in files meanwhile.
    fn walked<P: Send>(&self, make: &MakePiece<'_, P>, take: &mut TakePiece<'_, P>) -> Result<()> {
        if let Some(from) = &self.game.from {
            let why = format!(
                "the positions after {from} cannot be walked through; list those of the tables, \
                 with --positions stored"
            );
            return Err(zermelo_core::Complaint::new(why).into());
        }
        let walking = Walking { fold: self.wanted.symmetries, sides: false };
        let other = self.other_engine(walking)?;
        let walker = other.as_ref().unwrap_or(self.game);
        let (threads, memory) = (self.settings.threads, self.settings.memory);
        let share = memory / 8;
        let settings = CountSettings { walking, threads, memory: memory - share, ..CountSettings::default() };
        let mut failed = None;
        let mut each = |ply: &Ply<'_>| {
            let rows = |piece| make(self.rows_of_walk(walker, &ply.load(piece)?)?);
            let crew = Crew::new(threads, share);
            in_order(crew, ply.pieces(), &rows, take).unwrap_or_else(|error| {
                failed = Some(error);
                false
            })
        };
        each_ply(walker, &settings, self.progress, &mut each)?;
        failed.map_or(Ok(()), Err)
    }

    /// Another engine's view of the game, where the game's own engine does not know single positions; `None` where it
    /// does.
    fn other_engine(&self, walking: Walking) -> Result<Option<Opened>> {
        if self.game.audit().walker(walking).is_some() {
            return Ok(None);
        }
        let lacks = || CountError::Engine(self.game.takes.name);
        let games = self.catalogue.open_all(&full_name(self.game), None, Some(self.game.objective), None);
        let mut games = games.map_err(|_| lacks())?.into_iter();
        Ok(Some(games.find(|game| game.audit().walker(walking).is_some()).ok_or_else(lacks)?))
    }

    /// The rows of the positions of some records, all records of a position together.
    fn rows_of_walk(&self, walker: &Opened, records: &[Record]) -> Result<Vec<Row>> {
        self.go_on()?;
        let mut rows = Vec::with_capacity(records.len());
        for same in records.chunk_by(|a, b| a.place() == b.place()) {
            let turn = if same[0].turn == 0 { Turn::First } else { Turn::Second };
            let (position, packed) = (Position { turn, packed: same[0].key }, same[0].key);
            let place = self.game.listing().place(packed);
            if self.wanted.tier.is_some_and(|only| place.is_none_or(|(tier, _)| tier != only)) {
                continue;
            }
            let value =
                self.game.oracle().value(position, self.database)?.ok_or_else(|| self.unknown(position))?;
            let copies = if self.wanted.symmetries { walker.listing().copies(packed) } else { 1 };
            rows.push(Row { place, position, value, copies });
        }
        rows.retain(|row| self.keeps(row));
        if !tells_turns(walker) {
            self.settle_turns(&mut rows);
        }
        Ok(rows)
    }

    /// The error of a reached position that has no value.
    fn unknown(&self, position: Position) -> ExportError {
        let text = self.game.oracle().text(position);
        let reason = format!("the database has no value for {text}; `zermelo verify` tells more");
        AskError::Tables(reason.into()).into()
    }
}

/// Whether reached positions are told apart by the player to move.
fn tells_turns(game: &Opened) -> bool {
    let walker = game.audit().walker(Walking { fold: false, sides: false });
    walker.is_none_or(|walker| walker.turns())
}
