//! The solved tiers below the one at work: values of children that leave the tier.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use zermelo_core::{Code, EngineError, Objective, Solved, Tier, Tiers, own};

use crate::Codes;

/// What is wrong with a game, if something is.
pub(crate) struct Fault {
    tier: Tier,
    first: OnceLock<String>,
}

impl Fault {
    /// Nothing so far, at this tier.
    pub(crate) fn none(tier: Tier) -> Fault {
        Fault { tier, first: OnceLock::new() }
    }

    /// Notes a fault of the game; the first one counts.
    #[cold]
    pub(crate) fn blame(&self, fault: impl FnOnce() -> String) {
        self.first.get_or_init(fault);
    }

    /// A child's code as it is; an unknown one is the game's fault.
    #[inline]
    pub(crate) fn known(&self, code: Code, p: impl Debug) -> Code {
        if code == Code::UNKNOWN {
            self.blame(|| format!("a move leads to {p:?}, whose number is a hole or comes too late"));
        }
        code
    }

    /// A move leads to a tier that was not declared.
    #[cold]
    pub(crate) fn undeclared(&self, tier: Tier, p: impl Debug) {
        self.blame(|| format!("a move leads to {p:?} in tier {tier}, which is not among its children"));
    }

    /// Whether the game kept its word so far.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        match self.first.get() {
            None => Ok(()),
            Some(fault) => Err(EngineError::BadGame { tier: self.tier, fault: fault.clone() }),
        }
    }
}

/// The child tiers, each with its numbering.
pub(crate) struct Below<'a, G: Tiers, O> {
    /// The rules.
    pub(crate) game: &'a G,
    tiers: Vec<(Tier, &'a G::Index, &'a Codes<G, O>)>,
    pub(crate) fault: Fault,
}

impl<'a, G: Tiers, O: Objective<G>> Below<'a, G, O> {
    pub(crate) fn new(
        game: &'a G,
        tier: Tier,
        children: impl IntoIterator<Item = (Tier, &'a Arc<G::Index>, &'a Arc<dyn Solved>)>,
    ) -> Result<Self, EngineError> {
        let mismatch = |child: Tier| EngineError::BadGame {
            tier,
            fault: format!("child tier {child} has another form"),
        };
        let tiers = children.into_iter().map(|(child, index, solved)| {
            let codes = own(&**solved, child).map_err(|_| mismatch(child))?;
            Ok((child, &**index, codes))
        });
        Ok(Below { game, tiers: tiers.collect::<Result<_, EngineError>>()?, fault: Fault::none(tier) })
    }

    /// Where the code of a position of a child tier is: the place of the tier, and the number there. `None`, and the game
    /// to blame, where the tier is none of the children.
    #[inline]
    pub(crate) fn spot(&self, tier: Tier, p: G::Position) -> Option<(u32, u64)> {
        for (place, (child, index, _)) in self.tiers.iter().enumerate() {
            if *child == tier {
                return Some((place as u32, self.game.rank(index, p)));
            }
        }
        self.fault.undeclared(tier, p);
        None
    }

    /// The code at a [`spot`](Below::spot), which may be unknown.
    #[inline]
    pub(crate) fn at(&self, (place, number): (u32, u64)) -> Code {
        self.tiers[place as usize].2.get(number)
    }

    /// The code of a position of a child tier; unknown, and the game to blame, if there is none.
    #[inline]
    pub(crate) fn code(&self, tier: Tier, p: G::Position) -> Code {
        for (child, index, codes) in &self.tiers {
            if *child == tier {
                return self.fault.known(codes.get(self.game.rank(index, p)), p);
            }
        }
        self.fault.undeclared(tier, p);
        Code::UNKNOWN
    }
}
