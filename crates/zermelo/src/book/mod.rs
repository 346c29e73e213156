//! Books: small files of exact values of the first plies, which come with the program or lie in the data directory.
//!
//! A book is read as the tables of the engine that numbers the game's own tiers. It answers where the database and the
//! parts of a variant have no answer. Values of positions between its plies follow from the values of their moves.

mod check;
mod make;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use zermelo_core::{
    AskError, Filing, Opened, Position, Reason, Report, Tables, Tier, Turn, Unpoisoned, Value, Walking, Width,
};
use zermelo_store::{BookError, BookFile, LEFT_OUT, MOST_BOOK_BYTES, NOT_KNOWN, read_plain};

use crate::Catalogue;
use crate::answers::settle;
use crate::database::{folder_name, identity};

pub use check::check_book;
pub use make::{BookMakeError, BookPlan, NewBook};

/// The decoded blocks that a book keeps.
const KEPT: usize = 1024;
/// The bytes that each takes.
const BLOCK_BYTES: u64 = 4096;
/// How books differ from folders of databases in their names.
const ENDING: &str = ".book";

/// A book of one variant, ready to answer.
pub struct Book {
    /// The variant with the engine by whose numbers the book is ordered.
    game: Opened,
    file: BookFile,
    decoded: Mutex<HashMap<usize, Arc<Vec<u16>>>>,
}

impl Book {
    /// The book of a variant that lies in a data directory, or else the one that comes with the catalogue. A book that
    /// cannot be read, or that was made for other rules, is no help and no harm; `zermelo book GAME --check FILE` tells
    /// what is wrong with it.
    pub fn find(catalogue: Catalogue, data: &Path, game: &Opened) -> Option<Book> {
        let path = Book::path(data, game);
        let own = || Book::read(catalogue, game, &path).ok();
        if let Some(book) = path.is_file().then(own).flatten() {
            return Some(book);
        }
        let fits = |bytes: &&&[u8]| {
            let header = BookFile::header_of(bytes).ok();
            header.is_some_and(|header| {
                let is = |key: &str, value: &str| header.identity.get(key) == Some(value);
                is("game", game.card.name) && is("variant", &game.variant) && is("objective", game.objective)
            })
        };
        let bytes = catalogue.books().iter().find(fits)?;
        Book::open(catalogue, game, Cow::Borrowed(bytes)).ok()
    }

    /// Where the book of a variant lies in a data directory.
    pub fn path(data: &Path, game: &Opened) -> PathBuf {
        data.join(game.card.name).join(folder_name(game) + ENDING)
    }

    /// Reads the book of a variant from a file.
    pub fn read(catalogue: Catalogue, game: &Opened, path: &Path) -> Result<Book, BookMakeError> {
        let wrong = |reason: std::io::Error| BookMakeError::File { file: path.into(), reason };
        let bytes = read_plain(path, MOST_BOOK_BYTES).map_err(wrong)?;
        Book::open(catalogue, game, Cow::Owned(bytes))
    }

    /// Opens a book from its bytes, for a variant that is open with any engine.
    pub fn open(
        catalogue: Catalogue,
        game: &Opened,
        bytes: Cow<'static, [u8]>,
    ) -> Result<Book, BookMakeError> {
        let file = BookFile::open(bytes)?;
        let game = numbered(catalogue, game)?;
        if file.header().identity != identity(&game) {
            return Err(BookMakeError::Other(crate::full_name(&game)));
        }
        Ok(Book { game, file, decoded: Mutex::default() })
    }

    /// The number of bytes of the file, and of entries that it orders.
    pub fn size(&self) -> (u64, u64) {
        (self.file.bytes(), self.file.entries())
    }

    /// The bytes that the book may take in memory.
    pub fn bytes(&self) -> u64 {
        self.file.bytes() + KEPT as u64 * BLOCK_BYTES
    }

    /// The value of a position, where the book tells it.
    pub fn value(&self, at: Position) -> Result<Option<Value>, AskError> {
        if let Some(value) = self.game.oracle().value(at, self)? {
            return Ok(Some(value));
        }
        let mut report = self.game.oracle().report(at, self)?;
        settle(&mut report, self.game.unit);
        Ok(report.value)
    }

    /// A position with its moves, and the values that the book tells of them.
    pub fn report(&self, at: Position) -> Result<Report, AskError> {
        let mut report = self.game.oracle().report(at, self)?;
        for m in report.moves.iter_mut().filter(|m| m.value.is_none()) {
            m.found(self.value(m.to)?, self.game.unit);
        }
        settle(&mut report, self.game.unit);
        Ok(report)
    }

    /// The codes of a block.
    fn codes(&self, block: usize) -> Result<Arc<Vec<u16>>, BookError> {
        if let Some(codes) = self.decoded.lock().unpoisoned().get(&block) {
            return Ok(codes.clone());
        }
        // Outside the lock: two threads may decode the same block, which does no harm.
        let codes = Arc::new(self.file.decode(block, |entry| {
            self.file.place(entry).is_none_or(|(tier, rank)| stored(&self.game, tier, rank).is_none())
        })?);
        let mut decoded = self.decoded.lock().unpoisoned();
        if decoded.len() >= KEPT {
            decoded.clear();
        }
        decoded.insert(block, codes.clone());
        Ok(codes)
    }
}

/// The position of a number that a book stores; `None` where the number is a hole or the rules tell the value.
fn stored(game: &Opened, tier: Tier, rank: u64) -> Option<Position> {
    let packed = game.audit().position(tier, rank)?;
    let at = Position { turn: Turn::First, packed };
    match game.oracle().value(at, &()) {
        Ok(None) => Some(at),
        _ => None,
    }
}

/// A variant with an engine that numbers the game's own tiers, by position.
fn numbered(catalogue: Catalogue, game: &Opened) -> Result<Opened, BookMakeError> {
    let name = format!("{}:{}", game.card.name, game.variant);
    let games = catalogue.open_all(&name, None, Some(game.objective), None)?;
    let by_position = |game: &Opened| {
        let filing = game.tiers().filing();
        let walking = Walking { fold: true, sides: false };
        filing.name == Filing::TIERS.name && filing.by_tier && game.audit().walker(walking).is_some()
    };
    let found = games.into_iter().find(|game| by_position(game) && game.unit.counts_moves());
    found.ok_or_else(|| BookMakeError::Numbers(crate::full_name(game)))
}

impl Tables for Book {
    fn has(&self, tier: Tier) -> bool {
        self.file.has(tier)
    }

    fn code(&self, tier: Tier, rank: u64) -> Result<Option<(u16, Width)>, Reason> {
        let Some(entry) = self.file.entry(tier, rank) else { return Ok(None) };
        let (block, entries) = self.file.block(entry);
        let codes = self.codes(block)?;
        let code = codes.get((entry - entries.start) as usize).copied();
        Ok(code.filter(|code| !matches!(*code, LEFT_OUT | NOT_KNOWN)).map(|code| (code, Width::Two)))
    }

    fn tiers(&self) -> Vec<Tier> {
        self.file.tiers().collect()
    }
}
