//! The solved tiers below the one at work: values of children that leave the tier.

use std::sync::{Arc, OnceLock};

use zermelo_core::{Code, EngineError, Objective, Solved, Tier, Tiers};

use crate::Codes;

/// The child tiers, each with its numbering.
pub(crate) struct Below<'a, G: Tiers, O> {
    game: &'a G,
    tier: Tier,
    tiers: Vec<(Tier, &'a G::Index, &'a Codes<G, O>)>,
    /// A tier that a move led into and that the game did not declare.
    stray: OnceLock<Tier>,
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
            let codes = solved.as_any().downcast_ref::<Codes<G, O>>().ok_or_else(|| mismatch(child))?;
            Ok((child, &**index, codes))
        });
        Ok(Below { game, tier, tiers: tiers.collect::<Result<_, EngineError>>()?, stray: OnceLock::new() })
    }

    /// The code of a position of a child tier.
    #[inline]
    pub(crate) fn code(&self, tier: Tier, p: G::Position) -> Code {
        for (child, index, codes) in &self.tiers {
            if *child == tier {
                return codes.get(self.game.rank(index, p));
            }
        }
        self.stray.get_or_init(|| tier);
        Code::UNKNOWN
    }

    /// Whether every move so far led where the game said.
    pub(crate) fn faultless(&self) -> Result<(), EngineError> {
        match self.stray.get() {
            None => Ok(()),
            Some(stray) => {
                let fault = format!("a move leads into tier {stray}, which is not among its children");
                Err(EngineError::BadGame { tier: self.tier, fault })
            }
        }
    }
}
