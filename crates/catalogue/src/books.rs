//! The books that come with the program. `zermelo book` makes them; docs/design/books.md has the commands.

/// Every book. To add one, put its file in `books` and its line here.
pub(crate) static BOOKS: &[&[u8]] =
    &[include_bytes!("../books/connect4-6x6.book"), include_bytes!("../books/xiangqi-3.book")];
