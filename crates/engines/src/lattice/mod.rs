//! The lattice engine: games in which a placed stone never moves or changes, whole lists
//! of positions at a time.
//!
//! A board is cut into files ([`contents`]). All files but the last few are a *shard* of
//! the game; what can stand on the last few, the *inner* files, is a fixed list for each
//! balance of colours ([`inner`]), one bit or one bit-sliced code an entry ([`slab`]). A
//! stone outside leads to the same entry of another shard's list, so whole lists are
//! combined a vector at a time. A stone inside is a fixed, order-preserving map of entries
//! to entries, which `pext` and `pdep` carry out 64 at a time ([`isa`]). Wins are patterns,
//! OR-ed together by which lines the outer stones have completed or nearly so ([`wins`]).
//! A shard with a line is dead and takes no space; nor does a list whose mover wins outside.
//!
//! A tier is what stands on the first few files ([`cut`]); where the board has a mirror image these
//! begin with two twins, and a tier and its image are one ([`mirror`]). Its reached positions come from
//! the tiers above ([`forward`]), its values from the tiers below ([`backward`]), and its
//! counts from both ([`tally`]). In the database every second ply is kept ([`numbering`],
//! [`solved`]).

// Files, planes, lanes and turns are places in several arrays at once.
#![allow(clippy::needless_range_loop)]

mod backward;
mod board;
mod codes;
mod contents;
mod cut;
mod ends;
mod engine;
mod forward;
mod inner;
mod memory;
mod mirror;
mod numbering;
mod samples;
mod slab;
mod solved;
mod spill;
mod tally;
mod wins;

pub use engine::{Lattice, LatticeTiers};
