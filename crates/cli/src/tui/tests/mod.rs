//! The terminal UI without a terminal: keys go in, and the screen is read as text.

mod play;
mod puzzles;
mod screen;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use zermelo::Answers;
use zermelo_core::{Job, Opened, Position, Reason, Solved, Tables, Tier, Turn, Unit, Value, Width};

use super::keys::Key;
use super::session::Session;
use super::{Player, Setup, screen as drawing, words};

const TIC_TAC_TOE: &str = "mnk";
const QUIXO: &str = "quixo:rows=3,cols=3,line=3";
/// Pentago with 30 stones, black to move; and with 31 stones, where white wins with a stone on d3.
const PENTAGO: [&str; 2] = ["5495561121343750226", "4688049120324758059"];
const HUMANS: [Player; 2] = [Player::Human; 2];
const PERFECT: Player = Player::Computer { strength: 1.0 };

impl Default for Setup {
    /// A person against the perfect player, with values shown.
    fn default() -> Self {
        Setup {
            position: None,
            players: [Player::Human, Player::Computer { strength: 1.0 }],
            hints: true,
            seed: 0,
        }
    }
}

/// Solved tiers in memory.
struct Solution(HashMap<Tier, Arc<dyn Solved>>);

impl Tables for Solution {
    fn has(&self, tier: Tier) -> bool {
        self.0.contains_key(&tier)
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        let Some(solved) = self.0.get(&tier) else { return Ok(None) };
        let mut bytes = vec![];
        solved.write(rank..rank + 1, &mut bytes);
        let code = bytes.iter().rev().fold(0, |code, byte| code << 8 | u16::from(*byte));
        Ok(Some((code, solved.width())))
    }
}

/// Tables that cannot be read.
struct Broken;

impl Tables for Broken {
    fn has(&self, _: Tier) -> bool {
        true
    }

    fn code(&self, _: Tier, _: u64) -> Result<Option<(u16, Width)>, Reason> {
        Err("block 7 is damaged".into())
    }
}

/// A game without tables.
fn open(name: &str) -> Answers {
    Answers::of(zermelo::open(name, None, None).expect("a game"))
}

/// A game solved in memory.
fn solved(name: &str) -> Answers {
    fn solve(game: &Opened, tier: Tier, tiers: &mut HashMap<Tier, Arc<dyn Solved>>) -> Arc<dyn Solved> {
        if let Some(solved) = tiers.get(&tier) {
            return solved.clone();
        }
        let children = game.tiers().children(tier);
        let children: Vec<_> = children.into_iter().map(|child| solve(game, child, tiers)).collect();
        let job =
            Job { tier, reached: None, children: &children, memory: 1 << 30, watch: &(), checkpoint: None };
        let solved = game.engine().solve(&job).expect("solvable");
        tiers.insert(tier, solved.clone());
        solved
    }
    let (mut answers, mut tiers) = (open(name), HashMap::new());
    solve(&answers.game, answers.game.tiers().root(), &mut tiers);
    answers.database = Some(Arc::new(Solution(tiers)));
    answers
}

/// A session with the players given.
fn session(answers: &Answers, players: [Player; 2]) -> Session<'_> {
    Session::new(answers, Setup { players, ..Setup::default() }).expect("a session")
}

/// A position of a game.
fn at(answers: &Answers, text: &str) -> Position {
    answers.game.oracle().parse(text).expect("a position")
}

/// Presses keys: letters stand for themselves, `^v<>` for the arrows, `.` for Enter, `!` for Esc, `|` for Tab.
fn press(session: &mut Session<'_>, keys: &str) {
    for key in keys.chars() {
        session.apply(match key {
            '^' => Key::Up,
            'v' => Key::Down,
            '<' => Key::Left,
            '>' => Key::Right,
            '.' => Key::Enter,
            '!' => Key::Esc,
            '|' => Key::Tab,
            c => Key::Char(c),
        });
    }
}

/// Puts the cursor on a cell with cursor keys and picks it.
fn pick(session: &mut Session<'_>, name: &str) {
    let cell = session.board().names.iter().position(|n| n == name).expect("a cell");
    for _ in 0..100 {
        let ((x, y), (cx, cy)) = (session.board().cells[cell], session.board().cells[session.cursor]);
        session.apply(match (x - cx, y - cy) {
            (dx, _) if dx > 0.0 => Key::Right,
            (dx, _) if dx < 0.0 => Key::Left,
            (_, dy) if dy > 0.0 => Key::Down,
            (_, dy) if dy < 0.0 => Key::Up,
            _ => break,
        });
    }
    assert_eq!(session.cursor, cell, "the cursor keys reach {name}");
    session.apply(Key::Enter);
}

/// Types a position at the prompt.
fn set(session: &mut Session<'_>, position: &str) {
    session.apply(Key::Char('p'));
    position.chars().for_each(|c| session.apply(Key::Char(c)));
    session.apply(Key::Enter);
}

/// The screen as text.
fn look(session: &Session<'_>, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test terminal");
    terminal.draw(|frame| drawing::draw(frame, session)).expect("drawn");
    let buffer = terminal.backend().buffer();
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_string();
    (0..height).map(line).collect::<Vec<_>>().join("\n")
}

fn sentence(session: &Session<'_>) -> String {
    words::sentence(session).0
}

/// Lets the clock run until only a person can move; returns the number of the computer's moves.
fn run(session: &mut Session<'_>, mut now: Instant) -> usize {
    let mut moves = 0;
    for _ in 0..400 {
        let at = session.at;
        now += Duration::from_millis(500);
        session.tick(now);
        moves += usize::from(session.at != at);
    }
    moves
}

/// Does every search that the session asks for.
fn search(session: &mut Session<'_>, answers: &Answers) {
    for task in session.take_tasks().unwrap_or_default() {
        let finding = task.search(answers);
        session.learn(finding);
    }
}

fn value_of(session: &Session<'_>, name: &str) -> Option<Value> {
    session.moves.iter().find(|m| m.name == name).expect("a move").worth
}
