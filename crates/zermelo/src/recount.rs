//! Whether the counts that a database keeps are right.
//!
//! Where tables cannot be brought back tier by tier, positions are counted while they are solved, and the manifest keeps
//! the counts. They are compared with those of a second solve, which reads nothing of the database. Whoever has found
//! that every stored value follows from its children's knows that its tables hold the values that the second
//! solve counts.

use std::collections::BTreeSet;

use zermelo_core::{Opened, Unit};

use crate::analyze::WORDS;
use crate::coordinator::bytes;
use crate::counts;
use crate::{
    Analysis, Database, Progress, Result, Settings, SolveError, ValueCounts, row_name, solve_and_count,
};

/// The most differences that are told.
const TOLD: usize = 5;

/// The result of a check of the counts that a database keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptCounts {
    /// The database keeps no counts: they are made from its tables when somebody asks.
    None,
    /// The counts are right.
    Right,
    /// The counts are wrong; the first few differences.
    Wrong(Vec<String>),
    /// The counts were not checked; why, and what to do.
    Unchecked(String),
}

/// Counts the positions of a solved game anew, and compares with the counts that its database keeps.
pub fn check_counts(
    game: &Opened,
    database: &Database,
    settings: &Settings,
    progress: &Progress,
) -> Result<KeptCounts> {
    if !database.is_complete() {
        return Err(SolveError::NotFinished);
    }
    if !database.keeps_counts() {
        return Ok(KeptCounts::None);
    }
    let summary = &database.reader().summary()["analysis"];
    let alone = Settings { data: None, resume: None, fresh: false, check: None, ..settings.clone() };
    let counted = match solve_and_count(game, &alone, progress) {
        Ok((_, counted)) => counted,
        Err(error) => {
            let &SolveError::Memory { need, limit, .. } = error.unnamed() else { return Err(error) };
            let (need, limit) = (bytes(need), bytes(limit));
            let why = format!(
                "to count anew takes {need} of memory at least, and the limit is {limit}: give more with --memory"
            );
            return Ok(KeptCounts::Unchecked(why));
        }
    };
    let wrong = differences(game, database, summary, &counted);
    Ok(if wrong.is_empty() { KeptCounts::Right } else { KeptCounts::Wrong(wrong) })
}

/// In what a manifest's counts are others than those that were found.
fn differences(
    game: &Opened,
    database: &Database,
    summary: &serde_json::Value,
    counted: &Analysis,
) -> Vec<String> {
    let unit = game.unit;
    let found = counted.json(unit);
    let read = Analysis::of_summary;
    let (Some(kept), Some(counted)) = (read(summary), read(&found)) else {
        return vec!["what the manifest has cannot be read".into()];
    };
    let mut wrong = vec![];
    for (key, what) in [("positions", "positions"), ("canonical_positions", "positions up to symmetry")] {
        if summary[key] != found[key] {
            wrong.push(format!("{what}: kept {}, counted {}", summary[key], found[key]));
        }
    }
    compare(&mut wrong, "positions", kept.counts(), counted.counts(), unit);
    compare(
        &mut wrong,
        "positions up to symmetry",
        Some(&kept.canonical()),
        Some(&counted.canonical()),
        unit,
    );
    let plies: BTreeSet<_> = kept.plies.keys().chain(counted.plies.keys()).collect();
    for ply in plies {
        let what = format!("positions at ply {ply}");
        compare(&mut wrong, &what, kept.plies.get(ply), counted.plies.get(ply), unit);
    }
    examples(&mut wrong, game, database, &kept, &counted);
    wrong.truncate(TOLD);
    wrong
}

/// Tells of the rows of a table of counts that differ.
fn compare(
    wrong: &mut Vec<String>,
    what: &str,
    kept: Option<&ValueCounts>,
    counted: Option<&ValueCounts>,
    unit: Unit,
) {
    let none = ValueCounts::default();
    let (kept, counted) = (kept.unwrap_or(&none), counted.unwrap_or(&none));
    if kept == counted {
        return;
    }
    for word in WORDS {
        for r in 0..=kept.longest().max(counted.longest()) {
            let (here, there) = (kept.at(word, r), counted.at(word, r));
            if here != there {
                let row = row_name(r, unit);
                wrong.push(format!("{what}, {word} {row}: kept {here}, counted {there}"));
            }
        }
    }
    if kept.draw != counted.draw {
        wrong.push(format!("{what}, draw: kept {}, counted {}", kept.draw, counted.draw));
    }
}

/// Tells of examples of the longest values that are none. Of several one is as good as another.
fn examples(
    wrong: &mut Vec<String>,
    game: &Opened,
    database: &Database,
    kept: &Analysis,
    counted: &Analysis,
) {
    for word in WORDS {
        let (here, there) = (kept.longest.get(word), counted.longest.get(word));
        if here == there {
            continue;
        }
        let good = match (here, there) {
            (Some((r, position)), Some((most, _))) => {
                let value = |at| game.oracle().value(at, database).ok().flatten();
                let at = game.oracle().parse(position).ok();
                r == most && at.is_some() && at.and_then(value) == counts::value(word, Some(*r))
            }
            _ => false,
        };
        if !good {
            let told = |example: Option<&(u16, String)>| {
                example.map_or("none".into(), |(r, position)| format!("{position} ({r})"))
            };
            wrong.push(format!("longest {word}: kept {}, counted {}", told(here), told(there)));
        }
    }
}
