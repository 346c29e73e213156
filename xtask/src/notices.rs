//! Writes `THIRD-PARTY-LICENSES.txt`: the crates that are linked into the program, and their licences.
//!
//! `cargo tree` lists these crates: no tools for building, no macros, no tests. The texts are the files that come
//! with each crate. If a crate may be had under one of several licences and MIT is among them, MIT is taken.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The name of the file, in the root of the repository.
const FILE: &str = "THIRD-PARTY-LICENSES.txt";

/// The platform whose crates are listed; on other Unix platforms the crates are the same.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Licences of code that a crate has from others, which the crate's own licences do not cover. Code that is not
/// linked, such as the tools of xz, and licences not chosen, such as zstd's GPL, are left out.
const INNER: [(&str, &str); 6] = [
    ("liblzma-sys", "xz/COPYING.0BSD"),
    ("pyo3", "pyo3-runtime/LICENSE-MIT"),
    ("ring", "src/polyfill/once_cell/LICENSE-MIT"),
    ("ring", "third_party/fiat/LICENSE"),
    ("tracing-core", "src/spin/LICENSE"),
    ("zstd-sys", "zstd/LICENSE"),
];

/// How the names of files with licences begin.
const NAMES: [&str; 5] = ["license", "licence", "copying", "copyright", "notice"];

const HEAD: &str = "The program `zermelo` and its Python package hold code of the crates below, with all features. Each is named \
with its version and\nits licence; the texts follow. `cargo xtask notices` makes this file.\n\n\
Rust's standard library is in the program too, under MIT or Apache-2.0. Its own notices come with the compiler:\n\
`share/doc/rust/COPYRIGHT-library.html` in the folder that `rustc --print sysroot` tells.\n";

/// The text that the MIT licence asks to be repeated, for crates that come without it.
const MIT: &str = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software \
and associated\ndocumentation files (the \"Software\"), to deal in the Software without restriction, including \
without limitation the\nrights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies \
of the Software, and to permit\npersons to whom the Software is furnished to do so, subject to the following \
conditions:\n\nThe above copyright notice and this permission notice shall be included in all copies or \
substantial portions of the\nSoftware.\n\nTHE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, \
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE\nWARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR \
PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR\nCOPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES \
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR\nOTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION \
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.";

/// A crate that is linked: `anyhow`, `1.0.104`, `MIT OR Apache-2.0`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Linked {
    name: String,
    version: String,
    licence: String,
}

/// The folder of a crate's files, and the authors of the crate.
struct Origin {
    folder: PathBuf,
    authors: Vec<String>,
}

pub(crate) fn run(root: &Path) -> Result<()> {
    let text = notices(root)?;
    std::fs::write(root.join(FILE), text).with_context(|| format!("cannot write {FILE}"))
}

/// Returns the text of the whole file.
fn notices(root: &Path) -> Result<String> {
    let linked = linked(root)?;
    let origins = origins(root)?;
    // The crates of each text; many crates have the same text.
    let mut texts: BTreeMap<String, Vec<&Linked>> = BTreeMap::new();
    for one in &linked {
        let origin = origins.get(&(one.name.clone(), one.version.clone()));
        let origin = origin.with_context(|| format!("cargo metadata does not have {}", one.name))?;
        for text in texts_of(one, origin).with_context(|| format!("{} {}", one.name, one.version))? {
            let crates = texts.entry(text).or_default();
            // A crate may have one text in several files.
            if crates.last() != Some(&one) {
                crates.push(one);
            }
        }
    }
    let mut texts: Vec<_> = texts.into_iter().map(|(text, crates)| (crates, text)).collect();
    texts.sort();
    let mut out = HEAD.to_string();
    out.push('\n');
    for Linked { name, version, licence } in &linked {
        writeln!(out, "{name} {version}: {licence}")?;
    }
    for (crates, text) in texts {
        let names: Vec<_> = crates.iter().map(|one| one.name.as_str()).collect();
        write!(out, "\n{}\n{}\n\n{text}\n", "-".repeat(80), names.join(", "))?;
    }
    Ok(out)
}

/// Returns the crates of others that are linked into the program or into the Python package, by name.
fn linked(root: &Path) -> Result<Vec<Linked>> {
    let packages = ["--package", "zermelo-cli", "--package", "zermelo-python"];
    let args = [&["tree", "--locked"][..], &packages, &["--all-features", "--target", TARGET]].concat();
    let shape = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}\t{l}\t"];
    let text = told(root, &[&args[..], &shape].concat())?;
    let mut linked = vec![];
    // A blank line stands between the trees of two packages.
    for line in text.lines().filter(|line| !line.is_empty()) {
        let mut parts = line.split('\t');
        let (Some(package), Some(licence)) = (parts.next(), parts.next()) else {
            bail!("cargo tree: {line}")
        };
        // Our own crates have their folders after their versions.
        if package.ends_with(')') {
            continue;
        }
        let (name, version) = package.split_once(" v").with_context(|| format!("cargo tree: {line}"))?;
        linked.push(Linked { name: name.into(), version: version.into(), licence: licence.into() });
    }
    linked.sort();
    linked.dedup();
    Ok(linked)
}

