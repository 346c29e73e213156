//! Exports over HTTP: rows are made on a thread of their own and sent as they come.
//!
//! ```text
//! thread    rows -> pieces of bytes -> a queue of few places -> the connection
//! ```
//!
//! The thread waits while the queue is full, so that a client that reads slowly takes no memory. A client that reads
//! nothing for a time loses its connection; the queue is then gone, and so is the work.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use hyper::body::Frame;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use zermelo::{
    CountError, Export, ExportError, ExportFormat, ExportPositions, ExportSettings, Progress, Settings,
    SolveError, export,
};
use zermelo_core::{Kind, Tier};

use super::api::{Answer, Shared};
use super::names::{Both, Names};
use super::refusal::{Refusal, Result};
use super::variant::{State as Solved, Variant};
use super::{App, query, reply};

/// The rows that are sent where a client does not say how many, and the most that are sent.
const ROWS: [u64; 2] = [100_000, 1_000_000];
/// The most rows of a sample.
const SAMPLE: u64 = 100_000;
/// Bytes that are sent at a time.
const PIECE: usize = 64 << 10;
/// Pieces that wait to be sent.
const WAITING: usize = 4;
/// How long a request waits for a place, and how long for the first rows before the answer begins without them.
const LONGEST_WAIT: Duration = Duration::from_secs(3);
/// How long an export may take: no connection lasts longer.
const LONGEST: Duration = Duration::from_secs(600);

/// A mark on answers that are sent as they are made: they are neither counted nor compressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streamed;

/// What the thread sends: bytes, or why there are no more.
type Sent = Result<Bytes, ExportError>;

/// `GET /games/{game}/{variant}/export`
pub(crate) async fn rows(State(app): Shared, Names((game, id)): Both, RawQuery(asked): RawQuery) -> Answer {
    let variant = app.variant(&game, &id).await?;
    match variant.state() {
        Solved::Solved => {}
        Solved::Begun => {
            return Err(Refusal::conflict("this variant is not solved to the end yet; solve it first"));
        }
        Solved::Unsolved => return Err(Refusal::missing("this variant has no database; solve it first")),
    }
    let stop = Arc::new(AtomicBool::new(false));
    let wanted = ExportSettings { stop: Some(stop.clone()), ..wanted(asked.as_deref())? };
    let format = wanted.format;
    let (sender, mut receiver) = channel(WAITING);
    let shared = app.clone();
    let work = move || send(&shared, &variant, &wanted, sender);
    app.exporting.begin(Instant::now() + LONGEST_WAIT, work).await?;
    // What cannot be done is found out before the first rows, and is a refusal.
    let first = match tokio::time::timeout(LONGEST_WAIT, receiver.recv()).await {
        Ok(Some(Ok(bytes))) => Some(bytes),
        Ok(Some(Err(error))) => return Err(refusal(&error)),
        Ok(None) | Err(_) => None,
    };
    let body = Rows { first, receiver, stop: Stop(stop) };
    let mut response = reply::fleeting(reply::with(StatusCode::OK, "text/plain", Body::new(body)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind(format)));
    response.extensions_mut().insert(Streamed);
    Ok(response)
}

/// The kind of content of a format.
fn kind(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Csv => "text/csv; charset=utf-8",
        ExportFormat::JsonLines => "application/x-ndjson",
        ExportFormat::Npy => "application/octet-stream",
        ExportFormat::Parquet => "application/vnd.apache.parquet",
    }
}

/// Reads what is to be exported.
fn wanted(asked: Option<&str>) -> Result<ExportSettings> {
    let value = |key| Ok::<_, Refusal>(query::value(asked, key)?.filter(|text| !text.is_empty()));
    let whole = |key: &'static str| -> Result<Option<u64>> {
        let number = |text: String| {
            text.parse::<u64>().map_err(|_| Refusal::bad(format!("{key}: want a whole number")))
        };
        value(key)?.map(number).transpose()
    };
    let format = value("format")?.map(|name| {
        ExportFormat::of(&name).ok_or_else(|| Refusal::bad("format: want csv, jsonl, npy or parquet"))
    });
    let positions = match value("positions")?.as_deref() {
        None | Some("reached") => ExportPositions::Reached,
        Some("stored") => ExportPositions::Stored,
        Some(_) => return Err(Refusal::bad("positions: want reached or stored")),
    };
    let symmetries = match value("symmetries")?.as_deref() {
        None | Some("true") => true,
        Some("false") => false,
        Some(_) => return Err(Refusal::bad("symmetries: want true or false")),
    };
    let kind = value("value")?.map(|text| {
        let kind = Kind::ALL.into_iter().find(|kind| kind.word() == text);
        kind.ok_or_else(|| Refusal::bad("value: want win, lose, tie or draw"))
    });
    let numbers = value("remoteness")?.map(|text| {
        ExportSettings::numbers_of(&text).map_err(|why| Refusal::bad(format!("remoteness: {why}")))
    });
    let at_most = |key: &str, number: Option<u64>, most: u64| match number {
        Some(number) if number == 0 || number > most => {
            Err(Refusal::bad(format!("{key}: want 1 to {most} rows; `zermelo export` writes any number")))
        }
        number => Ok(number),
    };
    Ok(ExportSettings {
        format: format.transpose()?.unwrap_or_default(),
        positions,
        symmetries,
        tier: whole("tier")?.map(Tier),
        value: kind.transpose()?,
        numbers: numbers.transpose()?,
        sample: at_most("sample", whole("sample")?, SAMPLE)?,
        seed: whole("seed")?.unwrap_or(1),
        limit: Some(at_most("limit", whole("limit")?, ROWS[1])?.unwrap_or(ROWS[0])),
        stop: None,
    })
}

