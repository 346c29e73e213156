use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use zermelo_core::{Limits, Opened, Position, Value};
use zermelo_store::{BookFile, BookHeader};

use super::*;
use crate::{Answers, Budget, Database, Progress, Settings, Source, solve};

/// A data directory that is removed in the end.
struct Data(PathBuf);

impl Data {
    fn new(name: &str) -> Data {
        let path = std::env::temp_dir().join(format!("zermelo-book-{name}-{}", std::process::id()));
        std::fs::remove_dir_all(&path).ok();
        std::fs::create_dir_all(&path).expect("a folder");
        Data(path)
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn settings(data: &Data) -> Settings {
    Settings { data: Some(data.0.clone()), threads: 2, memory: 1 << 30, ..Settings::default() }
}

/// A solved variant, and a book of it.
fn made_late(name: &str, plies: u32, late: Option<u16>, data: &Data) -> (Opened, Database, NewBook) {
    let (game, settings) = (crate::open(name, None, None).expect("a game"), settings(data));
    solve(&game, &settings, &Progress::new("solve")).expect("solved");
    let database = Database::open(&data.0, &game).expect("a database");
    let progress = Progress::new("book");
    let plan = BookPlan::of(Catalogue::standard(), &game, plies, late).expect("a plan");
    let book = plan.make(&game, &database, &settings, &progress);
    (game, database, book.expect("a book"))
}

fn made(name: &str, plies: u32, data: &Data) -> (Opened, Database, NewBook) {
    made_late(name, plies, None, data)
}

fn opened(game: &Opened, book: &NewBook) -> Book {
    let bytes = Cow::Owned(book.bytes.clone());
    Book::open(Catalogue::standard(), game, bytes).expect("it fits")
}

/// The positions by the number of moves to them, each once, as far as `plies`.
fn walked(game: &Opened, plies: u32) -> Vec<Vec<Position>> {
    let oracle = game.oracle();
    let mut layers = vec![vec![oracle.start()]];
    for _ in 0..plies {
        let here = layers.last().expect("one").iter();
        let after = here.flat_map(|at| oracle.moves(*at).expect("a position").moves);
        let next: HashMap<Position, ()> = after.map(|m| (m.to, ())).collect();
        layers.push(next.into_keys().collect());
    }
    layers
}

/// Every position of the first plies has its value and those of all its moves, as the database has them.
#[test]
fn a_book_tells_what_the_database_tells() {
    for (name, plies) in [
        ("connect4:rows=4,cols=4", 6),
        ("connect4:rows=4,cols=4", 7),
        ("mnk", 4),
        ("connect4:rows=5,cols=4", 5),
    ] {
        let data = Data::new("tells");
        let (game, database, new) = made(name, plies, &data);
        let book = opened(&game, &new);
        assert!(new.bytes.len() as u64 == book.size().0 && new.values > 0 && new.numbers == book.size().1);
        for (ply, layer) in (0..).zip(walked(&game, plies)) {
            for at in layer {
                let want = game.oracle().report(at, &database).expect("known");
                let found = book.report(at).expect("readable");
                assert_eq!((found.value, &found.position), (want.value, &want.position), "{name}, ply {ply}");
                assert_eq!(book.value(at).expect("readable"), want.value, "{name}, ply {ply}");
                if ply < plies {
                    let values = |report: &zermelo_core::Report| {
                        report.moves.iter().map(|m| (m.to, m.value)).collect::<HashMap<_, _>>()
                    };
                    assert_eq!(values(&found), values(&want), "{name}: {}", want.position);
                }
            }
        }
    }
}

/// One ply more has the values of this remoteness or more, and no others.
#[test]
fn late_values_of_one_ply_more() {
    let data = Data::new("late");
    let (game, database, new) = made_late("connect4:rows=4,cols=4", 5, Some(9), &data);
    let (book, oracle) = (opened(&game, &new), game.oracle());
    let (mut early, mut late) = (0, 0);
    for at in walked(&game, 6).concat() {
        let want = oracle.value(at, &database).expect("known").expect("a value");
        let found = book.value(at).expect("readable");
        let by_rules = oracle.value(at, &()).expect("rules").is_some();
        let last = oracle.text(at).chars().filter(|c| "xo".contains(*c)).count() == 6;
        match last && !by_rules && want.remoteness() < Some(9) {
            true => early += usize::from(found.is_none()),
            false => late += usize::from(last && !by_rules),
        }
        assert!(found == Some(want) || last && want.remoteness() < Some(9), "{}", oracle.text(at));
    }
    assert!(early > 5 && late > 50, "{early} {late}");
    let plan = BookPlan::of(
        Catalogue::standard(),
        &crate::open("quixo:rows=3,cols=3,line=3", None, None).expect("a game"),
        3,
        Some(5),
    );
    assert!(plan.is_err_and(|error| error.to_string().contains("--late")));
}

/// Games in which play returns to a position have all of their tiers in the book.
#[test]
fn a_game_with_loops_has_a_book() {
    let data = Data::new("loops");
    let (game, database, new) = made("quixo:rows=3,cols=3,line=3", 100, &data);
    let book = opened(&game, &new);
    for at in walked(&game, 3).concat() {
        assert_eq!(book.value(at).expect("readable"), game.oracle().value(at, &database).expect("known"));
    }
}

/// A position that no game reaches has no value in the book, though there is a number for it.
#[test]
fn what_is_not_reached_is_not_known() {
    let data = Data::new("unreached");
    let (game, _, new) = made("connect4:rows=4,cols=4", 4, &data);
    let book = opened(&game, &new);
    // The first player's stone lies on the second player's, and no other stone was there before.
    let at = game.oracle().parse("1_--------x---o---").expect("a position");
    assert_eq!(book.value(at).expect("readable"), None);
    let at = game.oracle().parse("1_--------o---x---").expect("a position");
    assert!(book.value(at).expect("readable").is_some());
}

#[test]
fn answers_come_from_the_book_where_there_is_no_database() {
    let data = Data::new("answers");
    let name = "connect4:rows=5,cols=4";
    let (game, _, new) = made(name, 6, &data);
    let path = Book::path(&data.0, &game);
    std::fs::remove_dir_all(crate::data_folder(&data.0, &game)).expect("removed");
    let ask = |at: &str| {
        let catalogue = Catalogue::standard();
        let answers = Answers::open(catalogue, &data.0, name).expect("a variant");
        let at = answers.game.oracle().parse(at).expect("a position");
        let found = answers.find(at, Budget::NONE).expect("readable");
        assert_eq!(answers.value(at).expect("readable"), found.report.value);
        assert_eq!(answers.look_up(at).expect("readable").value, found.report.value);
        (found.report.value, found.report.is_known(), found.source)
    };
    assert_eq!(ask("1_--------------------"), (None, false, Source::None));
    std::fs::write(&path, &new.bytes).expect("written");
    assert_eq!(ask("1_--------------------"), (Some(Value::Tie(20)), true, Source::Book));
    // The last ply of the book: the value is known, and those of the moves are not.
    let (value, known, source) = ask("111222");
    assert!(value.is_some() && !known && source == Source::Book);
    // A damaged book is no help and no harm.
    let mut bytes = new.bytes;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).expect("written");
    assert_eq!(ask("1_--------------------"), (None, false, Source::None));
    assert!(Book::read(Catalogue::standard(), &game, &path).is_err());
}

#[test]
fn a_check_finds_wrong_values_and_no_others() {
    let data = Data::new("check");
    let (game, database, new) = made("connect4:rows=4,cols=4", 6, &data);
    let check = |book: &Book| check_book(&game, book, 200, &Progress::new("check")).expect("readable");
    let right = check(&opened(&game, &new));
    assert_eq!((right.checked, right.wrong), (200, 0), "{:?}", right.examples);
    // A book of another variant with as many tiers, under this one's name.
    let other = Data::new("other");
    let (_, _, wrong) = made("connect4:rows=4,cols=4,connect=3", 6, &other);
    let file = BookFile::open(wrong.bytes.clone()).expect("a book");
    let refused = Book::open(Catalogue::standard(), &game, Cow::Owned(wrong.bytes));
    assert!(matches!(refused, Err(BookMakeError::Other(_))));
    let numbers = numbered(Catalogue::standard(), &game).expect("an engine");
    let header = BookHeader { identity: identity(&numbers), ..file.header().clone() };
    // All values one move too far off.
    let book = opened(&game, &new);
    let tiers: Vec<_> = Tables::tiers(&book).into_iter().map(|t| (t, numbers.tiers().size(t))).collect();
    let codes = tiers.iter().flat_map(|(tier, size)| (0..*size).map(|rank| (*tier, rank)));
    let codes = codes.map(|(tier, rank)| match stored(&numbers, tier, rank) {
        None => LEFT_OUT,
        Some(_) => book.code(tier, rank).expect("readable").map_or(NOT_KNOWN, |(code, _)| code + 1),
    });
    let bytes = zermelo_store::make_book(&header, &tiers, &codes.collect::<Vec<_>>()).expect("a book");
    let book = Book::open(Catalogue::standard(), &game, Cow::Owned(bytes)).expect("it fits");
    assert!(check(&book).wrong > 100);
    drop(database);
}

/// Every book that comes with the program can be opened and belongs to a variant of today.
#[test]
fn the_books_of_the_program_fit() {
    let catalogue = Catalogue::standard();
    let mut bytes = 0;
    for book in catalogue.books() {
        let header = BookFile::header_of(book).expect("a book");
        let of = |key: &str| header.identity.get(key).expect("named").to_string();
        let game = crate::open(&format!("{}:{}", of("game"), of("variant")), None, None).expect("a variant");
        let book = Book::open(catalogue, &game, Cow::Borrowed(book)).expect("it fits");
        let value = book.value(game.oracle().start()).expect("readable");
        assert!(value.is_some(), "{}", crate::full_name(&game));
        assert_eq!(Book::find(catalogue, &std::env::temp_dir(), &game).map(|b| b.size()), Some(book.size()));
        let checked = check_book(&game, &book, 20, &Progress::new("check")).expect("readable");
        assert_eq!((checked.checked, checked.wrong), (20, 0), "{:?}", checked.examples);
        bytes += book.size().0;
    }
    assert!(bytes <= 4 << 20, "{bytes} bytes are more than people want to load");
}

/// A position with its moves is searched at once, with the values that single searches find.
#[test]
fn moves_are_searched_together() {
    let game = crate::open("connect4", None, None).expect("a game");
    let limits = Limits { time: std::time::Duration::from_secs(60), memory: 1 << 24 };
    let at = game.oracle().parse("2342173652716335").expect("a position");
    let after: Vec<_> = game.oracle().moves(at).expect("a position").moves.iter().map(|m| m.to).collect();
    let single: Vec<_> = after.iter().map(|at| game.oracle().search(*at, limits)).collect();
    assert!(single.iter().all(Option::is_some));
    assert_eq!(game.oracle().search_each(&after, limits), single);
    // Games without such a search, and other objectives, are searched one by one.
    let game = crate::open("mnk", None, None).expect("a game");
    let start = game.oracle().start();
    assert_eq!(game.oracle().search_each(&[start, start], limits), vec![Some(Value::Tie(9)); 2]);
    assert!(game.oracle().search_each(&[], limits).is_empty());
}
