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
        assert_eq!(sampled["wrong"], 0, "{game}");
        // A small database has fewer values to check than the sample asks for.
        let enough = verified["checked"].as_u64().min(Some(1000));
        assert!(sampled["checked"].as_u64() >= enough, "{game}: {sampled}");
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
        ("quixo:rows=3,cols=3,line=3", &["retrograde", "unmoves", "iterate", "compact"][..]),
        ("quixo:rows=3,cols=4,line=3", &["retrograde", "unmoves", "compact"]),
        ("xiangqi:pieces=3", &["unmoves", "retrograde", "iterate", "compact"]),
        ("xiangqi:material=KNkb", &["unmoves", "iterate"]),
        ("mnk:rows=3,cols=4,line=3", &["sweep", "retrograde", "iterate"]),
        ("connect4:rows=4,cols=4", &["sweep", "retrograde"]),
        ("meaningless", &["sweep", "retrograde", "unmoves", "iterate"]),
        ("meaningless:loops=1", &["retrograde", "unmoves", "iterate", "compact"]),
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

/// How many positions a table counts, of one value or of all.
fn sum(counts: &Value, word: Option<&str>) -> u64 {
    let of = |n: &Value| {
        n.as_u64().unwrap_or_else(|| n.as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum())
    };
    let all = counts.as_object().unwrap().iter();
    all.filter(|(key, _)| word.is_none_or(|w| w == *key)).map(|(_, n)| of(n)).sum()
}

/// The positions of Connect 4 on every board of up to two thousand million that has been counted: in all, by ply, by
/// ply and value, and the value of the start, as far as they are known.
#[test]
fn connect_4_positions_come_out_exactly() {
    let scratch = Scratch::new("connect4");
    let all: Value = serde_json::from_str(include_str!("../golden/connect4.json")).unwrap();
    let boards = all["boards"].as_array().unwrap();
    assert_eq!(boards.len(), 69);
    for board in boards {
        let game = format!("connect4:rows={},cols={}", board["rows"], board["cols"]);
        let solved = scratch.json(&["solve", &game, "--no-database", "--json"]);
        assert_eq!(solved["engine"], "lattice", "{game}");
        assert_eq!(Some(sum(&solved["counts"], None)), board["positions"].as_u64(), "{game}");
        let plies = |word: Option<&str>| -> Vec<u64> {
            solved["plies"].as_array().unwrap().iter().map(|row| sum(&row["counts"], word)).collect()
        };
        let numbers = |list: &Value| -> Option<Vec<u64>> {
            list.as_array().map(|l| l.iter().map(|n| n.as_u64().unwrap()).collect())
        };
        let wdl = &board["win_draw_loss"];
        for (word, want) in [
            (None, &board["plies"]),
            (Some("win"), &wdl["win"]),
            (Some("tie"), &wdl["draw"]),
            (Some("lose"), &wdl["loss"]),
        ] {
            if let Some(want) = numbers(want) {
                assert_eq!(plies(word), want, "{game}: {word:?}");
            }
        }
        if let Some(root) = board["root"].as_str() {
            let want = match root {
                "first_player_win" => "win",
                "second_player_win" => "lose",
                _ => "tie",
            };
            assert_eq!(
                (&solved["value"], &solved["remoteness"]),
                (&want.into(), &board["root_plies"]),
                "{game}"
            );
        }
    }
}

/// Two engines that share nothing but the rules find the same counts.
#[test]
fn lattice_and_sweep_count_alike() {
    let scratch = Scratch::new("alike");
    for (game, canonical) in [
        ("connect4:rows=4,cols=5,connect=3", true),
        ("connect4:rows=5,cols=4", true),
        ("connect4:rows=4,cols=5", true),
        ("connect4:rows=6,cols=3,connect=3", true),
        ("connect4:rows=2,cols=7", true),
        ("connect4:rows=1,cols=9", true),
        ("connect4:rows=9,cols=2,connect=3", true),
        ("connect4:rows=8,cols=1", true),
        ("connect4:rows=2,cols=8,connect=3", true),
        // The sweep folds all symmetries of the square, the lattice only the reversal of rows.
        ("mnk:rows=4,cols=3,line=3", false),
        ("mnk:rows=3,cols=5,line=3", false),
    ] {
        let [a, b] = ["lattice", "sweep"]
            .map(|e| scratch.json(&["solve", game, "--engine", e, "--no-database", "--json"]));
        assert_eq!(a["counts"], b["counts"], "{game}");
        assert!(!canonical || a["canonical_counts"] == b["canonical_counts"], "{game}");
        assert_eq!((&a["value"], &a["remoteness"]), (&b["value"], &b["remoteness"]), "{game}");
    }
}

#[test]
fn databases_are_small() {
    let scratch = Scratch::new("small");
    let bytes = |game: &str| scratch.json(&["solve", game, "--json"])["database_bytes"].as_u64().unwrap();
    assert!(bytes("quixo:rows=3,cols=3,line=3") <= 5_000);
    assert!(bytes("mnk") <= 5_000);
}
