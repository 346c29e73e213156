//! Reads keys, and does what each key says.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use zermelo_core::{Position, Unit};

use super::session::{Focus, Session};
use super::typing::{Prompt, Typed};
use super::{Player, geometry, words};

/// A key, in the form that every terminal's keys are read into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    Up,
    Down,
    Left,
    Right,
    Enter,
    Esc,
    Tab,
    Backspace,
    /// Ctrl-U: empties a line.
    Clear,
    /// Ctrl-C.
    Quit,
}

impl Key {
    /// Reads a key press; `None` for keys without a meaning here.
    pub(crate) fn read(event: KeyEvent) -> Option<Key> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        if event.modifiers.contains(KeyModifiers::CONTROL) {
            return match event.code {
                KeyCode::Char('c' | 'C') => Some(Key::Quit),
                KeyCode::Char('u' | 'U') => Some(Key::Clear),
                _ => None,
            };
        }
        // Esc and a key right after it arrive as one key with Alt; no key of this program has Alt.
        if event.modifiers.contains(KeyModifiers::ALT) {
            return Some(Key::Esc);
        }
        Some(match event.code {
            KeyCode::Char(c) => Key::Char(c),
            KeyCode::Up => Key::Up,
            KeyCode::Down => Key::Down,
            KeyCode::Left => Key::Left,
            KeyCode::Right => Key::Right,
            KeyCode::Enter => Key::Enter,
            KeyCode::Esc => Key::Esc,
            KeyCode::Tab | KeyCode::BackTab => Key::Tab,
            KeyCode::Backspace => Key::Backspace,
            _ => return None,
        })
    }

    /// Returns the step of a cursor key. `h` is the hint, so vi's keys come with Shift.
    fn step(self) -> Option<(f32, f32)> {
        match self {
            Key::Up | Key::Char('k' | 'K') => Some((0.0, -1.0)),
            Key::Down | Key::Char('j' | 'J') => Some((0.0, 1.0)),
            Key::Left | Key::Char('H') => Some((-1.0, 0.0)),
            Key::Right | Key::Char('l' | 'L') => Some((1.0, 0.0)),
            _ => None,
        }
    }
}

