//! A server on a port of its own, and a client that speaks just enough HTTP.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread::JoinHandle;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value as Json;
use zermelo_cli::serve::{ServeError, Server, ServerSettings, Stopper};

/// A directory that is removed when the test is over.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("zermelo-serve-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn solve(&self, game: &str) {
        self.solve_from(game, None);
    }

    pub(crate) fn solve_from(&self, game: &str, from: Option<&str>) {
        keep(
            &self.0,
            &zermelo::Catalogue::standard().open_all(game, None, None, from).unwrap().swap_remove(0),
        );
    }

    pub(crate) fn solve_margins(&self, game: &str) {
        self.solve_for(game, "margin");
    }

    pub(crate) fn solve_for(&self, game: &str, objective: &str) {
        keep(&self.0, &zermelo::open(game, None, Some(objective)).unwrap());
    }
}

/// Solves a game into a data directory.
fn keep(data: &Path, game: &zermelo_core::Opened) {
    let settings = zermelo::Settings { data: Some(data.into()), ..zermelo::Settings::default() };
    zermelo::solve(game, &settings, &zermelo::Progress::new("solve")).unwrap();
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the settings of `zermelo serve` without options, with a free port of this machine.
pub(crate) fn settings() -> ServerSettings {
    ServerSettings {
        catalogue: zermelo::Catalogue::standard(),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        data: "zermelo-data".into(),
        slices: None,
        memory: zermelo::serve_memory(),
        search_time: Duration::from_secs(1),
        per_client: 100_000,
        concurrency: 512,
        connections: 16_384,
        behind_proxy: false,
        may_solve: true,
        solve_disk: 1 << 30,
        hosts: vec![],
        ui: None,
        quiet: true,
    }
}

/// A server that stops when the test is over.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Running {
    pub(crate) fn start(settings: ServerSettings) -> Running {
        let server = Server::bind(settings).unwrap();
        let (address, stopper) = (server.address(), server.stopper());
        Running { address, stopper, thread: Some(std::thread::spawn(|| server.run())) }
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        Client::new(self.address).get(path)
    }

    /// Asks for an answer that must be 200 and JSON.
    pub(crate) fn json(&self, path: &str) -> Json {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply.json()
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Reply {
        Client::new(self.address).send("POST", path, &[], body.as_bytes())
    }

    /// Returns the number of a line of the metrics.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").text();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map_or(0, |n| n.parse().unwrap())
    }

    /// Asks again until an answer is as wanted; if that never happens, the test has failed.
    pub(crate) fn until<T>(&self, mut ask: impl FnMut(&Running) -> Option<T>) -> T {
        loop {
            if let Some(found) = ask(self) {
                return found;
            }
            std::thread::yield_now();
        }
    }

    pub(crate) fn stop(&self) {
        self.stopper.stop();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.unwrap().unwrap();
            }
        }
    }
}

/// Returns one server with some solved games for all tests that only read.
pub(crate) fn shared() -> &'static Running {
    static SHARED: OnceLock<(Running, File)> = OnceLock::new();
    &SHARED
        .get_or_init(|| {
            let (data, used) = solved_once();
            let settings = ServerSettings { data, search_time: Duration::from_millis(50), ..settings() };
            (Running::start(settings), used)
        })
        .0
}

/// Returns the data directory of the shared server, and a lock that says that the directory is in use. Statics are
/// never dropped, so the directory stays, in the target directory. All tests of one build share it, whether as
/// threads or as processes, and the next build removes it.
fn solved_once() -> (PathBuf, File) {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(place).unwrap();
    let one_at_a_time = File::open(place).unwrap();
    one_at_a_time.lock().unwrap();
    let built = std::fs::metadata(std::env::current_exe().unwrap()).and_then(|file| file.modified()).unwrap();
    let name = format!("serve-{}", built.duration_since(UNIX_EPOCH).unwrap().as_nanos());
    let data = place.join(&name);
    for old in std::fs::read_dir(place).unwrap().flatten() {
        let old_name = old.file_name().into_string().unwrap();
        let unused = || File::open(old.path()).is_ok_and(|folder| folder.try_lock().is_ok());
        if old_name.starts_with("serve-") && old_name != name && unused() {
            std::fs::remove_dir_all(old.path()).unwrap();
        }
    }
    std::fs::create_dir_all(&data).unwrap();
    let used = File::open(&data).unwrap();
    used.lock_shared().unwrap();
    for game in SOLVED {
        // A game that is solved already is only opened.
        let name = game.replacen('/', ":", 1).replace(":default", "");
        keep(&data, &zermelo::open(&name, None, None).unwrap());
    }
    (data, used)
}

/// The games that the shared server has solved; the last is a draw.
pub(crate) const SOLVED: [&str; 5] = [
    "mnk/default",
    "quixo/rows=3,cols=3,line=3",
    "connect4/rows=4,cols=4",
    "quixo/rows=2,cols=3,line=3",
    "othello/rows=4,cols=4",
];

/// A connection.
pub(crate) struct Client(BufReader<TcpStream>);

/// An answer of the server.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Client(BufReader::new(stream))
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        // A server that has refused the head may close before it has the body.
        let _ = self.write(format!("{head}\r\n").as_bytes());
        let _ = self.write(body);
        self.read(method)
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.get_mut().write_all(bytes)
    }

    pub(crate) fn read(&mut self, method: &str) -> Reply {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        let status =
            line.split(' ').nth(1).unwrap_or_else(|| panic!("no status in {line:?}")).parse().unwrap();
        let mut headers = vec![];
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
        }
        let mut reply = Reply { status, headers, body: vec![] };
        if method != "HEAD" {
            if reply.header("transfer-encoding") == Some("chunked") {
                reply.body = self.read_chunks();
                return reply;
            }
            let length = reply.header("content-length").map_or(0, |n| n.parse().unwrap());
            reply.body.resize(length, 0);
            self.0.read_exact(&mut reply.body).unwrap();
        }
        reply
    }

    fn read_chunks(&mut self) -> Vec<u8> {
        let mut body = vec![];
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            let length = usize::from_str_radix(line.trim_end(), 16).unwrap();
            let begin = body.len();
            // Each chunk ends with a line end.
            body.resize(begin + length + 2, 0);
            self.0.read_exact(&mut body[begin..]).unwrap();
            body.truncate(begin + length);
            if length == 0 {
                return body;
            }
        }
    }

    /// Reads until the server closes the connection.
    pub(crate) fn wait_for_end(&mut self) {
        let _ = self.0.read_to_end(&mut vec![]);
    }

    /// Whether the server has closed the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.0.fill_buf(), Ok([]) | Err(_))
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// Checks the form that all errors have, and returns the text.
    pub(crate) fn refused(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.json()["error"].as_str().unwrap().to_string()
    }
}
