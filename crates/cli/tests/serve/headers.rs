//! The headers of answers: caching, other sites, protection, compression.

use crate::client::{Client, shared};

const START: &str = "/api/v1/games/mnk/default/position?p=1_---------";

#[test]
fn an_unchanged_answer_is_not_sent_again() {
    for path in
        [START, "/api/v1/games/mnk/default/line", "/universal/v1/mnk/default/positions/?p=1_---------", "/"]
    {
        let first = shared().get(path);
        let mark = first.header("etag").unwrap_or_else(|| panic!("{path} has no mark")).to_string();
        let mut client = Client::new(shared().address);
        // A star would be answered before the position was checked.
        for known in [mark.as_str(), "\"other\", W/\"x\"", "*"] {
            let again = client.send("GET", path, &[("if-none-match", known)], b"");
            let same = known == mark;
            assert_eq!(again.header("cache-control"), first.header("cache-control"), "{path}");
            assert_eq!(again.status, if same { 304 } else { 200 }, "{path} {known}");
            assert_eq!(again.header("etag"), Some(mark.as_str()));
            assert_eq!(again.body.is_empty(), same);
        }
    }
    let (one, other) = (shared().get(START), shared().get(&START.replace("1_---------", "2_x--------")));
    assert_ne!(one.header("etag"), other.header("etag"));
    assert_eq!(one.header("cache-control"), Some("public, max-age=3600"));
}

#[test]
fn every_answer_is_protected_and_open_to_other_sites() {
    for path in [START, "/", "/api/v1/games/chess", "/metrics", "/universal/v1/", "/nothing.js"] {
        let reply = shared().get(path);
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{path}");
    }
    let mut client = Client::new(shared().address);
    let headers = [
        ("origin", "http://a.test"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type"),
    ];
    let asked = client.send("OPTIONS", "/api/v1/games/mnk/default/positions", &headers, b"");
    assert_eq!(asked.status, 200);
    assert!(asked.header("access-control-allow-methods").unwrap().contains("POST"));
    assert!(asked.header("access-control-allow-headers").unwrap().contains("content-type"));
}

#[test]
fn only_large_answers_are_compressed() {
    let mut client = Client::new(shared().address);
    let small = client.send("GET", START, &[("accept-encoding", "gzip")], b"");
    assert_eq!(small.header("content-encoding"), None);
    // A compressed answer comes in chunks, which this client does not read; the head is enough.
    let path = "/api/v1/openapi.json";
    let large = Client::new(shared().address).send("HEAD", path, &[("accept-encoding", "gzip")], b"");
    assert_eq!(
        (large.header("content-encoding"), large.header("vary")),
        (Some("gzip"), Some("accept-encoding"))
    );
    let plain = shared().get(path);
    assert!(plain.body.len() > 8192 && plain.header("content-encoding").is_none());
}

#[test]
fn the_page_has_the_files_of_its_folders() {
    let board = shared().get("/ui/boards/connect4.js");
    assert_eq!(board.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert!(String::from_utf8_lossy(&board.body).contains("extends Look"));
}

#[test]
fn the_page_is_served_for_every_place_in_it() {
    let page = shared().get("/");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    for place in ["/quixo", "/quixo/rows=3,cols=3,line=3?p=1_---------", "/ui/index.html"] {
        assert_eq!(shared().get(place).body, page.body, "{place}");
    }
    assert_eq!(shared().get("/docs").body, page.body);
    let head = Client::new(shared().address).send("HEAD", "/", &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn who_looks_for_the_api_is_sent_to_its_page() {
    for path in ["/api", "/api/", "/api/v1", "/api/v1/"] {
        let sent = shared().get(path);
        assert_eq!((sent.status, sent.header("location")), (307, Some("/docs")), "{path}");
    }
    assert!(shared().get("/api/v2").refused(404).contains("/docs"));
}
