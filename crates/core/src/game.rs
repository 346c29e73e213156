//! What a game must say about itself: its rules, how its positions are numbered, and how people see it.
//!
//! A position is always seen by the player to move: "own" and "other" instead of first and second. Colour-swapped
//! positions are therefore one position, and no engine ever asks whose turn it is. Front ends keep the [`Turn`]
//! beside the position. The turn flips with every move, except where the same player moves [again](Game::again).

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

use crate::{Board, Card, Complaint, Drawing, Limits, Options, Outcome, Packed, Tier, Value};

/// The player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Turn {
    /// The player who began.
    First,
    /// The other player.
    Second,
}

impl Turn {
    /// The other player.
    pub fn other(self) -> Turn {
        match self {
            Turn::First => Turn::Second,
            Turn::Second => Turn::First,
        }
    }

    /// The player to move after a move.
    #[inline]
    pub fn after<G: Game>(self, game: &G, m: G::Move, after: G::Position) -> Turn {
        if G::AGAIN && game.again(m, after) { self } else { self.other() }
    }

    /// Splits `1_` or `2_` off the text of a position. In a puzzle one player makes all moves, so only `1_` is
    /// accepted.
    pub fn split<'t, G: Face>(game: &G, text: &'t str) -> Result<(Turn, &'t str), Complaint> {
        match text.split_at_checked(2) {
            Some(("1_", rest)) => Ok((Turn::First, rest)),
            Some(("2_", rest)) if !G::ALONE => Ok((Turn::Second, rest)),
            _ => {
                let digits = if G::ALONE { "1_" } else { "1_ or 2_ for the player to move" };
                let why = format!("begin with {digits}, as in {}", game.sample());
                Err(Complaint::position(text, why))
            }
        }
    }

    /// `1` or `2`, as position strings begin.
    pub fn digit(self) -> char {
        match self {
            Turn::First => '1',
            Turn::Second => '2',
        }
    }
}

/// The rules of a two-player, alternating game of perfect information, or of a puzzle for
/// [one](Game::ALONE).
///
/// A turn that captures or removes is one move, so the player to move changes with every
/// move. The exception is a player who cannot move: the pass belongs to the move before it,
/// after which the same player moves [again](Game::again).
pub trait Game: Send + Sync + 'static {
    /// A position, seen by the player to move; small enough to copy.
    type Position: Copy + Eq + Hash + Debug + Send + Sync;
    /// A move.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// Whether the game is a puzzle. One player makes all moves, and wins at the goal. A position short of the goal
    /// without a move is lost; a position from which the player can only go round in circles is a draw.
    const ALONE: bool = false;
    /// Whether there are moves after which the same player moves again.
    const AGAIN: bool = Self::ALONE;
    /// Whether a position counts twice where both players may find themselves in it.
    const SIDES: bool = !Self::ALONE;
    /// Whether the player who makes the last move wins. Then there are no ties, wins take an odd number of moves and
    /// losses an even one, and a code of one byte reaches to 253 moves.
    const LAST_WINS: bool = false;
    /// Whether tables leave out positions that are won in one move. False where finding such a move costs more than
    /// reading the entry.
    const FORESEES: bool = true;

    /// The position the game begins with.
    fn start(&self) -> Self::Position;

    /// The player to move at the start: the first player, unless the start is an example of an endgame.
    fn start_turn(&self) -> Turn {
        Turn::First
    }

    /// The outcome of a position that is over, for the player who would move next; `None` where the game goes on.
    fn outcome(&self, p: Self::Position) -> Option<Outcome>;

    /// Visits every legal move of a position that is not over; there is at least one.
    fn moves(&self, p: Self::Position, visit: impl FnMut(Self::Move));

    /// The number of moves of a position that is not over.
    #[inline]
    fn mobility(&self, p: Self::Position) -> u64 {
        let mut moves = 0;
        self.moves(p, |_| moves += 1);
        moves
    }

    /// The position after a legal move, seen by the player to move then.
    fn play(&self, p: Self::Position, m: Self::Move) -> Self::Position;

    /// Whether the player who made a move that led to `after` moves again. False for every move unless the game has
    /// [`AGAIN`](Game::AGAIN).
    #[inline]
    fn again(&self, _m: Self::Move, _after: Self::Position) -> bool {
        Self::ALONE
    }

    /// The number of moves made before a position, where every way to the position has as many moves.
    #[inline]
    fn ply(&self, _p: Self::Position) -> Option<u32> {
        None
    }

    /// Whether every numbered position counts, not only those that the start reaches: endgames
    /// have no beginning, and their [`start`](Game::start) is an example.
    fn endgames(&self) -> bool {
        false
    }

    /// The value of one position by the game's own search, where the game has a search that is better than the
    /// general one; `None` inside when the limits come first.
    fn own_search(&self, _p: Self::Position, _limits: Limits) -> Option<Option<Value>> {
        None
    }

    /// The values of some positions that belong together, such as those after all moves of one, by a search of the
    /// game's own that uses for one what it has learnt of another. The positions share the time. `None` where the game
    /// has no such search; `None` inside for a position that the limits come first for.
    fn own_searches(&self, _positions: &[Self::Position], _limits: Limits) -> Option<Vec<Option<Value>>> {
        None
    }
}

