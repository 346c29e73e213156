//! Games one by one: every engine against the oracle on small variants, and known values with their source.

mod fairshares;
mod kalah;
mod kaooa;
mod morris;
mod quarto;
mod teeko;
