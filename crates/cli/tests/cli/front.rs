//! What people type and see: names of games, colours, groups of moves, questions before long solves, and Ctrl-C.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::scratch::{Scratch, text};

/// A variant that takes some seconds.
const SLOW: &str = "connect4:cols=4";

#[test]
fn games_are_found_by_the_names_that_people_use() {
    let scratch = Scratch::new("names");
    let solved = text(&scratch.run(&["solve", "tictactoe"]).stdout);
    assert!(solved.starts_with("mnk: a tie in 9 moves\n"), "{solved}");
    let sized = text(&scratch.run(&["solve", "Quixo:3x3"]).stdout);
    assert!(sized.starts_with("quixo:rows=3,cols=3,line=3: the first player wins"), "{sized}");
    // One variant has one database, whatever it was called.
    let found = scratch.json(&["query", "noughts and crosses", "--json"]);
    assert_eq!(found["source"], "database");
    let told = text(&scratch.run(&["games", "reversi"]).stdout);
    assert!(told.starts_with("Othello: ") && told.contains("Also known as: reversi"), "{told}");
    for (args, part) in [
        (&["solve", "conect4"][..], "did you mean connect4?"),
        (&["query", "mnk:row=3"], "did you mean rows?"),
        (
            &["solve", "connect4", "rows=4"],
            "tip: options stand behind the name of the game: zermelo solve connect4:rows=4\n",
        ),
        (&["query", "mnk", "b2"], "did you mean --moves b2?"),
        (&["query", "mnk", "b2", "a1"], "zermelo query mnk --moves 'b2 a1'"),
        (&["analyze", "mnk", "--plot", "plot.jpeg"], "ends in .svg or .png"),
    ] {
        let output = scratch.run(args);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(part), "{args:?}: {told}");
    }
}

#[test]
fn colours_are_for_terminals() {
    let scratch = Scratch::new("colours");
    scratch.run(&["solve", "mnk"]);
    let (green, yellow, red) = ("\u{1b}[32m", "\u{1b}[33m", "\u{1b}[31m");
    let query = ["query", "mnk", "1_xx-oo----"];
    let plain = text(&scratch.run(&query).stdout);
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let always = text(&scratch.run(&[&query[..], &["--color", "always"]].concat()).stdout);
    assert!(always.contains(green) && always.contains(red), "{always}");
    let tie = text(&scratch.run(&["--color=always", "query", "mnk"]).stdout);
    assert!(tie.contains(yellow) && !tie.contains(green), "{tie}");
    let asked = scratch.command(&query).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert_eq!(text(&asked.stdout), always);
    let both = [&query[..], &["--color", "never"]].concat();
    let never = scratch.command(&both).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert_eq!(text(&never.stdout), plain);
    let none = scratch.command(&query).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert_eq!(text(&none.stdout), plain);
    // Programs get no colours, whatever was asked for.
    let json = scratch.run(&[&query[..], &["--json", "--color", "always"]].concat());
    assert!(!text(&json.stdout).contains('\u{1b}'));
}

#[test]
fn moves_are_grouped_for_the_player_who_makes_them() {
    let scratch = Scratch::new("groups");
    scratch.run(&["solve", "mnk"]);
    let told = text(&scratch.run(&["query", "mnk", "1_xx-oo----"]).stdout);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "1_xx-oo----  win in 1 for the first player, who is to move");
    assert_eq!(lines[4], "  Winning move for the first player (1)");
    assert!(lines[5].starts_with("    c3       win in 1     2_xxxoo----"), "{told}");
    assert_eq!(
        (lines[6], lines[8]),
        ("  Tying move for the first player (1)", "  Losing moves for the first player (3)")
    );
    // Where nothing is known, a game with many moves fills few lines.
    let told = text(&scratch.run(&["query", "quixo", "--time", "0"]).stdout);
    assert!(told.contains("Moves, all not known (44)") && told.lines().count() < 15, "{told}");
    let sides = text(&scratch.run(&["query", "kaooa", "--time", "0"]).stdout);
    assert!(sides.contains("not known"), "{sides}");
}

