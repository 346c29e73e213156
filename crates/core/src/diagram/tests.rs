//! Compares diagrams with a list of all words that are boards, made without a diagram.

use super::*;

/// Every word of an automaton's letters that it accepts, in the order of the alphabet.
fn by_hand<A: Automaton>(automaton: &A) -> Vec<Vec<u8>> {
    fn grow<A: Automaton>(a: &A, state: A::State, word: &mut Vec<u8>, out: &mut Vec<Vec<u8>>) {
        let level = word.len();
        if level == a.levels() {
            out.extend(a.accepts(state).then(|| word.clone()));
            return;
        }
        for letter in 0..a.letters(level) {
            if let Some(next) = a.next(level, state, letter) {
                word.push(letter as u8);
                grow(a, next, word, out);
                word.pop();
            }
        }
    }
    let mut out = vec![];
    grow(automaton, automaton.start(), &mut vec![], &mut out);
    out
}

/// Checks that numbers are the places in the list, forth and back, one by one and in parts.
fn agrees<A: Automaton>(automaton: &A, boards: usize) {
    let (want, diagram) = (by_hand(automaton), Diagram::new(automaton).expect("small"));
    assert_eq!((want.len(), diagram.size()), (boards, boards as u64));
    let mut letters = vec![0; automaton.levels()];
    for (number, word) in (0..).zip(&want) {
        assert_eq!(diagram.rank(word.iter().map(|letter| usize::from(*letter))), Some(number));
        assert_eq!(diagram.unrank(number, &mut letters), Some(()));
        assert_eq!(letters, *word);
    }
    assert_eq!(diagram.unrank(diagram.size(), &mut letters), None);
    let size = diagram.size();
    for range in [0..size, size / 3..size / 2, size / 2..size + 7, size..size + 1, 0..0] {
        let mut scanned = vec![];
        diagram.scan(range.clone(), |number, word| scanned.push((number, word.to_vec())));
        let part = (range.start.min(size) as usize)..range.end.min(size) as usize;
        assert!(scanned.iter().map(|s| s.0).eq(part.start as u64..part.end as u64), "{range:?}");
        assert!(scanned.iter().map(|s| &s.1).eq(&want[part]), "{range:?}");
    }
}

/// Checks that the diagram refuses every word that is not in the list.
fn refuses_the_rest<A: Automaton>(automaton: &A) {
    let (boards, diagram) = (by_hand(automaton), Diagram::new(automaton).expect("small"));
    let words: usize = (0..automaton.levels()).map(|level| automaton.letters(level)).product();
    let mut taken = 0;
    for word in 0..words {
        let mut rest = word;
        let letters: Vec<usize> = (0..automaton.levels())
            .map(|level| {
                let letter = rest % automaton.letters(level);
                rest /= automaton.letters(level);
                letter
            })
            .collect();
        taken += usize::from(diagram.rank(letters).is_some());
    }
    assert_eq!(taken, boards.len());
}

/// Two kinds of men of either side, `men` of each kind on the board or in a hand. The word ends with the men in the
/// first hand; the second hand has the rest.
struct Hands {
    cells: usize,
    men: [usize; 2],
}

impl Automaton for Hands {
    type State = [usize; 2];

    fn levels(&self) -> usize {
        self.cells + 2
    }

    fn letters(&self, level: usize) -> usize {
        if level < self.cells { 5 } else { 3 }
    }

    fn start(&self) -> [usize; 2] {
        self.men
    }

    fn next(&self, level: usize, mut left: [usize; 2], letter: usize) -> Option<[usize; 2]> {
        if level >= self.cells {
            return (letter <= left[level - self.cells]).then_some(left);
        }
        if letter > 0 {
            let kind = (letter - 1) / 2;
            left[kind] = left[kind].checked_sub(1)?;
        }
        Some(left)
    }
}

/// Stacks of at most two men of two colours on each cell, with a given number of men of each colour in all.
struct Stacks {
    cells: usize,
    men: [usize; 2],
}

/// Nothing, one man, or two from below.
const STACKS: [&[usize]; 7] = [&[], &[0], &[1], &[0, 0], &[0, 1], &[1, 0], &[1, 1]];

impl Automaton for Stacks {
    type State = [usize; 2];

    fn levels(&self) -> usize {
        self.cells
    }

    fn letters(&self, _: usize) -> usize {
        STACKS.len()
    }

    fn start(&self) -> [usize; 2] {
        self.men
    }

