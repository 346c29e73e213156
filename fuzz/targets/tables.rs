//! The fuzz target of `laws/tables.rs`.
#![no_main]

#[path = "../../crates/store/tests/store/memory.rs"]
mod memory;
#[path = "../laws/tables.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|data: &[u8]| law::check(data));
