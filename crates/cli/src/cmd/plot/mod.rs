//! Draws the numbers of positions against remoteness or margin. Stacked bars on a logarithmic scale would mislead, so
//! wins, losses and ties stand beside each other, and draws, which have no remoteness, in a place of their own.

mod font;
mod png;
mod svg;

use std::path::Path;

use zermelo::{ValueCounts, row_name};
use zermelo_core::Unit;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 104.0;
const RIGHT: f64 = 20.0;
const BOTTOM: f64 = 50.0;
/// The title and the legend have a line each above the bars.
const TOP: f64 = 64.0;
const INK: &str = "#000000";
const GRID: &str = "#dddddd";
const KINDS: [(&str, &str); 3] = [("win", "#2a7f3f"), ("lose", "#a03030"), ("tie", "#c09020")];
const DRAW: (&str, &str) = ("draw", "#3a6ea5");

/// The kind of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Svg,
    Png,
}

impl Kind {
    /// Returns the kind that the ending of a file's name says.
    pub(crate) fn of(file: &Path) -> Option<Kind> {
        match file.extension()?.to_str()?.to_lowercase().as_str() {
            "svg" => Some(Kind::Svg),
            "png" => Some(Kind::Png),
            _ => None,
        }
    }
}

/// The place of a text beside the point that it is written at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// A part of a picture. The point of a text is on the line that its letters stand on.
enum Shape {
    Bar { x: f64, y: f64, wide: f64, high: f64, fill: &'static str, hint: String },
    Text { x: f64, y: f64, anchor: Anchor, large: bool, text: String },
}

/// Returns the plot of a table of counts in the bytes of a file: a picture of dots if the name of the file ends in
/// `.png`, and else SVG.
pub(crate) fn draw(file: &Path, title: &str, table: &ValueCounts, unit: Unit) -> Vec<u8> {
    let title = format!("{title}: {}", subject(unit));
    let shapes = shapes(&title, table, unit);
    match Kind::of(file) {
        Some(Kind::Png) => png::draw(&shapes),
        Some(Kind::Svg) | None => svg::draw(&title, &shapes).into_bytes(),
    }
}

fn subject(unit: Unit) -> &'static str {
    match unit {
        Unit::Moves => "positions against remoteness",
        Unit::Margin => "positions against margin",
        Unit::Nimber => "positions against nimber",
        Unit::Goal => "positions against moves to the goal",
        Unit::Winner => "positions by winner",
    }
}

fn axis(unit: Unit) -> (&'static str, &'static str) {
    match unit {
        Unit::Moves => (" in", "moves to the end (remoteness)"),
        Unit::Margin => (" by", "margin of the win"),
        Unit::Nimber => (", nimber", "nimber"),
        Unit::Goal => (" in", "moves to the goal"),
        Unit::Winner => (",", "whether the game is over"),
    }
}

/// The heights of bars: a logarithmic scale up to the next power of ten.
struct Scale {
    decades: f64,
}

impl Scale {
    fn of(table: &ValueCounts) -> Scale {
        let counts = KINDS.iter().flat_map(|(word, _)| (0..=table.longest()).map(|r| table.at(word, r)));
        let most = counts.chain([table.draw]).max().unwrap_or(1).max(10);
        Scale { decades: (most as f64).log10().ceil() }
    }

    fn height(&self, n: u64) -> f64 {
        let share = ((n as f64).log10() + 0.3) / (self.decades + 0.3);
        if n == 0 { 0.0 } else { share * (HEIGHT - TOP - BOTTOM) }
    }
}

fn shapes(title: &str, table: &ValueCounts, unit: Unit) -> Vec<Shape> {
    let title = Shape::Text { x: LEFT, y: 24.0, anchor: Anchor::Start, large: true, text: title.into() };
    let mut shapes = vec![title];
    let scale = Scale::of(table);
    // Counts beyond the largest power of ten of a `u64` stand above its line.
    for power in (0..=scale.decades as u32).map_while(|decade| 10u64.checked_pow(decade)) {
        let y = HEIGHT - BOTTOM - scale.height(power);
        let wide = WIDTH - LEFT - RIGHT;
        shapes.push(Shape::Bar { x: LEFT, y: y - 0.5, wide, high: 1.0, fill: GRID, hint: String::new() });
        shapes.push(text((LEFT - 8.0, y + 4.0), Anchor::End, &super::grouped(power)));
    }
    bars(&mut shapes, table, unit, &scale);
    let drawn = |word: &str| (0..=table.longest()).any(|r| table.at(word, r) > 0);
    let kinds = KINDS.into_iter().filter(|(word, _)| drawn(word)).chain((table.draw > 0).then_some(DRAW));
    for (i, (word, fill)) in kinds.enumerate() {
        let x = LEFT + 80.0 * i as f64;
        let hint = String::new();
        shapes.push(Shape::Bar { x, y: 36.0, wide: 12.0, high: 12.0, fill, hint });
        shapes.push(text((x + 18.0, 46.0), Anchor::Start, word));
    }
    shapes.push(text((WIDTH / 2.0, HEIGHT - 12.0), Anchor::Middle, axis(unit).1));
    shapes
}

