//! The Python package: its wheel is built with what the other tests have compiled, installed into a virtual environment
//! of its own, and tested there.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// What the tests of the package need, besides what it depends on.
const NEEDED: [&str; 6] = ["maturin>=1.9,<2", "numpy", "pandas", "matplotlib", "pytest", "pytest-timeout"];

/// The features of the wheel under test: those of the other tests, so that no crate is compiled twice.
const FEATURES: &str = "zermelo-cli/mpi,zermelo-cli/gpu";

/// Builds the wheel, installs it and runs its tests.
pub(crate) fn run(root: &Path) -> Result<()> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    std::fs::create_dir_all(&target)?;
    let target = target.canonicalize()?;
    let (home, wheels) = (target.join("python"), target.join("python").join("wheels"));
    let (venv, tools) = (home.join("venv"), home.join("venv").join("bin"));
    let python = tools.join("python");
    if !python.exists() {
        told(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    told(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(NEEDED))?;
    // Only the wheel that is built now is to be found.
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let mut build = Command::new(tools.join("maturin"));
    build.args(["build", "--profile", "dev", "--features", FEATURES, "--auditwheel", "skip"]);
    build.arg("--interpreter").arg(&python).arg("--out").arg(&wheels);
    told(build.env("CARGO_TARGET_DIR", &target).current_dir(root))?;
    let wheel = std::fs::read_dir(&wheels)?.flatten().map(|file| file.path()).next();
    let wheel = wheel.context("maturin has made no wheel")?;
    let name = wheel.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    ensure!(name.contains("abi3"), "the wheel {name} is for one version of Python only");
    let install = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"];
    told(Command::new(&python).args(install).arg(&wheel))?;
    // Commands of the guide and of tests are those of the package.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&path)))?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "--quiet", "--timeout", "600", "-p", "no:cacheprovider"]).env("PATH", path);
    told(tests.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(root))
}

/// Runs a command, which must succeed.
fn told(command: &mut Command) -> Result<()> {
    let line = format!("{command:?}");
    eprintln!("\n> {line}");
    match command.status().with_context(|| format!("cannot run {line}"))?.success() {
        true => Ok(()),
        false => bail!("{line} failed"),
    }
}
