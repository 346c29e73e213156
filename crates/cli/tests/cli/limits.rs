//! Limits of the system: threads, address space, a core for each of a thousand threads.

use std::net::TcpListener;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::scratch::{Scratch, text};

/// Returns the output of the command in a shell that has set a limit first.
fn limited(scratch: &Scratch, limit: &str, args: &[&str]) -> Output {
    let mut command = Command::new("bash");
    command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_zermelo")]).args(args);
    command.env("ZERMELO_DATA", scratch.path()).env_remove("RUST_BACKTRACE").output().unwrap()
}

/// Returns the output of the command as a user who may have no second thread; `None` where there can be no such user.
fn without_threads(scratch: &Scratch, args: &[&str]) -> Option<Output> {
    let program = scratch.path().join("program");
    std::fs::copy(env!("CARGO_BIN_EXE_zermelo"), &program).unwrap();
    let shell = "ulimit -u 1; exec \"$0\" \"$@\"";
    // The limit does not hold for root.
    let nobody = ["--reuid=65534", "--clear-groups", "bash", "-c", shell];
    let root =
        std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let mut command = Command::new(if root { "setpriv" } else { "bash" });
    command.args(if root { &nobody[..] } else { &nobody[3..] }).arg(&program).args(args);
    command.current_dir("/").env_remove("RUST_BACKTRACE").env("ZERMELO_DATA", "/nowhere");
    // A machine without `setpriv`, or with folders that other users may not read, does not run the command.
    command.output().ok().filter(|output| !matches!(output.status.code(), Some(126 | 127)))
}

#[test]
fn no_threads_is_an_error_with_a_fix() {
    let scratch = Scratch::new("no-threads");
    for args in [
        &["solve", "mnk", "--no-database", "--threads", "8"][..],
        &["solve", "connect4:rows=4,cols=4", "--no-database"],
        &["count", "mnk"],
        &["check", "mnk"],
        &["query", "pentago", "274440791932540184", "--time", "9"],
    ] {
        let Some(output) = without_threads(&scratch, args) else { return };
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {told}");
        assert!(told.contains("no more threads") && told.contains("ulimit -u"), "{args:?}: {told}");
        assert!(!told.contains("panicked"), "{args:?}: {told}");
    }
    let query = without_threads(&scratch, &["query", "mnk"]).unwrap();
    assert!(query.status.success(), "no thread is needed: {}", text(&query.stderr));
}

#[test]
fn more_threads_than_are_of_use_are_not_made() {
    let scratch = Scratch::new("many-threads");
    let many = scratch.run(&["solve", "mnk", "--threads", "1024", "--no-database", "--json"]);
    assert!(many.status.success(), "{}", text(&many.stderr));
    let cores = std::thread::available_parallelism().unwrap().get();
    if 4 * cores < 1024 {
        assert!(text(&many.stderr).contains("--threads 1024: "), "{}", text(&many.stderr));
    }
    let few = scratch.run(&["solve", "mnk", "--threads", "64", "--no-database"]);
    assert!(few.status.success() && few.stderr.is_empty(), "{}", text(&few.stderr));
}

