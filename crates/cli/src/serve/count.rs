//! The counts of all positions of a variant, computed in the background after the first request for them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use axum::body::Bytes;
use zermelo_core::Unpoisoned;

use super::App;
use super::refusal::{Refusal, Result};
use super::variant::{State, Variant};
use zermelo::{Progress, Settings, analyze};

/// The state of the counting of one variant.
#[derive(Default)]
pub(crate) enum Counted {
    /// No client has asked.
    #[default]
    Not,
    /// The counting is under way.
    Now,
    /// The counts, as JSON.
    Done(Bytes),
    /// Why there are no counts.
    Failed(String),
}

impl App {
    /// Returns the counts as JSON; `None` while they are being computed.
    pub(crate) fn counts(self: &Arc<Self>, variant: &Arc<Variant>) -> Result<Option<Bytes>> {
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
        // One counting at a time, because each takes memory and time. A client that asks while another variant is
        // counted gets `None`, and asks again.
        if !self.counting.swap(true, SeqCst) {
            let (app, own) = (self.clone(), variant.clone());
            let spawned = std::thread::Builder::new().name("count".into()).spawn(move || {
                *own.counted.lock().unpoisoned() = count(&app, &own);
                app.counting.store(false, SeqCst);
            });
            if let Err(error) = spawned {
                self.counting.store(false, SeqCst);
                return Err(Refusal::busy(format!("no thread for the counting: {error}")));
            }
            *counted = Counted::Now;
        }
        Ok(None)
    }
}

fn count(app: &App, variant: &Variant) -> Counted {
    super::lower_priority();
    let settings = Settings { memory: app.settings.memory / 4, threads: 1, ..Settings::default() };
    let Some(database) = &variant.database else { return Counted::Not };
    let work = || analyze(variant.game(), database, &settings, &Progress::new("count"));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(analysis)) => Counted::Done(analysis.json(variant.game().unit).to_string().into()),
        Ok(Err(error)) => Counted::Failed(error.to_string()),
        Err(_) => Counted::Failed("the counting met a fault in zermelo; please report it".into()),
    }
}
