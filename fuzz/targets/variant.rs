//! Law: no text read as the name of a variant panics or takes long, and the normal form of an accepted name opens as
//! the same variant.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zermelo_catalogue::Catalogue;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(game) = Catalogue::standard().open(&text, None, None) {
        let name = format!("{}:{}", game.card.name, game.variant);
        let again = Catalogue::standard().open(&name, None, None).expect("the normal form is a variant");
        assert_eq!(again.variant, game.variant);
        assert!(game.oracle().follow(game.oracle().start(), "").is_ok());
        assert!(game.tiers().size(game.tiers().root()) > 0);
    }
});
