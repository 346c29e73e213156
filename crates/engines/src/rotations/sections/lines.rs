//! One line of blocks: what the stones in one quadrant add to the tables of its boards.
//!
//! A line is all blocks of a section along one quadrant, the patterns of the other three being
//! those of one block. Stones put into that quadrant lead to exactly one line of one section, so a
//! line needs that line alone: it is gathered (unpacked, and seen through the transform that makes
//! its section the standard one), and each board takes its best children from it. The four lines
//! through a block are merged by `or`, in any order.

use zermelo_core::Reason;
use zermelo_core::sections::{SIDE, Section, pattern_of, patterns, quadrants_moved, reflected};

use super::packed::{Blocks, Work};
use super::turns::{Pair, View, turned, turned_by};
use crate::isa::{Bits, Kernel};

/// Where a stone leads: a pattern, and how it must be turned to be the quadrant with the stone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pattern: u16,
    by: u8,
}

/// The steps of every pattern with these stones, as many for each as it has empty cells.
pub(super) fn steps([black, white]: [u8; 2], colour: usize) -> Vec<Step> {
    let mut steps = vec![];
    for pattern in patterns(black, white) {
        let mut weight = colour as u16 + 1;
        let mut rest = *pattern;
        for _ in 0..9 {
            if rest % 3 == 0
                && let Some((pattern, by)) = pattern_of(pattern + weight)
            {
                steps.push(Step { pattern: pattern as u16, by });
            }
            (rest, weight) = (rest / 3, weight.wrapping_mul(3));
        }
    }
    steps
}

/// Along one quadrant of the child's section: the parent's pattern, and how its tables are turned.
struct Axis {
    /// The parent's quadrant.
    to: usize,
    patterns: Vec<(u16, u8)>,
}

/// The moves of a section into one of its quadrants.
pub(super) struct Way<'a> {
    pub(super) quadrant: usize,
    /// The colour that moves: 0 for black.
    colour: usize,
    child: &'a dyn Blocks,
    view: View,
    /// By quadrant of the child.
    axes: [Axis; 4],
    steps: Vec<Step>,
    /// Empty cells of the quadrant.
    free: usize,
    /// Patterns of the quadrant with the stone.
    many: usize,
}

impl<'a> Way<'a> {
    /// From a section by a stone in a quadrant to `next`, whose standard image is solved.
    pub(super) fn new(section: Section, quadrant: usize, next: Section, child: &'a dyn Blocks) -> Way<'a> {
        let (_, g) = next.standard();
        let (sources, quarters) = (quadrants_moved(g), g & 3);
        let axes = sources.map(|to| {
            let [black, white] = next.counts()[to];
            let all = patterns(black, white);
            let mut seen: Vec<(u16, u8)> = (0..all.len() as u16).map(|i| (i, quarters)).collect();
            if g & 4 != 0 {
                for (i, pattern) in all.iter().enumerate() {
                    if let Some((image, by)) = reflected(*pattern).and_then(pattern_of) {
                        seen[image] = (i as u16, quarters.wrapping_sub(by) & 3);
                    }
                }
            }
            Axis { to, patterns: seen }
        });
        let colour = (section.stones() % 2) as usize;
        let [black, white] = section.counts()[quadrant];
        Way {
            quadrant,
            colour,
            child,
            view: View::new(sources, g & 4 != 0),
            axes,
            steps: steps([black, white], colour),
            free: usize::from(9 - black - white),
            many: next.shape()[quadrant],
        }
    }

    /// Tables that a line gathers, for a block of such a shape.
    pub(super) fn room(&self, shape: [usize; 4]) -> usize {
        shape.iter().product::<usize>() / shape[self.quadrant].max(1) * self.many
    }
}

/// Gathers the child's line for a block of the parent: rows of all patterns of the quadrant, one
/// row for each choice of the other three patterns. A table pair then says where the player who
/// put the stone wins, and where they do not lose.
pub(super) struct Gather<'a, 'b> {
    pub(super) way: &'a Way<'b>,
    /// The parent's block, and its shape.
    pub(super) block: [usize; 4],
    pub(super) shape: [usize; 4],
    pub(super) work: &'a mut Work,
    pub(super) tables: &'a mut Vec<Pair>,
    pub(super) out: &'a mut [Pair],
}

impl Kernel for Gather<'_, '_> {
    type Output = Result<(), Reason>;

