//! Runs that are killed, run twice, or run at the same time.

use std::path::Path;
use std::time::Duration;

use zermelo_core::Tier;
use zermelo_store::{Disk, Reader, State};

use crate::scratch::{Scratch, text};

const GAME: &str = "quixo:rows=3,cols=5,line=3";

/// Returns every table of a complete database: its tier, its size on disk, all its bytes.
pub(crate) fn tables(scratch: &Scratch, game: &str) -> Vec<(Tier, u64, Vec<u8>)> {
    let games = zermelo::Catalogue::standard().open_all(game, None, None, None).unwrap();
    let (game, _) = zermelo::Database::find(scratch.path(), games, 0).unwrap();
    let reader = Reader::open(&Disk::new(zermelo::data_folder(scratch.path(), &game)), 0).unwrap();
    assert_eq!(reader.state(), State::Complete);
    let table = |tier| (tier, reader.info(tier).unwrap().bytes, reader.load(tier).unwrap());
    reader.tiers().into_iter().map(table).collect()
}

/// Returns the output of `analyze` for a database.
fn counts(scratch: &Scratch, game: &str) -> serde_json::Value {
    scratch.json(&["analyze", game, "--json"])
}

/// Kills each round at a moment that is spread over the whole run, and most rounds twice. The tables of the last run
/// are the same to the byte, and the counts are the same.
fn killed_runs_end_with_the_same_tables(game: &str) {
    let name = game.split(':').next().unwrap();
    let whole = Scratch::new(&format!("killed-whole-{name}"));
    let begun = std::time::Instant::now();
    whole.json(&["solve", game, "--json"]);
    let took: Duration = begun.elapsed();
    let (want, want_counts) = (tables(&whole, game), counts(&whole, game));
    let scratch = Scratch::new(&format!("killed-{name}"));
    let (mut kills, mut resumed_some) = (0, false);
    for round in 0..6u32 {
        for again in 0..=u32::from(round > 0) {
            let mut child = scratch
                .command(&["solve", game, "--json"])
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(took * ((round * 2 + again * 7) % 12) / 12);
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
        }
        let solved = scratch.json(&["solve", game, "--json"]);
        let (resumed, tiers) = (solved["resumed_tiers"].as_u64().unwrap(), solved["tiers"].as_u64().unwrap());
        assert!(resumed <= tiers);
        resumed_some |= resumed > 0 && resumed < tiers;
        assert_eq!(tables(&scratch, game), want, "round {round}, {resumed} of {tiers} tiers resumed");
        assert_eq!(counts(&scratch, game), want_counts, "round {round}, {resumed} of {tiers} tiers resumed");
        std::fs::remove_dir_all(scratch.path().join(name)).unwrap();
    }
    assert!(kills > 10 && resumed_some, "some kill must have come in the middle");
}

#[test]
fn killed_runs_of_retrograde_end_with_the_same_tables() {
    killed_runs_end_with_the_same_tables(GAME);
}

#[test]
fn killed_runs_of_the_lattice_end_with_the_same_tables() {
    killed_runs_end_with_the_same_tables("connect4:rows=6,cols=4");
}

#[test]
fn killed_runs_of_blobs_end_with_the_same_tables() {
    killed_runs_end_with_the_same_tables("othello:rows=4,cols=5");
}

/// A run of the lattice that was killed in the middle.
struct Killed {
    scratch: Scratch,
    folder: std::path::PathBuf,
}

impl Killed {
    const GAME: &str = "connect4:rows=6,cols=4";

    fn new(name: &str) -> Killed {
        Killed::of(name, Killed::GAME)
    }

    /// Kills a run when its file of counts has 30 lines.
    fn of(name: &str, game: &str) -> Killed {
        let scratch = Scratch::new(name);
        let folder = zermelo::data_folder(scratch.path(), &zermelo::open(game, None, None).unwrap());
        let killed = Killed { scratch, folder };
        let mut child = killed
            .scratch
            .command(&["solve", game, "--threads", "1"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let lines = || {
            std::fs::read(killed.folder.join("counts.log")).map_or(0, |b| b.split(|b| *b == b'\n').count())
        };
        while lines() < 30 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed
    }

    fn spilled(&self) -> Vec<std::path::PathBuf> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|f| f.path());
        files.filter(|f| f.file_name().unwrap().to_str().unwrap().starts_with("scratch-")).collect()
    }

