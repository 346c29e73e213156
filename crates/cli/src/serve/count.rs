//! The counts of all positions of a variant, worked out in the background once somebody asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use axum::body::Bytes;
use zermelo_core::Unpoisoned;

use super::App;
use super::refusal::Refusal;
use super::variant::{State, Variant};
use zermelo::{Progress, Settings, analyze};

/// How far the counting of one variant is.
#[derive(Default)]
pub(crate) enum Counted {
    /// Nobody asked.
    #[default]
    Not,
    /// It is under way.
    Now,
    /// The answer.
    Done(Bytes),
    /// Why there is none.
    Failed(String),
}

/// One counting at a time: each may take memory and both cores.
#[derive(Default)]
pub(crate) struct Counter(AtomicBool);

/// Gives the turn back, also when the work panics.
struct Turn(Arc<App>, Arc<Variant>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.counting.0.store(false, SeqCst);
        let mut counted = self.1.counted.lock().unpoisoned();
        if matches!(*counted, Counted::Now) {
            *counted = Counted::Failed("the counting met a fault in zermelo; please report it".into());
        }
    }
}

impl App {
    /// The counts as JSON; `None` while they are being worked out.
    pub(crate) fn counts(self: &Arc<Self>, variant: &Arc<Variant>) -> Result<Option<Bytes>, Refusal> {
        match variant.state() {
            State::Solved => {}
            State::Begun => {
                return Err(Refusal::conflict("this variant is not solved to the end yet; solve it first"));
            }
            State::Unsolved => return Err(Refusal::missing("this variant has no database; solve it first")),
        }
        let mut counted = variant.counted.lock().unpoisoned();
        match &*counted {
            Counted::Done(json) => return Ok(Some(json.clone())),
            Counted::Failed(why) => return Err(Refusal::broken(why.clone())),
            Counted::Now => return Ok(None),
            Counted::Not => {}
        }
        // While another variant has the turn, this one is asked for again.
        if !self.counting.0.swap(true, SeqCst) {
            *counted = Counted::Now;
            drop(counted);
            let turn = Turn(self.clone(), variant.clone());
            // Without a thread the turn ends at once, and the next to ask tries again.
            let spawned = std::thread::Builder::new().name("count".into()).spawn(move || count(turn));
            if let Err(error) = spawned {
                *variant.counted.lock().unpoisoned() = Counted::Not;
                return Err(Refusal::busy(format!("no thread for the counting: {error}")));
            }
        }
        Ok(None)
    }
}

fn count(turn: Turn) {
    super::lower_priority();
    let Turn(app, variant) = &turn;
    let settings = Settings { memory: app.settings.memory / 4, threads: 1, ..Settings::default() };
    let Some(database) = &variant.database else { return };
    let result = analyze(variant.game(), database, &settings, &Progress::new("count"));
    *variant.counted.lock().unpoisoned() = match result {
        Ok(analysis) => Counted::Done(analysis.json(variant.game().unit).to_string().into()),
        Err(error) => Counted::Failed(error.to_string()),
    };
}
