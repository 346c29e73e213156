//! Runs under a real `mpirun`: what ranks find, how they fail, and how a run goes on.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use zermelo_store::{Disk, Reader};

use crate::resume::tables;
use crate::scratch::{Scratch, text};

const PROGRAM: &str = env!("CARGO_BIN_EXE_zermelo");

/// Returns the command `mpirun`, which also works on machines with fewer cores than ranks.
fn mpirun() -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]).stdin(Stdio::null());
    command
}

fn solve(ranks: usize, data: &Path, game: &str, more: &[&str]) -> Command {
    let mut command = mpirun();
    command.args(["-n", &ranks.to_string(), PROGRAM, "solve", game, "--threads", "1", "--json", "--data"]);
    command.arg(data).args(more);
    command
}

fn ran(command: &mut Command) -> serde_json::Value {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn failed(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(!status.success(), "{}", text(&stdout));
    text(&stderr)
}

/// Every kind of engine, with as many ranks as two cores can bear.
#[test]
fn ranks_give_the_tables_of_one_process() {
    for game in [
        "quixo:rows=3,cols=4,line=3",
        "connect4:rows=5,cols=4",
        "othello:rows=4,cols=4",
        "xiangqi:pieces=3",
        "meaningless:depth=12,width=6,size=2000",
        "meaningless:depth=6,width=4,size=2000,loops=1",
    ] {
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

/// The largest tiers do not fit in any one rank. All four ranks solve them together: with loops, without loops, and
/// by lines of blocks.
#[test]
fn tiers_larger_than_a_rank_are_split() {
    for (game, engine, memory) in [
        ("quixo:rows=4,cols=4,line=4", "retrograde", "3M"),
        ("meaningless:depth=3,width=2,size=2000000", "sweep", "3M"),
        ("pentago:section=34094390", "rotations", "6M"),
    ] {
        let whole = Scratch::new("mpi-split-whole");
        whole.json(&["solve", game, "--json"]);
        let scratch = Scratch::new("mpi-split");
        // One rank alone is refused, unless another engine can do with so little.
        let alone = scratch.run(&["solve", game, "--engine", engine, "--memory", memory]);
        assert!(text(&alone.stderr).contains("of memory"), "{}", text(&alone.stderr));
        let trace = scratch.path().join("trace.json");
        ran(&mut solve(4, scratch.path(), game, &["--memory", memory, "--trace", trace.to_str().unwrap()]));
        assert!(tables(&scratch, game) == tables(&whole, game), "{game}");
        let events: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
        let ranks_that = |what: &str| {
            let of = events.as_array().unwrap().iter().filter(|event| event["cat"] == what);
            of.map(|event| event["pid"].as_u64().unwrap()).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(ranks_that("exchange").len(), 4, "all ranks exchange");
        assert!(ranks_that("compute").len() == 4 && ranks_that("wait").len() == 4);
    }
}

/// Returns the processes of a run, by rank.
fn processes(mpirun: &Child) -> Vec<(usize, u32)> {
    let rank = |pid: u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
        let name = b"OMPI_COMM_WORLD_RANK=";
        let value = environment.split(|byte| *byte == 0).find_map(|line| line.strip_prefix(name))?;
        text(value).parse().ok()
    };
    let children = format!("/proc/{0}/task/{0}/children", mpirun.id());
    let children = std::fs::read_to_string(children).unwrap_or_default();
    children
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok())
        .filter_map(|pid| Some((rank(pid)?, pid)))
        .collect()
}

/// Waits for the end of a run, for a minute at most.
fn ended(mut child: Child) -> Output {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run hangs");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

/// Returns the number of tables that a run has left.
fn left(data: &Path, game: &str) -> u64 {
    let game = zermelo::open(game, None, None).unwrap();
    match Reader::open(&Disk::new(zermelo::data_folder(data, &game)), 0) {
        Ok(reader) => reader.tiers().len() as u64,
        Err(_) => 0,
    }
}

/// Kills processes when a part of the tables is stored, another part in each round. The run fails at once and says so; the
/// next one goes on from every table that was finished, with another number of ranks.
fn killed(whom: &str, ranks_to_kill: &[usize]) {
    let game = "meaningless:depth=40,width=20,size=10000";
    let whole = Scratch::new(&format!("mpi-killed-whole-{whom}"));
    whole.json(&["solve", game, "--json"]);
    let want = tables(&whole, game);
    let (mut in_the_middle, rounds) = (0, 6);
    for round in 0..rounds {
        let scratch = Scratch::new(&format!("mpi-killed-{whom}"));
        let mut command = solve(3, scratch.path(), game, &[]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let moment = want.len() as u64 * (2 * round + 1) / (2 * rounds);
        while left(scratch.path(), game) < moment && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        for (_, pid) in processes(&child).into_iter().filter(|(rank, _)| ranks_to_kill.contains(rank)) {
            Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
        }
        let output = ended(child);
        let done = output.status.success();
        assert!(done || !output.stderr.is_empty(), "it says why");
        let found = left(scratch.path(), game);
        let solved = ran(&mut solve(2 + round as usize % 2, scratch.path(), game, &[]));
        // Every whole table counts; only the tiers that were being solved are solved again.
        assert_eq!(solved["resumed_tiers"].as_u64(), Some(found), "round {round}");
        in_the_middle += u32::from(found > 0 && !done);
        assert!(tables(&scratch, game) == want, "round {round}, {found} tiers resumed");
    }
    assert!(in_the_middle > 2, "{in_the_middle} kills came in the middle");
}

#[test]
fn a_killed_worker_ends_the_run_and_the_next_one_goes_on() {
    killed("worker", &[1]);
}

#[test]
fn a_killed_coordinator_ends_the_run_and_the_next_one_goes_on() {
    killed("coordinator", &[0]);
}

#[test]
fn a_killed_run_goes_on() {
    killed("all", &[0, 1, 2]);
}

/// All ranks write scratch files of their own; the lattice engine spills its marks, too. A run of one process goes on
/// with these files, or with the tables alone if they suffice, and leaves no scratch file behind.
fn goes_on_without_mpi(name: &str, game: &str) {
    let whole = Scratch::new(&format!("mpi-{name}-whole"));
    whole.json(&["solve", game, "--json"]);
    let scratch = Scratch::new(&format!("mpi-{name}"));
    let mut command = solve(3, scratch.path(), game, &[]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while left(scratch.path(), game) < 10 {
        std::thread::sleep(Duration::from_millis(10));
    }
    processes(&child)
        .iter()
        .for_each(|(_, pid)| _ = Command::new("kill").args(["-9", &pid.to_string()]).status());
    ended(child);
    let folder = zermelo::data_folder(scratch.path(), &zermelo::open(game, None, None).unwrap());
    let spilled = || {
        let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name());
        files.filter(|name| name.to_string_lossy().starts_with("scratch-")).count()
    };
    assert!(spilled() > 0);
    let solved = scratch.json(&["solve", game, "--json"]);
    assert!(solved["resumed_tiers"].as_u64() > Some(0), "{solved}");
    assert_eq!(spilled(), 0);
    assert!(tables(&scratch, game) == tables(&whole, game));
    let counts = |scratch: &Scratch| scratch.json(&["analyze", game, "--json"]);
    assert_eq!(counts(&scratch), counts(&whole));
}

#[test]
fn a_killed_run_of_the_lattice_goes_on_without_mpi() {
    goes_on_without_mpi("lattice", "connect4:rows=5,cols=5");
}

#[test]
fn a_killed_run_of_an_engine_that_needs_no_spilled_tiers_goes_on_without_mpi() {
    goes_on_without_mpi("sweep", "meaningless:depth=40,width=20,size=20000");
}

/// Returns the files of a folder whose names have a prefix, in the order of their names.
fn files_of(folder: &Path, begin: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|file| file.file_name().unwrap().to_string_lossy().starts_with(begin)).collect();
    files.sort();
    files
}

/// Changes a byte in the middle of a file.
fn flip(file: &Path) {
    let mut bytes = std::fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(file, bytes).unwrap();
}

/// The files that killed ranks left are damaged in many ways: the next run ends with the tables and counts of an
/// undisturbed one.
#[test]
fn what_killed_ranks_have_left_may_be_spoilt() {
    let game = "connect4:rows=5,cols=5";
    let whole = Scratch::new("mpi-spoilt-whole");
    whole.json(&["solve", game, "--json"]);
    let counts = |scratch: &Scratch| scratch.json(&["analyze", game, "--json"]);
    let (want, want_counts) = (tables(&whole, game), counts(&whole));
    let opened = zermelo::open(game, None, None).unwrap();
    let spoil: [fn(&Path); 3] = [
        |folder| flip(&folder.join("counts.log")),
        |folder| files_of(folder, "scratch-").iter().for_each(|file| flip(file)),
        |folder| {
            // Each table file is cut short; one scratch file exists twice, and two are exchanged.
            for file in files_of(folder, "tables-") {
                let bytes = std::fs::read(&file).unwrap();
                std::fs::write(&file, &bytes[..bytes.len() * 2 / 3]).unwrap();
            }
            let spilled = files_of(folder, "scratch-");
            std::fs::copy(&spilled[0], folder.join("scratch-900.zmo")).unwrap();
            let [first, last] =
                [&spilled[0], spilled.last().unwrap()].map(|file| std::fs::read(file).unwrap());
            std::fs::write(&spilled[0], last).unwrap();
            std::fs::write(spilled.last().unwrap(), first).unwrap();
        },
    ];
    for (round, spoil) in spoil.into_iter().enumerate() {
        let scratch = Scratch::new("mpi-spoilt");
        let mut command = solve(3, scratch.path(), game, &[]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while left(scratch.path(), game) < 15 {
            std::thread::sleep(Duration::from_millis(3));
        }
        // All processes are killed, or one alone, whose end stops the others.
        for (_, pid) in processes(&child).iter().filter(|(rank, _)| round < 2 || *rank == 1) {
            Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
        }
        assert!(!ended(child).status.success(), "the run was over too soon for this test");
        spoil(&zermelo::data_folder(scratch.path(), &opened));
        ran(&mut solve(3 - round % 2, scratch.path(), game, &[]));
        assert!(tables(&scratch, game) == want, "round {round}");
        assert_eq!(counts(&scratch), want_counts, "round {round}");
    }
}

/// Two groups of ranks with commands of their own.
fn apart(first: &[&str], second: &[&str]) -> Command {
    let mut command = mpirun();
    command.args(["-n", "1"]).args(first).args([":", "-n", "1"]).args(second);
    command
}

#[test]
fn ranks_that_differ_are_refused() {
    let scratch = Scratch::new("mpi-differ");
    let data = scratch.path().to_str().unwrap();
    let game = "mnk:rows=3,cols=3,line=3";
    let with = |program: &'static str, game: &'static str| {
        [program, "solve", game, "--threads", "1", "--data", data]
    };
    let told = failed(&mut apart(&with(PROGRAM, game), &with(PROGRAM, "mnk:rows=3,cols=4,line=3")));
    assert!(told.contains("rank 1 on") && told.contains("give all ranks the same options"), "{told}");
    // A copy of the program that differs in one byte at its end.
    let other = scratch.path().join("other");
    let mut bytes = std::fs::read(PROGRAM).unwrap();
    bytes.push(0);
    std::fs::write(&other, bytes).unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).unwrap();
    let other = other.to_str().unwrap().to_string();
    let told =
        failed(&mut apart(&with(PROGRAM, game), &[&other, "solve", game, "--threads", "1", "--data", data]));
    assert!(told.contains("install the same program everywhere"), "{told}");
    // One rank has a game that does not exist.
    let told = failed(&mut apart(&with(PROGRAM, game), &with(PROGRAM, "chess960")));
    assert!(told.contains("rank 1: there is no game"), "{told}");
    assert!(!scratch.path().join("mnk").exists(), "nothing was begun");
    // Wrong input and failures end a run with different statuses.
    let status = |game| mpirun().args(["-n", "2"]).args(with(PROGRAM, game)).status().unwrap().code();
    assert_eq!((status("mnk:nothing=1"), status(game)), (Some(2), Some(0)));
}

/// Rank 1 writes to a folder of its own.
#[test]
fn folders_that_are_not_shared_are_refused() {
    let scratch = Scratch::new("mpi-shared");
    let folders = ["a", "b"].map(|name| scratch.path().join(name));
    folders.iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
    let here = |folder: &PathBuf| {
        format!("cd {} && exec {PROGRAM} solve mnk --threads 1 --data .", folder.display())
    };
    let [first, second] = [here(&folders[0]), here(&folders[1])];
    let told = failed(&mut apart(&["bash", "-c", &first], &["bash", "-c", &second]));
    assert!(told.contains("cannot read what rank 0 wrote"), "{told}");
    assert!(told.contains("a directory that all machines share"), "{told}");
}

/// Rank 1 may not write long files: it gives its tier back, and another rank solves the tier.
#[test]
fn a_tier_that_a_rank_cannot_keep_goes_to_another() {
    let scratch = Scratch::new("mpi-back");
    // Each rank gets some of these many tiers, and nearly all are too large for a file of 1 KiB.
    let game = "meaningless:depth=20,width=10,size=20000,loops=1";
    let data = scratch.path().to_str().unwrap();
    let limited =
        format!("trap '' XFSZ; ulimit -f 1; exec {PROGRAM} solve {game} --threads 1 --data {data} --json");
    let free = [PROGRAM, "solve", game, "--threads", "1", "--data", data, "--json"];
    let mut command = mpirun();
    command.args(["-n", "2"]).args(free).args([":", "-n", "1", "bash", "-c", &limited]);
    let output = command.output().unwrap();
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("gives a tier back") && told.contains("rank 2"), "{told}");
    let whole = Scratch::new("mpi-back-whole");
    whole.json(&["solve", game, "--json"]);
    assert!(tables(&scratch, game) == tables(&whole, game));
    // If no rank can keep the tier, the run fails with the reason.
    let nobody = Scratch::new("mpi-nobody");
    let limited = limited.replace(data, nobody.path().to_str().unwrap());
    let told = failed(mpirun().args(["-n", "3", "bash", "-c", &limited]));
    assert!(told.contains("before it, rank") && told.contains("tables-"), "{told}");
}

#[test]
fn without_a_database_there_is_no_cluster() {
    let told = failed(mpirun().args(["-n", "2", PROGRAM, "solve", "mnk", "--no-database"]));
    assert!(told.contains("leave --no-database out"), "{told}");
}
