//! The program `zermelo`: its commands, the terminal, the server and the page.

mod args;
pub mod cli;
mod cmd;
mod menu;
pub mod serve;
pub mod tui;
