//! What a run keeps on disk: tables, and the working forms and marks that are spilled.

use std::collections::BTreeSet;
use std::sync::Arc;

use zermelo_core::{EngineError, Opened, Peers, Reached, Solved, Tier};
use zermelo_engines::parallel::Turns;
use zermelo_store::{Annex, Reader, ScratchFiles, ScratchPlace, TableExtent, Writer};

use super::cache::Thing;
use super::plan::Plan;
use super::saves::state_of;
use super::{Graph, Result, SolveError};
use crate::Progress;
use crate::database::{load, pack_all, solve_share};
use crate::trace::Doing;

/// Where a process keeps what it has done.
pub(crate) struct Records<'a> {
    book: Book<'a>,
    /// Of the tables, where there are any.
    reader: Option<Reader>,
    scratch: Option<&'a ScratchFiles>,
    /// Where tables can be loaded tier by tier: the states of tiers at work, and large tiers that had to make room.
    states: Option<&'a ScratchFiles>,
}

/// A tier of so many bytes is quicker spilled and read again than made from its table.
const LARGE: u64 = 16 << 20;

/// Where tables go.
enum Book<'a> {
    /// The database of a run on one machine.
    Whole(&'a Writer),
    /// The file of one process, where several solve together.
    Annex(&'a Annex),
    /// Nowhere: a tier is done when it is counted, but for this one, in which the start is looked up.
    Nowhere(Tier),
}

impl<'a> Records<'a> {
    pub(crate) fn of_writer(writer: &'a Writer, scratch: Option<&'a ScratchFiles>) -> Records<'a> {
        Records { book: Book::Whole(writer), reader: Some(writer.reader(0)), scratch, states: None }
    }

    /// With files for the states of tiers at work.
    pub(super) fn with_states(self, states: Option<&'a ScratchFiles>) -> Records<'a> {
        Records { states, ..self }
    }

    /// The files for the states of tiers at work.
    pub(super) fn states(&self) -> Option<&'a ScratchFiles> {
        self.states
    }

    pub(crate) fn of_annex(annex: &'a Annex, scratch: &'a ScratchFiles) -> Records<'a> {
        Records {
            book: Book::Annex(annex),
            reader: Some(annex.reader(0)),
            scratch: Some(scratch),
            states: None,
        }
    }

    /// Of a run that only counts; the start is in the tier `root`.
    pub(super) fn without_tables(root: Tier, scratch: &'a ScratchFiles) -> Records<'a> {
        Records { book: Book::Nowhere(root), reader: None, scratch: Some(scratch), states: None }
    }

    /// Lets go of what an earlier run has spilled and this one does not want: marks, and tiers that nobody reads or that
    /// are solved again.
    pub(super) fn forget_unwanted(&self, graph: &Graph, plan: &Plan<'_>) {
        let mut wanted: BTreeSet<Tier> = plan.still_read().map(|at| graph.nodes[at].tier).collect();
        let forget = |scratch: &ScratchFiles, wanted: &BTreeSet<Tier>| {
            let unwanted = scratch.tiers().into_iter().filter(|tier| !wanted.contains(tier));
            unwanted.for_each(|tier| scratch.forget(tier));
        };
        if let Some(scratch) = self.scratch {
            forget(scratch, &wanted);
        }
        let nodes = graph.nodes.iter().zip(&plan.done);
        wanted.extend(nodes.filter(|(_, done)| !**done).map(|(node, _)| state_of(node.tier)));
        if let Some(states) = self.states {
            forget(states, &wanted);
        }
    }

    /// Whether there are any tables.
    pub(super) fn has_tables(&self) -> bool {
        !matches!(self.book, Book::Nowhere(_))
    }

    /// Whether a tier's table is there, or need not be.
    pub(super) fn has(&self, tier: Tier) -> bool {
        match self.book {
            Book::Nowhere(root) => tier != root,
            _ => self.reader.as_ref().is_some_and(|reader| reader.contains(tier)),
        }
    }

    /// To read the tables with.
    pub(super) fn another_reader(&self) -> Option<Reader> {
        match self.book {
            Book::Whole(writer) => Some(writer.reader(0)),
            Book::Annex(annex) => Some(annex.reader(0)),
            Book::Nowhere(_) => None,
        }
    }

    /// How many bytes of a tier's working form are spilled and can be read: scratch files are not synced, so
    /// a power loss may have spoilt them, which costs work and no more.
    pub(super) fn spilled_bytes(&self, tier: Tier) -> Option<u64> {
        self.scratch.filter(|scratch| scratch.contains(tier)).and_then(|scratch| scratch.check(tier).ok())
    }

    /// How many bytes a tier's table has once it is loaded.
    pub(super) fn table_bytes(&self, tier: Tier) -> Option<u64> {
        let table = self.reader.as_ref()?.info(tier).ok()?;
        Some(table.entries * table.width.bytes() as u64)
    }

    /// Sees to it that a thing can be brought back which no task at work makes; whether it can.
    pub(super) fn keep(&self, tier: Tier, thing: &Thing) -> Result<bool> {
        match thing {
            // A solved form is stored or spilled by then; if there is no room to spill a large one its table will do.
            Thing::Form(form) => {
                let states = self.states.filter(|states| form.bytes() >= LARGE && !states.contains(tier));
                if let (Some(states), Some(spilled)) = (states, form.spill()) {
                    let _ = states.put(tier, spilled);
                }
                Ok(true)
            }
            Thing::Marks(marks) => Ok(self.spill_marks(tier, &**marks)?.is_some()),
        }
    }

    /// Spills the marks of a tier, where that is possible.
    pub(crate) fn spill_marks(&self, tier: Tier, marks: &dyn Reached) -> Result<Option<ScratchPlace>> {
        let (Some(scratch), Some(spilled)) = (self.scratch, marks.spill()) else { return Ok(None) };
        Ok(Some(scratch.put(marks_of(tier), spilled)?))
    }

    /// Spilled marks.
    pub(super) fn marks_back(&self, game: &Opened, tier: Tier) -> Result<Arc<dyn Reached>> {
        match self.scratch {
            Some(scratch) => Ok(game.reach().restore(tier, &mut scratch.read(marks_of(tier))?)?),
            None => Err(SolveError::NoValue("marks were let go".into())),
        }
    }

    pub(super) fn forget(&self, tier: Tier) {
        [self.scratch, self.states].into_iter().flatten().for_each(|scratch| scratch.forget(tier));
    }

    /// Spills the working form of a solved tier, where that is possible, which one above wants.
    pub(super) fn spill_form(
        &self,
        game: &Opened,
        tier: Tier,
        form: &dyn Solved,
        progress: &Progress,
    ) -> Result<Option<ScratchPlace>> {
        let (Some(scratch), Some(spilled)) = (self.scratch, form.spill()) else { return Ok(None) };
        let _writes = progress.span(Doing::Write, Some(tier));
        match scratch.put(tier, spilled) {
            // The tier's table will do: if there is no room for that either, the run ends with the reason.
            Err(_) if game.tiers().filing().by_tier => Ok(None),
            put => Ok(Some(put?)),
        }
    }

    /// Stores the table of a solved tier, where there are tables and it is not there yet, with how many positions it
    /// has. Where those above want its working form and it can be spilled, it is by then.
    pub(super) fn store(
        &self,
        game: &Opened,
        tier: Tier,
        solved: &dyn Solved,
        progress: &Progress,
        turns: Option<&Turns<'_>>,
    ) -> Result<Option<(TableExtent, u64)>> {
        if self.has(tier) || !self.has_tables() {
            return Ok(None);
        }
        let (entries, positions, width) = (solved.entries(), solved.positions(), solved.width());
        let blocks = pack_all(tier, solved, game.tiers().filing(), progress, turns);
        solved.written().map_err(|reason| EngineError::Device { tier, reason })?;
        let _writes = progress.span(Doing::Write, Some(tier));
        let extent = match self.book {
            Book::Whole(writer) => writer.append(tier, width, entries, positions, &blocks)?,
            Book::Annex(annex) => annex.append(tier, width, entries, positions, &blocks)?,
            Book::Nowhere(_) => return Ok(None),
        };
        self.states.inspect(|states| states.forget(state_of(tier)));
        Ok(Some((extent, positions)))
    }

    /// A solved tier in its working form.
    pub(super) fn bring_back(&self, game: &Opened, tier: Tier) -> Result<Arc<dyn Solved>> {
        let by_tier = game.tiers().filing().by_tier;
        let scratch = self.scratch.or(self.states);
        if let Some(scratch) = scratch.filter(|scratch| !by_tier || scratch.contains(tier)) {
            let restore = || -> Result<_> { Ok(game.engine().restore(tier, &mut scratch.read(tier)?)?) };
            match restore() {
                // Scratch files may be spoilt; there is a table, too.
                Err(_) if by_tier && self.has(tier) => {}
                restored => return restored,
            }
        }
        Ok(load(game, self.reader.as_ref().ok_or_else(no_tables)?, tier)?)
    }

    /// This process's share of a tier that all solve together, from tables below that are stored.
    pub(crate) fn solve_share(
        &self,
        game: &Opened,
        tier: Tier,
        peers: &dyn Peers,
        memory: u64,
        progress: &Progress,
    ) -> Result<Arc<dyn Solved>> {
        let reader = self.reader.as_ref().ok_or_else(no_tables)?;
        let _solves = progress.span(Doing::Solve, Some(tier));
        Ok(solve_share(game, reader, tier, peers, memory, progress)?)
    }
}

