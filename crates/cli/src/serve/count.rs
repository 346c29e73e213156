//! The counts of all positions of a variant, worked out in the background once somebody asks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use axum::body::Bytes;
use zermelo_core::Unpoisoned;

use super::App;
use super::refusal::{Refusal, Result};
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

impl App {
    /// The counts as JSON; `None` while they are being worked out.
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
        // One counting at a time: each may take memory and both cores. While another variant has the turn, this one is
        // asked for again.
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