    #[inline(always)]
    fn run<B: Bits>(self, _: B) -> Result<(), Reason> {
        let Gather { way, block, shape, work, tables, out } = self;
        let grid = way.child.grid();
        let strides = row_strides(way, shape);
        let along = [0, 1, 2, 3].map(|q| way.axes[q].to == way.quadrant);
        let line = (0..4).find(|q| along[*q]).unwrap_or(0);
        let mut at = [0, 1, 2, 3].map(|q| block[way.axes[q].to]);
        for step in 0..grid.blocks[line] {
            at[line] = step;
            let Some(number) = grid.number(at) else { continue };
            way.child.unpack(number, work, tables)?;
            scatter(way, at, grid.block_shape(at), strides, tables, out);
        }
        Ok(())
    }
}

/// How far apart neighbouring patterns of each parent's quadrant are in the gathered rows.
fn row_strides(way: &Way<'_>, shape: [usize; 4]) -> [usize; 4] {
    let mut strides = [1; 4];
    let mut stride = way.many;
    for q in (0..4).rev().filter(|q| *q != way.quadrant) {
        strides[q] = stride;
        stride *= shape[q];
    }
    strides
}

/// Puts the tables of one child's block where the parent looks for them.
#[inline(always)]
fn scatter(
    way: &Way<'_>,
    at: [usize; 4],
    shape: [usize; 4],
    strides: [usize; 4],
    tables: &[Pair],
    out: &mut [Pair],
) {
    // By the child's quadrant and the pattern in the block: where in the rows, and the turn.
    let mut places = [[(0usize, 0u8); SIDE]; 4];
    for q in 0..4 {
        let axis = &way.axes[q];
        let patterns = &axis.patterns[SIDE * at[q]..SIDE * at[q] + shape[q]];
        for (place, (pattern, by)) in places[q].iter_mut().zip(patterns) {
            let pattern = usize::from(*pattern);
            let inside = if axis.to == way.quadrant { pattern } else { pattern % SIDE };
            *place = (inside * strides[axis.to], *by);
        }
    }
    let flip = if way.colour == 0 { [0, u64::MAX] } else { [u64::MAX, 0] };
    let mut turns = [0; 4];
    let mut n = 0;
    for a in 0..shape[0] {
        turns[way.axes[0].to] = places[0][a].1;
        for b in 0..shape[1] {
            turns[way.axes[1].to] = places[1][b].1;
            for c in 0..shape[2] {
                turns[way.axes[2].to] = places[2][c].1;
                let place = places[0][a].0 + places[1][b].0 + places[2][c].0;
                for d in 0..shape[3] {
                    turns[way.axes[3].to] = places[3][d].1;
                    let seen = turned_by(way.view.of(tables[n]), turns);
                    n += 1;
                    let mut pair = [0; 8];
                    for w in 0..4 {
                        // Who moved comes first.
                        pair[w + 4 * way.colour] = seen[w] ^ flip[0];
                        pair[(w + 4) ^ (4 * way.colour)] = seen[w + 4] ^ flip[1];
                    }
                    out[place + places[3][d].0] = pair;
                }
            }
        }
    }
}

/// Adds to a block of the parent what a gathered line says.
pub(super) struct Add<'a, 'b> {
    pub(super) way: &'a Way<'b>,
    /// The block's place along the line, and its shape.
    pub(super) along: usize,
    pub(super) shape: [usize; 4],
    pub(super) rows: &'a [Pair],
    pub(super) out: &'a mut [Pair],
}

impl Kernel for Add<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, _: B) {
        match self.way.quadrant {
            0 => self.add::<0>(),
            1 => self.add::<1>(),
            2 => self.add::<2>(),
            _ => self.add::<3>(),
        }
    }
}

impl Add<'_, '_> {
    #[inline(always)]
    fn add<const AXIS: usize>(self) {
        let Add { way, along, shape, rows, out } = self;
        // In the block, patterns of the quadrant are so far apart.
        let inner: usize = shape[AXIS + 1..].iter().product();
        let outer: usize = shape[..AXIS].iter().product();
        for row in 0..outer * inner {
            let first = row / inner * inner * shape[AXIS] + row % inner;
            let children = &rows[row * way.many..(row + 1) * way.many];
            for i in 0..shape[AXIS] {
                let pattern = SIDE * along + i;
                let mut best = out[first + i * inner];
                for step in &way.steps[pattern * way.free..(pattern + 1) * way.free] {
                    let child = turned(children[usize::from(step.pattern)], AXIS, usize::from(step.by));
                    for w in 0..8 {
                        best[w] |= child[w];
                    }
                }
                out[first + i * inner] = best;
            }
        }
    }
}
