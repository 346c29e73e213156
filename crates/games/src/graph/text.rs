//! Lists as text, for files.
//!
//! ```text
//! graph NAME              the first line; after the name, impartial where both players have the same moves
//! # a remark
//! TEXT WORD>TEXT ...      a position and its moves; >> where the same player moves again. The first one is the start
//! TEXT win                a position where the game is over, for the player to move; also lose or tie
//! TEXT win 3              with the margin, in all such positions or in none
//! ```
//!
//! Blanks separate. In names, a blank, `%`, `>` and `#` are written as `%` with two hexadecimal digits.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use zermelo_core::{Complaint, Outcome, quoted};

use super::list::{GraphList, GraphParts};

/// The word of each outcome.
const OUTCOMES: [(&str, Outcome); 3] =
    [("lose", Outcome::Lose), ("tie", Outcome::Tie), ("win", Outcome::Win)];

/// A name with what would be misread as codes.
fn coded(name: &str) -> String {
    let odd = |b: u8| b <= b' ' || matches!(b, b'%' | b'>' | b'#' | 0x7f);
    let mut out = Vec::with_capacity(name.len());
    for b in name.bytes() {
        match odd(b) {
            true => out.extend(format!("%{b:02X}").bytes()),
            false => out.push(b),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The inverse of [`coded`]; `None` where a code is none.
fn plain(coded: &str) -> Option<Cow<'_, str>> {
    if !coded.contains('%') {
        return Some(Cow::Borrowed(coded));
    }
    let mut parts = coded.split('%');
    let mut out = parts.next()?.as_bytes().to_vec();
    for part in parts {
        out.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        out.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}

/// Reads the lines of positions, one after another.
struct Lines<'t> {
    parts: GraphParts,
    numbers: HashMap<Cow<'t, str>, u32>,
    words: HashMap<&'t str, u32>,
    scored: Option<bool>,
}

impl<'t> Lines<'t> {
    fn number(&self, text: &str) -> Option<u32> {
        self.numbers.get(plain(text)?.as_ref()).copied()
    }

    /// Takes the outcome of a position, from the words after its text.
    fn over(&mut self, outcome: Outcome, rest: &[&str]) -> Result<(), String> {
        let score = match rest {
            [] => None,
            [score] => {
                Some(score.parse::<i32>().map_err(|_| format!("margin {}: want a number", quoted(score)))?)
            }
            _ => return Err("after the outcome stands the margin alone".into()),
        };
        if *self.scored.get_or_insert(score.is_some()) != score.is_some() {
            return Err("some positions have a margin and others none".into());
        }
        self.parts.over.push(Some(outcome));
        self.parts.scores.push(score.unwrap_or(0));
        Ok(())
    }

    fn one_move(&mut self, text: &'t str) -> Result<(), String> {
        let want = || format!("move {}: want word>position, or an outcome alone", quoted(text));
        let (word, to) = text.split_once('>').ok_or_else(want)?;
        let (again, to) = to.strip_prefix('>').map_or((false, to), |to| (true, to));
        let none = || format!("move {} leads to no position of the list", quoted(text));
        self.parts.to.push(self.number(to).ok_or_else(none)?);
        self.parts.again.push(again);
        let known = self.words.get(word).copied();
        let number = match known {
            Some(number) => number,
            None => {
                let number = self.parts.words.push(&plain(word).ok_or_else(want)?);
                self.words.insert(word, number);
                number
            }
        };
        self.parts.word.push(number);
        Ok(())
    }

    fn position(&mut self, words: &[&'t str]) -> Result<(), String> {
        let (Some(text), rest) = (words.first(), words.get(1..).unwrap_or_default()) else { return Ok(()) };
        self.parts.texts.push(&plain(text).ok_or("a code after % is none")?);
        let outcome = rest.first().and_then(|word| OUTCOMES.iter().find(|(name, _)| name == word));
        match outcome {
            Some((_, outcome)) => self.over(*outcome, &rest[1..])?,
            None => {
                self.parts.over.push(None);
                self.parts.scores.push(0);
                rest.iter().try_for_each(|text| self.one_move(text))?;
            }
        }
        self.parts.ends.push(self.parts.to.len() as u32);
        Ok(())
    }
}

impl GraphList {
    /// Reads a list from a text, and refuses one that does not fit together.
    pub fn read(text: &str) -> Result<GraphList, Complaint> {
        let about = |line: usize, why: &str| Complaint::new(format!("line {}: {why}", line + 1));
        let lines =
            text.lines().enumerate().map(|(at, line)| (at, line.split_whitespace().collect::<Vec<_>>()));
        let mut lines = lines.filter(|(_, words)| words.first().is_some_and(|word| !word.starts_with('#')));
        let parts = match lines.next() {
            Some((_, words)) if words[0] == "graph" && matches!(words[1..], [_] | [_, "impartial"]) => {
                GraphParts { name: words[1].into(), impartial: words.len() == 3, ..GraphParts::default() }
            }
            _ => return Err(Complaint::new("want a list of positions: its first line is `graph NAME`")),
        };
        let lines: Vec<_> = lines.collect();
        let mut numbers = HashMap::with_capacity(lines.len());
        for ((at, words), p) in lines.iter().zip(0..) {
            let name = plain(words[0]).ok_or_else(|| about(*at, "a code after % is none"))?;
            if numbers.insert(name, p).is_some() {
                return Err(about(*at, &format!("position {} stands there twice", quoted(words[0]))));
            }
        }
        let mut list = Lines { parts, numbers, words: HashMap::new(), scored: None };
        for (at, words) in &lines {
            list.position(words)
                .map_err(|why| about(*at, &format!("position {}: {why}", quoted(words[0]))))?;
        }
        if list.scored != Some(true) {
            list.parts.scores.clear();
        }
        GraphList::new(list.parts)
    }

    /// The list as a text that [`GraphList::read`] reads back.
    pub fn write(&self) -> String {
        let (parts, mut out) = (self.parts(), String::new());
        let impartial = if parts.impartial { " impartial" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "graph {}{impartial}", parts.name);
        for p in 0..self.len() as u32 {
            out += &coded(self.text(p));
            if let Some(over) = self.outcome(p) {
                let name = OUTCOMES.iter().find(|(_, outcome)| *outcome == over).map_or("", |(name, _)| name);
                let _ = write!(out, " {name}");
                if self.has_scores() {
                    let _ = write!(out, " {}", self.score(p));
                }
            }
            for m in self.moves(p) {
                let arrow = if self.again(m) { ">>" } else { ">" };
                let _ = write!(out, " {}{arrow}{}", coded(self.word(m)), coded(self.text(self.target(m))));
            }
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            "graph a\na x>b y>>c\nb x>c\nc lose -3",
            "graph b impartial\n# a remark\n\na%20b x%3E>c%25\nc%25 lose\n",
            "graph c\n(1,%20\"x\") \u{e9}>end\nend tie\n",
        ] {
            let list = GraphList::read(text).expect("a list");
            let back = GraphList::read(&list.write()).expect("a list");
            assert_eq!((list.id(), list.write()), (back.id(), back.write()));
        }
        let list = GraphList::read("graph b\na%20b x%3E>c%25\nc%25 lose").expect("a list");
        assert_eq!((list.text(0), list.word(0), list.text(1)), ("a b", "x>", "c%"));
        assert_eq!((list.find("c%"), list.find("c")), (Some(1), None));
    }

    #[test]
    fn a_text_that_is_no_list_says_where() {
        for (text, part) in [
            ("", "graph NAME"),
            ("p cnf 2 2", "graph NAME"),
            ("graph a b", "graph NAME"),
            ("graph a\na x>b", "line 2: position \"a\": move \"x>b\" leads to no position"),
            ("graph a\na x\nb lose", "want word>position"),
            ("graph a\na lose x", "want a number"),
            ("graph a\na lose 1 2", "margin alone"),
            ("graph a\na x>b y>c\nb lose -1\nc lose", "line 4"),
            ("graph a\na%2 lose", "code"),
            ("graph a\na%GG lose", "code"),
            ("graph a\na%FF lose", "code"),
            ("graph a\na", "no move"),
        ] {
            let refused = GraphList::read(text).expect_err(text).to_string();
            assert!(refused.contains(part), "{text}: {refused}");
        }
    }
}
