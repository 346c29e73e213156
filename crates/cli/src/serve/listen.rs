//! Accepts connections, keeps slow and idle ones from doing harm, and closes them in good order.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::Write;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime};

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_io_timeout::TimeoutStream;
use tower::Service;
use zermelo_core::Complaint;

use super::guard::Peer;
use super::router::router;
use super::{App, ServerSettings};

/// How long a client may take to begin a request and to send its whole head; an idle connection is closed after this,
/// too.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long a client may take to accept some bytes of an answer.
const WRITE_TIME: Duration = Duration::from_secs(20);
/// How long a connection may last, so that one whose client has stopped reading ends some day.
const LONGEST_LIFE: Duration = Duration::from_secs(600);
/// How long a client may take to close its side. The client may send at most [`UNREAD`] more bytes.
const LINGER: Duration = Duration::from_secs(2);
const UNREAD: usize = 256 * 1024;
/// How long requests in flight may take when the server stops.
const DRAIN: Duration = Duration::from_secs(15);
/// The most bytes of a request's head.
const HEAD_BYTES: usize = 16 * 1024;
/// The most connections that wait to be accepted.
const WAITING: i32 = 4096;
/// The most headers of a request.
const HEADERS: usize = 64;

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}: {reason}; name another address or port with --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        reason: std::io::Error,
    },
    /// The place of the published files cannot be used.
    #[error("{0}")]
    Slices(#[source] Complaint),
    /// The system gives no threads or no signals.
    #[error(
        "cannot start the server's threads: {0}; a higher limit helps (ulimit -u, or TasksMax of systemd)"
    )]
    Threads(std::io::Error),
    /// Answers carry the time, and the clock of this machine shows a time that they cannot carry.
    #[error("the clock of this machine says a time before 1970, which no answer can carry; set the clock")]
    Clock,
}

/// A server that listens.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
    stop: Stopper,
}

/// Stops a server from another thread.
#[derive(Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Lets the server accept no new connections. Open connections finish their requests.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Begins to listen; connections wait until the server runs.
    pub fn bind(settings: ServerSettings) -> Result<Server, ServeError> {
        let address = settings.listen;
        let failed = |reason| ServeError::Listen { address, reason };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        // The standard library lets 128 connections wait, and in a crowd more would be refused.
        rustix::net::listen(&listener, WAITING).map_err(|e| failed(e.into()))?;
        let address = listener.local_addr().map_err(failed)?;
        check_clock(SystemTime::now())?;
        let app = App::new(settings)?;
        Ok(Server { app, listener, address, stop: Stopper(watch::Sender::new(false)) })
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a handle that stops the server.
    pub fn stopper(&self) -> Stopper {
        self.stop.clone()
    }

    /// Serves until the server is stopped and its requests are done.
    pub fn run(self) -> Result<(), ServeError> {
        raise_file_limit();
        // The runtime panics where it does not get its threads.
        let cores = zermelo::cores().1;
        try_threads(cores + 2).map_err(ServeError::Threads)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .max_blocking_threads(super::pool_threads(cores))
            .build()
            .map_err(ServeError::Threads)?;
        let app = self.app.clone();
        let served = runtime.block_on(self.serve());
        if let Some(log) = &app.log {
            log.flush();
        }
        // A search or a count without a waiting client is cut off.
        runtime.shutdown_background();
        served
    }

    /// Serves as [`Server::run`] does; SIGTERM or SIGINT stops the server.
    pub fn run_until_signalled(self) -> Result<(), ServeError> {
        let stop = self.stopper();
        // The handler is ready before the first request: a signal that comes early must not kill the process.
        let (ready, is_ready) = std::sync::mpsc::channel();
        let wait = move || wait_for_signal(&stop, &ready);
        std::thread::Builder::new().spawn(wait).map_err(ServeError::Threads)?;
        is_ready.recv().unwrap_or(Ok(())).map_err(ServeError::Threads)?;
        self.run()
    }

    async fn serve(self) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(ServeError::Threads)?;
        let (app, router) = (self.app.clone(), router(&self.app));
        let most = app.settings.connections;
        let places = Arc::new(Semaphore::new(most));
        let mut stop = self.stop.0.subscribe();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            let Ok((stream, peer)) = accepted else {
                // Most likely the process has no file descriptors left: wait for other connections to close theirs.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            match places.clone().try_acquire_owned() {
                Ok(place) => {
                    let connection = Connection { app: app.clone(), router: router.clone(), place };
                    tokio::spawn(connection.serve(stream, peer.ip(), self.stop.0.subscribe()));
                }
                Err(_) => turn_away(&app, stream),
            }
        }
        drop(listener);
        // When all places are free, all connections are closed.
        let _ = tokio::time::timeout(DRAIN, places.acquire_many(most as u32)).await;
        Ok(())
    }
}