    /// Finishes the run, and checks its result.
    fn finish(&self) {
        let solved = self.scratch.json(&["solve", Killed::GAME, "--json"]);
        assert_eq!((&solved["value"], &solved["remoteness"]), (&"tie".into(), &24.into()));
        assert!(self.spilled().is_empty() && !self.folder.join("counts.log").exists());
        let verified = self.scratch.json(&["verify", Killed::GAME, "--sample", "20000", "--json"]);
        assert_eq!(verified["wrong"], 0);
        assert_eq!(counts(&self.scratch, Killed::GAME)["positions"], 15_835_683);
    }
}

/// Scratch files are gone when a run is over; files that a power loss damaged cost work and nothing else.
#[test]
fn spilled_tiers_may_be_lost_or_spoilt() {
    let killed = Killed::new("scratch-lost");
    killed.spilled().iter().for_each(|file| std::fs::remove_file(file).unwrap());
    killed.finish();
    let killed = Killed::new("scratch-spoilt");
    for file in killed.spilled() {
        let bytes = std::fs::read(&file).unwrap();
        let spoilt = bytes.iter().enumerate().map(|(i, b)| if i % 5000 == 4999 { b ^ 8 } else { *b });
        std::fs::write(&file, spoilt.collect::<Vec<_>>()).unwrap();
    }
    killed.finish();
}

/// A change to the lines of a file, with its name.
type Spoil<'a> = (String, Box<dyn Fn(&mut Vec<Vec<u8>>) + 'a>);

/// Returns damages to the file of counts, in lines with their ends.
fn spoils<'a>(bytes: usize) -> Vec<Spoil<'a>> {
    let of = |what: &str, spoil: fn(&mut Vec<Vec<u8>>)| -> Spoil<'a> { (what.into(), Box::new(spoil)) };
    let digit = |line: &mut Vec<u8>| {
        let at = line.iter().rposition(|b| (b'1'..=b'8').contains(b)).unwrap();
        line[at] += 1;
    };
    let flip = |n: usize| -> Spoil<'a> {
        let at = (bytes - 1) * n / 9;
        let change = move |lines: &mut Vec<Vec<u8>>| {
            let mut all = lines.concat();
            all[at] ^= 1 << (n % 8);
            *lines = vec![all];
        };
        (format!("byte {at} changed"), Box::new(change))
    };
    let mut spoils = vec![
        of("gone", |lines| lines.clear()),
        of("cut", |lines| *lines = vec![lines.concat()[..lines.concat().len() * 2 / 3].to_vec()]),
        of("no text", |lines| lines[5][20] = 0xff),
        of("zeros behind", |lines| lines.push(vec![0; 4096])),
        of("no head", |lines| _ = lines.remove(0)),
        of("the head of another", |lines| lines[0] = b"{\"format\":1,\"identity\":{}}\n".to_vec()),
        of("as it was without checksums", |lines| {
            lines.iter_mut().skip(1).for_each(|line| _ = line.drain(..9))
        }),
        of("a record lost", |lines| _ = lines.remove(1)),
        of("another lost", |lines| _ = lines.remove(lines.len() - 2)),
        of("a record twice", |lines| lines.push(lines[7].clone())),
        of("two swapped", |lines| lines.swap(3, 9)),
        of("backwards", |lines| lines[1..].reverse()),
    ];
    spoils.push(("a digit changed".into(), Box::new(move |lines| digit(&mut lines[4]))));
    spoils.push(("the last digit changed".into(), Box::new(move |lines| digit(lines.last_mut().unwrap()))));
    spoils.extend((0..10).map(flip));
    spoils
}

