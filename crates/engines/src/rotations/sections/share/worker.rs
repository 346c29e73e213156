//! What one process does: works on its lines, keeps its blocks, and hands on what it has finished.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use zermelo_core::sections::{Section, TURNS};
use zermelo_core::{EngineError, Made, Reason, SharedJob, Shares, Tier, Unpoisoned, Watch};

use super::super::lines::{Add, Gather, Way};
use super::super::packed::Work;
use super::super::partition::Partition;
use super::super::turns::Pair;
use super::super::{Finish, Room, lines};
use super::send_queue::{About, Item, SendQueue, items};
use super::strip::Slots;
use crate::isa::{Isa, dispatch};

/// Something to work on.
#[derive(Clone, Copy)]
enum Task {
    /// A line of blocks: the place of its way, and its first block.
    Line(usize, [usize; 4]),
    /// A block that no move leads out of.
    Block(usize),
}

/// A block that is kept until all its parts are there.
#[derive(Default)]
struct Kept {
    tables: Vec<Pair>,
    /// The quadrants whose parts are in, as bits.
    heard: u8,
}

/// One process's work on a section.
pub(super) struct Worker<'a> {
    tier: Tier,
    finish: Finish,
    /// For each quadrant with empty cells: the tier below, and how to get there.
    ways: &'a [(Tier, Way<'a>)],
    /// The quadrants with empty cells, as bits.
    open: u8,
    isa: Isa,
    dealt: Partition,
    here: usize,
    tasks: Vec<Task>,
    next: AtomicUsize,
    /// The numbers of the blocks that are kept here, ascending, and the blocks.
    own: Vec<usize>,
    kept: Vec<Mutex<Kept>>,
    /// Who writes which numbers, and the finished blocks that are written here.
    shares: Shares,
    slots: Slots,
    pub(super) queue: SendQueue,
    /// Bytes of parts that may wait before others must have taken some.
    load: u64,
    rooms: Mutex<Vec<Room>>,
    watch: &'a dyn Watch,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        job: &SharedJob<'a>,
        section: Section,
        ways: &'a [(Tier, Way<'a>)],
        isa: Isa,
        shares: Shares,
        load: u64,
    ) -> Worker<'a> {
        let (here, count) = (job.peers.here(), job.peers.count());
        let (grid, dealt) = (section.grid(), Partition::new(count as u32, section));
        let kept_here = |number: &usize| dealt.block(grid.block(*number)) as usize == here;
        let own: Vec<usize> = (0..grid.len()).filter(kept_here).collect();
        let mut tasks = vec![];
        for (place, (_, way)) in ways.iter().enumerate() {
            let lines = lines(grid, way.quadrant);
            let all = (0..lines.len()).map(|number| lines.block(number));
            let mine = all.filter(|at| dealt.line(way.quadrant, *at) as usize == here);
            tasks.extend(mine.map(|at| Task::Line(place, at)));
        }
        if ways.is_empty() {
            tasks.extend(own.iter().map(|number| Task::Block(*number)));
        }
        Worker {
            tier: job.tier,
            finish: Finish::new(section),
            ways,
            open: ways.iter().fold(0, |open, (_, way)| open | 1 << way.quadrant),
            isa,
            dealt,
            here,
            tasks,
            next: AtomicUsize::new(0),
            kept: own.iter().map(|_| Mutex::default()).collect(),
            own,
            shares,
            slots: Slots::new(section, shares.range(here)),
            queue: SendQueue::new(count),
            load,
            rooms: Mutex::default(),
            watch: job.watch,
        }
    }

    /// Whether there is something left to work on.
    pub(super) fn has_tasks(&self) -> bool {
        self.next.load(Relaxed) < self.tasks.len()
    }

    /// Works with all threads, until there is enough to send.
    pub(super) fn work(&self) -> Result<(), EngineError> {
        let threads = (0..rayon::current_num_threads()).into_par_iter().with_max_len(1);
        threads.try_for_each(|_| {
            while self.queue.load() < self.load
                && let Some(task) = self.tasks.get(self.next.fetch_add(1, Relaxed))
            {
                self.in_a_room(|room| match *task {
                    Task::Line(place, at) => self.line(&self.ways[place], at, room),
                    Task::Block(number) => self.finished(number, vec![], &mut room.work),
                })?;
            }
            Ok(())
        })
    }

    /// Takes in what others have sent, with all threads.
    pub(super) fn take_in(&self, came: &[Vec<u8>]) -> Result<(), EngineError> {
        let mut all = vec![];
        for message in came {
            all.extend(items(message).ok_or_else(|| self.broken("a message has half an item".into()))?);
        }
        all.par_iter().try_for_each(|item| self.in_a_room(|room| self.read(*item, room)))
    }

    fn read(&self, (about, packed): Item<'_>, room: &mut Room) -> Result<(), EngineError> {
        let Room { work, tables, .. } = room;
        match about {
            About::Finished(number) => self.slots.put(number, packed.into()).map_err(|why| self.broken(why)),
            About::Part { quadrant, number } => {
                if number >= self.finish.grid.len() {
                    return Err(self.broken(format!("there is no block {number}").into()));
                }
                let entries = self.finish.grid.entries_of(number);
                work.unpack(packed, entries, tables).map_err(|why| self.broken(why))?;
                self.hear(number, quadrant, work, |kept| {
                    for (kept, pair) in kept.iter_mut().zip(tables.iter()) {
                        kept.iter_mut().zip(pair).for_each(|(kept, status)| *kept |= status);
                    }
                })
            }
        }
    }

    /// Works on a line: what it adds to each of its blocks goes to the block's owner.
    fn line(&self, way: &(Tier, Way<'_>), mut at: [usize; 4], room: &mut Room) -> Result<(), EngineError> {
        let ((tier, way), grid, isa) = (way, self.finish.grid, self.isa);
        let Room { work, tables, rows } = room;
        let (block, shape) = (at, grid.block_shape(at));
        rows.resize(rows.len().max(way.room(shape)), [0; 8]);
        let gathered = dispatch(isa, Gather { way, block, shape, work, tables, out: rows });
        gathered.map_err(|reason| EngineError::Load { tier: *tier, reason })?;
        for along in 0..grid.blocks[way.quadrant] {
            at[way.quadrant] = along;
            let Some(number) = grid.number(at) else { continue };
            let shape = grid.block_shape(at);
            let add = |out: &mut [Pair]| dispatch(isa, Add { way, along, shape, rows, out });
            let owner = self.dealt.block(at) as usize;
            if owner == self.here {
                self.hear(number, way.quadrant, work, add)?;
                continue;
            }
            tables.clear();
            tables.resize(grid.entries_of(number), [0; 8]);
            add(tables);
            let packed = work.pack(tables).map_err(|why| self.failed(why))?;
            self.queue.put(owner, About::Part { quadrant: way.quadrant, number }, packed);
        }
        Ok(())
    }

    /// Merges a part into a block that is kept here; the last one finishes it.
    fn hear(
        &self,
        number: usize,
        quadrant: usize,
        work: &mut Work,
        add: impl FnOnce(&mut [Pair]),
    ) -> Result<(), EngineError> {
        let place = self.own.binary_search(&number);
        let place = place.map_err(|_| self.broken(format!("block {number} is not kept here").into()))?;
        let mut kept = self.kept[place].lock().unpoisoned();
        if self.open & !kept.heard & 1 << quadrant == 0 {
            return Err(self.broken(format!("block {number} was told of quadrant {quadrant} twice").into()));
        }
        kept.heard |= 1 << quadrant;
        kept.tables.resize(self.finish.grid.entries_of(number), [0; 8]);
        add(&mut kept.tables);
        if kept.heard != self.open {
            return Ok(());
        }
        let tables = std::mem::take(&mut kept.tables);
        drop(kept);
        self.finished(number, tables, work)
    }

    /// Finishes a block, and hands it to those who write it.
    fn finished(&self, number: usize, mut tables: Vec<Pair>, work: &mut Work) -> Result<(), EngineError> {
        let grid = self.finish.grid;
        tables.resize(grid.entries_of(number), [0; 8]);
        self.finish.finish(number, &mut tables, self.isa);
        let packed = work.pack(&tables).map_err(|why| self.failed(why))?;
        let (first, many) = (grid.first(grid.block(number)) * TURNS, tables.len() as u64 * TURNS);
        for writer in self.shares.owner(first)..=self.shares.owner(first + many - 1) {
            if writer == self.here {
                self.slots.put(number, packed.clone()).map_err(|why| self.broken(why))?;
            } else {
                self.queue.put(writer, About::Finished(number), packed.clone());
            }
        }
        self.watch.advance(many);
        Ok(())
    }

    /// The finished range of this process. Boards up to symmetry are counted for the section as a whole,
    /// so the first process has them all.
    pub(super) fn into_strip(self) -> Made {
        let tier = self.tier;
        let positions = if self.here == 0 { self.finish.section.distinct_boards() } else { 0 };
        let strip = self.slots.whole(self.finish, positions);
        Ok(Arc::new(strip.map_err(|reason| EngineError::Exchange { tier, reason })?))
    }

    fn in_a_room<T>(&self, work: impl FnOnce(&mut Room) -> T) -> T {
        let mut room = self.rooms.lock().unpoisoned().pop().unwrap_or_default();
        let done = work(&mut room);
        self.rooms.lock().unpoisoned().push(room);
        done
    }

    fn broken(&self, reason: Reason) -> EngineError {
        EngineError::Exchange { tier: self.tier, reason }
    }

    fn failed(&self, reason: Reason) -> EngineError {
        EngineError::Load { tier: self.tier, reason }
    }
}
