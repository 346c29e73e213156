//! What a count gives: sums by ply and in all, as data and as JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use zermelo_core::{Tally, Walker};

/// The positions of one ply, as in [`Tally`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Positions as they were counted.
    pub positions: u64,
    /// Positions, symmetric ones apart.
    pub unfolded: u64,
    /// Finished positions as they were counted.
    pub finals: u64,
    /// Finished positions, symmetric ones apart.
    pub unfolded_finals: u64,
    /// Positions reached through a pass.
    pub passes: u64,
    /// Positions by how they were reached: directly, and through a pass.
    pub placed: u64,
    /// Moves of all positions.
    pub moves: u64,
}

impl Row {
    fn add(&mut self, tally: &Tally) {
        self.positions += tally.positions;
        self.unfolded += tally.unfolded;
        self.finals += tally.finals;
        self.unfolded_finals += tally.unfolded_finals;
        self.passes += tally.passes;
        self.placed += tally.placed;
        self.moves += tally.moves;
    }
}

/// The sums of a count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Rows by the number of moves made; the last row may not be finished.
    pub rows: Vec<Row>,
    /// Sequences of moves by length; `u64::MAX` stands for more than can be counted.
    pub games: Vec<u64>,
    /// Complete games: won by the first player, won by the second, ties.
    pub ended: [u64; 3],
}

impl Sums {
    pub(super) fn new(walker: &dyn Walker) -> Sums {
        let games = if walker.level() { vec![1] } else { vec![] };
        Sums { rows: vec![Row::default()], games, ended: [0; 3] }
    }

    /// Adds what was found in the last ply.
    pub(super) fn add(&mut self, tally: &Tally) {
        if let Some(row) = self.rows.last_mut() {
            row.add(tally);
        }
        let games = Tally { games: std::mem::take(&mut self.games), ended: self.ended, ..Tally::default() };
        let mut all = games;
        all.merge(tally);
        (self.games, self.ended) = (all.games, all.ended);
    }

    pub(super) fn next_ply(&mut self) {
        self.rows.push(Row::default());
    }

    /// Moves from the last ply.
    pub(super) fn moves(&self) -> u64 {
        self.rows.last().map_or(0, |row| row.moves)
    }
}

/// The result of a count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// The sums of the count.
    pub sums: Sums,
    /// Whether the walk came to its end by itself.
    pub ended: bool,
    /// Whether symmetric positions were counted as one.
    pub folded: bool,
    /// Whether positions were also counted with symmetric ones apart.
    pub whole: bool,
    /// Whether games were counted.
    pub level: bool,
    /// Whether turns were told apart.
    pub turns: bool,
    /// Wall time of all runs.
    pub seconds: f64,
    /// CPU time of all runs.
    pub cpu_seconds: f64,
    /// The most memory held at once, where the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// The most that files of records took at once.
    pub disk_bytes: u64,
}

/// Complete games, as far as they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Games {
    /// All complete games.
    pub total: Option<u64>,
    /// Games won by the first player.
    pub first: Option<u64>,
    /// Games won by the second player.
    pub second: Option<u64>,
    /// Games that nobody won.
    pub ties: Option<u64>,
}

impl Counted {
    /// The rows to show, by ply, each with its number of sequences of moves, as far as there are positions or games.
    pub fn plies(&self) -> impl Iterator<Item = (Row, Option<u64>)> {
        let positions = self.sums.rows.len();
        // Sequences with passes are longer than moves were made; where the walk was cut short
        // those are not all there.
        let rows = if self.ended { positions.max(self.sums.games.len()) } else { positions };
        (0..rows).map(|n| (self.sums.rows.get(n).copied().unwrap_or_default(), self.games(n)))
    }

    fn games(&self, length: usize) -> Option<u64> {
        let games = self.sums.games.get(length).copied().unwrap_or(0);
        Some(games).filter(|n| self.level && *n != u64::MAX)
    }

    /// The sum of all plies.
    pub fn total(&self) -> Row {
        let mut all = Row::default();
        for row in &self.sums.rows {
            all.positions += row.positions;
            all.unfolded += row.unfolded;
            all.finals += row.finals;
            all.unfolded_finals += row.unfolded_finals;
            all.passes += row.passes;
            all.placed += row.placed;
            all.moves += row.moves;
        }
        all
    }

    /// Complete games, where all were walked.
    pub fn complete_games(&self) -> Option<Games> {
        let known = |n: u64| Some(n).filter(|n| *n != u64::MAX);
        let [first, second, ties] = self.sums.ended.map(known);
        let total = first.zip(second).zip(ties);
        let total = total.and_then(|((a, b), c)| known(a.saturating_add(b).saturating_add(c)));
        let told = |n: Option<u64>| n.filter(|_| self.turns);
        let games = Games { total, first: told(first), second: told(second), ties };
        Some(games).filter(|_| self.level && self.ended)
    }

    /// A count of positions with symmetric ones apart, where that is known.
    pub fn apart(&self, unfolded: u64) -> Option<u64> {
        Some(unfolded).filter(|_| self.whole)
    }

    /// A count of positions up to symmetry, where that is known.
    pub fn canonical(&self, counted: u64) -> Option<u64> {
        Some(counted).filter(|_| self.folded)
    }

    /// The result as JSON, for the names of a game and of its variant.
    pub fn json(&self, game: &str, variant: &str) -> Json {
        let row = |(ply, (row, games)): (usize, (Row, Option<u64>))| {
            json!({
                "ply": ply,
                "positions": self.apart(row.unfolded),
                "canonical_positions": self.canonical(row.positions),
                "finals": self.apart(row.unfolded_finals),
                "canonical_finals": self.canonical(row.finals),
                "passes": row.passes,
                "placed": row.placed,
                "moves": row.moves,
                "games": games,
            })
        };
        let total = self.total();
        let complete = self.complete_games();
        let complete = complete
            .map(|g| json!({ "total": g.total, "first": g.first, "second": g.second, "ties": g.ties }));
        json!({
            "game": game,
            "variant": variant,
            "symmetries": self.folded,
            "sides": self.turns,
            "plies": self.plies().enumerate().map(row).collect::<Vec<_>>(),
            "positions": self.apart(total.unfolded),
            "canonical_positions": self.canonical(total.positions),
            "finals": self.apart(total.unfolded_finals),
            "canonical_finals": self.canonical(total.finals),
            "complete_games": complete,
            "finished": self.ended,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "peak_memory_bytes": self.peak_memory_bytes,
            "disk_bytes": self.disk_bytes,
        })
    }
}
