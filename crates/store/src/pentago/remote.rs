//! Files on a web server, read with range requests of HTTP/1.1 over a connection that is kept open.
//!
//! There is no TLS here: `https` addresses are refused, and need a proxy that speaks plain HTTP on this side.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::ranges::Ranges;
use crate::error::{Error, Result};

const TIMEOUT: Duration = Duration::from_secs(5);
/// The longest head of an answer that is read.
const HEAD_BYTES: u64 = 16 << 10;

/// A file at an `http://` address.
pub struct Remote {
    url: String,
    host: String,
    path: String,
    length: u64,
    /// Open from the last request, if the server keeps it.
    connection: Mutex<Option<Connection>>,
}

type Connection = BufReader<TcpStream>;

/// What an answer says of its body.
#[derive(Debug, Default, PartialEq)]
struct Head {
    status: u16,
    content_length: Option<u64>,
    content_range: Option<(u64, u64, u64)>,
    chunked: bool,
    close: bool,
}

impl Remote {
    /// Asks for the length of the file at an address such as `http://host:port/path`.
    pub fn open(url: &str) -> Result<Remote> {
        let wrong = |why: &str| Error::io("open", url, io::Error::new(io::ErrorKind::InvalidInput, why));
        let rest = url.strip_prefix("http://").ok_or_else(|| wrong("only http:// addresses can be read"))?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if host.is_empty() || url.bytes().any(|b| !b.is_ascii_graphic()) {
            return Err(wrong("this is no address"));
        }
        let path = if path.is_empty() { "/" } else { path };
        let (host, path) = (host.to_string(), path.to_string());
        let mut remote = Remote { url: url.to_string(), host, path, length: 0, connection: Mutex::new(None) };
        remote.length = remote.request(0, &mut [0], None).map_err(|e| Error::io("open", url, e))?;
        Ok(remote)
    }

    fn connect(&self) -> io::Result<Connection> {
        let has_port = self.host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let address = if has_port { self.host.clone() } else { format!("{}:80", self.host) };
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, TIMEOUT) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(TIMEOUT))?;
                    stream.set_write_timeout(Some(TIMEOUT))?;
                    stream.set_nodelay(true)?;
                    return Ok(BufReader::new(stream));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Fills the buffer and returns the length of the whole file, which must be `known` if that is given.
    fn request(&self, offset: u64, buffer: &mut [u8], known: Option<u64>) -> io::Result<u64> {
        self.request_once(offset, buffer, known).map_err(|error| self.told(error))
    }

    /// The error, in words where the server was silent: the system only says that there is nothing to read yet.
    fn told(&self, error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                let (host, seconds) = (&self.host, TIMEOUT.as_secs());
                let why = format!(
                    "{host} did not answer within {seconds} seconds; check that its server is running and try again, or \
                     fetch the files and give their folder"
                );
                io::Error::new(io::ErrorKind::TimedOut, why)
            }
            _ => error,
        }
    }

    fn request_once(&self, offset: u64, buffer: &mut [u8], known: Option<u64>) -> io::Result<u64> {
        let kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(connection) = kept {
            // The server may have closed it in the meantime, which only a new connection can tell from a failure.
            if let Ok(length) = self.request_over(connection, offset, buffer, known) {
                return Ok(length);
            }
        }
        self.request_over(self.connect()?, offset, buffer, known)
    }

    fn request_over(
        &self,
        mut connection: Connection,
        offset: u64,
        buffer: &mut [u8],
        known: Option<u64>,
    ) -> io::Result<u64> {
        let last = offset + buffer.len() as u64 - 1;
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {}\r\nRange: bytes={offset}-{last}\r\nAccept-Encoding: identity\r\n\r\n",
            self.path, self.host
        );
        connection.get_mut().write_all(request.as_bytes())?;
        let head = read_head(&mut connection)?;
        let length = check_head(&head, offset, last)?;
        if known.is_some_and(|known| known != length) {
            return Err(bad("the file has another length than when it was opened"));
        }
        connection.read_exact(buffer)?;
        if !head.close {
            *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
        }
        Ok(length)
    }
}

impl Ranges for Remote {
    fn name(&self) -> &str {
        &self.url
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.length)
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(buffer.len() as u64);
        if end.is_none_or(|end| end > self.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if buffer.is_empty() {
            return Ok(());
        }
        self.request(offset, buffer, Some(self.length)).map(|_| ())
    }
}

fn bad(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.into())
}

fn read_head(connection: &mut impl BufRead) -> io::Result<Head> {
    let mut limited = connection.take(HEAD_BYTES);
    let mut head = Head::default();
    let mut line = String::new();
    for number in 0.. {
        line.clear();
        limited.read_line(&mut line)?;
        if !line.ends_with('\n') {
            return Err(bad("the server's answer has no end or is too long"));
        }
        match line.trim_end() {
            "" if number > 0 => break,
            first if number == 0 => head.status = status(first)?,
            field => head.read_field(field)?,
        }
    }
    Ok(head)
}

fn status(line: &str) -> io::Result<u16> {
    let code = line.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5));
    code.and_then(|code| code.parse().ok()).ok_or_else(|| bad("the server does not speak HTTP/1.1"))
}

impl Head {
    fn read_field(&mut self, field: &str) -> io::Result<()> {
        let (name, value) = field.split_once(':').ok_or_else(|| bad("the server's answer is malformed"))?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => {
                self.content_length = Some(value.parse().map_err(|_| bad("a length that is no number"))?);
            }
            "content-range" => self.content_range = Some(content_range(value)?),
            "transfer-encoding" => self.chunked = true,
            "connection" => self.close = value.eq_ignore_ascii_case("close"),
            _ => {}
        }
        Ok(())
    }
}

/// Reads `bytes first-last/length`.
fn content_range(value: &str) -> io::Result<(u64, u64, u64)> {
    let parse = || {
        let (range, length) = value.strip_prefix("bytes ")?.split_once('/')?;
        let (first, last) = range.split_once('-')?;
        Some((first.parse().ok()?, last.parse().ok()?, length.parse().ok()?))
    };
    parse().ok_or_else(|| bad(format!("the server answers with the range {value:?}")))
}

/// Checks that the body is what was asked for, and returns the length of the whole file.
fn check_head(head: &Head, first: u64, last: u64) -> io::Result<u64> {
    match head.status {
        206 => {}
        200 => return Err(bad("the server does not answer range requests")),
        404 => return Err(io::Error::new(io::ErrorKind::NotFound, "the server has no such file")),
        416 => return Err(io::ErrorKind::UnexpectedEof.into()),
        other => return Err(bad(format!("the server answers with status {other}"))),
    }
    let Some((from, to, length)) = head.content_range else {
        return Err(bad("the server does not say which range it sends"));
    };
    let right_length = head.content_length == Some(last - first + 1);
    if (from, to) != (first, last) || head.chunked || !right_length {
        return Err(bad("the server sends another range than was asked for"));
    }
    Ok(length)
}
