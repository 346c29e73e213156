//! The engine `gpu`: tiers of loops, solved on one GPU.

use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, Weak};

use zermelo_core::{
    Count, DeviceRules, Engine, EngineError, Face, Job, Made, Need, Reachability, Reached, Remoteness,
    Solved, StoredTier, Takes, Tallied, Tier, TierGraph, Turn, Unpoisoned, own,
};
use zermelo_engines::{Codes, Opens, Ranked};

use crate::cuda::{self, Cuda};
use crate::device::{Device, DeviceError};
use crate::driver::{Below, CodeCount, DeviceJob, DriveError, Driver};
use crate::resident::{DeviceCodes, Resident, STORING, uploaded};

/// A variant whose largest tier has fewer numbers is solved sooner than a GPU is ready.
const WORTH: u64 = 1 << 24;
/// Smaller tiers do not keep a device busy, so that some of them are solved at once.
const BUSY: u64 = 1 << 27;
/// The most tiers to solve at once.
const AT_ONCE: usize = 4;

/// The engine for tiers whose moves can go round, on one GPU. Solved tiers stay in its memory for the tiers above.
pub struct Gpu<G: DeviceRules> {
    tiers: Arc<Ranked<G, Remoteness>>,
    /// The device, if the one to use is not the first GPU.
    given: Option<Arc<dyn Device>>,
    /// The device with the program of the variant, once it is ready.
    driver: Mutex<Option<Arc<Driver>>>,
    memory: Mutex<Memory<G>>,
    /// Whose turn it is to take memory.
    turn: Mutex<()>,
    /// Tells that a tier at work has given its memory back.
    given_back: Condvar,
    /// The most bytes of the device to use.
    limit: AtomicU64,
}

/// Who has the memory of the device.
struct Memory<G: DeviceRules> {
    /// Solved tiers that may be on the device, the oldest first.
    residents: Vec<Weak<Resident<G>>>,
    /// Tiers at work, and the bytes that they may take.
    working: (usize, u64),
}

/// Memory of the device for a tier at work, which is given back when this is dropped.
struct Reserved<'a, G: DeviceRules> {
    engine: &'a Gpu<G>,
    bytes: u64,
}

impl<G: DeviceRules> Drop for Reserved<'_, G> {
    fn drop(&mut self) {
        let mut memory = self.engine.memory.lock().unpoisoned();
        memory.working = (memory.working.0 - 1, memory.working.1 - self.bytes);
        self.engine.given_back.notify_all();
    }
}

impl<G: DeviceRules + Face> Gpu<G> {
    /// The engine for the tiers of a variant, on a device.
    pub fn over(tiers: &Arc<Ranked<G, Remoteness>>, device: Option<Arc<dyn Device>>) -> Self {
        Gpu {
            tiers: tiers.clone(),
            given: device,
            driver: Mutex::default(),
            memory: Mutex::new(Memory { residents: vec![], working: (0, 0) }),
            turn: Mutex::default(),
            given_back: Condvar::new(),
            limit: AtomicU64::new(u64::MAX),
        }
    }

    /// The device with the program of the variant, made ready when it is first asked for.
    fn driver(&self) -> Result<Arc<Driver>, DeviceError> {
        let mut ready = self.driver.lock().unpoisoned();
        if let Some(driver) = &*ready {
            return Ok(driver.clone());
        }
        let device = match &self.given {
            Some(device) => device.clone(),
            None => Arc::new(Cuda::open(0)?),
        };
        let driver = Arc::new(Driver::new(device, self.tiers.game())?);
        Ok(ready.insert(driver).clone())
    }

    /// Takes memory of the device for a tier. Older tiers move to the host if they are in its way; then this waits for
    /// other tiers at work.
    fn reserve(&self, device: &dyn Device, need: u64) -> Result<Reserved<'_, G>, DeviceError> {
        let mut memory = self.memory.lock().unpoisoned();
        loop {
            match self.make_room(&mut memory, device, need) {
                Ok(()) => break,
                Err(DeviceError::Memory { .. }) if memory.working.0 > 0 => {
                    memory = self.given_back.wait(memory).unpoisoned();
                }
                Err(error) => return Err(error),
            }
        }
        memory.working = (memory.working.0 + 1, memory.working.1 + need);
        Ok(Reserved { engine: self, bytes: need })
    }

    /// Checks that a tier fits the device beside all others, and moves older tiers to the host if they are in its way.
    fn make_room(&self, memory: &mut Memory<G>, device: &dyn Device, need: u64) -> Result<(), DeviceError> {
        // What tiers at work have taken already is counted twice, so that there is room for the rest of it.
        let working = memory.working.1;
        let have = |info: crate::DeviceInfo| {
            let taken = info.memory.saturating_sub(info.free);
            info.free.min(self.limit.load(Relaxed).saturating_sub(taken)).saturating_sub(working)
        };
        memory.residents.retain(|resident| resident.strong_count() > 0);
        let mut next = 0;
        loop {
            let have = have(device.info()?);
            if have >= need {
                return Ok(());
            }
            let Some(resident) = memory.residents.get(next) else {
                return Err(DeviceError::Memory { need, have });
            };
            resident.upgrade().map_or(Ok(false), |resident| resident.leave())?;
            next += 1;
        }
    }

    /// A solved tier, which moves to the host when the device has no room.
    fn kept(&self, resident: Arc<Resident<G>>) -> Arc<dyn Solved> {
        self.memory.lock().unpoisoned().residents.push(Arc::downgrade(&resident));
        Arc::new(DeviceCodes::new(resident))
    }

    /// The codes of a solved tier on the device.
    fn below(&self, driver: &Driver, tier: Tier, solved: &dyn Solved) -> Result<Below, EngineError> {
        let failed = |error: DeviceError| EngineError::Device { tier, reason: error.into() };
        let (size, width) = (solved.entries(), solved.width());
        let codes = match own::<DeviceCodes<G>>(solved, tier) {
            Ok(codes) => codes.resident.brought(&driver.device),
            Err(_) => uploaded(&driver.device, own::<Codes<G, Remoteness>>(solved, tier)?),
        };
        let codes = codes.map_err(failed)?;
        Ok(Below { size, width, codes })
    }
}