/// The kind of moves that stay inside a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Every move leaves the tier.
    Leaves,
    /// A move inside the tier leads to a higher number, so there are no loops.
    Rises,
    /// Play can return to a position.
    Loops,
}

/// How a game's positions are cut into tiers and numbered.
///
/// Symmetric positions share a tier and a number; [`unrank`](Tiers::unrank) gives one of them, the canonical one.
/// Moves lead into the same tier or into one of its [`children`](Tiers::children), and the graph of tiers has no
/// cycle.
#[diagnostic::on_unimplemented(
    message = "the positions of `{Self}` have no tiers and no numbers",
    note = "implement `zermelo_core::Tiers`, or `zermelo_core::Folded` for a game of two sets of cells"
)]
pub trait Tiers: Game {
    /// The tables that number one tier.
    type Index: Send + Sync;

    /// The number of entries in a block of the game's tables, where the store's own choice is not the best.
    const BLOCK_ENTRIES: Option<usize> = None;

    /// The level of compression of the game's tables, where the store's own choice takes too long.
    const LEVEL: Option<i32> = None;

    /// The tiers to solve, together with all tiers below them. None where the tiers are too many to be listed one by one,
    /// or where their numbers are not for engines that solve such tiers.
    fn roots(&self) -> Vec<Tier> {
        vec![self.tier(self.start())]
    }

    /// The tier of a position. A game may have a single tier.
    fn tier(&self, _p: Self::Position) -> Tier {
        Tier(0)
    }

    /// The name of a tier, in words that a player understands, on one line: `9 and 8 marks, 8 blank`. Tiers of one
    /// variant have different names. Messages show the name beside the number, and the number alone where a game names
    /// no tiers.
    fn name(&self, t: Tier) -> String {
        t.to_string()
    }

    /// The other tiers that moves from this one lead into.
    fn children(&self, _t: Tier) -> Vec<Tier> {
        vec![]
    }

    /// The kind of moves that stay inside a tier.
    fn flow(&self, _t: Tier) -> Flow {
        Flow::Leaves
    }

    /// The number of numbers of a tier, holes included. This must not need the tables of [`Tiers::index`].
    fn size(&self, t: Tier) -> u64;

    /// Prepares the numbering of one tier.
    fn index(&self, t: Tier) -> Self::Index;

    /// The number of a position of the tier.
    fn rank(&self, index: &Self::Index, p: Self::Position) -> u64;

    /// The canonical position of a number; `None` for a hole.
    fn unrank(&self, index: &Self::Index, i: u64) -> Option<Self::Position>;

    /// The canonical one of the positions that share a number. A game overrides this where numbering costs more than
    /// turning a board round.
    fn canonical(&self, p: Self::Position) -> Self::Position {
        let index = self.index(self.tier(p));
        self.unrank(&index, self.rank(&index, p)).unwrap_or(p)
    }

    /// The canonical position of a position with a turn, and the player to move there. The turn changes where two
    /// positions share a number and differ by whose pieces are whose.
    fn canonical_turn(&self, turn: Turn, p: Self::Position) -> (Turn, Self::Position) {
        (turn, self.canonical(p))
    }

    /// The bytes that the tables behind all indexes may take together, where that is much. A game that overrides this
    /// has its own [`canonical`](Tiers::canonical) and [`alike`](Tiers::alike), because these two are also called for
    /// boards whose tables no machine can hold.
    fn index_bytes(&self) -> u64 {
        0
    }

    /// The number of positions that share a position's number, itself included. The start must have a number of its
    /// own if positions are to be counted right.
    fn copies(&self, _index: &Self::Index, _p: Self::Position) -> u64 {
        1
    }

    /// The number of positions that share a position's number, as [`copies`](Tiers::copies) gives it, without an
    /// index. A game overrides this where an index is costly to prepare.
    fn alike(&self, p: Self::Position) -> u64 {
        self.copies(&self.index(self.tier(p)), p)
    }

