//! The web server: databases over HTTP, for the page, for programs, and for GamesmanUni.
//!
//! A request passes the guard (limits, metrics, log), is routed, and is answered from what is
//! in memory on the spot; what has to be read from a disk or searched for goes to other threads.

mod answer;
mod api;
mod ask;
mod assets;
mod count;
mod games;
mod guard;
mod limits;
mod listen;
mod log;
mod metrics;
mod names;
mod openapi;
mod query;
mod random;
mod refusal;
mod reply;
mod router;
mod solve;
mod status;
mod uwapi;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use zermelo_core::Complaint;

use crate::Slices;

pub use listen::{ServeError, Server, Stopper};

/// How to serve.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where the databases are.
    pub data: PathBuf,
    /// Where published files of Pentago are, a folder or an `http://` address, besides the data directory.
    pub slices: Option<String>,
    /// Bytes for tables, searches and solves.
    pub memory: u64,
    /// How long to search a position that has no table.
    pub search_time: Duration,
    /// Requests a second that one client may make; 0 for no limit.
    pub per_client: u32,
    /// Requests to work on at once.
    pub concurrency: usize,
    /// Connections to hold open at once.
    pub connections: usize,
    /// Whether a proxy tells who the client is.
    pub behind_proxy: bool,
    /// Whether small variants may be solved on request.
    pub may_solve: bool,
    /// Where the page is read from; none for the built-in one.
    pub ui: Option<PathBuf>,
    /// Whether requests go unlogged.
    pub quiet: bool,
}

impl Default for Settings {
    /// A free port of this machine, and what `zermelo serve` does without options.
    fn default() -> Self {
        Settings {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            data: "zermelo-data".into(),
            slices: None,
            memory: crate::serve_memory(),
            search_time: Duration::from_secs(1),
            per_client: 100_000,
            concurrency: 512,
            connections: 16_384,
            behind_proxy: false,
            may_solve: true,
            ui: None,
            quiet: true,
        }
    }
}

/// Everything that requests share.
struct App {
    settings: Settings,
    library: games::Library,
    metrics: metrics::Metrics,
    clients: limits::Clients,
    /// Requests being worked on.
    working: limits::Gate,
    /// Look-ups that read a disk.
    reading: limits::Pool,
    /// Look-ups in published files, which may be on another machine.
    publishing: limits::Pool,
    /// Searches for positions without a table.
    searching: limits::Pool,
    /// Searches of a position with all its moves at once. The engine makes one at a time, with all threads; the
    /// other places are for those that it refuses on the spot.
    examining: limits::Pool,
    /// Draws of random positions, which may take long.
    drawing: limits::Pool,
    /// Opening variants, and looking whether their files have changed: nothing may hold it up.
    opening: limits::Pool,
    counting: count::Counter,
    solver: solve::Solver,
    log: Option<log::Log>,
}

impl App {
    fn new(settings: Settings) -> Result<Arc<App>, Complaint> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let (given, cache) = (settings.slices.as_deref(), settings.memory / 8);
        let slices = Arc::new(Slices::of(&settings.data, given, cache as usize)?);
        let library = games::Library::new(settings.data.clone(), slices, settings.memory, settings.may_solve);
        Ok(Arc::new(App {
            library,
            metrics: metrics::Metrics::new(&router::paths()),
            clients: limits::Clients::new(settings.per_client),
            working: limits::Gate::new(settings.concurrency),
            reading: limits::Pool::new(cores * 2, settings.concurrency),
            publishing: limits::Pool::new(cores * 2, 64),
            searching: limits::Pool::new(cores, 16),
            examining: limits::Pool::new(4, 16),
            drawing: limits::Pool::new(1, 8),
            opening: limits::Pool::new(cores, settings.concurrency),
            counting: count::Counter::default(),
            solver: solve::Solver::default(),
            log: (!settings.quiet).then(log::Log::start),
            settings,
        }))
    }
}