/// Adds the bars of each row, and last the one of the draws.
fn bars(shapes: &mut Vec<Shape>, table: &ValueCounts, unit: Unit, scale: &Scale) {
    let rows = f64::from(table.longest()) + 1.0;
    let drawn = table.draw > 0;
    // The draws have the place of two rows, as their name is longer.
    let slot = (WIDTH - LEFT - RIGHT) / (rows + if drawn { 2.0 } else { 0.0 });
    let every = (30.0 / slot).ceil() as u16;
    let bar = |x: f64, wide: f64, n: u64, fill, hint: String| {
        let high = scale.height(n);
        Shape::Bar { x, y: HEIGHT - BOTTOM - high, wide, high, fill, hint }
    };
    for r in 0..=table.longest() {
        let (x, name) = (LEFT + slot * f64::from(r), row_name(r, unit));
        for (i, (word, fill)) in KINDS.into_iter().enumerate() {
            let n = table.at(word, r);
            if n > 0 {
                let hint = format!("{word}{} {name}: {}", axis(unit).0, super::grouped(n));
                shapes.push(bar(x + slot * (0.08 + 0.28 * i as f64), slot * 0.28, n, fill, hint));
            }
        }
        if r % every.max(1) == 0 {
            shapes.push(text((x + slot / 2.0, HEIGHT - BOTTOM + 18.0), Anchor::Middle, &name));
        }
    }
    if drawn {
        let wide = (slot * 0.6).max(4.0);
        let middle = (LEFT + slot * (rows + 1.0)).min(WIDTH - RIGHT - 16.0);
        let hint = format!("{}: {}", DRAW.0, super::grouped(table.draw));
        shapes.push(bar(middle - wide / 2.0, wide, table.draw, DRAW.1, hint));
        // Beside the numbers where there is room, and else below them.
        let below = if slot >= 24.0 { 18.0 } else { 32.0 };
        shapes.push(text((middle, HEIGHT - BOTTOM + below), Anchor::Middle, DRAW.0));
    }
}

fn text((x, y): (f64, f64), anchor: Anchor, text: &str) -> Shape {
    Shape::Text { x, y, anchor, large: false, text: text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> ValueCounts {
        let mut table = ValueCounts::default();
        table.decided.entry("win").or_default().insert(1, u64::MAX);
        table.decided.entry("tie").or_default().insert(3, 12);
        table.draw = 345;
        table
    }

    #[test]
    fn any_count_and_any_title_is_drawn() {
        let plot = draw(Path::new("plot.svg"), "a<b&c", &table(), Unit::Moves);
        let plot = String::from_utf8(plot).expect("text");
        assert!(plot.contains("<title>a&lt;b&amp;c: positions") && !plot.contains("a<b"), "{plot}");
        assert!(plot.contains("10,000,000,000,000,000,000<") && plot.contains("18,446,744,073,709,551,615<"));
        assert!(plot.contains(">tie in 3: 12<") && plot.contains(">draw: 345<"), "{plot}");
        // A kind that no position has is not in the legend.
        assert!(plot.contains(">draw<") && !plot.contains(">lose<"), "{plot}");
    }

    /// The title and the legend have lines of their own, whatever the title.
    #[test]
    fn texts_do_not_touch() {
        let shapes = shapes(&"long ".repeat(40), &table(), Unit::Moves);
        let lines = |wanted: &str| {
            shapes.iter().find_map(|shape| match shape {
                Shape::Text { y, text, .. } if text.starts_with(wanted) => Some(*y),
                _ => None,
            })
        };
        let (title, legend) = (lines("long").expect("a title"), lines("win").expect("a legend"));
        assert!(legend - title > 16.0, "{title} {legend}");
    }

    #[test]
    fn the_ending_says_the_kind() {
        for (file, want) in
            [("a.svg", Some(Kind::Svg)), ("a.PNG", Some(Kind::Png)), ("a.jpeg", None), ("svg", None)]
        {
            assert_eq!(Kind::of(Path::new(file)), want, "{file}");
        }
    }
}
