//! Reads and writes formulas: a prefix of quantifiers and clauses, from one word or from a QDIMACS file.
//!
//! In one word a formula is a letter for each variable, `e` (some value) or `a` (all values) from the outermost in,
//! and then clauses, each after a full stop. `eae.x1x2.-1-3` is "there is a 1 so that for all 2 there is a 3: (1 or
//! 2) and (not 1 or not 3)". The word is the variant's name, so a database belongs to the formula and not to a file
//! that may change.

use std::collections::{BTreeMap, BTreeSet};

use zermelo_core::{Complaint, quoted, refuse};

/// The most variables of a formula. With more, the last tier would have more numbers than any machine memory.
pub(super) const MOST_VARIABLES: usize = 48;
/// The most clauses of a formula.
const MOST_CLAUSES: usize = 4_096;

/// A formula in normal form. The clauses are in order, no clause is always true and none occurs twice, and the
/// outermost quantifier is `e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Formula {
    /// By variable: whether it is for all values.
    pub(super) for_all: Vec<bool>,
    /// The variables of each clause: those that should be true, and those that should be false.
    pub(super) clauses: Vec<[u64; 2]>,
}

impl Formula {
    /// Brings quantifiers and clauses of literals (numbers from 1, negative for not) to normal form.
    fn new(mut for_all: Vec<bool>, clauses: &[Vec<i64>]) -> Result<Formula, Complaint> {
        // The first player begins. So where the outermost quantifier is for all, a variable that occurs in no clause
        // comes first.
        let shift = usize::from(for_all.first() != Some(&false));
        if shift == 1 {
            for_all.insert(0, false);
        }
        if for_all.len() > MOST_VARIABLES || clauses.len() > MOST_CLAUSES {
            let (variables, clauses) = (for_all.len(), clauses.len());
            refuse!(
                "a formula of {variables} variables and {clauses} clauses is too large: at most {MOST_VARIABLES} and {MOST_CLAUSES}"
            );
        }
        let mut kept = BTreeSet::new();
        for clause in clauses {
            let mut sides = [0u64; 2];
            for literal in clause {
                sides[usize::from(*literal < 0)] |= 1 << (literal.unsigned_abs() as usize - 1 + shift);
            }
            if sides[0] & sides[1] == 0 {
                kept.insert(sides);
            }
        }
        if kept.is_empty() || kept.contains(&[0, 0]) {
            let what = if kept.is_empty() { "true" } else { "false" };
            refuse!("the formula is {what} whatever is chosen: there is nothing to play for");
        }
        Ok(Formula { for_all, clauses: kept.into_iter().collect() })
    }

    /// Reads a formula in one word.
    pub(super) fn read(text: &str) -> Result<Formula, Complaint> {
        let bad =
            |why: &str| Complaint::new(format!("formula {}: {why}, as in eae.x1x2.-1-3.-2x3", quoted(text)));
        let mut parts = text.split('.');
        let prefix: Option<Vec<bool>> = parts.next().unwrap_or_default().chars().map(quantifier).collect();
        let prefix = prefix
            .filter(|p| !p.is_empty())
            .ok_or_else(|| bad("begin with a letter e or a for each variable"))?;
        let mut clauses = vec![];
        for part in parts {
            let literals = literals(part, prefix.len());
            clauses.push(literals.ok_or_else(|| {
                bad("give each clause after a full stop: x1 for a variable, -1 for its opposite")
            })?);
        }
        Formula::new(prefix, &clauses)
    }

    /// The formula in one word.
    pub(super) fn show(&self) -> String {
        let mut text: String = self.for_all.iter().map(|all| if *all { 'a' } else { 'e' }).collect();
        for [good, bad] in &self.clauses {
            text.push('.');
            for v in 0..self.for_all.len() {
                match (good >> v & 1, bad >> v & 1) {
                    (0, 0) => {}
                    (0, _) => text += &format!("-{}", v + 1),
                    _ => text += &format!("x{}", v + 1),
                }
            }
        }
        text
    }

    /// Reads a QDIMACS file. Variables that no quantifier names are existential and outermost, as the standard says.
    /// All variables are numbered anew in the order of the prefix.
    pub(super) fn read_qdimacs(text: &str) -> Result<Formula, Complaint> {
        let mut file = Qdimacs::default();
        for (n, line) in (1..).zip(text.lines()) {
            file.take(line.trim()).map_err(|why| Complaint::new(format!("line {n}: {why}")))?;
        }
        file.end().map_err(|why| Complaint::new(format!("at the end: {why}")))
    }
}

