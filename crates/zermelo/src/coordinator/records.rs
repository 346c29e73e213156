//! What a run keeps on disk: tables, and the working forms and marks that are parked.

use std::collections::BTreeSet;
use std::sync::Arc;

use zermelo_core::{Opened, Peers, Reached, Solved, Tier};
use zermelo_engines::parallel::Turns;
use zermelo_store::{Annex, Extent, Park, Reader, Spot, Writer};

use super::cache::Thing;
use super::plan::Plan;
use super::{Graph, Result, SolveError};
use crate::Progress;
use crate::database::{load, pack_all, solve_share};
use crate::trace::Doing;

/// Where a process keeps what it has done.
pub(crate) struct Records<'a> {
    book: Book<'a>,
    /// Of the tables, where there are any.
    reader: Option<Reader>,
    park: Option<&'a Park>,
}

/// Where tables go.
enum Book<'a> {
    /// The database of a run on one machine.
    Whole(&'a Writer),
    /// One process's file of several.
    Annex(&'a Annex),
    /// Nowhere: a tier is done when it is counted, but for this one, in which the start is looked up.
    Nowhere(Tier),
}

impl<'a> Records<'a> {
    pub(crate) fn of_writer(writer: &'a Writer, park: Option<&'a Park>) -> Records<'a> {
        Records { book: Book::Whole(writer), reader: Some(writer.reader(0)), park }
    }

    pub(crate) fn of_annex(annex: &'a Annex, park: &'a Park) -> Records<'a> {
        Records { book: Book::Annex(annex), reader: Some(annex.reader(0)), park: Some(park) }
    }

    /// Of a run that only counts; the start is in the tier `root`.
    pub(super) fn without_tables(root: Tier, park: &'a Park) -> Records<'a> {
        Records { book: Book::Nowhere(root), reader: None, park: Some(park) }
    }

    /// Lets go of what an earlier run has parked and this one does not want: marks, and tiers that nobody reads or that
    /// are solved again.
    pub(super) fn forget_unwanted(&self, graph: &Graph, plan: &Plan<'_>) {
        let Some(park) = self.park else { return };
        let wanted: BTreeSet<Tier> = plan.still_read().map(|at| graph.nodes[at].tier).collect();
        park.tiers().into_iter().filter(|tier| !wanted.contains(tier)).for_each(|tier| park.forget(tier));
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

    /// How many bytes of a tier's working form are parked and can be read: scratch files are not synced, so
    /// a power loss may have spoilt them, which costs work and no more.
    pub(super) fn parked_bytes(&self, tier: Tier) -> Option<u64> {
        self.park.filter(|park| park.contains(tier)).and_then(|park| park.check(tier).ok())
    }

    /// How many bytes a tier's table has once it is loaded.
    pub(super) fn table_bytes(&self, tier: Tier) -> Option<u64> {
        let table = self.reader.as_ref()?.info(tier).ok()?;
        Some(table.entries * table.width.bytes() as u64)
    }

    /// Sees to it that a thing can be brought back which no task at work makes; whether it can.
    pub(super) fn keep(&self, tier: Tier, thing: &Thing) -> Result<bool> {
        match thing {
            // It is stored or parked by then.
            Thing::Form(_) => Ok(true),
            Thing::Marks(marks) => Ok(self.park_marks(tier, &**marks)?.is_some()),
        }
    }

    /// Parks the marks of a tier, where that is possible.
    pub(crate) fn park_marks(&self, tier: Tier, marks: &dyn Reached) -> Result<Option<Spot>> {
        let (Some(park), Some(parked)) = (self.park, marks.park()) else { return Ok(None) };
        Ok(Some(park.put(marks_of(tier), parked)?))
    }

    /// Parked marks.
    pub(super) fn marks_back(&self, game: &Opened, tier: Tier) -> Result<Arc<dyn Reached>> {
        match self.park {
            Some(park) => Ok(game.reach().unpark(tier, &mut park.read(marks_of(tier))?)?),
            None => Err(SolveError::NoValue("marks were let go".into())),
        }
    }

    pub(super) fn forget(&self, tier: Tier) {
        self.park.inspect(|p| p.forget(tier));
    }

    /// Parks the working form of a solved tier, where that is possible, which one above wants.
    pub(super) fn park_form(
        &self,
        game: &Opened,
        tier: Tier,
        form: &dyn Solved,
        progress: &Progress,
    ) -> Result<Option<Spot>> {
        let (Some(park), Some(parked)) = (self.park, form.park()) else { return Ok(None) };
        match progress.span(Doing::Write, Some(tier), || park.put(tier, parked)) {
            // Its table will do: if there is no room for that either, the run ends with the reason.
            Err(_) if game.tiers().filing().by_tier => Ok(None),
            put => Ok(Some(put?)),
        }
    }

    /// Stores the table of a solved tier, where there are tables and it is not there yet, with how many positions it
    /// has. Where those above want its working form and it can be parked, it is by then.
    pub(super) fn store(
        &self,
        game: &Opened,
        tier: Tier,
        solved: &dyn Solved,
        progress: &Progress,
        turns: Option<&Turns<'_>>,
    ) -> Result<Option<(Extent, u64)>> {
        if self.has(tier) || !self.has_tables() {
            return Ok(None);
        }
        let (entries, positions, width) = (solved.entries(), solved.positions(), solved.width());
        let blocks = pack_all(tier, solved, game.tiers().filing(), progress, turns);
        let append = || match self.book {
            Book::Whole(writer) => writer.append(tier, width, entries, positions, &blocks).map(Some),
            Book::Annex(annex) => annex.append(tier, width, entries, positions, &blocks).map(Some),
            Book::Nowhere(_) => Ok(None),
        };
        let extent = progress.span(Doing::Write, Some(tier), append)?;
        Ok(extent.map(|extent| (extent, positions)))
    }

    /// A solved tier in its working form.
    pub(super) fn bring_back(&self, game: &Opened, tier: Tier) -> Result<Arc<dyn Solved>> {
        let by_tier = game.tiers().filing().by_tier;
        if let Some(park) = self.park.filter(|park| !by_tier || park.contains(tier)) {
            let unpark = || -> Result<_> { Ok(game.engine().unpark(tier, &mut park.read(tier)?)?) };
            match unpark() {
                // Scratch files may be spoilt; there is a table, too.
                Err(_) if by_tier && self.has(tier) => {}
                unparked => return unparked,
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
        let solve = || solve_share(game, reader, tier, peers, memory, progress);
        Ok(progress.span(Doing::Solve, Some(tier), solve)?)
    }
}

fn no_tables() -> SolveError {
    SolveError::NoValue("this run keeps no tables".into())
}

/// The name under which the marks of a tier are parked.
pub(crate) fn marks_of(tier: Tier) -> Tier {
    Tier(tier.0 | 1 << 63)
}

#[cfg(test)]
mod tests {
    use zermelo_store::Disk;

    use super::*;
    use crate::database::identity;

    #[test]
    fn a_spoilt_parked_tier_is_read_from_its_table() {
        let folder = std::env::temp_dir().join(format!("zermelo-spoilt-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let game = crate::open("mnk", None, None).expect("a game");
        let graph = Graph::of(&game).expect("tiers");
        let (disk, progress) = (Disk::new(&folder), Progress::new("test"));
        let writer = Writer::open(disk.clone(), identity(&game)).expect("a database");
        let park = Park::open_for(disk, &identity(&game), true).expect("a park");
        let records = Records::of_writer(&writer, Some(&park));
        // The first has none below it.
        let tier = graph.nodes[0].tier;
        let solved = game
            .engine()
            .solve(&zermelo_core::Job { tier, reached: None, children: &[], memory: u64::MAX, watch: &() })
            .expect("solved");
        let codes = |solved: &dyn Solved| {
            let mut bytes = vec![];
            solved.write(0..solved.entries(), &mut bytes);
            (solved.positions(), bytes)
        };
        let back = || records.bring_back(&game, tier).map(|solved| codes(&*solved));
        records.park_form(&game, tier, &*solved, &progress).expect("parked");
        assert_eq!(back().expect("parked"), codes(&*solved));
        park.put(tier, &b"spoilt"[..]).expect("parked");
        assert!(back().is_err(), "there is no table yet");
        records.store(&game, tier, &*solved, &progress, None).expect("stored");
        assert_eq!(back().expect("stored"), codes(&*solved));
        park.forget(tier);
        assert_eq!(back().expect("stored"), codes(&*solved));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
