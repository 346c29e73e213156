//! What contributors run: `cargo xtask test` does everything that must pass.

mod beside;
#[cfg(test)]
mod comments;
#[cfg(feature = "compare")]
mod compare;
mod deny;
#[cfg(test)]
mod docs;
mod fuzz;
mod new_game;
mod notices;
mod python;
mod walkthrough;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use beside::Step;
use fuzz::Build;

/// What tests are built with: the program for clusters, which needs MPI, and all of the tools. One set for all tests,
/// so that each crate is compiled once for them.
const FEATURES: [&str; 2] = ["--features", "zermelo-cli/mpi,zermelo-cli/gpu,xtask/compare"];

const HELP: &str = "cargo xtask COMMAND
  test            format, lints, licences, and all tests, those in a browser and a short fuzz run included; the output
                  of steps that run beside others goes to target/xtask, and is shown where one fails
  fuzz [--sanitizer] [SECONDS]
                  run every fuzz target so long (default 300); with the address sanitizer, by the nightly compiler
  setup           install what the tests need and the machine lacks
  notices         make THIRD-PARTY-LICENSES.txt anew, for the crates that are linked into the program
  new-game NAME [--title TITLE] [--outside DIR]
                  make a small game to begin with: with --outside a program of its own in a new folder, such as
                  `cargo xtask new-game stones --outside ../my-games`; without it crates/games/src/NAME.rs and its
                  line in the catalogue
  compare OLD NEW [WORD [TIMES]]
                  whether two builds of the program make the same tables, on threads and as ranks, and the CPU seconds
                  of each, the least of so many runs in turn (default 3); of variants with WORD in their names, or of all;
                  needs `cargo run -p xtask --features compare -- compare ..`
  python          build the wheel of the Python package and run its tests, in a virtual environment of its own
  walkthrough     follow docs/guide/adding-a-game.md, and build and use examples/outside
  web             run the tests of the page in a browser, with the program of a debug build
  licences        check the licences and sources of all crates that we depend on, and what is known against them";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        ["test"] => test(),
        ["fuzz"] => fuzz::run(&root(), Build::Plain, 300),
        ["fuzz", "--sanitizer"] => fuzz::run(&root(), Build::Sanitizer, 300),
        ["fuzz", "--sanitizer", seconds] => fuzz(Build::Sanitizer, seconds),
        ["fuzz", seconds] => fuzz(Build::Plain, seconds),
        ["setup"] => setup().and_then(|()| deny::install()),
        ["notices"] => notices::run(&root()),
        ["new-game", name, ref options @ ..] if !name.starts_with('-') => new_game(name, options),
        ["compare", old, new] => compare(old, new, "", "3"),
        ["compare", old, new, word] => compare(old, new, word, "3"),
        ["compare", old, new, word, times] => compare(old, new, word, times),
        ["python"] => python::run(&root()),
        ["walkthrough"] => walkthrough::run(&root()),
        ["web"] => web(),
        ["licences"] => deny::install().and_then(|()| deny::run(&root())),
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn fuzz(build: Build, seconds: &str) -> Result<()> {
    fuzz::run(&root(), build, seconds.parse().context("want a number of seconds")?)
}

fn new_game(name: &str, options: &[&str]) -> Result<()> {
    let (mut title, mut folder) = (None, None);
    for pair in options.chunks(2) {
        match *pair {
            ["--title", given] if title.is_none() => title = Some(given),
            ["--outside", given] if folder.is_none() => folder = Some(given),
            _ => bail!("new-game does not know {:?}; want [--title TITLE] [--outside DIR]", pair.join(" ")),
        }
    }
    match folder {
        Some(folder) => new_game::outside(&root(), name, title, folder.as_ref()),
        None => new_game::run(&root(), name, title),
    }
}

#[cfg(feature = "compare")]
fn compare(old: &str, new: &str, word: &str, times: &str) -> Result<()> {
    let times = times.parse().context("want a number of runs")?;
    compare::run(old.as_ref(), new.as_ref(), word, times)
}

/// The comparison reads databases, and the crate for them takes a minute to compile, which other commands do not need.
#[cfg(not(feature = "compare"))]
fn compare(_: &str, _: &str, _: &str, _: &str) -> Result<()> {
    bail!("this build of xtask cannot compare; say `cargo run -p xtask --features compare -- compare ..`")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn have(program: &str) -> bool {
    // `ip` alone wants the short form.
    let answers = |arg: &str| Command::new(program).arg(arg).output().is_ok_and(|o| o.status.success());
    answers("--version") || answers("-V")
}

/// Steps that need no program run beside the compiler, and those that have one beside the tests.
fn test() -> Result<()> {
    setup()?;
    let logs = target()?.join("xtask");
    let program = std::env::current_exe().context("the system does not tell where this program is")?;
    let own = |name: &'static str| {
        let mut command = Command::new(&program);
        command.arg(name);
        Step::new(name, command)
    };
    let compiled = vec![
        cargo("format", &["fmt", "--all", "--check"]),
        cargo("format-outside", &["fmt", "--manifest-path", "examples/outside/Cargo.toml", "--check"]),
        cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        with_features("lints-of-all", &["clippy", "--workspace", "--all-targets"], &["--", "-D", "warnings"]),
        // Compiles all that later steps run, the program included. With `--all-targets` cargo would compile the
        // kernels of all games twice, for unit tests that there are none of.
        with_features("compile", &["test", "--workspace", "--no-run"], &[]),
    ];
    beside::run(compiled, vec![own("licences")], &logs)?;
    // The page's tests stumble where more than a core is busy beside them.
    let documents = with_features("documents", &["test", "--workspace", "--doc"], &[]);
    beside::run(vec![own("web")], vec![documents], &logs)?;
    // Last, so that the count of tests closes the output.
    let tests = match have("cargo-nextest") {
        true => with_features("tests", &["nextest", "run", "--workspace"], &[]),
        false => with_features("tests", &["test", "--workspace", "--lib", "--bins", "--tests"], &[]),
    };
    beside::run(vec![tests], vec![own("walkthrough"), own("python")], &logs)
}

