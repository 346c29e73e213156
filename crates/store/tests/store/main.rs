//! The store from outside: what is written comes back, and no damage, crash, full disk or forged file gives a
//! wrong answer or a panic.

#![allow(clippy::unwrap_used)]

mod annex;
mod book;
mod damage;
mod disk;
mod faults;
mod forged;
mod fuzz;
mod memory;
mod network;
mod pentago;
mod round_trip;
mod sample;
mod scratch;
