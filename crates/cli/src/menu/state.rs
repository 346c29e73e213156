//! The state of the menu: three pages of rows, one after the other.

use zermelo::{Catalogue, Entry};

use crate::cmd::games::named;
use crate::cmd::variants::variants_of;
use crate::tui::keys::Key;

/// A page of the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page {
    /// All games; letters that are typed leave those that have them.
    Games,
    /// The variants of a game; letters that are typed are options.
    Variants,
    /// What to do with a variant.
    Actions,
}

/// What a row stands for, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The game, the variant, or the command.
    pub(super) name: String,
    pub(super) told: String,
    /// Whether the variant is solved.
    pub(super) solved: bool,
}

/// How the menu ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With a command line, without the name of the program.
    Chosen(Vec<String>),
    Left,
}

/// The commands that take a variant, and what each does.
const ACTIONS: [(&str, &str, &str); 8] = [
    ("play", "Play", "against the computer, with what each move is worth"),
    ("solve", "Solve", "find the value of every position, and keep it"),
    ("query", "Look", "what the start and its moves are worth"),
    ("analyze", "Analyse", "count the solved positions by value and distance"),
    ("check", "Test", "whether the parts of the game agree, and what a solve takes"),
    ("verify", "Verify", "derive each stored value again"),
    ("count", "Count", "positions and games, ply by ply"),
    ("games", "Rules", "rules, options and notation"),
];

/// Says whether a variant is solved.
type IsSolved = dyn Fn(&str) -> bool;

/// The menu.
pub(super) struct Menu {
    catalogue: Catalogue,
    is_solved: Box<IsSolved>,
    pub(super) page: Page,
    /// What was typed on this page.
    pub(super) typed: String,
    pub(super) rows: Vec<Row>,
    /// The row under the cursor.
    pub(super) at: usize,
    /// The game, and the variant once it is chosen.
    game: Option<&'static Entry>,
    pub(super) variant: String,
    pub(super) message: Option<String>,
}

impl Menu {
    pub(super) fn new(catalogue: Catalogue, is_solved: impl Fn(&str) -> bool + 'static) -> Menu {
        let mut menu = Menu {
            catalogue,
            is_solved: Box::new(is_solved),
            page: Page::Games,
            typed: String::new(),
            rows: vec![],
            at: 0,
            game: None,
            variant: String::new(),
            message: None,
        };
        menu.fill();
        menu
    }

