//! Values of combinatorial game theory as canonical forms: sets of Left's and Right's options, without those that are
//! dominated or reversible. Equal values are the same form, so a form's place in a list stands for its value.
//!
//! Forms can grow without bound, so all work is counted, and ends with `None` when there is too much.

use std::collections::HashMap;
use std::time::Instant;

/// A value: the place of its form.
pub(super) type Value = u32;

/// The options of Left and of Right, each in order and once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Form {
    left: Vec<Value>,
    right: Vec<Value>,
}

/// Every form met so far, and what is known of each.
pub(super) struct Forms {
    all: Vec<Form>,
    places: HashMap<Form, Value>,
    at_most: HashMap<(Value, Value), bool>,
    sums: HashMap<(Value, Value), Value>,
    /// The number of steps that may still be taken.
    steps: u32,
    /// The moment when work ends, whatever steps are left.
    until: Option<Instant>,
}

/// The number of steps between two looks at the clock.
const UNTIMED: u32 = 1024;

/// One, where numbers are counted in fractions of it.
const ONE: i64 = 1 << 20;

impl Forms {
    /// The list with zero alone, and `steps` steps to take.
    pub(super) fn new(steps: u32) -> Forms {
        let mut forms = Forms {
            all: vec![],
            places: HashMap::new(),
            at_most: HashMap::new(),
            sums: HashMap::new(),
            steps,
            until: None,
        };
        forms.place(vec![], vec![]);
        forms
    }

    /// The list, made to end its work at a moment, whatever steps are left.
    pub(super) fn until(mut self, until: Instant) -> Forms {
        self.until = Some(until);
        self
    }

    /// The game in which neither player can move.
    pub(super) const ZERO: Value = 0;

    fn place(&mut self, mut left: Vec<Value>, mut right: Vec<Value>) -> Value {
        for options in [&mut left, &mut right] {
            options.sort_unstable();
            options.dedup();
        }
        let form = Form { left, right };
        if let Some(place) = self.places.get(&form) {
            return *place;
        }
        let place = self.all.len() as Value;
        self.all.push(form.clone());
        self.places.insert(form, place);
        place
    }

    fn step(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        if self.steps.is_multiple_of(UNTIMED) && self.until.is_some_and(|until| Instant::now() >= until) {
            self.steps = 0;
        }
        Some(())
    }

    fn left(&self, g: Value) -> Vec<Value> {
        self.all[g as usize].left.clone()
    }

    fn right(&self, g: Value) -> Vec<Value> {
        self.all[g as usize].right.clone()
    }

    /// Whether `g <= h`: no option of Left's in `g` is at least `h`, and no option of Right's in `h` is at most `g`.
    pub(super) fn at_most(&mut self, g: Value, h: Value) -> Option<bool> {
        self.step()?;
        if g == h {
            return Some(true);
        }
        if let Some(known) = self.at_most.get(&(g, h)) {
            return Some(*known);
        }
        let mut holds = true;
        for n in 0..self.all[g as usize].left.len() {
            holds = holds && !self.at_most(h, self.all[g as usize].left[n])?;
        }
        for n in 0..self.all[h as usize].right.len() {
            holds = holds && !self.at_most(self.all[h as usize].right[n], g)?;
        }
        self.at_most.insert((g, h), holds);
        Some(holds)
    }

    /// The value of the game with these options.
    pub(super) fn of(&mut self, left: Vec<Value>, right: Vec<Value>) -> Option<Value> {
        let g = self.place(left, right);
        let left = self.bypassed(g, self.left(g), true)?;
        let right = self.bypassed(g, self.right(g), false)?;
        let left = self.undominated(left, true)?;
        let right = self.undominated(right, false)?;
        Some(self.place(left, right))
    }

