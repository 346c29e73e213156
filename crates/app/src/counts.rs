//! Counts of positions while a game is being solved: one line a tier in a file beside the
//! tables, so that a killed run loses none. A finished database has them in its manifest.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;
use zermelo_core::{Count, Tier, Value};
use zermelo_store::Identity;

use crate::schedule::Counting;
use crate::{Analysis, SolveError};

/// The name of the file.
pub(crate) const COUNTS: &str = "counts.log";

/// The counts so far, and the file they are kept in.
pub(crate) struct CountLog {
    path: PathBuf,
    earlier: HashSet<Tier>,
    state: Mutex<(File, Analysis)>,
}

fn failed(path: &Path, error: std::io::Error) -> SolveError {
    SolveError::Counts { file: path.display().to_string(), reason: error.to_string() }
}

impl CountLog {
    /// Opens the file in a folder, to add to an empty analysis, and takes in what it holds, if that is of the same database.
    pub(crate) fn open(
        folder: &Path,
        identity: &Identity,
        empty: Analysis,
        fresh: bool,
    ) -> Result<CountLog, SolveError> {
        let path = folder.join(COUNTS);
        let open = || -> std::io::Result<CountLog> {
            let mut options = std::fs::OpenOptions::new();
            let mut file = options.read(true).write(true).create(true).truncate(false).open(&path)?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Err(std::io::Error::other("another run is using it"));
            }
            if fresh {
                file.set_len(0)?;
            }
            let head = format!("{}\n", json!({ "identity": format!("{identity:?}") }));
            let (mut earlier, mut analysis, mut good) = (HashSet::new(), empty.clone(), 0);
            let mut reader = BufReader::new(&file);
            let mut next = || -> std::io::Result<Option<Vec<u8>>> {
                let mut line = vec![];
                reader.read_until(b'\n', &mut line)?;
                Ok(Some(line).filter(|line| line.ends_with(b"\n")))
            };
            if next()?.is_some_and(|line| line == head.as_bytes()) {
                good = head.len() as u64;
                // A line that was cut short or spoilt ends what can be trusted.
                while let Some((line, (tier, counts))) =
                    next()?.and_then(|l| read(&l).map(|found| (l, found)))
                {
                    good += line.len() as u64;
                    // A tier that was solved again has the same counts again.
                    if earlier.insert(tier) {
                        analysis.add(counts);
                    }
                }
            }
            file.set_len(good)?;
            file.seek(SeekFrom::End(0))?;
            if good == 0 {
                file.write_all(head.as_bytes())?;
            }
            Ok(CountLog { path: path.clone(), earlier, state: Mutex::new((file, analysis)) })
        };
        open().map_err(|error| failed(&path, error))
    }

    /// All counts.
    pub(crate) fn analysis(&self) -> Analysis {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// The counts are elsewhere now.
    pub(crate) fn remove(self) {
        // A file that stays does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Counting for CountLog {
    fn has(&self, tier: Tier) -> bool {
        self.earlier.contains(&tier)
    }

    fn take(&self, tier: Tier, counts: Vec<Count>) -> Result<(), SolveError> {
        let line = serde_json::to_vec(&Line::new(tier, &counts));
        let line = line.map(|line| [line, b"\n".to_vec()].concat());
        let line = line.map_err(|error| failed(&self.path, error.into()))?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.write_all(&line).map_err(|error| failed(&self.path, error))?;
        if !self.earlier.contains(&tier) {
            state.1.add(counts);
        }
        Ok(())
    }
}

/// The counts of a tier as they are written down, and sent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    tier: u64,
    counts: Vec<Entry>,
}

/// One count: value, remoteness, positions, twice the canonical ones, ply, and an example.
type Entry = (Cow<'static, str>, Option<u16>, u64, u64, Option<u16>, Option<String>);

impl Line {
    pub(crate) fn new(tier: Tier, counts: &[Count]) -> Line {
        // Of the examples only the furthest of each kind can matter.
        let mut furthest: HashMap<&str, Option<u16>> = HashMap::new();
        for Count { value, .. } in counts {
            let most = furthest.entry(value.word()).or_default();
            *most = value.remoteness().max(*most);
        }
        let entry = |c: &Count| {
            let (word, remoteness) = (c.value.word(), c.value.remoteness());
            let example = c.example.clone().filter(|_| furthest.get(word) == Some(&remoteness));
            (word.into(), remoteness, c.positions, c.twice_canonical, c.ply, example)
        };
        Line { tier: tier.0, counts: counts.iter().map(entry).collect() }
    }

    /// What it says; `None` where it says what cannot be.
    pub(crate) fn read(self) -> Option<(Tier, Vec<Count>)> {
        let count = |(word, remoteness, positions, twice_canonical, ply, example): Entry| {
            let value = match (&*word, remoteness) {
                ("win", Some(r)) => Value::Win(r),
                ("lose", Some(r)) => Value::Lose(r),
                ("tie", Some(r)) => Value::Tie(r),
                ("draw", None) => Value::Draw,
                _ => return None,
            };
            Some(Count { value, positions, twice_canonical, ply, example })
        };
        Some((Tier(self.tier), self.counts.into_iter().map(count).collect::<Option<_>>()?))
    }
}

fn read(line: &[u8]) -> Option<(Tier, Vec<Count>)> {
    serde_json::from_slice::<Line>(line).ok()?.read()
}
