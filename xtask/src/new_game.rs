//! `cargo xtask new-game`: makes a game to begin with, in a program of its own or in this workspace. The game is the one
//! that docs/guide/adding-a-game.md explains, under another name, so that the game made and the game explained cannot
//! differ.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The page that contains the template.
pub(crate) const DOCUMENT: &str = "docs/guide/adding-a-game.md";
/// The files that name every game.
pub(crate) const LIBRARY: &str = "crates/games/src/lib.rs";
pub(crate) const CATALOGUE: &str = "crates/catalogue/src/games.rs";

/// Words that a module cannot be called: the words of Rust, and the libraries that every program has.
const RESERVED: [&str; 55] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield", "lib", "alloc", "core", "std",
];

/// Makes a program with a game in a new folder and says what to do next.
pub(crate) fn outside(root: &Path, name: &str, title: Option<&str>, folder: &Path) -> Result<()> {
    let title = title.map_or_else(|| capital(name), String::from);
    make_outside(root, name, &title, folder)?;
    eprintln!("made {}, a program with every command of zermelo and the game {name}", folder.display());
    eprintln!("it is a game of taking stones until you make it yours; {DOCUMENT} explains it. Next:");
    eprintln!("  cd {}\n  cargo test\n  cargo run -- check {name}", folder.display());
    eprintln!("  cargo run -- solve {name}\n  cargo run -- play {name}");
    Ok(())
}

fn make_outside(root: &Path, name: &str, title: &str, folder: &Path) -> Result<()> {
    let read =
        |file: &str| std::fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"));
    let (document, library) = (read(DOCUMENT)?, read(LIBRARY)?);
    let used = program("stones", "Stones");
    check_name(root, name, &library, &[("the main file", &used), (DOCUMENT, template(&document)?)])?;
    check_title(title)?;
    if std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()) || folder.is_file() {
        bail!("{} is not empty; choose a folder that does not exist yet", folder.display());
    }
    let made = (|| {
        std::fs::create_dir_all(folder.join("src"))?;
        std::fs::write(folder.join("Cargo.toml"), manifest(&root.canonicalize()?, name))?;
        std::fs::write(folder.join(".gitignore"), "/target\n/zermelo-data\n")?;
        // The versions of all other crates are those that this workspace is tested with.
        std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        std::fs::write(folder.join("src/main.rs"), formatted(root, program(name, title)))?;
        let game = game(&document, name, title).map_err(std::io::Error::other)?;
        std::fs::write(folder.join(format!("src/{name}.rs")), formatted(root, game))
    })();
    made.with_context(|| format!("cannot write to {}", folder.display()))
}

/// Returns the manifest of a program outside.
fn manifest(root: &Path, name: &str) -> String {
    let crates = root.join("crates");
    let path = |part: &str| format!("{:?}", crates.join(part).display().to_string());
    format!(
        "[package]
name = \"{name}-game\"
version = \"0.1.0\"
edition = \"2024\"
publish = false

[dependencies]
zermelo = {{ path = {} }}
zermelo-cli = {{ path = {} }}

# Solvers are many times slower without optimisation.
[profile.dev]
opt-level = 2
debug = false

# Not a part of any workspace.
[workspace]
",
        path("zermelo"),
        path("cli")
    )
}

