//! The server as a process: its output, its end, and its message when it cannot start.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use crate::client::{Client, Scratch};

pub(crate) fn start(scratch: &Scratch, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_zermelo"))
        .args(["serve", "--data", scratch.path().to_str().unwrap()])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(crate) fn address(child: &mut Child) -> std::net::SocketAddr {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let at = line.split("http://").nth(1).unwrap_or_else(|| panic!("{line:?}"));
    at.trim().trim_end_matches('/').parse().unwrap()
}

fn errors(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_signal_stops_it_in_good_order() {
    for signal in ["-TERM", "-INT"] {
        let scratch = Scratch::new(signal);
        let mut child = start(&scratch, &["--listen", "127.0.0.1:0"]);
        let address = address(&mut child);
        let mut client = Client::new(address);
        assert_eq!(client.get("/api/v1/health").status, 200);
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert!(client.is_closed());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        let log = errors(&mut child);
        assert!(log.contains("127.0.0.1 GET /api/v1/health 200"), "{log}");
    }
}

#[test]
fn quiet_is_quiet() {
    let scratch = Scratch::new("quiet");
    let mut child = start(&scratch, &["--listen", "127.0.0.1:0", "--quiet"]);
    let address = address(&mut child);
    assert_eq!(Client::new(address).get("/api/v1/health").status, 200);
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    assert_eq!(errors(&mut child), "");
}

/// The page is opened with the browser that the user has chosen, and a folder that was named is made.
#[test]
fn the_page_opens_in_a_browser() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new("open");
    let (browser, seen) = (scratch.path().join("browser"), scratch.path().join("seen"));
    std::fs::write(
        &browser,
        format!("#!/bin/sh\necho \"$1\" > '{}.new'\nmv '{0}.new' '{0}'\n", seen.display()),
    )
    .unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let data = scratch.path().join("new");
    let mut child = Command::new(env!("CARGO_BIN_EXE_zermelo"))
        .args(["serve", "--open", "--quiet", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()])
        .env("BROWSER", &browser)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let address = address(&mut child);
    while !seen.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), format!("http://{address}/\n"));
    assert!(data.is_dir());
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    assert!(errors(&mut child).contains("is new, and empty"));
}

#[test]
fn what_cannot_be_is_said() {
    let scratch = Scratch::new("taken");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (args, code, part) in [
        (["--listen", address.as_str()], 1, "--listen"),
        (["--listen", "nowhere"], 2, "--listen"),
        (["--search-time", "100"], 2, "from 0 to 8"),
        (["--data", "/no/such/folder"], 2, "--data"),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_zermelo"))
            .arg("serve")
            .args(args)
            .env("ZERMELO_DATA", scratch.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{args:?}");
        let text = errors(&mut child);
        assert!(text.contains(part), "{text}");
    }
}
