//! Games one by one: every engine against the oracle on small variants, and known values with their source.

mod allqueens;
mod dawson;
mod dobutsu;
mod domineering;
mod fairshares;
mod graph;
mod hex;
mod kalah;
mod kaooa;
mod kayles;
mod mnk;
mod morris;
mod nim;
mod pegs;
mod qbf;
mod quarto;
mod slide;
mod teeko;
mod tento0;
mod toot;

use zermelo_core::{Face, Impartial, Nimber, Reason, Tables, Tier, Tiers, Value, Width};

use crate::games::{make, open};
use crate::run::{Done, PLENTY, codes, solve};

/// Every position that has a number has the nimber of the formula.
fn nimbers_are_right<G: Impartial + Tiers + Face>(options: &str) {
    let name = format!("{}:{options}", G::CARD.name);
    let game = open(&name, None, Some("nimber")).expect("opens");
    let (done, rules) = (solve(&game, PLENTY), make::<G>(options));
    for (tier, solved) in &done {
        rules.scan(&rules.index(*tier), 0..rules.size(*tier), |i, p| {
            let want = rules.grundy(p).expect("a formula");
            assert_eq!(u32::from(codes::<G, Nimber>(solved).get(i).0), want, "{name}: {p:?}");
        });
    }
}

/// The value of the start by the best engine for an objective, and in words.
fn start(name: &str, objective: Option<&str>) -> (Value, String) {
    let game = open(name, None, objective).expect("opens");
    let solved = solve(&game, PLENTY);
    let value = game
        .oracle()
        .value(game.oracle().start(), &SolvedTables(&solved))
        .expect("a table")
        .expect("a value");
    (value, game.unit.text(value))
}

/// Solved tiers as the store would give them back.
struct SolvedTables<'a>(&'a Done);

impl Tables for SolvedTables<'_> {
    fn has(&self, tier: Tier) -> bool {
        self.0.contains_key(&tier)
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        let Some(solved) = self.0.get(&tier) else { return Ok(None) };
        let mut bytes = vec![];
        solved.write(rank..rank + 1, &mut bytes);
        bytes.resize(2, 0);
        Ok(Some((u16::from_le_bytes([bytes[0], bytes[1]]), solved.width())))
    }
}

#[test]
fn nimbers_verify_and_a_wrong_one_does_not() {
    for name in ["nim", "kayles:pins=9", "dawson:pins=9,rules=chess", "tento0"] {
        let game = open(name, None, Some("nimber")).expect("opens");
        let done = solve(&game, PLENTY);
        for (tier, solved) in &done {
            let below: Vec<_> = game.tiers().children(*tier).iter().map(|t| done[t].clone()).collect();
            let mut bytes = vec![];
            solved.write(0..solved.entries(), &mut bytes);
            let verify = |bytes: &[u8]| {
                let read = |range: std::ops::Range<u64>, out: &mut Vec<u8>| -> Result<(), Reason> {
                    out.extend(&bytes[range.start as usize..range.end as usize]);
                    Ok(())
                };
                let loaded = game.audit().load_plain(*tier, Width::One, &read).expect("loads");
                let checked = game.audit().verify(*tier, &*loaded, &below).expect("plain form");
                (checked.checked, checked.wrong)
            };
            assert_eq!(verify(&bytes), (solved.positions(), 0), "{name}, tier {tier}");
            let at = bytes.iter().position(|byte| *byte != u8::MAX).expect("a nimber");
            bytes[at] ^= 1;
            assert!(verify(&bytes).1 > 0, "{name}, tier {tier}: number {at} went unnoticed");
            let one = game.audit().verify_one(*tier, at as u64, &SolvedTables(&done)).expect("reads");
            assert_eq!((one.checked, one.wrong), (1, 0), "{name}: {:?}", one.examples);
        }
    }
}

/// What a move is worth is told with the nimber that it leaves.
#[test]
fn moves_are_told_with_the_nimber_they_leave() {
    let game = open("nim", None, Some("nimber")).expect("opens");
    let done = solve(&game, PLENTY);
    let at = |text: &str| game.oracle().parse(text).expect("a position");
    let report = game.oracle().report(at("1_3-4-5"), &SolvedTables(&done)).expect("tables");
    assert_eq!((report.value, report.moves.len()), (Some(Value::Win(2)), 12));
    let best = &report.moves[0];
    assert_eq!((best.name.as_str(), best.position.as_str()), ("a2", "2_1-4-5"));
    assert_eq!((best.value, best.worth), (Some(Value::Lose(0)), Some(Value::Win(0))));
    assert!(report.moves[1..].iter().all(
        |m| matches!((m.value, m.worth), (Some(Value::Win(n)), Some(Value::Lose(k))) if n == k && n > 0)
    ));
    let limits = zermelo_core::Limits { time: std::time::Duration::ZERO, memory: 0 };
    assert_eq!(game.oracle().search(at("2_0-0-5"), limits), Some(Value::Win(5)), "by the formula");
}