    /// Returns the title of the game that was picked.
    pub(super) fn title(&self) -> &'static str {
        self.game.map_or("", |entry| entry.card.title)
    }

    /// Does what a key says; returns how the menu ends, if it does.
    pub(super) fn apply(&mut self, key: Key) -> Option<Ended> {
        self.message = None;
        match key {
            Key::Quit => return Some(Ended::Left),
            Key::Up => self.at = self.at.saturating_sub(1),
            Key::Down => self.at = (self.at + 1).min(self.rows.len().saturating_sub(1)),
            Key::Enter => return self.enter(),
            Key::Esc if !self.typed.is_empty() => self.type_on(String::new()),
            Key::Esc | Key::Left => match self.page {
                Page::Games => return (key == Key::Esc).then_some(Ended::Left),
                Page::Variants => self.open(Page::Games),
                Page::Actions => self.open(Page::Variants),
            },
            Key::Right => return self.enter(),
            Key::Backspace => {
                let mut text = self.typed.clone();
                text.pop();
                self.type_on(text);
            }
            Key::Clear => self.type_on(String::new()),
            Key::Char('q') if self.page == Page::Actions => return Some(Ended::Left),
            Key::Char(letter) if self.page != Page::Actions => {
                let text = format!("{}{letter}", self.typed);
                self.type_on(text);
            }
            Key::Char(_) | Key::Tab => {}
        }
        None
    }

    fn type_on(&mut self, text: String) {
        self.typed = text;
        self.at = 0;
        self.fill();
    }

    /// Goes to a page, with the cursor on what was chosen there before.
    fn open(&mut self, page: Page) {
        self.page = page;
        self.typed.clear();
        self.fill();
        let before = match page {
            Page::Games => self.game.map_or("", |entry| entry.card.name),
            Page::Variants => self.variant.as_str(),
            Page::Actions => "",
        };
        self.at = self.rows.iter().position(|row| row.name == before).unwrap_or(0);
    }

    fn enter(&mut self) -> Option<Ended> {
        let Some(row) = self.rows.get(self.at).cloned() else {
            self.message = Some("Nothing here has these letters: Esc takes them back".into());
            return None;
        };
        match self.page {
            Page::Games => {
                self.game = self.catalogue.find(&row.name).ok();
                self.open(Page::Variants);
            }
            Page::Variants => match self.catalogue.open(&row.name, None, None) {
                Ok(_) => {
                    self.variant = row.name;
                    self.open(Page::Actions);
                }
                Err(error) => self.message = Some(error.to_string()),
            },
            Page::Actions => return Some(Ended::Chosen(vec![row.name, self.variant.clone()])),
        }
        None
    }

    /// Makes the rows of the page anew.
    fn fill(&mut self) {
        self.rows = match (self.page, self.game) {
            (Page::Games, _) | (_, None) => self.games(),
            (Page::Variants, Some(entry)) => self.variants(entry),
            (Page::Actions, _) => {
                let row = |(verb, name, told): &(&str, &str, &str)| Row {
                    name: (*verb).into(),
                    told: format!("{name}: {told}"),
                    solved: false,
                };
                ACTIONS.iter().map(row).collect()
            }
        };
    }

    /// The games whose names, titles or other names have a word that begins with what was typed.
    fn games(&self) -> Vec<Row> {
        let typed = self.typed.to_lowercase();
        let has = |text: &str| {
            let text = text.to_lowercase();
            text.starts_with(&typed) || text.split([' ', '-', ',']).any(|word| word.starts_with(&typed))
        };
        let fits = |entry: &&Entry| {
            let names = [entry.card.name, entry.card.title].into_iter().chain(entry.aliases.iter().copied());
            names.into_iter().any(has)
        };
        let row = |entry: &Entry| {
            let (title, summary) = (entry.card.title, entry.card.summary);
            let other = entry.aliases.iter().find(|alias| !alias.eq_ignore_ascii_case(title));
            let other = other.map_or(String::new(), |alias| format!(" ({alias})"));
            Row { name: entry.card.name.into(), told: format!("{title}{other}: {summary}"), solved: false }
        };
        self.catalogue.games().filter(fits).map(row).collect()
    }

    /// The variants of a game that are worth a row; before them the one that was typed.
    fn variants(&self, entry: &Entry) -> Vec<Row> {
        let row = |name: String, told: &str| Row { solved: (self.is_solved)(&name), told: told.into(), name };
        let typed = Some(&self.typed).filter(|typed| !typed.is_empty());
        let own = typed.map(|typed| Row {
            name: format!("{}:{typed}", entry.card.name),
            told: "your own options".into(),
            solved: false,
        });
        let known = variants_of(entry.card, None)
            .map(|(options, note)| row(named(entry.card, options), note.unwrap_or("")));
        own.into_iter().chain(known).collect()
    }

    /// Returns the options of the game, for who types some.
    pub(super) fn options(&self) -> String {
        let options = self.game.map_or(&[][..], |entry| entry.card.options);
        let told = options.iter().map(|option| format!("{}= {}", option.name, option.range()));
        told.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn menu() -> Menu {
        Menu::new(Catalogue::standard(), |name| name == "quixo:rows=3,cols=3,line=3")
    }

    fn press(menu: &mut Menu, keys: &[Key]) -> Option<Ended> {
        keys.iter().map(|key| menu.apply(*key)).last().flatten()
    }

    fn letters(text: &str) -> Vec<Key> {
        text.chars().map(Key::Char).collect()
    }

    fn names(menu: &Menu) -> Vec<&str> {
        menu.rows.iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn a_game_a_variant_and_an_action_are_a_command() {
        let mut menu = menu();
        assert!(menu.rows.len() > 20);
        press(&mut menu, &letters("revers"));
        assert_eq!(names(&menu), ["othello"], "found by its other name");
        press(&mut menu, &[Key::Clear]);
        press(&mut menu, &letters("quixo"));
        assert_eq!(press(&mut menu, &[Key::Enter]), None);
        assert_eq!((menu.page, menu.title()), (Page::Variants, "Quixo"));
        assert!(menu.rows.iter().any(|row| row.solved && row.name == "quixo:rows=3,cols=3,line=3"));
        press(&mut menu, &letters("4x4"));
        assert_eq!(names(&menu)[0], "quixo:4x4");
        press(&mut menu, &[Key::Enter]);
        assert_eq!(menu.page, Page::Actions);
        let chosen = press(&mut menu, &[Key::Down, Key::Enter]);
        assert_eq!(chosen, Some(Ended::Chosen(vec!["solve".into(), "quixo:4x4".into()])));
    }

    #[test]
    fn wrong_options_are_told_and_esc_goes_back() {
        let mut menu = menu();
        press(&mut menu, &letters("mnk"));
        press(&mut menu, &[Key::Enter]);
        press(&mut menu, &letters("rows=99"));
        press(&mut menu, &[Key::Enter]);
        let message = menu.message.clone();
        assert!(message.as_ref().is_some_and(|told| told.contains("from 1 to 8")), "{message:?}");
        assert_eq!(menu.page, Page::Variants);
        // Esc takes back what was typed, then the page, then ends the menu.
        press(&mut menu, &[Key::Esc]);
        assert_eq!((menu.page, menu.typed.as_str()), (Page::Variants, ""));
        press(&mut menu, &[Key::Esc]);
        assert_eq!((menu.page, menu.rows[menu.at].name.as_str()), (Page::Games, "mnk"));
        assert_eq!(press(&mut menu, &[Key::Esc]), Some(Ended::Left));
    }

    #[test]
    fn letters_that_no_game_has_are_told() {
        let mut menu = menu();
        press(&mut menu, &letters("zzz"));
        assert!(menu.rows.is_empty());
        assert_eq!(press(&mut menu, &[Key::Enter]), None);
        assert!(menu.message.is_some());
        assert_eq!(press(&mut menu, &[Key::Quit]), Some(Ended::Left));
    }

    /// Every action is a command that reads its line.
    #[test]
    fn actions_are_commands() {
        for (verb, ..) in ACTIONS {
            let read = <crate::args::Cli as clap::Parser>::try_parse_from(["zermelo", verb, "mnk"]);
            assert!(read.is_ok(), "{verb}");
        }
    }
}
