//! The rules of each game, one file or folder a game. Games use nothing of this project but `core`.

mod allqueens;
mod connect4;
mod dawson;
mod dobutsu;
pub mod domineering;
mod fairshares;
mod hex;
mod kalah;
mod kaooa;
mod kayles;
mod meaningless;
mod mnk;
mod morris;
mod nim;
mod othello;
mod pegs;
mod pentago;
mod pins;
mod qbf;
mod quarto;
mod quixo;
mod slide;
mod teeko;
mod tento0;
mod toot;
mod xiangqi;

pub use allqueens::AllQueens;
pub use connect4::Connect4;
pub use dawson::Dawson;
pub use dobutsu::Dobutsu;
pub use domineering::Domineering;
pub use fairshares::FairShares;
pub use hex::Hex;
pub use kalah::Kalah;
pub use kaooa::Kaooa;
pub use kayles::Kayles;
pub use meaningless::Meaningless;
pub use mnk::Mnk;
pub use morris::Morris;
pub use nim::Nim;
pub use othello::Othello;
pub use pegs::Pegs;
pub use pentago::Pentago;
pub use qbf::Qbf;
pub use quarto::Quarto;
pub use quixo::Quixo;
pub use slide::Slide;
pub use teeko::Teeko;
pub use tento0::Tento0;
pub use toot::Toot;
pub use xiangqi::Xiangqi;

/// The walk-through compiles as it is written.
#[doc = include_str!("../../../docs/guide/adding-a-game.md")]
#[cfg(doctest)]
struct AddingAGame;
