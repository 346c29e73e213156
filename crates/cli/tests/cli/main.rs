//! The `zermelo` command from outside, as people and programs use it: real processes,
//! real files.

#![allow(clippy::unwrap_used)]

mod all;
mod bad_input;
mod book;
mod check;
mod checkpoint;
#[cfg(feature = "mpi")]
mod cluster;
mod count;
mod counting;
mod damage;
mod endgame;
mod export;
mod fence;
mod from;
mod front;
mod golden;
#[cfg(feature = "mpi")]
mod hosts;
mod limits;
mod memory;
mod next;
mod nimbers;
mod othello;
mod pentago;
mod published;
mod query;
mod replaced;
mod resume;
mod reversi;
mod scratch;
mod sections;
mod tiers;
mod trace;
mod transcript;
mod xiangqi;
