//! Draws the numbers of positions against remoteness or margin as an SVG picture. Stacked bars on a logarithmic scale
//! would mislead, so wins, losses and ties stand beside each other.

use std::fmt::Write;

use zermelo::{ValueCounts, row_name};
use zermelo_core::Unit;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 96.0;
const BOTTOM: f64 = 50.0;
const TOP: f64 = 40.0;
const KINDS: [(&str, &str); 3] = [("win", "#2a7f3f"), ("lose", "#a03030"), ("tie", "#c09020")];

/// Returns the plot of a table of counts.
pub(crate) fn svg(title: &str, table: &ValueCounts, unit: Unit) -> String {
    let (what, preposition, axis) = match unit {
        Unit::Moves => ("positions against remoteness", " in", "moves to the end (remoteness)"),
        Unit::Margin => ("positions against margin", " by", "margin of the win"),
        Unit::Nimber => ("positions against nimber", ", nimber", "nimber"),
        Unit::Goal => ("positions against moves to the goal", " in", "moves to the goal"),
        Unit::Winner => ("positions by winner", ",", "whether the game is over"),
    };
    let most = KINDS.iter().flat_map(|(word, _)| (0..=table.longest()).map(|r| table.at(word, r))).max();
    let decades = (most.unwrap_or(1).max(10) as f64).log10().ceil();
    let height = |n: u64| {
        if n == 0 { 0.0 } else { ((n as f64).log10() + 0.3) / (decades + 0.3) * (HEIGHT - TOP - BOTTOM) }
    };
    let title = escaped(title);
    let slot = (WIDTH - LEFT - 20.0) / (f64::from(table.longest()) + 1.0);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' font-family='sans-serif' font-size='12'>\
         <title>{title}: {what}</title><rect width='100%' height='100%' fill='white'/>\
         <text x='{LEFT}' y='24' font-size='16'>{title}: {what}</text>"
    );
    // Counts beyond the largest power of ten of a `u64` stand above its line.
    for power in (0..=decades as u32).map_while(|decade| 10u64.checked_pow(decade)) {
        let y = HEIGHT - BOTTOM - height(power);
        let _ = write!(
            out,
            "<line x1='{LEFT}' x2='{}' y1='{y:.1}' y2='{y:.1}' stroke='#ddd'/>\
             <text x='{}' y='{:.1}' text-anchor='end'>{}</text>",
            WIDTH - 20.0,
            LEFT - 8.0,
            y + 4.0,
            super::grouped(power)
        );
    }
    for r in 0..=table.longest() {
        let (x, name) = (LEFT + slot * f64::from(r), row_name(r, unit));
        for (i, (word, colour)) in KINDS.iter().enumerate() {
            let (n, wide) = (table.at(word, r), slot * 0.28);
            if n > 0 {
                let (x, h) = (x + slot * 0.08 + wide * i as f64, height(n));
                let _ = write!(
                    out,
                    "<rect x='{x:.1}' y='{:.1}' width='{wide:.1}' height='{h:.1}' fill='{colour}'>\
                     <title>{word}{preposition} {name}: {}</title></rect>",
                    HEIGHT - BOTTOM - h,
                    super::grouped(n)
                );
            }
        }
        let every = (30.0 / slot).ceil() as u16;
        if r % every.max(1) == 0 {
            let _ = write!(
                out,
                "<text x='{:.1}' y='{}' text-anchor='middle'>{name}</text>",
                x + slot / 2.0,
                HEIGHT - BOTTOM + 18.0
            );
        }
    }
    for (i, (word, colour)) in KINDS.iter().enumerate() {
        let x = WIDTH - 330.0 + 100.0 * i as f64;
        let _ = write!(
            out,
            "<rect x='{x}' y='14' width='12' height='12' fill='{colour}'/><text x='{}' y='24'>{word}</text>",
            x + 18.0
        );
    }
    let _ = writeln!(
        out,
        "<text x='{}' y='{}' text-anchor='middle'>{axis}; {} draws not shown</text></svg>",
        WIDTH / 2.0,
        HEIGHT - 12.0,
        super::grouped(table.draw)
    );
    out
}

/// Escapes the characters of a text that have a meaning of their own in SVG.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_count_and_any_title_is_drawn() {
        let mut table = ValueCounts::default();
        table.decided.entry("win").or_default().insert(1, u64::MAX);
        let plot = svg("a<b&c", &table, Unit::Moves);
        assert!(plot.contains("<title>a&lt;b&amp;c: positions") && !plot.contains("a<b"), "{plot}");
        assert!(plot.contains("10,000,000,000,000,000,000<") && plot.contains("18,446,744,073,709,551,615<"));
    }
}
