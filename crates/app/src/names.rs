//! What people type to name a game and what it is solved for.

use zermelo_core::AnyGame;

use crate::games;

/// `quixo:rows=4,cols=4,line=4`.
pub fn full_name(game: &dyn AnyGame) -> String {
    match game.variant() {
        variant if variant.is_empty() => game.card().name.into(),
        variant => format!("{}:{variant}", game.card().name),
    }
}

/// What asks for the game's objective on the command line; nothing for the one that the game has
/// by default.
pub fn objective_flag(game: &dyn AnyGame) -> String {
    let entry = games().find(|entry| entry.card.name == game.card().name);
    let usual = entry.and_then(|entry| entry.ways.first()).map(|way| way.objective);
    match game.objective() {
        objective if usual == Some(objective) => String::new(),
        other => format!(" --objective {other}"),
    }
}

/// Whether a word is the name of an objective of any game.
pub(crate) fn is_objective(word: &str) -> bool {
    games().flat_map(|entry| entry.ways).any(|way| way.objective == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_objective_goes_without_saying() {
        let flag =
            |name: &str, objective| objective_flag(&*crate::open(name, None, objective).expect("a game"));
        assert_eq!((flag("mnk", None), flag("othello", None), flag("pentago", None)), Default::default());
        assert_eq!(flag("othello", Some("margin")), " --objective margin");
        assert_eq!(flag("pentago", Some("remoteness")), " --objective remoteness");
        assert!(is_objective("margin") && is_objective("winner") && !is_objective("lattice"));
    }
}
