//! What the engines' ways to scratch tiers have in common: nothing that was not written is taken for a tier.

use std::io::{self, Read};

use zermelo_core::{EngineError, Tier};

/// The error of bytes that are not what was written.
pub(crate) fn misfit() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what was spilled does not fit this game")
}

/// Whether all has been read.
pub(crate) fn ended(from: &mut dyn Read) -> io::Result<()> {
    match from.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(misfit()),
    }
}

/// The next bytes.
pub(crate) fn array<const N: usize>(from: &mut dyn Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The error of a tier that could not be read.
pub(crate) fn unreadable(tier: Tier) -> impl Fn(io::Error) -> EngineError {
    move |error| EngineError::Load { tier, reason: error.into() }
}
