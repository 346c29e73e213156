//! The fuzz target of `laws/variant.rs`.
#![no_main]

#[path = "../laws/variant.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|data: &[u8]| law::check(data));
