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
use zermelo::kit::{Entry, Iterate, Retrograde, way};

/// The games to add. Play can go back and forth in this one, so it is solved by engines that can take loops.
static GAMES: &[Entry] =
    &[Entry::new::<Northcott>(&[way::<Northcott, Retrograde>(), way::<Northcott, Iterate>()])];

fn main() -> ExitCode {
    zermelo::cli::run(GAMES)
}
