//! The codes of a tier from those of the tier below.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use zermelo_core::rank::members;
use zermelo_core::{Code, EngineError, Growing, Objective, Packed, Settled, Solved, Spill, Tier, Watch};

use super::cells::{Even, Map, canonical};
use super::level::Level;
use super::pages::Pages;

/// A solved tier.
pub(super) struct Values {
    pub(super) level: Arc<Level>,
    /// One byte a position, in the order of the level.
    pub(super) codes: Vec<u8>,
    directory: Directory,
    pub(super) pages: Pages,
}

/// Where the numbers with the same leading bits begin, for each blob.
struct Directory {
    /// For each blob: where its part begins, and by how much numbers are shifted.
    blobs: Vec<(usize, u32)>,
    /// Begins within the blob; one more than there are leading bits.
    begins: Vec<u32>,
}

/// Numbers that share a place in the directory, on average.
const PER_PLACE: usize = 4;

impl Directory {
    fn new(level: &Level) -> Directory {
        let mut directory = Directory { blobs: vec![], begins: vec![] };
        for blob in 0..level.blobs.len() {
            let leading = (level.part(blob).len() / PER_PLACE).max(1).ilog2().min(level.cells);
            directory.blobs.push((directory.begins.len(), level.cells - leading));
            directory.begins.resize(directory.begins.len() + (1 << leading) + 1, 0);
        }
        // Cut at the blobs, so that each is one thread's.
        let mut rest = &mut directory.begins[..];
        let mut parts = vec![];
        for (blob, (_, shift)) in directory.blobs.iter().enumerate() {
            let (part, more) = rest.split_at_mut((1 << (level.cells - shift)) + 1);
            parts.push((blob, *shift, part));
            rest = more;
        }
        parts.into_par_iter().for_each(|(blob, shift, begins)| fill(level, blob, shift, begins));
        directory
    }
}

/// Where each place of a blob's directory begins.
fn fill(level: &Level, blob: usize, shift: u32, begins: &mut [u32]) {
    let part = level.part(blob);
    let mut at = part.start;
    for (place, begin) in begins.iter_mut().enumerate() {
        // The last one is where all end; its place may be past all numbers.
        let before = |number: u64| number.checked_shr(shift).unwrap_or(0) < place as u64;
        while at < part.end && before(level.numbers.get(at)) {
            at += 1;
        }
        *begin = (at - part.start) as u32;
    }
}

impl Values {
    pub(super) fn new(level: Arc<Level>, codes: Vec<u8>, pages: Pages) -> Values {
        let directory = Directory::new(&level);
        Values { level, codes, directory, pages }
    }

    /// The stored byte of a position of a blob.
    #[inline(always)]
    fn find(&self, blob: usize, number: u64) -> Option<u8> {
        let (begin, shift) = self.directory.blobs[blob];
        let place = begin + (number.checked_shr(shift).unwrap_or(0)) as usize;
        let first = self.level.begins[blob];
        let (from, to) = (self.directory.begins[place] as usize, self.directory.begins[place + 1] as usize);
        let at = self.level.numbers.find(first + from..first + to, number)?;
        Some(self.codes[at])
    }
}

impl Solved for Values {
    fn entries(&self) -> u64 {
        self.pages.entries(self.level.positions() as u64)
    }

    fn positions(&self) -> u64 {
        self.level.positions() as u64 + self.level.ends.values().map(|ends| ends.canonical).sum::<u64>()
    }

    fn bytes(&self) -> u64 {
        self.level.bytes()
            + self.codes.capacity() as u64
            + 4 * self.directory.begins.capacity() as u64
            + 16 * self.directory.blobs.capacity() as u64
    }

    fn write(&self, range: Range<u64>, out: &mut Vec<u8>) {
        self.pages.write(&self.level, &self.codes, range, out);
    }

    fn spill(&self) -> Option<Spill<'_>> {
        let mut out = vec![];
        self.level.write(&mut out);
        out.extend_from_slice(&self.codes);
        Some(out.into())
    }
}

/// What a thread needs, made once.
struct Scratch<F> {
    colours: Vec<u64>,
    folds: Vec<F>,
    expand: Map,
    gather: Map,
}

