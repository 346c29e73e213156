//! Games one by one: every engine against the oracle on small variants, and known values with their source.

mod dawson;
mod fairshares;
mod kalah;
mod kaooa;
mod kayles;
mod morris;
mod nim;
mod pegs;
mod quarto;
mod slide;
mod teeko;
mod tento0;
