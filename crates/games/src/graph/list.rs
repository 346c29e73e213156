//! The list: positions with their texts, their moves, and how the game ended.

use std::ops::Range;
use std::sync::OnceLock;

use zermelo_core::{Complaint, FNV, Outcome, fnv, quoted, refuse};

use super::order::rising;
use super::picture::Picture;

/// The most bytes of the text of a position, so that front ends take it.
const LONGEST_TEXT: usize = 4_000;
/// The most bytes of the word of a move.
const LONGEST_WORD: usize = 200;
/// The largest score either way.
const LARGEST_SCORE: i32 = 30_000;
/// The most bytes of the name of a list.
const LONGEST_NAME: usize = 40;

/// Many texts in one piece of memory.
#[derive(Clone, Debug, Default)]
pub struct Strings {
    all: String,
    ends: Vec<usize>,
}

impl Strings {
    /// Adds a text, and returns its number.
    pub fn push(&mut self, text: &str) -> u32 {
        self.all.push_str(text);
        self.ends.push(self.all.len());
        self.ends.len() as u32 - 1
    }

    /// The text of a number; empty where there is none.
    pub fn get(&self, number: u32) -> &str {
        let at = number as usize;
        let begin = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(at).map_or("", |end| &self.all[begin..*end])
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// What a list is made of. Positions are numbered from 0, the start; moves are numbered through, position after
/// position.
#[derive(Clone, Debug, Default)]
pub struct GraphParts {
    /// The name of the game: small letters, digits and `-`.
    pub name: String,
    /// Whether both players have the same moves everywhere.
    pub impartial: bool,
    /// How the game ended, for the player to move; `None` where it goes on.
    pub over: Vec<Option<Outcome>>,
    /// What the player to move has won by where the game is over, for each position; empty for a game without scores.
    pub scores: Vec<i32>,
    /// For each position, the number of moves of all positions up to it.
    pub ends: Vec<u32>,
    /// The position that each move leads to.
    pub to: Vec<u32>,
    /// The number of the word of each move.
    pub word: Vec<u32>,
    /// Whether the player who makes a move moves again, for each move; empty where that never is so.
    pub again: Vec<bool>,
    /// The words of moves.
    pub words: Strings,
    /// The text of each position.
    pub texts: Strings,
}

impl GraphParts {
    /// The first move of a position.
    pub(super) fn first(&self, p: u32) -> u32 {
        p.checked_sub(1).and_then(|before| self.ends.get(before as usize)).copied().unwrap_or(0)
    }

    /// The first move after those of a position.
    pub(super) fn last(&self, p: u32) -> u32 {
        self.ends.get(p as usize).copied().unwrap_or(0)
    }

    fn about(&self, p: u32, why: &str) -> Complaint {
        Complaint::new(format!("position {}: {why}", quoted(self.texts.get(p))))
    }

    fn check(&self) -> Result<(), Complaint> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || !self.name.bytes().all(plain) {
            refuse!(
                "the name {} of the game: want 1 to {LONGEST_NAME} small letters, digits and -",
                quoted(&self.name)
            );
        }
        let (positions, moves) = (self.over.len(), self.to.len());
        if positions == 0 {
            refuse!("there is no position; the first one is the start");
        }
        if positions >= u32::MAX as usize || moves >= u32::MAX as usize {
            refuse!("{positions} positions with {moves} moves are too many; at most 4,294,967,294 are taken");
        }
        let per_move = |many: usize| many == 0 || many == moves;
        let fit = self.ends.len() == positions
            && self.texts.len() == positions
            && (self.scores.is_empty() || self.scores.len() == positions)
            && self.word.len() == moves
            && per_move(self.again.len())
            && self.ends.is_sorted()
            && self.ends.last().copied() == Some(moves as u32);
        if !fit {
            refuse!("the parts of the list do not fit together");
        }
        (0..positions as u32).try_for_each(|p| self.check_position(p))
    }

    fn check_position(&self, p: u32) -> Result<(), Complaint> {
        let text = self.texts.get(p);
        if text.is_empty()
            || text.len() > LONGEST_TEXT
            || text.chars().any(char::is_control)
            || text.trim() != text
        {
            let want = "its text must have 1 to 4,000 bytes, no line breaks, and no blanks around it";
            return Err(self.about(p, want));
        }
        let (moves, over) = (self.first(p)..self.last(p), self.over[p as usize]);
        match over {
            Some(_) if !moves.is_empty() => {
                return Err(self.about(p, "the game is over there, but it has moves"));
            }
            None if moves.is_empty() => return Err(self.about(p, "it is not over and has no move")),
            _ => {}
        }
        if let (Some(score), Some(over)) = (self.scores.get(p as usize), over) {
            let agrees = match over {
                Outcome::Win => *score > 0,
                Outcome::Tie => *score == 0,
                Outcome::Lose => *score < 0,
            };
            if !agrees || score.abs() > LARGEST_SCORE {
                let want = "above 0 for a win, 0 for a tie and below 0 for a loss, at most 30,000 either way";
                return Err(self.about(p, &format!("margin {score} does not fit the outcome: want {want}")));
            }
        }
        for m in moves.clone() {
            if self.to[m as usize] as usize >= self.over.len()
                || self.word[m as usize] as usize >= self.words.len()
            {
                return Err(self.about(p, "a move leads to no position of the list"));
            }
            let word = self.words.get(self.word[m as usize]);
            let odd = |c: char| c.is_whitespace() || c.is_control() || c == ',';
            if word.is_empty() || word.len() > LONGEST_WORD || word.contains(odd) {
                let want = "want 1 to 200 bytes without blanks and commas";
                return Err(self.about(p, &format!("move {}: {want}", quoted(word))));
            }
        }
        let mut words: Vec<u32> = self.word[moves.start as usize..moves.end as usize].to_vec();
        words.sort_unstable();
        match words.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let word = quoted(self.words.get(pair[0]));
                Err(self.about(p, &format!("two moves are called {word}; give each a word of its own")))
            }
            None => Ok(()),
        }
    }

    /// A checksum of everything.
    fn checksum(&self) -> u64 {
        let mut sum = fnv(FNV, self.name.as_bytes());
        sum = fnv(sum, &[u8::from(self.impartial)]);
        for p in 0..self.over.len() as u32 {
            let over = self.over[p as usize].map_or(0, |over| 1 + over as u8);
            sum = fnv(fnv(sum, &[over]), self.texts.get(p).as_bytes());
            if let Some(score) = self.scores.get(p as usize).filter(|_| over > 0) {
                sum = fnv(sum, &score.to_le_bytes());
            }
            for m in self.first(p)..self.last(p) {
                let again = self.again.get(m as usize).copied().unwrap_or(false);
                sum = fnv(fnv(sum, &[u8::from(again)]), &self.to[m as usize].to_le_bytes());
                sum = fnv(sum, self.words.get(self.word[m as usize]).as_bytes());
            }
        }
        sum
    }
}