fn quantifier(letter: char) -> Option<bool> {
    match letter {
        'e' | 'E' => Some(false),
        'a' | 'A' => Some(true),
        _ => None,
    }
}

/// The literals of a clause such as `x1-2x10`; `None` where the text is something else.
fn literals(text: &str, variables: usize) -> Option<Vec<i64>> {
    let mut found = vec![];
    let mut rest = text;
    while !rest.is_empty() {
        let sign = if rest.starts_with('-') { -1 } else { 1 };
        rest = rest.strip_prefix(['x', 'X', '-'])?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let variable: i64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        found.push(sign * Some(variable).filter(|v| (1..=variables as i64).contains(v))?);
    }
    Some(found)
}

/// The contents of a file as far as it is read, line by line.
#[derive(Default)]
struct Qdimacs {
    /// The numbers of variables and clauses, as the header gives them.
    header: Option<(i64, usize)>,
    /// The place of each variable in the prefix.
    places: BTreeMap<i64, usize>,
    for_all: Vec<bool>,
    clauses: Vec<Vec<i64>>,
    open: Vec<i64>,
}

impl Qdimacs {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_ascii_whitespace();
        let Some((most, _)) = self.header else {
            return match words.next() {
                None => Ok(()),
                Some("p") => self.begin(&words.collect::<Vec<_>>()),
                Some(word) if word.starts_with('c') => Ok(()),
                _ => Err("want a header like p cnf VARIABLES CLAUSES first".into()),
            };
        };
        let quantified = match line.split_ascii_whitespace().next() {
            None => return Ok(()),
            Some(word) if word.starts_with('c') => return Ok(()),
            Some("e") => Some(false),
            Some("a") => Some(true),
            Some(_) => None,
        };
        if let Some(for_all) = quantified {
            words.next();
            return self.quantify(for_all, words, most);
        }
        for word in words {
            let literal = number(word, most)?;
            if literal != 0 {
                self.open.push(literal);
                continue;
            }
            self.clauses.push(std::mem::take(&mut self.open));
            if self.clauses.len() > MOST_CLAUSES {
                return Err(format!("more than {MOST_CLAUSES} clauses"));
            }
        }
        Ok(())
    }

    fn begin(&mut self, words: &[&str]) -> Result<(), String> {
        let counts = match words {
            ["cnf", variables, clauses] => variables.parse().ok().zip(clauses.parse().ok()),
            _ => None,
        };
        let counts = counts.filter(|(variables, _): &(i64, usize)| *variables >= 0);
        self.header = Some(counts.ok_or("want a header like p cnf VARIABLES CLAUSES")?);
        Ok(())
    }

    fn quantify<'a>(
        &mut self,
        for_all: bool,
        words: impl Iterator<Item = &'a str>,
        most: i64,
    ) -> Result<(), String> {
        if !self.clauses.is_empty() || !self.open.is_empty() {
            return Err("quantifiers come before all clauses".into());
        }
        let mut ended = false;
        for word in words {
            let variable = number(word, most)?;
            match variable {
                _ if ended => return Err("words after the 0 that ends a list".into()),
                0 => ended = true,
                v if v < 0 => return Err(format!("a quantifier names variables, not {v}")),
                v if self.places.insert(v, self.for_all.len()).is_some() => {
                    return Err(format!("variable {v} has a quantifier already"));
                }
                _ => self.for_all.push(for_all),
            }
            if self.for_all.len() > MOST_VARIABLES {
                return Err(format!("more than {MOST_VARIABLES} variables"));
            }
        }
        if ended { Ok(()) } else { Err("a list of variables ends with 0".into()) }
    }

    fn end(self) -> Result<Formula, String> {
        let Some((_, clauses)) = self.header else { return Err("there is no header p cnf".into()) };
        if !self.open.is_empty() {
            return Err("the last clause does not end with 0".into());
        }
        if clauses != self.clauses.len() {
            return Err(format!(
                "the header tells of {clauses} clauses, and there are {}",
                self.clauses.len()
            ));
        }
        let used: BTreeSet<i64> = self.clauses.iter().flatten().map(|l| l.abs()).collect();
        let free: Vec<i64> = used.into_iter().filter(|v| !self.places.contains_key(v)).collect();
        let mut places: BTreeMap<i64, usize> =
            self.places.iter().map(|(v, at)| (*v, at + free.len())).collect();
        places.extend(free.iter().zip(0..).map(|(v, at)| (*v, at)));
        let prefix = vec![false; free.len()].into_iter().chain(self.for_all).collect();
        let renamed = |l: &i64| l.signum() * (places[&l.abs()] as i64 + 1);
        let clauses: Vec<Vec<i64>> = self.clauses.iter().map(|c| c.iter().map(renamed).collect()).collect();
        Formula::new(prefix, &clauses).map_err(|complaint| complaint.to_string())
    }
}

