//! What the tests of several crates share. No program has it: whoever wants it names it under `dev-dependencies`.

mod oracle;
pub mod pentago;

pub use oracle::{check_look, oracle};
