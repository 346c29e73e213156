//! Law: no text read as the name of a variant panics or takes long, and the normal form
//! of what is accepted opens as the same variant.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(game) = zermelo_engines::open(&text, None, None) {
        let name = format!("{}:{}", game.card().name, game.variant());
        let again = zermelo_engines::open(&name, None, None).expect("the normal form is a variant");
        assert_eq!(again.variant(), game.variant());
        assert!(game.follow(&game.start(), "").is_ok());
        assert!(game.size(game.root()) > 0);
    }
});