fn number(word: &str, most: i64) -> Result<i64, String> {
    let found: Option<i64> = word.parse().ok();
    let number = found.ok_or_else(|| format!("{} is no number", quoted(word)))?;
    if number.unsigned_abs() > most.unsigned_abs() {
        return Err(format!("variable {} is more than the {most} of the header", number.unsigned_abs()));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_a_normal_form() {
        for (text, normal) in [
            ("eae.x1x2.-1-3.-2x3", "eae.-2x3.x1x2.-1-3"),
            ("EAE.X2X1.-3-1.x3-2.x3-2", "eae.-2x3.x1x2.-1-3"),
            ("ae.x1x2.x1-1.x2x2", "eae.x3.x2x3"),
        ] {
            let formula = Formula::read(text).expect(text);
            let shown = formula.show();
            assert_eq!(Formula::read(&shown).as_ref(), Ok(&formula), "{shown}");
            assert_eq!(Formula::read(normal).as_ref(), Ok(&formula), "{shown}");
        }
        let many = "e".repeat(49) + ".x1";
        for (text, why) in [
            ("", "begin with"),
            ("xyz", "begin with"),
            (".x1", "begin with"),
            ("e.", "false"),
            ("e", "true"),
            ("e.x2", "clause"),
            ("e.x0", "clause"),
            ("e.1", "clause"),
            ("e.x", "clause"),
            ("e.x1é", "clause"),
            ("e.x99999999999999999999", "clause"),
            ("e.x1-1", "true"),
            (many.as_str(), "too large"),
        ] {
            let complaint = Formula::read(text).expect_err(text).to_string();
            assert!(complaint.contains(why), "{text}: {complaint}");
        }
    }

    #[test]
    fn files_are_read() {
        let good = "c a comment\np cnf 5 3\na 2 0\ne 3 0\n1 2 0\n-1 -3 0 -2\n3 0\n";
        // Variable 1 has no quantifier, so it is outermost; 4 and 5 occur nowhere.
        let formula = Formula::read_qdimacs(good).expect("good");
        assert_eq!(formula, Formula::read("eae.x1x2.-1-3.-2x3").expect("good"));
        for (text, why) in [
            ("", "no header"),
            ("p cnf 1\n", "line 1: want a header"),
            ("1 0\n", "line 1: want a header"),
            ("p cnf 2 1\ne 1 0\n1 x 0\n", "line 3: \"x\" is no number"),
            ("p cnf 2 1\ne 1 0\n3 0\n", "line 3: variable 3 is more"),
            ("p cnf 2 1\ne 1 1 0\n", "line 2: variable 1 has a quantifier"),
            ("p cnf 2 1\ne 1\n", "line 2: a list"),
            ("p cnf 2 1\ne 1 0 2\n", "line 2: words after"),
            ("p cnf 2 1\ne -1 0\n", "line 2: a quantifier names"),
            ("p cnf 2 2\ne 1 0\n1 0\na 2 0\n", "line 4: quantifiers come before"),
            ("p cnf 2 2\ne 1 0\n1 0\n", "the header tells of 2"),
            ("p cnf 2 1\ne 1 0\n1\n", "does not end"),
            ("p cnf 2 1\ne 1 0\n0\n", "false"),
            ("p cnf -9223372036854775808 1\n", "header"),
        ] {
            let complaint = Formula::read_qdimacs(text).expect_err(text).to_string();
            assert!(complaint.contains(why), "{text}: {complaint}");
        }
    }
}