/// Returns the main file of a program outside.
fn program(name: &str, title: &str) -> String {
    let own = capital(name);
    format!(
        "//! {title}, with every command of `zermelo` and every game of its catalogue.

mod {name};

use std::process::ExitCode;

use {name}::{own};
use zermelo::kit::{{Catalogue, Entry, Retrograde, Sweep, way}};

/// The games to add, each with the engines that can solve it, the preferred one first.
static GAMES: &[Entry] = &[Entry::new::<{own}>(&[way::<Sweep<{own}>>(), way::<Retrograde<{own}>>()])];

fn main() -> ExitCode {{
    match Catalogue::standard().with(GAMES) {{
        Ok(catalogue) => zermelo_cli::cli::run(catalogue),
        Err(complaint) => {{
            eprintln!(\"{name}: {{complaint}}\");
            ExitCode::FAILURE
        }}
    }}
}}
"
    )
}

/// Makes a game in a workspace and says what to do next.
pub(crate) fn run(root: &Path, name: &str, title: Option<&str>) -> Result<()> {
    let title = title.map_or_else(|| capital(name), String::from);
    make(root, name, &title)?;
    eprintln!("made {}, and entered it in {LIBRARY} and {CATALOGUE}", module(name));
    eprintln!("it is a game of taking stones until you make it yours; {DOCUMENT} explains it. Next:");
    eprintln!("  cargo test -p zermelo-games {name}\n  cargo run --release -- check {name}");
    eprintln!("  cargo run --release -- solve {name}\n  cargo run --release -- play {name}");
    Ok(())
}

/// Returns the path of the file of a game.
pub(crate) fn module(name: &str) -> String {
    format!("crates/games/src/{name}.rs")
}

/// Returns the name of a game's type.
pub(crate) fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

fn make(root: &Path, name: &str, title: &str) -> Result<()> {
    let read =
        |file: &str| std::fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"));
    let (library, catalogue) = (read(LIBRARY)?, read(CATALOGUE)?);
    let document = read(DOCUMENT)?;
    check_name(root, name, &library, &[(CATALOGUE, &catalogue), (DOCUMENT, template(&document)?)])?;
    check_title(title)?;
    let game = inside(&game(&document, name, title)?);
    let (library, catalogue) = (in_library(&library, name)?, in_catalogue(&catalogue, name)?);
    write_all(root, &[(&module(name), game), (LIBRARY, library), (CATALOGUE, catalogue)])
}

/// Writes files. If one cannot be written, the others are restored, so that no game is left half made.
fn write_all(root: &Path, files: &[(&str, String)]) -> Result<()> {
    let before: Vec<_> = files.iter().map(|(file, _)| std::fs::read(root.join(file)).ok()).collect();
    for (at, (file, text)) in files.iter().enumerate() {
        let written = std::fs::write(root.join(file), formatted(root, text.clone()));
        if let Err(error) = written.with_context(|| format!("cannot write {file}; nothing was changed")) {
            for ((file, _), old) in files.iter().zip(&before).take(at + 1) {
                // Nothing more can be done about a file that cannot be restored.
                let _ = match old {
                    Some(old) => std::fs::write(root.join(file), old),
                    None => std::fs::remove_file(root.join(file)),
                };
            }
            return Err(error);
        }
    }
    Ok(())
}

fn check_title(title: &str) -> Result<()> {
    if title.is_empty() || title.contains(['"', '\\']) || title.chars().any(char::is_control) {
        bail!("--title {title:?}: want a few words without quotes or backslashes");
    }
    Ok(())
}

fn check_name(root: &Path, name: &str, library: &str, programs: &[(&str, &str)]) -> Result<()> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    if !name.bytes().all(plain) || !name.starts_with(|c: char| c.is_ascii_lowercase()) || name.len() > 30 {
        bail!(
            "{name:?} cannot be the name of a game: want lower-case letters and digits, a letter first, at most 30"
        );
    }
    if RESERVED.contains(&name) {
        bail!(
            "{name:?} cannot be the name of a game: it is a word of Rust or one of its libraries; choose another"
        );
    }
    let folder = root.join("crates/games/src").join(name);
    if library.contains(&format!("\nmod {name};\n")) || root.join(module(name)).exists() || folder.exists() {
        bail!("there is a game {name} already, in crates/games/src; choose another name");
    }
    let own = capital(name);
    // The type name in the template is no obstacle, because it is replaced.
    let taken = programs.iter().find(|(_, text)| words(text).any(|word| word == own && word != "Stones"));
    match taken {
        Some((file, _)) => bail!("{file} uses the name {own} for something else; choose another"),
        None => Ok(()),
    }
}

/// Returns the words of a program, without those of its comments and texts.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let plain = code.flat_map(|line| line.split('"').step_by(2));
    plain.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'))
}

/// Returns the Rust code of the game in the document.
fn template(document: &str) -> Result<&str> {
    let block = document.split("\n```rust\n").nth(1).and_then(|rest| rest.split("\n```\n").next());
    block.with_context(|| format!("{DOCUMENT} has no block of Rust to take the game from"))
}

