//! Errors as exceptions, with the words of the command line.

use pyo3::PyErr;
use pyo3::exceptions::PyException;
use pyo3::import_exception;
use zermelo::{OpenError, SolveError};
use zermelo_core::{AskError, Complaint};
use zermelo_store::StoreError;

import_exception!(zermelo._errors, InputError);
import_exception!(zermelo._errors, ZermeloError);

/// Why a call failed.
pub(crate) enum Fault {
    /// The input is wrong.
    Input(String),
    /// It could not be done.
    Failed(String),
    /// An exception of Python.
    Python(PyErr),
}

/// A result with an error that becomes an exception.
pub(crate) type Told<T> = Result<T, Fault>;

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> PyErr {
        match fault {
            Fault::Input(text) => InputError::new_err(text),
            Fault::Failed(text) => ZermeloError::new_err(text),
            Fault::Python(error) => error,
        }
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Fault {
        Fault::Python(error)
    }
}

impl From<Complaint> for Fault {
    fn from(complaint: Complaint) -> Fault {
        Fault::Input(complaint.to_string())
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Fault {
        Fault::Input(error.to_string())
    }
}

impl From<AskError> for Fault {
    fn from(error: AskError) -> Fault {
        match error {
            AskError::Input(complaint) => complaint.into(),
            other => Fault::Failed(other.to_string()),
        }
    }
}

impl From<SolveError> for Fault {
    fn from(error: SolveError) -> Fault {
        Fault::Failed(error.to_string())
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Failed(error.to_string())
    }
}

/// The fault of a panic: a mistake in this program, never the end of the Python process.
pub(crate) fn panicked() -> Fault {
    Fault::Python(PyException::new_err("a thread of zermelo panicked; please report this"))
}
