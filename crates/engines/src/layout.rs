//! A layout: how one variant's positions are cut into tiers, numbered, and found again in tables.
//!
//! There are three layouts: [`Ranked`](crate::Ranked) for a game's own tiers, [`LatticeTiers`](crate::LatticeTiers) for
//! games of placing stones, and [`BlobTiers`](crate::BlobTiers) for games whose cells fill up. An engine works on one of
//! them; what people ask is answered from any.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use zermelo_core::{
    AskError, Board, Code, Complaint, Engine, Face, Game, Limits, MoveReport, Objective, Opened, Options,
    Oracle, Packed, Position, Report, Tables, Takes, Tier, Tiering, Turn, Unit, Value, Winner,
    laws::{Broken, list_moves},
    play_moves,
};

/// A position of a game, and who is to move there.
pub type TurnPosition<G> = (Turn, <G as Game>::Position);

/// How one variant's positions are cut into tiers, numbered, and found again in tables.
pub trait Layout: Tiering + Sized + 'static {
    /// The rules.
    type Game: Face;
    /// What the variant is solved for.
    type Objective: Objective<Self::Game>;

    /// Lays a variant out, to be solved from its start or from a position; `None` where this layout cannot hold the
    /// variant.
    fn new(game: Self::Game, from: Option<TurnPosition<Self::Game>>) -> Option<Self>;
    /// The rules.
    fn game(&self) -> &Self::Game;
    /// The position that the variant is solved from, if it is not the game's start.
    fn from(&self) -> Option<TurnPosition<Self::Game>>;
    /// The code of a position: from the rules, or from a table; `None` without a table.
    fn code(&self, p: PositionOf<Self>, tables: &dyn Tables) -> Result<Option<Code>, AskError>;

    /// The position that the variant is solved from, and who is to move there.
    fn begin(&self) -> TurnPosition<Self::Game> {
        self.from().unwrap_or((self.game().start_turn(), self.game().start()))
    }
}

/// A position of the game of a layout.
pub type PositionOf<L> = <<L as Layout>::Game as Game>::Position;

/// An engine that the catalogue can open for a variant: its type of layout, what it can solve, and how it is opened.
pub trait Opens: Engine + Sized + 'static {
    /// The layout of the games that it solves.
    type Layout: Layout;
    /// The tiers and objectives that the engine can solve.
    const TAKES: Takes;

    /// Opens the engine for a variant; `None` where the engine cannot solve the variant. The catalogue then tries the
    /// game's next engine.
    fn open(layout: &Arc<Self::Layout>) -> Option<Self>;

    /// Whether the engine is worth while for a variant, where nobody asked for it by name. This is also asked when a
    /// database is only read, so it must be quick.
    fn worth(_layout: &Self::Layout) -> bool {
        true
    }

    /// Checks what this engine alone needs of a game, for one tier; what all engines need is checked by
    /// [`laws`](zermelo_core::laws). `None` for an engine that
    /// needs no more.
    const LAWS: Option<TierLaws<Self::Layout>> = None;
}

/// A function that checks what one engine needs of a game, for every position of a tier.
pub type TierLaws<L> = fn(&<L as Layout>::Game, Tier) -> Result<(), Broken<PositionOf<L>>>;

/// Opens a variant with an engine, to be solved from its start or from a position; `None` where the engine cannot solve
/// the variant, or is not worth while for it and was not `named`.
pub fn open<E: Opens>(options: &str, from: Option<&str>, named: bool) -> Result<Option<Opened>, Complaint> {
    let card = &const { <<E::Layout as Layout>::Game as Face>::CARD };
    let options = Options::read(card, options)?;
    let game = <E::Layout as Layout>::Game::new(&options)?;
    let from = begin(&game, from)?;
    let layout = E::Layout::new(game, from).filter(|layout| named || E::worth(layout));
    Ok(layout.and_then(|layout| opened::<E>(layout, options.normal(card))))
}

/// Opens a layout that the caller made, with an engine; `variant` is the text of its options.
pub fn opened<E: Opens>(layout: E::Layout, variant: String) -> Option<Opened> {
    type O<E> = <<E as Opens>::Layout as Layout>::Objective;
    let layout = Arc::new(layout);
    let engine: Arc<dyn Engine> = Arc::new(E::open(&layout)?);
    Some(Opened {
        card: &const { <<E::Layout as Layout>::Game as Face>::CARD },
        variant,
        takes: &const { E::TAKES },
        objective: O::<E>::NAME,
        usual: true,
        unit: O::<E>::UNIT,
        from: layout.from().map(|(turn, p)| layout.game().show(turn, p)),
        oracle: Box::new(Answers { layout: layout.clone(), engine: engine.clone() }),
        tiering: layout,
        engine,
    })
}

/// Where a solve begins, from a position as text; `None` for the game's own start.
fn begin<G: Face>(game: &G, from: Option<&str>) -> Result<Option<TurnPosition<G>>, Complaint> {
    let Some(text) = from else { return Ok(None) };
    let (turn, p) = game.read(text)?;
    if game.outcome(p).is_some() {
        let at = game.show(turn, p);
        return Err(Complaint::new(format!("the game is over at {at}; give --from a position with moves")));
    }
    Ok(Some((turn, p)).filter(|begin| *begin != (game.start_turn(), game.start())))
}

/// What people ask of a variant, whatever the engine.
struct Answers<L> {
    layout: Arc<L>,
    engine: Arc<dyn Engine>,
}

impl<L: Layout> Answers<L> {
    fn read(position: Position) -> TurnPosition<L::Game> {
        (position.turn, Packed::unpack(position.packed))
    }

    fn known((turn, p): TurnPosition<L::Game>) -> Position {
        Position { turn, packed: p.pack() }
    }