/// Returns the game of the document under another name.
pub(crate) fn game(document: &str, name: &str, title: &str) -> Result<String> {
    let text = template(document)?
        .replace("name: \"stones\"", &format!("name: \"{name}\""))
        .replace("title: \"Stones\"", &format!("title: \"{title}\""))
        .replace("//! Stones:", &format!("//! {title}:"));
    let named: Vec<String> = text.lines().map(|line| rename(line, &capital(name))).collect();
    Ok(named.join("\n") + "\n")
}

/// Returns the file of a game as it is in the tree, where a game uses the crate of the rules alone.
pub(crate) fn inside(game: &str) -> String {
    game.replace("zermelo::kit::", "zermelo_core::")
}

/// Replaces the type name of the game in a line; texts and comments stay.
fn rename(line: &str, own: &str) -> String {
    match line.trim_start() {
        text if text.starts_with("//!") || text.starts_with("title:") => line.into(),
        _ => line.replace("Stones", own),
    }
}

/// Returns the library with one more module; `rustfmt` puts the lines in order.
fn in_library(text: &str, name: &str) -> Result<String> {
    let own = capital(name);
    let text =
        before(text, "mod ", &format!("mod {name};\n")).context("there is no module in the library")?;
    let text = before(&text, "pub use ", &format!("pub use {name}::{own};\n"));
    text.context("the library shows no game")
}

/// Returns the catalogue with one more entry, before the game that exists for tests only.
fn in_catalogue(text: &str, name: &str) -> Result<String> {
    let own = capital(name);
    let import = "use zermelo_games::{";
    let at =
        text.find(import).with_context(|| format!("{CATALOGUE} has no `{import}...}};`"))? + import.len();
    let text = format!("{}{own}, {}", &text[..at], &text[at..]);
    let games = text.find("static GAMES").with_context(|| format!("{CATALOGUE} has no `GAMES`"))?;
    let last = text[games..].find("    Entry::new::<Meaningless>").or_else(|| text[games..].find("];"));
    let at = games + last.with_context(|| format!("{CATALOGUE}: `GAMES` has no end"))?;
    let line = format!("    Entry::new::<{own}>(&[way::<Sweep<{own}>>(), way::<Retrograde<{own}>>()]),\n");
    Ok(format!("{}{line}{}", &text[..at], &text[at..]))
}

/// Inserts a line before the first line that begins with `begins`.
fn before(text: &str, begins: &str, line: &str) -> Option<String> {
    let at = if text.starts_with(begins) { 0 } else { text.find(&format!("\n{begins}"))? + 1 };
    Some(format!("{}{line}{}", &text[..at], &text[at..]))
}

