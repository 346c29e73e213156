//! Solves a tier on a device: takes memory, and starts the kernels of `kernels/retrograde.cu` in their order.
//!
//! ```text
//! forward                      what the rules and the tiers below tell, once
//! for each distance d          scan        lists losses and wins in d, a part of the tier at a time
//!                              push_wins   positions before losses are won in d + 1
//!                              push_flags  positions before wins may be lost
//!                              doubt       positions that are flagged are open if the move that did not lose before
//!                                          still does not; the others are listed
//!                              settle      these are lost if all their moves lose by now; for wins in 1 all open
//!                                          positions are looked at, and none is flagged
//! for each distance of ties    scan, push_ties
//! finish, pack                 draws; one byte a code where all codes have one
//! ```
//!
//! **Claim.** When distance d begins, exactly the positions with a loss or a win in d have its code, and every cell with
//! a loss or a win of less than d has its final code.
//!
//! **Proof**, by induction.
//!
//! A position is won in d + 1 if and only if its best move leads to a loss in d. `forward` looked at all moves that leave
//! the tier, and wrote the best of their wins. `push_wins` starts from every loss in d, and so meets every move inside
//! the tier to one; it replaces longer wins alone.
//!
//! A position is lost in d + 1 if all its moves lead to wins, the longest of which is in d. If the longest one lies
//! inside the tier, the position is flagged when that win is pushed, and all others are known by then. If it lies below,
//! there are two cases. Either all moves inside the tier lead to shorter wins: then `settle` wrote the loss when the last
//! one of them was pushed. Or no move stays in the tier: then `forward` wrote the loss.
//!
//! A flagged position that one move inside the tier still saves is not lost in d + 1. It is open again, and is flagged
//! anew when that move's position is found won. So no loss is missed where only this move is looked at. ∎

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytemuck::Zeroable;
use zermelo_core::device::{DeviceTable, Slot};
use zermelo_core::{Code, DeviceRules, Flow, Objective, Remoteness, Tier, Unpoisoned, Watch, Width};

use crate::args::{Args, CHILDREN, Counters, SLOTS, TierArgs};
use crate::device::{Buffer, Device, DeviceError, Program};
use crate::resident::Resident;

/// Numbers by thread of the device that one scan looks at, and the most that each list then has.
const PART: u64 = 512;
/// A tier of fewer numbers by thread of the device is small: its list of flags is never too short, and several distances
/// are done at a time.
const SMALL: u64 = 64;
/// Distances that a small tier does between two readings of the counters, for which the device waits.
const BATCH: u64 = 8;
/// Numbers that the forward pass does between two reports of progress.
const STEP: u64 = 1 << 28;
/// The first distance that a code cannot hold.
const BEYOND: u64 = 20_000;
/// Codes of two bytes.
const CODES: usize = 1 << 16;
/// The powers of two that numbers of symmetric positions may be: boards have at most eight symmetries.
const COPIES: usize = 4;

/// A device with the program of one variant, and the tables that its tiers share.
pub(crate) struct Driver {
    pub(crate) device: Arc<dyn Device>,
    program: Box<dyn Program>,
    widen: Buffer,
    narrow: Buffer,
    tables: Mutex<HashMap<TableName, Arc<Buffer>>>,
}

/// The name of a table that tiers share.
type TableName = (&'static str, u64, u64);

/// Why a tier was not solved on a device.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DriveError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// So many positions have moves that cannot be.
    #[error("{0} positions have a move to a tier that is not declared, or no move and are not over")]
    Rules(u64),
    /// A distance that codes cannot hold.
    #[error("a distance is beyond what codes hold")]
    OutOfRange,
}

/// A tier to solve.
pub(crate) struct DeviceJob<'a, G: DeviceRules> {
    pub(crate) game: &'a G,
    pub(crate) tier: Tier,
    pub(crate) index: &'a G::Index,
    /// The tiers below: their numberings, and their codes on the device.
    pub(crate) below: Vec<(&'a G::Index, Below)>,
    pub(crate) watch: &'a dyn Watch,
}

/// The codes of a tier below on the device.
pub(crate) struct Below {
    pub(crate) size: u64,
    pub(crate) width: Width,
    pub(crate) codes: Arc<Buffer>,
}

