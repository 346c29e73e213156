//! `mpirun ... zermelo solve`: the command `solve` in one of many processes that solve one game together.

use std::process::ExitCode;
#[cfg(feature = "mpi")]
use std::{convert::Infallible, os::unix::process::CommandExt, sync::Arc, time::Instant};
use zermelo::Catalogue;

#[cfg(feature = "mpi")]
use {
    super::solve::{Outcome, end_trace, tell_all},
    anyhow::Context,
    zermelo::cluster::{self, Mpi, Net},
    zermelo::{
        Checks, Progress, Settings, SolveError, Trace, cpu_seconds, full_name, merge_traces, trace_part,
    },
};

use crate::args::Solve;

/// Refuses to solve: without MPI the processes would get in each other's way.
#[cfg(not(feature = "mpi"))]
pub(crate) fn run(_catalogue: Catalogue, _: &Solve) -> anyhow::Result<ExitCode> {
    anyhow::bail!(
        "mpirun or srun has started several of this program, which was built without MPI; build it with \
         `cargo build --release --features mpi`, or start it alone"
    )
}

/// The variable that makes a waiting process of Open MPI give its core to other processes.
#[cfg(feature = "mpi")]
const YIELD: &str = "OMPI_MCA_mpi_yield_when_idle";

/// Solves a game with all processes that were started together.
#[cfg(feature = "mpi")]
pub(crate) fn run(catalogue: Catalogue, args: &Solve) -> anyhow::Result<ExitCode> {
    let open_mpi = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK"].iter().any(|name| std::env::var_os(name).is_some());
    if open_mpi && std::env::var_os(YIELD).is_none() {
        // The library reads its environment before anything else, so the program starts again with the variable set.
        let program = std::env::current_exe().context("cannot find this program")?;
        let error =
            std::process::Command::new(program).args(std::env::args_os().skip(1)).env(YIELD, "1").exec();
        return Err(error).context("cannot start this program again");
    }
    let net = Mpi::start().map_err(anyhow::Error::msg)?;
    let outcome = take_part(catalogue, args, &net);
    outcome.or_else(|error| {
        let status = if crate::cli::is_bad_input(&error) { 2 } else { 1 };
        cluster::withdraw(&net, &format!("{error:#}"));
        eprintln!("zermelo: {error:#}");
        net.abort(status)
    })
}

#[cfg(feature = "mpi")]
fn take_part(catalogue: Catalogue, args: &Solve, net: &Mpi) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(!args.keep_going, "--keep-going is for a solve in one process; leave it out");
    let (begun, cpu_begun) = (Instant::now(), cpu_seconds());
    let (engine, objective) = (args.engine.as_deref(), args.which.objective.as_deref());
    let open = |engine| catalogue.open_all(&args.which.game, engine, objective, args.from.as_deref());
    // The engine asked for comes first. Other engines may be able to split a tier that it cannot split.
    let mut ways = open(engine)?;
    ways.truncate(1);
    ways.extend(open(None)?);
    let game = &ways[0];
    let settings = settings(args, net);
    let trace = args.trace.as_deref().map(|path| {
        let part = trace_part(path, net.rank());
        Trace::create(&part, net.rank() as u32, settings.threads)
            .with_context(|| format!("cannot write {}", part.display()))
    });
    let own = Progress::new("work").traced(trace.transpose()?).remarked(super::remark);
    let progress = Progress::new("solve").remarked(super::remark);
    let options = format!(
        "{} with engine {} for {} in {}{}",
        full_name(game),
        game.takes.name,
        game.objective,
        args.place.path().display(),
        if args.fresh { ", --fresh" } else { "" }
    );
    let options = game.from.as_ref().map_or(options.clone(), |from| format!("{options} from {from}"));
    let end = |error: &SolveError| -> Infallible {
        eprintln!("zermelo: {error}");
        net.abort(1)
    };
    let solved = std::thread::scope(|scope| {
        let _shown = (net.rank() == 0).then(|| progress.show(scope));
        let solved = cluster::solve(net, &ways, &options, &settings, &progress, &own, &end);
        own.tell_more();
        solved
    });
    let Some(solved) = solved? else {
        end_trace(args, &own)?;
        return Ok(ExitCode::SUCCESS);
    };
    let cpu = solved.ranks.iter().map(|rank| rank.stats.cpu).sum::<f64>().max(cpu_seconds() - cpu_begun);
    let cluster::ClusterSolution { solution, ranks } = solved;
    let seconds = begun.elapsed().as_secs_f64();
    let outcome = Outcome { solution, analysis: None, seconds, cpu_seconds: cpu, ranks };
    tell_all(args, ways.swap_remove(0), &settings, &outcome)?;
    end_trace(args, &own)?;
    if let Some(path) = &args.trace
        && let Err(error) = merge_traces(path, net.size())
    {
        eprintln!(
            "zermelo: the traces of all ranks could not be put together in {}: {error}",
            path.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the settings of this process. A machine's cores and memory are shared out among the processes on it.
#[cfg(feature = "mpi")]
fn settings(args: &Solve, net: &Mpi) -> Settings {
    let standard = Settings::default();
    let here = net.neighbours();
    let threads = super::threads(args.resources.threads).unwrap_or((standard.threads / here).max(1));
    let memory = super::memory(args.resources.memory, threads).unwrap_or(standard.memory / here as u64);
    Settings {
        data: (!args.no_database).then(|| args.place.path()),
        threads,
        memory,
        fresh: args.fresh,
        check: (args.check > 0).then(|| Arc::new(Checks::of(args.check))),
        ..standard
    }
}
