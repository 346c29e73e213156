//! `zermelo serve`: databases over HTTP.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;
use zermelo::Catalogue;

use crate::serve::{Server, ServerSettings};

use crate::args::Serve;

/// Serves until a signal stops the process.
pub(crate) fn run(catalogue: Catalogue, args: &Serve) -> anyhow::Result<ExitCode> {
    let settings = ServerSettings {
        catalogue,
        listen: args.listen,
        data: args.place.existing()?,
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
    writeln!(out, "Zermelo serves {} on http://{}/", args.place.path().display(), server.address())?;
    out.flush()?;
    drop(out);
    server.run_until_signalled()?;
    Ok(ExitCode::SUCCESS)
}
