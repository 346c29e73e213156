//! Names of tiers: a player understands them, and no two tiers of a variant share one, whatever the layout.

use std::collections::{BTreeSet, HashMap};

use zermelo_catalogue::Catalogue;
use zermelo_core::{Opened, Tier};

/// Variants of every game of the project, with tiers of every kind.
const VARIANTS: [&str; 34] = [
    "allqueens",
    "connect4:rows=4,cols=4",
    "connect4:rows=5,cols=5",
    "dawson",
    "dobutsu",
    "domineering:rows=4,cols=4",
    "fairshares",
    "hex",
    "kalah:pits=3,seeds=2",
    "kaooa",
    "kayles",
    "meaningless:depth=5,width=4",
    "mnk",
    "mnk:rows=4,cols=5,line=4",
    "mnk:misere=yes",
    "morris:men=3",
    "morris:men=3,stage=3-3",
    "nim",
    "othello:rows=4,cols=4",
    "othello",
    "pegs",
    "pegs:board=square,size=4",
    "pentago:section=44444444",
    "qbf:formula=eae.x2-3.-2x3",
    "quarto:rows=2,attributes=2",
    "quixo",
    "quixo:rows=3,cols=4,line=3",
    "slide",
    "teeko",
    "tento0",
    "toot:rows=4,cols=4,each=4",
    "xiangqi:pieces=4",
    "xiangqi:material=KRPPkpp",
    "meaningless",
];

/// Tiers of a variant, from its roots down.
fn tiers(game: &Opened, most: usize) -> Vec<Tier> {
    let (mut seen, mut list) = (BTreeSet::new(), vec![]);
    let mut todo = game.tiers().roots();
    while let Some(tier) = todo.pop().filter(|_| list.len() < most) {
        if seen.insert(tier) {
            list.push(tier);
            todo.extend(game.tiers().children(tier));
        }
    }
    list
}

#[test]
fn tiers_have_names_of_their_own() {
    let mut games = BTreeSet::new();
    for name in VARIANTS {
        let ways = Catalogue::standard().open_all(name, None, None, None).expect(name);
        let mut filings = BTreeSet::new();
        for game in ways.iter().filter(|game| filings.insert(game.tiers().filing().name)) {
            let mut named = HashMap::new();
            for tier in tiers(game, 3_000) {
                let told = game.tiers().name(tier);
                assert!(!told.trim().is_empty() && !told.contains(char::is_control), "{name}: {told:?}");
                assert_ne!(told, tier.to_string(), "{name} by {}: a number is no name", game.takes.name);
                let other = named.insert(told.clone(), tier);
                assert_eq!(other, None, "{name} by {}: {tier} is {told}, too", game.takes.name);
            }
            assert!(!named.is_empty(), "{name}");
        }
        games.insert(name.split(':').next());
    }
    // A list of positions is one tier.
    let all = Catalogue::standard().games().filter(|entry| entry.card.name != "graph");
    assert_eq!(games.len(), all.count(), "every game is here");
}

#[test]
fn names_say_what_tells_tiers_apart() {
    let name = |variant: &str, engine: Option<&str>, tier| {
        let game = crate::games::open(variant, engine, None).expect(variant);
        let tiers = tiers(&game, 100_000);
        assert!(tiers.contains(&Tier(tier)), "{variant} has no tier {tier:x} but {tiers:x?}");
        game.tiers().name(Tier(tier))
    };
    let quixo = |tier| name("quixo:rows=4,cols=4,line=4", None, tier);
    assert_eq!([quixo(0), quixo(0x905)], ["0 and 0 marks, 16 blank", "9 and 5 marks, 2 blank"]);
    assert_eq!(name("mnk", Some("sweep"), 5), "2 own, 3 other, 4 blank");
    let three = 3 * 5u64.pow(3);
    assert_eq!(name("connect4:rows=4,cols=4", Some("sweep"), three), "3 of 16 stones, columns 3 0 0 0 high");
    assert_eq!(name("dobutsu", None, 0), "a lion is taken");
    assert_eq!(name("othello:rows=4,cols=4", Some("blobs"), 5), "5 of 16 cells occupied");
    assert_eq!(name("slide", None, 0), "solvable");
    let lattice = name("mnk", Some("lattice"), 0);
    assert!(lattice.starts_with("file 1 ---"), "{lattice}");
    let game = crate::games::open("xiangqi:material=KRPkp", None, None).expect("a game");
    let names: BTreeSet<String> = tiers(&game, 100_000).into_iter().map(|t| game.tiers().name(t)).collect();
    for want in ["Kk", "KRk", "KRkp, p on rank 3", "KRPkp, P on rank 3, p on rank 9", "KPk, P on rank 6"] {
        assert!(names.contains(want), "{want} is not among {names:?}");
    }
}
