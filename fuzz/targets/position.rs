//! The fuzz target of `laws/position.rs`.
#![no_main]

#[path = "../laws/position.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|data: &[u8]| law::check(data));