fn no_tables() -> SolveError {
    SolveError::NoValue("this run keeps no tables".into())
}

/// The name under which the marks of a tier are spilled.
pub(crate) fn marks_of(tier: Tier) -> Tier {
    Tier(tier.0 | Tier::LIMIT)
}

#[cfg(test)]
mod tests {
    use zermelo_store::Disk;

    use super::*;
    use crate::database::identity;

    #[test]
    fn a_spoilt_spilled_tier_is_read_from_its_table() {
        let folder = std::env::temp_dir().join(format!("zermelo-spoilt-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let game = crate::open("mnk", None, None).expect("a game");
        let graph = Graph::of(&game).expect("tiers");
        let (disk, progress) = (Disk::new(&folder), Progress::new("test"));
        let writer = Writer::open(disk.clone(), identity(&game)).expect("a database");
        let scratch = ScratchFiles::open_for(disk, &identity(&game), true).expect("scratch files");
        let records = Records::of_writer(&writer, Some(&scratch));
        // The first has none below it.
        let tier = graph.nodes[0].tier;
        let solved = game
            .engine()
            .solve(&zermelo_core::Job {
                tier,
                reached: None,
                children: &[],
                memory: u64::MAX,
                watch: &(),
                checkpoint: None,
            })
            .expect("solved");
        let codes = |solved: &dyn Solved| {
            let mut bytes = vec![];
            solved.write(0..solved.entries(), &mut bytes);
            (solved.positions(), bytes)
        };
        let back = || records.bring_back(&game, tier).map(|solved| codes(&*solved));
        records.spill_form(&game, tier, &*solved, &progress).expect("spilled");
        assert_eq!(back().expect("spilled"), codes(&*solved));
        scratch.put(tier, &b"spoilt"[..]).expect("spilled");
        assert!(back().is_err(), "there is no table yet");
        records.store(&game, tier, &*solved, &progress, None).expect("stored");
        assert_eq!(back().expect("stored"), codes(&*solved));
        scratch.forget(tier);
        assert_eq!(back().expect("stored"), codes(&*solved));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
