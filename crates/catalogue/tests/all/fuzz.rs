//! A short fuzz run over the names of variants and the texts of positions.

use std::time::Duration;

use zermelo_testing::fuzz;

#[path = "../../../../fuzz/laws/position.rs"]
mod position;
#[path = "../../../../fuzz/laws/variant.rs"]
mod variant;

#[test]
fn any_text_is_a_position_or_refused() {
    fuzz::run("position", Duration::from_secs(3), position::check);
}

#[test]
fn any_text_is_a_variant_or_refused() {
    fuzz::run("variant", Duration::from_secs(3), variant::check);
}
