//! A game from outside: the program has every command of `zermelo`, every game of it, and Northcott's game besides.
//!
//! ```text
//! cargo run --release -- check northcott
//! cargo run --release -- solve northcott
//! cargo run --release -- play northcott
//! cargo run --release -- serve
//! ```

mod northcott;

use std::process::ExitCode;

use northcott::Northcott;
use zermelo::kit::{Catalogue, Entry, Iterate, Retrograde, way};

/// The games to add. Play can go back and forth in this one, so it is solved by engines that can take loops.
static GAMES: &[Entry] =
    &[Entry::new::<Northcott>(&[way::<Retrograde<Northcott>>(), way::<Iterate<Northcott>>()])];

fn main() -> ExitCode {
    match Catalogue::standard().with(GAMES) {
        Ok(catalogue) => zermelo_cli::cli::run(catalogue),
        Err(complaint) => {
            eprintln!("outside: {complaint}");
            ExitCode::FAILURE
        }
    }
}