/// The memory is lowered to what the address space has room for.
#[test]
fn memory_is_lowered_to_the_address_space() {
    let scratch = Scratch::new("address-space");
    let solve = ["solve", "connect4:rows=4,cols=4", "--memory", "20G", "--threads", "2", "--no-database"];
    let output = limited(&scratch, "ulimit -v 1000000", &solve);
    let told = text(&output.stderr);
    assert!(
        output.status.success() && told.contains("--memory 21.5 GB: ") && told.contains("ulimit -v"),
        "{told}"
    );
    let output =
        limited(&scratch, "ulimit -v unlimited", &["solve", "mnk", "--memory", "20M", "--no-database"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let check = limited(&scratch, "ulimit -v 1000000", &["check", "mnk"]);
    let told = text(&check.stdout);
    let free = told.split(" are free").next().and_then(|before| before.rsplit("; ").next());
    assert!(free.is_some_and(|free| free.ends_with(" MB")), "less than a gigabyte: {told}");
}

/// The memory of a server is lowered to the address space, too. The server ends here because another has its port.
#[test]
fn the_memory_of_a_server_is_lowered_too() {
    let scratch = Scratch::new("serve-memory");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let serve = ["serve", "--memory", "20G", "--listen", &listen];
    let output = limited(&scratch, "ulimit -v 4000000", &serve);
    let told = text(&output.stderr);
    assert!(told.contains("--memory 21.5 GB: ") && told.contains("ulimit -v"), "{told}");
}

#[test]
fn out_of_memory_is_an_error_and_no_signal() {
    let scratch = Scratch::new("no-memory");
    for kilobytes in [70_000, 100_000, 150_000, 300_000] {
        let limit = format!("ulimit -c 0; ulimit -v {kilobytes}");
        for args in [
            &["count", "othello", "--plies", "7", "--memory", "2G", "--threads", "2"][..],
            &["solve", "quixo:rows=3,cols=4,line=3", "--memory", "2G", "--threads", "2", "--no-database"],
            &["query", "pentago", "274440791932540184", "--memory", "2G", "--time", "1"],
        ] {
            let output = limited(&scratch, &limit, args);
            let told = text(&output.stderr);
            assert!(
                matches!(output.status.code(), Some(0 | 1)),
                "{limit}, {args:?}: {:?}, {told}",
                output.status
            );
            assert!(!told.contains("panicked"), "{limit}, {args:?}: {told}");
            // A search that does not fit says so on standard output.
            assert!(output.status.success() || !told.is_empty(), "{limit}, {args:?}: without a word");
        }
    }
}

/// With core dumps enabled, an abort leaves one.
#[test]
fn an_abort_has_an_exit_status_unless_core_dumps_are_wanted() {
    for (dumps, code) in [("0", Some(1)), ("1", None)] {
        let script = format!("ulimit -c {dumps} || exit 77; cd /tmp; exec \"$0\" query mnk -");
        let mut command = Command::new("bash");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_zermelo")]);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut answer = [0; 8];
        // The first answer shows that the program is up.
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"1_---------\n").unwrap();
        let read = std::io::Read::read(child.stdout.as_mut().unwrap(), &mut answer).unwrap();
        if read == 0 && child.wait().unwrap().code() == Some(77) {
            continue;
        }
        assert!(Command::new("kill").args(["-ABRT", &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), code, "ulimit -c {dumps}");
    }
}

/// Memory besides the tiers grows with the number of threads, and only a little.
#[test]
fn threads_take_little_memory_besides() {
    let scratch = Scratch::new("threads-memory");
    let peak = |threads: &str| {
        let solve =
            ["solve", "xiangqi:pieces=4", "--memory", "2300K", "--threads", threads, "--fresh", "--json"];
        scratch.json(&solve)["peak_memory_bytes"].as_u64().unwrap()
    };
    // The least of some runs: how much freed memory the C library keeps depends on when threads meet.
    let (one, many) = (peak("1"), (0..4).map(|_| peak("8")).min().unwrap());
    assert!(many < one + 8 * (3 << 19), "{one} bytes with one thread, {many} with 8");
}

#[test]
fn a_sample_of_more_than_all_is_all() {
    let scratch = Scratch::new("sample-all");
    let game = "quixo:rows=3,cols=3,line=3";
    assert!(scratch.run(&["solve", game]).status.success());
    let begun = Instant::now();
    let all = scratch.json(&["verify", game, "--sample", &u64::MAX.to_string(), "--json"]);
    assert!(begun.elapsed() < Duration::from_secs(60));
    let more = scratch.json(&["verify", game, "--sample", "1000000000", "--json"]);
    assert_eq!((&all, &all["wrong"]), (&more, &0.into()));
    assert!(all["checked"].as_u64().unwrap() > 1_000, "{all}");
}

/// The work of describing one game is bounded, even if none of its variants can be tried to the end.
#[test]
fn games_are_told_of_quickly() {
    let scratch = Scratch::new("games-quickly");
    let begun = Instant::now();
    assert!(scratch.run(&["games", "othello:rows=6,cols=6"]).status.success());
    // Ten times the usual time, because machines are busy and tests are slower.
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

/// A server that takes the connection and says nothing.
#[test]
fn a_silent_server_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let scratch = Scratch::new("silent");
    let output =
        scratch.run(&["query", "pentago", "0", "--time", "0", "--slices", &format!("http://{host}/data")]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains(&format!("{host} did not answer within 5 seconds")), "{told}");
    assert!(told.contains("fetch the files"), "{told}");
}
