//! A short fuzz run in any build: the committed seeds, what coverage-guided runs have found, and random changes of both.
//!
//! It finds less than `cargo xtask fuzz`, which sees what code an input reaches, but needs no build of its own.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest input.
const MAX_LEN: usize = 4096;

/// Checks a law on all seeds of a target, then on changed ones for so long.
///
/// # Panics
/// If the law panics; the input is printed. If the target has no seeds.
pub fn run(target: &str, duration: Duration, check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let mut inputs = read_all(&folder.join("seeds").join(target));
    assert!(!inputs.is_empty(), "fuzz/seeds/{target} has no seeds");
    inputs.extend(read_all(&folder.join("corpus").join(target)));
    inputs.extend(read_all(&folder.join("artifacts").join(target)));
    let checked = |input: &[u8]| {
        let shown = PrintOnPanic(input);
        check(shown.0);
    };
    inputs.iter().for_each(|input| checked(input));
    let mut random = Random(RandomState::new().hash_one(target));
    let begun = Instant::now();
    let mut runs = inputs.len();
    while begun.elapsed() < duration {
        checked(&random.changed(&inputs));
        runs += 1;
    }
    eprintln!("fuzz {target}: {runs} inputs, no finding");
}

/// The contents of all files of a folder; none if there is no such folder.
fn read_all(folder: &Path) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| std::fs::read(file.path()).ok()).collect()
}

/// Prints the input that was being checked when a law panics, so that it can become a seed.
struct PrintOnPanic<'a>(&'a [u8]);

impl Drop for PrintOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input was {:?}, as bytes {:?}", String::from_utf8_lossy(self.0), self.0);
        }
    }
}

/// A sequence of numbers that look random (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % n as u64) as usize
    }

    /// Returns one of the inputs with up to eight changes.
    fn changed(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = inputs[self.below(inputs.len())].clone();
        for _ in 0..=self.below(8) {
            let (at, other) = (self.below(bytes.len() + 1), &inputs[self.below(inputs.len())]);
            let end = at + self.below(bytes.len() - at + 1);
            match self.below(6) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, self.below(256) as u8),
                // Most texts are of digits, letters and a few marks.
                2 => bytes.insert(at, b"0123456789_|:=,-xo. abcdef"[self.below(26)]),
                3 => drop(bytes.drain(at..end)),
                4 => bytes.extend_from_within(at..end),
                _ => drop(bytes.splice(at..end, other.iter().copied())),
            }
        }
        bytes.truncate(MAX_LEN);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A law that a few changes of a seed break is found broken.
    #[test]
    fn changed_inputs_break_a_false_law() {
        let check = |data: &[u8]| assert!(data.len() < 100, "too long");
        let broken = std::panic::catch_unwind(|| run("variant", Duration::from_secs(60), check));
        assert!(broken.is_err());
    }
}
