//! Games of the project with the engines that solve them: whatever the engine, the threads and the memory, each
//! position has the value that the definition gives.

mod blobs;
mod each_game;
mod fuzz;
mod games;
mod lattice;
mod midgame;
mod names;
mod refused;
mod registry;
#[path = "../../../engines/tests/all/run.rs"]
mod run;
mod search;
mod sections;
mod share;
#[path = "../../../engines/tests/all/tables.rs"]
mod tables;
mod walk;
