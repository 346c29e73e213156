//! Reads the names of games and variants: `quixo:rows=4,cols=4,line=4`.
//!
//! A game lists its options once. Reading, range checks, the normal form and the help come from that list. The size of a
//! board may be written in short: `quixo:4x4`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use crate::nearest;

/// A refusal of a text: what was given, and what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Complaint(String);

impl Complaint {
    /// Makes a complaint that says in one sentence what is wrong and what would be right.
    pub fn new(text: impl Into<String>) -> Self {
        Complaint(text.into())
    }

    /// Makes a complaint about a typed position.
    pub fn position(text: &str, why: impl Display) -> Self {
        Complaint(format!("position {}: {why}", quoted(text)))
    }
}

/// Returns a [`Complaint`] whose text is formatted as by `format!`.
#[macro_export]
macro_rules! refuse {
    ($($text:tt)*) => { return Err($crate::Complaint::new(format!($($text)*))) };
}

/// A text quoted for a message, and cut where it is long.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{:?}...", &text[..at]),
        None => format!("{text:?}"),
    }
}

/// Reads a number as people write it: digits and nothing else, no sign before them.
pub fn whole_number<N: FromStr>(text: &str) -> Option<N> {
    text.parse().ok().filter(|_| text.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The description of a game, which needs no opened variant.
#[derive(Debug)]
pub struct Card {
    /// The word people type: lower-case letters and digits.
    pub name: &'static str,
    /// Raised when the rules or the numbering change, so that old databases are not misread.
    pub revision: u32,
    /// The name of the game for people.
    pub title: &'static str,
    /// The summary in one line.
    pub summary: &'static str,
    /// The rules, a few sentences.
    pub rules: &'static str,
    /// How positions and moves are written.
    pub notation: &'static str,
    /// The options.
    pub options: &'static [Choice],
    /// Variants worth trying, with a word on each.
    pub examples: &'static [(&'static str, &'static str)],
}

/// A function that reads the value of an option that may be any text, and returns the normal form of the value.
pub type NormalForm = fn(&str) -> Result<String, Complaint>;

/// One option: a whole number from a range, one of a few words, or a text of the game's own.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The key.
    pub name: &'static str,
    /// The meaning of the option.
    pub help: &'static str,
    /// The words, where the value is one of a few words: the number of a value is its place among them.
    pub words: &'static [&'static str],
    /// The least value.
    pub min: u32,
    /// The greatest value.
    pub max: u32,
    /// The value when the option is not given.
    pub default: u32,
    /// Reads the value, where it is a text. Where this is absent, the text is empty.
    pub text: Option<NormalForm>,
    /// Makes the text from the contents of a file, where people may name a file instead (`file=NAME`).
    pub contents: Option<NormalForm>,
}

/// All options of one variant, each within its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    numbers: BTreeMap<&'static str, u32>,
    texts: BTreeMap<&'static str, String>,
}

impl Choice {
    const NONE: Choice =
        Choice { name: "", help: "", words: &[], min: 0, max: 0, default: 0, text: None, contents: None };

    /// A whole number from a range.
    pub const fn number(name: &'static str, help: &'static str, range: (u32, u32), default: u32) -> Choice {
        Choice { name, help, min: range.0, max: range.1, default, ..Choice::NONE }
    }

    /// One of a few words; the first is the default.
    pub const fn word(name: &'static str, help: &'static str, words: &'static [&'static str]) -> Choice {
        Choice { name, help, words, max: words.len() as u32 - 1, ..Choice::NONE }
    }

    /// A text of the game's own; empty when not given.
    pub const fn text(name: &'static str, help: &'static str, read: NormalForm) -> Choice {
        Choice { name, help, text: Some(read), ..Choice::NONE }
    }

    /// The option, which may also be given by a file. Games read no files: the command line replaces the name of a
    /// file by what `read` makes of the contents.
    pub const fn or_file(self, read: NormalForm) -> Choice {
        Choice { contents: Some(read), ..self }
    }

    /// A value of the option as people type it.
    pub fn show(&self, value: u32) -> String {
        self.words.get(value as usize).map_or_else(|| value.to_string(), |word| word.to_string())
    }

    fn read(&self, text: &str) -> Option<u32> {
        let place = || self.words.iter().position(|word| word.eq_ignore_ascii_case(text));
        let found = if self.words.is_empty() { whole_number(text) } else { place().map(|at| at as u32) };
        found.filter(|n| (self.min..=self.max).contains(n))
    }

    fn number_of(&self, text: &str) -> Result<u32, Complaint> {
        let wrong = || {
            let got = quoted(text).replace('"', "");
            Complaint::new(format!("{}={got}: want {}", self.name, self.range()))
        };
        self.read(text).ok_or_else(wrong)
    }

    /// The values that may be typed, in words.
    pub fn range(&self) -> String {
        match self.words {
            _ if self.text.is_some() => "a text".into(),
            [] => format!("a whole number from {} to {}", self.min, self.max),
            words => words.join(" or "),
        }
    }
}