impl Driver {
    /// Compiles the program of a game for a device.
    pub(crate) fn new<G: DeviceRules>(device: Arc<dyn Device>, game: &G) -> Result<Driver, DeviceError> {
        let program = device.compile(&crate::source::of(game))?;
        let narrow = |code: u16| <Remoteness as Objective<G>>::narrow(Code(code)).unwrap_or(u8::MAX);
        let narrow: Vec<u8> = (0..=u16::MAX).map(narrow).collect();
        let widen = |byte: u8| <Remoteness as Objective<G>>::widen(byte).0;
        let widen: Vec<u8> = (0..=u8::MAX).flat_map(|byte| widen(byte).to_le_bytes()).collect();
        let (widen, narrow) = (Buffer::of(&device, &widen)?, Buffer::of(&device, &narrow)?);
        Ok(Driver { device, program, widen, narrow, tables: Mutex::default() })
    }

    /// Bytes of the device that a tier takes while it is solved, without the tiers below and what tiers share.
    pub(crate) fn working_bytes(&self, size: u64) -> u64 {
        let lists = 8 * size.min(self.part()) + 8 * self.most_flags(size);
        // Two bytes a cell, and one for the result.
        size.saturating_mul(3).saturating_add(lists)
    }

    pub(crate) fn part(&self) -> u64 {
        // Lists have 30 bits for a place in a part.
        (PART * self.device.threads()).min(1 << 30)
    }

    pub(crate) fn is_small(&self, size: u64) -> bool {
        size < SMALL * self.device.threads()
    }

    /// The length of the list of flags. Where more are flagged in a large tier, to look at all cells takes no longer.
    fn most_flags(&self, size: u64) -> u64 {
        if self.is_small(size) { size } else { size / 32 }
    }

    /// A numbering as kernels see it. Its tables are brought to the device if they are not there.
    pub(crate) fn numbering<G: DeviceRules>(
        &self,
        game: &G,
        index: &G::Index,
    ) -> Result<[u64; SLOTS], DeviceError> {
        let mut slots = [0; SLOTS];
        for (place, slot) in slots.iter_mut().zip(game.numbering(index)) {
            *place = match slot {
                Slot::Number(number) => number,
                Slot::Table(table) => self.table(&table)?.at(),
            };
        }
        Ok(slots)
    }

    fn table(&self, table: &DeviceTable) -> Result<Arc<Buffer>, DeviceError> {
        let mut tables = self.tables.lock().unpoisoned();
        if let Some(buffer) = tables.get(&table.name) {
            return Ok(buffer.clone());
        }
        let buffer = Arc::new(Buffer::of(&self.device, &(table.make)())?);
        Ok(tables.entry(table.name).or_insert(buffer).clone())
    }

    /// Starts a kernel on some numbers, each of which is work for one thread.
    pub(crate) fn start(&self, kernel: &'static str, args: &Args, work: u64) -> Result<(), DeviceError> {
        self.program.start(kernel, args, work.min(self.device.threads()))
    }

    pub(crate) fn counters(&self, buffer: &Buffer) -> Result<Counters, DeviceError> {
        let mut counters = Counters::zeroed();
        buffer.read(0, bytemuck::bytes_of_mut(&mut counters))?;
        Ok(counters)
    }

    /// What kernels are told of a tier alone.
    pub(crate) fn bare<G: DeviceRules>(
        &self,
        game: &G,
        index: &G::Index,
        size: u64,
    ) -> Result<Args, DeviceError> {
        let here = TierArgs { slots: self.numbering(game, index)?, size, ..TierArgs::default() };
        let (widen, narrow) = (self.widen.at(), self.narrow.at());
        Ok(Args { here, widen, narrow, end: size, ..Args::default() })
    }

