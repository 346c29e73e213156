//! What a run keeps on disk: tables, and the working forms and marks that are parked.

use std::sync::Arc;

use zermelo_core::{AnyGame, Reached, Solved, Tier};
use zermelo_store::{Park, Reader, Writer};

use super::SolveError;
use crate::Progress;
use crate::database::{Form, load, store};
use crate::trace::Doing;

/// Where a run keeps what it has done.
pub(super) struct Records {
    pub(super) writer: Writer,
    reader: Reader,
    /// Working forms of finished tiers, for engines that cannot load tables.
    park: Option<Park>,
}

impl Records {
    pub(super) fn new(writer: Writer, park: Option<Park>) -> Records {
        let reader = writer.reader(0);
        Records { writer, reader, park }
    }

    /// Where working forms are parked, if they are.
    pub(super) fn park(&self) -> Option<&Park> {
        self.park.as_ref()
    }

    /// A run is over: nothing is parked any more.
    pub(super) fn clear_park(self) -> Result<(), SolveError> {
        Ok(self.park.map_or(Ok(()), Park::clear)?)
    }

    /// Whether a tier's working form is there and can be read: scratch files are not synced, so
    /// a power loss may have spoilt them, which costs work and no more.
    pub(super) fn parks(&self, tier: Tier) -> bool {
        self.park.as_ref().is_some_and(|p| p.contains(tier) && p.get(tier).is_ok())
    }

    /// Parks the marks of a tier; whether that is possible.
    pub(super) fn park_marks(&self, tier: Tier, marks: &dyn Reached) -> Result<bool, SolveError> {
        let (Some(park), Some(bytes)) = (&self.park, marks.park()) else { return Ok(false) };
        park.put(marks_of(tier), &bytes)?;
        Ok(true)
    }

    /// Parked marks.
    pub(super) fn marks_back(&self, game: &dyn AnyGame, tier: Tier) -> Result<Arc<dyn Reached>, SolveError> {
        match &self.park {
            Some(park) => Ok(game.unpark_reached(tier, &park.get(marks_of(tier))?)?),
            None => Err(SolveError::NoValue("marks were let go".into())),
        }
    }

    pub(super) fn forget(&self, tier: Tier) {
        self.park.as_ref().inspect(|p| p.forget(tier));
    }

    /// Stores a solved tier; its working form, if one above wants it, is safe before the table
    /// counts.
    pub(super) fn keep(
        &self,
        game: &dyn AnyGame,
        tier: Tier,
        solved: &dyn Solved,
        wanted: Option<&dyn Solved>,
        progress: &Progress,
    ) -> Result<(), SolveError> {
        if let (Some(park), Some(bytes)) = (&self.park, wanted.and_then(|form| form.park())) {
            progress.span(Doing::Write, Some(tier), || park.put(tier, &bytes))?;
        }
        if !self.writer.contains(tier) {
            store(&self.writer, tier, solved, game.filing(), progress)?;
        }
        Ok(())
    }

    /// A solved tier in its working form.
    pub(super) fn bring_back(&self, game: &dyn AnyGame, tier: Tier) -> Result<Arc<dyn Solved>, SolveError> {
        match &self.park {
            Some(park) => Ok(game.unpark(tier, &park.get(tier)?)?),
            None => Ok(load(game, &self.reader, tier, Form::Working)?),
        }
    }
}

/// The name under which the marks of a tier are parked.
pub(super) fn marks_of(tier: Tier) -> Tier {
    Tier(tier.0 | 1 << 63)
}
