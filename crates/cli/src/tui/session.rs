//! The state of a session: the line of play, what is known of the position on the board, the players, and the cursor.
//! A session has no terminal and starts no thread.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use zermelo_core::{AskError, Board, Complaint, Drawing, MoveReport, Opened, Position, Report, Turn, Unit};

use super::columns::Columns;
use super::computer::{self, Dice};
use super::thinker::{Finding, Look, Request, Task};
use super::typing::Prompt;
use super::words::{self, preference};
use super::{Player, Setup, geometry};
use zermelo::{Answers, Bound, Slices, full_name, objective_flag};

/// How long the computer lets a person look before it moves.
const PAUSE: Duration = Duration::from_millis(700);
/// How much longer the computer waits for a search.
const SEARCH_WAIT: Duration = Duration::from_secs(4);
/// How much longer the computer waits for a search of all moves at once, which ends by itself.
const LONG_SEARCH_WAIT: Duration = Duration::from_secs(120);

/// The number of moves from which on the list has one row for all moves that begin on the same cell.
const MANY: usize = 60;

/// A position of the line of play, and the move that led to it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) position: Position,
    pub(super) played: Option<(String, Drawing)>,
}

/// The part of the screen that the cursor keys move in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    Board,
    List,
}

/// Everything that the screen shows.
pub(super) struct Session<'a> {
    answers: &'a Answers,
    board: Board,
    /// The moves that columns are named by, in games whose moves are columns: the place of a column, and its name.
    pub(super) columns: Columns,
    pub(super) players: [Player; 2],
    /// The strength of a computer that becomes a player.
    pub(super) strength: f32,
    pub(super) hints: bool,
    pub(super) steps: Vec<Step>,
    pub(super) at: usize,
    report: Report,
    pub(super) moves: Vec<MoveReport>,
    /// The positions of searches that ended without a value.
    given_up: HashSet<Position>,
    asked: bool,
    /// Whether the search of the whole position is under way.
    looking: bool,
    pub(super) cursor: usize,
    /// Cells picked so far for a move of several.
    pub(super) picks: Vec<usize>,
    pub(super) focus: Focus,
    /// The move under the cursor of the list, among those shown.
    pub(super) selected: usize,
    /// The name of the move that is marked as a hint.
    pub(super) hinted: Option<String>,
    pub(super) message: Option<String>,
    pub(super) prompt: Option<Prompt>,
    pub(super) help: bool,
    pub(super) done: bool,
    /// Whether the computer waits until the person lets it go on.
    pub(super) paused: bool,
    due: Option<Instant>,
    dice: Dice,
}

impl<'a> Session<'a> {
    /// Begins at a position or at the start of the game.
    pub(super) fn new(answers: &'a Answers, setup: Setup) -> Result<Self, Complaint> {
        let oracle = answers.game.oracle();
        let board = oracle.board();
        let (report, message) = ask(answers, setup.position.unwrap_or_else(|| oracle.start()))?;
        let strength = |player: &Player| match player {
            Player::Computer { strength } => Some(*strength),
            Player::Human => None,
        };
        let mut session = Session {
            answers,
            cursor: 0,
            columns: Columns::of(answers, &board),
            board,
            players: setup.players,
            strength: setup.players.iter().find_map(strength).unwrap_or(1.0),
            hints: setup.hints,
            steps: vec![Step { position: report.at, played: None }],
            at: 0,
            report,
            moves: vec![],
            given_up: HashSet::new(),
            asked: false,
            looking: false,
            picks: vec![],
            focus: Focus::Board,
            selected: 0,
            hinted: None,
            message,
            prompt: None,
            help: false,
            done: false,
            paused: false,
            due: None,
            dice: Dice(setup.seed),
        };
        session.refresh();
        session.cursor = geometry::middle(&session.board, |cell| session.offer(cell).is_some());
        Ok(session)
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn report(&self) -> &Report {
        &self.report
    }

    /// Returns the name of a cell.
    pub(super) fn cell_name(&self, cell: usize) -> String {
        self.board.names.get(cell).cloned().unwrap_or_default()
    }

    /// Returns the index of the player to move among the two players.
    fn side(&self) -> usize {
        usize::from(self.report.at.turn == Turn::Second)
    }

    pub(super) fn game(&self) -> &Opened {
        &self.answers.game
    }

    /// Returns the unit of the numbers in values.
    pub(super) fn unit(&self) -> Unit {
        self.answers.game.unit
    }

    /// Returns the advice for positions without known values.
    pub(super) fn advice(&self) -> String {
        if Slices::fit(self.game()) && self.game().variant.is_empty() {
            return "the published files may have it: see `zermelo play --help`, --slices".into();
        }
        format!("run `zermelo solve {}{}`", full_name(self.game()), objective_flag(self.game()))
    }

    /// Returns the letters of the two players, in games that have them.
    pub(super) fn marks(&self) -> Option<[char; 2]> {
        let card = self.game().card;
        let told = |letter: &str| {
            [card.rules, card.notation]
                .iter()
                .any(|text| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == letter))
        };
        let plain = self.report.pieces.chars().all(|c| matches!(c, 'x' | 'o' | '-'));
        (plain && told("x") && told("o")).then_some(['x', 'o'])
    }

