//! Many positions at once: look-ups on all cores, without Python's lock.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyByteArray;
use rayon::prelude::*;
use zermelo::Answers;
use zermelo_core::{Complaint, Position, Turn, refuse};

use crate::answers::{number, position};
use crate::fault::Told;

/// Two arrays of values: kinds of values, a byte each, and numbers, four bytes each.
pub(crate) type Arrays<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

/// The numbers that an array of Python has, from its bytes.
pub(crate) fn numbers<T, const SIZE: usize>(
    bytes: &[u8],
    of: fn([u8; SIZE]) -> T,
) -> Result<Vec<T>, Complaint> {
    let (cells, rest) = bytes.as_chunks::<SIZE>();
    if !rest.is_empty() {
        refuse!("{} bytes are no array of numbers of {SIZE} bytes each", bytes.len());
    }
    Ok(cells.iter().map(|cell| of(*cell)).collect())
}

/// Reads texts; an error names the place in the list.
fn parse(answers: &Answers, texts: &[PyBackedStr]) -> Result<Vec<Position>, Complaint> {
    let oracle = answers.game.oracle();
    let read = |(n, text): (usize, &PyBackedStr)| {
        oracle.parse(text).map_err(|why| Complaint::new(format!("item {n} of the list: {why}")))
    };
    texts.par_iter().enumerate().map(read).collect()
}

/// Takes positions from an array of three words each. The words may be anything, so each position is read back from its
/// text, and what is none is refused with its row.
fn unpack(answers: &Answers, words: &[u64]) -> Result<Vec<Position>, Complaint> {
    if !words.len().is_multiple_of(3) {
        refuse!("an array of positions has three words for each: the player to move and two words");
    }
    let oracle = answers.game.oracle();
    let one = |(n, words): (usize, &[u64])| {
        let turn = u8::try_from(words[0]).unwrap_or(0);
        let at = position((turn, words[1], words[2]));
        let back = |at: Position| oracle.parse(&oracle.text(at)).ok().filter(|back| *back == at);
        // A game may not expect words that it never made.
        let known = at.ok().and_then(|at| catch_unwind(AssertUnwindSafe(|| back(at))).ok().flatten());
        known.ok_or_else(|| Complaint::new(format!("row {n} of the array is no position of this game")))
    };
    words.par_chunks_exact(3).enumerate().map(one).collect()
}

fn arrays<'py>(py: Python<'py>, answers: &Answers, positions: &[Position]) -> Told<Arrays<'py>> {
    let found = py.detach(|| {
        let value = |at: &Position| answers.value(*at).map(number);
        positions.par_iter().map(value).collect::<Result<Vec<_>, _>>()
    })?;
    let kinds = PyByteArray::new_with(py, found.len(), |bytes| {
        bytes.iter_mut().zip(&found).for_each(|(byte, (kind, _))| *byte = *kind);
        Ok(())
    })?;
    let numbers = PyByteArray::new_with(py, 4 * found.len(), |bytes| {
        let cells = bytes.chunks_exact_mut(4);
        cells.zip(&found).for_each(|(cell, (_, number))| cell.copy_from_slice(&number.to_le_bytes()));
        Ok(())
    })?;
    Ok((kinds, numbers))
}

/// Positions as an array of three words each.
pub(crate) fn words<'py>(py: Python<'py>, positions: &[Position]) -> Told<Bound<'py, PyByteArray>> {
    Ok(PyByteArray::new_with(py, 24 * positions.len(), |bytes| {
        for (cell, at) in bytes.chunks_exact_mut(24).zip(positions) {
            let turn = if at.turn == Turn::First { 1u64 } else { 2 };
            for (part, word) in cell.chunks_exact_mut(8).zip([turn, at.packed[0], at.packed[1]]) {
                part.copy_from_slice(&word.to_le_bytes());
            }
        }
        Ok(())
    })?)
}

/// The values of a list of texts.
pub(crate) fn values_of_texts<'py>(
    py: Python<'py>,
    answers: &Answers,
    texts: &[PyBackedStr],
) -> Told<Arrays<'py>> {
    let positions = py.detach(|| parse(answers, texts))?;
    arrays(py, answers, &positions)
}

/// The values of an array of packed positions.
pub(crate) fn values_of_words<'py>(py: Python<'py>, answers: &Answers, array: &[u8]) -> Told<Arrays<'py>> {
    let words = numbers(array, u64::from_ne_bytes)?;
    let positions = py.detach(|| unpack(answers, &words))?;
    arrays(py, answers, &positions)
}

/// The packed forms of a list of texts.
pub(crate) fn pack<'py>(
    py: Python<'py>,
    answers: &Answers,
    texts: &[PyBackedStr],
) -> Told<Bound<'py, PyByteArray>> {
    let positions = py.detach(|| parse(answers, texts))?;
    words(py, &positions)
}

/// The texts of an array of packed positions.
pub(crate) fn texts(py: Python<'_>, answers: &Answers, array: &[u8]) -> Told<Vec<String>> {
    let words = numbers(array, u64::from_ne_bytes)?;
    let oracle = answers.game.oracle();
    let texts = || -> Result<Vec<String>, Complaint> {
        Ok(unpack(answers, &words)?.into_par_iter().map(|at| oracle.text(at)).collect())
    };
    Ok(py.detach(texts)?)
}
