//! Walking a game breadth first from the start, types erased: one virtual call a batch of
//! positions, none a position. Whoever walks keeps the records, sorts them and drops doubles;
//! the game makes records out of records and tells what it saw.

/// A position on the way, and the ways that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The position in 128 bits.
    pub key: [u64; 2],
    /// Who is to move, 0 or 1; 0 where that is not told apart.
    pub turn: u8,
    /// How it was reached: [`DIRECT`](Record::DIRECT), [`PASSED`](Record::PASSED) or both.
    pub how: u8,
    /// Passes on the way to it; positions that differ in these alone are one position.
    pub passes: u16,
    /// Sequences of moves that lead to it, if those are counted; at most `u64::MAX`.
    pub games: u64,
}

impl Record {
    /// Reached by a move after which the other player moves.
    pub const DIRECT: u8 = 1;
    /// Reached by a move after which the other player had to pass.
    pub const PASSED: u8 = 2;

    /// What tells positions apart; records of one position follow each other when sorted.
    #[inline]
    pub fn place(&self) -> Place {
        (self.key, self.turn)
    }

    /// What tells records apart, in the order that they are sorted by.
    #[inline]
    pub fn id(&self) -> (Place, u16) {
        (self.place(), self.passes)
    }

    /// Takes in another record with the same [`id`](Record::id).
    #[inline]
    pub fn merge(&mut self, other: &Record) {
        self.how |= other.how;
        self.games = self.games.saturating_add(other.games);
    }
}

/// A position, with the turn where it counts.
pub type Place = ([u64; 2], u8);

/// How to walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walking {
    /// Whether symmetric positions are one.
    pub fold: bool,
    /// Whether a position counts twice that both players may find themselves in, also where
    /// the game says that it does not.
    pub sides: bool,
}

/// What the positions of one ply are like. Sums stop at `u64::MAX`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Positions; one of each set of symmetric ones where they are folded.
    pub positions: u64,
    /// Positions, symmetric ones apart; only where [`Walker::whole`] says so.
    pub unfolded: u64,
    /// Finished positions among the first.
    pub finals: u64,
    /// Finished positions among the second.
    pub unfolded_finals: u64,
    /// Positions reached through a pass.
    pub passes: u64,
    /// Positions reached directly and those reached through a pass; one that is reached both
    /// ways counts twice.
    pub placed: u64,
    /// Moves of all positions.
    pub moves: u64,
    /// Sequences by their length, a pass being one of it, as far as they end in the next ply.
    pub games: Vec<u64>,
    /// Complete games that end in this ply: won by the first player, won by the second, ties.
    /// Where turns are not told apart those that are no ties stand first.
    pub ended: [u64; 3],
}

impl Tally {
    /// So many more sequences of a length.
    pub fn add_games(&mut self, length: usize, games: u64) {
        if self.games.len() <= length {
            self.games.resize(length + 1, 0);
        }
        self.games[length] = self.games[length].saturating_add(games);
    }

    /// Takes in another one.
    pub fn merge(&mut self, other: &Tally) {
        let sums = [
            (&mut self.positions, other.positions),
            (&mut self.unfolded, other.unfolded),
            (&mut self.finals, other.finals),
            (&mut self.unfolded_finals, other.unfolded_finals),
            (&mut self.passes, other.passes),
            (&mut self.placed, other.placed),
            (&mut self.moves, other.moves),
        ];
        sums.into_iter().for_each(|(sum, n)| *sum = sum.saturating_add(n));
        self.ended.iter_mut().zip(other.ended).for_each(|(sum, n)| *sum = sum.saturating_add(n));
        other.games.iter().enumerate().for_each(|(length, games)| self.add_games(length, *games));
    }
}

/// A game to be walked through.
pub trait Walker: Sync {
    /// The record of the start.
    fn start(&self) -> Record;

    /// Whether every way to a position has as many moves, so that no ply meets an earlier one
    /// and sequences can be counted.
    fn level(&self) -> bool;

    /// Whether turns are told apart.
    fn turns(&self) -> bool;

    /// Whether positions are also counted with symmetric ones apart: where none are folded,
    /// or where the start is symmetric to itself alone, so that all images are reached too.
    fn whole(&self) -> bool;

    /// Looks at sorted records of positions after `ply` moves, all records of a position
    /// together, and pushes one record for each move and way to it; none where this ply is
    /// the `last`. Stops after the position with which `out` has `room` records or more, and
    /// says how many records were looked at.
    fn expand(
        &self,
        ply: u32,
        last: bool,
        batch: &[Record],
        out: &mut Vec<Record>,
        room: usize,
        tally: &mut Tally,
    ) -> usize;
}