/// A list of positions and moves that fit together.
#[derive(Debug)]
pub struct GraphList {
    parts: GraphParts,
    id: String,
    /// Numbers by place, and places by number; empty where play can return to a position.
    numbers: Vec<u32>,
    places: Vec<u32>,
    /// A position to which play can return.
    returns: Option<u32>,
    has_again: bool,
    /// Places in the order of their texts.
    by_text: Vec<u32>,
    picture: OnceLock<Picture>,
}

impl GraphList {
    /// Makes a list, and refuses parts that do not fit together.
    pub fn new(mut parts: GraphParts) -> Result<GraphList, Complaint> {
        parts.check()?;
        let mut by_text: Vec<u32> = (0..parts.over.len() as u32).collect();
        by_text.sort_unstable_by_key(|p| parts.texts.get(*p));
        if let Some(pair) =
            by_text.windows(2).find(|pair| parts.texts.get(pair[0]) == parts.texts.get(pair[1]))
        {
            return Err(parts.about(pair[0], "two positions have this text; give each a text of its own"));
        }
        let has_again = parts.again.contains(&true);
        if !has_again {
            parts.again.clear();
        }
        let (numbers, returns) = match rising(&parts) {
            Ok(numbers) => (numbers, None),
            Err(p) => (vec![], Some(p)),
        };
        if let Some(p) = returns.filter(|_| has_again) {
            let why = "play can return to it, and elsewhere a player moves again; no engine takes both";
            return Err(parts.about(p, why));
        }
        let mut places = vec![0; numbers.len()];
        numbers.iter().zip(0..).for_each(|(number, p)| places[*number as usize] = p);
        let id = format!("{}-{:016x}", parts.name, parts.checksum());
        let picture = OnceLock::new();
        Ok(GraphList { parts, id, numbers, places, returns, has_again, by_text, picture })
    }