impl Options {
    /// Reads `rows=4,cols=4`; an empty text is the default variant. The size of a board may be written in short: `4x4`,
    /// or `4x4x3` with the length of a line. A line that is longer than the board by default is then as long as the
    /// board's shorter side.
    pub fn read(card: &Card, text: &str) -> Result<Options, Complaint> {
        let mut chosen: BTreeMap<&'static str, u32> = BTreeMap::new();
        let mut texts: BTreeMap<&'static str, String> = BTreeMap::new();
        let mut size = None;
        for pair in text.split(',').map(str::trim).filter(|s| !s.is_empty()) {
            if let Some(short) = Size::read(card, pair) {
                for (choice, value) in short.options(card)? {
                    once(chosen.insert(choice.name, value).is_some(), choice)?;
                }
                size = Some(short);
                continue;
            }
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                let (pair, name) = (quoted(pair), card.name);
                let short = if Size::of(card).is_some() { ", or a size as 4x4" } else { "" };
                Complaint::new(format!("option {pair} of {name}: write it as key=value{short}{}", keys(card)))
            })?;
            let choice = card.options.iter().find(|o| o.name.eq_ignore_ascii_case(key.trim()));
            let choice = choice.ok_or_else(|| no_option(card, key.trim()))?;
            let twice = match choice.text {
                Some(form) => texts.insert(choice.name, form(value.trim())?).is_some(),
                None => chosen.insert(choice.name, choice.number_of(value.trim())?).is_some(),
            };
            once(twice, choice)?;
        }
        if let Some((line, most)) = size.and_then(|size| Some((line_of(card)?, size.shorter()))) {
            let fitting = line.default.min(most).max(line.min);
            chosen.entry(line.name).or_insert(fitting);
        }
        let numbers = card.options.iter().filter(|o| o.text.is_none());
        let numbers = numbers.map(|o| (o.name, *chosen.get(o.name).unwrap_or(&o.default))).collect();
        Ok(Options { numbers, texts })
    }

    /// The text of an option of the card; empty when not given.
    pub fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", |text| text)
    }

    /// The value of an option of the card. Panics where the card has no number of this name: the game's code then
    /// uses a wrong name.
    pub fn get(&self, name: &str) -> usize {
        let number = self.numbers.get(name);
        *number.unwrap_or_else(|| panic!("the card has no option {name:?} that is a number")) as usize
    }

    /// The normal form: defaults are left out, and options follow the order of the card.
    pub fn normal(&self, card: &Card) -> String {
        let told = card.options.iter().filter_map(|o| {
            match o.text {
                Some(_) => Some(self.text(o.name).to_string()).filter(|text| !text.is_empty()),
                None => self.numbers.get(o.name).filter(|n| **n != o.default).map(|n| o.show(*n)),
            }
            .map(|value| format!("{}={value}", o.name))
        });
        told.collect::<Vec<_>>().join(",")
    }
}

/// A size in short: rows, columns, and perhaps the length of a line.
struct Size<'a>(Vec<&'a str>);

impl<'a> Size<'a> {
    /// The options for rows and for columns; one option where a board has as many of both.
    fn of(card: &Card) -> Option<(&'static Choice, Option<&'static Choice>)> {
        let named = |name: &str| card.options.iter().find(|o| o.name == name);
        Some((named("rows")?, named("cols")))
    }

    /// Reads `4x5` or `4x5x3`, for a game with a board of that kind.
    fn read(card: &Card, text: &'a str) -> Option<Size<'a>> {
        let sides: Vec<_> = text.split(['x', 'X']).collect();
        let digits = |side: &&str| !side.is_empty() && side.bytes().all(|b| b.is_ascii_digit());
        let (_, cols) = Size::of(card)?;
        let most = if line_of(card).is_some() { 3 } else { 2 };
        let good = (2..=most).contains(&sides.len()) && sides.iter().all(digits);
        (good && (cols.is_some() || sides[0] == sides[1])).then_some(Size(sides))
    }

    /// The options that the size stands for, with their values.
    fn options(&self, card: &Card) -> Result<Vec<(&'static Choice, u32)>, Complaint> {
        let Some((rows, cols)) = Size::of(card) else { return Ok(vec![]) };
        let line = self.0.get(2).and_then(|length| Some((line_of(card)?, *length)));
        let sides = [Some((rows, self.0[0])), cols.map(|cols| (cols, self.0[1])), line];
        sides.into_iter().flatten().map(|(choice, side)| Ok((choice, choice.number_of(side)?))).collect()
    }

    /// The shorter side of the board.
    fn shorter(&self) -> u32 {
        self.0.iter().take(2).filter_map(|side| side.parse().ok()).min().unwrap_or(u32::MAX)
    }
}

/// The option for the length of a line, which has one of two names.
fn line_of(card: &Card) -> Option<&'static Choice> {
    card.options.iter().find(|o| o.name == "line" || o.name == "connect")
}

