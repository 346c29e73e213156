//! Real `mpirun`: what ranks find, how they fail, and how a run goes on.

#![cfg(feature = "mpi")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::resume::tables;
use crate::scratch::{Scratch, text};

const PROGRAM: &str = env!("CARGO_BIN_EXE_zermelo");

/// `mpirun` with so many ranks, and what it takes to have more ranks than cores.
fn mpirun(ranks: usize) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", &ranks.to_string()]);
    command.stdin(Stdio::null());
    command
}

fn solve(ranks: usize, data: &Path, game: &str, more: &[&str]) -> Command {
    let mut command = mpirun(ranks);
    command.args([PROGRAM, "solve", game, "--threads", "1", "--json", "--data"]).arg(data).args(more);
    command
}

fn ran(command: &mut Command) -> serde_json::Value {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Every engine, with the numbers of ranks that two cores can stand.
#[test]
fn ranks_give_the_tables_of_one_process() {
    for game in ["quixo:rows=3,cols=4,line=3", "connect4:rows=5,cols=4", "othello:rows=4,cols=4", "xiangqi:pieces=3"] {
        let whole = Scratch::new("mpi-whole");
        whole.json(&["solve", game, "--json"]);
        let want = tables(&whole, game);
        for ranks in [2, 4] {
            let scratch = Scratch::new("mpi-ranks");
            let solved = ran(&mut solve(ranks, scratch.path(), game, &[]));
            assert_eq!(solved["ranks"].as_array().map(Vec::len), Some(ranks));
            assert!(tables(&scratch, game) == want, "{game} with {ranks} ranks");
            let verified = scratch.run(&["verify", game]);
            assert!(verified.status.success(), "{}", text(&verified.stderr));
        }
    }
}
