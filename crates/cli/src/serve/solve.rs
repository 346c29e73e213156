//! Solves a small variant on request, in the background, one at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use serde::Serialize;
use zermelo_core::{Opened, Unpoisoned};

use super::refusal::{Refusal, Result};
use super::variant::{State, Variant};
use super::{App, quota};
use zermelo::{Graph, GraphExtent, Progress, Settings, check_memory, data_folder, solve};

/// The most numbers that all tiers of a small variant together may have: some seconds of work.
const ENTRIES: u64 = 40_000_000;
/// The most tiers that are walked to find out whether a variant is small.
const TIERS: usize = 20_000;

/// The most bytes that a number takes in a table.
const WIDEST: u64 = 2;
/// The most bytes of a small database besides its numbers.
const AROUND: u64 = 1 << 20;

/// The last solve that was asked for.
#[derive(Default)]
pub(crate) struct Solver(Mutex<Option<Job>>);

struct Job {
    game: &'static str,
    id: String,
    progress: Arc<Progress>,
    ended: Option<Result<(), String>>,
}

/// How far the solve of a variant is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    None,
    Solving,
    Solved,
    Failed,
}

/// The progress of a solve.
#[derive(Serialize)]
pub(crate) struct Solving {
    pub(crate) state: Stage,
    done: f64,
    tiers: u64,
    all_tiers: u64,
    seconds_left: Option<f64>,
    error: Option<String>,
}

impl Solving {
    fn plain(state: Stage, done: f64) -> Solving {
        Solving { state, done, tiers: 0, all_tiers: 0, seconds_left: None, error: None }
    }
}

/// Returns how many numbers a variant has, if it is small enough to be solved on request within `memory` bytes. The
/// walk stops once the variant is too large: the tiers of a large board are too many to list.
pub(crate) fn small(game: &Opened, memory: u64) -> Option<u64> {
    let Ok(GraphExtent::Whole(graph)) = Graph::within(game, TIERS, ENTRIES) else { return None };
    let fits = check_memory(game, &graph, memory, !game.tiers().filing().by_tier);
    fits.is_ok().then(|| graph.entries())
}

impl App {
    /// Returns the bytes of memory that a solve may take.
    pub(crate) fn solve_memory(&self) -> u64 {
        self.settings.memory / 2
    }

    /// Starts a solve.
    pub(crate) fn start_solve(self: &Arc<Self>, variant: Arc<Variant>) -> Result<Solving> {
        if variant.state() == State::Solved {
            return Ok(Solving::plain(Stage::Solved, 1.0));
        }
        let forbidden = |why: &str| Err(Refusal::new(axum::http::StatusCode::FORBIDDEN, why));
        if !self.settings.may_solve {
            return forbidden("this server solves nothing on request; run `zermelo solve` instead");
        }
        let Some(entries) = variant.small(self.solve_memory()) else {
            return forbidden(
                "this variant is too large to be solved on request; run `zermelo solve` instead",
            );
        };
        let most = entries.saturating_mul(WIDEST).saturating_add(AROUND);
        quota::check(&self.settings.data, self.settings.solve_disk, most)?;
        let mut job = self.solver.0.lock().unpoisoned();
        if let Some(Job { game, id, ended: None, .. }) = &*job {
            return Err(Refusal::conflict(format!("{game}/{id} is being solved; wait until that is done")));
        }
        let progress = Arc::new(Progress::new("solve").remarked(crate::cmd::remark));
        let (game, id) = (variant.card().name, variant.id.clone());
        let (app, shown) = (self.clone(), progress.clone());
        let thread = std::thread::Builder::new().spawn(move || run(&app, &variant, &progress));
        thread.map_err(|error| Refusal::busy(format!("no thread for the solve: {error}")))?;
        *job = Some(Job { game, id, progress: shown, ended: None });
        Ok(Solving::plain(Stage::Solving, 0.0))
    }

    /// Returns the progress of the solve of a variant.
    pub(crate) fn solving(&self, variant: &Variant) -> Solving {
        let job = self.solver.0.lock().unpoisoned();
        let own = job.as_ref().filter(|job| (job.game, &job.id) == (variant.card().name, &variant.id));
        match own {
            Some(Job { progress, ended: None, .. }) => {
                let (tiers, all_tiers) = progress.tiers();
                let (done, seconds_left) = (progress.share(), progress.seconds_left());
                Solving { state: Stage::Solving, done, tiers, all_tiers, seconds_left, error: None }
            }
            Some(Job { ended: Some(Err(error)), .. }) if variant.state() != State::Solved => {
                Solving { error: Some(error.clone()), ..Solving::plain(Stage::Failed, 0.0) }
            }
            _ if variant.state() == State::Solved => {
                let tiers = variant.database.as_ref().map_or(0, |d| d.reader().table_count() as u64);
                Solving { tiers, all_tiers: tiers, ..Solving::plain(Stage::Solved, 1.0) }
            }
            _ => Solving::plain(Stage::None, 0.0),
        }
    }

    /// Whether a solve is under way.
    pub(crate) fn is_solving(&self) -> bool {
        let job = self.solver.0.lock().unpoisoned();
        job.as_ref().is_some_and(|job| job.ended.is_none())
    }
}

fn run(app: &App, variant: &Variant, progress: &Progress) {
    let standard = Settings::default();
    let settings = Settings {
        data: Some(app.settings.data.clone()),
        // One core stays free to answer requests, where there are several.
        threads: (standard.threads - 1).max(1),
        memory: app.solve_memory(),
        ..standard
    };
    super::lower_priority();
    let work = || {
        // If the folder cannot be made, the solve itself reports the error best.
        let data = &app.settings.data;
        let _ = quota::mark(data, &data_folder(data, variant.game()));
        solve(variant.game(), &settings, progress)
    };
    let ended = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the solve met a fault in zermelo; please report it".into()),
    };
    app.library.forget(variant.card().name, &variant.id);
    let mut job = app.solver.0.lock().unpoisoned();
    if let Some(job) = &mut *job {
        job.ended = Some(ended);
    }
}
