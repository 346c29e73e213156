//! Files of a database that are removed, replaced or changed while they are written, and things that are not files.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::scratch::{Scratch, text};

const GAME: &str = "connect4:rows=5,cols=5";
const FOLDER: &str = "connect4/rows=5,cols=5;folded";

/// Starts a solve and waits until it has written some tables.
fn begun(scratch: &Scratch) -> Child {
    let mut solve = scratch.command(&["solve", GAME, "--threads", "2"]);
    let mut child = solve.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let tables = scratch.path().join(FOLDER).join("tables.zmo");
    let since = Instant::now();
    while fs::metadata(&tables).map_or(0, |file| file.len()) < 4_096 {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        assert!(since.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

#[test]
fn a_solve_notices_what_happens_to_its_files() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 4] = [
        ("removed", |folder| fs::remove_file(folder.join("tables.zmo")).unwrap()),
        ("replaced", |folder| {
            fs::copy(folder.join("tables.zmo"), folder.join("copy")).unwrap();
            fs::rename(folder.join("copy"), folder.join("tables.zmo")).unwrap();
        }),
        ("cut", |folder| {
            let file = fs::File::options().write(true).open(folder.join("tables.zmo")).unwrap();
            file.set_len(1_000).unwrap();
        }),
        ("folder replaced", |folder| {
            fs::rename(folder, folder.with_extension("away")).unwrap();
            fs::create_dir(folder).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let scratch = Scratch::new(&format!("harm-{}", what.replace(' ', "-")));
        let child = begun(&scratch);
        let folder = scratch.path().join(FOLDER);
        harm(&folder);
        let output = child.wait_with_output().unwrap();
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{what}: {told}");
        assert!(told.contains("tables.zmo") && told.contains("another program"), "{what}: {told}");
        assert!(told.contains("run the same command again"), "{what}: {told}");
        let manifest = fs::read_to_string(folder.join("manifest.json")).unwrap_or_default();
        assert!(!manifest.contains("complete"), "{what}: {manifest}");
        // The next solve goes on with what is left, or begins anew, and its values are right.
        let again = scratch.run(&["solve", GAME]);
        assert!(again.status.success(), "{what}: {}", text(&again.stderr));
        let sample = scratch.json(&["verify", GAME, "--sample", "5000", "--json"]);
        assert_eq!((&sample["wrong"], &sample["damaged_blocks"]), (&0.into(), &0.into()), "{what}");
    }
}

/// Checks that a command ends soon and says that a pipe is where a file should be.
fn refuses(scratch: &Scratch, args: &[&str], file: &str) {
    let mut child = scratch
        .command(args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("{args:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {told}");
    assert!(
        told.contains(file) && told.contains("it is a") && told.contains("remove it"),
        "{args:?}: {told}"
    );
}

#[test]
fn only_plain_files_are_read() {
    let scratch = Scratch::new("pipes");
    assert!(scratch.run(&["solve", "mnk"]).status.success());
    let folder = scratch.path().join("mnk/default");
    for file in ["manifest.json", "tables.zmo"] {
        let (path, aside) = (folder.join(file), folder.join("aside"));
        fs::rename(&path, &aside).unwrap();
        for folder in [false, true] {
            match folder {
                false => pipe(&path),
                true => fs::create_dir(&path).unwrap(),
            }
            for args in [&["query", "mnk"][..], &["solve", "mnk"], &["verify", "mnk"], &["analyze", "mnk"]] {
                // A folder cannot be opened for writing; the system reports that itself.
                if !(folder && args[0] == "solve") {
                    refuses(&scratch, args, file);
                }
            }
            match folder {
                false => fs::remove_file(&path).unwrap(),
                true => fs::remove_dir(&path).unwrap(),
            }
        }
        fs::rename(&aside, &path).unwrap();
    }
    let formula = scratch.path().join("f.qdimacs");
    pipe(&formula);
    refuses(&scratch, &["query", &format!("qbf:file={}", formula.display())], "f.qdimacs");
    fs::create_dir(scratch.path().join("pentago")).unwrap();
    pipe(&scratch.path().join("pentago/slice-0.pentago"));
    refuses(&scratch, &["query", "pentago", "0", "--time", "0"], "slice-0.pentago");
    let count = scratch.path().join("count");
    fs::create_dir(&count).unwrap();
    pipe(&count.join("count.json"));
    refuses(&scratch, &["count", "mnk", "--resume", count.to_str().unwrap()], "count.json");
}

/// A reader of a database that is solved again gets an answer or a message that says so, but never a report of
/// damage.
#[test]
fn readers_of_a_database_that_is_solved_again_hear_of_no_damage() {
    let scratch = Scratch::new("readers");
    let game = "quixo:rows=3,cols=3,line=3";
    assert!(scratch.run(&["solve", game]).status.success());
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..25 {
                assert!(scratch.run(&["solve", game, "--fresh"]).status.success());
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let variant = zermelo::open(game, None, None).unwrap();
        let mut opened = 0;
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            match zermelo::Database::open(scratch.path(), &variant) {
                Ok(database) => {
                    opened += 1;
                    let oracle = variant.oracle();
                    let value = oracle.value(oracle.start(), &database).map_err(|e| e.to_string());
                    assert!(
                        value.as_ref().is_ok_and(|_| true)
                            || value.as_ref().is_err_and(|e| e.contains("solved again")),
                        "{value:?}"
                    );
                }
                Err(error) => assert!(!error.is_damage(), "{error}"),
            }
        }
        assert!(opened > 10);
    });
}

/// Makes a named pipe.
fn pipe(path: &Path) {
    let _ = std::fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}
