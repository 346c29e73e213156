use std::collections::BTreeSet;
use std::fmt;

/// Name of one node of the tier graph. The game decides what the number means; it is below [`Tier::LIMIT`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tier(pub u64);

impl Tier {
    /// Names from this number on are not for tiers: scratch files keep the marks of reached positions under them.
    pub const LIMIT: u64 = 1 << 63;

    /// The tiers in order, each once.
    pub fn each_once(tiers: impl IntoIterator<Item = Tier>) -> Vec<Tier> {
        tiers.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}
