//! Files on a web server, read with range requests over connections that are kept open.

use std::io::{self, Read};
use std::time::Duration;

use ureq::http::{HeaderMap, Uri, header};
use ureq::{Agent, BodyReader};

use crate::backend::FileSource;
use crate::error::{Result, StoreError};

const TIMEOUT: Duration = Duration::from_secs(5);
/// The longest head of an answer that is read.
const HEAD_BYTES: usize = 16 << 10;

/// A file at an `http://` or `https://` address.
pub struct Remote {
    url: String,
    host: String,
    length: u64,
    agent: Agent,
}

impl Remote {
    /// Opens the file at an address such as `http://host:port/path`: asks the server for its length.
    pub fn open(url: &str) -> Result<Remote> {
        let wrong = |why: &str| StoreError::io("open", url, io::Error::new(io::ErrorKind::InvalidInput, why));
        if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(wrong("only http:// and https:// addresses can be read"));
        }
        let uri: Uri = url.parse().map_err(|_| wrong("this is no address"))?;
        let host = uri.authority().ok_or_else(|| wrong("this is no address"))?.to_string();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .max_response_header_size(HEAD_BYTES)
            .timeout_connect(Some(TIMEOUT))
            .timeout_per_read(Some(TIMEOUT))
            .timeout_per_write(Some(TIMEOUT));
        let mut remote = Remote { url: url.to_string(), host, length: 0, agent: config.build().into() };
        remote.length = remote.request(0, &mut [0], None).map_err(|e| StoreError::io("open", url, e))?;
        Ok(remote)
    }

    /// Fills the buffer and returns the length of the whole file, which must be `known` if that is given.
    fn request(&self, offset: u64, buffer: &mut [u8], known: Option<u64>) -> io::Result<u64> {
        self.request_once(offset, buffer, known)
            // The server may have closed the connection in the meantime, which only a new one can tell from a failure.
            .or_else(|error| match error {
                ureq::Error::Io(e) if is_gone(e.kind()) => self.request_once(offset, buffer, known),
                error => Err(error),
            })
            .map_err(|error| self.told(error))
    }

    /// The error, in words where the server was silent.
    fn told(&self, error: ureq::Error) -> io::Error {
        match error {
            ureq::Error::Timeout(_) => {
                let (host, seconds) = (&self.host, TIMEOUT.as_secs());
                let why = format!(
                    "{host} did not answer within {seconds} seconds; check that its server is running and try again, or \
                     fetch the files and give their folder"
                );
                io::Error::new(io::ErrorKind::TimedOut, why)
            }
            error => error.into_io(),
        }
    }

    fn request_once(&self, offset: u64, buffer: &mut [u8], known: Option<u64>) -> Result<u64, ureq::Error> {
        let last = offset + buffer.len() as u64 - 1;
        let request = self.agent.get(&self.url).header(header::RANGE, format!("bytes={offset}-{last}"));
        let answer = request.header(header::ACCEPT_ENCODING, "identity").call()?;
        let length = check_head(answer.status().as_u16(), answer.headers(), offset, last)?;
        if known.is_some_and(|known| known != length) {
            return Err(bad("the file has another length than when it was opened"));
        }
        let mut body: BodyReader<'_> = answer.into_body().into_reader();
        body.read_exact(buffer)?;
        // Only a body that was read to its end leaves the connection to the next request.
        if body.read(&mut [0])? > 0 {
            return Err(bad("the answer is longer than what was asked for"));
        }
        Ok(length)
    }
}

impl FileSource for Remote {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let many = (buffer.len() as u64).min(self.length.saturating_sub(offset)) as usize;
        if many > 0 {
            self.request(offset, &mut buffer[..many], Some(self.length))?;
        }
        Ok(many)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.length)
    }
}

fn bad(why: impl Into<String>) -> ureq::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.into()).into()
}

/// Whether the other end of a connection is closed.
fn is_gone(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

/// Checks that the body is what was asked for, and returns the length of the whole file.
fn check_head(status: u16, headers: &HeaderMap, first: u64, last: u64) -> Result<u64, ureq::Error> {
    match status {
        206 => {}
        200 => return Err(bad("the server does not answer range requests")),
        404 => return Err(io::Error::new(io::ErrorKind::NotFound, "the server has no such file").into()),
        416 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        other => return Err(bad(format!("the server answers with status {other}"))),
    }
    let field = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let range =
        field(header::CONTENT_RANGE).ok_or_else(|| bad("the server does not say which range it sends"))?;
    let parse = || {
        let (range, length) = range.strip_prefix("bytes ")?.split_once('/')?;
        let (from, to) = range.split_once('-')?;
        Some((from.parse().ok()?, to.parse().ok()?, length.parse().ok()?))
    };
    let range = parse().ok_or_else(|| bad(format!("the server answers with the range {range:?}")))?;
    let (from, to, length): (u64, u64, u64) = range;
    let bytes = field(header::CONTENT_LENGTH).and_then(|bytes| bytes.parse().ok());
    if (from, to, bytes) != (first, last, Some(last - first + 1)) {
        return Err(bad("the server sends another range than was asked for"));
    }
    Ok(length)
}
