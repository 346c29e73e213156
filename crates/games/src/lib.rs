//! The rules of each game, one file a game. Nothing here but `core` is used.

mod mnk;
mod quixo;

pub use mnk::Mnk;
pub use quixo::Quixo;