/// Formats a program; without `rustfmt` the program stays as it is.
fn formatted(root: &Path, text: String) -> String {
    let form = || -> Option<String> {
        let mut command = Command::new("rustfmt");
        command.args(["--edition", "2024", "--config-path"]).arg(root);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        child.stdin.take()?.write_all(text.as_bytes()).ok()?;
        let output = child.wait_with_output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    form().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a folder with copies of the files of this workspace that a new game touches.
    fn copy(name: &str) -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("zermelo-new-game-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        for file in [DOCUMENT, LIBRARY, CATALOGUE, "rustfmt.toml", "Cargo.lock"] {
            let to = root.join(file);
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("made");
            std::fs::copy(crate::root().join(file), to).expect("copied");
        }
        root
    }

    #[test]
    fn a_game_is_made_and_entered() {
        let root = copy("made");
        run(&root, "pebbles2", Some("Pebbles, too")).expect("made");
        let read = |file: &str| std::fs::read_to_string(root.join(file)).expect("read");
        let game = read("crates/games/src/pebbles2.rs");
        for part in
            ["//! Pebbles, too:", "impl Face for Pebbles2", "name: \"pebbles2\"", "title: \"Pebbles, too\""]
        {
            assert!(game.contains(part), "{part}");
        }
        assert!(!game.contains("Stones") && !game.contains("\"stones\""), "{game}");
        assert!(game.contains("use zermelo_core::prelude::*;") && !game.contains("zermelo::kit"), "{game}");
        let library = read(LIBRARY);
        assert!(library.contains("\nmod pebbles2;\n") && library.contains("\npub use pebbles2::Pebbles2;\n"));
        let catalogue = read(CATALOGUE);
        let line = "Entry::new::<Pebbles2>(&[way::<Sweep<Pebbles2>>(), way::<Retrograde<Pebbles2>>()]),";
        assert!(catalogue.contains(line) && catalogue.matches("Pebbles2").count() == 4, "{catalogue}");
        let again = run(&root, "pebbles2", None).expect_err("it is there").to_string();
        assert!(again.contains("already"), "{again}");
        // Makes two games in a row.
        run(&root, "zz", None).expect("made");
        assert!(
            read(CATALOGUE).contains("Entry::new::<Zz>")
                && read("crates/games/src/zz.rs").contains("title: \"Zz\"")
        );
        std::fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn a_program_is_made_outside() {
        let root = copy("outside");
        let folder = root.join("own/games");
        outside(&root, "pebbles2", Some("Pebbles, too"), &folder).expect("made");
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("read");
        let game = read("src/pebbles2.rs");
        assert!(game.contains("use zermelo::kit::prelude::*;") && game.contains("title: \"Pebbles, too\""));
        assert!(!game.contains("Stones") && !game.contains("zermelo_core"), "{game}");
        let main = read("src/main.rs");
        assert!(main.contains("mod pebbles2;") && main.contains("way::<Sweep<Pebbles2>>()"), "{main}");
        assert!(main.lines().all(|line| line.len() <= 120), "{main}");
        let manifest = read("Cargo.toml");
        let crates = root.canonicalize().expect("there").join("crates/cli");
        assert!(manifest.contains(&format!("{:?}", crates.display().to_string())), "{manifest}");
        for (name, folder, why) in [
            ("pebbles2", folder.as_path(), "not empty"),
            ("other", &root.join("rustfmt.toml"), "not empty"),
            ("mnk", &root.join("new"), "already"),
            ("catalogue", &root.join("new"), "something else"),
            ("../up", &root.join("new"), "lower-case"),
        ] {
            let told = outside(&root, name, None, folder).expect_err(name).to_string();
            assert!(told.contains(why), "{name}: {told}");
        }
        assert!(!root.join("new").exists());
        std::fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn no_game_is_left_half_made() {
        let root = copy("half");
        let read = |file: &str| std::fs::read_to_string(root.join(file)).expect("read");
        let before = [read(LIBRARY), read(CATALOGUE)];
        // A folder stands where the last file should be, so that the file cannot be written.
        let files = [("made.rs", "fn f() {}\n"), (LIBRARY, "mod made;\n"), ("crates", "no file\n")];
        let files = files.map(|(file, text)| (file, text.to_string()));
        let told = write_all(&root, &files).expect_err("a folder").to_string();
        assert!(told.contains("cannot write crates"), "{told}");
        assert_eq!([read(LIBRARY), read(CATALOGUE)], before);
        assert!(!root.join("made.rs").exists());
        std::fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn bad_names_are_refused_and_nothing_is_changed() {
        let root = copy("refused");
        let before = std::fs::read_to_string(root.join(CATALOGUE)).expect("read");
        for (name, why) in [
            ("", "lower-case"),
            ("Stones", "lower-case"),
            ("2stones", "a letter first"),
            ("two words", "lower-case"),
            ("../../etc", "lower-case"),
            ("match", "word of Rust"),
            ("mnk", "already"),
            ("sweep", "something else"),
            ("entry", "something else"),
            ("core", "one of its libraries"),
            ("std", "one of its libraries"),
            // Names that the game itself uses.
            ("board", "something else"),
            ("turn", "something else"),
            ("tier", "something else"),
            ("flow", "something else"),
            ("choice", "something else"),
            ("drawing", "something else"),
            ("options", "something else"),
            ("outcome", "something else"),
        ] {
            let told = run(&root, name, None).expect_err(name).to_string();
            assert!(told.contains(why), "{name}: {told}");
        }
        let told = run(&root, "fine", Some("a \"title\"")).expect_err("a quote").to_string();
        assert!(told.contains("--title"), "{told}");
        assert_eq!(std::fs::read_to_string(root.join(CATALOGUE)).expect("read"), before);
        assert!(!root.join("crates/games/src/fine.rs").exists());
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
