//! The entropy coder of books: rANS with fixed frequencies, each symbol seen after the one before.
//!
//! A block is decoded from its first symbol on. The state is a number of at most 32 bits; a symbol of frequency `f` of
//! `2^BITS` takes `BITS - log2(f)` bits. (The coder is Jarek Duda's, in the form with bytes.)

/// The sum of the frequencies after one symbol, as a power of two.
const BITS: u32 = 12;
const SUM: u32 = 1 << BITS;
/// The least state between two symbols.
const LEAST: u32 = 1 << 23;
/// With more symbols the frequencies do not depend on the symbol before.
const MANY: usize = 64;

/// The frequencies of symbols, each list after a given symbol, or at the beginning of a block.
pub(super) struct Frequencies {
    symbols: usize,
    /// Where each symbol begins among `SUM` numbers, for each list; one more for the end.
    begins: Vec<u16>,
}

impl Frequencies {
    /// The number of lists for so many symbols.
    fn lists(symbols: usize) -> usize {
        if symbols > MANY { 1 } else { symbols + 1 }
    }

    /// The number of frequencies for so many symbols.
    pub(super) fn many(symbols: usize) -> usize {
        symbols * Frequencies::lists(symbols)
    }

    /// The list to use after a symbol.
    fn list(&self, before: Option<u8>) -> usize {
        if self.symbols > MANY { 0 } else { before.map_or(0, |symbol| usize::from(symbol) + 1) }
    }

    /// The frequencies that fit some blocks.
    pub(super) fn of<'a>(symbols: usize, blocks: impl Iterator<Item = &'a [u8]>) -> Vec<u16> {
        let mut counts = vec![0u64; Frequencies::many(symbols)];
        for block in blocks {
            let mut list = 0;
            for symbol in block {
                counts[list * symbols + usize::from(*symbol)] += 1;
                list = if symbols > MANY { 0 } else { usize::from(*symbol) + 1 };
            }
        }
        if symbols == 0 {
            return vec![];
        }
        counts.chunks(symbols).flat_map(scaled).collect()
    }

    /// Takes in frequencies; `None` unless each list has the right sum or is empty.
    pub(super) fn read(symbols: usize, frequencies: &[u16]) -> Option<Frequencies> {
        if symbols == 0 || frequencies.len() != Frequencies::many(symbols) {
            return (symbols == 0).then_some(Frequencies { symbols, begins: vec![] });
        }
        let mut begins = Vec::with_capacity(frequencies.len() + Frequencies::lists(symbols));
        for list in frequencies.chunks(symbols) {
            let mut sum = 0u32;
            for frequency in list {
                begins.push(u16::try_from(sum).ok()?);
                sum += u32::from(*frequency);
            }
            if sum != 0 && sum != SUM {
                return None;
            }
            begins.push(sum as u16);
        }
        Some(Frequencies { symbols, begins })
    }

    /// Where the symbols of a list begin.
    fn begins(&self, list: usize) -> &[u16] {
        let wide = self.symbols + 1;
        self.begins.get(list * wide..(list + 1) * wide).unwrap_or(&[])
    }

    /// The bytes of a block.
    pub(super) fn encode(&self, block: &[u8]) -> Vec<u8> {
        if block.is_empty() {
            return vec![];
        }
        let (mut state, mut out) = (LEAST, vec![]);
        for (n, symbol) in block.iter().enumerate().rev() {
            let begins = self.begins(self.list(n.checked_sub(1).map(|before| block[before])));
            let at = usize::from(*symbol);
            let (begin, end) = (u32::from(begins[at]), u32::from(begins[at + 1]));
            let frequency = end - begin;
            while u64::from(state) >= u64::from((LEAST >> BITS) << 8) * u64::from(frequency) {
                out.push(state as u8);
                state >>= 8;
            }
            state = ((state / frequency) << BITS) + state % frequency + begin;
        }
        out.extend(state.to_le_bytes());
        out.reverse();
        out
    }
}

/// Reads the symbols of a block, one after another.
pub(super) struct Decoder<'a> {
    frequencies: &'a Frequencies,
    bytes: &'a [u8],
    state: u32,
    before: Option<u8>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(frequencies: &'a Frequencies, bytes: &'a [u8]) -> Decoder<'a> {
        let (state, bytes) = match bytes.split_first_chunk::<4>() {
            Some((state, rest)) => (u32::from_be_bytes(*state), rest),
            None => (0, bytes),
        };
        Decoder { frequencies, bytes, state, before: None }
    }

    /// The next symbol; `None` where the bytes are not those of a block.
    pub(super) fn next(&mut self) -> Option<u8> {
        let begins = self.frequencies.begins(self.frequencies.list(self.before));
        let slot = (self.state & (SUM - 1)) as u16;
        // The last symbol that does not begin behind the slot: an empty symbol begins where the next one does.
        let at = begins.partition_point(|begin| *begin <= slot).checked_sub(1)?;
        let (begin, end) = (u32::from(begins[at]), u32::from(*begins.get(at + 1)?));
        self.state = ((end - begin) * (self.state >> BITS)).wrapping_add(u32::from(slot) - begin);
        while self.state < LEAST {
            let (byte, rest) = self.bytes.split_first()?;
            (self.state, self.bytes) = (self.state << 8 | u32::from(*byte), rest);
        }
        self.before = Some(at as u8);
        self.before
    }

    /// Whether the block ends here.
    pub(super) fn is_done(&self) -> bool {
        self.bytes.is_empty() && self.state == LEAST
    }
}

/// Counts as frequencies that add up to `SUM`: none is 0 unless its count is; all are 0 where all counts are.
fn scaled(counts: &[u64]) -> Vec<u16> {
    let all: u64 = counts.iter().sum();
    if all == 0 {
        return vec![0; counts.len()];
    }
    let scale = |count: &u64| (u128::from(*count) * u128::from(SUM) / u128::from(all)) as u16;
    let mut scaled: Vec<u16> = counts.iter().map(|count| scale(count).max(u16::from(*count > 0))).collect();
    // What rounding has left over, or taken too much, is the matter of the greatest.
    loop {
        let sum: u32 = scaled.iter().map(|f| u32::from(*f)).sum();
        let greatest = (0..scaled.len()).max_by_key(|n| scaled[*n]).unwrap_or(0);
        match sum {
            SUM => return scaled,
            less if less < SUM => scaled[greatest] += (SUM - less) as u16,
            more => scaled[greatest] -= (more - SUM).min(u32::from(scaled[greatest]) / 2) as u16,
        }
    }
}