/// Makes the rows and sends them.
fn send(app: &App, variant: &Variant, wanted: &ExportSettings, sender: Sender<Sent>) {
    let Some(database) = &variant.database else { return };
    // One thread: the others are for people who look positions up.
    let settings = Settings { memory: app.settings.memory / 8, threads: 1, ..Settings::default() };
    let (catalogue, game, progress) = (app.settings.catalogue, variant.game(), &Progress::new("export"));
    let job = Export { catalogue, game, database, wanted, settings: &settings, progress };
    let mut out = Outlet { sender, bytes: Vec::with_capacity(PIECE), until: Instant::now() + LONGEST };
    match export(&job, &mut out) {
        Ok(_) => {}
        // Nobody is there to be told.
        Err(ExportError::Write(_) | ExportError::Stopped) => {}
        Err(error) => _ = out.sender.blocking_send(Err(error)),
    }
}

/// Refuses an export that could not begin.
fn refusal(error: &ExportError) -> Refusal {
    let text = error.to_string();
    match error {
        ExportError::Input(_) | ExportError::Walk(CountError::Input(_) | CountError::Engine(_)) => {
            Refusal::bad(text)
        }
        ExportError::Solve(SolveError::Memory { .. }) => Refusal::bad(
            "the server has too little memory to mark the reached positions; ask for positions=stored",
        ),
        _ => Refusal::broken(text),
    }
}

/// Takes bytes, and sends them in pieces.
struct Outlet {
    sender: Sender<Sent>,
    bytes: Vec<u8>,
    until: Instant,
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let many = bytes.len().min(PIECE - self.bytes.len());
        self.bytes.extend(&bytes[..many]);
        if self.bytes.len() == PIECE {
            self.flush()?;
        }
        Ok(many)
    }

    fn flush(&mut self) -> io::Result<()> {
        if Instant::now() >= self.until {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let piece = Bytes::from(std::mem::replace(&mut self.bytes, Vec::with_capacity(PIECE)));
        if piece.is_empty() {
            return Ok(());
        }
        self.sender.blocking_send(Ok(piece)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// The body of the answer. When the connection is gone, the body is dropped.
struct Rows {
    first: Option<Bytes>,
    receiver: Receiver<Sent>,
    #[expect(dead_code, reason = "stops the work when the body is dropped")]
    stop: Stop,
}

/// Stops the work when it is dropped.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl hyper::body::Body for Rows {
    type Data = Bytes;
    type Error = ExportError;

    /// The next bytes. An error breaks the connection off, so that the client does not take what it has for all.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ExportError>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        self.receiver.poll_recv(context).map(|sent| sent.map(|sent| sent.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_read_and_bounded() {
        let all = wanted(None).unwrap_or_else(|refusal| panic!("{}", refusal.text));
        assert_eq!((all.format, all.limit, all.symmetries), (ExportFormat::Csv, Some(ROWS[0]), true));
        let asked = "format=jsonl&value=lose&remoteness=2..4&tier=7&sample=5&seed=3&limit=1000000";
        let some = wanted(Some(asked)).unwrap_or_else(|refusal| panic!("{}", refusal.text));
        assert_eq!((some.value, some.numbers, some.tier), (Some(Kind::Lose), Some(2..=4), Some(Tier(7))));
        assert_eq!((some.sample, some.seed, some.limit), (Some(5), 3, Some(ROWS[1])));
        for bad in [
            "format=xml",
            "value=lost",
            "remoteness=4..2",
            "tier=x",
            "sample=0",
            "sample=100001",
            "limit=1000001",
            "positions=all",
            "symmetries=no",
        ] {
            let refused = wanted(Some(bad)).err().map(|refusal| (refusal.status, refusal.text));
            let (status, text) = refused.unwrap_or_else(|| panic!("{bad} was taken"));
            assert!(status == StatusCode::BAD_REQUEST && text.contains("want"), "{bad}: {text}");
        }
    }
}
