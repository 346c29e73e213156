//! Numbers sequences of different pieces without gaps, up to the symmetries of their attributes.
//!
//! Turning an attribute round, or swapping two of them, makes no difference to Quarto. So a sequence is written with
//! its first piece as 0 (by exclusive or) and its attributes in an order. An attribute is the column of its bits,
//! first piece first, and the greater columns are the higher bits. While columns are equal so far, the next piece has
//! its ones in the higher of them.
//!
//! **Claim.** The number of ways to go on depends only on which columns differ from their neighbours and on how many
//! pieces there were. **Proof.** The next piece must be in order, which depends on the equal columns alone, and must
//! be none of the pieces before. Those pieces have equal bits wherever columns are equal, so each of them is in
//! order, and their number alone counts.

/// The longest sequence: sixteen pieces.
pub(super) const LONGEST: usize = 16;

/// The neighbouring columns that have become different, as bits.
type Apart = usize;

/// The sequences of one length.
pub(super) struct Sequences {
    attributes: usize,
    steps: Vec<Step>,
    /// By [`Apart`]: the number of sequences.
    ways: [u64; 8],
}

/// The sequences that can follow some first pieces.
struct Step {
    /// The number of sequences with a lesser next piece that is in order, whether the piece is used or not.
    below: [[u64; LONGEST + 1]; 8],
    /// The number of ways to go on after the next piece.
    after: [u64; 8],
}

/// The pieces that all sequences begin with.
#[derive(Clone)]
pub(super) struct Opening {
    /// The pieces of the opening, as numbered.
    pub(super) pieces: Vec<u8>,
    /// The true first piece.
    lead: u8,
    /// The true attribute of each column.
    attributes: Vec<usize>,
}

/// The columns that pieces make, the least first, each with its true attribute.
struct Columns {
    columns: [(u32, usize); 4],
    attributes: usize,
}

impl Columns {
    fn new(attributes: usize, pieces: &[u8]) -> Columns {
        let mut columns = [(0, 0); 4];
        for (a, column) in columns[..attributes].iter_mut().enumerate() {
            let bit = |j: usize| u32::from((pieces[j] ^ pieces[0]) >> a & 1) << (31 - j);
            *column = ((0..pieces.len()).map(bit).sum(), a);
        }
        columns[..attributes].sort_unstable();
        Columns { columns, attributes }
    }

    fn list(&self) -> &[(u32, usize)] {
        &self.columns[..self.attributes]
    }

    /// The piece at place `j`, as it is numbered.
    fn piece(&self, j: usize) -> usize {
        let bit = |(b, column): (usize, &(u32, usize))| (column.0 as usize >> (31 - j) & 1) << b;
        self.list().iter().enumerate().map(bit).sum()
    }
}

impl Opening {
    pub(super) fn new(attributes: usize, pieces: &[u8]) -> Opening {
        let columns = Columns::new(attributes, pieces);
        Opening {
            pieces: (0..pieces.len()).map(|j| columns.piece(j) as u8).collect(),
            lead: pieces.first().copied().unwrap_or(0),
            attributes: columns.list().iter().map(|column| column.1).collect(),
        }
    }

    /// The true piece of a numbered piece.
    fn truly(&self, piece: usize) -> u8 {
        let bit = |(b, a): (usize, &usize)| (piece >> b & 1) << a;
        self.attributes.iter().enumerate().map(bit).sum::<usize>() as u8 ^ self.lead
    }
}

/// The places where neighbouring bits of a piece differ.
fn steps_of(piece: usize) -> Apart {
    piece ^ piece >> 1
}

impl Sequences {
    pub(super) fn new(attributes: usize, length: usize) -> Sequences {
        let (pieces, neighbours) = (1 << attributes, (1 << (attributes - 1)) - 1);
        let (mut steps, mut ways) = (vec![], [1; 8]);
        for used in (0..length).rev() {
            let (after, mut below) = (ways, [[0; LONGEST + 1]; 8]);
            for apart in 0..=neighbours {
                for piece in 0..pieces {
                    // A zero above a one is out of order between columns that were equal.
                    let sorted = piece & !(piece >> 1) & neighbours & !apart == 0;
                    let next = if sorted { after[apart | steps_of(piece) & neighbours] } else { 0 };
                    below[apart][piece + 1] = below[apart][piece] + next;
                }
                let fits = used <= 1 << (apart.count_ones() + 1);
                let again = used as u64 * after[apart];
                ways[apart] = if fits { below[apart][pieces].saturating_sub(again) } else { 0 };
            }
            steps.push(Step { below, after });
        }
        steps.reverse();
        Sequences { attributes, steps, ways }
    }

    /// The number of sequences that begin with an opening.
    pub(super) fn count(&self, opening: &Opening) -> u64 {
        match self.begun(opening) {
            (_, apart, 0) => self.ways[apart],
            (_, apart, used) => self.steps[used - 1].after[apart],
        }
    }

    /// The pieces of the opening as a set, their columns, and the number of pieces. The first piece is always known.
    fn begun(&self, opening: &Opening) -> (u32, Apart, usize) {
        if opening.pieces.is_empty() {
            let lead = usize::from(!self.steps.is_empty());
            return (lead as u32, 0, lead);
        }
        let apart = opening.pieces.iter().fold(0, |apart, piece| apart | self.apart((*piece).into()));
        (opening.pieces.iter().fold(0, |set, piece| set | 1 << piece), apart, opening.pieces.len())
    }

