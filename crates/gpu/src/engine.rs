//! The engine `gpu`: tiers of loops, solved on one GPU.

use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};

use zermelo_core::{
    Count, DeviceRules, Engine, EngineError, Face, Job, Made, Need, Reached, Remoteness, Solved, StoredTier,
    Takes, Tallied, Tier, TierGraph, Turn, Unpoisoned, own,
};
use zermelo_engines::{Codes, Opens, Ranked};

use crate::cuda::{self, Cuda};
use crate::device::{Buffer, Device, DeviceError};
use crate::driver::{Below, CodeCount, DeviceJob, DriveError, Driver, working_bytes};
use crate::resident::{DeviceCodes, Resident, STORING};

/// A variant whose largest tier has fewer numbers is solved sooner than a GPU is ready.
const WORTH: u64 = 1 << 24;

/// The engine for tiers whose moves can go round, on one GPU. Solved tiers stay in its memory for the tiers above.
pub struct Gpu<G: DeviceRules> {
    tiers: Arc<Ranked<G, Remoteness>>,
    /// The device, if the one to use is not the first GPU.
    given: Option<Arc<dyn Device>>,
    /// The device with the program of the variant, once it is ready.
    driver: Mutex<Option<Arc<Driver>>>,
    /// Solved tiers that may be on the device, the oldest first. One tier is solved at a time.
    residents: Mutex<Vec<Weak<Resident<G>>>>,
    /// The most bytes of the device to use.
    limit: AtomicU64,
}

impl<G: DeviceRules + Face> Gpu<G> {
    /// The engine for the tiers of a variant, on a device.
    pub fn over(tiers: &Arc<Ranked<G, Remoteness>>, device: Option<Arc<dyn Device>>) -> Self {
        let (driver, residents) = Default::default();
        Gpu { tiers: tiers.clone(), given: device, driver, residents, limit: AtomicU64::new(u64::MAX) }
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

    /// Checks that a tier fits the device with the tiers below, and moves older tiers to the host if they are in its way.
    fn make_room(
        &self,
        residents: &mut Vec<Weak<Resident<G>>>,
        device: &dyn Device,
        need: u64,
    ) -> Result<(), DeviceError> {
        let have = |info: crate::DeviceInfo| {
            let taken = info.memory.saturating_sub(info.free);
            info.free.min(self.limit.load(Relaxed).saturating_sub(taken))
        };
        residents.retain(|resident| resident.strong_count() > 0);
        let mut next = 0;
        loop {
            let have = have(device.info()?);
            if have >= need {
                return Ok(());
            }
            let Some(resident) = residents.get(next) else {
                return Err(DeviceError::Memory { need, have });
            };
            resident.upgrade().map_or(Ok(false), |resident| resident.leave())?;
            next += 1;
        }
    }

    /// The codes of a solved tier on the device.
    fn below(&self, driver: &Driver, tier: Tier, solved: &dyn Solved) -> Result<Below, EngineError> {
        let failed = |error: DeviceError| EngineError::Device { tier, reason: error.into() };
        let (size, width) = (solved.entries(), solved.width());
        if let Ok(codes) = own::<DeviceCodes<G>>(solved, tier) {
            if let Some(codes) = codes.resident.buffer() {
                return Ok(Below { size, width, codes });
            }
            let codes = codes.resident.codes().and_then(|codes| uploaded(driver, &codes)).map_err(failed)?;
            return Ok(Below { size, width, codes });
        }
        let codes = uploaded(driver, own::<Codes<G, Remoteness>>(solved, tier)?).map_err(failed)?;
        Ok(Below { size, width, codes })
    }
}

/// Copies codes to the device.
fn uploaded<G: DeviceRules>(
    driver: &Driver,
    codes: &Codes<G, Remoteness>,
) -> Result<Arc<Buffer>, DeviceError> {
    let buffer = Buffer::new(&driver.device, codes.entries() * codes.width().bytes() as u64)?;
    let mut at = buffer.at();
    codes.bytes_by_piece(|bytes| {
        driver.device.upload(at, bytes)?;
        at += bytes.len() as u64;
        Ok(())
    })?;
    Ok(Arc::new(buffer))
}

impl<G: DeviceRules + Face> Opens for Gpu<G> {
    type Layout = Ranked<G, Remoteness>;
    const TAKES: Takes =
        Takes { loops: true, passes: false, puzzles: false, otherwise: "retrograde", ..Takes::new("gpu") };

    fn open(tiers: &Arc<Ranked<G, Remoteness>>) -> Option<Self> {
        Some(Gpu::over(tiers, None))
    }

    fn worth(tiers: &Ranked<G, Remoteness>) -> bool {
        cuda::seems_present() && tiers.roots().into_iter().any(|root| has_large(tiers, root))
    }
}

/// Whether a tier below a root is worth a GPU.
fn has_large<G: DeviceRules + Face>(tiers: &Ranked<G, Remoteness>, root: Tier) -> bool {
    let (mut seen, mut stack) = (std::collections::HashSet::new(), vec![root]);
    while let Some(tier) = stack.pop() {
        if tiers.size(tier) >= WORTH {
            return true;
        }
        if seen.insert(tier) {
            stack.extend(tiers.children(tier));
        }
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

    fn at_once(&self) -> usize {
        1
    }

    fn limit_device(&self, bytes: u64) {
        self.limit.store(bytes, Relaxed);
    }

    fn solve(&self, job: &Job<'_>) -> Made {
        let tier = job.tier;
        let failed = |error: DeviceError| EngineError::Device { tier, reason: error.into() };
        let mut residents = self.residents.lock().unpoisoned();
        let driver = self.driver().map_err(failed)?;
        let children = self.tiers.children(tier);
        let missing = |solved: &Arc<dyn Solved>| match own::<DeviceCodes<G>>(&**solved, tier) {
            Ok(codes) if codes.resident.buffer().is_some() => 0,
            _ => solved.entries() * solved.width().bytes() as u64,
        };
        // Those below that are on the device have an owner here, so that they stay.
        let held =
            job.children.iter().filter_map(|s| own::<DeviceCodes<G>>(&**s, tier).ok()?.resident.buffer());
        let held: Vec<_> = held.collect();
        let need = working_bytes(self.tiers.size(tier)) + job.children.iter().map(missing).sum::<u64>();
        self.make_room(&mut residents, &*driver.device, need).map_err(failed)?;
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
        residents.push(Arc::downgrade(&resident));
        Ok(Arc::new(DeviceCodes::new(resident)))
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Option<Tallied> {
        // Only where all positions are marked: marks of some are in the memory of the host.
        let turns = here.everywhere()?;
        let buffer = own::<DeviceCodes<G>>(solved, tier).ok()?.resident.buffer()?;
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
        Some(counts.map_err(|error| EngineError::Device { tier, reason: error.into() }))
    }

    fn load(&self, stored: &StoredTier<'_>) -> Made {
        self.tiers.load(stored)
    }

    fn restore(&self, tier: Tier, spilled: &mut dyn Read) -> Made {
        self.tiers.restore(tier, spilled)
    }
}
