//! The engine `gpu`: tiers of loops, solved on one GPU.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, Weak};

use zermelo_core::{
    Code, Count, DeviceRules, Engine, EngineError, Face, Job, Made, Marked, Need, Reachability, Reached,
    Remoteness, Solved, StoredTier, Takes, Tallied, Tier, TierGraph, Turn, Unpoisoned, own,
};
use zermelo_engines::{Codes, Opens, Ranked, Reach};

use crate::cuda::{self, Cuda};
use crate::device::{Device, DeviceError};
use crate::driver::{Below, CodeCount, DeviceJob, DriveError, Driver};
use crate::marks::{Following, Marks};
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

    /// Counts all positions of a solved tier by value, each with so many turns.
    fn tally_all(
        &self,
        driver: &Driver,
        tier: Tier,
        solved: &Below,
        turns: u64,
    ) -> Result<Vec<Count>, DeviceError> {
        let index = self.tiers.index(tier);
        let found = driver.tally(self.tiers.game(), &index, solved, None)?;
        let count = |found: CodeCount| {
            let (positions, numbers) = (turns * found.positions, turns * found.numbers);
            self.count(&index, found.code, positions, numbers, (found.example, Turn::First))
        };
        Ok(found.into_iter().filter_map(count).collect())
    }

    /// Counts the marked positions of a solved tier by value.
    fn tally_marked(
        &self,
        driver: &Driver,
        tier: Tier,
        solved: &Below,
        reach: &Reach,
    ) -> Result<Vec<Count>, DeviceError> {
        let (game, index) = (self.tiers.game(), self.tiers.index(tier));
        let Some(marks) = Marks::of(&driver.device, reach, solved.size)? else { return Ok(vec![]) };
        // By code: positions, numbers, and the first number with who is to move.
        let mut counts: BTreeMap<Code, (u64, u64, (u64, bool))> = BTreeMap::new();
        for (second, plane) in [false, true].into_iter().zip(marks.at()) {
            for found in driver.tally(game, &index, solved, Some(plane))? {
                let example = (found.example, second);
                let count = counts.entry(found.code).or_insert((0, 0, example));
                *count = (count.0 + found.positions, count.1 + found.numbers, count.2.min(example));
            }
        }
        let count = |(code, (positions, numbers, (example, second)))| {
            let turn = if second { Turn::Second } else { Turn::First };
            self.count(&index, code, positions, numbers, (example, turn))
        };
        Ok(counts.into_iter().filter_map(count).collect())
    }

    fn count(
        &self,
        index: &G::Index,
        code: Code,
        positions: u64,
        numbers: u64,
        (example, turn): (u64, Turn),
    ) -> Option<Count> {
        let game = self.tiers.game();
        let example = game.unrank(index, example).map(|p| game.show(turn, p));
        Some(Count { value: code.value()?, positions, twice_canonical: 2 * numbers, ply: None, example })
    }

    /// Marks what the marked positions of a tier reach, if the device can.
    fn follow(&self, tier: Tier, here: &dyn Reached, below: &[Marked]) -> Result<bool, EngineError> {
        let failed = |error: DeviceError| EngineError::Device { tier, reason: error.into() };
        let (game, size) = (self.tiers.game(), self.tiers.size(tier));
        let here: &Reach = own(here, tier)?;
        if !G::FORESEES || G::AGAIN || here.planes().is_none() {
            return Ok(false);
        }
        let driver = self.driver().map_err(failed)?;
        if driver.is_small(size) {
            return Ok(false);
        }
        let tiers = self.tiers.children(tier);
        let indexes: Vec<_> = tiers.iter().map(|child| self.tiers.index(*child)).collect();
        let marked = tiers.iter().zip(&indexes).zip(below);
        let marked = marked
            .map(|((child, index), marks)| Ok((&**index, self.tiers.size(*child), own(&**marks, *child)?)));
        let below = marked.collect::<Result<Vec<(_, _, &Reach)>, EngineError>>()?;
        let need = driver.following_bytes(size, below.iter().map(|(_, size, _)| *size));
        let _reserved = self.reserve(&*driver.device, need).map_err(failed)?;
        let job = Following { game, tier, index: &self.tiers.index(tier), here, below };
        driver.follow(&job).map_err(failed)
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

    fn discover(&self, tier: Tier, here: &dyn Reached, below: &[Marked]) -> bool {
        // A device that fails is told of when a tier is to be solved.
        self.follow(tier, here, below).unwrap_or(false)
    }

    fn tally(&self, tier: Tier, here: &dyn Reached, solved: &dyn Solved) -> Option<Tallied> {
        let resident = &own::<DeviceCodes<G>>(solved, tier).ok()?.resident;
        let failed = |error: DeviceError| EngineError::Device { tier, reason: error.into() };
        let Some(buffer) = resident.buffer() else {
            let codes = resident.codes().map_err(failed);
            return Some(codes.and_then(|codes| self.tiers.tally(tier, here, &*codes)));
        };
        let driver = self.driver.lock().unpoisoned().clone()?;
        let solved = Below { size: solved.entries(), width: solved.width(), codes: buffer };
        let counts = match here.everywhere() {
            Some(turns) => self.tally_all(&driver, tier, &solved, turns),
            None => self.tally_marked(&driver, tier, &solved, own::<Reach>(here, tier).ok()?),
        };
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
