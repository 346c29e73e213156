//! Cuts a section into blocks, and finds the place of each entry.

use super::SIDE;

/// The blocks of a section: the unit of the published files, and of work.
///
/// The entries of a block have neighbouring places. Entries inside a block, and the blocks themselves, are in order
/// of their patterns, the last quadrant's running fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockGrid {
    /// The number of patterns of each quadrant.
    pub shape: [usize; 4],
    /// The number of blocks along each quadrant.
    pub blocks: [usize; 4],
}

impl BlockGrid {
    /// The number of blocks.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.blocks.iter().product()
    }

    /// The number of a block, if there is one.
    pub fn number(&self, block: [usize; 4]) -> Option<usize> {
        let inside = block.iter().zip(self.blocks).all(|(&b, n)| b < n);
        inside.then(|| flat(block, self.blocks))
    }

    /// The block with a number.
    pub fn block(&self, number: usize) -> [usize; 4] {
        unflat(number, self.blocks)
    }

    /// The shape of a block.
    pub fn block_shape(&self, block: [usize; 4]) -> [usize; 4] {
        std::array::from_fn(|axis| self.shape[axis].saturating_sub(SIDE * block[axis]).min(SIDE))
    }

    /// The number of entries of a block, which is given by its number.
    pub fn entries_of(&self, number: usize) -> usize {
        self.block_shape(self.block(number)).iter().product()
    }

    /// The number of entries before those of a block.
    pub fn first(&self, block: [usize; 4]) -> u64 {
        let inside = self.block_shape(block);
        let before = |axis: usize| {
            let outer: usize = inside[..axis].iter().product();
            let inner: usize = self.shape[axis + 1..].iter().product();
            (outer * SIDE * block[axis] * inner) as u64
        };
        (0..4).map(before).sum()
    }

    /// The place of an entry.
    pub fn place(&self, index: [usize; 4]) -> u64 {
        let block = index.map(|i| i / SIDE);
        self.first(block) + flat(index.map(|i| i % SIDE), self.block_shape(block)) as u64
    }

    /// The number of the block that an entry is in, if there is one. Blocks of ascending numbers have ascending
    /// places.
    pub fn number_at(&self, place: u64) -> Option<usize> {
        self.number(self.index(place)?.map(|i| i / SIDE))
    }

    /// The entry at a place, if there is one.
    pub fn index(&self, place: u64) -> Option<[usize; 4]> {
        let end = self.shape.iter().product();
        let mut rest = usize::try_from(place).ok().filter(|place| *place < end)?;
        let (mut block, mut outer) = ([0; 4], 1);
        for axis in 0..4 {
            let step = outer * SIDE * self.shape[axis + 1..].iter().product::<usize>();
            block[axis] = rest / step;
            rest %= step;
            outer *= self.block_shape(block)[axis];
        }
        let inside = unflat(rest, self.block_shape(block));
        self.number(block).map(|_| std::array::from_fn(|axis| SIDE * block[axis] + inside[axis]))
    }
}

fn flat(at: [usize; 4], shape: [usize; 4]) -> usize {
    at.iter().zip(shape).fold(0, |number, (&i, n)| number * n + i)
}

fn unflat(number: usize, shape: [usize; 4]) -> [usize; 4] {
    let mut rest = number;
    let mut at = [0; 4];
    for axis in (0..4).rev() {
        at[axis] = rest % shape[axis].max(1);
        rest /= shape[axis].max(1);
    }
    at
}
