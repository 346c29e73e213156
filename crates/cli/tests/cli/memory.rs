//! The limit `--memory` where tables are read again: numberings count, and so do codes in their stored width.

use zermelo_core::{Code, Width};
use zermelo_store::{Disk, Reader, Writer, pack};

use crate::scratch::{Scratch, text};

const GAME: &str = "quixo:rows=3,cols=3,line=3";

/// Writes all tables anew with two bytes a code.
fn widen(scratch: &Scratch) {
    let folder = scratch.path().join("quixo/rows=3,cols=3,line=3");
    let reader = Reader::open(&Disk::new(&folder), 0).unwrap();
    let tables: Vec<_> =
        reader.tiers().into_iter().map(|t| (reader.info(t).unwrap(), reader.load(t).unwrap())).collect();
    let (identity, summary) = (reader.identity().clone(), reader.summary().clone());
    drop(reader);
    let writer = Writer::fresh(Disk::new(&folder), identity).unwrap();
    for (info, bytes) in tables {
        assert_eq!(info.width, Width::One);
        let mut wide: Vec<u8> = bytes.iter().flat_map(|byte| Code::widen(*byte).0.to_le_bytes()).collect();
        let blocks: Vec<_> =
            wide.chunks_mut(2 * info.block_entries as usize).map(|b| pack(b, Width::Two, 3)).collect();
        writer.append(info.tier, Width::Two, info.entries, info.positions, &blocks).unwrap();
    }
    writer.finish(summary).unwrap();
}

/// Whether a command succeeds with `memory` bytes; if not, the command must say what it needs.
fn does(scratch: &Scratch, command: &[&str], memory: u64) -> bool {
    let memory = memory.to_string();
    let output = scratch.run(&[command, &["--memory", &memory]].concat());
    let told = text(&output.stderr);
    let refused = told.contains("needs") && told.contains("--memory");
    assert!(output.status.success() || refused, "{command:?} with {memory}: {told}");
    output.status.success()
}

/// Returns the least memory that a command succeeds with.
fn least(scratch: &Scratch, command: &[&str]) -> u64 {
    let (mut low, mut high) = (0, 1 << 20);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if does(scratch, command, middle) { high = middle } else { low = middle }
    }
    high
}

#[test]
fn memory_covers_numberings_and_wide_tables() {
    let scratch = Scratch::new("memory");
    assert!(scratch.run(&["solve", GAME]).status.success());
    let game = zermelo::open(GAME, None, None).unwrap();
    let (tables, mut tiers) = (game.tiers().index_bytes(), vec![game.tiers().root()]);
    let (mut largest, mut at) = (0, 0);
    while let Some(tier) = tiers.get(at).copied() {
        largest = largest.max(game.tiers().size(tier));
        tiers.extend(
            game.tiers().children(tier).into_iter().filter(|t| !tiers.contains(t)).collect::<Vec<_>>(),
        );
        at += 1;
    }
    let marks = tiers.iter().map(|tier| game.reach().bytes(*tier)).max().unwrap();
    let commands: [&[&str]; 3] = [&["verify", GAME], &["analyze", GAME], &["analyze", GAME, "--all"]];
    let narrow = commands.map(|command| least(&scratch, command));
    widen(&scratch);
    let wide = commands.map(|command| least(&scratch, command));
    assert!(
        narrow[0] >= tables + largest && wide[0] >= narrow[0] + largest,
        "{narrow:?}, {wide:?}: {tables}, {largest}"
    );
    // Counts read a few codes at a time. They take the marks of reached positions, or not even these.
    assert!(narrow[1] >= tables + 2 * marks && wide[1] == narrow[1], "{narrow:?}, {wide:?}: {marks}");
    assert_eq!((narrow[2], wide[2]), (tables.max(1), tables.max(1)));
    let sample: &[&str] = &["verify", GAME, "--sample", "10"];
    assert_eq!(least(&scratch, sample), tables.max(1));
}

/// On boards without symmetries, the numberings take more than half of the memory.
#[test]
fn large_numberings_are_refused() {
    let scratch = Scratch::new("numberings");
    let solve = scratch.run(&["solve", "kayles:pins=20", "--memory", "10M"]);
    assert!(!solve.status.success() && text(&solve.stderr).contains("--memory"), "{}", text(&solve.stderr));
    assert!(scratch.run(&["solve", "kayles:pins=20"]).status.success());
    for command in [&["verify"][..], &["analyze"], &["verify", "--sample", "10"]] {
        let command = [command, &["kayles:pins=20"]].concat();
        assert!(!does(&scratch, &command, 10 << 20), "{command:?}");
    }
}

/// The cache of decoded blocks for look-ups of single values is within the memory, too.
#[test]
fn verifying_one_by_one_keeps_to_the_memory() {
    let scratch = Scratch::new("verify-lattice");
    let game = "connect4:rows=4,cols=5";
    assert!(scratch.run(&["solve", game]).status.success());
    let peak = |memory: &str| {
        let verify = ["verify", game, "--memory", memory, "--threads", "2"];
        let mut child = scratch.command(&verify).stdout(std::process::Stdio::null()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let told = std::fs::read_to_string(&status).unwrap_or_default();
            let most = told
                .lines()
                .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok());
            peak = peak.max(most.unwrap_or(0u64));
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(child.wait().unwrap().success());
        peak
    };
    let (little, much) = (peak("1M"), peak("100M"));
    assert!(little < much && little < 30_000, "{little} kB with little memory, {much} kB with much");
}
