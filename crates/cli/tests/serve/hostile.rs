//! Clients that break or bend the protocol, on raw sockets: the answers that they get, and what they cost.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use zermelo_cli::serve::ServerSettings;

use crate::client::{Client, Running, Scratch, settings, shared};
use crate::process;

/// Sends some bytes, and returns everything that the server sends until it closes. The client closes its side as soon
/// as it has sent the bytes, and waits.
fn said_to(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(bytes).unwrap();
    // The server may be the first to close.
    let _ = stream.shutdown(Shutdown::Write);
    let mut said = vec![];
    stream.read_to_end(&mut said).unwrap();
    String::from_utf8_lossy(&said).into_owned()
}

/// Sends some bytes on a connection that the client keeps open, and returns the answer once `text` has come `times`
/// times.
fn said_until(address: SocketAddr, bytes: &[u8], text: &str, times: usize) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(bytes).unwrap();
    let (mut said, mut chunk) = (String::new(), [0; 4096]);
    while said.matches(text).count() < times {
        match stream.read(&mut chunk) {
            Ok(0) => panic!("closed after {said:?}"),
            Ok(n) => said.push_str(&String::from_utf8_lossy(&chunk[..n])),
            Err(error) => panic!("{error} after {said:?}"),
        }
    }
    said
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

#[test]
fn odd_but_valid_requests_are_answered() {
    let address = shared().address;
    // The old version of HTTP, and line ends after the request as some clients send them.
    let said = said_to(address, b"GET /healthz HTTP/1.0\r\n\r\n\r\n");
    assert!(said.starts_with("HTTP/1.0 200") && said.ends_with("ok\n"), "{said}");
    // Line ends before, between and after requests.
    let stray = format!("\r\n{}\r\n{}\r\n", get("/healthz"), get("/healthz"));
    let said = said_until(address, stray.as_bytes(), "ok\n", 2);
    assert_eq!(said.matches("HTTP/1.1 200").count(), 2, "{said}");
    // The first is answered although the second is not whole yet.
    let half = format!("{}GET /heal", get("/healthz"));
    said_until(address, half.as_bytes(), "ok\n", 1);
}

#[test]
fn requests_at_once_are_answered_in_order() {
    let (mut bytes, mut wanted) = (String::new(), vec![]);
    for n in 0..200 {
        let (path, says) = match n % 3 {
            0 => ("/healthz", "ok\n"),
            1 => ("/api/v1/games/chess", "there is no game"),
            _ => ("/api/v1/openapi.json", "openapi"),
        };
        bytes += &get(path);
        wanted.push(says);
    }
    let mut client = Client::new(shared().address);
    client.write(bytes.as_bytes()).unwrap();
    for says in wanted {
        let text = client.read("GET").text();
        assert!(text.contains(says), "{says:?} in {text:.100}");
    }
}

#[test]
fn what_is_no_request_is_refused_in_words_of_the_protocol() {
    let address = shared().address;
    let long = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(20_000));
    let many = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(100));
    for (bytes, status) in [
        (long.as_str(), "431"),
        (many.as_str(), "431"),
        ("GET /healthz HTTP/1.1\r\nhost localhost\r\n\r\n", "400"),
        ("nonsense\r\n\r\n", "400"),
        ("GET /healthz HTTP/9.9\r\n\r\n", "400"),
        ("\u{0}\u{1}\u{2}\r\n\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n", "400"),
    ] {
        let said = said_to(address, bytes.as_bytes());
        assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{status} for {bytes:.60?}: {said:?}");
    }
    // A good request before a bad one has its answer first.
    let said = said_to(address, format!("{}nonsense\r\n\r\n", get("/healthz")).as_bytes());
    let (good, bad) = (said.find("ok\n"), said.find("HTTP/1.1 400"));
    assert!(good.is_some() && good < bad, "{said}");
}

/// A server in a process of its own, so that its memory can be measured apart from other tests.
struct Apart {
    child: std::process::Child,
    address: SocketAddr,
    _scratch: Scratch,
}

impl Apart {
    fn start(name: &str, args: &[&str]) -> Apart {
        let scratch = Scratch::new(name);
        let args = [&["--listen", "127.0.0.1:0", "--quiet"], args].concat();
        let mut child = process::start(&scratch, &args);
        let address = process::address(&mut child);
        Apart { child, address, _scratch: scratch }
    }

