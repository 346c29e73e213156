//! The server over real connections: in this process for most tests, as a process of its own where
//! signals are the point.

#![allow(clippy::unwrap_used)]

mod answers;
mod client;
mod errors;
mod headers;
mod load;
mod margins;
mod process;
mod solving;
mod universal;
