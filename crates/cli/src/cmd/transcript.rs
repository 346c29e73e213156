//! Plays a game by lines: moves come in on standard input, boards and values go out. So games can be scripted and kept.

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::time::Duration;

use zermelo::{Answers, Budget, search_memory};
use zermelo_core::{AskError, Complaint, MoveReport, Position, Report, Turn, Unit, Value};

use super::colour::{DIM, styled, valued};
use super::groups;
use super::query::SEARCH_MEMORY;
use super::sides::Sides;
use crate::tui::Player;
use crate::tui::computer::{Dice, choose};

/// How long a position is searched that has no table.
const SEARCH: Duration = Duration::from_secs(1);

/// A game that is played by lines.
pub(super) struct Transcript<'a> {
    answers: &'a Answers,
    players: [Player; 2],
    /// Whether values are printed.
    hints: bool,
    dice: Dice,
    /// The position that `new` goes back to.
    start: Position,
    /// The positions so far, and the move that was made in each but the last.
    before: Vec<Position>,
    at: Report,
}

impl<'a> Transcript<'a> {
    pub(super) fn new(
        answers: &'a Answers,
        start: Option<Position>,
        players: [Player; 2],
        hints: bool,
        seed: u64,
    ) -> Result<Transcript<'a>, AskError> {
        let start = start.unwrap_or_else(|| answers.game.oracle().start());
        let at = ask(answers, start)?;
        Ok(Transcript { answers, players, hints, dice: Dice(seed), start, before: vec![], at })
    }

    /// Plays until the input ends or says `quit`. A line that cannot be played is told, with its number, and is left out;
    /// the exit status is then 2.
    pub(super) fn run(mut self, input: impl BufRead, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let mut clean = true;
        self.show(out)?;
        self.answer(out)?;
        for (number, line) in (1u64..).zip(input.lines()) {
            let line = line?;
            let words = line.split('#').next().unwrap_or_default().trim();
            match words {
                "" => continue,
                "quit" => break,
                _ => {}
            }
            if let Err(error) = self.obey(words, out) {
                let Some(complaint) = error.downcast_ref::<Complaint>() else { return Err(error) };
                out.flush()?;
                eprintln!("zermelo: line {number}: {complaint}");
                clean = false;
            }
            out.flush()?;
        }
        out.flush()?;
        Ok(ExitCode::from(if clean { 0 } else { 2 }))
    }

    /// Does what a line says: one of four words, or moves.
    fn obey(&mut self, words: &str, out: &mut impl Write) -> anyhow::Result<()> {
        match words {
            "new" => {
                self.before.clear();
                self.at = ask(self.answers, self.start)?;
                self.show(out)?;
                self.answer(out)?;
            }
            "undo" => {
                // Back to where a person is to move.
                while let Some(before) = self.before.pop() {
                    self.at = ask(self.answers, before)?;
                    if self.computer().is_none() {
                        break;
                    }
                }
                self.show(out)?;
                self.answer(out)?;
            }
            "hint" => self.tell_moves(out)?,
            _ => {
                for name in
                    words.split(|c: char| c == ',' || c.is_whitespace()).filter(|name| !name.is_empty())
                {
                    self.play(name, out)?;
                    self.answer(out)?;
                }
            }
        }
        Ok(())
    }

    /// Makes a person's move.
    fn play(&mut self, name: &str, out: &mut impl Write) -> anyhow::Result<()> {
        if self.at.over {
            return Err(Complaint::new(format!("{name}: the game is over; undo, new and quit go on")).into());
        }
        let found = self.at.moves.iter().find(|m| m.name.eq_ignore_ascii_case(name)).cloned();
        match found {
            Some(found) => self.make(&found, "", out),
            None => {
                // The rules read more than the names alone, and say what is wrong with the rest.
                let to = self.answers.game.oracle().follow(self.at.at, name)?;
                match self.at.moves.iter().find(|m| m.to == to).cloned() {
                    Some(found) => self.make(&found, "", out),
                    None => Err(Complaint::new(format!("{name} is no move here; hint lists all")).into()),
                }
            }
        }
    }

    fn make(&mut self, made: &MoveReport, by: &str, out: &mut impl Write) -> anyhow::Result<()> {
        let player = match self.answers.game.unit {
            Unit::Goal => String::new(),
            _ => format!(" ({}{by})", Sides::of(&self.answers.game).player(self.at.at.turn)),
        };
        self.before.push(self.at.at);
        writeln!(out, "\n{}. {}{player}", self.before.len(), made.name)?;
        self.at = ask(self.answers, made.to)?;
        self.show(out)?;
        Ok(())
    }

    /// Returns the strength of the computer, if it is to move.
    fn computer(&self) -> Option<f32> {
        match self.players[usize::from(self.at.at.turn == Turn::Second)] {
            Player::Computer { strength } if !self.at.over => Some(strength),
            _ => None,
        }
    }

    /// Makes the moves of the computer, until a person is to move or the game is over.
    fn answer(&mut self, out: &mut impl Write) -> anyhow::Result<()> {
        let mut met = std::collections::HashSet::new();
        while let Some(strength) = self.computer() {
            if !met.insert(self.at.at) {
                writeln!(out, "The position came before: play may never end.")?;
                break;
            }
            let Some(n) = choose(&self.at.moves, self.answers.game.unit, strength, &mut self.dice) else {
                break;
            };
            let chosen = self.at.moves[n].clone();
            let by = if chosen.worth.is_none() { ", computer, guessing" } else { ", computer" };
            self.make(&chosen, by, out)?;
        }
        Ok(())
    }

    /// Prints the position, and what it is worth or how the game ended.
    fn show(&self, out: &mut impl Write) -> std::io::Result<()> {
        let (game, at) = (&self.answers.game, &self.at);
        let sides = Sides::of(game);
        let told = match (at.over, at.value, self.hints) {
            (true, value, _) => ending(game.unit, &sides, at.at.turn, value),
            (_, _, false) => String::new(),
            (_, None, _) => "not known".into(),
            (_, Some(value), _) if game.unit == Unit::Goal => game.unit.text(value),
            (_, Some(value), _) => {
                format!("{} for {}, who is to move", game.unit.text(value), sides.player(at.at.turn))
            }
        };
        writeln!(out, "{}", format!("{}  {}", at.position, valued(at.value, told)).trim_end())?;
        super::draw(out, game, &at.pieces)
    }

    fn tell_moves(&self, out: &mut impl Write) -> std::io::Result<()> {
        if self.at.over {
            return writeln!(out, "{}", styled(DIM, "The game is over."));
        }
        let unit = self.answers.game.unit;
        groups::tell(out, &self.answers.game, &self.at, |_, m| {
            m.worth.map_or("not known".into(), |value| unit.text(value))
        })
    }
}

/// Returns how a finished game ended.
fn ending(unit: Unit, sides: &Sides, turn: Turn, value: Option<Value>) -> String {
    match value {
        Some(Value::Win(_)) if unit == Unit::Goal => "solved".into(),
        _ if unit == Unit::Goal => "stuck: there is no move left".into(),
        Some(Value::Win(_)) => sides.wins(turn),
        Some(Value::Lose(_)) => sides.wins(turn.other()),
        Some(Value::Tie(_)) => "a tie".into(),
        Some(Value::Draw) | None => "the game is over".into(),
    }
}

/// Returns a position with its values: from tables, or else by a search.
fn ask(answers: &Answers, at: Position) -> Result<Report, AskError> {
    let budget = Budget { time: SEARCH, memory: SEARCH_MEMORY, whole: search_memory() };
    Ok(answers.find(at, budget)?.report)
}
