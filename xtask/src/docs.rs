//! The rules that the documentation keeps, checked by the tests of this crate: every relative link leads somewhere, no
//! paragraph and no page is too long, and every page is near the index.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The most words of a paragraph or a list item; code and tables do not count.
pub(crate) const PARAGRAPH: usize = 120;
/// The most words of a page, code and tables included.
const PAGE: usize = 2500;
/// The page that lists all pages, and the most links that a reader follows from there.
const INDEX: (&str, usize) = ("docs/README.md", 2);

/// Words with a letter or a digit: the bars of a table are none.
pub(crate) fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let number = |mark: &str| mark.strip_suffix('.').is_some_and(|digits| digits.parse::<u32>().is_ok());
    line.split_once(' ').is_some_and(|(mark, _)| matches!(mark, "-" | "*") || number(mark))
}

/// The lines of a page; those in blocks of code are empty.
fn prose(text: &str) -> Vec<&str> {
    let mut code = false;
    let lines = text.lines().map(str::trim).map(|line| {
        let fence = line.starts_with("```");
        code ^= fence;
        if code || fence { "" } else { line }
    });
    lines.collect()
}

/// The paragraphs and list items of a page.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in prose(text) {
        let apart = line.is_empty() || line.starts_with(['|', '#']);
        if apart || is_item(line) {
            all.push(String::new());
        }
        if !apart && let Some(last) = all.last_mut() {
            *last = format!("{last} {line}");
        }
    }
    all.into_iter().filter(|part| !part.is_empty()).collect()
}

/// The targets of all links and pictures of a page, those on the web left out.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text).join("\n");
    // What stands between single backticks is no link.
    let plain: String = prose.split('`').step_by(2).collect();
    let ends = [("](", ')'), ("src=\"", '"')];
    let found = ends.iter().flat_map(|(begin, end)| {
        plain.split(begin).skip(1).filter_map(|rest| rest.split_once(*end).map(|(link, _)| link.to_string()))
    });
    found.filter(|link| !link.contains("://")).collect()
}

/// The name by which a link finds a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

/// The file that a link of a page leads to, with the heading asked for.
fn target(page: &Path, link: &str) -> (PathBuf, Option<String>) {
    let (file, heading) = link.split_once('#').map_or((link, None), |(file, h)| (file, Some(h.to_string())));
    let mut path = page.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in file.split('/') {
        path = if part == ".." { path.parent().unwrap_or(&path).to_path_buf() } else { path.join(part) };
    }
    (if file.is_empty() { page.to_path_buf() } else { path }, heading)
}

/// Whether a file is a page.
fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "md")
}

/// All pages: those of the root that are checked, and all below `docs`.
fn pages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = vec!["README.md".into(), "CONTRIBUTING.md".into()];
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(crate::root().join(&folder)).expect("a folder").flatten() {
            let path = folder.join(entry.file_name());
            let all = if entry.path().is_dir() { &mut folders } else { &mut found };
            all.push(path);
        }
    }
    found.retain(|path| is_page(path));
    found
}

fn read(page: &Path) -> String {
    std::fs::read_to_string(crate::root().join(page)).unwrap_or_else(|e| panic!("{}: {e}", page.display()))
}

#[test]
fn every_link_leads_somewhere() {
    for page in pages() {
        for link in links(&read(&page)) {
            let (file, heading) = target(&page, &link);
            assert!(crate::root().join(&file).exists(), "{}: no file {link}", page.display());
            let Some(heading) = heading.filter(|_| is_page(&file)) else { continue };
            let text = read(&file);
            let there = prose(&text).iter().any(|line| line.starts_with('#') && anchor(line) == heading);
            assert!(there, "{}: no heading {link}", page.display());
        }
    }
}

#[test]
fn no_page_and_no_paragraph_is_too_long() {
    for page in pages() {
        let (text, name) = (read(&page), page.display());
        assert!(words(&text) <= PAGE, "{name} has {} words", words(&text));
        for part in paragraphs(&text) {
            assert!(words(&part) <= PARAGRAPH, "{name}, {} words:{part}", words(&part));
        }
    }
}

#[test]
fn every_page_is_near_the_index() {
    let mut near = HashSet::from([PathBuf::from(INDEX.0)]);
    for _ in 0..INDEX.1 {
        for page in near.clone().iter().filter(|page| is_page(page)) {
            near.extend(links(&read(page)).iter().map(|link| target(page, link).0));
        }
    }
    let far: Vec<_> =
        pages().into_iter().filter(|page| page.starts_with("docs") && !near.contains(page)).collect();
    assert!(far.is_empty(), "too far from {INDEX:?}: {far:?}");
}

#[test]
fn text_is_read_as_people_see_it() {
    let text = "# A head\n\nOne [two](a.md#b)\nthree.\n- four\n2. five\n\n| a | b |\n```\n[no](c.md)\n```\n`[no](d.md)`\n";
    assert_eq!(links(text), ["a.md#b"]);
    assert_eq!(paragraphs(text).iter().map(|p| words(p)).collect::<Vec<_>>(), [3, 1, 2, 1]);
    assert_eq!(anchor("## m,n,k: `a` & b_c"), "mnk-a--b_c");
    let there = target(Path::new("docs/guide/x.md"), "../lab/y.md#z");
    assert_eq!(there, ("docs/lab/y.md".into(), Some("z".into())));
}
