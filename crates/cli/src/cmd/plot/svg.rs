//! Writes a picture as SVG.

use std::fmt::Write;

use super::{Anchor, HEIGHT, INK, Shape, WIDTH};

/// Returns the picture of some shapes.
pub(super) fn draw(title: &str, shapes: &[Shape]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' font-family='sans-serif' font-size='12'>\
         <title>{}</title><rect width='100%' height='100%' fill='white'/>",
        escaped(title)
    );
    for shape in shapes {
        let _ = match shape {
            Shape::Bar { x, y, wide, high, fill, hint } => {
                let hint = match hint.as_str() {
                    "" => "/>".into(),
                    hint => format!("><title>{}</title></rect>", escaped(hint)),
                };
                write!(
                    out,
                    "<rect x='{x:.1}' y='{y:.1}' width='{wide:.1}' height='{high:.1}' fill='{fill}'{hint}"
                )
            }
            Shape::Text { x, y, anchor, large, text } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let size = if *large { " font-size='16'" } else { "" };
                write!(
                    out,
                    "<text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}' fill='{INK}'{size}>{}</text>",
                    escaped(text)
                )
            }
        };
    }
    out.push_str("</svg>\n");
    out
}

/// Escapes the characters of a text that have a meaning of their own in SVG.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
