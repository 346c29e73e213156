//! Code that the tests of several crates share. No program contains it: a crate that wants it names it under
//! `dev-dependencies`.

pub mod fuzz;
mod oracle;
pub mod pentago;

pub use oracle::{check_look, oracle};
