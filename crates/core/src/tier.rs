use std::collections::BTreeSet;
use std::fmt;

/// The number of one node of the tier graph, below [`Tier::LIMIT`]. The game decides what the number means, and
/// [names](crate::Tiers::name) it for people.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tier(pub u64);

impl Tier {
    /// Numbers from this one on are not for tiers: scratch files keep the marks of reached positions under them.
    pub const LIMIT: u64 = 1 << 63;

    /// A tier as messages show it: its number, and behind it the name, where the name is another text than the number.
    pub fn shown(self, name: &str) -> String {
        let number = self.to_string();
        if name == number { number } else { format!("{number} ({name})") }
    }

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
