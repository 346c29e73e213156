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
mod hosts;
mod limits;
mod listen;
mod log;
mod metrics;
mod names;
mod openapi;
mod openings;
mod outgoing;
mod query;
mod quota;
mod refusal;
mod reply;
mod router;
mod solve;
mod status;
mod uwapi;
mod variant;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use zermelo::{Catalogue, Slices};

pub(crate) use answer::Worth;
pub use listen::{ServeError, Server, Stopper};

/// How to serve.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The games that are served.
    pub catalogue: Catalogue,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where the databases are.
    pub data: PathBuf,
    /// Where published files of Pentago are, a folder or an `http://` or `https://` address, besides the data directory.
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
    /// Bytes of disk that variants solved on request may fill.
    pub solve_disk: u64,
    /// Names that the server is known by, besides `localhost` and the address it listens on.
    pub hosts: Vec<String>,
    /// Where the page is read from; none for the built-in one.
    pub ui: Option<PathBuf>,
    /// Whether requests go unlogged.
    pub quiet: bool,
}

/// Everything that requests share.
struct App {
    settings: Settings,
    library: Arc<games::Library>,
    hosts: hosts::Hosts,
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
    /// Answers that clients have not taken yet.
    outgoing: outgoing::Outgoing,
    /// Whether positions of a variant are being counted.
    counting: AtomicBool,
    solver: solve::Solver,
    log: Option<log::Log>,
}

/// Requests that may wait for a disk to open something, besides one a core.
const OPENING: usize = 16;

/// Threads for the pools of a machine with so many cores, all at work at once.
fn pool_threads(cores: usize) -> usize {
    // Reading, publishing, searching, examining, drawing, opening and packing; see `App::new`.
    2 * cores + 2 * cores + cores + 4 + cores + (OPENING + cores) + cores
}

/// Lets the threads that answer requests go before this one. That is no loss where they are idle.
fn lower_priority() {
    /// As `nice` counts: a third of the share of a thread that has not given way.
    const LESS: i32 = 5;
    let this = Some(rustix::thread::gettid());
    // Where the system does not allow it, answers may take longer on a busy machine.
    let _ = rustix::process::getpriority_process(this)
        .and_then(|now| rustix::process::setpriority_process(this, now + LESS));
}

impl App {
    fn new(settings: Settings) -> Result<Arc<App>, ServeError> {
        let cores = zermelo::cores().1;
        let (given, cache) = (settings.slices.as_deref(), settings.memory / 8);
        let slices = Slices::of(&settings.data, given, cache as usize).map_err(ServeError::Slices)?;
        let slices = Arc::new(slices);
        let library = games::Library::new(
            settings.catalogue,
            settings.data.clone(),
            slices,
            settings.memory,
            settings.may_solve,
        );
        Ok(Arc::new(App {
            library: Arc::new(library),
            hosts: hosts::Hosts::new(settings.listen.ip(), &settings.hosts),
            metrics: metrics::Metrics::new(&router::paths()),
            clients: limits::Clients::new(settings.per_client),
            working: limits::Gate::new(settings.concurrency),
            reading: limits::Pool::new(cores * 2, settings.concurrency),
            publishing: limits::Pool::new(cores * 2, 64),
            searching: limits::Pool::new(cores, 16),
            examining: limits::Pool::new(4, 16),
            drawing: limits::Pool::new(cores, 8),
            opening: limits::Pool::new(OPENING + cores, settings.concurrency),
            outgoing: outgoing::Outgoing::new(
                settings.memory,
                limits::Pool::new(cores, settings.concurrency),
            ),
            counting: AtomicBool::new(false),
            solver: solve::Solver::default(),
            log: if settings.quiet { None } else { Some(log::Log::start().map_err(ServeError::Threads)?) },
            settings,
        }))
    }
}
