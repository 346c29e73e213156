//! The part of the Python package `zermelo` that is written in Rust. The rest of the package, in `python/zermelo`, makes
//! of it what people use.
//!
//! Everything here gives and takes plain values. A position is three numbers: the player to move (1 or 2) and the two
//! words of its packed form. A value is one of [`KINDS`](answers::KINDS) and a number, -1 where there is none.

mod answers;
mod bulk;
mod fault;
mod lists;
#[cfg(feature = "program")]
mod program;
mod solving;

use pyo3::prelude::*;

/// The module `zermelo._zermelo`.
#[pymodule]
fn _zermelo(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<answers::OpenVariant>()?;
    module.add_class::<lists::List>()?;
    module.add_function(wrap_pyfunction!(solving::games, module)?)?;
    module.add_function(wrap_pyfunction!(solving::solve, module)?)?;
    #[cfg(feature = "program")]
    {
        module.add_class::<program::Page>()?;
        module.add_function(wrap_pyfunction!(program::run, module)?)?;
        module.add_function(wrap_pyfunction!(program::play, module)?)?;
        module.add_function(wrap_pyfunction!(program::serve, module)?)?;
    }
    module.add("KINDS", answers::KINDS)?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))
}