    /// A position with its value and its moves; `code` finds the code of a position.
    fn report_by(
        &self,
        at: Position,
        code: &dyn Fn(PositionOf<L>) -> Result<Option<Code>, AskError>,
    ) -> Result<Report, AskError> {
        let (game, (turn, p)) = (self.layout.game(), Self::read(at));
        let mut moves = vec![];
        for (m, child) in list_moves(game, p) {
            let code = code(child)?;
            let next = turn.after(game, m, child);
            let opposed = code.map_or(Code::UNKNOWN, |code| L::Objective::opposed(game, m, child, code));
            let report = MoveReport {
                name: game.show_move(turn, p, m),
                drawing: game.draw(turn, p, m),
                to: Self::known((next, child)),
                position: game.show(next, child),
                again: next == turn,
                value: code.and_then(L::Objective::value),
                worth: L::Objective::worth(opposed),
            };
            moves.push((opposed, report));
        }
        Ok(Report {
            at,
            position: game.show(turn, p),
            pieces: game.pieces(turn, p),
            over: game.outcome(p).is_some(),
            value: code(p)?.and_then(L::Objective::value),
            moves: best_first(moves),
        })
    }

    /// The value of a position by the game's own search, or a plain one.
    fn search_moves(&self, p: PositionOf<L>, limits: Limits) -> Option<Value> {
        let game = self.layout.game();
        game.own_search(p, limits).unwrap_or_else(|| crate::search(game, p, limits))
    }
}

/// The values of positions by one search after another, which share the time.
fn one_by_one(oracle: &dyn Oracle, positions: &[Position], limits: Limits) -> Vec<Option<Value>> {
    let until = Instant::now() + limits.time;
    let parts = (1..=positions.len() as u32).rev();
    let search = |(at, parts): (&Position, u32)| {
        let left = until.saturating_duration_since(Instant::now());
        oracle.search(*at, Limits { time: left / parts, ..limits })
    };
    positions.iter().zip(parts).map(search).collect()
}

/// Moves in the order of what they are worth. Not generic, so that the sort is compiled once for all games.
fn best_first(mut moves: Vec<(Code, MoveReport)>) -> Vec<MoveReport> {
    moves.sort_by_key(|(code, _)| *code);
    moves.into_iter().map(|(_, report)| report).collect()
}

impl<L: Layout> Oracle for Answers<L> {
    fn parse(&self, text: &str) -> Result<Position, Complaint> {
        Ok(Self::known(self.layout.game().read(text)?))
    }

    fn text(&self, position: Position) -> String {
        let (turn, p) = Self::read(position);
        self.layout.game().show(turn, p)
    }

    fn start(&self) -> Position {
        Self::known(self.layout.begin())
    }

    fn follow(&self, position: Position, moves: &str) -> Result<Position, Complaint> {
        Ok(Self::known(play_moves(self.layout.game(), Self::read(position), moves)?))
    }

    fn value(&self, position: Position, tables: &dyn Tables) -> Result<Option<Value>, AskError> {
        Ok(self.layout.code(Self::read(position).1, tables)?.and_then(L::Objective::value))
    }

    fn report(&self, position: Position, tables: &dyn Tables) -> Result<Report, AskError> {
        self.report_by(position, &|p| self.layout.code(p, tables))
    }

    fn moves(&self, position: Position) -> Result<Report, AskError> {
        self.report_by(position, &|_| Ok(None))
    }

    fn search(&self, position: Position, limits: Limits) -> Option<Value> {
        let ((_, p), game) = (Self::read(position), self.layout.game());
        if let Some(found) = self.engine.search(position.packed, limits) {
            return found.and_then(L::Objective::value);
        }
        match L::Objective::UNIT {
            Unit::Moves | Unit::Goal => self.search_moves(p, limits),
            // `search_moves` finds distances alone, no margins or nimbers.
            Unit::Margin | Unit::Nimber => L::Objective::formula(game, p).and_then(L::Objective::value),
            Unit::Winner => self.search_moves(p, limits).map(Winner::only),
        }
    }

    fn search_each(&self, positions: &[Position], limits: Limits) -> Vec<Option<Value>> {
        let game = self.layout.game();
        let unpacked = || -> Vec<_> { positions.iter().map(|at| Self::read(*at).1).collect() };
        let found = match L::Objective::UNIT {
            Unit::Moves | Unit::Goal => game.own_searches(&unpacked(), limits),
            Unit::Margin | Unit::Nimber | Unit::Winner => None,
        };
        found.unwrap_or_else(|| one_by_one(self, positions, limits))
    }

    fn examine(&self, position: Position, limits: Limits) -> Result<Option<Report>, AskError> {
        let ((_, p), game) = (Self::read(position), self.layout.game());
        if game.outcome(p).is_some() {
            return Ok(None);
        }
        let Some((here, after)) = self.engine.examine(position.packed, limits) else { return Ok(None) };
        let children = list_moves(game, p).into_iter().map(|(_, child)| child);
        let codes = children.zip(after).map(|(p, code)| (p, L::Objective::look(game, p).unwrap_or(code)));
        let mut codes: HashMap<_, _> = codes.collect();
        codes.insert(p, here);
        self.report_by(position, &|p| Ok(codes.get(&p).copied())).map(Some)
    }

    fn examine_bytes(&self, position: Position) -> Option<u64> {
        self.engine.examine_bytes(position.packed)
    }

    fn has_notes(&self) -> bool {
        L::Game::NOTES
    }

    fn note(&self, position: Position, limits: Limits) -> Option<String> {
        let (turn, p) = Self::read(position);
        // A limit of zero means no work at all.
        if limits.time.is_zero() { None } else { self.layout.game().note(turn, p, limits) }
    }

    fn board(&self) -> Board {
        self.layout.game().board()
    }
}
