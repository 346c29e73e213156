//! Bad input of every kind: the right exit status, a message that names the thing and the fix, and no file that stays
//! behind.

use crate::scratch::{Scratch, text};

#[test]
fn wrong_input_is_refused_with_the_fix() {
    let scratch = Scratch::new("bad-input");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["solve", "nosuchgame"], 2, "the games are allqueens, connect4, "),
        (&["solve", ""], 2, "the games are"),
        (&["solve", "mnk:rows=99"], 2, "from 1 to 8"),
        (&["solve", "mnk:rows=-1"], 2, "from 1 to 8"),
        (&["solve", "mnk:rows=three"], 2, "from 1 to 8"),
        (&["solve", "mnk:size=3"], 2, "its options are rows, cols, line"),
        (&["solve", "mnk:rows"], 2, "key=value"),
        (&["solve", "mnk:rows=3,rows=4"], 2, "given twice"),
        (&["solve", "mnk:line=8"], 2, "give line=1 to 3"),
        (&["solve", "quixo:rows=4,cols=4"], 2, "give line=2 to 4"),
        (&["solve", "mnk", "--engine", "magic"], 2, "it can with sweep"),
        (&["solve", "quixo:rows=3,cols=3,line=3", "--engine", "sweep"], 2, "retrograde, unmoves"),
        (&["solve", "meaningless:loops=1", "--engine", "sweep"], 2, "beyond engine sweep"),
        (&["solve", "mnk", "--objective", "fame"], 2, "it can with remoteness"),
        (&["solve", "mnk", "--memory", "lots"], 2, "500M or 8G"),
        (&["solve", "mnk", "--threads", "0"], 2, "1..=1024"),
        (&["solve", "mnk:rows=5,cols=5,line=4", "--memory", "1G"], 1, "give more with --memory"),
        (&["solve", "quixo", "--engine", "retrograde"], 1, "more than engine retrograde can number"),
        (&["solve", "quixo", "--memory", "1G"], 1, "give more with --memory"),
        (&["solve", "quixo", "--engine", "retrograde"], 1, "tier 908 (9 and 8 marks, 8 blank) has"),
        (&["tiers", "nosuchgame"], 2, "the games are allqueens, connect4, "),
        (&["tiers", "mnk:rows=99"], 2, "from 1 to 8"),
        (&["tiers", "mnk", "--data", "/no/such/directory"], 2, "no such directory"),
        (&["tiers", "mnk", "--engine", "magic"], 2, "it can with sweep"),
        (&["query", "mnk", "--data", "/no/such/directory"], 2, "no such directory"),
        (&["games", "mnk:rows=99"], 2, "from 1 to 8"),
        (&["games", "nosuchgame"], 2, "the games are allqueens, connect4, "),
        (&["check", "nosuchgame"], 2, "the games are allqueens, connect4, "),
        (&["check", "mnk:rows=99"], 2, "from 1 to 8"),
        (&["check", "mnk", "--positions", "0"], 2, "1..=1000000000"),
        (&["verify", "mnk", "--sample", "0"], 2, "1.."),
        (&["solve", "nim", "--engine", "retrograde", "--objective", "nimber"], 2, "sweep does"),
        (&["solve", "mnk", "--data", "/no/such/directory"], 1, "with --data"),
        (&["solve", "mnk", "--data", "/proc"], 1, "with --data"),
        (&["query", "mnk", "nonsense"], 2, "begin with 1_ or 2_"),
        (&["query", "mnk", "1_xo"], 2, "has 2 cells"),
        (&["query", "mnk", "1_xxxxxxxxx"], 2, "as many x as o"),
        (&["query", "mnk", "1_-----z---"], 2, "is not one of"),
        (&["query", "quixo:rows=3,cols=3,line=3", "2_---------"], 2, "some x must stand"),
        (&["query", "mnk", "--moves", "b2 b2"], 2, "is not possible"),
        (&["query", "connect4", "448"], 2, "columns from 1 to 7"),
        (&["solve", "connect4:rows=9,cols=9"], 2, "is too large"),
        (&["solve", "nim:heaps=0-3"], 2, "at least one stone"),
        (&["solve", "nim:play=misere", "--objective", "nimber"], 2, "leave --objective out"),
        (&["query", "slide", "2_12345678-"], 2, "begin with 1_, as in"),
        (&["analyze", "mnk"], 1, "run `zermelo solve`"),
        (&["verify", "mnk"], 1, "run `zermelo solve`"),
    ];
    for &(args, status, message) in cases {
        let output = scratch.run(args);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {told}");
        assert!(told.contains(message), "{args:?}: {told}");
        assert!(!told.contains("panicked"), "{args:?}: {told}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_database_of_another_variant_is_refused() {
    let scratch = Scratch::new("other");
    scratch.run(&["solve", "mnk"]);
    let folder = scratch.path().join("mnk");
    // The tables of tic-tac-toe under another variant's name.
    std::fs::rename(folder.join("default"), folder.join("rows=2,line=2")).unwrap();
    for verb in ["solve", "query", "analyze", "verify"] {
        let output = scratch.run(&[verb, "mnk:rows=2,line=2"]);
        assert_eq!(output.status.code(), Some(1), "{verb}");
    }
    let output = scratch.run(&["query", "mnk:rows=2,line=2"]);
    assert!(text(&output.stderr).contains("variant"), "{}", text(&output.stderr));
}

#[test]
fn the_first_words_are_friendly() {
    let scratch = Scratch::new("welcome");
    let welcome = scratch.run(&[]);
    assert!(welcome.status.success() && text(&welcome.stdout).contains("Try first"));
    for verb in [
        "games",
        "check",
        "tiers",
        "solve",
        "query",
        "analyze",
        "count",
        "verify",
        "play",
        "bench",
        "completions",
        "serve",
    ] {
        let help = scratch.run(&[verb, "--help"]);
        assert!(help.status.success() && text(&help.stdout).contains("Example"), "{verb}");
    }
    assert!(text(&scratch.run(&["bench", "--help"]).stdout).contains("sections"));
    assert!(text(&scratch.run(&["completions", "bash"]).stdout).contains("zermelo"));
    let games = scratch.json(&["games", "--json"]);
    assert_eq!(games[0]["name"], "allqueens");
    assert!(text(&scratch.run(&["games", "quixo"]).stdout).contains("Options"));
}