    /// Returns the bytes that the process holds now, without the files that it has mapped.
    fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request again and again for a while and reads nothing; returns how many bytes were taken.
fn pour(address: SocketAddr, request: &str, time: Duration) -> usize {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nonblocking(true).unwrap();
    let (bytes, until, mut sent) = (request.repeat(50), Instant::now() + time, 0);
    while Instant::now() < until {
        match stream.write(bytes.as_bytes()) {
            Ok(n) => sent += n,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) => panic!("{error}"),
        }
    }
    sent
}

#[test]
fn a_client_that_does_not_read_is_held_at_a_bound() {
    for (args, path) in [
        (&["--memory", "200M"][..], "/api/v1/openapi.json"),
        // Refusals are answers, too.
        (&["--per-client", "5"], "/healthz"),
    ] {
        let server = Apart::start("pour", args);
        Client::new(server.address).get("/api/v1/openapi.json");
        let before = server.resident();
        let sent = pour(server.address, &get(path), Duration::from_secs(2));
        let grown = server.resident().saturating_sub(before);
        // The system itself keeps some megabytes of requests for a socket.
        assert!(sent < 20 << 20, "{sent} bytes of requests were taken");
        assert!(grown < 20 << 20, "{grown} bytes for {sent} bytes of {path}");
    }
}

#[test]
fn many_clients_that_do_not_read_share_a_bound() {
    // The least room for answers, 8 MiB.
    let server = Apart::start("crowd", &["--memory", "64M"]);
    let ask = |path: &str| Client::new(server.address).get(path);
    let answer = ask("/api/v1/openapi.json").body.len();
    let request = get("/api/v1/openapi.json").repeat(400);
    let mut crowd: Vec<_> = (0..400).map(|_| Client::new(server.address)).collect();
    let before = server.resident();
    for client in &mut crowd {
        client.write(request.as_bytes()).unwrap();
    }
    // Other clients are still answered, if only with the message that there is no room.
    for _ in 0..50 {
        assert_eq!(ask("/healthz").status, 200);
        let reply = ask("/api/v1/openapi.json");
        assert!(matches!(reply.status, 200 | 503), "{}", reply.text());
    }
    let grown = server.resident().saturating_sub(before);
    assert!(grown < 60 << 20, "{grown} bytes for 400 clients and answers of {answer} bytes");
    drop(crowd);
    while ask("/api/v1/openapi.json").status != 200 {
        std::thread::yield_now();
    }
}

#[test]
fn other_hosts_are_refused() {
    let scratch = Scratch::new("hosts");
    let settings =
        ServerSettings { data: scratch.path().into(), hosts: vec!["games.test".into()], ..settings() };
    let server = Running::start(settings);
    let port = server.address.port();
    let ask = |method: &str, path: &str, host: &str, more: &str| {
        let bytes = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{more}content-length: 0\r\nconnection: close\r\n\r\n"
        );
        said_to(server.address, bytes.as_bytes())
    };
    for host in
        [format!("127.0.0.1:{port}"), format!("localhost:{port}"), "GAMES.test".into(), "[::1]".into()]
    {
        let said = ask("GET", "/api/v1/health", &host, "");
        assert!(said.starts_with("HTTP/1.1 200"), "{host}: {said}");
    }
    for host in
        [format!("evil.com:{port}"), "evil.com".into(), "10.1.2.3".into(), "localhost.evil.com".into()]
    {
        for path in ["/", "/healthz", "/api/v1/health", "/api/v1/games/mnk/default/solve"] {
            let said = ask("GET", path, &host, "");
            assert!(said.starts_with("HTTP/1.1 421") && said.contains("--host"), "{host}{path}: {said}");
        }
    }
    // Another site's page under a name that leads here, and two origins of which one is ours.
    let solve = "/api/v1/games/mnk/default/solve";
    let rebound = format!("origin: http://evil.com:{port}\r\nsec-fetch-site: same-origin\r\n");
    assert!(ask("POST", solve, &format!("evil.com:{port}"), &rebound).starts_with("HTTP/1.1 421"));
    let two = format!("origin: http://localhost:{port}\r\norigin: http://evil.com\r\n");
    for origins in [two, format!("origin: http://evil.com\r\norigin: http://localhost:{port}\r\n")] {
        let said = ask("POST", solve, &format!("localhost:{port}"), &origins);
        assert!(said.starts_with("HTTP/1.1 403"), "{said}");
    }
    let own = format!("origin: http://localhost:{port}\r\nsec-fetch-site: same-origin\r\n");
    let said = ask("POST", solve, &format!("localhost:{port}"), &own);
    assert!(said.starts_with("HTTP/1.1 20"), "{said}");
    // The host may stand in the request line, too.
    let absolute = "GET http://evil.com/healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    assert!(said_to(server.address, absolute.as_bytes()).starts_with("HTTP/1.1 421"));
}