fn cargo(name: &'static str, args: &[&str]) -> Step {
    let mut command = Command::new(env!("CARGO"));
    command.args(args).current_dir(root());
    Step::new(name, command)
}

fn with_features(name: &'static str, args: &[&str], more: &[&str]) -> Step {
    cargo(name, &[args, &FEATURES, more].concat())
}

/// The folder that cargo compiles into.
fn target() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    std::fs::create_dir_all(&target).with_context(|| format!("cannot make {}", target.display()))?;
    Ok(target.canonicalize()?)
}

/// Some crates have parts in C, the fuzzer's engine is C++, the page is tested in a browser, the package in Python, the
/// cluster with MPI and formulas against a solver for them; everything else needs Rust alone.
fn setup() -> Result<()> {
    let needed = [
        ("c++", "g++"),
        ("chromium", "chromium"),
        ("node", "nodejs"),
        ("npm", "npm"),
        ("mpirun", "openmpi-bin"),
        ("mpicc", "libopenmpi-dev"),
        ("ip", "iproute2"),
        ("depqbf", "depqbf"),
        ("python3", "python3"),
    ];
    let missing = needed.iter().filter(|(program, _)| !have(program)).map(|(_, name)| *name);
    let missing = missing.chain((!have_libclang()).then_some("libclang-dev"));
    let missing: Vec<_> = missing.chain((!have_venv()).then_some("python3-venv")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("> apt-get install {}", missing.join(" "));
    let apt = |args: &[&str]| {
        let status = Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(args).status();
        status.is_ok_and(|status| status.success())
    };
    let install: Vec<_> =
        ["install", "-y", "--no-install-recommends"].into_iter().chain(missing.iter().copied()).collect();
    // The lists of packages may be missing or old.
    let installed = apt(&install) || (apt(&["update"]) && apt(&install));
    if !installed {
        bail!("the tests need {}: install them", missing.join(", "));
    }
    Ok(())
}

/// Whether Python can make virtual environments, which on Debian is a package of its own.
fn have_venv() -> bool {
    Command::new("python3").args(["-c", "import ensurepip, venv"]).output().is_ok_and(|o| o.status.success())
}

/// The crate for MPI reads the library's headers with libclang, which is no program to be run.
fn have_libclang() -> bool {
    let below =
        |folder: &str| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let llvm =
        below("/usr/lib").filter(|path| path.to_string_lossy().contains("llvm")).map(|path| path.join("lib"));
    let named = std::env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let folders = llvm.chain(named).chain(below("/usr/lib").filter(|path| path.is_dir()));
    let libclang = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // `libclang-cpp` is another library.
        name.starts_with("libclang") && !name.starts_with("libclang-cpp") && name.contains(".so")
    };
    folders.into_iter().any(|folder| below(&folder.to_string_lossy()).any(&libclang))
}

/// The page in a real browser, served by the program that the other tests run.
fn web() -> Result<()> {
    let program = target()?.join("debug").join("zermelo");
    let folder = root().join("tests").join("web");
    let npm = |args: &[&str]| -> Result<bool> {
        eprintln!("\n> npm {}", args.join(" "));
        let status =
            Command::new("npm").args(args).env("ZERMELO_BIN", &program).current_dir(&folder).status();
        Ok(status.context("cannot run npm")?.success())
    };
    if npm(&["ci", "--no-audit", "--no-fund"])? && mostly(|| npm(&["test"]))? {
        return Ok(());
    }
    bail!("the tests in tests/web failed")
}

/// Whether a test passes that may stumble over time on a busy machine: after a failure it must pass twice in a row.
fn mostly(mut test: impl FnMut() -> Result<bool>) -> Result<bool> {
    if test()? {
        return Ok(true);
    }
    eprintln!("\nthat failed; it counts as passed if it now passes twice in a row");
    Ok(test()? && test()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_failed_once_must_pass_twice() {
        for (runs, want) in [
            (&[true][..], true),
            (&[false, true, true], true),
            (&[false, true, false], false),
            (&[false, false], false),
        ] {
            let mut left = runs.iter();
            let passed = mostly(|| left.next().copied().context("one run too many")).expect("no more runs");
            assert_eq!((passed, left.next()), (want, None), "{runs:?}");
        }
    }
}
