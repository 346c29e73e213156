//! Answers questions about positions. What is in memory is answered at once. Each later stage of an answer has a pool
//! of threads of its own, so that long work does not keep other clients waiting.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use zermelo::{Budget, Found, Query, Stage};
use zermelo_core::{AskError, Limits, Position};

use super::App;
use super::limits::{NotDone, Pool};
use super::refusal::Result;
use super::variant::Variant;

/// How long the positions of one request may be looked up: a little less than a request may take.
const LOOK_UP: Duration = Duration::from_secs(9);

/// How long a search for one question may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// When the answer is wanted. The wait for a place in the pool counts.
    until: Instant,
    /// Whether an engine may look at all moves of a position at once, however long that takes.
    all_moves: bool,
}

impl Search {
    /// Returns this search with an earlier end, too early for all moves at once.
    pub(crate) fn shortened(self, until: Instant) -> Search {
        Search { until: self.until.min(until), all_moves: false }
    }
}

impl App {
    /// Returns a variant by name. A variant that is not open is opened on another thread.
    pub(crate) async fn variant(self: &Arc<Self>, game: &str, id: &str) -> Result<Arc<Variant>> {
        if let Some(variant) = self.library.ready(game, id) {
            return Ok(variant);
        }
        let (app, game, id) = (self.clone(), game.to_string(), id.to_string());
        self.opening.run(move || app.library.get(&game, &id)).await?
    }

    /// Returns a search as long as this server allows.
    pub(crate) fn search(&self) -> Search {
        Search {
            until: Instant::now() + self.settings.search_time,
            all_moves: !self.settings.search_time.is_zero(),
        }
    }

    /// Finds a position's values and moves, and their margins or nimbers where these are solved.
    pub(crate) async fn ask(&self, variant: &Arc<Variant>, at: Position, search: Search) -> Result<Found> {
        let budget = Budget {
            time: self.settings.search_time,
            memory: self.search_memory(),
            // A running solve takes this half of the memory.
            whole: if search.all_moves && !self.is_solving() { self.settings.memory / 2 } else { 0 },
        };
        let mut query = variant.answers.begin(at, budget)?;
        let cold = query.stage() == Stage::Disk && variant.database.is_some();
        if cold { &self.metrics.cold } else { &self.metrics.warm }.fetch_add(1, Relaxed);
        while query.stage() != Stage::Done {
            query = self.step(variant, query, search).await?;
        }
        Ok(query.found()?)
    }

    /// Does one stage of an answer in the pool of that stage.
    async fn step(&self, variant: &Arc<Variant>, mut query: Query, search: Search) -> Result<Query> {
        let stage = query.stage();
        let (owner, mut stepped) = (variant.clone(), query.clone());
        let work = move |time: Option<Duration>| -> Result<Query, AskError> {
            stepped.budget.time = time.unwrap_or(stepped.budget.time);
            owner.answers.step(&mut stepped)?;
            Ok(stepped)
        };
        if matches!(stage, Stage::Whole | Stage::Search) {
            self.metrics.searched.fetch_add(1, Relaxed);
        }
        let done = match stage {
            Stage::Search => self.searching.run_until(search.until, move |time| work(Some(time))).await,
            stage => self.pool(stage).run(move || work(None)).await,
        };
        match done {
            Ok(stepped) => Ok(stepped?),
            // Without a place in the pool, the answer has what the other stages find.
            Err(NotDone::NoPlace) if matches!(stage, Stage::Files | Stage::Whole | Stage::Search) => {
                variant.answers.skip(&mut query)?;
                Ok(query)
            }
            Err(why) => Err(why.into()),
        }
    }

    /// Returns the pool of threads for a stage.
    fn pool(&self, stage: Stage) -> &Pool {
        match stage {
            Stage::Files => &self.publishing,
            Stage::Whole => &self.examining,
            Stage::Search => &self.searching,
            _ => &self.reading,
        }
    }

