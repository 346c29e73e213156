//! Games written in Python: the list of their positions and moves.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use zermelo_core::{Complaint, Outcome};
use zermelo_games::{GraphList, GraphLists, GraphParts, Strings};

use crate::bulk::numbers;
use crate::fault::{Fault, Told};

/// A list that this process knows by its name for as long as this object lives.
#[pyclass(frozen, name = "List", module = "zermelo._zermelo")]
pub(crate) struct List(Arc<GraphList>);

/// Copies texts out of Python.
fn strings(texts: &[PyBackedStr]) -> Strings {
    let mut all = Strings::default();
    texts.iter().for_each(|text| _ = all.push(text));
    all
}

/// How a game ended, by its number: 0 where it goes on, 1 for a loss, 2 for a tie, 3 for a win.
fn outcome(number: u8) -> Result<Option<Outcome>, Complaint> {
    match number {
        0 => Ok(None),
        1 => Ok(Some(Outcome::Lose)),
        2 => Ok(Some(Outcome::Tie)),
        3 => Ok(Some(Outcome::Win)),
        _ => Err(Complaint::new(format!("outcome {number}: want 0 to 3"))),
    }
}

#[pymethods]
impl List {
    /// Makes a list: the name, whether the game is impartial, and for each position its outcome, margin and number of moves
    /// up to it; for each move the position it leads to, the number of its word, and whether the same player moves
    /// again; the words, and the texts of positions.
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        name: String,
        impartial: bool,
        over: &[u8],
        scores: &[u8],
        ends: &[u8],
        to: &[u8],
        word: &[u8],
        again: &[u8],
        words: Vec<PyBackedStr>,
        texts: Vec<PyBackedStr>,
    ) -> Told<List> {
        let over = over.iter().map(|number| outcome(*number)).collect::<Result<_, _>>()?;
        let again = again.iter().map(|again| *again != 0).collect();
        let scores = numbers(scores, i32::from_ne_bytes)?;
        let [ends, to, word] = [ends, to, word].map(|bytes| numbers(bytes, u32::from_ne_bytes));
        let (ends, to, word) = (ends?, to?, word?);
        py.detach(|| {
            let (words, texts) = (strings(&words), strings(&texts));
            let parts = GraphParts { name, impartial, over, scores, ends, to, word, again, words, texts };
            Ok(List(GraphLists::share(GraphList::new(parts)?)))
        })
    }

    /// The name of the list, as it stands in the names of variants.
    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    /// A position to which play can return, if there is one.
    #[getter]
    fn returns_to(&self) -> Option<u32> {
        self.0.returns_to()
    }

    /// Writes the list to a file: first under another name, so that no half of a list is left behind.
    fn save(&self, py: Python<'_>, path: PathBuf) -> Told<()> {
        let failed =
            |error: std::io::Error| Fault::Failed(format!("cannot write {}: {error}", path.display()));
        py.detach(|| {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(failed)?;
            }
            let part = path.with_extension(format!("part-{}", std::process::id()));
            let written = std::fs::write(&part, self.0.write()).and_then(|()| std::fs::rename(&part, &path));
            written.map_err(|error| {
                // The part may not be there.
                let _ = std::fs::remove_file(&part);
                failed(error)
            })
        })
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}