    /// The name of the list: that of the game, and a checksum of all positions and moves.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The parts that the list was made of.
    pub fn parts(&self) -> &GraphParts {
        &self.parts
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.parts.over.len()
    }

    /// Whether there is no position, which never is so.
    pub fn is_empty(&self) -> bool {
        self.parts.over.is_empty()
    }

    /// A position to which play can return, if there is one.
    pub fn returns_to(&self) -> Option<u32> {
        self.returns
    }

    /// The text of a position.
    pub fn text(&self, p: u32) -> &str {
        self.parts.texts.get(p)
    }

    /// The position of a text.
    pub fn find(&self, text: &str) -> Option<u32> {
        let place = self.by_text.binary_search_by_key(&text, |p| self.parts.texts.get(*p));
        place.ok().map(|place| self.by_text[place])
    }

    /// The word of a move.
    pub fn word(&self, m: u32) -> &str {
        self.parts.word.get(m as usize).map_or("", |word| self.parts.words.get(*word))
    }

    /// The position that a move leads to.
    pub fn target(&self, m: u32) -> u32 {
        self.parts.to[m as usize]
    }

    pub(super) fn outcome(&self, p: u32) -> Option<Outcome> {
        self.parts.over[p as usize]
    }

    pub(super) fn moves(&self, p: u32) -> Range<u32> {
        self.parts.first(p)..self.parts.last(p)
    }

    pub(super) fn again(&self, m: u32) -> bool {
        self.parts.again.get(m as usize).copied().unwrap_or(false)
    }

    pub(super) fn has_again(&self) -> bool {
        self.has_again
    }

    pub(super) fn loops(&self) -> bool {
        self.returns.is_some()
    }

    pub(super) fn score(&self, p: u32) -> i32 {
        self.parts.scores.get(p as usize).copied().unwrap_or(0)
    }

    pub(super) fn has_scores(&self) -> bool {
        !self.parts.scores.is_empty()
    }

    /// Whether nimbers mean something: both players have the same moves, and a player who cannot move loses.
    pub(super) fn is_impartial(&self) -> bool {
        self.parts.impartial && self.parts.over.iter().flatten().all(|over| *over == Outcome::Lose)
    }

    pub(super) fn rank(&self, p: u32) -> u64 {
        self.numbers.get(p as usize).map_or(p, |number| *number).into()
    }

    pub(super) fn unrank(&self, i: u64) -> Option<u32> {
        let i = u32::try_from(i).ok().filter(|i| (*i as usize) < self.len())?;
        Some(self.places.get(i as usize).copied().unwrap_or(i))
    }

    pub(super) fn picture(&self) -> &Picture {
        self.picture.get_or_init(|| Picture::of(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_raises_the_number_where_play_cannot_return() {
        let list = GraphList::read("graph a\nd x>b y>c\nc x>e\nb x>c y>e\ne lose").expect("a list");
        assert_eq!(list.returns_to(), None);
        for p in 0..4 {
            assert_eq!(list.unrank(list.rank(p)), Some(p));
            assert!(list.moves(p).all(|m| list.rank(list.target(m)) > list.rank(p)));
        }
        assert_eq!(list.unrank(4), None);
        let list = GraphList::read("graph a\na x>b\nb x>a y>c\nc lose").expect("a list");
        assert_eq!((list.returns_to(), list.rank(2), list.unrank(2)), (Some(0), 2, Some(2)));
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        for (text, part) in [
            ("graph a\na x>b\nb lose 1", "margin"),
            ("graph a\na x>b x>c\nb lose\nc tie", "two moves are called"),
            ("graph a\na x>>b y>c\nb x>a\nc lose", "no engine takes both"),
            ("graph a\na x>b,\nb, lose\na lose", "twice"),
            ("graph a\n", "no position"),
            ("graph A\na lose", "small letters"),
            ("graph a\na%20 lose", "no blanks around"),
            ("graph a\na x,y>b\nb lose", "commas"),
        ] {
            let refused = GraphList::read(text).expect_err(text).to_string();
            assert!(refused.contains(part), "{text}: {refused}");
        }
        let parts = GraphParts { name: "a".into(), over: vec![None], ..GraphParts::default() };
        assert!(GraphList::new(parts).is_err());
    }
}
