//! The lattice engine: games in which a placed stone never moves or changes, whole lists
//! of positions at a time.
//!
//! A board is cut into files ([`contents`]), of which the last few are the *inner* files and the others the *outer*
//! files. What stands on the outer files is a *shard* of the game. What can stand on the inner files is a fixed list
//! for each balance of colours ([`inner`]), with one bit or one bit-sliced code an entry ([`slab`]).
//!
//! A stone on an outer file leads to the same entry of another shard's list, so whole lists are combined, a vector at
//! a time. A stone on an inner file is a fixed map of entries to entries that keeps their order; `pext` and `pdep` carry
//! it out for 64 entries at a time ([`isa`]).
//!
//! Wins are patterns, OR-ed together by which lines the outer stones have completed or nearly so ([`wins`]). A shard
//! with a line is over and takes no space; nor does a list where the player to move wins on an outer file.
//!
//! A tier is what stands on the first few files ([`cut`]). Where the board has a mirror image, these begin with two
//! files that are each other's images, and a tier and its image are one ([`mirror`]). The reached positions of a tier
//! come from the tiers above ([`forward`]), its values from the tiers below ([`backward`]), and its counts from both
//! ([`tally`]). In the database every second ply is kept ([`numbering`], [`solved`]).

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
mod listing;
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
