//! Engines from outside: whatever the game, the threads and the memory, each gives the values that the
//! definition gives, or an error that says why not.

mod alone;
mod blobs;
mod broken;
mod games;
mod graph;
mod lattice;
mod midgame;
mod objectives;
mod placed;
mod registry;
mod run;
mod search;
mod sections;
mod share;
mod shelf;
mod stored;
mod values;
mod wide;
