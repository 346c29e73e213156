//! Engines from outside, on games made by hand: whatever the game, the threads and the memory, each gives the values
//! that the definition gives, or an error that says why not. No game of the project is compiled for this.

mod alone;
mod broken;
mod compact;
mod graph;
mod lattice;
mod memory;
mod objectives;
mod placed;
mod run;
mod search;
mod share;
mod stored;
mod tables;
mod values;
mod ways;
mod wide;