    /// Replaces each reversible option, which the other player would answer at once to their own good, by the options
    /// after that answer.
    fn bypassed(&mut self, g: Value, mut todo: Vec<Value>, left: bool) -> Option<Vec<Value>> {
        let mut kept = vec![];
        while let Some(option) = todo.pop() {
            self.step()?;
            let mut answer = None;
            for reply in if left { self.right(option) } else { self.left(option) } {
                let reverses = if left { self.at_most(reply, g)? } else { self.at_most(g, reply)? };
                answer = answer.or(reverses.then_some(reply));
            }
            match answer {
                Some(reply) => todo.extend(if left { self.left(reply) } else { self.right(reply) }),
                None => kept.push(option),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        Some(kept)
    }

    /// Drops options that are no better than another option.
    fn undominated(&mut self, options: Vec<Value>, left: bool) -> Option<Vec<Value>> {
        let mut best = vec![];
        for a in &options {
            let mut good = true;
            for b in options.iter().filter(|b| *b != a) {
                good = good && !(if left { self.at_most(*a, *b)? } else { self.at_most(*b, *a)? });
            }
            if good {
                best.push(*a);
            }
        }
        Some(best)
    }

    /// The sum: both games side by side, a move being a move in either.
    pub(super) fn sum(&mut self, g: Value, h: Value) -> Option<Value> {
        self.step()?;
        let pair = (g.min(h), g.max(h));
        if pair.0 == Forms::ZERO {
            return Some(pair.1);
        }
        if let Some(known) = self.sums.get(&pair) {
            return Some(*known);
        }
        let mut sides = [vec![], vec![]];
        for (side, options) in sides.iter_mut().enumerate() {
            for (moved, other) in [(g, h), (h, g)] {
                for option in if side == 0 { self.left(moved) } else { self.right(moved) } {
                    options.push(self.sum(option, other)?);
                }
            }
        }
        let [left, right] = sides;
        let sum = self.of(left, right)?;
        self.sums.insert(pair, sum);
        Some(sum)
    }

    /// The value with the players' roles swapped.
    fn negative(&mut self, g: Value) -> Option<Value> {
        self.step()?;
        let (mut left, mut right) = (vec![], vec![]);
        for option in self.right(g) {
            left.push(self.negative(option)?);
        }
        for option in self.left(g) {
            right.push(self.negative(option)?);
        }
        Some(self.place(left, right))
    }

    /// The number that a value is, in fractions of [`ONE`].
    fn number(&self, g: Value) -> Option<i64> {
        let Form { left, right } = &self.all[g as usize];
        match (left.as_slice(), right.as_slice()) {
            ([], []) => Some(0),
            ([a], []) => Some(self.number(*a)? + ONE),
            ([], [b]) => Some(self.number(*b)? - ONE),
            ([a], [b]) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                (a < b).then_some((a + b) / 2)
            }
            _ => None,
        }
    }

    /// The value of a number: its form has the nearest numbers of a smaller denominator around it.
    fn of_number(&mut self, n: i64) -> Option<Value> {
        self.step()?;
        let around = |n: i64| if n % ONE == 0 { ONE } else { 1 << n.trailing_zeros() };
        let (left, right) = (n - around(n), n + around(n));
        let left = if n > 0 || n % ONE != 0 { vec![self.of_number(left)?] } else { vec![] };
        let right = if n < 0 || n % ONE != 0 { vec![self.of_number(right)?] } else { vec![] };
        Some(self.place(left, right))
    }

    /// The number that play leads to when a player begins and both play well.
    fn stop(&mut self, g: Value, left_begins: bool) -> Option<i64> {
        if let Some(n) = self.number(g) {
            return Some(n);
        }
        self.step()?;
        let mut stops = vec![];
        for option in if left_begins { self.left(g) } else { self.right(g) } {
            stops.push(self.stop(option, !left_begins)?);
        }
        if left_begins { stops.into_iter().max() } else { stops.into_iter().min() }
    }

    /// A value in the usual signs: numbers, `*`, `↑`, switches, and options in braces.
    pub(super) fn name(&mut self, g: Value) -> Option<String> {
        self.step()?;
        if let Some(n) = self.number(g) {
            return Some(fraction(n));
        }
        let stops = [self.stop(g, true)?, self.stop(g, false)?];
        if stops[0] == stops[1]
            && let Some(name) = self.near_number(g, stops[0])?
        {
            return Some(name);
        }
        let [left, right] = [self.left(g), self.right(g)].map(|options| self.names(options));
        let (left, right) = (left?, right?);
        let even = self.negative(g)? == g;
        Some(match (even, left.contains([',', '|'])) {
            (true, false) => format!("±{left}"),
            (true, true) => format!("±({left})"),
            (false, _) => format!("{{{left}|{right}}}"),
        })
    }

    fn names(&mut self, options: Vec<Value>) -> Option<String> {
        let mut names = vec![];
        for option in options {
            names.push(self.name(option)?);
        }
        names.sort();
        Some(names.join(","))
    }

    /// The name of a number with a few ups or downs and a nimber, if the value is one.
    fn near_number(&mut self, g: Value, n: i64) -> Option<Option<String>> {
        let base = self.of_number(n)?;
        let away = self.negative(base)?;
        let rest = self.sum(g, away)?;
        let number = if n == 0 { String::new() } else { fraction(n) };
        let star = self.of(vec![Forms::ZERO], vec![Forms::ZERO])?;
        let up = self.of(vec![Forms::ZERO], vec![star])?;
        let down = self.negative(up)?;
        for (arrow, step) in [("↑", up), ("↓", down)] {
            let mut arrows = Forms::ZERO;
            for many in 0..4 {
                let mut nimbers = vec![];
                for k in 0..4 {
                    let nimber = self.of(nimbers.clone(), nimbers.clone())?;
                    nimbers.push(nimber);
                    if self.sum(arrows, nimber)? == rest {
                        let arrows = arrow.repeat(many);
                        let nimber = ["".into(), "*".into(), format!("*{k}")][k.min(2)].clone();
                        return Some(Some(format!("{number}{arrows}{nimber}")));
                    }
                }
                arrows = self.sum(arrows, step)?;
            }
        }
        Some(None)
    }
}

/// A number as people write it: `-3`, `1/2`.
fn fraction(n: i64) -> String {
    let shift = n.trailing_zeros().min(ONE.trailing_zeros());
    match ONE >> shift {
        1 => (n >> shift).to_string(),
        parts => format!("{}/{parts}", n >> shift),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_usual_ones() {
        let f = &mut Forms::new(100_000);
        let zero = Forms::ZERO;
        let star = f.of(vec![zero], vec![zero]).expect("steps");
        let one = f.of(vec![zero], vec![]).expect("steps");
        let two = f.of(vec![zero, one], vec![]).expect("steps");
        let half = f.of(vec![zero], vec![one]).expect("steps");
        let minus = f.negative(one).expect("steps");
        let up = f.of(vec![zero], vec![star]).expect("steps");
        let up_star = f.sum(up, star).expect("steps");
        let hot = f.of(vec![two], vec![minus]).expect("steps");
        let even = f.of(vec![one], vec![minus]).expect("steps");
        let more = f.sum(half, up_star).expect("steps");
        let tower = f.of(vec![hot], vec![minus]).expect("steps");
        for (g, name) in [
            (zero, "0"),
            (star, "*"),
            (one, "1"),
            (two, "2"),
            (half, "1/2"),
            (minus, "-1"),
            (up, "↑"),
            (up_star, "↑*"),
            (hot, "{2|-1}"),
            (even, "±1"),
            (more, "1/2↑*"),
            (tower, "{{2|-1}|-1}"),
        ] {
            assert_eq!(f.name(g).expect("steps"), name);
        }
        // A switch twice is nothing; up and star are confused, two ups are more than star.
        assert_eq!(f.sum(even, even), Some(zero));
        let ups = f.sum(up, up).expect("steps");
        assert_eq!((f.at_most(up, star), f.at_most(star, up)), (Some(false), Some(false)));
        assert_eq!((f.at_most(ups, star), f.at_most(star, ups)), (Some(false), Some(true)));
        assert_eq!(f.name(ups).as_deref(), Some("↑↑"));
        // Reversible: {0,*|0,*} is a nimber of two; {-1|1} is zero.
        let two_heap = f.of(vec![zero, star], vec![zero, star]).expect("steps");
        assert_eq!(f.name(two_heap).as_deref(), Some("*2"));
        assert_eq!(f.of(vec![minus], vec![one]), Some(zero));
        for n in [-5 * ONE, ONE / 4, 3 * ONE / 8, -ONE / 2, 7 * ONE / 2] {
            let g = f.of_number(n).expect("steps");
            assert_eq!(f.number(g), Some(n));
        }
    }

    #[test]
    fn too_much_work_is_given_up() {
        let f = &mut Forms::new(3);
        let star = f.of(vec![Forms::ZERO], vec![Forms::ZERO]);
        assert_eq!(star.and_then(|star| f.name(star)), None);
    }
}