    /// What kernels are told of a tier, and what holds the list of the tiers below.
    fn args<G: DeviceRules>(&self, job: &DeviceJob<'_, G>) -> Result<(Args, Option<Buffer>), DeviceError> {
        let mut args = self.bare(job.game, job.index, job.game.size(job.tier))?;
        let below = job.below.iter().map(|(index, below)| {
            let (codes, width) = (below.codes.at(), below.width.bytes() as u64);
            Ok(TierArgs { slots: self.numbering(job.game, index)?, size: below.size, codes, width })
        });
        let below = below.collect::<Result<Vec<TierArgs>, DeviceError>>()?;
        args.tiers_below = below.len() as u64;
        if !G::FORESEES {
            let list = Buffer::of(&self.device, bytemuck::cast_slice(&below))?;
            return Ok((Args { all_below: list.at(), ..args }, Some(list)));
        }
        if below.len() > CHILDREN {
            let many = below.len();
            return Err(DeviceError::Program(format!(
                "a tier has {many} tiers below, and {CHILDREN} are the most"
            )));
        }
        args.below[..below.len()].copy_from_slice(&below);
        Ok((args, None))
    }

    /// Solves a tier. Its codes stay on the device.
    pub(crate) fn solve<G: DeviceRules>(&self, job: &DeviceJob<'_, G>) -> Result<Resident<G>, DriveError> {
        let size = job.game.size(job.tier);
        let cells = Buffer::new(&self.device, 2 * size)?;
        let counters = Buffer::zeros(&self.device, size_of::<Counters>() as u64)?;
        let (mut args, _below) = self.args(job)?;
        (args.cells, args.counters) = (cells.at(), counters.at());
        self.forward(&args, job.watch)?;
        let mut known = self.counters(&counters)?;
        if known.faults > 0 {
            return Err(DriveError::Rules(known.faults));
        }
        if job.game.flow(job.tier) != Flow::Leaves {
            known = self.backward(&mut args, &counters, known, G::FORESEES)?;
        }
        if known.farthest >= BEYOND || known.farthest_tie >= BEYOND {
            return Err(DriveError::OutOfRange);
        }
        (args.first, args.end) = (0, size);
        self.start("finish", &args, size)?;
        let wide = self.counters(&counters)?.wide > 0;
        job.watch.advance(size.div_ceil(2));
        if wide {
            return Ok(Resident::new(cells, size, known.positions, Width::Two));
        }
        let out = Buffer::new(&self.device, size)?;
        args.out = out.at();
        self.start("pack", &args, size)?;
        // The cells go before the kernel is known to have ended.
        self.device.wait()?;
        Ok(Resident::new(out, size, known.positions, Width::One))
    }

    /// Looks at every position of a tier once.
    fn forward(&self, args: &Args, watch: &dyn Watch) -> Result<(), DeviceError> {
        let size = args.here.size;
        for first in (0..size).step_by(STEP as usize) {
            let end = size.min(first + STEP);
            self.start("forward", &Args { first, end, ..*args }, end - first)?;
            self.device.wait()?;
            watch.advance((end - first) / 2);
        }
        Ok(())
    }

    /// Goes through all distances: wins and losses, then ties.
    fn backward(
        &self,
        args: &mut Args,
        buffer: &Buffer,
        forward: Counters,
        foresees: bool,
    ) -> Result<Counters, DriveError> {
        let size = args.here.size;
        let (most, most_flags) = (size.min(self.part()), self.most_flags(size));
        let lists = [Buffer::new(&self.device, 4 * most)?, Buffer::new(&self.device, 4 * most)?];
        let flags = Buffer::new(&self.device, 8 * most_flags)?;
        (args.lists, args.flags, args.most_flags) =
            (lists.each_ref().map(Buffer::at), flags.at(), most_flags);
        let mut known = forward;
        let batch = if self.is_small(size) { BATCH } else { 1 };
        // Where wins in one are not foreseen, they are pushed from what is lost at once.
        let mut next = u64::from(foresees);
        while next <= known.farthest {
            if known.farthest >= BEYOND {
                return Err(DriveError::OutOfRange);
            }
            let end = BEYOND.min(next + batch);
            for distance in next..end {
                args.distance = distance;
                // Half of all positions may be won in one. An open position meets a move to another one soon, so that a
                // look at all open ones takes less time than to push all of these wins.
                let pull = foresees && distance == 1;
                self.clear_flags(args)?;
                self.parts(args, if pull { &["push_wins"] } else { &["push_wins", "push_flags"] })?;
                (args.first, args.end) = (0, size);
                if pull {
                    self.start("settle_open", args, size)?;
                } else if self.is_small(size) {
                    self.start("settle_flagged", args, most_flags)?;
                } else {
                    self.settle(args, self.counters(buffer)?.flags)?;
                }
            }
            next = end;
            known = self.counters(buffer)?;
        }
        args.tie_phase = 1;
        for distance in 0.. {
            if distance > known.farthest_tie || known.farthest_tie == 0 {
                break;
            }
            if known.farthest_tie >= BEYOND {
                return Err(DriveError::OutOfRange);
            }
            args.distance = distance;
            self.parts(args, &["push_ties"])?;
            known = self.counters(buffer)?;
        }
        Ok(known)
    }

