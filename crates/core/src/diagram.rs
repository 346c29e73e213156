//! Numbering boards by a decision diagram: any set of boards that a small automaton can tell,
//! letter by letter, gets dense numbers without a hole.
//!
//! A board is a word: the letter of its first cell, of its second, ..., and of whatever else belongs
//! to it, such as the men in hand. The automaton reads it and refuses what cannot be; it has to
//! remember little (how many men stood so far), so the states of one level are few. States from which
//! the same words go on are one node; for each node and letter the diagram knows the next node, and how
//! many words of the node begin with a lesser letter. A word's number is the sum of these along its way,
//! which is its place in the order of the alphabet.
//!
//! ```text
//!  level 0          level 1          level 2
//!  [next, before]   [next, before]   [next, before]   end
//!   one row of letters a node, all rows in one flat table; a node is the place of its row
//! ```

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// Tells which words are boards.
pub trait Automaton {
    /// What it remembers of the letters so far; the less, the smaller the diagram.
    type State: Copy + Eq + Hash;

    /// Letters of every word: at most [`Diagram::LEVELS`].
    fn levels(&self) -> usize;

    /// How many letters there are at a level, 0 and up: at most 256.
    fn letters(&self, level: usize) -> usize;

    /// Before the first letter.
    fn start(&self) -> Self::State;

    /// After one more letter; `None` when no board goes on so.
    fn next(&self, level: usize, state: Self::State, letter: usize) -> Option<Self::State>;

    /// Whether a word that ends in this state is a board.
    fn accepts(&self, _state: Self::State) -> bool {
        true
    }
}

/// The boards of an [`Automaton`], numbered.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// By node plus letter: the node after it.
    next: Vec<u32>,
    /// The same: how many boards of the node have a lesser letter here.
    before: Vec<u64>,
    /// Letters of each level.
    widths: Vec<u32>,
    root: u32,
    size: u64,
}

/// No board goes on from here. Its row leads back to itself, so words may be followed to their end.
const DEAD: u32 = 0;

impl Diagram {
    /// The most letters of a word.
    pub const LEVELS: usize = 64;

    /// The most steps, letters of all states together: 2 GB while the diagram is made.
    const STEPS: usize = 1 << 28;

    /// The diagram of an automaton; `None` when there are more than 2^64 boards, or too many states, or the table or
    /// the words are too large.
    pub fn new<A: Automaton>(automaton: &A) -> Option<Diagram> {
        Diagram::within(automaton, Diagram::STEPS)
    }

    fn within<A: Automaton>(automaton: &A, most: usize) -> Option<Diagram> {
        let widths: Vec<u32> = (0..automaton.levels()).map(|level| automaton.letters(level) as u32).collect();
        let widest = widths.iter().copied().max().unwrap_or(0);
        if widths.len() > Diagram::LEVELS || widest > 256 {
            return None;
        }
        // Two rows that lead nowhere: of the dead node, and of the end.
        let nowhere = 2 * widest.max(1) as usize;
        let mut diagram =
            Diagram { next: vec![DEAD; nowhere], before: vec![0; nowhere], widths, root: DEAD, size: 0 };
        if diagram.widths.contains(&0) {
            // No word gets past a level without letters.
            return Some(diagram);
        }
        let (ends, steps) = explore(automaton, &diagram.widths, most)?;
        let mut below: Vec<(u32, u64)> =
            ends.iter().map(|ends| if *ends { (diagram.end(), 1) } else { (DEAD, 0) }).collect();
        for (level, steps) in steps.iter().enumerate().rev() {
            below = diagram.add_level(diagram.widths[level] as usize, steps, &below)?;
        }
        (diagram.root, diagram.size) = *below.first()?;
        Some(diagram)
    }

    /// Adds the nodes of a level, one for all states that go on alike; says for each state its node
    /// and how many boards that has.
    fn add_level(
        &mut self,
        width: usize,
        steps: &[Option<u32>],
        below: &[(u32, u64)],
    ) -> Option<Vec<(u32, u64)>> {
        let mut known: HashMap<Vec<u32>, (u32, u64)> = HashMap::new();
        let mut nodes = vec![];
        for steps in steps.chunks(width.max(1)) {
            let targets: Vec<_> =
                steps.iter().map(|to| to.map_or((DEAD, 0), |to| below[to as usize])).collect();
            let row: Vec<u32> = targets.iter().map(|target| target.0).collect();
            let node = match known.get(&row) {
                Some(node) => *node,
                None if row.iter().all(|to| *to == DEAD) => (DEAD, 0),
                None => {
                    let place = u32::try_from(self.next.len()).ok()?;
                    let mut count = 0u64;
                    for (to, boards) in targets {
                        self.next.push(to);
                        self.before.push(count);
                        count = count.checked_add(boards)?;
                    }
                    known.insert(row, (place, count));
                    (place, count)
                }
            };
            nodes.push(node);
        }
        Some(nodes)
    }

