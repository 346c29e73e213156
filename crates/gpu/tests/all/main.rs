//! The device's kernels, run by the processor, against the other engines.

mod compiler;
mod faults;
mod host;
mod tables;
mod together;
