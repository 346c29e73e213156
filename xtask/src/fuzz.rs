//! Coverage-guided fuzzing of everything that reads what others wrote: the targets of the `fuzz` folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Targets of the `fuzz` folder.
const TARGETS: [&str; 3] = ["position", "variant", "tables"];

/// What a coverage-guided fuzzer needs compiled in. All are stable compiler flags.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// What finds accesses outside of what was allocated. Our own code that is fuzzed is safe, but the
/// decompressors are C, which `CFLAGS` brings under the same watch. It wants a nightly compiler.
/// Scopes are not watched in C: gcc 12 takes a static table of zstd for a variable out of scope.
const SANITIZER: &str = "-Zsanitizer=address";
const C_SANITIZER: &str = "-fsanitize=address -fno-sanitize-address-use-after-scope -fno-omit-frame-pointer";

/// How the targets are built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// With the coverage alone, by the usual compiler.
    Plain,
    /// With the address sanitizer, by the nightly compiler.
    Sanitizer,
}

impl Build {
    /// Where it is put below the folder, so that neither undoes the other.
    fn folder(self) -> &'static str {
        match self {
            Build::Plain => "target",
            Build::Sanitizer => "target/sanitizer",
        }
    }

    /// Megabytes that a target may take; the sanitizer takes several times as much.
    fn memory(self) -> u32 {
        match self {
            Build::Plain => 1024,
            Build::Sanitizer => 4096,
        }
    }

    fn cargo(self, target: &str) -> Command {
        match self {
            Build::Plain => {
                let mut cargo = Command::new(env!("CARGO"));
                cargo.env("RUSTFLAGS", COVERAGE);
                cargo
            }
            Build::Sanitizer => {
                let mut cargo = Command::new("rustup");
                cargo.args(["run", "nightly", "cargo"]).env("RUSTFLAGS", format!("{SANITIZER} {COVERAGE}"));
                cargo.env(format!("CFLAGS_{}", target.replace('-', "_")), C_SANITIZER);
                cargo
            }
        }
    }
}

/// Runs every target so long, beginning with the committed seeds and what was found before.
pub(crate) fn run(root: &Path, build: Build, seconds: u32) -> Result<()> {
    eprintln!("\n> fuzz {} for {seconds} s each", TARGETS.join(", "));
    let folder = root.join("fuzz");
    let programs = compile(&folder, build)?;
    for name in TARGETS {
        let corpus = folder.join("corpus").join(name);
        let artifacts = folder.join("artifacts").join(name);
        std::fs::create_dir_all(&corpus)?;
        std::fs::create_dir_all(&artifacts)?;
        let run = Command::new(programs.join(name))
            .arg(&corpus)
            .arg(folder.join("seeds").join(name))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-rss_limit_mb={}", build.memory()))
            .args(["-timeout=10", "-max_len=4096", "-print_final_stats=1"])
            .output()
            .context("cannot run the fuzzer")?;
        let told = String::from_utf8_lossy(&run.stderr);
        if !run.status.success() {
            bail!("{told}\nfuzz target {name} found something; the input is in {}", artifacts.display());
        }
        let runs = told.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        eprintln!("fuzz {name}: {} inputs, no finding", runs.unwrap_or("?").trim());
    }
    Ok(())
}

/// Builds the targets and tells where they are.
fn compile(folder: &Path, build: Build) -> Result<PathBuf> {
    let target = target_triple()?;
    let status = build
        .cargo(&target)
        .args(["build", "--release", "--quiet", "--target", &target, "--target-dir", build.folder()])
        .current_dir(folder)
        .status();
    if !status.context("cannot run cargo")?.success() {
        bail!("the fuzz targets do not build");
    }
    Ok(folder.join(build.folder()).join(target).join("release"))
}

/// With a target named, build scripts and macros are spared the flags for the fuzzer.
fn target_triple() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not tell its host")?.to_string())
}
