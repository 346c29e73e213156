//! Published tables, reproduced exactly: every count by value and remoteness.

use serde_json::Value;

use crate::scratch::Scratch;

fn tables() -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../golden/tables.json")).unwrap();
    all["variants"].as_array().unwrap().clone()
}

#[test]
fn published_tables_come_out_exactly() {
    let scratch = Scratch::new("golden");
    for want in tables() {
        let game = want["game"].as_str().unwrap();
        let solved = scratch.json(&["solve", game, "--json", "--memory", "600M"]);
        assert_eq!(
            (&solved["value"], &solved["remoteness"]),
            (&want["value"], &want["remoteness"]),
            "{game}"
        );
        let found = scratch.json(&["analyze", game, "--json"]);
        for key in ["positions", "canonical_positions", "counts", "canonical_counts"] {
            if let Some(want) = want.get(key) {
                assert_eq!(&found[key], want, "{game}: {key}");
            }
        }
        let verified = scratch.json(&["verify", game, "--json"]);
        assert_eq!((verified["wrong"].as_u64(), verified["damaged_blocks"].as_u64()), (Some(0), Some(0)));
        let sampled = scratch.json(&["verify", game, "--sample", "5000", "--json"]);
        assert!(sampled["wrong"] == 0 && sampled["checked"].as_u64().unwrap() > 1000);
    }
}

#[test]
fn the_counts_without_a_database_are_the_same() {
    let scratch = Scratch::new("no-database");
    for want in tables().iter().filter(|v| v["positions"].as_u64().unwrap() < 100_000) {
        let game = want["game"].as_str().unwrap();
        let solved = scratch.json(&["solve", game, "--no-database", "--json"]);
        assert_eq!(
            (&solved["counts"], &solved["canonical_counts"]),
            (&want["counts"], &want["canonical_counts"])
        );
        assert_eq!(solved["database_bytes"], 0);
    }
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is kept");
}

/// Every engine fills tables with the same bytes, with one thread and with two.
#[test]
fn engines_and_threads_agree_to_the_byte() {
    for (game, engines) in [
        ("quixo:rows=3,cols=3,line=3", &["retrograde", "unmoves", "iterate"][..]),
        ("quixo:rows=3,cols=4,line=3", &["retrograde", "unmoves"]),
        ("mnk:rows=3,cols=4,line=3", &["sweep", "retrograde", "iterate"]),
        ("connect4:rows=4,cols=4", &["sweep", "retrograde"]),
    ] {
        let mut seen: Option<Vec<_>> = None;
        for engine in engines {
            for threads in ["1", "2"] {
                let scratch = Scratch::new(&format!("agree-{engine}-{threads}"));
                let solved =
                    scratch.json(&["solve", game, "--engine", engine, "--threads", threads, "--json"]);
                assert_eq!(solved["engine"], *engine);
                let tables = crate::resume::tables(&scratch, game);
                assert_eq!(
                    seen.get_or_insert_with(|| tables.clone()),
                    &tables,
                    "{game}, {engine}, {threads} threads"
                );
            }
        }
    }
}

/// Positions of Connect 4 on every small board that has been counted.
#[test]
fn connect_4_positions_come_out_exactly() {
    let scratch = Scratch::new("connect4");
    let all: Value = serde_json::from_str(include_str!("../golden/tables.json")).unwrap();
    let boards = all["connect4_positions"]["boards"].as_array().unwrap();
    assert!(boards.len() > 20);
    for board in boards {
        let game = format!("connect4:rows={},cols={}", board["rows"], board["cols"]);
        let solved = scratch.json(&["solve", &game, "--no-database", "--json"]);
        let counts = solved["counts"].as_object().unwrap();
        let of = |n: &Value| {
            n.as_u64().unwrap_or_else(|| n.as_object().unwrap().values().filter_map(Value::as_u64).sum())
        };
        assert_eq!(Some(counts.values().map(of).sum::<u64>()), board["positions"].as_u64(), "{game}");
    }
}

#[test]
fn databases_are_small() {
    let scratch = Scratch::new("small");
    let bytes = |game: &str| scratch.json(&["solve", game, "--json"])["database_bytes"].as_u64().unwrap();
    assert!(bytes("quixo:rows=3,cols=3,line=3") <= 5_000);
    assert!(bytes("mnk") <= 5_000);
}
