//! The boards: squares one within another, joined at the middles of their sides, or three by three
//! points.

use zermelo_core::points::Points;
use zermelo_core::{Complaint, refuse};

/// A straight line, by columns and rows.
type Line = Vec<(usize, usize)>;

/// The use of the diagonals of the small board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Diagonals {
    /// The diagonals are no lines.
    None,
    /// The diagonals are mills, but no man moves along them.
    Mills,
    /// The diagonals are lines like the others.
    All,
}

/// The board for `men` men a player, and its mills.
pub(super) fn board(men: usize, diagonals: Diagonals) -> Result<(Points, Vec<u64>), Complaint> {
    let rings = match men {
        ..=3 => return Ok(small(diagonals)),
        4..=6 => 2,
        _ => 3,
    };
    if diagonals != Diagonals::None {
        refuse!("only the board for men=3 has diagonals: leave diagonals out, or give men=3");
    }
    let points = Points::on_grid(&squares(rings));
    let mills = points.row_sets(3);
    Ok((points, mills))
}

/// The lines of `rings` squares: their sides, and the lines that join them.
fn squares(rings: usize) -> Vec<Line> {
    let mut lines = vec![];
    for ring in 0..rings {
        let [low, middle, high] = [ring, rings, 2 * rings - ring];
        for edge in [low, high] {
            lines.push([low, middle, high].map(|x| (x, edge)).to_vec());
            lines.push([low, middle, high].map(|y| (edge, y)).to_vec());
        }
    }
    for side in [0..rings, rings + 1..2 * rings + 1] {
        lines.push(side.clone().map(|x| (x, rings)).collect());
        lines.push(side.map(|y| (rings, y)).collect());
    }
    lines
}

/// The board of three by three points, and its mills.
fn small(diagonals: Diagonals) -> (Points, Vec<u64>) {
    let rows = (0..3).map(|y| (0..3).map(|x| (x, y)).collect());
    let columns = (0..3).map(|x| (0..3).map(|y| (x, y)).collect());
    let plain: Vec<Line> = rows.chain(columns).collect();
    let slanted = [(0..3).map(|n| (n, n)).collect(), (0..3).map(|n| (2 - n, n)).collect()];
    let all = Points::on_grid(&[plain.clone(), slanted.to_vec()].concat());
    let points = if diagonals == Diagonals::All { all.clone() } else { Points::on_grid(&plain) };
    let mills = if diagonals == Diagonals::None { points.row_sets(3) } else { all.row_sets(3) };
    (points, mills)
}
