//! Counts of positions while a game is being solved: one line a tier in a file beside the
//! tables, so that a killed run loses none. A finished database has them in its manifest.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value as Json, json};
use zermelo_core::{Count, Tier, Value};

use crate::schedule::Counting;
use crate::{Analysis, SolveError};

/// The name of the file.
const COUNTS: &str = "counts.log";

/// The counts so far, and the file they are kept in.
pub(crate) struct CountLog {
    path: PathBuf,
    earlier: HashSet<Tier>,
    state: Mutex<(File, Analysis)>,
}

impl CountLog {
    /// Opens the file in a folder and takes in what it holds.
    pub(crate) fn open(folder: &Path, fresh: bool) -> Result<CountLog, SolveError> {
        let path = folder.join(COUNTS);
        let failed = |e: std::io::Error| SolveError::Counts {
            file: path.display().to_string(),
            reason: e.to_string(),
        };
        let mut options = std::fs::OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(fresh).open(&path).map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let (mut earlier, mut analysis, mut good) = (HashSet::new(), Analysis::default(), 0);
        // A line that was cut short ends what can be trusted.
        for line in text.split_inclusive('\n') {
            let Some((tier, counts)) = line.ends_with('\n').then(|| read(line)).flatten() else { break };
            good += line.len();
            // A tier that was solved again has the same counts again.
            if earlier.insert(tier) {
                analysis.add(counts);
            }
        }
        file.set_len(good as u64).map_err(failed)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).map_err(failed)?;
        Ok(CountLog { path, earlier, state: Mutex::new((file, analysis)) })
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
        let line = format!("{}\n", write(tier, &counts));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |e: std::io::Error| SolveError::Counts {
            file: self.path.display().to_string(),
            reason: e.to_string(),
        };
        state.0.write_all(line.as_bytes()).map_err(failed)?;
        if !self.earlier.contains(&tier) {
            state.1.add(counts);
        }
        Ok(())
    }
}

fn write(tier: Tier, counts: &[Count]) -> Json {
    let count = |c: &Count| {
        json!([c.value.word(), c.value.remoteness(), c.positions, c.twice_canonical, c.ply, c.example])
    };
    json!({ "tier": tier.0, "counts": counts.iter().map(count).collect::<Vec<_>>() })
}

fn read(line: &str) -> Option<(Tier, Vec<Count>)> {
    let json: Json = serde_json::from_str(line).ok()?;
    let small = |json: &Json| u16::try_from(json.as_u64()?).ok();
    let count = |c: &Json| {
        let value = match (c[0].as_str()?, small(&c[1])) {
            ("win", Some(r)) => Value::Win(r),
            ("lose", Some(r)) => Value::Lose(r),
            ("tie", Some(r)) => Value::Tie(r),
            ("draw", None) => Value::Draw,
            _ => return None,
        };
        let (positions, twice_canonical) = (c[2].as_u64()?, c[3].as_u64()?);
        Some(Count {
            value,
            positions,
            twice_canonical,
            ply: small(&c[4]),
            example: c[5].as_str().map(String::from),
        })
    };
    let counts = json["counts"].as_array()?.iter().map(count).collect::<Option<_>>()?;
    Some((Tier(json["tier"].as_u64()?), counts))
}
