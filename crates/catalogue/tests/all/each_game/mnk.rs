//! m,n,k games: known values, and the misère game.

use std::collections::{BTreeMap, HashMap, HashSet};

use zermelo_catalogue::OpenError;
use zermelo_core::{Game, Remoteness, Tiers, Value};
use zermelo_games::Mnk;

use crate::blobs::{is_right, remoteness};
use crate::games::{make, open, value};
use crate::run::{PLENTY, solve};

fn start(options: &str) -> Value {
    let game = open(&format!("mnk:{options}"), Some("sweep"), None).expect("opens");
    let rules = make::<Mnk>(options);
    let done = solve(&game, PLENTY);
    value(&rules, &done, &mut HashMap::new(), rules.start()).expect("a value")
}

/// Uiterwijk and van den Herik, "The advantage of the initiative" (2000), and van den Herik, Uiterwijk and
/// van Rijswijck, "Games solved: now and in the future" (2002): three in a row is a win on every board of at
/// least 3x4 and a draw on 3x3 and where one side is shorter; four in a row is a draw up to 5x5.
#[test]
fn known_values() {
    for (options, want) in [
        ("rows=3,cols=3,line=3", Value::Tie(9)),
        ("rows=2,cols=7,line=3", Value::Tie(14)),
        ("rows=3,cols=4,line=3", Value::Win(7)),
        ("rows=4,cols=3,line=3", Value::Win(7)),
        ("rows=4,cols=4,line=3", Value::Win(5)),
        ("rows=3,cols=5,line=4", Value::Tie(15)),
        ("rows=4,cols=4,line=4", Value::Tie(16)),
    ] {
        assert_eq!(start(options), want, "{options}");
    }
}

/// Positions of tic-tac-toe up to symmetry that are won for x, by stones: OEIS A317573, row 3.
#[test]
fn won_positions_of_tic_tac_toe() {
    let game = make::<Mnk>("");
    let mut wins: BTreeMap<u64, HashSet<_>> = BTreeMap::new();
    for (p, value) in zermelo_testing::oracle(&game, &[game.start()]) {
        let stones = game.tier(p).0;
        let x_wins =
            if stones % 2 == 0 { matches!(value, Value::Win(_)) } else { matches!(value, Value::Lose(_)) };
        wins.entry(stones).or_default().extend(x_wins.then(|| game.canonical(p)));
    }
    let counts: Vec<_> = wins.values().map(HashSet::len).collect();
    assert_eq!(counts, [0, 0, 7, 9, 85, 67, 139, 70, 23, 12]);
}

/// Misère tic-tac-toe is a tie (Golomb and Hales, "Hypercube tic-tac-toe", 2002): the first player takes the
/// centre and then mirrors.
#[test]
fn misere() {
    assert_eq!(start("misere=yes"), Value::Tie(9));
    // Whoever is left with the last cell must complete the line.
    assert_eq!(start("rows=1,cols=1,line=1,misere=yes"), Value::Lose(1));
    assert_eq!(start("rows=1,cols=2,line=2,misere=yes"), Value::Tie(2));
    assert_eq!(start("rows=2,cols=2,line=2,misere=yes"), Value::Lose(3));
    is_right::<Mnk, Remoteness>("misere=yes", None, remoteness);
    is_right::<Mnk, Remoteness>("rows=3,cols=4,misere=yes", None, remoteness);
    let refused = open("mnk:misere=yes", Some("lattice"), None).err();
    assert!(matches!(refused, Some(OpenError::Beyond { engine: "lattice", .. })), "{refused:?}");
}
