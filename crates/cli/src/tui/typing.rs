//! Reads what a person types: moves by their names, and positions.

use zermelo_core::Complaint;

use super::keys::Key;
use super::session::Session;

/// What a person types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Position,
    Moves,
}

/// A position or moves being typed, and what was wrong with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) typed: Typed,
    pub(super) text: String,
    pub(super) complaint: Option<String>,
}

impl Prompt {
    /// Returns the prompt for a position or for moves, with a text to begin with.
    pub(super) fn of(typed: Typed, text: String) -> Prompt {
        Prompt { typed, text, complaint: None }
    }
}

impl Session<'_> {
    /// Begins to type a move with a letter that is no key. A move of this letter alone is made at once.
    pub(super) fn type_letter(&mut self, letter: char) {
        let letter = letter.to_string();
        let begins =
            |name: &str| name.get(..letter.len()).is_some_and(|head| head.eq_ignore_ascii_case(&letter));
        let begun: Vec<_> = self.moves.iter().filter(|m| begins(&m.name)).map(|m| m.name.clone()).collect();
        match begun.as_slice() {
            [name] if name.eq_ignore_ascii_case(&letter) => {
                if self.is_turn_of_person() {
                    self.make(name);
                }
            }
            [] if self.is_column(&letter) => self.message = Some(format!("Column {letter} is full")),
            [] => {}
            _ => self.begin_move(letter),
        }
    }

    /// Asks for a move, if a person is to move.
    pub(super) fn begin_move(&mut self, text: String) {
        if self.is_turn_of_person() {
            self.prompt = Some(Prompt::of(Typed::Moves, text));
        }
    }

    /// Whether a person is to move; else a message says why not.
    fn is_turn_of_person(&mut self) -> bool {
        if self.report().over {
            self.message = Some("The game is over: n begins a new one, u takes a move back".into());
        } else if self.computer().is_some() {
            self.message = Some(match self.paused {
                true => "The computer waits: Enter lets it move".into(),
                false => "The computer is to move".into(),
            });
        }
        !self.report().over && self.computer().is_none()
    }

    /// Makes the moves that were typed, until one cannot be made or the computer is to move.
    fn play_typed(&mut self, text: &str) -> Result<(), Complaint> {
        for name in text.split([' ', ',']).filter(|name| !name.is_empty()) {
            if !self.is_turn_of_person() {
                return Ok(());
            }
            let named = self.moves.iter().find(|m| m.name.eq_ignore_ascii_case(name)).map(|m| m.name.clone());
            let made = match named {
                Some(made) => made,
                None => {
                    // The rules read more than the names alone, and say what is wrong with the rest.
                    let to = self.game().oracle().follow(self.report().at, name)?;
                    let same = self.moves.iter().find(|m| m.to == to).map(|m| m.name.clone());
                    same.ok_or_else(|| Complaint::new(format!("{name} is no move here")))?
                }
            };
            self.make(&made);
        }
        Ok(())
    }

    /// Begins at a position that was typed.
    fn typed(&mut self, text: &str) -> Result<(), Complaint> {
        let position = self.game().oracle().parse(text)?;
        self.begin(position)
    }

    pub(super) fn type_into(&mut self, mut prompt: Prompt, key: Key) {
        match key {
            Key::Esc => return,
            Key::Enter if prompt.text.trim().is_empty() => return,
            Key::Enter => {
                let text = prompt.text.trim();
                let done = match prompt.typed {
                    Typed::Position => self.typed(text),
                    Typed::Moves => self.play_typed(text),
                };
                match done {
                    Ok(()) => return,
                    Err(complaint) => prompt.complaint = Some(complaint.to_string()),
                }
            }
            Key::Char(c) => prompt.text.push(c),
            Key::Backspace => {
                prompt.text.pop();
            }
            Key::Clear => prompt.text.clear(),
            Key::Up if prompt.typed == Typed::Position => prompt.text = self.report().position.clone(),
            _ => {}
        }
        self.prompt = Some(prompt);
    }
}