    /// Visits the positions of a range of numbers. A game overrides this to step from one position to the next
    /// instead of unranking each.
    #[inline]
    fn scan(&self, index: &Self::Index, range: Range<u64>, mut visit: impl FnMut(u64, Self::Position)) {
        for i in range {
            if let Some(p) = self.unrank(index, i) {
                visit(i, p);
            }
        }
    }
}

/// A game that can also play backwards inside a tier.
///
/// [`outlook`](Unmove::outlook) and [`sources`](Unmove::sources) are the two ends of the same moves, and must agree
/// on how moves are counted. The default methods count the different positions, up to symmetry, that moves join. A
/// game that overrides both may count every move apart.
#[diagnostic::on_unimplemented(
    message = "the engine `unmoves` needs to play `{Self}` backwards",
    note = "implement `zermelo_core::Unmove` with its method `unmoves`, or pair the game with the engine `retrograde`"
)]
pub trait Unmove: Tiers {
    /// Visits positions of `p`'s own tier from which one move leads to `p` or to a position symmetric to `p`: at
    /// least one of each set of symmetric positions. Positions that are over, and repeats, do no harm.
    fn unmoves(&self, p: Self::Position, visit: impl FnMut(Self::Position));

    /// Looks at the positions of a range of numbers. Reports to `sight` where the moves that leave the tier lead, and
    /// how many moves stay.
    fn outlook(&self, tier: Tier, index: &Self::Index, range: Range<u64>, sight: &mut impl Sight<Self>) {
        let mut inside = vec![];
        self.scan(index, range, |i, p| {
            let over = self.outcome(p);
            inside.clear();
            if over.is_none() {
                self.moves(p, |m| match self.play(p, m) {
                    child if self.tier(child) == tier => inside.push(self.rank(index, child)),
                    child => sight.leaves(child),
                });
            }
            inside.sort_unstable();
            inside.dedup();
            sight.seen(i, over, inside.len());
        });
    }

    /// Visits the numbers of positions with a move to the position with number `i`, once for each move. Holes among
    /// these numbers do no harm.
    fn sources(&self, index: &Self::Index, i: u64, visit: impl FnMut(u64)) {
        let Some(p) = self.unrank(index, i) else { return };
        let mut from = vec![];
        self.unmoves(p, |q| from.push(self.rank(index, q)));
        from.sort_unstable();
        from.dedup();
        from.into_iter().for_each(visit);
    }
}

/// Receives what [`Unmove::outlook`] sees of positions.
pub trait Sight<G: Game + ?Sized> {
    /// A move of the position that is looked at leads to `child`, in another tier.
    fn leaves(&mut self, child: G::Position);

    /// Number `i` is done: how the position ended, if it is over, and how many of its moves stay in the tier.
    fn seen(&mut self, i: u64, over: Option<Outcome>, inside: usize);
}

/// How people see a game: its card, its text and its board.
pub trait Face: Game<Position: Packed> + Sized {
    /// Name, rules and options.
    const CARD: Card;
    /// Whether the game ever has a [`note`](Face::note).
    const NOTES: bool = false;

    /// Makes the variant with these options, which are within the ranges of the card.
    fn new(options: &Options) -> Result<Self, Complaint>;

    /// Writes a position: the player to move, and the pieces.
    fn show(&self, turn: Turn, p: Self::Position) -> String {
        format!("{}_{}", turn.digit(), self.pieces(turn, p))
    }

    /// A position that shows the notation where a typed position is refused: the start.
    fn sample(&self) -> String {
        self.show(self.start_turn(), self.start())
    }

    /// Reads a position that a person typed, and refuses impossible ones.
    fn read(&self, text: &str) -> Result<(Turn, Self::Position), Complaint>;

    /// The words of a list of moves, separated by blanks or commas.
    fn move_words<'a>(&self, text: &'a str) -> Vec<&'a str> {
        text.split([' ', ',', '\t', '\n']).filter(|w| !w.is_empty()).collect()
    }

    /// Writes a move.
    fn show_move(&self, turn: Turn, p: Self::Position, m: Self::Move) -> String;

    /// The empty board.
    fn board(&self) -> Board;

    /// The contents of each cell of the board, one character a cell.
    fn pieces(&self, turn: Turn, p: Self::Position) -> String;

    /// The drawing of a move on the board.
    fn draw(&self, turn: Turn, p: Self::Position, m: Self::Move) -> Drawing;

    /// A remark on a position in a few words, such as its value in a theory of the game's own, as far as it is found
    /// within the limits. Front ends ask for it for single positions that people look at.
    fn note(&self, _turn: Turn, _p: Self::Position, _limits: Limits) -> Option<String> {
        None
    }
}
