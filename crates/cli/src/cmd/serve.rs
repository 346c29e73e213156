//! `zermelo serve`: databases over HTTP.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use zermelo::Catalogue;
use zermelo_core::Complaint;

use crate::serve::{Server, ServerSettings};

use crate::args::Serve;

/// Serves until a signal stops the process.
pub(crate) fn run(catalogue: Catalogue, args: &Serve) -> anyhow::Result<ExitCode> {
    let settings = ServerSettings {
        catalogue,
        listen: args.listen,
        data: folder(args)?,
        slices: args.published.place(),
        memory: super::memory(args.memory, zermelo::cores().1).unwrap_or_else(zermelo::serve_memory),
        search_time: Duration::from_secs_f64(args.search_time),
        per_client: args.per_client,
        concurrency: args.concurrency as usize,
        connections: args.connections as usize,
        behind_proxy: args.behind_proxy,
        may_solve: !args.no_solve,
        solve_disk: args.solve_disk,
        hosts: args.hosts.clone(),
        ui: args.ui.clone(),
        quiet: args.quiet,
    };
    let server = Server::bind(settings)?;
    let mut out = std::io::stdout().lock();
    let address = format!("http://{}/", server.address());
    writeln!(out, "Zermelo serves {} on {address}", args.place.path().display())?;
    out.flush()?;
    drop(out);
    if args.open && !open(&address) {
        super::remark(&format!("no browser could be started; open {address} yourself, or set $BROWSER"));
    }
    server.run_until_signalled()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the directory of the databases. One that was named and is not there is made where solves may fill it.
fn folder(args: &Serve) -> anyhow::Result<PathBuf> {
    if let Some(data) = args.place.data.as_ref().filter(|data| !args.no_solve && !data.exists()) {
        std::fs::create_dir(data).map_err(|error| {
            let data = data.display();
            Complaint::new(format!(
                "--data {data}: there is no such directory, and it cannot be made: {error}"
            ))
        })?;
        super::remark(&format!("{} is new, and empty", data.display()));
    }
    Ok(args.place.existing()?)
}

/// Opens a page in the browser that the user has chosen, or else in the system's. Returns whether one was started.
fn open(address: &str) -> bool {
    let chosen = std::env::var("BROWSER").ok().filter(|browser| !browser.is_empty());
    let programs = chosen.iter().map(String::as_str).chain(["xdg-open", "open", "wslview"]);
    programs.into_iter().any(|program| {
        let (input, output) = (Stdio::null(), Stdio::null());
        let started =
            Command::new(program).arg(address).stdin(input).stdout(output).stderr(Stdio::null()).spawn();
        // The browser is waited for on a thread, so that no dead process is left over.
        let waited = |mut browser: std::process::Child| {
            let waiter = std::thread::Builder::new().spawn(move || browser.wait());
            drop(waiter);
        };
        started.map(waited).is_ok()
    })
}
