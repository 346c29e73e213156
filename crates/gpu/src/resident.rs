//! A solved tier that stays in the memory of a device, for the tiers above.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use zermelo_core::{DeviceRules, Reason, Remoteness, Solved, Unpoisoned, Width};
use zermelo_engines::Codes;

use crate::device::{Buffer, Device, DeviceError};

/// Codes that are copied from the device at a time while a table is stored.
const WINDOW: u64 = 1 << 22;
/// Windows that are kept for the threads that store a table.
const WINDOWS: usize = 64;
/// Codes that are copied by themselves where no more are wanted.
const FEW: u64 = 1 << 10;

/// Bytes of the host that storing a table takes.
pub(crate) const STORING: u64 = 2 * WINDOW * WINDOWS as u64;

/// The codes of a solved tier: on the device, or in the memory of the host once the device had no room for them.
pub(crate) struct Resident<G> {
    pub(crate) size: u64,
    pub(crate) positions: u64,
    pub(crate) width: Width,
    place: Mutex<Place<G>>,
}

/// A list of codes in the memory of the host.
type HostCodes<G> = Arc<Codes<G, Remoteness>>;

/// Where codes are.
enum Place<G> {
    Device(Arc<Buffer>),
    Host(HostCodes<G>),
    Both(HostCodes<G>, Arc<Buffer>),
}

impl<G: DeviceRules> Resident<G> {
    /// Codes that a kernel wrote, which has ended.
    pub(crate) fn new(buffer: Buffer, size: u64, positions: u64, width: Width) -> Resident<G> {
        Resident { size, positions, width, place: Mutex::new(Place::Device(Arc::new(buffer))) }
    }

    /// Codes of a table, in the memory of the host until a tier above wants them.
    pub(crate) fn loaded(codes: HostCodes<G>) -> Resident<G> {
        let (size, positions, width) = (codes.entries(), codes.positions(), codes.width());
        Resident { size, positions, width, place: Mutex::new(Place::Host(codes)) }
    }

    /// The codes on the device, if they are there.
    pub(crate) fn buffer(&self) -> Option<Arc<Buffer>> {
        match &*self.place.lock().unpoisoned() {
            Place::Device(buffer) | Place::Both(_, buffer) => Some(buffer.clone()),
            Place::Host(_) => None,
        }
    }

    /// The codes on the device, which are brought there if they are not. They stay there until they [leave](Self::leave).
    pub(crate) fn brought(&self, device: &Arc<dyn Device>) -> Result<Arc<Buffer>, DeviceError> {
        let mut place = self.place.lock().unpoisoned();
        let codes = match &*place {
            Place::Device(buffer) | Place::Both(_, buffer) => return Ok(buffer.clone()),
            Place::Host(codes) => codes.clone(),
        };
        let buffer = uploaded(device, &codes)?;
        *place = Place::Both(codes, buffer.clone());
        Ok(buffer)
    }

    /// All codes in the memory of the host. They stay on the device, too.
    pub(crate) fn codes(&self) -> Result<HostCodes<G>, DeviceError> {
        let buffer = match &*self.place.lock().unpoisoned() {
            Place::Device(buffer) => buffer.clone(),
            Place::Host(codes) | Place::Both(codes, _) => return Ok(codes.clone()),
        };
        Codes::filled(self.width, self.size, self.positions, |bytes| buffer.fetch(0, bytes))
    }

    /// Moves the codes from the device to the host, unless somebody works with them now. Returns whether the device has
    /// more room.
    pub(crate) fn leave(&self) -> Result<bool, DeviceError> {
        match &*self.place.lock().unpoisoned() {
            Place::Device(buffer) | Place::Both(_, buffer) if Arc::strong_count(buffer) == 1 => {}
            _ => return Ok(false),
        }
        let codes = self.codes()?;
        *self.place.lock().unpoisoned() = Place::Host(codes);
        Ok(true)
    }

    /// The codes of a range in a list, and the number of the first code in the list.
    fn some(&self, range: Range<u64>) -> Result<(u64, HostCodes<G>), DeviceError> {
        let buffer = match &*self.place.lock().unpoisoned() {
            Place::Device(buffer) => buffer.clone(),
            Place::Host(codes) | Place::Both(codes, _) => return Ok((0, codes.clone())),
        };
        let from = range.start * self.width.bytes() as u64;
        let codes = Codes::filled(self.width, range.end - range.start, 0, |bytes| buffer.fetch(from, bytes))?;
        Ok((range.start, codes))
    }
}

/// Copies codes to the device.
pub(crate) fn uploaded<G: DeviceRules>(
    device: &Arc<dyn Device>,
    codes: &Codes<G, Remoteness>,
) -> Result<Arc<Buffer>, DeviceError> {
    let buffer = Buffer::new(device, codes.entries() * codes.width().bytes() as u64)?;
    let mut at = buffer.at();
    codes.bytes_by_piece(|bytes| {
        device.upload(at, bytes)?;
        at += bytes.len() as u64;
        Ok(())
    })?;
    Ok(Arc::new(buffer))
}

/// A solved tier as the coordinator has it.
pub(crate) struct DeviceCodes<G> {
    pub(crate) resident: Arc<Resident<G>>,
    /// Copies of parts that were wanted lately, the last one at the end.
    windows: Mutex<VecDeque<(u64, Arc<Window<G>>)>>,
    /// The first failure of the device to give codes.
    fault: OnceLock<DeviceError>,
}

/// A part of a tier's codes, copied once by the first thread that wants it.
type Window<G> = OnceLock<Result<(u64, HostCodes<G>), DeviceError>>;

impl<G: DeviceRules> DeviceCodes<G> {
    pub(crate) fn new(resident: Arc<Resident<G>>) -> DeviceCodes<G> {
        DeviceCodes { resident, windows: Mutex::default(), fault: OnceLock::new() }
    }

    /// The window that begins at a number.
    fn window(&self, first: u64) -> Arc<Window<G>> {
        let mut windows = self.windows.lock().unpoisoned();
        if let Some((_, window)) = windows.iter().find(|(at, _)| *at == first) {
            return window.clone();
        }
        if windows.len() >= WINDOWS {
            windows.pop_front();
        }
        let window = Arc::new(OnceLock::new());
        windows.push_back((first, window.clone()));
        window
    }

    /// Writes codes that lie in one window.
    fn write_within(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), DeviceError> {
        let window;
        let found = if range.end - range.start <= FEW {
            &self.resident.some(range.clone())
        } else {
            let first = range.start / WINDOW * WINDOW;
            window = self.window(first);
            window.get_or_init(|| self.resident.some(first..self.resident.size.min(first + WINDOW)))
        };
        let (first, codes) = found.as_ref().map_err(DeviceError::clone)?;
        codes.write(range.start - first..range.end - first, out);
        Ok(())
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
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min((start / WINDOW + 1) * WINDOW);
            if let Err(error) = self.write_within(start..end, out) {
                let _ = self.fault.set(error);
                out.resize(out.len() + (end - start) as usize * self.resident.width.bytes(), u8::MAX);
            }
            start = end;
        }
    }

    fn written(&self) -> Result<(), Reason> {
        self.fault.get().map_or(Ok(()), |error| Err(error.clone().into()))
    }

    fn trimmed(&self) -> Option<Arc<dyn Solved>> {
        Some(Arc::new(DeviceCodes::new(self.resident.clone())))
    }
}
