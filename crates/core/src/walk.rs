//! Walks a game breadth first from the start, with the types of the game erased: one virtual call a batch of
//! positions, none a position. The caller stores the records, sorts them and drops doubles. The game makes new
//! records from records and returns what it saw.

/// A position on the way, and the ways that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The position in 128 bits.
    pub key: [u64; 2],
    /// The player to move, 0 or 1; always 0 where turns are not told apart.
    pub turn: u8,
    /// How the position was reached: [`DIRECT`](Record::DIRECT), [`PASSED`](Record::PASSED) or both.
    pub how: u8,
    /// The number of passes on the way to the position. Positions that differ only in this number are one position.
    pub passes: u16,
    /// The number of sequences of moves that lead to the position, if these are counted; at most `u64::MAX`.
    pub games: u64,
}

impl Record {
    /// Reached by a move after which the other player moves.
    pub const DIRECT: u8 = 1;
    /// Reached by a move after which the other player had to pass.
    pub const PASSED: u8 = 2;

    /// The key that tells positions apart. Records of one position follow each other when sorted.
    #[inline]
    pub fn place(&self) -> WalkedPosition {
        (self.key, self.turn)
    }

    /// The key that tells records apart, in the order that records are sorted by.
    #[inline]
    pub fn id(&self) -> (WalkedPosition, u16) {
        (self.place(), self.passes)
    }

    /// Takes in another record with the same [`id`](Record::id).
    #[inline]
    pub fn merge(&mut self, other: &Record) {
        self.how |= other.how;
        self.games = self.games.saturating_add(other.games);
    }
}

/// A position in a count, packed into 128 bits, with the number of the player to move where the turn tells positions
/// apart.
pub type WalkedPosition = ([u64; 2], u8);

/// The way to walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walking {
    /// Whether symmetric positions are one.
    pub fold: bool,
    /// Whether a position counts twice where both players may find themselves in it, even if the game says that it
    /// does not.
    pub sides: bool,
}

/// The counts of the positions of one ply. Sums stop at `u64::MAX`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Positions; one of each set of symmetric positions where symmetric positions are folded.
    pub positions: u64,
    /// Positions with symmetric ones counted apart; only where [`Walker::whole`] returns true.
    pub unfolded: u64,
    /// Finished positions among [`positions`](Tally::positions).
    pub finals: u64,
    /// Finished positions among [`unfolded`](Tally::unfolded).
    pub unfolded_finals: u64,
    /// Positions reached through a pass.
    pub passes: u64,
    /// Positions reached directly and positions reached through a pass. A position that is reached both ways counts
    /// twice.
    pub placed: u64,
    /// Moves of all positions.
    pub moves: u64,
    /// Sequences by length, as far as they end in the next ply. A pass counts as one move of a sequence.
    pub games: Vec<u64>,
    /// Complete games that end in this ply: won by the first player, won by the second, ties. Where turns are not
    /// told apart, all games that are no ties are in the first place.
    pub ended: [u64; 3],
}

impl Tally {
    /// Adds `games` sequences of a length.
    pub fn add_games(&mut self, length: usize, games: u64) {
        if self.games.len() <= length {
            self.games.resize(length + 1, 0);
        }
        self.games[length] = self.games[length].saturating_add(games);
    }

    /// Adds another tally.
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

    /// Whether every way to a position has the same number of moves, so that no ply meets an earlier one and
    /// sequences can be counted.
    fn level(&self) -> bool;

    /// Whether turns are told apart.
    fn turns(&self) -> bool;

    /// Whether positions are also counted with symmetric ones apart: where none are folded, or where the start is
    /// symmetric to itself alone, so that all images are reached too.
    fn whole(&self) -> bool;

    /// Looks at sorted records of positions after `ply` moves, with all records of a position together. Pushes one
    /// record for each move and way to the position after it; none where this ply is the `last`. Stops after the
    /// position with which `out` has `room` records or more. Returns the number of records looked at.
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
