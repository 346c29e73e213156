//! Law: no text read as the name of a variant panics or takes long, and the normal form of an accepted name opens as
//! the same variant.

use zermelo_catalogue::Catalogue;

/// Panics if the name of a variant breaks the law.
pub(crate) fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(game) = Catalogue::standard().open(&text, None, None) {
        let name = format!("{}:{}", game.card.name, game.variant);
        let again = Catalogue::standard().open(&name, None, None).expect("the normal form is a variant");
        assert_eq!(again.variant, game.variant);
        assert!(game.oracle().follow(game.oracle().start(), "").is_ok());
        assert!(game.tiers().size(game.tiers().root()) > 0);
    }
}
