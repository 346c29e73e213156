//! The program inside the package: the command line, play in the terminal, and the page.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use zermelo::{Catalogue, no_threads, serve_memory};
use zermelo_cli::serve::{Server, ServerSettings, Stopper};
use zermelo_cli::tui::{Player, Setup};
use zermelo_core::{Complaint, Unpoisoned};

use crate::answers::{OpenVariant, Packed, position};
use crate::fault::{Fault, Told};

/// How long the page searches a position that has no table.
const SEARCH: Duration = Duration::from_secs(5);
/// How often a thread that waits for the page looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(100);

/// Does what the arguments of a command line say, the name of the program first, and returns its exit status.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, args: Vec<OsString>) -> u8 {
    let code = py.detach(|| zermelo_cli::cli::run_with(Catalogue::standard(), args));
    [0, 2].into_iter().find(|status| ExitCode::from(*status) == code).unwrap_or(1)
}

/// Plays in the terminal. The computer has the side that `computer` names (1 or 2), if it names one.
#[pyfunction]
pub(crate) fn play(py: Python<'_>, open: &Bound<'_, OpenVariant>, at: Packed, computer: u8) -> Told<()> {
    let player = |side| match side == computer {
        true => Player::Computer { strength: 1.0 },
        false => Player::Human,
    };
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |t| t.as_nanos() as u64);
    let players = [player(1), player(2)];
    let setup = Setup { position: Some(position(at)?), players, hints: true, seed };
    let answers = &open.get().answers;
    py.detach(|| zermelo_cli::tui::play(answers, setup)).map_err(|error| Fault::Failed(format!("{error:#}")))
}

/// A server of the page, at work until it is stopped.
#[pyclass(frozen, name = "Page", module = "zermelo._zermelo")]
pub(crate) struct Page {
    address: SocketAddr,
    stopper: Stopper,
    thread: Mutex<Option<JoinHandle<Result<(), String>>>>,
}

/// Begins to serve a data directory at an address such as `127.0.0.1:0`; port 0 takes a free one.
#[pyfunction]
pub(crate) fn serve(py: Python<'_>, data: PathBuf, listen: &str) -> Told<Page> {
    let want = || Complaint::new(format!("{listen:?}: want an address and a port, as in 127.0.0.1:8700"));
    let listen = listen.parse::<SocketAddr>().map_err(|_| want())?;
    let settings = ServerSettings {
        catalogue: Catalogue::standard(),
        listen,
        data,
        slices: None,
        memory: serve_memory(),
        search_time: SEARCH,
        per_client: 0,
        concurrency: 64,
        connections: 256,
        behind_proxy: false,
        may_solve: false,
        solve_disk: 0,
        hosts: vec![],
        ui: None,
        quiet: true,
    };
    py.detach(|| {
        let server = Server::bind(settings).map_err(|error| Fault::Failed(error.to_string()))?;
        let (address, stopper) = (server.address(), server.stopper());
        let work = move || server.run().map_err(|error| error.to_string());
        let thread = std::thread::Builder::new().name("zermelo page".into()).spawn(work);
        let thread = thread.map_err(|error| Fault::Failed(no_threads(1, &error)))?;
        Ok(Page { address, stopper, thread: Mutex::new(Some(thread)) })
    })
}

#[pymethods]
impl Page {
    /// The address that the server listens on.
    #[getter]
    fn address(&self) -> String {
        self.address.to_string()
    }

    /// Whether the server is at work.
    #[getter]
    fn running(&self) -> bool {
        self.thread.lock().unpoisoned().as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Stops the server, and waits until its requests are done.
    fn stop(&self, py: Python<'_>) -> Told<()> {
        self.stopper.stop();
        let Some(thread) = self.thread.lock().unpoisoned().take() else { return Ok(()) };
        match py.detach(|| thread.join()) {
            Ok(ended) => ended.map_err(Fault::Failed),
            Err(_) => Err(crate::fault::panicked()),
        }
    }

    /// Waits until the server ends; Ctrl-C stops it.
    fn wait(&self, py: Python<'_>) -> Told<()> {
        while self.running() {
            py.detach(|| std::thread::sleep(LOOK));
            if py.check_signals().is_err() {
                return self.stop(py);
            }
        }
        self.stop(py)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}