/// Returns all crates that Cargo knows here, by name and version.
fn origins(root: &Path) -> Result<HashMap<(String, String), Origin>> {
    let args =
        ["metadata", "--locked", "--all-features", "--format-version", "1", "--filter-platform", TARGET];
    let metadata: Value = serde_json::from_str(&told(root, &args)?)?;
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let origin = |package: &Value| {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_string();
        let folder = Path::new(&text("manifest_path")).parent().unwrap_or(Path::new("")).to_path_buf();
        let authors = package["authors"].as_array().into_iter().flatten();
        let authors = authors.filter_map(|author| author.as_str().map(String::from)).collect();
        ((text("name"), text("version")), Origin { folder, authors })
    };
    Ok(packages.iter().map(origin).collect())
}

fn told(root: &Path, args: &[&str]) -> Result<String> {
    let output =
        Command::new(env!("CARGO")).args(args).current_dir(root).output().context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo {}: {}", args[0], String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Returns the texts to repeat for a crate.
fn texts_of(linked: &Linked, origin: &Origin) -> Result<Vec<String>> {
    let found = files(&origin.folder, &origin.folder, 0)?;
    let (own, inner): (Vec<_>, Vec<_>) = found.into_iter().partition(|file| !file.contains('/'));
    let known: Vec<_> =
        INNER.iter().filter(|(name, _)| *name == linked.name).map(|(_, file)| *file).collect();
    if let Some(file) = inner.first().filter(|_| known.is_empty()) {
        bail!("{file} is a licence of its own: say in xtask/src/notices.rs whether it matters");
    }
    let chosen = chosen(&linked.licence, &own);
    if chosen.is_empty() && linked.licence.contains("MIT") {
        return Ok(vec![format!("Copyright (c) {}\n\n{MIT}", origin.authors.join(", "))]);
    }
    if chosen.is_empty() {
        bail!("comes without the text of its licence, {}", linked.licence);
    }
    let read = |file: &str| {
        let text = std::fs::read_to_string(origin.folder.join(file)).with_context(|| file.to_string())?;
        Ok(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches('\n').to_string())
    };
    chosen.into_iter().chain(known).map(read).collect()
}

/// Returns the files with licences in a crate's folder and in the folders below, as paths from there.
fn files(top: &Path, folder: &Path, depth: u32) -> Result<Vec<String>> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if entry.file_type()?.is_dir() && depth < 3 {
            found.extend(files(top, &entry.path(), depth + 1)?);
        } else if NAMES.iter().any(|begin| name.starts_with(begin)) && entry.file_type()?.is_file() {
            found.push(entry.path().strip_prefix(top)?.to_string_lossy().into_owned());
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the files of the licence that is taken, and the files that name authors.
fn chosen<'a>(licence: &str, files: &'a [String]) -> Vec<&'a str> {
    let says = |file: &str, word: &str| file.to_lowercase().contains(word);
    let may_choose = !licence.contains("AND") && files.iter().any(|file| says(file, "mit"));
    let other =
        |file: &str| ["apache", "zlib", "unlicense", "0bsd", "boost"].iter().any(|word| says(file, word));
    files.iter().map(String::as_str).filter(|file| !may_choose || !other(file)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notices_are_of_what_is_linked() {
        let root = crate::root();
        let committed = std::fs::read_to_string(root.join(FILE)).expect(FILE);
        let fresh = notices(&root).expect("the licences of all crates");
        assert!(
            committed == fresh,
            "{FILE} does not fit the crates of Cargo.lock: run `cargo xtask notices`"
        );
    }

    #[test]
    fn mit_is_taken_where_it_may_be() {
        let files = ["COPYRIGHT", "LICENSE-APACHE", "LICENSE-MIT"].map(String::from);
        assert_eq!(chosen("MIT OR Apache-2.0", &files), ["COPYRIGHT", "LICENSE-MIT"]);
        assert_eq!(chosen("MIT AND Apache-2.0", &files), ["COPYRIGHT", "LICENSE-APACHE", "LICENSE-MIT"]);
        assert_eq!(chosen("Apache-2.0", &files[1..2]), ["LICENSE-APACHE"]);
    }
}
