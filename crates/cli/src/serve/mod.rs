//! The web server: databases over HTTP, for the page, for programs, and for GamesmanUni.
//!
//! A request passes the guard (limits, metrics, log) and is routed. What is in memory is answered at once; reads from
//! a disk and searches go to other threads.

mod answer;
mod api;
mod ask;
mod assets;
mod count;
mod export;
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

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// The games that are served.
    pub catalogue: Catalogue,
    /// The address to listen on; port 0 takes a free port.
    pub listen: SocketAddr,
    /// The data directory.
    pub data: PathBuf,
    /// The place of published files of Pentago besides the data directory: a folder, or an `http://` or `https://`
    /// address.
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
    /// Whether a proxy names the client.
    pub behind_proxy: bool,
    /// Whether small variants may be solved on request.
    pub may_solve: bool,
    /// Bytes of disk that variants solved on request may fill.
    pub solve_disk: u64,
    /// Names that the server is known by, besides `localhost` and the address it listens on.
    pub hosts: Vec<String>,
    /// The folder that the page is read from; `None` for the built-in page.
    pub ui: Option<PathBuf>,
    /// Whether requests are not logged.
    pub quiet: bool,
}

/// The state that all requests share.
struct App {
    settings: ServerSettings,
    library: Arc<games::Library>,
    hosts: hosts::Hosts,
    metrics: metrics::Metrics,
    clients: limits::Clients,
    /// The gate for requests being worked on.
    working: limits::Gate,
    /// The threads for look-ups that read a disk.
    reading: limits::Pool,
    /// The threads for look-ups in published files, which may be on another machine.
    publishing: limits::Pool,
    /// The threads for searches of positions without a table.
    searching: limits::Pool,
    /// The threads for searches of a position with all its moves at once. The engine makes one such search at a time,
    /// with all threads. The other places are for searches that the engine refuses at once.
    examining: limits::Pool,
    /// The threads for draws of random positions, which may take long.
    drawing: limits::Pool,
    /// The threads that open variants and check whether their files have changed. No other work may delay them.
    opening: limits::Pool,
    /// The threads that make rows of exports.
    exporting: limits::Pool,
    /// Answers that clients have not taken yet.
    outgoing: outgoing::Outgoing,
    /// Whether positions of a variant are being counted.
    counting: AtomicBool,
    solver: solve::Solver,
    log: Option<log::Log>,
}

/// The requests that may wait for a disk to open something, besides one for each core.
const OPENING: usize = 16;
/// The exports that are made at once. Each is as long as its client takes to read it.
const EXPORTS: usize = 4;

/// Returns the number of threads that the pools of a machine with `cores` cores take when all are at work.
fn pool_threads(cores: usize) -> usize {
    // Reading, publishing, searching, examining, drawing, opening, exporting and packing; see `App::new`.
    2 * cores + 2 * cores + cores + 4 + cores + (OPENING + cores) + EXPORTS + cores
}

/// Lowers the priority of this thread below that of the threads that answer requests. Where those are idle, nothing
/// is lost.
fn lower_priority() {
    /// The step in the scale of `nice`: a third of the share of a thread with the usual priority.
    const LESS: i32 = 5;
    let this = Some(rustix::thread::gettid());
    // Where the system does not allow the change, answers may take longer on a busy machine.
    let _ = rustix::process::getpriority_process(this)
        .and_then(|now| rustix::process::setpriority_process(this, now + LESS));
}

impl App {
    fn new(settings: ServerSettings) -> Result<Arc<App>, ServeError> {
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
            exporting: limits::Pool::new(EXPORTS, EXPORTS),
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
