//! Checks the crates that we depend on: their licences, where they come from, and what is known against them.
//!
//! `cargo deny` does the checks that `deny.toml` asks for. Advisories come from a database that is cloned with git.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{have, root};

/// The workspaces that have a `Cargo.lock` of their own.
const WORKSPACES: [&str; 2] = ["Cargo.toml", "fuzz/Cargo.toml"];

pub(crate) fn install() -> Result<()> {
    if have("cargo-deny") {
        return Ok(());
    }
    cargo(&["install", "cargo-deny", "--locked", "--debug"]).context("the tests need cargo-deny: install it")
}

pub(crate) fn run(root: &Path) -> Result<()> {
    check(&["licenses", "bans", "sources"])?;
    if fetch_advisories(root)? {
        return check(&["advisories"]);
    }
    eprintln!("no advisories were checked: the database of known faults cannot be fetched here");
    Ok(())
}

fn check(what: &[&str]) -> Result<()> {
    for workspace in WORKSPACES {
        // Not every exception is needed in each workspace.
        let allowed = ["-A", "license-exception-not-encountered"];
        let args = ["deny", "--manifest-path", workspace, "--config", "deny.toml", "check"];
        cargo(&[&args[..], &allowed, what].concat())?;
    }
    Ok(())
}

fn cargo(args: &[&str]) -> Result<()> {
    eprintln!("\n> cargo {}", args.join(" "));
    let status = Command::new(env!("CARGO")).args(args).current_dir(root()).status();
    match status.context("cannot run cargo")?.success() {
        true => Ok(()),
        false => bail!("cargo {} failed", args.join(" ")),
    }
}

/// Fetches the advisories; returns whether the database is here and up to date now.
fn fetch_advisories(root: &Path) -> Result<bool> {
    eprintln!("\n> cargo deny fetch db");
    let status = Command::new(env!("CARGO"))
        .args(["deny", "fetch", "db"])
        .env("GIT_TERMINAL_PROMPT", "0")
        .stderr(Stdio::null())
        .current_dir(root)
        .status();
    Ok(status.context("cannot run cargo")?.success())
}
