//! Databases that are not what they were: cut, flipped, tampered with.

use zermelo_core::Tier;
use zermelo_store::{Disk, Reader, Writer, pack};

use crate::scratch::{Scratch, text};

const GAME: &str = "quixo:rows=3,cols=3,line=3";

/// Changes one stored value and repairs every checksum, as only the store itself can:
/// all tables are written anew.
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

/// Whether a number's value is kept in the table, and not told by the rules.
fn is_stored(game: &dyn zermelo_core::AnyGame, tier: Tier, rank: u64) -> bool {
    let position = game.position(tier, rank, zermelo_core::Turn::First);
    position.is_some_and(|p| game.value(&p, &()).is_ok_and(|value| value.is_none()))
}

#[test]
fn one_tampered_value_is_found() {
    let scratch = Scratch::new("tampered");
    scratch.run(&["solve", GAME]);
    // Codes that are never stored, because a look at the rules tells them, are false too,
    // in the start's tier and in one that other tiers read.
    let game = zermelo::open(GAME, None, None).unwrap();
    let below = *game.children(game.children(game.root())[0]).last().unwrap();
    let kept = (0..game.size(below)).find(|i| is_stored(&*game, below, *i)).unwrap();
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
    // Asked for, such a value is an error that says what to do, not a table that is missing.
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

/// The whole way from the files to an answer, with every byte of both files flipped in
/// turn: the right answers or an error, never a wrong value.
#[test]
fn no_flipped_byte_gives_a_wrong_answer() {
    let scratch = Scratch::new("every-byte");
    scratch.run(&["solve", "mnk"]);
    let game = zermelo::open("mnk", None, None).unwrap();
    let positions =
        ["1_---------", "2_----x----", "1_o---x----", "2_xo--x----", "1_xo-ox----", "2_xox-x--o-"];
    let ask = || -> Result<Vec<String>, String> {
        let database = zermelo::Database::open(scratch.path(), &*game).map_err(|e| e.to_string())?;
        let value = |p: &&str| game.value(p, &database).map(|v| format!("{v:?}")).map_err(|e| e.to_string());
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
