//! `book`, and the answers of a fresh installation that has a book and no database.

use crate::scratch::{Scratch, text};

#[test]
fn a_book_is_made_checked_and_read() {
    let (scratch, fresh) = (Scratch::new("book"), Scratch::new("book-fresh"));
    let game = "connect4:rows=5,cols=4";
    let file = fresh.path().join("made.book");
    let path = file.to_str().unwrap();
    // There is no database: the game is solved first.
    let made = scratch.json(&["book", game, "--plies", "6", "--output", path, "--json"]);
    assert_eq!(made["bytes"], std::fs::metadata(&file).unwrap().len());
    assert!(made["values"].as_u64().unwrap() > 500 && made["plies"] == 6, "{made}");
    let checked = fresh.json(&["book", game, "--check", path, "--sample", "50", "--json"]);
    assert_eq!((&checked["checked"], &checked["wrong"]), (&50.into(), &0.into()));
    // A place of its own in the data directory is where a book is read from.
    scratch.run(&["book", game, "--plies", "6"]);
    let files = std::fs::read_dir(scratch.path().join("connect4")).unwrap().map(|file| file.unwrap().path());
    let own = files.into_iter().find(|file| file.extension().is_some_and(|end| end == "book")).unwrap();
    assert_eq!(std::fs::read(&own).unwrap(), std::fs::read(&file).unwrap());
    let place = fresh.path().join("connect4");
    std::fs::create_dir(&place).unwrap();
    std::fs::rename(&file, place.join(own.file_name().unwrap())).unwrap();
    for position in ["", "4", "21", "2134", "21342"] {
        let ask = ["query", game, "--moves", &position.split("").collect::<Vec<_>>().join(" "), "--json"];
        let (mut from_book, mut from_database) = (fresh.json(&ask), scratch.json(&ask));
        assert_eq!((&from_book["source"], &from_database["source"]), (&"book".into(), &"database".into()));
        (from_book["source"], from_database["source"]) = Default::default();
        assert_eq!(from_book, from_database, "{position}");
    }
    assert!(text(&fresh.run(&["query", game]).stdout).contains("from the book"));
}

#[test]
fn wrong_books_and_wrong_wishes_are_named() {
    let scratch = Scratch::new("book-wrong");
    let file = scratch.path().join("wrong.book");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "no book").unwrap();
    let bad = scratch.run(&["book", "mnk", "--check", path]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(text(&bad.stderr).contains("zermelo book"), "{}", text(&bad.stderr));
    assert!(scratch.run(&["book", "mnk", "--plies", "9", "--output", path]).status.success());
    let other = scratch.run(&["book", "mnk:misere=yes", "--check", path]);
    assert!(text(&other.stderr).contains("not one of mnk:misere=yes"), "{}", text(&other.stderr));
    for wrong in [&["book", "mnk"][..], &["book", "pentago", "--plies", "2"]] {
        assert_eq!(scratch.run(wrong).status.code(), Some(2), "{wrong:?}");
    }
}
