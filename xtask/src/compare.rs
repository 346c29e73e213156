//! Compares two builds of the program: the tables must be equal, byte for byte, and the CPU seconds of each are
//! reported.
//!
//! The old build solves each variant on one thread. The new one solves it on one thread, on two, and as three ranks
//! if it was built with MPI. Tables may stand in another order in their files, so they are compared tier by tier. For
//! the times the builds take turns, and the least of several runs counts, because other work on the machine only ever
//! adds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use zermelo_store::{Disk, Reader};

/// The variants to compare: every engine, one and two bytes a value, loops and none, all objectives.
const VARIANTS: [(&str, &[&str]); 13] = [
    ("quixo:rows=4,cols=4,line=4", &[]),
    ("connect4:rows=5,cols=5", &[]),
    ("connect4:rows=5,cols=6", &[]),
    ("othello:rows=4,cols=5", &[]),
    ("othello:rows=4,cols=5", &["--objective", "margin"]),
    ("xiangqi:pieces=4", &[]),
    ("morris:men=6", &[]),
    ("pentago:section=17187071", &[]),
    ("kalah", &[]),
    ("nim", &["--objective", "nimber"]),
    ("dobutsu:elephants=0", &[]),
    ("meaningless", &[]),
    ("meaningless:loops=1", &[]),
];

/// A folder that is removed when the comparison is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Scratch> {
        let folder = std::env::temp_dir().join(format!("zermelo-compare-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compares two builds on variants whose names contain a word, or on all.
pub(crate) fn run(old: &Path, new: &Path, word: &str, times: usize) -> Result<()> {
    eprintln!("{:44} {:>8} {:>8} {:>6}  tables", "", "old s", "new s", "ratio");
    for (variant, more) in VARIANTS.iter().filter(|(variant, _)| variant.contains(word)) {
        let (want, mut seconds) = solve(old, 1, variant, more)?;
        let mut least = f64::INFINITY;
        for turn in 0..times.max(1) {
            if turn > 0 {
                seconds = seconds.min(solve(old, 1, variant, more)?.1);
            }
            let (found, took) = solve(new, 1, variant, more)?;
            ensure!(found == want, "{variant} {more:?}: the tables of one thread differ");
            least = least.min(took);
        }
        ensure!(
            solve(new, 2, variant, more)?.0 == want,
            "{variant} {more:?}: the tables of two threads differ"
        );
        let ranks = match on_ranks(new, 3, variant, more)? {
            Some(found) if found == want => ", 3 ranks",
            Some(_) => bail!("{variant} {more:?}: the tables of three ranks differ"),
            None => ", no MPI",
        };
        let name = format!("{variant} {}", more.join(" "));
        eprintln!("{name:44} {seconds:8.2} {least:8.2} {:6.3}  {} equal{ranks}", least / seconds, want.len());
    }
    Ok(())
}

/// The tables of a database: the width and codes of each tier.
type Tables = BTreeMap<u64, (usize, Vec<u8>)>;

/// Returns the tables that a build makes on `threads` threads, and the CPU seconds that it takes.
fn solve(program: &Path, threads: usize, variant: &str, more: &[&str]) -> Result<(Tables, f64)> {
    let scratch = Scratch::new("threads")?;
    let mut command = Command::new(program);
    command.args(["solve", variant, "--json", "--fresh", "--threads", &threads.to_string()]).args(more);
    let told = told(command.arg("--data").arg(&scratch.0))?;
    Ok((tables(&scratch.0)?, told["cpu_seconds"].as_f64().context("no CPU seconds")?))
}

/// Returns the tables that a build makes as `ranks` ranks; `None` if it was built without MPI.
fn on_ranks(program: &Path, ranks: usize, variant: &str, more: &[&str]) -> Result<Option<Tables>> {
    let scratch = Scratch::new("ranks")?;
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", &ranks.to_string()]);
    command.arg(program).args(["solve", variant, "--json", "--threads", "1"]).args(more);
    match told(command.arg("--data").arg(&scratch.0)) {
        Ok(_) => Ok(Some(tables(&scratch.0)?)),
        Err(error) if error.to_string().contains("without MPI") => Ok(None),
        Err(error) => Err(error),
    }
}

fn told(command: &mut Command) -> Result<Value> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns all tables below a data directory, which has one database.
fn tables(data: &Path) -> Result<Tables> {
    let mut folder = data.to_path_buf();
    while !folder.join("manifest.json").exists() {
        let inside = std::fs::read_dir(&folder)?.flatten().map(|file| file.path()).find(|path| path.is_dir());
        folder = inside.with_context(|| format!("{} has no database", data.display()))?;
    }
    let reader = Reader::open(&Disk::new(folder), 0)?;
    let table = |tier| Ok((tier, (reader.info(tier)?.width.bytes(), reader.load(tier)?)));
    let tables = reader.tiers().into_iter().map(table).collect::<Result<Vec<_>>>()?;
    Ok(tables.into_iter().map(|(tier, table)| (tier.0, table)).collect())
}