/// Counts that are missing from the file are counted again; lines that are changed or from another database are
/// ignored.
#[test]
fn counts_may_be_lost_or_spoilt() {
    // A small game, because the test solves it many times.
    const SMALL: &str = "connect4:rows=5,cols=4";
    let whole = Scratch::new("counts-whole");
    whole.json(&["solve", SMALL, "--json"]);
    let (want, want_counts) = (tables(&whole, SMALL), counts(&whole, SMALL));
    // A run may be over before it is killed.
    let mut runs = (0..20).map(|_| Killed::of("counts", SMALL));
    let killed = runs.find(|killed| killed.folder.join("counts.log").exists()).unwrap();
    let files = std::fs::read_dir(&killed.folder).unwrap().map(|file| file.unwrap().path());
    let left: Vec<_> = files.map(|file| (file.clone(), std::fs::read(file).unwrap())).collect();
    let log = killed.folder.join("counts.log");
    let lines = |bytes: &[u8]| bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let good = std::fs::read(&log).unwrap();
    assert!(lines(&good).len() > 10);
    for (what, spoil) in spoils(good.len()) {
        std::fs::remove_dir_all(&killed.folder).unwrap();
        std::fs::create_dir(&killed.folder).unwrap();
        left.iter().for_each(|(file, bytes)| std::fs::write(file, bytes).unwrap());
        let mut bad = lines(&good);
        spoil(&mut bad);
        std::fs::write(&log, bad.concat()).unwrap();
        killed.scratch.json(&["solve", SMALL, "--json"]);
        assert_eq!(counts(&killed.scratch, SMALL), want_counts, "{what}");
        assert!(tables(&killed.scratch, SMALL) == want, "{what}");
    }
}

#[test]
fn a_second_solve_says_so_and_fresh_starts_over() {
    let scratch = Scratch::new("twice");
    scratch.run(&["solve", "mnk"]);
    let again = scratch.run(&["solve", "mnk"]);
    assert!(text(&again.stdout).contains("already solved"), "{}", text(&again.stdout));
    assert_eq!(scratch.json(&["solve", "mnk", "--json"])["resumed_tiers"], 10);
    assert_eq!(scratch.json(&["solve", "mnk", "--fresh", "--json"])["resumed_tiers"], 0);
}

#[test]
fn two_solves_of_one_database_do_not_mix() {
    let scratch = Scratch::new("locked");
    let mut first = scratch
        .command(&["solve", "quixo:rows=4,cols=4,line=4", "--json"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let file = scratch.path().join("quixo/rows=4,cols=4,line=4/tables.zmo");
    wait_for(&file, 100);
    let second = scratch.run(&["solve", "quixo:rows=4,cols=4,line=4"]);
    let first_was_running = first.try_wait().unwrap().is_none();
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(first_was_running, "the first run was over too soon for this test");
    assert_eq!(second.status.code(), Some(1));
    assert!(text(&second.stderr).contains("another solve"), "{}", text(&second.stderr));
}

/// Waits until a file has more than `bytes` bytes.
pub(crate) fn wait_for(file: &Path, bytes: u64) {
    for _ in 0..1000 {
        if std::fs::metadata(file).is_ok_and(|meta| meta.len() > bytes) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{} never came", file.display());
}

/// With little memory tiers are freed and loaded again; the tables stay the same.
#[test]
fn little_memory_gives_the_same_tables() {
    for game in [GAME, "connect4:rows=6,cols=4"] {
        little_memory(game);
    }
}

fn little_memory(name: &str) {
    let whole = Scratch::new("memory-whole");
    whole.json(&["solve", name, "--json"]);
    let want = tables(&whole, name);
    // The memory that the most demanding tier needs with its child tiers: one byte less is refused.
    let game = zermelo::open(name, None, None).unwrap();
    let graph = zermelo::Graph::of(&game).unwrap();
    let (_, most) = zermelo::least_memory(&game, &graph, !game.tiers().filing().by_tier);
    let scratch = Scratch::new("memory");
    // Another engine may do with less.
    let solve = ["solve", name, "--engine", game.takes.name, "--memory"];
    let refused = scratch.run(&[&solve[..], &[&(most - 1).to_string()]].concat());
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
    let memory = most.to_string();
    scratch.json(&[&solve[..], &[&memory, "--json"]].concat());
    assert_eq!(tables(&scratch, name), want);
}
