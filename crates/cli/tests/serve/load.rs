//! Too much at once: which clients are refused, and which are answered without delay.

use std::time::Duration;

use zermelo_cli::serve::ServerSettings;

use crate::client::{Client, Running, Scratch, settings};

/// A search that takes as long as it may: the first position of a game that no search can finish.
const LONG: &str = "/api/v1/games/quixo/default/position";

fn server(scratch: &Scratch, settings: ServerSettings) -> Running {
    Running::start(ServerSettings { data: scratch.path().into(), ..settings })
}

#[test]
fn beyond_the_limit_requests_are_sent_away_until_there_is_room() {
    let scratch = Scratch::new("limit");
    let settings = ServerSettings { concurrency: 1, search_time: Duration::from_secs(3), ..settings() };
    let server = server(&scratch, settings);
    let address = server.address;
    let busy = std::thread::spawn(move || Client::new(address).get(LONG).status);
    server.until(|server| (server.metric("zermelo_searches_in_flight") == 1).then_some(()));
    let refused = server.get("/api/v1/games/mnk/default/position");
    assert_eq!(refused.header("retry-after"), Some("1"));
    refused.refused(503);
    assert_eq!(server.get("/healthz").status, 200, "whoever watches gets through");
    assert_eq!(busy.join().unwrap(), 200);
    assert_eq!(server.get("/api/v1/games").status, 200);
}

#[test]
fn a_client_that_asks_too_much_is_sent_away() {
    let scratch = Scratch::new("rate");
    let server = server(&scratch, ServerSettings { per_client: 1, ..settings() });
    let statuses: Vec<_> = (0..20).map(|_| server.get("/api/v1/health").status).collect();
    assert_eq!(&statuses[..2], [200, 200], "a burst is let through");
    let refused =
        server.until(|server| Some(server.get("/api/v1/health")).filter(|reply| reply.status == 429));
    assert_eq!(refused.header("retry-after"), Some("1"));
    refused.refused(429);
}

#[test]
fn behind_a_proxy_clients_are_told_apart() {
    let scratch = Scratch::new("proxy");
    let server = server(&scratch, ServerSettings { per_client: 1, behind_proxy: true, ..settings() });
    let ask = |from: &str| {
        let headers = [("x-forwarded-for", from)];
        Client::new(server.address).send("GET", "/api/v1/health", &headers, b"").status
    };
    while ask("10.9.9.9, 10.0.0.1") != 429 {}
    assert_eq!(ask("10.0.0.1, 10.0.0.2"), 200);
}

#[test]
fn too_many_connections_are_turned_away_and_others_go_on() {
    let scratch = Scratch::new("connections");
    let server = server(&scratch, ServerSettings { connections: 2, ..settings() });
    let (mut one, mut two) = (Client::new(server.address), Client::new(server.address));
    assert_eq!((one.get("/healthz").status, two.get("/healthz").status), (200, 200));
    let mut three = Client::new(server.address);
    three.read("GET").refused(503);
    assert!(three.is_closed());
    drop(two);
    assert_eq!(one.get("/healthz").status, 200);
}

#[test]
fn slow_and_silent_clients_hold_nobody_up() {
    let scratch = Scratch::new("slow");
    let server = server(&scratch, ServerSettings { concurrency: 1, ..settings() });
    let silent: Vec<_> = (0..200).map(|_| Client::new(server.address)).collect();
    let mut half_heads: Vec<_> = (0..50).map(|_| Client::new(server.address)).collect();
    for client in &mut half_heads {
        client.write(b"GET /api/v1/games HTTP/1.1\r\nhost: lo").unwrap();
    }
    let mut half_bodies: Vec<_> = (0..50).map(|_| Client::new(server.address)).collect();
    for client in &mut half_bodies {
        let head = "POST /api/v1/games/mnk/default/positions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{\"pos";
        client.write(head.as_bytes()).unwrap();
    }
    server.until(|server| (server.metric("zermelo_connections") >= 300).then_some(()));
    for _ in 0..20 {
        assert_eq!(server.get("/api/v1/games/mnk/default/position").status, 200);
    }
    drop((silent, half_heads, half_bodies));
}

#[test]
fn one_connection_carries_many_requests_even_all_at_once() {
    let scratch = Scratch::new("pipeline");
    let server = server(&scratch, settings());
    let mut client = Client::new(server.address);
    let request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100);
    client.write(request.as_bytes()).unwrap();
    for _ in 0..100 {
        assert_eq!(client.read("GET").text(), "ok\n");
    }
}

#[test]
fn stopping_lets_requests_finish_and_closes_the_rest() {
    let scratch = Scratch::new("stop");
    let server = server(&scratch, ServerSettings { search_time: Duration::from_secs(2), ..settings() });
    let address = server.address;
    let mut idle = Client::new(address);
    assert_eq!(idle.get("/healthz").status, 200);
    let busy = std::thread::spawn(move || Client::new(address).get(LONG).status);
    server.until(|server| (server.metric("zermelo_searches_in_flight") == 1).then_some(()));
    server.stop();
    assert!(idle.is_closed());
    assert_eq!(busy.join().unwrap(), 200);
}
