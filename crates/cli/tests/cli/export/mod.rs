//! `zermelo export`: every format read back, and compared with what `query` and `analyze` tell.

mod npy;
mod parquet;
mod table;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::scratch::{Scratch, text};
use table::{Cell, Table};

fn export(scratch: &Scratch, game: &[&str], more: &[&str]) -> Vec<u8> {
    let args = [&["export"], game, more].concat();
    let output = scratch.run(&args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    output.stdout
}

fn csv(scratch: &Scratch, game: &[&str], more: &[&str]) -> Table {
    Table::of_csv(&export(scratch, game, more))
}

fn solved(name: &str, games: &[&[&str]]) -> Scratch {
    let scratch = Scratch::new(name);
    for game in games {
        let output = scratch.run(&[&["solve"], *game].concat());
        assert!(output.status.success(), "{game:?}: {}", text(&output.stderr));
    }
    scratch
}

/// The counts of `analyze` as [`Table::counts`] has them, and whether they are of all positions, or else of those up to
/// symmetry.
fn analyzed(scratch: &Scratch, game: &[&str]) -> (BTreeMap<(String, Option<i128>), i128>, bool) {
    let told = scratch.json(&[&["analyze"], game, &["--json"]].concat());
    let all = !told["counts"].is_null();
    let told = &told[if all { "counts" } else { "canonical_counts" }];
    let mut counts = BTreeMap::new();
    for word in ["win", "lose", "tie"] {
        for (number, many) in told[word].as_object().unwrap() {
            counts.insert((word.into(), Some(number.parse().unwrap())), many.as_i64().unwrap().into());
        }
    }
    if told["draw"] != json!(0) {
        counts.insert(("draw".into(), None), told["draw"].as_i64().unwrap().into());
    }
    (counts, all)
}

/// Asks `query` for all positions of a table at once, and compares.
fn compare_with_query(scratch: &Scratch, game: &[&str], table: &Table) {
    let mut command = scratch.command(&[&["query"], game, &["-", "--json", "--time", "0"]].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let positions: Vec<String> =
        table.rows.iter().map(|row| format!("{}\n", table.at(row, "position").text())).collect();
    let writer = std::thread::spawn(move || input.write_all(positions.concat().as_bytes()).unwrap());
    let answers = BufReader::new(child.stdout.take().unwrap());
    let mut asked = 0;
    for (line, row) in answers.lines().zip(&table.rows) {
        let answer: Json = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(answer["position"], json!(table.at(row, "position").text()));
        assert_eq!(answer["value"], json!(table.at(row, "value").text()), "{answer}");
        let number = match table.at(row, table.number()) {
            Cell::Number(n) => json!(*n as i64),
            _ => Json::Null,
        };
        assert_eq!(answer[table.number()], number, "{answer}");
        asked += 1;
    }
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(asked, table.rows.len());
}

/// The games that are compared, each with the number of rows that are compared with `query`.
const GAMES: [(&[&str], u64); 7] = [
    (&["mnk"], 1_000),
    (&["quixo:rows=3,cols=3,line=3"], 100_000),
    (&["connect4:rows=4,cols=4"], 3_000),
    (&["kalah:pits=2,seeds=2"], 10_000),
    (&["nim", "--objective", "nimber"], 1_000),
    (&["othello:rows=4,cols=4", "--objective", "margin"], 3_000),
    (&["xiangqi:pieces=3"], 3_000),
];

#[test]
fn every_row_is_what_query_tells_and_all_rows_are_what_analyze_counts() {
    for (game, compared) in GAMES {
        let scratch = solved("export-query", &[game]);
        let all = csv(&scratch, game, &[]);
        let (counts, copies) = analyzed(&scratch, game);
        assert_eq!(all.counts(copies), counts, "{game:?}");
        let sample = compared.to_string();
        let drawn = csv(&scratch, game, &["--sample", &sample]);
        assert_eq!(drawn.rows.len(), all.rows.len().min(compared as usize));
        compare_with_query(&scratch, game, &drawn);
        // A position whose values are not in a table is in the export, too.
        if !game[0].starts_with("xiangqi") {
            let over = all.rows.iter().filter(|row| all.at(row, all.number()) == &Cell::Number(0)).count();
            assert!(over > 0, "{game:?}");
        }
    }
}

#[test]
fn all_formats_have_the_same_rows() {
    for (game, _) in GAMES {
        let scratch = solved("export-formats", &[game]);
        // Whole tables take two passes or several groups; of the largest some thousand rows do.
        let more: &[&str] = if game[0].starts_with("xiangqi") { &["--sample", "20000"] } else { &[] };
        let read = |format: &str| export(&scratch, game, &[more, &["--format", format]].concat());
        let rows = csv(&scratch, game, more);
        assert!(!rows.rows.is_empty());
        assert_eq!(rows, Table::of_json_lines(&read("jsonl")), "{game:?}");
        assert_eq!(rows, Table::of(parquet::read(&read("parquet"))), "{game:?}");
        let mut array = Table::of(npy::read(&read("npy")));
        // An array has no empty numbers: a draw has the remoteness -1.
        for row in &mut array.rows {
            if row[3] == Cell::Text("draw".into()) {
                assert_eq!(row[4], Cell::Number(-1));
                row[4] = Cell::None;
            }
        }
        assert_eq!(rows, array, "{game:?}");
    }
}

#[test]
fn symmetric_positions_apart_are_all_positions() {
    let games: [(&[&str], Option<usize>); 3] = [
        (&["mnk"], Some(5_478)),
        (&["connect4:rows=4,cols=4"], Some(161_029)),
        (&["quixo:rows=3,cols=3,line=3"], None),
    ];
    for (game, many) in games {
        let scratch = solved("export-images", &[game]);
        let all = csv(&scratch, game, &["--no-symmetries"]);
        let (counts, _) = analyzed(&scratch, game);
        assert_eq!(all.counts(true), counts, "{game:?}");
        assert_eq!(all.rows.len() as i128, counts.values().sum::<i128>());
        assert_eq!(all.rows.len(), many.unwrap_or(all.rows.len()), "{game:?}");
        let mut positions: Vec<_> = all.rows.iter().map(|row| all.at(row, "position").text()).collect();
        positions.sort_unstable();
        positions.dedup();
        assert_eq!(positions.len(), all.rows.len(), "each position once");
    }
}

#[test]
fn filters_and_counts_are_parts_of_the_whole() {
    let game: &[&str] = &["quixo:rows=3,cols=3,line=3"];
    let scratch = solved("export-filters", &[game]);
    let all = csv(&scratch, game, &[]);
    let keep = |table: &Table, keep: &dyn Fn(&[Cell]) -> bool| Table {
        names: table.names.clone(),
        rows: table.rows.iter().filter(|row| keep(row)).cloned().collect(),
    };
    let lost = csv(&scratch, game, &["--value", "lose"]);
    assert_eq!(lost, keep(&all, &|row| all.at(row, "value").text() == "lose"));
    let far = csv(&scratch, game, &["--remoteness", "3..5"]);
    let number = |row: &[Cell]| if let Cell::Number(n) = all.at(row, "remoteness") { *n } else { -1 };
    assert_eq!(far, keep(&all, &|row| (3..=5).contains(&number(row))));
    let tier = all.at(&all.rows[all.rows.len() / 2], "tier").number();
    let one = csv(&scratch, game, &["--tier", &tier.to_string()]);
    assert_eq!(one, keep(&all, &|row| all.at(row, "tier").number() == tier));
    let both = csv(&scratch, game, &["--tier", &tier.to_string(), "--value", "win", "--remoteness", "1"]);
    assert_eq!(both, keep(&one, &|row| one.at(row, "value").text() == "win" && number(row) == 1));
    let counts = text(&export(&scratch, game, &["--counts"]));
    let mut lines = counts.lines();
    assert_eq!(lines.next(), Some("value,remoteness,positions,canonical_positions"));
    let (told, _) = analyzed(&scratch, game);
    let mut seen = 0;
    for line in lines {
        let cells: Vec<_> = line.split(',').collect();
        let many = told[&(cells[0].to_string(), cells[1].parse().ok())];
        assert_eq!(cells[2].parse(), Ok(many), "{line}");
        seen += 1;
    }
    assert_eq!(seen, told.len());
    // The stored positions hold the reached ones, whoever is to move.
    let stored = csv(&scratch, game, &["--positions", "stored"]);
    let place =
        |table: &Table, row: &[Cell]| (table.at(row, "tier").number(), table.at(row, "number").number());
    let places: std::collections::HashSet<_> = stored.rows.iter().map(|row| place(&stored, row)).collect();
    assert_eq!(places.len(), stored.rows.len());
    assert!(all.rows.iter().all(|row| places.contains(&place(&all, row))));
}

#[test]
fn a_sample_is_a_part_that_a_seed_tells() {
    let games: [&[&str]; 3] = [
        &["quixo:rows=3,cols=3,line=3"],
        &["connect4:rows=4,cols=4", "--positions", "stored"],
        &["quixo:rows=3,cols=3,line=3", "--positions", "stored"],
    ];
    let scratch = solved("export-sample", &[&games[0][..1], &games[1][..1]]);
    for game in games {
        let all = csv(&scratch, game, &[]);
        let draw = |seed: &str| csv(&scratch, game, &["--sample", "500", "--seed", seed]);
        let drawn = draw("7");
        assert_eq!((drawn.rows.len(), &drawn), (500, &draw("7")));
        assert_ne!(drawn, draw("8"));
        // In the order of the whole, so that one step through the whole meets all.
        let mut rest = all.rows.iter();
        assert!(drawn.rows.iter().all(|row| rest.any(|other| other == row)), "{game:?}");
        // Six standard deviations, at the most, from what all rows have.
        let wins = |table: &Table| {
            let won = table.rows.iter().filter(|row| table.at(row, "value").text() == "win").count();
            won as f64 / table.rows.len() as f64
        };
        assert!((wins(&all) - wins(&drawn)).abs() < 6.0 * 0.5 / 500f64.sqrt(), "{game:?}");
        let more = csv(&scratch, game, &["--sample", "100000000"]);
        assert_eq!(more.rows.len(), all.rows.len());
    }
}

#[test]
fn threads_and_memory_do_not_change_the_bytes() {
    let game: &[&str] = &["connect4:rows=4,cols=4"];
    let scratch = solved("export-threads", &[game]);
    let one = export(&scratch, game, &["--threads", "1", "--memory", "40M"]);
    assert_eq!(one, export(&scratch, game, &["--threads", "4"]));
}

#[test]
fn a_reader_that_stops_ends_the_export_quietly() {
    let scratch = solved("export-pipe", &[&["connect4:rows=4,cols=4"]]);
    for format in ["csv", "jsonl", "npy", "parquet"] {
        let mut command = scratch.command(&["export", "connect4:rows=4,cols=4", "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{format}");
    }
}

#[test]
fn what_is_wrong_is_told_with_the_fix() {
    let scratch = solved("export-wrong", &[&["mnk"]]);
    for (args, code, says) in [
        (&["export", "mnk", "--format", "xml"][..], 2, "parquet"),
        (&["export", "mnk", "--value", "lost"], 2, "lose"),
        (&["export", "mnk", "--remoteness", "5..2"], 2, "smaller one first"),
        (
            &["export", "mnk", "--tier", "99"],
            2,
            "tier 99: the database has no such table; it has 10 tiers from 0 to 9",
        ),
        (&["export", "mnk", "--sample", "0"], 2, "sample"),
        (&["export", "mnk", "--counts", "--format", "npy"], 2, "csv or jsonl"),
        (&["export", "mnk", "--counts", "--value", "win"], 2, "cannot be used with"),
        (&["export", "mnk", "--positions", "stored", "--no-symmetries"], 2, "reached positions"),
        (&["export", "mnk", "--sample", "700", "--memory", "100K", "--threads", "1"], 2, "fewer rows"),
        (&["export", "chess"], 2, "there is no game"),
        (&["export", "mnk:rows=4,cols=4"], 1, "zermelo solve"),
        (&["export", "mnk", "--output", "/no/such/folder/x.csv"], 1, "give another --output"),
    ] {
        let output = scratch.run(args);
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{args:?}: {told}");
        assert!(told.contains(says), "{args:?}: {told}");
    }
}

/// The files of a folder that are not folders, in order.
fn files(scratch: &Scratch) -> Vec<String> {
    let entries = std::fs::read_dir(scratch.path()).unwrap().flatten();
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let mut names: Vec<_> = files.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let game = "connect4:rows=4,cols=4";
    let scratch = solved("export-file", &[&[game]]);
    let path = scratch.path().join("rows.parquet");
    let told = path.to_str().unwrap();
    let output = scratch.run(&["export", game, "--output", told]);
    assert!(
        output.status.success() && text(&output.stderr).contains(" rows of "),
        "{}",
        text(&output.stderr)
    );
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(whole, export(&scratch, &[game], &["--format", "parquet"]), "the name tells the format");
    assert_eq!(files(&scratch), ["rows.parquet"]);
    // A signal at any moment leaves the old file or the new one.
    for wait in [0, 1, 5, 20, 60] {
        let mut child =
            scratch.command(&["export", game, "--output", told]).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let status = child.wait().unwrap();
        assert!(killed.success() || status.success());
        assert_eq!(files(&scratch), ["rows.parquet"], "after {wait} ms: {status}");
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
}

/// Whether Python has a module.
fn python_has(module: &str) -> bool {
    let tried =
        Command::new("python3").args(["-c", &format!("import {module}")]).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

/// Where Python has NumPy or PyArrow, they read what our own readers read.
#[test]
fn other_programs_read_the_files() {
    let game: &[&str] = &["connect4:rows=4,cols=4"];
    let scratch = solved("export-python", &[game]);
    let rows = csv(&scratch, game, &[]);
    let copies: i128 = rows.rows.iter().map(|row| rows.at(row, "copies").number()).sum();
    let want = format!("{} {copies} {}\n", rows.rows.len(), rows.at(&rows.rows[9], "position").text());
    let readers = [
        (
            "numpy",
            "npy",
            "a = numpy.load(sys.argv[1], mmap_mode='r'); print(len(a), a['copies'].sum(), a['position'][9].decode())",
        ),
        (
            "pyarrow.parquet",
            "parquet",
            "a = pyarrow.parquet.read_table(sys.argv[1]); print(len(a), sum(a['copies'].to_pylist()), a['position'][9])",
        ),
    ];
    for (module, format, script) in readers {
        if !python_has(module) {
            continue;
        }
        let path = scratch.path().join(format!("rows.{format}"));
        export(&scratch, game, &["--output", path.to_str().unwrap()]);
        let script = format!("import sys, {module}; {script}");
        let output = Command::new("python3").args(["-c", &script]).arg(&path).output().unwrap();
        assert_eq!(text(&output.stdout), want, "{}", text(&output.stderr));
    }
}