/// A line of perfect play also goes over values that a search finds.
#[test]
fn a_line_is_searched_where_there_is_no_table() {
    let scratch = Scratch::new("searched-line");
    let told = text(&scratch.run(&["query", "mnk", "1_xx-oo----", "--line"]).stdout);
    assert!(told.contains("perfect play: c3\n"), "{told}");
    let told = text(&scratch.run(&["query", "mnk", "2_xx-o-----", "--line"]).stdout);
    assert!(told.contains("perfect play: c3 "), "{told}");
}

#[test]
fn long_solves_are_begun_only_with_yes() {
    let scratch = Scratch::new("long");
    let refused = scratch.run(&["solve", "othello"]);
    let told = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{told}");
    for part in ["othello has >10^19 positions", "add --yes", "a smaller one is othello:rows="] {
        assert!(told.contains(part), "{told}");
    }
    let large = "meaningless:depth=100,width=50,size=100000000";
    let refused = text(&scratch.run(&["solve", large]).stderr);
    assert!(refused.contains("positions and takes ") && refused.contains("add --yes"), "{refused}");
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing was begun");
    // With --yes it begins. A run that was begun goes on without a question.
    let folder = zermelo::data_folder(scratch.path(), &zermelo::open(large, None, None).unwrap());
    begin_and_kill(&scratch, &["solve", large, "--yes"], &folder);
    begin_and_kill(&scratch, &["solve", large], &folder.join(zermelo_store::MANIFEST));
    // Answers say what a solve takes, and do not advise what is hopeless.
    let told = text(&scratch.run(&["query", "othello", "--time", "0.1"]).stdout);
    assert!(told.contains("beyond this machine; `zermelo solve othello:rows="), "{told}");
}

/// Runs a command until a file is there, and a moment longer; it must not have ended by itself.
fn begin_and_kill(scratch: &Scratch, args: &[&str], file: &Path) {
    let mut child = scratch.command(args).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !file.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(500));
    let ended = child.try_wait().unwrap();
    child.kill().unwrap();
    let told = text(&child.wait_with_output().unwrap().stderr);
    assert!(ended.is_none(), "{args:?}: {told}");
}

#[test]
fn ctrl_c_says_how_to_go_on() {
    let scratch = Scratch::new("ctrl-c");
    let mut solve = scratch.command(&["solve", SLOW, "--threads", "1", "--data"]);
    let mut child = solve.arg(scratch.path()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let folder = zermelo::data_folder(scratch.path(), &zermelo::open(SLOW, None, None).unwrap());
    let lines = || std::fs::read(folder.join("counts.log")).map_or(0, |b| b.split(|b| *b == b'\n').count());
    while lines() < 30 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    let command = format!("`zermelo solve {SLOW} --data {}` goes on from there", scratch.path().display());
    assert!(told.contains("stopped after ") && told.contains(&command), "{told}");
    let solved = scratch.json(&["solve", SLOW, "--json"]);
    assert_eq!((&solved["value"], &solved["remoteness"]), (&"tie".into(), &24.into()));
    assert!(solved["resumed_tiers"].as_u64().unwrap() > 0, "{solved}");
}

/// A count says whether it left a checkpoint.
#[test]
fn ctrl_c_ends_a_count_with_a_word() {
    let scratch = Scratch::new("ctrl-c-count");
    let mut count = scratch.command(&["count", "connect4"]);
    let child = count.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(2000));
    interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).contains("--resume DIR keeps checkpoints"), "{}", text(&output.stderr));
}

/// Who has Ctrl-C ignored, as a shell has for commands in the background of a script, keeps it ignored.
#[test]
fn an_ignored_ctrl_c_stays_ignored() {
    let scratch = Scratch::new("ctrl-c-ignored");
    let program = env!("CARGO_BIN_EXE_zermelo");
    let script = format!(
        "trap '' INT; '{program}' solve {SLOW} --threads 2 --json & sleep 0.5; kill -INT $!; wait $!"
    );
    let output =
        Command::new("sh").args(["-c", &script]).env("ZERMELO_DATA", scratch.path()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("\"remoteness\": 24"));
}

fn interrupt(process: u32) {
    assert!(Command::new("kill").args(["-INT", &process.to_string()]).status().unwrap().success());
}

