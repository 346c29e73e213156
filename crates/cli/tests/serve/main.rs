//! The server over real connections: in this process for most tests, and in a process of its own for tests of
//! signals.

#![allow(clippy::unwrap_used)]

mod answers;
mod client;
mod errors;
mod export;
mod headers;
mod hostile;
mod hung;
mod load;
mod margins;
mod pentago;
mod process;
// The tests of the command use the rest of this module.
mod nimbers;
#[allow(dead_code)]
#[path = "../cli/published.rs"]
mod published;
mod solving;
mod universal;