    fn next(&self, _: usize, mut left: [usize; 2], letter: usize) -> Option<[usize; 2]> {
        for man in STACKS[letter] {
            left[*man] = left[*man].checked_sub(1)?;
        }
        Some(left)
    }

    fn accepts(&self, left: [usize; 2]) -> bool {
        left == [0, 0]
    }
}

/// Stones of two colours on a strip, never three of one colour side by side.
struct NoThree(usize);

impl Automaton for NoThree {
    /// The last letter, and the length of the run that it ends.
    type State = (usize, usize);

    fn levels(&self) -> usize {
        self.0
    }

    fn letters(&self, _: usize) -> usize {
        3
    }

    fn start(&self) -> (usize, usize) {
        (0, 0)
    }

    fn next(&self, _: usize, (last, run): (usize, usize), letter: usize) -> Option<(usize, usize)> {
        match letter {
            0 => Some((0, 0)),
            _ if letter != last => Some((letter, 1)),
            _ => (run < 2).then_some((letter, run + 1)),
        }
    }
}

#[test]
fn men_in_hand_are_numbered_densely() {
    // By hand: 0, 1 or 2 men on the board and the rest in either hand, for each kind alone.
    agrees(&Hands { cells: 3, men: [2, 0] }, 3 + 6 * 2 + 12);
    agrees(&Hands { cells: 4, men: [1, 1] }, 2 * 2 + 2 * (8 * 2) + 8 * 6);
    agrees(&Hands { cells: 5, men: [2, 2] }, 2_129);
    refuses_the_rest(&Hands { cells: 4, men: [2, 1] });
}

#[test]
fn stacks_are_numbered_densely() {
    agrees(&Stacks { cells: 2, men: [1, 1] }, 6);
    agrees(&Stacks { cells: 4, men: [2, 3] }, 160);
    refuses_the_rest(&Stacks { cells: 4, men: [2, 2] });
}

#[test]
fn boards_without_a_line_are_numbered_densely() {
    agrees(&NoThree(1), 3);
    agrees(&NoThree(3), 25);
    agrees(&NoThree(7), 1_611);
    refuses_the_rest(&NoThree(6));
}

#[test]
fn states_that_go_on_alike_are_one_node() {
    // At the last cell it matters only which colour is forbidden, if any.
    let diagram = Diagram::new(&NoThree(9)).expect("small");
    assert!(diagram.next.len() <= 3 * (2 + 9 * 5), "{}", diagram.next.len());
    let last: Vec<_> = (0..diagram.before.len()).filter(|at| diagram.next[*at] == diagram.end()).collect();
    assert_eq!(last.len(), 3 + 2 + 2, "three nodes at the last level");
}

#[test]
fn odd_automata_do_no_harm() {
    agrees(&NoThree(0), 1);
    agrees(&Stacks { cells: 0, men: [1, 0] }, 0);
    agrees(&Stacks { cells: 2, men: [5, 0] }, 0);
    assert!(Diagram::new(&NoThree(Diagram::LEVELS + 1)).is_none(), "too long");
    assert!(Diagram::new(&NoThree(60)).is_none(), "more than 2^64 boards");
    // Words that are too short or too long are no boards.
    let diagram = Diagram::new(&NoThree(3)).expect("small");
    assert_eq!((diagram.rank([0, 0]), diagram.rank([0, 0, 0, 0])), (None, None));
}

/// Any words, with a given number of letters at each level; the automaton remembers all letters.
struct Words(&'static [usize]);

impl Automaton for Words {
    type State = usize;

    fn levels(&self) -> usize {
        self.0.len()
    }

    fn letters(&self, level: usize) -> usize {
        self.0[level]
    }

    fn start(&self) -> usize {
        0
    }

    fn next(&self, level: usize, state: usize, letter: usize) -> Option<usize> {
        Some(state * self.0[level] + letter)
    }
}

#[test]
fn a_level_without_letters_leaves_no_board() {
    for letters in [&[0][..], &[2, 0], &[0, 2], &[2, 0, 3], &[2, 3, 0, 0]] {
        agrees(&Words(letters), 0);
    }
    agrees(&Words(&[]), 1);
    agrees(&Words(&[2, 1, 3]), 6);
}

#[test]
fn too_many_states_are_none_before_they_are_listed() {
    // 4 + 16 + 64 steps.
    let words = Words(&[4; 3]);
    assert!(Diagram::within(&words, 84).is_some_and(|diagram| diagram.size() == 64));
    assert!(Diagram::within(&words, 83).is_none());
    // 4^30 states in all.
    assert!(Diagram::within(&Words(&[4; 30]), 1 << 16).is_none());
}