impl Session<'_> {
    /// Does what a key says.
    pub(super) fn apply(&mut self, key: Key) {
        if key == Key::Quit {
            self.done = true;
        } else if self.help {
            self.help = false;
        } else if let Some(prompt) = self.prompt.take() {
            self.type_into(prompt, key);
        } else {
            self.message = None;
            match key.step() {
                Some(step) => self.step(step),
                None => self.command(key),
            }
        }
    }

    fn command(&mut self, key: Key) {
        match key {
            Key::Enter | Key::Char(' ') => self.enter(),
            Key::Esc => self.cancel(),
            Key::Tab => {
                self.focus = if self.focus == Focus::Board { Focus::List } else { Focus::Board };
            }
            Key::Char('u') => self.undo(),
            Key::Char('r') => self.redo(),
            Key::Char('n') => {
                let start = self.game().oracle().start();
                self.open(start);
            }
            Key::Char('h') => self.hint(),
            Key::Char('v') => {
                self.hints = !self.hints;
                self.refresh();
            }
            Key::Char('c') => self.change_players(),
            Key::Char('s') => {
                self.players.swap(0, 1);
                self.seated();
            }
            Key::Char('+' | '=') => self.strengthen(0.1),
            Key::Char('-' | '_') => self.strengthen(-0.1),
            Key::Char('p') => self.prompt = Some(Prompt::of(Typed::Position, String::new())),
            Key::Char('m') => self.begin_move(String::new()),
            Key::Char('?') => self.help = true,
            Key::Char('q') => self.done = true,
            Key::Char(letter) => self.type_letter(letter),
            _ => {}
        }
    }

    fn step(&mut self, step: (f32, f32)) {
        if self.focus == Focus::Board {
            self.cursor = geometry::neighbour(self.board(), self.cursor, step, |cell| self.may_visit(cell));
            return;
        }
        let last = self.listed().len().saturating_sub(1);
        self.selected = match step.1 {
            y if y < 0.0 => self.selected.saturating_sub(1),
            y if y > 0.0 => (self.selected + 1).min(last),
            _ => self.selected,
        };
    }

    fn enter(&mut self) {
        if self.report().over {
            self.message = Some("The game is over: n begins a new one, u takes a move back".into());
        } else if self.computer().is_some() {
            self.message = (!self.paused).then(|| "The computer is to move".into());
            self.paused = false;
        } else if self.focus == Focus::Board {
            self.pick(self.cursor);
        } else {
            self.choose();
        }
    }

    /// Plays the selected move of the list, or opens the row of its cell.
    fn choose(&mut self) {
        let chosen = self.listed().get(self.selected).map(|m| (m.name.clone(), m.drawing.cells()));
        match chosen {
            Some((_, cells)) if self.is_folded() && cells.len() > 1 => self.pick(cells[0]),
            Some((name, _)) => self.make(&name),
            None => {}
        }
    }

    /// Picks a cell: plays the move it completes, or waits for the next cell.
    fn pick(&mut self, cell: usize) {
        // A piece that drops may be let go anywhere above where it comes to rest.
        let cell = match self.offer(cell) {
            None if self.picks.is_empty() => self.drop_from(cell).unwrap_or(cell),
            _ => cell,
        };
        if self.picks == [cell] && self.offer(cell).is_none() {
            self.unpick();
            return;
        }
        if self.offer(cell).is_none() {
            let name = |cell: usize| self.cell_name(cell);
            self.message = Some(match self.picks.first() {
                None if self.column_name(cell).is_some() => {
                    format!("Column {} is full", self.column_name(cell).unwrap_or_default())
                }
                None => format!("No move begins at {}", name(cell)),
                Some(from) => {
                    format!("No move from {} to {}; Esc picks another cell", name(*from), name(cell))
                }
            });
            return;
        }
        self.picks.push(cell);
        self.selected = 0;
        let left: Vec<_> = self.shown().map(|m| (m.name.clone(), m.drawing.cells())).collect();
        let complete = left.iter().all(|(_, cells)| cells.len() == self.picks.len());
        match left.as_slice() {
            [(name, _)] if complete => self.make(name),
            // There is one way to go on: the cursor goes to the next cell and waits.
            [(_, cells)] => self.cursor = cells[self.picks.len()],
            [(_, best), ..] if self.board().twist(best[best.len() - 1]).is_some() => {
                self.cursor = best[best.len() - 1];
                let name = self.cell_name(cell);
                self.message = Some(format!("Stone on {name}: now pick a turn, or Esc"));
            }
            _ if complete => {
                self.focus = Focus::List;
                self.message =
                    Some("Several moves look the same on the board: choose one in the list".into());
            }
            left if self.shown().all(|m| m.drawing.taken().is_some())
                && left.iter().all(|(_, cells)| cells.len() == self.picks.len() + 1) =>
            {
                self.message = Some("Now pick the man to take, or Esc".into());
            }
            _ => {
                let name = self.cell_name(cell);
                self.message = Some(format!("From {name}: now pick where to, or Esc"));
            }
        }
    }

    fn cancel(&mut self) {
        if self.picks.is_empty() {
            self.focus = Focus::Board;
            self.hinted = None;
        }
        self.unpick();
        self.selected = 0;
    }

    fn undo(&mut self) {
        match self.at {
            0 => self.message = Some("There is no move to take back".into()),
            _ => self.go_on(|at| at.checked_sub(1)),
        }
    }

    fn redo(&mut self) {
        match self.steps.len() - 1 {
            last if last == self.at => self.message = Some("There is no move to make again".into()),
            last => self.go_on(|at| Some(at + 1).filter(|at| *at <= last)),
        }
    }

    /// Goes along the line of play to the next position with a person to move; between two computers, one move.
    fn go_on(&mut self, next: impl Fn(usize) -> Option<usize>) {
        let shared = self.players.contains(&Player::Human);
        while let Some(to) = next(self.at)
            && self.travel(to)
            && shared
            && self.computer().is_some()
        {}
        self.wait();
    }

    /// Pauses a computer to move, so that it does not move on at once after an undo.
    fn wait(&mut self) {
        self.paused = self.computer().is_some();
        if self.paused && self.message.is_none() {
            self.message = Some("The computer waits: Enter lets it move".into());
        }
    }

    fn change_players(&mut self) {
        let computer = Player::Computer { strength: self.strength };
        self.players = match self.players {
            // A puzzle has one player, who moves for both sides.
            [Player::Human, _] if self.unit() == Unit::Goal => [computer; 2],
            [Player::Computer { .. }, _] if self.unit() == Unit::Goal => [Player::Human; 2],
            [Player::Human, Player::Human] => [Player::Human, computer],
            [Player::Human, Player::Computer { .. }] => [computer, Player::Human],
            [Player::Computer { .. }, Player::Human] => [computer, computer],
            [Player::Computer { .. }, Player::Computer { .. }] => [Player::Human, Player::Human],
        };
        self.seated();
    }

    fn seated(&mut self) {
        self.paused = false;
        self.unpick();
        self.message = Some(format!("Players: {}", words::seats(self)));
    }

    fn strengthen(&mut self, more: f32) {
        // In whole tenths, so that ten steps are exactly the whole range.
        let change = |strength: f32| ((strength + more) * 10.0).round().clamp(0.0, 10.0) / 10.0;
        self.strength = change(self.strength);
        for player in &mut self.players {
            if let Player::Computer { strength } = player {
                *strength = change(*strength);
            }
        }
        let percent = self.strength * 100.0;
        self.message = Some(format!("Computer strength {percent:.0}%: how often it plays the best move"));
    }

    fn open(&mut self, position: Position) {
        if let Err(complaint) = self.begin(position) {
            self.message = Some(complaint.to_string());
        }
    }
}
