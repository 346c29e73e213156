//! docs/guide/adding-a-game.md, followed as it is written: the program with a game of its own is made outside, tested,
//! built and run, the game is made in a copy of the workspace too, and what the document says each command prints is
//! compared with what it prints. Then the program of `examples/outside` is built and used.
//!
//! Crates of others are built once for this and for all other tests: the profile is theirs, and the folder. Crates of
//! this workspace are built without optimisation, which takes a fraction of the time.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::new_game::{self, DOCUMENT};

/// What the document tells people to begin with.
const MAKE_OUTSIDE: &str = "cargo xtask new-game stones --outside ../my-games";
/// How the document makes the game in the tree.
const MAKE: &str = "cargo xtask new-game stones";
/// How the document runs the program.
const RUN: &str = "cargo run -- ";
/// Our own crates.
const OURS: [&str; 7] = [
    "zermelo",
    "zermelo-catalogue",
    "zermelo-cli",
    "zermelo-core",
    "zermelo-engines",
    "zermelo-games",
    "zermelo-store",
];

/// Follows the document, then uses the game of the example.
pub(crate) fn run(root: &Path) -> Result<()> {
    eprintln!("\n> walkthrough: {DOCUMENT} and examples/outside");
    let walk = Walk::prepare(root)?;
    let document = std::fs::read_to_string(walk.root.join(DOCUMENT))?;
    let commands = commands(&document);
    for needed in [MAKE_OUTSIDE, MAKE] {
        ensure!(commands.iter().any(|c| c.line == needed), "{DOCUMENT} no longer has `{needed}`");
    }
    let mut program = None;
    for Commanded { line, prints } in &commands {
        eprintln!("$ {line}");
        if line == MAKE_OUTSIDE {
            new_game::outside(&walk.root, "stones", None, &walk.outside())?;
        } else if line == "cd ../my-games" {
            ensure!(walk.outside().is_dir(), "{DOCUMENT}: `{line}` stands before `{MAKE_OUTSIDE}`");
        } else if line == "cargo test" {
            in_order(line, &walk.cargo(&walk.outside(), &["test"])?, prints)?;
        } else if let Some(args) = line.strip_prefix(RUN) {
            let program = match &mut program {
                Some(program) => program,
                none => none.insert(walk.build(&walk.outside(), "stones-game")?),
            };
            program.obey(&args.split(' ').collect::<Vec<_>>(), prints)?;
        } else if line == MAKE {
            walk.copy_workspace()?;
            new_game::run(&walk.copy, "stones", None)?;
            walk.as_written(&document)?;
            walk.cargo(&walk.copy, &["check", "-p", "zermelo-catalogue"])?;
        } else if let Some(args) = line.strip_prefix("cargo test ") {
            let args: Vec<&str> = ["test", "--lib"].into_iter().chain(args.split(' ')).collect();
            in_order(line, &walk.cargo(&walk.copy, &args)?, prints)?;
        } else {
            bail!("{DOCUMENT}: the walk-through does not know how to run `{line}`");
        }
    }
    let program = program.with_context(|| format!("{DOCUMENT} runs nothing"))?;
    program.serves("stones", "1_21", "\"remoteness\":11")?;
    walk.example()?;
    eprintln!("walkthrough: {} commands print what {DOCUMENT} says", commands.len());
    Ok(())
}

/// A command of the document, and what it must print.
struct Commanded {
    line: String,
    prints: Vec<String>,
}

/// The commands in blocks of the document, each line that begins with `$`; what follows is what it prints. `...` stands
/// for more.
fn commands(document: &str) -> Vec<Commanded> {
    let mut all: Vec<Commanded> = vec![];
    let blocks = document.split("\n```console\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    for line in blocks.flat_map(str::lines) {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push(Commanded { line: command.trim().into(), prints: vec![] }),
            (None, Some(last)) if !matches!(line.trim(), "" | "...") => last.prints.push(line.trim().into()),
            _ => {}
        }
    }
    all
}

/// The folders of a walk.
struct Walk {
    root: PathBuf,
    target: PathBuf,
    /// A copy of the workspace, in which a game is made in the tree.
    copy: PathBuf,
}