impl<G: DeviceRules + Face> Opens for Gpu<G> {
    type Layout = Ranked<G, Remoteness>;
    const TAKES: Takes =
        Takes { loops: true, passes: false, puzzles: false, otherwise: "retrograde", ..Takes::new("gpu") };

    fn open(tiers: &Arc<Ranked<G, Remoteness>>) -> Option<Self> {
        tiers.game().fits().then(|| Gpu::over(tiers, None))
    }

    fn worth(tiers: &Ranked<G, Remoteness>) -> bool {
        cuda::seems_present() && has_large(tiers)
    }
}

/// Whether a tier is worth a GPU.
fn has_large<G: DeviceRules + Face>(tiers: &Ranked<G, Remoteness>) -> bool {
    let (mut seen, mut stack) = (std::collections::HashSet::new(), tiers.roots());
    while let Some(tier) = stack.pop() {
        if !seen.insert(tier) {
            continue;
        }
        if tiers.size(tier) >= WORTH {
            return true;
        }
        stack.extend(tiers.children(tier));
    }
    false
}

impl<G: DeviceRules + Face> Engine for Gpu<G> {
    fn need(&self, tier: Tier) -> Need {
        // The memory of the host: parts of the codes while they are stored. Solved tiers count as if they were in this
        // memory, for that is where they go when the device has no room.
        let size = self.tiers.size(tier);
        let storing = STORING.min(2 * size);
        Need { working: storing, useful: storing, result: size }
    }

    fn at_once(&self, tier: Tier) -> usize {
        if self.tiers.size(tier) < BUSY { AT_ONCE } else { 1 }
    }

    fn limit_device(&self, bytes: u64) {
        self.limit.store(bytes, Relaxed);
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        let tier = job.tier;
        let failed = |error: DeviceError| EngineError::Device { tier, reason: error.into() };
        let driver = self.driver().map_err(failed)?;
        let children = self.tiers.children(tier);
        // One at a time waits for memory: what it needs from below stays on the device meanwhile.
        let turn = self.turn.lock().unpoisoned();
        let held = |solved: &Arc<dyn Solved>| own::<DeviceCodes<G>>(&**solved, tier).ok()?.resident.buffer();
        let held: Vec<_> = job.children.iter().map(held).collect();
        let missing = job.children.iter().zip(&held).filter(|(_, held)| held.is_none());
        let missing: u64 = missing.map(|(solved, _)| solved.entries() * solved.width().bytes() as u64).sum();
        let need = driver.working_bytes(self.tiers.size(tier)) + missing;
        let reserved = self.reserve(&*driver.device, need).map_err(failed)?;
        drop(turn);
        let below = job.children.iter().map(|solved| self.below(&driver, tier, &**solved));
        let below = below.collect::<Result<Vec<_>, _>>()?;
        drop(held);
        let indexes: Vec<_> = children.iter().map(|child| self.tiers.index(*child)).collect();
        let below = indexes.iter().map(|index| &**index).zip(below).collect();
        let (game, index) = (self.tiers.game(), self.tiers.index(tier));
        let solved = driver.solve(&DeviceJob { game, tier, index: &index, below, watch: job.watch });
        let resident = Arc::new(solved.map_err(|error| match error {
            DriveError::Device(error) => failed(error),
            DriveError::OutOfRange => EngineError::OutOfRange(tier),
            rules @ DriveError::Rules(_) => EngineError::BadGame { tier, fault: rules.to_string() },
        })?);
        drop(reserved);
        Ok(self.kept(resident))
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Option<Tallied> {
        // Only where all positions are marked: marks of some are in the memory of the host.
        let turns = here.everywhere()?;
        let resident = &own::<DeviceCodes<G>>(solved, tier).ok()?.resident;
        let failed = |error: DeviceError| EngineError::Device { tier, reason: error.into() };
        let Some(buffer) = resident.buffer() else {
            let codes = resident.codes().map_err(failed);
            return Some(codes.and_then(|codes| self.tiers.tally(tier, here, &*codes)));
        };
        let driver = self.driver.lock().unpoisoned().clone()?;
        let solved = Below { size: solved.entries(), width: solved.width(), codes: buffer };
        let (game, index) = (self.tiers.game(), self.tiers.index(tier));
        let show = |number| game.unrank(&index, number).map(|p| game.show(Turn::First, p));
        let count = |found: CodeCount| {
            let (positions, twice_canonical) = (turns * found.positions, 2 * turns * found.numbers);
            let value = found.code.value()?;
            Some(Count { value, positions, twice_canonical, ply: None, example: show(found.example) })
        };
        let counts = driver.tally(game, &index, &solved);
        let counts = counts.map(|counts| counts.into_iter().filter_map(count).collect());
        Some(counts.map_err(failed))
    }

    fn load(&self, stored: &StoredTier<'_>) -> Made {
        let (index, all) = (self.tiers.index(stored.tier), 0..self.tiers.size(stored.tier));
        let codes = Codes::load(self.tiers.game(), &index, stored, all)?;
        Ok(self.kept(Arc::new(Resident::loaded(codes))))
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        self.tiers.restore(tier, spilled)
    }
}