#[test]
fn counts_are_named() {
    let scratch = Scratch::new("named-counts");
    let game = "quixo:rows=3,cols=3,line=3";
    let solve = text(&scratch.run(&["solve", game]).stdout);
    assert!(solve.contains(" positions numbered in "), "{solve}");
    let analyze = text(&scratch.run(&["analyze", game]).stdout);
    assert!(
        analyze.contains(" positions reached from the start, ") && analyze.contains(" up to symmetry\n"),
        "{analyze}"
    );
    let all = text(&scratch.run(&["analyze", game, "--all"]).stdout);
    assert!(all.contains(" positions reached or not, "), "{all}");
    let verify = text(&scratch.run(&["verify", game]).stdout);
    assert!(verify.contains(" stored positions checked, 0 wrong"), "{verify}");
    let count = text(&scratch.run(&["count", game]).stdout);
    assert!(count.contains("Positions are those that the start reaches"), "{count}");
}

#[test]
fn plots_are_of_the_kind_that_their_name_says() {
    let scratch = Scratch::new("plots");
    // With draws, and with ties.
    for (game, parts) in
        [("quixo:rows=3,cols=4,line=4", [">draw<", ">draw: "]), ("mnk", [">tie<", ">tie in 9: "])]
    {
        scratch.run(&["solve", game]);
        for ending in ["svg", "PNG"] {
            let file = scratch.path().join(format!("plot.{ending}"));
            let output = scratch.run(&["analyze", game, "--plot", file.to_str().unwrap()]);
            assert!(output.status.success(), "{}", text(&output.stderr));
            let bytes = std::fs::read(&file).unwrap();
            if ending == "svg" {
                let svg = String::from_utf8(bytes).unwrap();
                assert!(svg.starts_with("<svg") && parts.iter().all(|part| svg.contains(part)), "{svg}");
            } else {
                assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() > 2_000, "{}", bytes.len());
            }
        }
    }
}

/// The scripts for shells complete names of games, as bash itself finds.
#[test]
fn bash_completes_games() {
    let scratch = Scratch::new("bash");
    let script = scratch.run(&["completions", "bash"]).stdout;
    let file = scratch.path().join("zermelo.bash");
    std::fs::write(&file, script).unwrap();
    let completed = |line: &str| {
        let words: Vec<String> = line.split(' ').map(|word| format!("'{word}'")).collect();
        let asked = format!(
            "source '{}'; COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({}); \
             COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); COMP_WORDS[0]='{}'; \
             _zermelo_with_games \"${{COMP_WORDS[0]}}\" \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            file.display(),
            words.join(" "),
            env!("CARGO_BIN_EXE_zermelo"),
        );
        let output = Command::new("bash").args(["-c", &asked]).output().unwrap();
        text(&output.stdout).lines().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(completed("zermelo solve qui"), ["quixo"]);
    assert!(completed("zermelo play quixo:").contains(&"rows=4,cols=4,line=4".to_string()));
    assert_eq!(completed("zermelo play quixo:rows=4,c"), ["4,cols="]);
    assert_eq!(completed("zermelo play othello:start=p"), ["parallel"]);
    assert_eq!(completed("zermelo so"), ["solve"]);
    assert!(completed("zermelo solve mnk --fr").contains(&"--fresh".to_string()));
}

#[test]
fn random_positions_have_the_value_that_is_wanted() {
    let scratch = Scratch::new("random");
    let before = scratch.json(&["query", "mnk", "--random", "--json"]);
    assert!(before["position"].is_string(), "without a database, after random moves: {before}");
    let none = scratch.run(&["query", "quixo:3x3", "--random", "--value", "win"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("there is no database"), "{}", text(&none.stderr));
    scratch.run(&["solve", "mnk"]);
    for _ in 0..5 {
        let found =
            scratch.json(&["query", "mnk", "--random", "--value", "win", "--remoteness", "3", "--json"]);
        assert_eq!((&found["value"], &found["remoteness"]), (&"win".into(), &3.into()));
    }
    let never = scratch.run(&["query", "mnk", "--random", "--value", "win", "--remoteness", "8"]);
    assert!(
        text(&never.stderr).contains("no position with value win in 8 was found"),
        "{}",
        text(&never.stderr)
    );
}
