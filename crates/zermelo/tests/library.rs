//! The example of the library runs to its end.

#[path = "../../../examples/library.rs"]
mod library;

#[test]
fn the_example_runs() {
    library::main().expect("it solves, asks, lists and reads");
}