    /// Looks positions up, within a time. A variant with published files uses the threads for published files, so
    /// that a slow machine with files does not delay look-ups in databases.
    pub(crate) async fn look_up<T: Send + 'static>(
        &self,
        variant: &Arc<Variant>,
        work: impl FnOnce(&Variant, Instant) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (owner, until) = (variant.clone(), Instant::now() + LOOK_UP);
        let work = move |_| work(&owner, until);
        self.looking(variant, &self.reading).run_until(until, work).await?
    }

    /// Returns the threads for published files if a variant has such files, or else `others`.
    pub(crate) fn looking<'a>(&'a self, variant: &Variant, others: &'a Pool) -> &'a Pool {
        if variant.answers.slices.is_some() { &self.publishing } else { others }
    }

    /// Returns what else the game has to say of a position; `None` when the note was not found in time.
    pub(crate) async fn note(
        &self,
        variant: &Arc<Variant>,
        at: Position,
        search: Search,
    ) -> Result<Option<Option<String>>> {
        if self.settings.search_time.is_zero() {
            return Ok(Some(None));
        }
        if let Some(note) = variant.answers.noted(at) {
            return Ok(Some(note));
        }
        let (variant, memory) = (variant.clone(), self.search_memory());
        let look = move |time| variant.answers.note(at, Limits { time, memory });
        match self.searching.run_until(search.until, look).await {
            // Without a place in the pool there is no note.
            Err(NotDone::NoPlace) => Ok(None),
            note => Ok(note?),
        }
    }

    /// Returns the bytes of memory for the search of one position.
    fn search_memory(&self) -> u64 {
        (self.settings.memory / 16).min(256 << 20)
    }
}

#[cfg(test)]
mod tests {
    use zermelo_core::{Board, Complaint, Opened, Oracle, Report, Tables, Value};

    use super::*;
    use crate::serve::ServerSettings;

    /// A game whose searches panic.
    struct Faulty(Opened);

    impl Oracle for Faulty {
        fn parse(&self, text: &str) -> Result<Position, Complaint> {
            self.0.oracle().parse(text)
        }
        fn text(&self, position: Position) -> String {
            self.0.oracle().text(position)
        }
        fn start(&self) -> Position {
            self.0.oracle().start()
        }
        fn follow(&self, position: Position, moves: &str) -> Result<Position, Complaint> {
            self.0.oracle().follow(position, moves)
        }
        fn value(&self, position: Position, tables: &dyn Tables) -> Result<Option<Value>, AskError> {
            self.0.oracle().value(position, tables)
        }
        fn report(&self, position: Position, tables: &dyn Tables) -> Result<Report, AskError> {
            self.0.oracle().report(position, tables)
        }
        fn moves(&self, position: Position) -> Result<Report, AskError> {
            self.0.oracle().moves(position)
        }
        fn search(&self, _: Position, _: Limits) -> Option<Value> {
            panic!("on purpose")
        }
        fn search_each(&self, _: &[Position], _: Limits) -> Vec<Option<Value>> {
            panic!("on purpose")
        }
        fn examine(&self, _: Position, _: Limits) -> Result<Option<Report>, AskError> {
            Ok(None)
        }
        fn examine_bytes(&self, _: Position) -> Option<u64> {
            None
        }
        fn has_notes(&self) -> bool {
            true
        }
        fn note(&self, _: Position, _: Limits) -> Option<String> {
            panic!("on purpose")
        }
        fn board(&self) -> Board {
            self.0.oracle().board()
        }
    }

    /// A server without databases, and a variant whose searches panic.
    fn faulty() -> (Arc<App>, Arc<Variant>) {
        let settings = ServerSettings {
            catalogue: zermelo::Catalogue::standard(),
            listen: std::net::SocketAddr::from(([127, 0, 0, 1], 0)),
            data: std::env::temp_dir().join("zermelo-no-such-folder"),
            slices: None,
            memory: 1 << 30,
            search_time: Duration::from_secs(1),
            per_client: 0,
            concurrency: 8,
            connections: 8,
            behind_proxy: false,
            may_solve: false,
            solve_disk: 0,
            hosts: vec![],
            ui: None,
            quiet: true,
        };
        let app = App::new(settings).unwrap_or_else(|error| panic!("{error}"));
        let card = app.library.card("mnk").expect("a game");
        let mut variant = app.library.open(card, "default".into()).expect("a variant");
        variant.answers.game.oracle = Box::new(Faulty(zermelo::open("mnk", None, None).expect("a game")));
        (app, Arc::new(variant))
    }

    #[test]
    fn a_fault_is_an_error_and_no_lack_of_places() {
        let (app, variant) = faulty();
        let start = variant.game().oracle().start();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let asked = runtime.block_on(app.ask(&variant, start, app.search()));
        assert_eq!(asked.err().map(|refusal| refusal.status.as_u16()), Some(500));
        let noted = runtime.block_on(app.note(&variant, start, app.search()));
        assert_eq!(noted.err().map(|refusal| refusal.status.as_u16()), Some(500));
        let late = app.search().shortened(Instant::now());
        let skipped = runtime.block_on(app.ask(&variant, start, late)).expect("what is known without");
        assert_eq!(skipped.report.value, None);
    }
}
