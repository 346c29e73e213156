//! Numbers boards by a decision diagram: any set of boards that a small automaton can recognise, letter by letter,
//! gets dense numbers without holes.
//!
//! A board is a word: one letter for each cell in order, then letters for whatever else belongs to the board, such as
//! the men in hand. The automaton reads the word and refuses what cannot be a board. Its states are small (such as
//! the number of men read so far), so each level has few states. States from which the same words go on are one node.
//! For each node and letter the diagram stores the next node, and the number of words of the node that begin with a
//! lesser letter. The number of a word is the sum of these counts along its path.
//!
//! **Claim.** The number of a word is its place among the boards in alphabetical order: `rank(w) = sum over levels i
//! of before(node_i, w_i)`.
//!
//! **Proof.** A board that comes before `w` agrees with `w` up to some level `i` and has a lesser letter there.
//! Exactly `before(node_i, w_i)` boards do so at level `i`, and no board does so at two levels.
//!
//! ```text
//!  level 0          level 1          level 2
//!  [next, before]   [next, before]   [next, before]   end
//!   one row of letters a node, all rows in one flat table; a node is the place of its row
//! ```

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// A small machine that reads a word, one letter for each cell of a board, and says whether the word is a board of the
/// game. A [`Diagram`] numbers the words that it recognises.
pub trait Automaton {
    /// What the automaton remembers of the letters read so far; the fewer states, the smaller the diagram.
    type State: Copy + Eq + Hash;

    /// The number of letters of every word: at most [`Diagram::LEVELS`].
    fn levels(&self) -> usize;

    /// The number of letters to choose from at a level, at most 256. Letters are numbered from 0.
    fn letters(&self, level: usize) -> usize;

    /// The state before the first letter.
    fn start(&self) -> Self::State;

    /// The state after one more letter; `None` when no board goes on with this letter.
    fn next(&self, level: usize, state: Self::State, letter: usize) -> Option<Self::State>;

    /// Whether a word that ends in this state is a board.
    fn accepts(&self, _state: Self::State) -> bool {
        true
    }
}

/// The boards of an [`Automaton`], numbered.
#[derive(Clone, Debug)]
pub struct Diagram {
    /// At `node + letter`: the node that the letter leads to.
    next: Vec<u32>,
    /// At `node + letter`: the number of boards of the node that have a lesser letter at this level.
    before: Vec<u64>,
    /// The number of letters of each level.
    widths: Vec<u32>,
    root: u32,
    size: u64,
}

/// The node from which no board goes on. Its row leads back to itself, so words may be followed to their end.
const DEAD: u32 = 0;

impl Diagram {
    /// The most letters that a word may have.
    pub const LEVELS: usize = 64;

    /// The most steps (letters of all states together) that [`Diagram::new`] may take: 2 GB while the diagram is
    /// made.
    const STEPS: usize = 1 << 28;

    /// Builds the diagram of an automaton; `None` when there are more than 2^64 boards, or too many states, or the
    /// table or the words are too large.
    pub fn new<A: Automaton>(automaton: &A) -> Option<Diagram> {
        Diagram::within(automaton, Diagram::STEPS)
    }

    fn within<A: Automaton>(automaton: &A, most: usize) -> Option<Diagram> {
        let widths: Vec<u32> = (0..automaton.levels()).map(|level| automaton.letters(level) as u32).collect();
        let widest = widths.iter().copied().max().unwrap_or(0);
        if widths.len() > Diagram::LEVELS || widest > 256 {
            return None;
        }
        // Two rows that lead nowhere: the row of the dead node, and the row of the end.
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

    /// Adds the nodes of a level: one node for all states from which the same words go on. Returns for each state its
    /// node and the number of boards of that node.
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

    /// The number of boards, which is also how many numbers there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The number of a board; `None` if the word is no board. Each letter must be one of its level.
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

    /// Writes the letters of a number and the nodes on the way; `None` when the number is not less than the size.
    #[inline]
    fn descend(&self, mut number: u64, letters: &mut [u8], nodes: &mut [u32; Diagram::LEVELS]) -> Option<()> {
        if number >= self.size {
            return None;
        }
        let mut node = self.root;
        for ((width, letter), passed) in self.widths.iter().zip(letters).zip(nodes) {
            let row = &self.before[node as usize..(node + width) as usize];
            // A letter without a board has as many boards before it as the next letter that has some. So the letter
            // sought is the last one with no more boards before it than `number`.
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

    /// Steps to the next board, which must exist.
    #[inline]
    fn step(&self, letters: &mut [u8], nodes: &mut [u32; Diagram::LEVELS]) {
        // The last letter that can still rise does so, and all letters after it begin again.
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

    /// Takes the least letter from `first` on that leads to a board. Returns the node that this letter leads to, or
    /// [`DEAD`] where there is no such letter.
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

/// The number of entries of a rising row that are at most `number`. In a short row, a look at every entry is quicker
/// than a binary search.
#[inline]
fn up_to(row: &[u64], number: u64) -> usize {
    match row.len() {
        0..=16 => row.iter().map(|before| usize::from(*before <= number)).sum(),
        _ => row.partition_point(|before| *before <= number),
    }
}

/// The steps from the states of one level: for each state one entry a letter, with the place of a state of the next
/// level.
type Steps = Vec<Option<u32>>;

/// Explores all states, level by level. Returns which states at the end are accepted, and the steps of each level;
/// `None` when there are more steps than `most`.
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