    fn clear_flags(&self, args: &Args) -> Result<(), DeviceError> {
        let at = std::mem::offset_of!(Counters, flags) as u64;
        self.device.clear(args.counters + at, 8)
    }

    /// Settles the flagged positions of a large tier, so many: those that one move saves in one kernel, the others in a
    /// second one.
    fn settle(&self, args: &mut Args, flags: u64) -> Result<(), DeviceError> {
        let (all, doubt, settle) = if flags > args.most_flags {
            (args.here.size, "doubt_cells", "settle_doubted_cells")
        } else {
            (flags, "doubt_flagged", "settle_doubted_flags")
        };
        let at = std::mem::offset_of!(Counters, doubts) as u64;
        for first in (0..all).step_by(self.part() as usize) {
            (args.first, args.end) = (first, all.min(first + self.part()));
            self.device.clear(args.counters + at, 8)?;
            self.start(doubt, args, args.end - first)?;
            self.start(settle, args, args.end - first)?;
        }
        Ok(())
    }

    /// Lists the numbers with values of a distance, a part of the tier at a time, and pushes what is listed.
    fn parts(&self, args: &mut Args, push: &[&'static str]) -> Result<(), DeviceError> {
        let (size, lengths) = (args.here.size, std::mem::offset_of!(Counters, first_list) as u64);
        for first in (0..size).step_by(self.part() as usize) {
            (args.first, args.end) = (first, size.min(first + self.part()));
            self.device.clear(args.counters + lengths, 16)?;
            self.start("scan", args, (args.end - first).div_ceil(8))?;
            for kernel in push {
                self.start(kernel, args, args.end - first)?;
            }
        }
        Ok(())
    }

    /// Counts the positions of a solved tier by code, each as often as positions share its number, and up to symmetry: all,
    /// or those that a plane of marks has.
    pub(crate) fn tally<G: DeviceRules>(
        &self,
        game: &G,
        index: &G::Index,
        solved: &Below,
        counted: Option<u64>,
    ) -> Result<Vec<CodeCount>, DeviceError> {
        let counts = Buffer::zeros(&self.device, (COPIES * CODES * 8) as u64)?;
        let examples = Buffer::of(&self.device, &vec![u8::MAX; CODES * 8])?;
        let mut args = self.bare(game, index, solved.size)?;
        (args.here.codes, args.here.width) = (solved.codes.at(), solved.width.bytes() as u64);
        (args.counts, args.examples, args.counted) = (counts.at(), examples.at(), counted.unwrap_or(0));
        self.start("tally", &args, solved.size)?;
        let (mut found, mut least) = (vec![0u64; COPIES * CODES], vec![0u64; CODES]);
        counts.read(0, bytemuck::cast_slice_mut(&mut found))?;
        examples.read(0, bytemuck::cast_slice_mut(&mut least))?;
        let of = |code: usize| {
            let by_copies = (0..COPIES).map(|power| found[power * CODES + code]);
            let positions = by_copies.clone().enumerate().map(|(power, n)| n << power).sum();
            CodeCount { code: Code(code as u16), positions, numbers: by_copies.sum(), example: least[code] }
        };
        Ok((0..CODES).map(of).filter(|count| count.numbers > 0).collect())
    }
}

/// How many positions of a tier have a code.
pub(crate) struct CodeCount {
    pub(crate) code: Code,
    /// Positions, those that share a number counted apart.
    pub(crate) positions: u64,
    /// Numbers.
    pub(crate) numbers: u64,
    /// The least of these numbers.
    pub(crate) example: u64,
}
