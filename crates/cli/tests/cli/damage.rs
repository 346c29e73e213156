//! Damaged databases: cut, flipped, tampered with.

use zermelo_core::Tier;
use zermelo_store::{Disk, Reader, Writer, pack};

use crate::scratch::{Scratch, text};

const GAME: &str = "quixo:rows=3,cols=3,line=3";

/// Changes one stored value and repairs every checksum, as only the store itself can: all tables are written anew.
fn tamper(scratch: &Scratch, tier: Tier, entry: usize, value: u8) {
    let folder = scratch.path().join("quixo/rows=3,cols=3,line=3");
    let reader = Reader::open(&Disk::new(&folder), 0).unwrap();
    let tables: Vec<_> =
        reader.tiers().into_iter().map(|t| (reader.info(t).unwrap(), reader.load(t).unwrap())).collect();
    let (identity, summary) = (reader.identity().clone(), reader.summary().clone());
    drop(reader);
    let writer = Writer::fresh(Disk::new(&folder), identity).unwrap();
    for (info, mut bytes) in tables {
        if info.tier == tier {
            bytes[entry] = value;
        }
        let size = info.block_entries as usize * info.width.bytes();
        let blocks: Vec<_> = bytes.chunks_mut(size).map(|b| pack(b, info.width, 3)).collect();
        writer.append(info.tier, info.width, info.entries, info.positions, &blocks).unwrap();
    }
    writer.finish(summary).unwrap();
}

/// Whether a number's value is stored in the table, and not found by the rules.
fn is_stored(game: &zermelo_core::Opened, tier: Tier, rank: u64) -> bool {
    let packed = game.audit().position(tier, rank);
    let at = |packed| zermelo_core::Position { turn: zermelo_core::Turn::First, packed };
    packed.is_some_and(|p| game.oracle().value(at(p), &()).is_ok_and(|value| value.is_none()))
}

