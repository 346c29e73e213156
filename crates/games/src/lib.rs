//! The rules of each game, one file or folder a game. Nothing here but `core` is used.

mod connect4;
mod fairshares;
mod kalah;
mod kaooa;
mod meaningless;
mod mnk;
mod morris;
mod othello;
mod pentago;
mod quarto;
mod quixo;
mod teeko;
mod xiangqi;

pub use connect4::Connect4;
pub use fairshares::FairShares;
pub use kalah::Kalah;
pub use kaooa::Kaooa;
pub use meaningless::Meaningless;
pub use mnk::Mnk;
pub use morris::Morris;
pub use othello::Othello;
pub use pentago::Pentago;
pub use quarto::Quarto;
pub use quixo::Quixo;
pub use teeko::Teeko;
pub use xiangqi::Xiangqi;

/// The walk-through compiles as it is written.
#[doc = include_str!("../../../docs/adding-a-game.md")]
#[cfg(doctest)]
struct AddingAGame;
