//! Games from elsewhere beside those of this crate: a program adds its own once, when it starts.

use std::sync::OnceLock;

use zermelo_core::{Complaint, quoted};

use crate::{Entry, GAMES};

static MORE: OnceLock<&'static [Entry]> = OnceLock::new();

/// Adds games for the rest of the program. This must come before anything asks for games, and once.
///
/// ```
/// use zermelo_engines::{add_games, games, open};
///
/// add_games(&[])?;
/// assert!(add_games(&[]).is_err());
/// assert!(games().any(|entry| entry.card.name == "mnk") && open("mnk", None, None).is_ok());
/// # Ok::<(), zermelo_core::Complaint>(())
/// ```
pub fn add_games(more: &'static [Entry]) -> Result<(), Complaint> {
    for (n, entry) in more.iter().enumerate() {
        let name = entry.card.name;
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        if name.is_empty() || !name.bytes().all(plain) {
            let why = "cannot be typed; use lower-case letters and digits for `Card::name`";
            return Err(Complaint::new(format!("the name {} {why}", quoted(name))));
        }
        if GAMES.iter().chain(&more[..n]).any(|other| other.card.name == name) {
            return Err(Complaint::new(format!("there is a game {name} already; give yours another name")));
        }
        if entry.ways.is_empty() {
            let why = "has no engine; give `Entry::new` a way to solve it";
            return Err(Complaint::new(format!("the game {name} {why}")));
        }
    }
    MORE.set(more).map_err(|_| Complaint::new("games were added before; add all of them at once"))
}

/// Every game there is.
pub fn games() -> impl Iterator<Item = &'static Entry> + Clone {
    GAMES.iter().chain(MORE.get().copied().unwrap_or_default())
}
