//! The rules that the program's text keeps, checked by the tests of this crate: comments make sense alone and are short,
//! public items are documented, a name that was given up stays away, and a public name means one type.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::docs::{PARAGRAPH, paragraphs, words};

/// Where programs stand.
const FOLDERS: [&str; 6] = ["crates", "examples", "fuzz/laws", "fuzz/targets", "testing", "xtask"];

/// Words that names had before the field's own words took their place: the coordinator was a manager, what is shared
/// between processes was carried as letters to keepers, and work that waited was parked on trays.
const RETIRED: [&str; 14] = [
    "bury",
    "desk",
    "drawer",
    "errand",
    "hurrying",
    "impatient",
    "keeper",
    "manager",
    "office",
    "overtaking",
    "parked",
    "patience",
    "shelf",
    "tray",
];

/// Public types that may share a name: results of each library, and what exists for one variant of an enum.
const SHARED: [&str; 1] = ["Result"];

/// The Rust files of the project, with their paths.
fn programs() -> Vec<(PathBuf, String)> {
    let mut folders: Vec<PathBuf> = FOLDERS.map(PathBuf::from).into();
    let mut found = vec![];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(crate::root().join(&folder)).expect("a folder").flatten() {
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.extend((!path.ends_with("target")).then_some(path));
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push((path, std::fs::read_to_string(entry.path()).expect("text")));
            }
        }
    }
    found
}

/// The comments of a program: each block of lines that begin with one mark, and the line where it begins.
fn comments(text: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = vec![];
    let mut last = None;
    for (at, line) in text.lines().enumerate() {
        let mark = ["//!", "///", "//"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        if let Some(mark) = mark {
            let said = line.trim_start()[mark.len()..].trim();
            match all.last_mut().filter(|_| last == Some(mark)) {
                Some((_, block)) => *block = format!("{block}\n{said}"),
                None => all.push((at + 1, said.to_string())),
            }
        }
        last = mark;
    }
    all
}

/// The words that the names of a program are made of, in lower case; comments and texts are left out.
fn parts_of_names(text: &str) -> impl Iterator<Item = String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    let plain = code.flat_map(|line| line.split('"').step_by(2));
    let names = plain.flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
    names.flat_map(|name| {
        let mut parts = vec![String::new()];
        let mut small = false;
        for c in name.chars() {
            if c.is_uppercase() && small {
                parts.push(String::new());
            }
            small = c.is_lowercase();
            parts.last_mut().expect("one").extend(c.to_lowercase());
        }
        parts
    })
}

/// The names of the types that a program makes public, also those that only its own crate sees from elsewhere.
fn public_types(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.strip_prefix("pub ")?;
        let (kind, rest) = rest.split_once(' ')?;
        let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
        matches!(kind, "struct" | "enum" | "trait" | "type").then_some(name)
    })
}

#[test]
fn every_comment_makes_sense_alone() {
    for (path, text) in programs() {
        for (line, comment) in comments(&text) {
            assert!(
                !comment.starts_with("The same"),
                "{}:{line}: the same as what? {comment}",
                path.display()
            );
        }
    }
}

#[test]
fn no_paragraph_of_a_comment_is_too_long() {
    for (path, text) in programs() {
        for (line, comment) in comments(&text) {
            let long = paragraphs(&comment).into_iter().find(|part| words(part) > PARAGRAPH);
            assert_eq!(long, None, "{}:{line}: over {PARAGRAPH} words", path.display());
        }
    }
}

/// The compiler warns of public items without a comment, and warnings are errors in the tests; so nobody may switch
/// the warning off.
#[test]
fn public_items_are_documented() {
    let off = ["allow", "expect"].map(|level| format!("{level}(missing_docs"));
    for (path, text) in programs() {
        assert!(!off.iter().any(|off| text.contains(off)), "{} allows missing documentation", path.display());
    }
    let manifest = std::fs::read_to_string(crate::root().join("Cargo.toml")).expect("the workspace");
    assert!(manifest.contains("missing_docs = \"warn\""));
}

#[test]
fn retired_names_stay_away() {
    for (path, text) in programs() {
        let found = parts_of_names(&text).find(|part| RETIRED.contains(&part.as_str()));
        assert_eq!(found, None, "{}: a name that was given up", path.display());
    }
}

#[test]
fn no_two_public_types_share_a_name() {
    let mut first: HashMap<String, PathBuf> = HashMap::new();
    for (path, text) in programs().into_iter().filter(|(path, _)| path.starts_with("crates")) {
        if !path.components().any(|part| part.as_os_str() == "src") {
            continue;
        }
        for name in public_types(&text).filter(|name| !SHARED.contains(name)) {
            if let Some(other) = first.insert(name.to_string(), path.clone()) {
                panic!("{name} is a type of {} and of {}", other.display(), path.display());
            }
        }
    }
}

#[test]
fn comments_and_names_are_found() {
    let text = "//! One\n//! two.\n\n/// Three.\n// Four.\nlet oldDesk = \"tray\"; // parked\npub struct Shelf<T>;\n";
    let want = [(1, "One\ntwo."), (4, "Three."), (5, "Four.")];
    assert_eq!(comments(text), want.map(|(line, block)| (line, block.to_string())));
    let parts: Vec<_> = parts_of_names(text).filter(|part| RETIRED.contains(&part.as_str())).collect();
    assert_eq!(parts, ["desk", "shelf"]);
    assert_eq!(public_types(text).collect::<Vec<_>>(), ["Shelf"]);
}