/// The codes of a tier's positions, in their order.
pub(super) fn backward<G: Growing, O: Objective<G>>(
    game: &G,
    level: &Level,
    below: &Values,
    watch: &dyn Watch,
) -> Result<Vec<u8>, EngineError>
where
    O::Fold: Send,
{
    let scratch = || Scratch { colours: vec![], folds: vec![], expand: Map::new(), gather: Map::new() };
    let mut codes = vec![0; level.positions()];
    // The list cut at the blobs, so that each is one thread's.
    let mut parts = vec![];
    let mut rest = &mut codes[..];
    for blob in 0..level.blobs.len() {
        let (part, more) = rest.split_at_mut(level.part(blob).len());
        parts.push((blob, part));
        rest = more;
    }
    let solve = |scratch: &mut Scratch<O::Fold>, (blob, codes): (usize, &mut [u8])| {
        let many = codes.len() as u64;
        solve_blob::<G, O>(game, level, below, blob, codes, scratch)?;
        watch.advance(many);
        Ok::<(), EngineError>(())
    };
    parts.into_par_iter().map_init(scratch, solve).collect::<Result<(), _>>()?;
    Ok(codes)
}

fn fault(level: &Level, fault: String) -> EngineError {
    EngineError::BadGame { tier: Tier(level.cells.into()), fault }
}

fn solve_blob<G: Growing, O: Objective<G>>(
    game: &G,
    level: &Level,
    below: &Values,
    blob: usize,
    codes: &mut [u8],
    scratch: &mut Scratch<O::Fold>,
) -> Result<(), EngineError> {
    let cells = level.blobs[blob];
    scratch.expand.expand(cells);
    let Scratch { colours, folds, expand, gather } = scratch;
    level.numbers.each(level.part(blob), colours, |n| expand.apply(n));
    folds.clear();
    folds.resize(colours.len(), O::EMPTY);
    for cell in members(game.fillable(cells)) {
        let filled = cells | 1 << cell;
        let (to, symmetry) = canonical(game.symmetries(), filled);
        gather.compress(game.symmetries(), symmetry, to);
        let child =
            Child { game, below, to, blob: below.level.blob(to), even: Even::new(game.symmetries(), to) };
        let spot = game.spot(cell as u32);
        for (own, fold) in colours.iter().zip(folds.iter_mut()) {
            if let Some(colours) = game.fill([*own, cells & !own], spot) {
                let code = child.code::<O>(gather.apply(colours[0]), colours);
                let code = code.ok_or_else(|| fault(level, format!("{colours:x?} was not reached")))?;
                *fold = O::fold(*fold, code);
            }
        }
    }
    for (code, fold) in codes.iter_mut().zip(folds.iter()) {
        let found = O::parent(*fold).ok_or(EngineError::OutOfRange(Tier(level.cells.into())))?;
        *code = O::narrow(found).ok_or(EngineError::OutOfRange(Tier(level.cells.into())))?;
    }
    Ok(())
}

/// A blob of the tier below.
struct Child<'a, G> {
    game: &'a G,
    below: &'a Values,
    to: u64,
    /// The place of the blob, if anybody can move in any of its positions.
    blob: Option<usize>,
    even: Even,
}

impl<G: Growing> Child<'_, G> {
    /// The code of a board that a move has led to, as the other player sees it; `None` for one
    /// that is missing.
    #[inline(always)]
    fn code<O: Objective<G>>(&self, number: u64, colours: [u64; 2]) -> Option<Code> {
        match self.blob.and_then(|blob| self.below.find(blob, self.even.least(number))) {
            Some(byte) => Some(O::widen(byte)),
            None => self.after_pass::<O>(number, colours),
        }
    }

    /// The code, as the other player sees it, of a board on which that player cannot move: they pass, or the game is
    /// over. `None` for a board that is missing.
    fn after_pass<O: Objective<G>>(&self, number: u64, colours: [u64; 2]) -> Option<Code> {
        let all = u64::MAX >> (64 - self.to.count_ones());
        // Without passes the same board with colours swapped is another position, not this one.
        if G::AGAIN
            && let Some(blob) = self.blob
            && let Some(byte) = self.below.find(blob, self.even.least(all ^ number))
        {
            return Some(O::other(O::widen(byte)));
        }
        let Settled::Over(seen) = self.game.settle(colours) else { return None };
        let p = G::Position::unpack(seen);
        let code = O::finished(self.game, p, self.game.outcome(p)?);
        Some(if seen == colours { code } else { O::other(code) })
    }
}