impl Walk {
    fn prepare(root: &Path) -> Result<Walk> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        std::fs::create_dir_all(&target)?;
        let target = target.canonicalize()?;
        let walk = Walk { root: root.canonicalize()?, copy: target.join("walkthrough"), target };
        remove(&walk.outside())?;
        Ok(walk)
    }

    /// The folder of the program that the document makes.
    fn outside(&self) -> PathBuf {
        self.target.join("walkthrough-outside")
    }

    /// Copies what belongs to the workspace, and only files that changed, so that a second time is quick.
    fn copy_workspace(&self) -> Result<()> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&self.root)
            .output()
            .context("cannot run git")?;
        ensure!(
            listed.status.success(),
            "git cannot list the files: {}",
            String::from_utf8_lossy(&listed.stderr)
        );
        let mut kept = HashSet::new();
        for file in String::from_utf8(listed.stdout)?.split_terminator('\0') {
            // A file that is deleted but not yet committed is listed too.
            let Ok(bytes) = std::fs::read(self.root.join(file)) else { continue };
            write_new(&self.copy.join(file), &bytes)?;
            kept.insert(self.copy.join(file));
        }
        // What an earlier walk made, or copied and the workspace no longer has.
        remove_others(&self.copy, &kept)
    }

    /// Whether the files are as the document shows them.
    fn as_written(&self, document: &str) -> Result<()> {
        let read = |file: &str| std::fs::read_to_string(self.copy.join(file));
        let made = read(&new_game::module("stones"))?;
        let shown = new_game::inside(&new_game::game(document, "stones", "Stones")?);
        ensure!(
            made == shown,
            "the game in {DOCUMENT} is not formatted as rustfmt has it: see {}",
            self.copy.display()
        );
        for (file, part) in [
            (new_game::LIBRARY, "mod stones;"),
            (new_game::LIBRARY, "pub use stones::Stones;"),
            (
                new_game::CATALOGUE,
                "Entry::new::<Stones>(&[way::<Sweep<Stones>>(), way::<Retrograde<Stones>>()]),",
            ),
        ] {
            ensure!(
                document.contains(part) && read(file)?.contains(part),
                "{DOCUMENT} and {file} must have `{part}`"
            );
        }
        Ok(())
    }

    /// Runs cargo in a folder, with the profile that tests have; gives what it prints.
    fn cargo(&self, folder: &Path, args: &[&str]) -> Result<String> {
        let mut command = Command::new(env!("CARGO"));
        command.args(args).args(["--offline", "--target-dir"]).arg(&self.target);
        for package in OURS {
            for profile in ["dev", "test"] {
                command.arg("--config").arg(format!("profile.{profile}.package.{package}.opt-level=0"));
            }
        }
        let output =
            command.current_dir(folder).stderr(Stdio::inherit()).output().context("cannot run cargo")?;
        ensure!(output.status.success(), "cargo {} failed in {}", args.join(" "), folder.display());
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Builds the program of a folder.
    fn build(&self, folder: &Path, name: &str) -> Result<Program> {
        self.cargo(folder, &["build"])?;
        let data = self.target.join("walkthrough-data");
        remove(&data)?;
        std::fs::create_dir_all(&data)?;
        Ok(Program { path: self.target.join("debug").join(name), data })
    }

    /// Every command of the program in `examples/outside` knows its game.
    fn example(&self) -> Result<()> {
        let folder = self.root.join("examples/outside");
        // The versions of everything else, so that nothing is asked for on the network.
        std::fs::copy(self.root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        self.build(&folder, "outside")?.outside()
    }
}

/// Removes a folder that an earlier walk may have made.
fn remove(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Removes all files of a folder but some.
fn remove_others(folder: &Path, kept: &HashSet<PathBuf>) -> Result<()> {
    let listed = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in listed {
        let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        if kind.is_dir() {
            remove_others(&path, kept)?;
        } else if !kept.contains(&path) {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// The program, and where its databases are.
struct Program {
    path: PathBuf,
    data: PathBuf,
}

impl Program {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(args).env("ZERMELO_DATA", &self.data);
        command
    }

    /// Runs a command that must succeed and print some lines, in this order.
    fn obey(&self, args: &[&str], prints: &[impl AsRef<str>]) -> Result<()> {
        let output =
            self.command(args).output().with_context(|| format!("cannot run {}", self.path.display()))?;
        let (out, trouble) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        ensure!(output.status.success(), "{} failed: {trouble}", args.join(" "));
        in_order(&args.join(" "), &out, prints)
    }

    /// Whether the page and its answers know a game.
    fn serves(&self, game: &str, position: &str, part: &str) -> Result<()> {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0", "--quiet"]);
        let mut server = Server(command.stdout(Stdio::piped()).spawn()?);
        let mut line = String::new();
        let out = server.0.stdout.take().context("the server says nothing")?;
        BufReader::new(out).read_line(&mut line)?;
        let address = line.trim().rsplit_once("http://").context("the server does not say where it is")?.1;
        let address = address.trim_end_matches('/');
        for (path, part) in [
            ("/".to_string(), "<html"),
            ("/api/v1/games".to_string(), &format!("\"{game}\"")),
            (format!("/api/v1/games/{game}/default/position?p={position}"), part),
        ] {
            let answer = get(address, &path)?;
            ensure!(answer.contains(part), "{path} does not answer with {part}: {answer}");
        }
        Ok(())
    }

    /// All commands know the game from outside.
    fn outside(&self) -> Result<()> {
        eprintln!("$ outside check, solve, query, analyze, verify, games, count, serve northcott");
        self.obey(&["check", "northcott"], &["northcott: no law is broken"])?;
        self.obey(&["solve", "northcott"], &["northcott: the first player wins"])?;
        self.obey(&["solve", "northcott:cells=8"], &["northcott:cells=8: the second player wins"])?;
        self.obey(&["solve", "northcott", "--engine", "iterate"], &["northcott is already solved"])?;
        self.obey(&["query", "northcott", "1_x-o------"], &["1_x-o------  win in"])?;
        self.obey(&["analyze", "northcott"], &[] as &[&str])?;
        self.obey(&["count", "northcott"], &[] as &[&str])?;
        self.obey(&["verify", "northcott"], &["36 stored positions checked, 0 wrong, 0 damaged blocks"])?;
        self.obey(&["games", "northcott"], &["Northcott's game, one row:", "northcott "])?;
        self.obey(&["games"], &["northcott    two men on a row push each other back"])?;
        self.serves("northcott", "1_x-------o", "\"value\":\"win\"")?;
        let none = self.command(&["solve", "nosuchgame"]).output()?;
        ensure!(
            String::from_utf8_lossy(&none.stderr).contains("northcott"),
            "names must list the game from outside"
        );
        Ok(())
    }
}

/// Whether a command has printed lines that begin so, in this order.
fn in_order(command: &str, out: &str, prints: &[impl AsRef<str>]) -> Result<()> {
    let mut lines = out.lines();
    for wanted in prints.iter().map(AsRef::as_ref) {
        let found = lines.any(|line| line.trim().starts_with(wanted));
        ensure!(found, "`{command}` must print, after what stands before it: {wanted:?}\nbut prints:\n{out}");
    }
    Ok(())
}

/// A server that is stopped in the end.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn get(address: &str, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address).with_context(|| format!("cannot reach {address}"))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = vec![];
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_must_come_in_order() {
        let out = "first 1\n  second 2\nthird\n";
        for (prints, good) in [
            (&["first", "third"][..], true),
            (&["second 2"], true),
            (&["third", "first"], false),
            (&["fourth"], false),
        ] {
            assert_eq!(in_order("x", out, prints).is_ok(), good, "{prints:?}");
        }
    }

    #[test]
    fn old_files_are_removed_from_the_copy() {
        let folder = std::env::temp_dir().join(format!("zermelo-walkthrough-{}", std::process::id()));
        let [old, new] = ["tests/old.rs", "tests/new.rs"].map(|file| folder.join(file));
        for file in [&old, &new] {
            write_new(file, b"").expect("written");
        }
        remove_others(&folder, &HashSet::from([new.clone()])).expect("removed");
        assert!(!old.exists() && new.exists());
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn commands_are_taken_from_blocks() {
        let text = "Say\n```console\n$ one --two\nfirst line\n...\n  last\n\n$ three\n```\n$ not this\n```text\n$ nor this\n```\n";
        let all: Vec<_> = commands(text).into_iter().map(|c| (c.line, c.prints)).collect();
        let want = [("one --two", vec!["first line", "last"]), ("three", vec![])];
        assert_eq!(all.len(), 2);
        for ((line, prints), (want, lines)) in all.iter().zip(&want) {
            assert_eq!(
                (line.as_str(), prints.iter().map(String::as_str).collect::<Vec<_>>()),
                (*want, lines.clone())
            );
        }
    }
}
