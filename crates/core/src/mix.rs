//! Numbers that look random, and checksums of bytes.

/// The number added to a seed for each number of a sequence: 2^64 divided by the golden ratio. [`mix`] of the sum is
/// SplitMix64.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Scrambles a word: each bit of `x` changes about half of the bits of the result. This is the finish of SplitMix64,
/// which is quick and leaves no pattern in neighbouring numbers.
#[inline]
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The [`fnv`] hash of no bytes.
pub const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// The FNV-1a hash of bytes that follow those with the hash `sum`: the same on every machine and in every version.
pub fn fnv(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, b| (sum ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}