/// Refuses an option that is given twice.
fn once(twice: bool, choice: &Choice) -> Result<(), Complaint> {
    let why = || Complaint::new(format!("option {} is given twice", choice.name));
    if twice { Err(why()) } else { Ok(()) }
}

/// The refusal of an option that the game does not have.
fn no_option(card: &Card, key: &str) -> Complaint {
    let near = nearest(key, card.options.iter().map(|o| o.name));
    let near = near.map_or(String::new(), |name| format!("; did you mean {name}?"));
    Complaint::new(format!("{} has no option {}{near}{}", card.name, quoted(key), keys(card)))
}

fn keys(card: &Card) -> String {
    if card.options.is_empty() {
        return "; it has no options".into();
    }
    let keys: Vec<_> = card.options.iter().map(|o| o.name).collect();
    format!("; its options are {}", keys.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: Card = Card {
        name: "toy",
        revision: 1,
        title: "Toy",
        summary: "",
        rules: "",
        notation: "",
        options: &[Choice::number("rows", "", (2, 8), 5), Choice::number("cols", "", (2, 8), 5)],
        examples: &[],
    };

    #[test]
    #[should_panic(expected = "no option \"row\"")]
    fn a_misspelt_option_is_told_to_the_author() {
        Options::read(&CARD, "").expect("good").get("row");
    }

    #[test]
    fn normal_form_leaves_defaults_out() {
        for (text, normal) in [
            ("", ""),
            ("cols=4", "cols=4"),
            (" COLS = 4 , rows=5", "cols=4"),
            ("cols=3,rows=2", "rows=2,cols=3"),
        ] {
            let options = Options::read(&CARD, text).expect("good options");
            assert_eq!(options.normal(&CARD), normal);
            assert_eq!(Options::read(&CARD, normal).expect("normal form"), options);
        }
    }

    #[test]
    fn sizes_are_short_for_rows_and_columns() {
        const LINES: Card = Card {
            options: &[CARD.options[0], CARD.options[1], Choice::number("line", "", (2, 8), 5)],
            ..CARD
        };
        for (card, text, normal) in [
            (&CARD, "4x6", "rows=4,cols=6"),
            (&CARD, "5X4", "cols=4"),
            (&LINES, "4x6", "rows=4,cols=6,line=4"),
            (&LINES, "8x8", "rows=8,cols=8"),
            (&LINES, "4x4x3", "rows=4,cols=4,line=3"),
            (&LINES, "line=2,4x4", "rows=4,cols=4,line=2"),
        ] {
            let options = Options::read(card, text).expect("good options");
            assert_eq!(options.normal(card), normal, "{text}");
        }
        for (text, part) in [
            ("4x4,rows=3", "rows is given twice"),
            ("4x99", "cols=99: want a whole number from 2 to 8"),
            ("4x4x4", "write it as key=value, or a size as 4x4"),
            ("4x", "write it as key=value"),
        ] {
            let complaint = Options::read(&CARD, text).expect_err(text).to_string();
            assert!(complaint.contains(part), "{complaint}");
        }
    }

    #[test]
    fn bad_options_name_the_fix() {
        for (text, part) in [
            ("row=3", "did you mean rows?"),
            ("clos=3", "did you mean cols?"),
            ("rows=99", "from 2 to 8"),
            ("row=3", "rows, cols"),
            ("rows", "key=value"),
            ("rows=3,rows=3", "twice"),
            ("rows=-1", "from 2 to 8"),
            ("rows=+3", "from 2 to 8"),
        ] {
            let complaint = Options::read(&CARD, text).expect_err(text).to_string();
            assert!(complaint.contains(part), "{complaint}");
        }
    }

    #[test]
    fn long_options_are_cut() {
        let long = "a".repeat(1000);
        let of = |text: &str| Options::read(&CARD, text).expect_err(text).to_string();
        let value = of(&format!("rows={long}"));
        assert!(value.contains(&format!("rows={}...: want", "a".repeat(80))), "{value}");
        let pair = of(&long);
        assert!(pair.len() < 200 && pair.contains("key=value"), "{pair}");
    }
}
