//! The last lines of `solve`, which say what to do next.

use crate::scratch::{Scratch, text};

/// The commands that `solve` names find what was solved.
#[test]
fn what_to_do_next_works() {
    let scratch = Scratch::new("next");
    let folder = scratch.path().join("a folder");
    let mut solve = scratch.command(&["solve", "mnk", "--data"]);
    solve.arg(&folder);
    std::fs::create_dir(&folder).unwrap();
    let told = text(&solve.output().unwrap().stdout);
    let data = format!(" --data '{}'", folder.display());
    for verb in ["play", "query", "analyze"] {
        assert!(told.contains(&format!("  zermelo {verb} mnk{data}\n")), "{told}");
    }
    let plain = text(&scratch.run(&["solve", "mnk:rows=2,cols=2,line=2"]).stdout);
    assert!(plain.contains("  zermelo query mnk:rows=2,cols=2,line=2\n"), "{plain}");
}

/// An empty `$ZERMELO_DATA` has the same effect as an unset one.
#[test]
fn an_empty_data_directory_is_none() {
    let scratch = Scratch::new("empty-data");
    let solve =
        |args: &[&str]| scratch.command(args).env("ZERMELO_DATA", "").current_dir(scratch.path()).output();
    let output = solve(&["solve", "mnk"]).unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(scratch.path().join("zermelo-data/mnk").is_dir());
}

#[test]
fn one_is_one_and_crows_are_many() {
    let scratch = Scratch::new("grammar");
    let one = text(&scratch.run(&["solve", "slide:rows=2,cols=2"]).stdout);
    assert!(one.contains(" positions numbered in 1 tier, "), "{one}");
    let again = text(&scratch.run(&["solve", "slide:rows=2,cols=2"]).stdout);
    assert!(again.contains("already solved (1 tier, "), "{again}");
    let crows = text(&scratch.run(&["solve", "kaooa", "--no-database"]).stdout);
    assert!(crows.contains("Crows win in ") || crows.contains("Vulture wins in "), "{crows}");
}