    /// Returns the strength of the computer, if the computer is to move.
    pub(super) fn computer(&self) -> Option<f32> {
        match self.players[self.side()] {
            Player::Computer { strength } if !self.report.over => Some(strength),
            _ => None,
        }
    }

    /// Returns the value of the position: from a table, a search, or its moves.
    pub(super) fn worth(&self) -> Option<Bound> {
        Bound::of(&self.report, self.unit())
    }

    /// Whether no search will find out more about the position itself.
    pub(super) fn is_position_searched(&self) -> bool {
        self.report.value.is_some() || self.given_up.contains(&self.report.at)
    }

    /// Returns how many moves are settled, and how many there are.
    pub(super) fn searched(&self) -> (usize, usize) {
        let settled = |m: &&MoveReport| m.worth.is_some() || self.given_up.contains(&m.to);
        (self.moves.iter().filter(settled).count(), self.moves.len())
    }

    /// Whether a search of this position goes on.
    pub(super) fn is_searching(&self) -> bool {
        let (done, all) = self.searched();
        done < all || !self.is_position_searched()
    }

    /// Whether no move here has a known value, and no search goes on that could find one.
    pub(super) fn guesses(&self) -> bool {
        !self.moves.is_empty() && self.moves.iter().all(|m| m.worth.is_none()) && !self.is_searching()
    }

    /// Returns what to search, once for each position that is reached.
    pub(super) fn take_tasks(&mut self) -> Option<Vec<Task>> {
        if std::mem::replace(&mut self.asked, true) {
            return None;
        }
        let mut tasks = vec![];
        if !self.is_position_searched() {
            tasks.push(Task::position(self.report.at));
        }
        for m in self.moves.iter().filter(|m| m.worth.is_none() && !self.given_up.contains(&m.to)) {
            // Different moves may lead to the same position.
            if tasks.iter().all(|task| task.position != m.to) {
                tasks.push(Task::child(m.to));
            }
        }
        Some(tasks)
    }

    /// Returns what to find out about a new position, for the thread that searches.
    pub(super) fn take_request(&mut self) -> Option<Request> {
        let tasks = self.take_tasks()?;
        self.looking = !tasks.is_empty();
        // An empty request still ends the work on the position before.
        Some(Request { position: self.report.at, tasks })
    }

    /// Takes the result of a look at a whole position.
    pub(super) fn looked(&mut self, look: Look) {
        if look.position != self.report.at {
            return;
        }
        self.looking = false;
        self.message = look.message.or(self.message.take());
        if let Some(report) = look.report {
            self.report = report;
        }
        self.refresh();
    }

    /// Takes the result of a search.
    pub(super) fn learn(&mut self, finding: Finding) {
        let (Finding { position, value }, unit) = (finding, self.unit());
        if value.is_none() {
            self.given_up.insert(position);
        }
        if self.report.at == position {
            self.report.value = self.report.value.or(value);
        }
        let unknown = self.report.moves.iter_mut().filter(|m| m.value.is_none() && m.to == position);
        unknown.for_each(|m| m.found(value, unit));
        self.refresh();
    }

    /// Updates the moves: their values and their order.
    pub(super) fn refresh(&mut self) {
        let selected = self.listed().get(self.selected).map(|m| m.name.clone());
        let unit = self.unit();
        self.moves = self.report.moves.clone();
        // If values are hidden, the order must not reveal them.
        let worth = |m: &MoveReport| if self.hints { preference(m.worth, unit) } else { (0, 0) };
        self.moves.sort_by_cached_key(|m| (worth(m), m.drawing.cells(), m.name.clone()));
        let again = selected.and_then(|name| self.listed().iter().position(|m| m.name == name));
        self.selected = again.unwrap_or(0);
    }

    /// Returns the moves that begin with the cells picked.
    pub(super) fn shown(&self) -> impl Iterator<Item = &MoveReport> {
        self.moves.iter().filter(|m| m.drawing.cells().starts_with(&self.picks))
    }

    /// Whether the list has a row for each cell where moves begin, and not for each move.
    pub(super) fn is_folded(&self) -> bool {
        self.picks.is_empty() && self.moves.len() > MANY
    }

    /// Returns the moves in the list; of moves that share a row, the best.
    pub(super) fn listed(&self) -> Vec<&MoveReport> {
        let mut begun = HashSet::new();
        let folded = self.is_folded();
        self.shown().filter(|m| !folded || begun.insert(m.drawing.cells().first().copied())).collect()
    }