    fn apart(&self, piece: usize) -> Apart {
        steps_of(piece) & ((1 << (self.attributes - 1)) - 1)
    }

    /// The number of a sequence among those that begin with the same opening.
    pub(super) fn rank(&self, opening: &Opening, pieces: &[u8]) -> u64 {
        if pieces.is_empty() {
            return 0;
        }
        let ((mut used, mut apart, first), mut rank) = (self.begun(opening), 0);
        let columns = Columns::new(self.attributes, pieces);
        for (j, step) in self.steps.iter().enumerate().skip(first) {
            let piece = columns.piece(j);
            let gone = (used & ((1 << piece) - 1)).count_ones();
            rank += step.below[apart][piece] - u64::from(gone) * step.after[apart];
            used |= 1 << piece;
            apart |= self.apart(piece);
        }
        rank
    }

    /// Inverse of [`rank`](Sequences::rank): visits one of the sequences with a number, after its opening.
    pub(super) fn unrank(&self, opening: &Opening, mut rank: u64, mut visit: impl FnMut(u8)) {
        let (mut used, mut apart, first) = self.begun(opening);
        if opening.pieces.is_empty() && first > 0 {
            visit(0);
        }
        for step in self.steps.iter().skip(first) {
            let sorted = |piece: &usize| step.below[apart][piece + 1] > step.below[apart][*piece];
            for piece in (0..1usize << self.attributes).filter(sorted) {
                let ways = step.after[apart | self.apart(piece)];
                if used >> piece & 1 != 0 {
                    continue;
                }
                if rank < ways {
                    used |= 1 << piece;
                    apart |= self.apart(piece);
                    visit(opening.truly(piece));
                    break;
                }
                rank -= ways;
            }
        }
    }

    /// The number of orders of the attributes that leave every piece of a sequence as it is.
    pub(super) fn fixing(attributes: usize, pieces: &[u8]) -> u64 {
        let (mut orders, mut equal) = (1, 1);
        for pair in Columns::new(attributes, pieces).list().windows(2) {
            equal = if pair[0].0 == pair[1].0 { equal + 1 } else { 1 };
            orders *= equal;
        }
        orders
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Every sequence of different pieces.
    fn all(pieces: u8, length: usize) -> Vec<Vec<u8>> {
        let mut list = vec![vec![]];
        for _ in 0..length {
            list = (list.iter())
                .flat_map(|begun: &Vec<u8>| {
                    let next = (0..pieces).filter(|p| !begun.contains(p));
                    next.map(|p| [begun.clone(), vec![p]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
        list
    }

    #[test]
    fn numbers_are_the_orbits_without_gaps() {
        for (attributes, length) in [(1, 2), (2, 1), (2, 3), (2, 4), (3, 2), (3, 4), (3, 6), (4, 4)] {
            let (order, free) = (Sequences::new(attributes, length), Opening::new(attributes, &[]));
            let sequences = all(1 << attributes, length);
            // Orbits by brute force: the least image under all symmetries.
            let orders = all(attributes as u8, attributes);
            let image = |sequence: &[u8], order: &[u8], turned: u8| -> Vec<u8> {
                let moved = |p: u8| (0..attributes).map(|b| (p >> order[b] & 1) << b).sum::<u8>() ^ turned;
                sequence.iter().map(|p| moved(*p)).collect()
            };
            let mut orbits = HashSet::new();
            for sequence in sequences.iter().step_by(7) {
                let images = orders.iter().flat_map(|o| (0..1 << attributes).map(move |t| (o, t)));
                let images: Vec<_> = images.map(|(o, t)| image(sequence, o, t)).collect();
                let number = order.rank(&free, sequence);
                assert!(images.iter().all(|other| order.rank(&free, other) == number), "{sequence:?}");
                orbits.insert(images.into_iter().min());
            }
            let numbers: HashSet<u64> = sequences.iter().map(|s| order.rank(&free, s)).collect();
            assert_eq!(numbers.len() as u64, order.count(&free), "{attributes} attributes, {length} pieces");
            assert_eq!(numbers.iter().max(), Some(&(order.count(&free) - 1)));
            let sampled: HashSet<u64> = sequences.iter().step_by(7).map(|s| order.rank(&free, s)).collect();
            assert_eq!(sampled.len(), orbits.len(), "different orbits have different numbers");
            for number in 0..order.count(&free) {
                let mut sequence = vec![];
                order.unrank(&free, number, |p| sequence.push(p));
                assert_eq!(order.rank(&free, &sequence), number);
            }
        }
    }

    #[test]
    fn sequences_with_an_opening_are_numbered_without_gaps() {
        for opening in [vec![5], vec![5, 4], vec![3, 0, 6], vec![1, 2, 4, 7]] {
            let (order, begun) = (Sequences::new(3, 6), Opening::new(3, &opening));
            let sequences: Vec<_> = all(8, 6).into_iter().filter(|s| s.starts_with(&opening)).collect();
            let numbers: HashSet<u64> = sequences.iter().map(|s| order.rank(&begun, s)).collect();
            assert_eq!(numbers.len() as u64, order.count(&begun), "{opening:?}");
            for number in 0..order.count(&begun) {
                let mut sequence = opening.clone();
                order.unrank(&begun, number, |p| sequence.push(p));
                assert_eq!(order.rank(&begun, &sequence), number, "{sequence:?}");
            }
        }
    }
}
