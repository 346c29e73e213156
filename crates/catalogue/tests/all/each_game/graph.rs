//! Games from lists: engines write the same tables, and every value is the oracle's.

use std::fmt::Write;

use zermelo_core::{Tier, Value, mix};
use zermelo_games::{GraphGame, GraphList, GraphLists};

use crate::each_game::start;
use crate::games::{open, right};
use crate::run::{PLENTY, solve};

/// The name of a variant with a list, which is known from now on.
fn named(text: &str) -> String {
    let list = GraphList::read(text).expect("a list");
    format!("graph:list={}", GraphLists::keep(list).id())
}

/// A random list of positions; without loops every move leads to a later one.
fn drawn(seed: u64, many: u64, loops: bool) -> String {
    let mut dice = mix(seed);
    let mut below = |n: u64| {
        dice = mix(dice.wrapping_add(seed | 1));
        dice % n
    };
    let mut text = "graph drawn\n".to_string();
    for p in 0..many {
        write!(text, "p{p}").expect("a string");
        if p + 1 == many || below(5) == 0 {
            writeln!(text, " {}", ["win", "lose", "tie"][below(3) as usize]).expect("a string");
            continue;
        }
        for m in 0..1 + below(4) {
            let to = if loops { below(many) } else { p + 1 + below(many - p - 1) };
            write!(text, " m{m}>p{to}").expect("a string");
        }
        text.push('\n');
    }
    text
}

#[test]
fn lists_with_loops_are_right() {
    right::<GraphGame<false>>("");
    for seed in 0..40 {
        let name = named(&drawn(seed, 60, true));
        right::<GraphGame<false>>(name.trim_start_matches("graph:"));
    }
}

#[test]
fn both_engines_write_the_same_bytes() {
    for seed in 0..40 {
        let name = named(&drawn(seed, 200, false));
        let [sweep, retrograde] = ["sweep", "retrograde"].map(|engine| {
            let solved = solve(&open(&name, Some(engine), None).expect("opens"), PLENTY);
            let mut bytes = vec![];
            solved[&Tier(0)].write(0..200, &mut bytes);
            bytes
        });
        assert!(sweep == retrograde, "{name}");
    }
}

#[test]
fn objectives_are_those_that_the_list_has() {
    let scored = named("graph scored\na x>b y>>c\nb x>d\nc x>d\nd win 3\n");
    assert_eq!(start(&scored, None), (Value::Win(2), "win in 2".into()));
    assert_eq!(start(&scored, Some("margin")).1, "win by 3");
    let heaps = named("graph heaps impartial\n2 one>1 all>0\n1 all>0\n0 lose\n");
    assert_eq!(start(&heaps, Some("nimber")), (Value::Win(2), "win, nimber 2".into()));
    for (name, objective) in [(&scored, "nimber"), (&heaps, "margin"), (&"graph".to_string(), "margin")] {
        let refused = open(name, None, Some(objective)).err().expect("refused").to_string();
        assert!(refused.contains(&format!("cannot be solved for {objective}")), "{refused}");
    }
    let loops = open("graph", Some("sweep"), None).err().expect("refused").to_string();
    assert!(loops.contains("beyond engine sweep"), "{loops}");
    let again = open(&scored, Some("retrograde"), None).err().expect("refused").to_string();
    assert!(again.contains("beyond engine retrograde"), "{again}");
}
