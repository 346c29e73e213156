//! Reads the names of games and variants: `quixo:rows=4,cols=4,line=4`.
//!
//! A game lists its options once. Reading, range checks, the normal form and the help come from that list.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

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
#[derive(Debug)]
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
    /// Reads `rows=4,cols=4`; an empty text is the default variant.
    pub fn read(card: &Card, text: &str) -> Result<Options, Complaint> {
        let mut chosen: BTreeMap<&'static str, u32> = BTreeMap::new();
        let mut texts: BTreeMap<&'static str, String> = BTreeMap::new();
        for pair in text.split(',').map(str::trim).filter(|s| !s.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                let (pair, name) = (quoted(pair), card.name);
                Complaint::new(format!("option {pair} of {name}: write it as key=value{}", keys(card)))
            })?;
            let choice = card.options.iter().find(|o| o.name.eq_ignore_ascii_case(key.trim()));
            let choice = choice.ok_or_else(|| {
                Complaint::new(format!("{} has no option {}{}", card.name, quoted(key.trim()), keys(card)))
            })?;
            let twice = match choice.text {
                Some(form) => texts.insert(choice.name, form(value.trim())?).is_some(),
                None => chosen.insert(choice.name, choice.number_of(value.trim())?).is_some(),
            };
            if twice {
                return Err(Complaint::new(format!("option {} is given twice", choice.name)));
            }
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
    fn bad_options_name_the_fix() {
        for (text, part) in [
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
