//! Games one by one: every engine against the oracle on small variants, and known values with their source.

mod allqueens;
mod dawson;
mod dobutsu;
mod domineering;
mod fairshares;
mod hex;
mod kalah;
mod kaooa;
mod kayles;
mod mnk;
mod morris;
mod nim;
mod pegs;
mod qbf;
mod quarto;
mod slide;
mod teeko;
mod tento0;
mod toot;
