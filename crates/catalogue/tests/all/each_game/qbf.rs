//! Formulas as games: who wins is what solvers for formulas say.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};

use zermelo_core::{Game, Value};
use zermelo_games::Qbf;

use crate::games::{make, open, right, value};
use crate::run::{PLENTY, solve};

/// A formula: for each variable whether it is for all values, and clauses of literals.
type Formula = (Vec<bool>, Vec<Vec<i32>>);

/// Formulas of few variables, from a seed; about half of them satisfiable.
fn random(seed: u64) -> Formula {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut roll = move |n: u64| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) % n
    };
    let variables = 3 + roll(8);
    let prefix: Vec<bool> = (0..variables).map(|_| roll(5) < 2).collect();
    let mut literal = |_| (1 + roll(variables) as i32) * if roll(2) == 0 { 1 } else { -1 };
    let many = 2 + seed as usize % 9;
    (prefix, (0..many).map(|_| (0..3).map(&mut literal).collect()).collect())
}

/// By the meaning of quantifiers alone.
fn holds((prefix, clauses): &Formula, values: &mut Vec<bool>) -> bool {
    let Some(for_all) = prefix.get(values.len()).copied() else {
        let holds = |l: &i32| values[l.unsigned_abs() as usize - 1] == (*l > 0);
        return clauses.iter().all(|clause| clause.iter().any(holds));
    };
    let mut with = |value: bool| {
        values.push(value);
        let found = holds(&(prefix.clone(), clauses.clone()), values);
        values.pop();
        found
    };
    if for_all { with(false) && with(true) } else { with(false) || with(true) }
}

fn word((prefix, clauses): &Formula) -> String {
    let mut text: String = prefix.iter().map(|all| if *all { 'a' } else { 'e' }).collect();
    for clause in clauses {
        text.push('.');
        clause.iter().for_each(|l| text += &if *l > 0 { format!("x{l}") } else { l.to_string() });
    }
    text
}

/// Whether the first player wins.
fn solved(formula: &str) -> bool {
    let options = format!("formula={formula}");
    let done = solve(&open(&format!("qbf:{options}"), None, None).expect("opens"), PLENTY);
    let game = make::<Qbf>(&options);
    match value(&game, &done, &mut HashMap::new(), game.start()) {
        Some(Value::Win(_)) => true,
        Some(Value::Lose(_)) => false,
        other => panic!("{formula}: {other:?}"),
    }
}

#[test]
fn every_position_is_right() {
    for options in ["", "formula=eeaaee.x1x3x5.-2-4x6.x2-3-6.-1x4-5", "formula=ae.x1-2.-1x2"] {
        right::<Qbf>(options);
    }
}

/// Yokota, EECS-2022-219, section 10.2: the same clauses under three prefixes.
#[test]
fn the_published_formulas() {
    for (prefix, satisfiable) in [("eee", true), ("aee", true), ("eae", false)] {
        assert_eq!(solved(&format!("{prefix}.x1x2.-1-3.-2x3")), satisfiable, "{prefix}");
    }
}

/// Says whether a formula is satisfiable; `None` where the program is not installed.
fn depqbf((prefix, clauses): &Formula) -> Option<bool> {
    let mut text = format!("p cnf {} {}\n", prefix.len(), clauses.len());
    for (v, all) in (1..).zip(prefix) {
        text += &format!("{} {v} 0\n", if *all { 'a' } else { 'e' });
    }
    for clause in clauses {
        text += &clause.iter().map(|l| format!("{l} ")).collect::<String>();
        text += "0\n";
    }
    let mut run = Command::new("depqbf").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().ok()?;
    run.stdin.take()?.write_all(text.as_bytes()).ok()?;
    match run.wait().ok()?.code() {
        Some(10) => Some(true),
        Some(20) => Some(false),
        other => panic!("depqbf ends with {other:?} on\n{text}"),
    }
}

/// Against the meaning of quantifiers, and against DepQBF where that is installed.
#[test]
fn random_formulas() {
    let mut satisfiable = 0;
    for seed in 0..60 {
        let formula = random(seed);
        let tautology = |c: &Vec<i32>| c.iter().any(|l| c.contains(&-l));
        if formula.1.iter().all(tautology) {
            continue;
        }
        let want = holds(&formula, &mut vec![]);
        assert_eq!(solved(&word(&formula)), want, "{}", word(&formula));
        if let Some(found) = depqbf(&formula) {
            assert_eq!(found, want, "DepQBF on {}", word(&formula));
        }
        satisfiable += usize::from(want);
    }
    assert!((15..45).contains(&satisfiable), "{satisfiable} of 60 are satisfiable");
}
