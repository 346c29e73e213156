//! Counts of positions while a game is being solved: one line a tier in a file beside the
//! tables, each with a checksum, so that a killed run loses none. A finished database has them
//! in its manifest. The file is drawn in `docs/reference/format-scratch.md`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use serde::{Deserialize, Serialize};
use serde_json::json;
use zermelo_core::{Count, Tier, Unpoisoned, Value};
use zermelo_store::Identity;

use crate::coordinator::Counting;
use crate::{Analysis, Result, SolveError};

/// The name of the file.
pub(crate) const COUNTS: &str = "counts.log";
/// The form of the file.
const FORMAT: u32 = 1;
/// No record is longer.
const LONGEST: u64 = 1 << 24;
/// A checksum in a line: eight hexadecimal digits and a space.
const CRC: usize = 9;

/// The counts so far, and the file they are kept in.
pub(crate) struct CountLog {
    path: PathBuf,
    form: Form,
    state: Mutex<State>,
}

struct State {
    file: File,
    /// The tiers that are counted.
    tiers: HashSet<Tier>,
    analysis: Analysis,
}

/// How the lines of the file of one database look. The head says which database that is. Each record has a checksum of
/// the head and itself, so a record of another database is none.
struct Form {
    head: String,
    /// What has seen the head.
    hasher: crc32fast::Hasher,
}

fn failed(path: &Path, reason: impl Display) -> SolveError {
    SolveError::Counts { file: path.display().to_string(), reason: reason.to_string() }
}

impl Form {
    fn of(identity: &Identity) -> Form {
        let head = format!("{}\n", json!({ "format": FORMAT, "identity": identity }));
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(head.as_bytes());
        Form { head, hasher }
    }

    /// The checksum of a record, as it stands before it.
    fn crc(&self, record: &[u8]) -> String {
        let mut hasher = self.hasher.clone();
        hasher.update(record);
        format!("{:08x} ", hasher.finalize())
    }

    /// The line of a tier.
    fn line(&self, tier: Tier, counts: &[Count]) -> std::io::Result<Vec<u8>> {
        let record = serde_json::to_vec(&Line::new(tier, counts))?;
        Ok([self.crc(&record).as_bytes(), &record, b"\n"].concat())
    }

    /// The inverse of [`Form::line`]; `None` where a line is cut short, spoilt, or of another database.
    fn read(&self, line: &[u8]) -> Option<(Tier, Vec<Count>)> {
        let (crc, record) = line.strip_suffix(b"\n")?.split_at_checked(CRC)?;
        let right = self.crc(record).as_bytes() == crc;
        serde_json::from_slice::<Line>(record).ok().filter(|_| right)?.read()
    }
}

impl State {
    /// Takes in the lines of a file up to the first that is not right, and drops the others with what they say: those
    /// tiers are counted again.
    fn read(mut file: File, form: &Form, mut analysis: Analysis) -> std::io::Result<State> {
        let (mut tiers, mut good, mut line) = (HashSet::new(), 0, vec![]);
        let mut reader = BufReader::new(&file);
        let mut next = |line: &mut Vec<u8>| {
            line.clear();
            reader.by_ref().take(LONGEST).read_until(b'\n', line)
        };
        next(&mut line)?;
        if line == form.head.as_bytes() {
            good = line.len() as u64;
            next(&mut line)?;
            while let Some((tier, counts)) = form.read(&line) {
                good += line.len() as u64;
                // A record may be there twice.
                if tiers.insert(tier) {
                    analysis.add(counts);
                }
                next(&mut line)?;
            }
        }
        file.set_len(good)?;
        file.seek(SeekFrom::End(0))?;
        if good == 0 {
            file.write_all(form.head.as_bytes())?;
        }
        Ok(State { file, tiers, analysis })
    }
}

impl CountLog {
    /// Opens the file in a folder, to add to an empty analysis, and takes in what it holds, if that is of the same database.
    pub(crate) fn open(folder: &Path, identity: &Identity, empty: Analysis, fresh: bool) -> Result<CountLog> {
        let (path, form) = (folder.join(COUNTS), Form::of(identity));
        let open = || -> std::io::Result<State> {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false);
            let file = zermelo_store::open_plain_with(&mut options, &path)?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Err(ErrorKind::ResourceBusy.into());
            }
            if fresh {
                file.set_len(0)?;
            }
            State::read(file, &form, empty)
        };
        let opened = open().map_err(|error| match error.kind() {
            ErrorKind::ResourceBusy => failed(&path, "another run is using it"),
            _ => failed(&path, format!("{error} (it may be removed: positions are then counted again)")),
        });
        Ok(CountLog { state: Mutex::new(opened?), path, form })
    }

    /// All counts.
    pub(crate) fn analysis(&self) -> Analysis {
        self.state().analysis.clone()
    }

    /// The counts are elsewhere now.
    pub(crate) fn remove(self) {
        // A file that stays does no harm.
        let _ = std::fs::remove_file(&self.path);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unpoisoned()
    }
}

impl Counting for CountLog {
    fn has(&self, tier: Tier) -> bool {
        self.state().tiers.contains(&tier)
    }

    fn take(&self, tier: Tier, counts: Vec<Count>) -> Result<()> {
        let write = |state: &mut State| state.file.write_all(&self.form.line(tier, &counts)?);
        let mut state = self.state();
        // A tier that is solved again has the same counts again.
        if !state.tiers.contains(&tier) {
            write(&mut state).map_err(|error| failed(&self.path, error))?;
            state.tiers.insert(tier);
            state.analysis.add(counts);
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
            Some(Count { value: value(&word, remoteness)?, positions, twice_canonical, ply, example })
        };
        Some((Tier(self.tier), self.counts.into_iter().map(count).collect::<Option<_>>()?))
    }
}

/// The value of a word and a number.
pub(crate) fn value(word: &str, number: Option<u16>) -> Option<Value> {
    match (word, number) {
        ("win", Some(n)) => Some(Value::Win(n)),
        ("lose", Some(n)) => Some(Value::Lose(n)),
        ("tie", Some(n)) => Some(Value::Tie(n)),
        ("draw", None) => Some(Value::Draw),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
