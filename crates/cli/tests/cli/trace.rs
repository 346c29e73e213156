//! The trace of `solve --trace`: a file that Perfetto reads.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::scratch::{Scratch, text};

#[test]
fn a_trace_tells_what_every_thread_did() {
    let scratch = Scratch::new("trace");
    let file = scratch.path().join("trace.json");
    let game = "mnk:rows=4,cols=4,line=4";
    let output = scratch.run(&["solve", game, "--threads", "2", "--trace", file.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let events: Vec<Value> = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();

    let spans: Vec<&Value> = events.iter().filter(|e| e["ph"] == "X").collect();
    let kinds: BTreeSet<&str> = spans.iter().map(|e| e["cat"].as_str().unwrap()).collect();
    for kind in ["compute", "compress", "write", "wait"] {
        assert!(kinds.contains(kind), "{kinds:?}");
    }
    // Every tier is computed and written once.
    for kind in ["compute", "write"] {
        assert_eq!(spans.iter().filter(|e| e["cat"] == kind).count(), 17, "{kind}");
    }
    let named = |e: &&Value| e["name"] == "compute 0 own, 0 other, 16 blank";
    assert_eq!(spans.iter().copied().filter(named).count(), 1, "tiers are named");
    // On each thread, spans lie inside each other or apart; the spans of chunks are estimates.
    let mut threads: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for span in spans.iter().filter(|e| e["cat"] != "help") {
        let number = |key: &str| span[key].as_u64().unwrap();
        threads.entry(number("tid")).or_default().push((number("ts"), number("ts") + number("dur")));
    }
    assert!(threads.keys().all(|tid| *tid <= 2), "{:?}", threads.keys());
    for (tid, spans) in threads {
        for (a, b) in &spans {
            let crosses = |(c, d): &&(u64, u64)| c > a && c + 1 < *b && *d > b + 1;
            assert_eq!(spans.iter().find(crosses), None, "thread {tid}: {a}..{b}");
        }
    }

    let refused = scratch.run(&["solve", game, "--trace", "/no/such/folder/trace.json"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("cannot write /no/such/folder/trace.json"));
}

/// The result is printed; that the trace is not whole is an error all the same.
#[test]
fn a_trace_that_cannot_be_written_is_an_error() {
    let scratch = Scratch::new("trace-full");
    let full = scratch.run(&["solve", "mnk", "--trace", "/dev/full", "--json"]);
    let told = text(&full.stderr);
    assert_eq!(full.status.code(), Some(1), "{told}");
    assert!(told.contains("trace /dev/full") && told.contains("No space left"), "{told}");
    let solved: Value = serde_json::from_slice(&full.stdout).unwrap();
    assert_eq!(solved["value"], "tie");
    assert!(scratch.run(&["solve", "mnk"]).status.success(), "it is solved already");
}