    fn end(&self) -> u32 {
        self.widths.iter().copied().max().unwrap_or(0).max(1)
    }

    /// How many boards, which is how many numbers.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The number of a board; `None` if it is none. Each letter must be one of its level.
    #[inline]
    pub fn rank(&self, letters: impl IntoIterator<Item = usize>) -> Option<u64> {
        let (next, before) = (&self.next[..], &self.before[..self.next.len()]);
        let step = |(node, number): (u32, u64), letter| {
            let at = node as usize + letter;
            (next[at], number + before[at])
        };
        let (node, number) = letters.into_iter().fold((self.root, 0), step);
        (node == self.end()).then_some(number)
    }

    /// Writes the letters of a number; `None` when it is not less than the size.
    #[inline]
    pub fn unrank(&self, number: u64, letters: &mut [u8]) -> Option<()> {
        self.descend(number, letters, &mut [DEAD; Diagram::LEVELS])
    }

    /// The same, and the nodes on the way.
    #[inline]
    fn descend(&self, mut number: u64, letters: &mut [u8], nodes: &mut [u32; Diagram::LEVELS]) -> Option<()> {
        if number >= self.size {
            return None;
        }
        let mut node = self.root;
        for ((width, letter), passed) in self.widths.iter().zip(letters).zip(nodes) {
            let row = &self.before[node as usize..(node + width) as usize];
            // A letter without a board has as many before it as the next one that has some, so the
            // last with no more than the number before it is the one.
            let at = up_to(row, number) - 1;
            number -= row[at];
            (*passed, *letter) = (node, at as u8);
            node = self.next[node as usize + at];
        }
        Some(())
    }

    /// Visits the boards of a range of numbers, stepping from one to the next.
    #[inline]
    pub fn scan(&self, range: Range<u64>, mut visit: impl FnMut(u64, &[u8])) {
        let (mut space, mut nodes) = ([0; Diagram::LEVELS], [DEAD; Diagram::LEVELS]);
        let letters = &mut space[..self.widths.len()];
        if self.descend(range.start, letters, &mut nodes).is_none() {
            return;
        }
        for number in range.start..range.end.min(self.size) {
            visit(number, letters);
            if number + 1 < range.end.min(self.size) {
                self.step(letters, &mut nodes);
            }
        }
    }

    /// On to the next board, which there must be.
    #[inline]
    fn step(&self, letters: &mut [u8], nodes: &mut [u32; Diagram::LEVELS]) {
        // The last letter that can still rise does, and all after it begin again.
        let mut level = letters.len();
        let mut node = DEAD;
        while node == DEAD && level > 0 {
            level -= 1;
            node = self.take_least(level, nodes[level], usize::from(letters[level]) + 1, letters);
        }
        while level + 1 < letters.len() {
            level += 1;
            nodes[level] = node;
            node = self.take_least(level, node, 0, letters);
        }
    }

    /// Takes the least letter from `first` on that leads to a board; says where, or that there is none.
    #[inline]
    fn take_least(&self, level: usize, node: u32, first: usize, letters: &mut [u8]) -> u32 {
        let row = &self.next[node as usize..(node + self.widths[level]) as usize];
        match row[first..].iter().position(|to| *to != DEAD) {
            Some(more) => {
                letters[level] = (first + more) as u8;
                row[first + more]
            }
            None => DEAD,
        }
    }
}

/// How many of a rising row are no more than a number. Of a few, looking at all is quicker than guessing.
#[inline]
fn up_to(row: &[u64], number: u64) -> usize {
    match row.len() {
        0..=16 => row.iter().map(|before| usize::from(*before <= number)).sum(),
        _ => row.partition_point(|before| *before <= number),
    }
}

/// Where letters lead from the states of one level: as many entries a state as there are letters, each the
/// place of a state of the next level.
type Steps = Vec<Option<u32>>;

/// All states, level by level: whether those at the end are accepted, and the steps of each level. `None` when there
/// are more steps than `most`.
fn explore<A: Automaton>(automaton: &A, widths: &[u32], most: usize) -> Option<(Vec<bool>, Vec<Steps>)> {
    let mut left = most;
    let mut states = vec![automaton.start()];
    let mut levels = vec![];
    for (level, width) in widths.iter().enumerate() {
        let mut places: HashMap<A::State, u32> = HashMap::new();
        let (mut found, mut steps) = (vec![], vec![]);
        left = left.checked_sub(states.len() * *width as usize)?;
        for state in &states {
            for letter in 0..*width as usize {
                steps.push(automaton.next(level, *state, letter).map(|next| {
                    *places.entry(next).or_insert_with(|| {
                        found.push(next);
                        found.len() as u32 - 1
                    })
                }));
            }
        }
        levels.push(steps);
        states = found;
    }
    Some((states.into_iter().map(|state| automaton.accepts(state)).collect(), levels))
}

#[cfg(test)]
mod tests;