#[test]
fn one_tampered_value_is_found() {
    let scratch = Scratch::new("tampered");
    scratch.run(&["solve", GAME]);
    // Codes that are never stored, because a look at the rules finds them, are false too, in the start's tier and in
    // one that other tiers read.
    let game = zermelo::open(GAME, None, None).unwrap();
    let below = *game.tiers().children(game.tiers().children(game.tiers().root())[0]).last().unwrap();
    let kept = (0..game.tiers().size(below)).find(|i| is_stored(&game, below, *i)).unwrap();
    for (tier, entry) in [(Tier(0), 0), (below, kept as usize)] {
        for never_stored in [0, 95, 253, 254] {
            tamper(&scratch, tier, entry, never_stored);
            let output = scratch.run(&["verify", GAME, "--json"]);
            let found: serde_json::Value =
                serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
            assert!(found["wrong"].as_u64().unwrap() >= 1, "tier {tier}, code {never_stored}");
            scratch.run(&["solve", GAME, "--fresh"]);
        }
    }
    // If such a value is asked for, the error says what to do, and does not report a missing table.
    tamper(&scratch, Tier(0), 0, 254);
    let output = scratch.run(&["query", GAME]);
    let told = text(&output.stderr);
    assert!(output.status.code() == Some(1) && told.contains("`zermelo verify` tells more"), "{told}");
    // The start is a win in 7; the number of the empty board is 0. Code 3 is "lost in 3".
    tamper(&scratch, Tier(0), 0, 3);
    let output = scratch.run(&["verify", GAME, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["wrong"], &found["damaged_blocks"]), (&1.into(), &0.into()));
    assert!(
        text(&output.stderr).contains("1_---------: stored lose in 3, its moves give win in 7"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_cut_or_flipped_file_is_named() {
    for (game, folder) in
        [(GAME, "quixo/rows=3,cols=3,line=3"), ("connect4:rows=4,cols=4", "connect4/rows=4,cols=4;folded")]
    {
        cut_or_flipped(game, folder);
    }
}

fn cut_or_flipped(game: &str, folder: &str) {
    let scratch = Scratch::new("flipped");
    scratch.run(&["solve", game]);
    let file = scratch.path().join(folder).join("tables.zmo");
    let good = std::fs::read(&file).unwrap();
    for (what, bytes) in [
        ("cut", good[..good.len() / 2].to_vec()),
        ("flipped", good.iter().enumerate().map(|(i, b)| if i == 700 { b ^ 8 } else { *b }).collect()),
        ("empty", vec![]),
    ] {
        std::fs::write(&file, bytes).unwrap();
        let output = scratch.run(&["verify", game]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{what}: {told}");
        assert!(told.contains("tables.zmo") && !told.contains("panicked"), "{what}: {told}");
    }
    std::fs::write(&file, &good).unwrap();
    assert!(scratch.run(&["verify", game]).status.success());
}

/// Every byte of both files is flipped in turn, and the whole way from the files to an answer is tested: the answers
/// are right or an error, never wrong.
#[test]
fn no_flipped_byte_gives_a_wrong_answer() {
    let scratch = Scratch::new("every-byte");
    scratch.run(&["solve", "mnk"]);
    let game = zermelo::open("mnk", None, None).unwrap();
    let positions =
        ["1_---------", "2_----x----", "1_o---x----", "2_xo--x----", "1_xo-ox----", "2_xox-x--o-"];
    let ask = || -> Result<Vec<String>, String> {
        let database = zermelo::Database::open(scratch.path(), &game).map_err(|e| e.to_string())?;
        let value = |p: &&str| {
            game.oracle()
                .value(game.oracle().parse(p).unwrap(), &database)
                .map(|v| format!("{v:?}"))
                .map_err(|e| e.to_string())
        };
        positions.iter().map(value).collect()
    };
    let right = ask().unwrap();
    for name in ["manifest.json", "tables.zmo"] {
        let file = scratch.path().join("mnk/default").join(name);
        let good = std::fs::read(&file).unwrap();
        let mut errors = 0;
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            std::fs::write(&file, &bad).unwrap();
            match ask() {
                Ok(values) => assert_eq!(values, right, "{name}, byte {at}"),
                Err(error) => {
                    assert!(error.contains(name), "{error}");
                    errors += 1;
                }
            }
        }
        assert!(errors > good.len() / 4, "{errors} of {} flips were noticed by these questions", good.len());
        std::fs::write(&file, &good).unwrap();
    }
}

/// Changes the fields of a manifest and corrects its checksum.
fn tell_otherwise(manifest: &std::path::Path, change: impl Fn(&mut serde_json::Value)) {
    let mut told: serde_json::Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    change(&mut told);
    told.as_object_mut().unwrap().remove("checksum");
    let json = serde_json::to_string_pretty(&told).unwrap();
    let body = format!("{},\n  \"checksum\": \"", json.strip_suffix("\n}").unwrap());
    let crc = crc32fast::hash(body.as_bytes());
    std::fs::write(manifest, format!("{body}{crc:08x}\"\n}}\n")).unwrap();
}

/// Returns what `verify` reports about the counts in a manifest, in JSON; `verify` fails if they are wrong.
fn verified_counts(scratch: &Scratch, game: &str, more: &[&str]) -> (serde_json::Value, String) {
    let output = scratch.run(&[&["verify", game, "--json"], more].concat());
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&told["wrong"], &told["damaged_blocks"]), (&0.into(), &0.into()));
    assert_eq!(output.status.code(), Some(i32::from(told["counts"] == "wrong")));
    (told, text(&output.stderr))
}

#[test]
fn a_changed_count_in_the_manifest_is_found() {
    for (game, folder) in [
        ("connect4:rows=4,cols=4", "connect4/rows=4,cols=4;folded"),
        ("othello:rows=4,cols=4", "othello/rows=4,cols=4;blobs"),
    ] {
        let scratch = Scratch::new("kept-counts");
        scratch.run(&["solve", game]);
        let manifest = scratch.path().join(folder).join("manifest.json");
        let good = std::fs::read(&manifest).unwrap();
        let (told, _) = verified_counts(&scratch, game, &[]);
        assert_eq!((&told["counts"], &told["counts_reason"]), (&"checked".into(), &serde_json::Value::Null));
        let analysis: serde_json::Value = serde_json::from_slice(&good).unwrap();
        let analysis = &analysis["summary"]["analysis"];
        assert!(analysis["plies"].as_array().unwrap().len() > 5);
        for key in [
            "/canonical_counts/win/1",
            "/canonical_counts/draw",
            "/canonical_positions",
            "/plies/4/counts/tie/0",
            "/counts/lose/2",
            "/positions",
            "/longest/win/remoteness",
            "/longest/lose/position",
        ] {
            // Some variants count positions only up to symmetry.
            let some_tie = analysis["plies"][4]["counts"]["tie"].as_object().unwrap().keys().next();
            let key = key.replace("/tie/0", &some_tie.map_or("/draw".into(), |r| format!("/tie/{r}")));
            if analysis.pointer(&key).is_none_or(serde_json::Value::is_null) {
                continue;
            }
            tell_otherwise(&manifest, |told| {
                let place = told["summary"]["analysis"].pointer_mut(&key).unwrap();
                *place = match place.as_u64() {
                    Some(count) => (count + 1).into(),
                    None => analysis["longest"]["win"]["position"].clone(),
                };
            });
            let (told, errors) = verified_counts(&scratch, game, &[]);
            assert_eq!(told["counts"], "wrong", "{key}");
            assert!(told["counts_reason"].as_str().unwrap().contains("kept"), "{key}: {told}");
            assert!(errors.contains("--fresh") && errors.contains("kept"), "{key}: {errors}");
        }
        std::fs::write(&manifest, &good).unwrap();
    }
}

#[test]
fn verify_says_when_counts_are_not_checked() {
    let scratch = Scratch::new("unchecked-counts");
    let game = "connect4:rows=5,cols=4";
    scratch.run(&["solve", game]);
    let (told, _) = verified_counts(&scratch, game, &["--sample", "1000"]);
    assert_eq!(told["counts"], "not checked");
    assert!(told["counts_reason"].as_str().unwrap().contains("--sample"), "{told}");
    // Enough memory to look values up, and not to solve.
    let told = text(&scratch.run(&["verify", game, "--memory", "200k"]).stdout);
    assert!(told.contains("not checked: ") && told.contains("--memory"), "{told}");
    // When tables are loaded tier by tier, no counts are kept.
    scratch.run(&["solve", GAME]);
    assert_eq!(verified_counts(&scratch, GAME, &[]).0["counts"], serde_json::Value::Null);
    assert!(!text(&scratch.run(&["verify", GAME]).stdout).contains("counts"));
}
