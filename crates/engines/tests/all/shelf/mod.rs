//! One file a game: known values, and every way to solve it against every other.

mod fairshares;
mod kalah;
mod quarto;