/// The bytes of a connection, with a limit on the time that a write takes.
type Stream = Pin<Box<TimeoutStream<TcpStream>>>;

/// One connection, with its place among all connections.
struct Connection {
    app: Arc<App>,
    router: Router,
    place: OwnedSemaphorePermit,
}

impl Connection {
    async fn serve(self, stream: TcpStream, peer: IpAddr, mut stop: watch::Receiver<bool>) {
        let open = &self.app.metrics.connections;
        open.fetch_add(1, Relaxed);
        // Answers are small and must not wait for more bytes.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIME));
        let router = self.router;
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            let mut router = router.clone();
            // In a box, so that the stream can be taken back from the connection.
            Box::pin(async move {
                Ok::<_, Infallible>(router.call(request).await.unwrap_or_else(|never| match never {}))
            })
        });
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_buf_size(HEAD_BYTES)
            .max_headers(HEADERS)
            // A client that has sent everything may close its side and still wait for the answer.
            .half_close(true)
            .serve_connection(TokioIo::new(Box::pin(stream)), service);
        let ended = tokio::select! {
            // How a connection ends matters to its client alone.
            _ = poll_fn(|context| connection.poll_without_shutdown(context)) => true,
            _ = stop.wait_for(|stop| *stop) => false,
            _ = tokio::time::sleep(LONGEST_LIFE) => false,
        };
        if !ended {
            Pin::new(&mut connection).graceful_shutdown();
            let rest = poll_fn(|context| connection.poll_without_shutdown(context));
            let _ = tokio::time::timeout(DRAIN, rest).await;
        }
        let _ = tokio::time::timeout(LINGER, part(connection.into_parts().io.into_inner())).await;
        open.fetch_sub(1, Relaxed);
        drop(self.place);
    }
}

/// Closes a connection so that the client gets the last answer, too. A system that still has unread bytes resets the
/// connection, and the client's system then drops the bytes that it has not delivered.
async fn part(mut stream: Stream) {
    let mut unread = [0; 4096];
    if stream.shutdown().await.is_ok() {
        for _ in 0..UNREAD / unread.len() {
            if !matches!(stream.read(&mut unread).await, Ok(1..)) {
                return;
            }
        }
    }
}

/// Refuses a client because there are too many connections, if that needs no waiting.
fn turn_away(app: &App, stream: TcpStream) {
    const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
        access-control-allow-origin: *\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 63\r\n\r\n\
        {\"error\":\"too many connections; try again in a moment, please\"}";
    app.metrics.refused_connections.fetch_add(1, Relaxed);
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write(ANSWER);
    }
}

/// Whether `many` threads can run at once.
fn try_threads(many: usize) -> std::io::Result<()> {
    let all_there = std::sync::RwLock::new(());
    std::thread::scope(|scope| {
        let _not_yet = all_there.write();
        for _ in 0..many {
            std::thread::Builder::new().spawn_scoped(scope, || drop(all_there.read()))?;
        }
        Ok(())
    })
}

/// Refuses a clock whose time the header `Date` cannot carry.
fn check_clock(now: SystemTime) -> Result<(), ServeError> {
    now.duration_since(SystemTime::UNIX_EPOCH).map(drop).map_err(|_| ServeError::Clock)
}

/// Raises the limit of open files: each connection takes a file descriptor, and many systems allow only 1024 unless
/// asked.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // With fewer descriptors the server works too, for fewer clients.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// Waits for SIGTERM or SIGINT, on a small runtime of its own.
fn wait_for_signal(stop: &Stopper, ready: &std::sync::mpsc::Sender<std::io::Result<()>>) {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return drop(ready.send(Err(error))),
    };
    runtime.block_on(async {
        let (mut term, mut int) = match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
            (Ok(term), Ok(int)) => (term, int),
            (Err(error), _) | (_, Err(error)) => return drop(ready.send(Err(error))),
        };
        let _ = ready.send(Ok(()));
        tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
        stop.stop();
        // A person who presses Ctrl-C twice does not want to wait.
        int.recv().await;
        std::process::exit(130);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_is_refused() {
        assert!(check_clock(SystemTime::now()).is_ok());
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert!(matches!(check_clock(before), Err(ServeError::Clock)));
    }

    #[test]
    fn threads_are_there_all_at_once() {
        assert!(try_threads(20).is_ok());
    }
}
