//! The processor as a device: the text of a device program, compiled by the C++ compiler of this machine. It runs
//! the same kernels as a GPU, one thread after another, with warnings as errors.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use libloading::{Library, Symbol};
use zermelo_core::Unpoisoned;
use zermelo_gpu::args::Args;
use zermelo_gpu::{Device, DeviceError, DeviceInfo, Program};

/// Warnings that are errors, like those of the compiler for GPUs.
const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wshadow", "-Wno-unused-function", "-Werror"];

/// The processor as a device with a limited memory.
pub(crate) struct Host {
    memory: Mutex<BTreeMap<u64, Vec<u128>>>,
    most: u64,
    threads: u64,
}

impl Host {
    /// A device with so many bytes of memory, whose kernels run on so many threads, one after another.
    pub(crate) fn new(most: u64, threads: u64) -> Host {
        Host { memory: Mutex::default(), most, threads }
    }

    /// Calls `each` with the bytes from an address on.
    fn at<T>(&self, at: u64, len: usize, each: impl FnOnce(&mut [u8]) -> T) -> Result<T, DeviceError> {
        let mut memory = self.memory.lock().unpoisoned();
        let found = memory.range_mut(..=at).next_back().and_then(|(first, block)| {
            let from = (at - first) as usize;
            bytemuck::cast_slice_mut::<u128, u8>(block).get_mut(from..from + len)
        });
        found.map(each).ok_or_else(|| DeviceError::Failed(format!("no {len} bytes at {at:x}")))
    }

    fn taken(&self) -> u64 {
        self.memory.lock().unpoisoned().values().map(|block| 16 * block.len() as u64).sum()
    }
}

impl Device for Host {
    fn info(&self) -> Result<DeviceInfo, DeviceError> {
        let free = self.most.saturating_sub(self.taken());
        Ok(DeviceInfo { name: "the processor".into(), memory: self.most, free })
    }

    fn threads(&self) -> u64 {
        self.threads
    }

    fn alloc(&self, bytes: u64) -> Result<u64, DeviceError> {
        let have = self.most.saturating_sub(self.taken());
        if bytes > have {
            return Err(DeviceError::Memory { need: bytes, have });
        }
        // Not zeros: a kernel that reads what it has not written is to be noticed.
        let mut block = vec![0x5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5au128; bytes.div_ceil(16) as usize];
        let at = block.as_mut_ptr() as u64;
        self.memory.lock().unpoisoned().insert(at, block);
        Ok(at)
    }

    fn release(&self, at: u64) {
        self.memory.lock().unpoisoned().remove(&at);
    }

    fn upload(&self, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.at(at, bytes.len(), |to| to.copy_from_slice(bytes))
    }

    fn download(&self, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.at(at, bytes.len(), |from| bytes.copy_from_slice(from))
    }

    fn fetch(&self, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.download(at, bytes)
    }

    fn clear(&self, at: u64, bytes: u64) -> Result<(), DeviceError> {
        self.at(at, bytes as usize, |to| to.fill(0))
    }

    /// A text is compiled once for all devices of a process.
    fn compile(&self, source: &str) -> Result<Box<dyn Program>, DeviceError> {
        static COMPILED: Mutex<BTreeMap<String, Arc<Library>>> = Mutex::new(BTreeMap::new());
        let mut compiled = COMPILED.lock().unpoisoned();
        let library = match compiled.get(source) {
            Some(library) => library.clone(),
            None => {
                let library = Arc::new(library_of(source)?);
                compiled.insert(source.into(), library.clone());
                library
            }
        };
        Ok(Box::new(HostProgram(library)))
    }

    fn wait(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// Compiles a text into a library, and loads it.
fn library_of(source: &str) -> Result<Library, DeviceError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let failed = |what: String| DeviceError::Program(what);
    let name = format!("zermelo-device-{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed));
    // The system keeps a library that is loaded when its file is gone.
    let folder = Folder(std::env::temp_dir().join(name));
    let (text, library) = (folder.0.join("program.cpp"), folder.0.join("program.so"));
    std::fs::create_dir_all(&folder.0).map_err(|e| failed(e.to_string()))?;
    std::fs::write(&text, source).map_err(|e| failed(e.to_string()))?;
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++17", "-O2", "-shared", "-fPIC"]).args(WARNINGS).arg("-o").args([&library, &text]);
    let output = compiler.output().map_err(|e| DeviceError::Compiler(format!("c++: {e}")))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    open(&library)
}

#[expect(
    unsafe_code,
    reason = "the library was compiled just now, from kernels alone: it has no initialisers"
)]
fn open(library: &PathBuf) -> Result<Library, DeviceError> {
    unsafe { Library::new(library) }.map_err(|e| DeviceError::Program(e.to_string()))
}

/// A folder that is removed when nobody needs it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A compiled program, as a library that is loaded.
struct HostProgram(Arc<Library>);

impl Program for HostProgram {
    #[expect(
        unsafe_code,
        reason = "kernels have this type, and the addresses in `args` are of blocks of `Host`"
    )]
    fn start(&self, kernel: &'static str, args: &Args, threads: u64) -> Result<(), DeviceError> {
        let run: Result<Symbol<'_, unsafe extern "C" fn(*const Args, u64)>, _> =
            unsafe { self.0.get(kernel.as_bytes()) };
        let run = run.map_err(|e| DeviceError::Program(e.to_string()))?;
        unsafe { run(args, threads.max(1)) };
        Ok(())
    }
}