    /// Returns the letter that the player to move puts on the board, in games in which a turn of the board follows.
    pub(super) fn stone(&self) -> Option<char> {
        let side = self.side();
        let stone = self.board.sides.get(side).and_then(|side| side.men.first()).map(|man| man.letter);
        (!self.board.twists.is_empty()).then(|| stone.unwrap_or(['x', 'o'][side]))
    }

    /// Whether the cursor may go to a cell: only to twists when a twist comes next, and never to twists otherwise.
    pub(super) fn may_visit(&self, cell: usize) -> bool {
        let due = !self.board.twists.is_empty() && !self.picks.is_empty();
        self.board.twist(cell).is_some() == due
    }

    /// Takes back the picked cells; the cursor does not stay on a twist.
    pub(super) fn unpick(&mut self) {
        if let (Some(first), Some(_)) = (self.picks.first(), self.board.twist(self.cursor)) {
            self.cursor = *first;
        }
        self.picks.clear();
    }

    /// Returns the best of the moves that go on with a cell as the next pick.
    pub(super) fn offer(&self, cell: usize) -> Option<&MoveReport> {
        let next = self.picks.len();
        let through = self.shown().filter(|m| m.drawing.cells().get(next) == Some(&cell));
        through.min_by_key(|m| preference(m.worth, self.unit()))
    }

    /// Puts another position on the board; the old position stays when the new one cannot be read.
    fn arrive(&mut self, position: Position) -> Result<(), Complaint> {
        let (report, message) = ask(self.answers, position)?;
        self.report = report;
        self.message = message;
        self.unpick();
        self.hinted = None;
        self.due = None;
        self.asked = false;
        self.looking = false;
        self.selected = 0;
        self.refresh();
        self.selected = 0;
        Ok(())
    }

    /// Makes a move by its name.
    pub(super) fn make(&mut self, name: &str) {
        let Some(made) = self.moves.iter().find(|m| m.name == name).cloned() else { return };
        match self.arrive(made.to) {
            Ok(()) => {
                self.steps.truncate(self.at + 1);
                self.steps.push(Step { position: made.to, played: Some((made.name, made.drawing)) });
                self.at += 1;
            }
            Err(complaint) => {
                self.message = Some(complaint.to_string());
                self.paused = true;
            }
        }
    }

    /// Goes to another place of the line of play; returns whether the session is there.
    pub(super) fn travel(&mut self, to: usize) -> bool {
        let Some(step) = self.steps.get(to) else { return false };
        let arrived = self.arrive(step.position);
        match &arrived {
            Ok(()) => self.at = to,
            Err(complaint) => self.message = Some(complaint.to_string()),
        }
        arrived.is_ok()
    }

    /// Begins a new line of play.
    pub(super) fn begin(&mut self, position: Position) -> Result<(), Complaint> {
        self.arrive(position)?;
        self.steps = vec![Step { position, played: None }];
        self.at = 0;
        self.paused = false;
        Ok(())
    }

    /// Marks the best move and names it.
    pub(super) fn hint(&mut self) {
        let best = self.moves.iter().min_by_key(|m| preference(m.worth, self.unit()));
        let best = best.map(|m| (m.name.clone(), m.worth));
        self.message = Some(match best {
            None => "The game is over: n begins a new one, u takes a move back".into(),
            Some((_, None)) if self.is_searching() => "No hint yet: still thinking".into(),
            Some((_, None)) => format!("No hint: too deep to search; {}", self.advice()),
            Some((name, Some(value))) => {
                let text = words::hint(&name, value, self.unit());
                self.hinted = Some(name);
                text
            }
        });
    }

    /// Lets the computer move when its turn has come and it has waited long enough.
    pub(super) fn tick(&mut self, now: Instant) {
        let Some(strength) = self.computer() else { return };
        if self.paused || self.help || self.prompt.is_some() {
            return;
        }
        let due = *self.due.get_or_insert(now + PAUSE);
        let longest = if self.looking { LONG_SEARCH_WAIT } else { SEARCH_WAIT };
        if now < due || self.is_searching() && now < due + longest {
            return;
        }
        if let Some(chosen) = computer::choose(&self.moves, self.answers.game.unit, strength, &mut self.dice)
        {
            let name = self.moves[chosen].name.clone();
            self.make(&name);
        }
    }
}

/// Returns the report of a position. A table that cannot be read counts as no table, and gives a message.
fn ask(answers: &Answers, position: Position) -> Result<(Report, Option<String>), Complaint> {
    match answers.look_up(position) {
        Ok(report) => Ok((report, None)),
        Err(AskError::Input(complaint)) => Err(complaint),
        Err(why) => match answers.by_rules(position) {
            Ok(report) => Ok((report, Some(format!("The table could not be read: {why}")))),
            Err(error) => Err(Complaint::new(error.to_string())),
        },
    }
}
