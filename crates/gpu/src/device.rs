//! A device that kernels run on, and its memory.

use std::sync::Arc;

use crate::args::Args;

/// A device with memory of its own. What one thread starts runs in its order, beside what other threads start. Memory is
/// handed to another thread after a [`wait`](Device::wait).
pub trait Device: Send + Sync {
    /// The name and the size of the device.
    fn info(&self) -> Result<DeviceInfo, DeviceError>;
    /// The number of threads that keep the device busy.
    fn threads(&self) -> u64;
    /// Takes memory, whose contents may be anything, and returns its address.
    fn alloc(&self, bytes: u64) -> Result<u64, DeviceError>;
    /// Gives memory back.
    fn release(&self, at: u64);
    /// Copies bytes to an address, after the kernels that were started before.
    fn upload(&self, at: u64, bytes: &[u8]) -> Result<(), DeviceError>;
    /// Copies bytes from an address, after the kernels that were started before.
    fn download(&self, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;
    /// Copies bytes that no kernel writes any more from an address, beside the kernels that other threads started.
    fn fetch(&self, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;
    /// Fills memory with zeros, in turn with kernels.
    fn clear(&self, at: u64, bytes: u64) -> Result<(), DeviceError>;
    /// Compiles a program.
    fn compile(&self, source: &str) -> Result<Box<dyn Program>, DeviceError>;
    /// Waits for all kernels that this thread started.
    fn wait(&self) -> Result<(), DeviceError>;
}

/// A compiled program.
pub trait Program: Send + Sync {
    /// Starts a kernel on so many threads, or somewhat more. Kernels of one thread run one after another.
    fn start(&self, kernel: &'static str, args: &Args, threads: u64) -> Result<(), DeviceError>;
}

/// What a device is called, and how much memory it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The name that its maker gave it.
    pub name: String,
    /// Bytes of memory in all.
    pub memory: u64,
    /// Bytes of memory that are free.
    pub free: u64,
}

/// Why a device did not do its work.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no device, or no driver for it.
    #[error("no GPU can be used: {0}")]
    Missing(String),
    /// The compiler of device programs is missing.
    #[error(
        "the compiler for the GPU, NVRTC, is missing: {0}; install it (it is part of CUDA), or add the folder of \
         libnvrtc.so to LD_LIBRARY_PATH"
    )]
    Compiler(String),
    /// A program does not compile.
    #[error("the program for the GPU does not compile: {0}")]
    Program(String),
    /// The memory of the device does not hold what is needed at once.
    #[error(
        "{need} bytes of the GPU's memory are needed and {have} can be had; solve a smaller variant, or raise --device-memory if it is set"
    )]
    Memory {
        /// Bytes that are needed.
        need: u64,
        /// Bytes that there are.
        have: u64,
    },
    /// The device failed.
    #[error("the GPU failed: {0}")]
    Failed(String),
}

/// Memory of a device, which is given back when this is dropped.
pub(crate) struct Buffer {
    device: Arc<dyn Device>,
    at: u64,
    bytes: u64,
}

impl Buffer {
    /// Takes so many bytes, and some more at the end that a kernel may read together with the last ones.
    pub(crate) fn new(device: &Arc<dyn Device>, bytes: u64) -> Result<Buffer, DeviceError> {
        const PAD: u64 = 64;
        let at = device.alloc(bytes + PAD)?;
        Ok(Buffer { device: device.clone(), at, bytes })
    }

    /// Takes memory for some bytes, and copies them there.
    pub(crate) fn of(device: &Arc<dyn Device>, bytes: &[u8]) -> Result<Buffer, DeviceError> {
        let buffer = Buffer::new(device, bytes.len() as u64)?;
        if !bytes.is_empty() {
            device.upload(buffer.at, bytes)?;
        }
        Ok(buffer)
    }

    /// Takes memory that is all zeros.
    pub(crate) fn zeros(device: &Arc<dyn Device>, bytes: u64) -> Result<Buffer, DeviceError> {
        let buffer = Buffer::new(device, bytes)?;
        device.clear(buffer.at, bytes)?;
        Ok(buffer)
    }

    /// The address.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Copies bytes from a place on.
    pub(crate) fn read(&self, from: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        debug_assert!(from + out.len() as u64 <= self.bytes);
        self.device.download(self.at + from, out)
    }
}

impl Buffer {
    /// Copies bytes that no kernel writes any more.
    pub(crate) fn fetch(&self, from: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        debug_assert!(from + out.len() as u64 <= self.bytes);
        self.device.fetch(self.at + from, out)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.release(self.at);
    }
}
