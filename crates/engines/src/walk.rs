//! Walking any game breadth first: its moves, positions made canonical, sequences counted.

use zermelo_core::{Face, Outcome, Packed, Record, Tally, Tiers, Turn, Walker, Walking};

/// A game to be walked through.
pub(crate) struct Walk<'a, G> {
    game: &'a G,
    fold: bool,
    turns: bool,
    whole: bool,
    level: bool,
}

impl<'a, G: Tiers + Face> Walk<'a, G> {
    pub(crate) fn new(game: &'a G, how: Walking) -> Walk<'a, G> {
        let start = game.start();
        Walk {
            game,
            fold: how.fold,
            turns: G::SIDES || how.sides,
            whole: !how.fold || game.alike(start) == 1,
            level: game.ply(start).is_some(),
        }
    }

    /// What a position is known by, with the turn where it counts.
    #[inline]
    fn place(&self, turn: Turn, p: G::Position) -> ([u64; 2], u8) {
        match (self.fold, self.turns) {
            (true, true) => {
                let (turn, p) = self.game.canonical_turn(turn, p);
                (p.pack(), turn as u8)
            }
            (true, false) => (self.game.canonical(p).pack(), 0),
            (false, true) => (p.pack(), turn as u8),
            (false, false) => (p.pack(), 0),
        }
    }

    /// Counts one position, of which there are these records.
    fn count(&self, p: G::Position, over: Option<Outcome>, records: &[Record], tally: &mut Tally) {
        let images = match (self.fold, self.whole) {
            (true, true) => self.game.alike(p),
            (true, false) => 0,
            (false, _) => 1,
        };
        tally.positions += 1;
        tally.unfolded += images;
        let how = records.iter().fold(0, |how, record| how | record.how);
        tally.passes += u64::from(how & Record::PASSED != 0);
        tally.placed += u64::from(how.count_ones());
        let Some(outcome) = over else { return };
        tally.finals += 1;
        tally.unfolded_finals += images;
        let games = records.iter().fold(0, |sum: u64, record| sum.saturating_add(record.games));
        let winner = match outcome {
            Outcome::Tie => 2,
            _ if !self.turns => 0,
            Outcome::Win => records[0].turn,
            Outcome::Lose => 1 - records[0].turn,
        };
        let ended = &mut tally.ended[usize::from(winner)];
        *ended = ended.saturating_add(games);
    }

    /// Pushes what one move leads to.
    #[inline]
    fn follow(&self, p: G::Position, m: G::Move, records: &[Record], out: &mut Vec<Record>) {
        let child = self.game.play(p, m);
        let turn = if records[0].turn == 0 { Turn::First } else { Turn::Second };
        let (key, turn) = self.place(turn.after(self.game, m, child), child);
        let again = G::AGAIN && !G::ALONE && self.game.again(m, child);
        let passed = again && self.game.outcome(child).is_none();
        let how = if passed { Record::PASSED } else { Record::DIRECT };
        for record in records {
            // Sequences are told apart by their passes only where they are counted.
            let passes = record.passes.saturating_add(u16::from(passed && self.level));
            out.push(Record { key, turn, how, passes, games: record.games });
        }
    }
}

/// Counts the sequences that the last moves of some records make.
fn count_games(ply: u32, records: &[Record], tally: &mut Tally) {
    for record in records {
        let length = ply as usize + 1 + usize::from(record.passes);
        tally.add_games(length, record.games);
        if record.how == Record::PASSED {
            // The pass is the last of its sequence, and the move before it of another.
            tally.add_games(length - 1, record.games);
        }
    }
}

impl<G: Tiers + Face> Walker for Walk<'_, G> {
    fn start(&self) -> Record {
        let (key, turn) = self.place(self.game.start_turn(), self.game.start());
        Record { key, turn, how: Record::DIRECT, passes: 0, games: u64::from(self.level) }
    }

    fn level(&self) -> bool {
        self.level
    }

    fn turns(&self) -> bool {
        self.turns
    }

    fn whole(&self) -> bool {
        self.whole
    }

    fn expand(
        &self,
        ply: u32,
        last: bool,
        batch: &[Record],
        out: &mut Vec<Record>,
        room: usize,
        tally: &mut Tally,
    ) -> usize {
        let mut done = 0;
        for records in batch.chunk_by(|a, b| a.place() == b.place()) {
            let p = G::Position::unpack(records[0].key);
            let over = self.game.outcome(p);
            self.count(p, over, records, tally);
            if over.is_none() {
                let before = out.len();
                let mut moves = 0;
                self.game.moves(p, |m| {
                    moves += 1;
                    if !last {
                        self.follow(p, m, records, out);
                    }
                });
                tally.moves += moves;
                if self.level {
                    count_games(ply, &out[before..], tally);
                }
            }
            done += records.len();
            if out.len() >= room {
                break;
            }
        }
        done
    }
}
