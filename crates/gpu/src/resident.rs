//! A solved tier that stays in the memory of a device, for the tiers above.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use zermelo_core::{DeviceRules, Reason, Remoteness, Solved, Unpoisoned, Width};
use zermelo_engines::Codes;

use crate::device::{Buffer, DeviceError};

/// Codes that are read from the device at a time where only few are wanted.
const FEW: u64 = 1 << 16;

/// The codes of a solved tier: on the device, or in the memory of the host once the device had no room for them.
pub(crate) struct Resident<G> {
    pub(crate) size: u64,
    pub(crate) positions: u64,
    pub(crate) width: Width,
    place: Mutex<Place<G>>,
}

/// Where codes are.
enum Place<G> {
    Device(Arc<Buffer>),
    Host(Arc<Codes<G, Remoteness>>),
}

impl<G: DeviceRules> Resident<G> {
    /// Codes that a kernel wrote.
    pub(crate) fn new(buffer: Buffer, size: u64, positions: u64, width: Width) -> Resident<G> {
        Resident { size, positions, width, place: Mutex::new(Place::Device(Arc::new(buffer))) }
    }

    /// The codes on the device, if they are there.
    pub(crate) fn buffer(&self) -> Option<Arc<Buffer>> {
        match &*self.place.lock().unpoisoned() {
            Place::Device(buffer) => Some(buffer.clone()),
            Place::Host(_) => None,
        }
    }

    /// All codes in the memory of the host. They stay on the device, too.
    pub(crate) fn codes(&self) -> Result<Arc<Codes<G, Remoteness>>, DeviceError> {
        let buffer = match &*self.place.lock().unpoisoned() {
            Place::Device(buffer) => buffer.clone(),
            Place::Host(codes) => return Ok(codes.clone()),
        };
        Codes::filled(self.width, self.size, self.positions, |bytes| buffer.read(0, bytes))
    }

    /// Moves the codes from the device to the host, unless somebody works with them now. Returns whether the device has
    /// more room.
    pub(crate) fn leave(&self) -> Result<bool, DeviceError> {
        match &*self.place.lock().unpoisoned() {
            Place::Device(buffer) if Arc::strong_count(buffer) == 1 => {}
            _ => return Ok(false),
        }
        let codes = self.codes()?;
        *self.place.lock().unpoisoned() = Place::Host(codes);
        Ok(true)
    }

    /// A few codes, in a list with no others.
    fn some(&self, range: Range<u64>) -> Result<Arc<Codes<G, Remoteness>>, DeviceError> {
        let Some(buffer) = self.buffer() else { return self.codes() };
        let from = range.start * self.width.bytes() as u64;
        Codes::filled(self.width, range.end - range.start, 0, |bytes| buffer.read(from, bytes))
    }
}

/// A solved tier as the coordinator has it.
pub(crate) struct DeviceCodes<G> {
    pub(crate) resident: Arc<Resident<G>>,
    /// A copy in the memory of the host, made when the table is stored.
    host: OnceLock<Arc<Codes<G, Remoteness>>>,
}

impl<G: DeviceRules> DeviceCodes<G> {
    pub(crate) fn new(resident: Arc<Resident<G>>) -> DeviceCodes<G> {
        DeviceCodes { resident, host: OnceLock::new() }
    }

    /// The copy in the memory of the host.
    fn copy(&self) -> Result<&Arc<Codes<G, Remoteness>>, DeviceError> {
        if self.host.get().is_none() {
            // Two threads may copy at once, which does no harm.
            let codes = self.resident.codes()?;
            let _ = self.host.set(codes);
        }
        self.host.get().ok_or_else(|| DeviceError::Failed("a copy was lost".into()))
    }
}

impl<G: DeviceRules> Solved for DeviceCodes<G> {
    fn entries(&self) -> u64 {
        self.resident.size
    }

    fn positions(&self) -> u64 {
        self.resident.positions
    }

    fn width(&self) -> Width {
        self.resident.width
    }

    fn bytes(&self) -> u64 {
        self.resident.size * self.resident.width.bytes() as u64
    }

    fn write(&self, range: Range<u64>, out: &mut Vec<u8>) {
        let len = range.end - range.start;
        let codes = match self.host.get() {
            Some(codes) => Ok(codes.clone()),
            None if len <= FEW => self.resident.some(range.clone()),
            None => self.copy().cloned(),
        };
        match codes {
            Ok(codes) if codes.entries() == self.resident.size => codes.write(range, out),
            Ok(codes) => codes.write(0..len, out),
            // `bring` has told of a device that fails; who did not ask reads codes that nobody knows.
            Err(_) => out.extend((0..len * self.resident.width.bytes() as u64).map(|_| u8::MAX)),
        }
    }

    fn bring(&self) -> Result<(), Reason> {
        self.copy().map(|_| ()).map_err(Reason::from)
    }

    fn trimmed(&self) -> Option<Arc<dyn Solved>> {
        Some(Arc::new(DeviceCodes::new(self.resident.clone())))
    }
}
