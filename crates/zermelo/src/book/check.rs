//! Checks a book: values again from those of their moves, and the last ply by searches.

use std::time::Duration;

use zermelo_core::{Checked, Limits, Opened, Watch};

use super::{Book, BookMakeError, stored};
use crate::Progress;
use crate::answers::settle;

/// The time and memory for the moves of one position.
const LIMITS: Limits = Limits { time: Duration::from_secs(60), memory: 64 << 20 };
/// A large odd number, so that steps of it go through all numbers.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Checks some values of a book, spread over all of it: each is derived again from the values of its moves, which the
/// book tells, or which are searched where it does not.
pub fn check_book(
    game: &Opened,
    book: &Book,
    sample: u64,
    progress: &Progress,
) -> Result<Checked, BookMakeError> {
    let mut checked = Checked::default();
    let entries = book.file.entries();
    progress.expect(0, sample);
    let mut at = 0u64;
    // Many numbers have no value in the book.
    for _ in 0..sample.saturating_mul(100).max(entries.min(10_000)) {
        if checked.checked >= sample || entries == 0 {
            break;
        }
        progress.heed();
        at = at.wrapping_add(STEP);
        let entry = ((u128::from(at) * u128::from(entries)) >> 64) as u64;
        let Some((tier, rank)) = book.file.place(entry) else { continue };
        let Some(position) = stored(&book.game, tier, rank) else { continue };
        let Some(value) = book.game.oracle().value(position, book)? else { continue };
        checked.checked += 1;
        progress.advance(1);
        let mut report = book.report(position)?;
        let unknown: Vec<_> = report.moves.iter().filter(|m| m.value.is_none()).map(|m| m.to).collect();
        let mut found = game.oracle().search_each(&unknown, LIMITS).into_iter();
        for m in report.moves.iter_mut().filter(|m| m.value.is_none()) {
            m.found(found.next().flatten(), game.unit);
        }
        report.value = None;
        settle(&mut report, game.unit);
        if report.value != Some(value) {
            let derived = report.value.map_or("no value".into(), |value| game.unit.text(value));
            let position = &report.position;
            checked
                .blame(format!("{position}: {} in the book, {derived} by its moves", game.unit.text(value)));
        }
    }
    Ok(checked)
}
