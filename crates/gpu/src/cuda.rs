//! GPUs with CUDA. The driver's library and the compiler NVRTC are loaded at run time.
//!
//! This module alone has `unsafe` code: what is called here is foreign, and kernels get plain addresses.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream, DeviceRepr, DriverError, LaunchConfig, PushKernelArg, result, sys,
};
use cudarc::nvrtc::result::{self as nvrtc, NvrtcError};
use cudarc::nvrtc::{Ptx, sys as nvrtc_sys};

use crate::args::{Args, KERNELS, REACH_KERNELS};
use crate::device::{Device, DeviceError, DeviceInfo, Program};

/// Threads of a block; the kernels are compiled for no more.
const BLOCK: u32 = 256;

/// Threads that a multiprocessor has at a time.
const RESIDENT: u64 = 2048;

/// Files that a system has where a GPU and its driver are installed.
const SIGNS: [&str; 3] = ["/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"];

/// A GPU.
pub struct Cuda {
    context: Arc<CudaContext>,
    /// The stream of whichever thread uses it: what one thread starts runs in its order, and beside what other threads
    /// start.
    stream: Arc<CudaStream>,
    /// The driver's pool of memory, where the device has one. To take memory from the device itself takes long, and to
    /// give it back waits for all kernels.
    pool: Option<Pool>,
    threads: u64,
}

/// The driver's pool of a device's memory.
struct Pool(sys::CUmemoryPool);

#[expect(unsafe_code, reason = "a handle, which the driver takes from any thread")]
unsafe impl Send for Pool {}
#[expect(unsafe_code, reason = "a handle, which the driver takes from any thread")]
unsafe impl Sync for Pool {}

impl Pool {
    /// The pool of a device, which keeps what is given back.
    #[expect(unsafe_code, reason = "the driver writes a handle, and reads a number of 64 bits")]
    fn of(context: &CudaContext) -> Result<Option<Pool>, DeviceError> {
        let supported = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
        if context.attribute(supported).map_err(failed)? == 0 {
            return Ok(None);
        }
        let mut pool = std::ptr::null_mut();
        unsafe { sys::cuDeviceGetDefaultMemPool(&mut pool, context.cu_device()) }.result().map_err(failed)?;
        let mut keep = u64::MAX;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let set = unsafe { sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut keep).cast()) };
        set.result().map_err(failed)?;
        Ok(Some(Pool(pool)))
    }

    /// Bytes of the pool that nobody has taken.
    fn free(&self) -> Result<u64, DeviceError> {
        let reserved = self.get(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        Ok(reserved.saturating_sub(self.get(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?))
    }

    /// Gives what nobody has taken back to the device.
    #[expect(unsafe_code, reason = "the driver gives memory back that nobody has")]
    fn trim(&self) -> Result<(), DeviceError> {
        unsafe { sys::cuMemPoolTrimTo(self.0, 0) }.result().map_err(failed)
    }

    #[expect(unsafe_code, reason = "the driver writes a number of 64 bits")]
    fn get(&self, attribute: sys::CUmemPool_attribute) -> Result<u64, DeviceError> {
        let mut value = 0u64;
        let got = unsafe { sys::cuMemPoolGetAttribute(self.0, attribute, (&raw mut value).cast()) };
        got.result().map_err(failed)?;
        Ok(value)
    }
}

/// Whether this machine seems to have a GPU. This only looks at a few names of files, so that it costs next to nothing
/// where no GPU is wanted.
pub fn seems_present() -> bool {
    SIGNS.iter().any(|sign| std::path::Path::new(sign).exists())
}

/// The GPUs of this machine, in the order of the driver.
pub fn list() -> Result<Vec<DeviceInfo>, DeviceError> {
    (0..count()?).map(|number| Cuda::open(number)?.info()).collect()
}

/// The number of GPUs. Loads the driver's library.
fn count() -> Result<usize, DeviceError> {
    if !have_library() {
        return Err(DeviceError::Missing("the driver's library libcuda.so is not installed".into()));
    }
    // A library that is too old lacks functions, and the loader panics.
    let count = catch_unwind(CudaContext::device_count)
        .map_err(|_| DeviceError::Missing("the driver is too old for this program".into()))?;
    match count {
        Ok(0) => Err(DeviceError::Missing("the driver finds none".into())),
        Ok(count) => Ok(count.max(0) as usize),
        Err(error) => Err(DeviceError::Missing(words(error))),
    }
}

#[expect(unsafe_code, reason = "a library is loaded, which runs its initialisers; it is the GPU's driver")]
fn have_library() -> bool {
    unsafe { sys::is_culib_present() }
}

/// An error in words.
fn words(error: DriverError) -> String {
    let text = error.error_string().ok().map(|text| text.to_string_lossy().into_owned());
    text.unwrap_or_else(|| format!("{error:?}"))
}

fn failed(error: DriverError) -> DeviceError {
    DeviceError::Failed(words(error))
}

impl Cuda {
    /// Opens a GPU by its number.
    pub fn open(number: usize) -> Result<Cuda, DeviceError> {
        count()?;
        let context = CudaContext::new(number).map_err(|e| DeviceError::Missing(words(e)))?;
        let processors = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let processors = context.attribute(processors).map_err(failed)?;
        let (stream, pool) = (context.per_thread_stream(), Pool::of(&context)?);
        Ok(Cuda { context, stream, pool, threads: processors.max(1) as u64 * RESIDENT })
    }

    /// Has this thread speak to the GPU.
    fn bind(&self) -> Result<(), DeviceError> {
        self.context.bind_to_thread().map_err(failed)
    }
}

impl Device for Cuda {
    fn info(&self) -> Result<DeviceInfo, DeviceError> {
        let name = self.context.name().map_err(failed)?;
        let (free, memory) = self.context.mem_get_info().map_err(failed)?;
        let pooled = self.pool.as_ref().map_or(Ok(0), Pool::free)?;
        Ok(DeviceInfo { name, memory: memory as u64, free: free as u64 + pooled })
    }

    fn threads(&self) -> u64 {
        self.threads
    }

    #[expect(unsafe_code, reason = "memory of the device is taken: nothing here is read or written")]
    fn alloc(&self, bytes: u64) -> Result<u64, DeviceError> {
        self.bind()?;
        let take = || match self.pool {
            Some(_) => unsafe { result::malloc_async(self.stream.cu_stream(), bytes as usize) },
            None => unsafe { result::malloc_sync(bytes as usize) },
        };
        let taken = match (take(), &self.pool) {
            // What the pool keeps may be in pieces.
            (Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)), Some(pool)) => {
                self.context.synchronize().map_err(failed)?;
                pool.trim()?;
                take()
            }
            (taken, _) => taken,
        };
        match taken {
            Ok(at) => Ok(at),
            Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                let have = self.info().map_or(0, |info| info.free);
                Err(DeviceError::Memory { need: bytes, have })
            }
            Err(error) => Err(failed(error)),
        }
    }

    #[expect(unsafe_code, reason = "the address came from `alloc`, and its one owner gives it back")]
    fn release(&self, at: u64) {
        // After a failure of the device all its memory is lost, and nothing can be given back.
        let _ = self.bind().map(|()| match self.pool {
            Some(_) => unsafe { result::free_async(at, self.stream.cu_stream()) },
            None => unsafe { result::free_sync(at) },
        });
    }

    #[expect(unsafe_code, reason = "the caller owns as many bytes at that address")]
    fn upload(&self, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        // In the order of the stream: a copy that is not may still be on its way when a kernel starts.
        self.bind()?;
        unsafe { result::memcpy_htod_async(at, bytes, self.stream.cu_stream()) }.map_err(failed)?;
        self.wait()
    }

    #[expect(unsafe_code, reason = "the caller owns as many bytes at that address")]
    fn download(&self, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.bind()?;
        unsafe { result::memcpy_dtoh_async(bytes, at, self.stream.cu_stream()) }.map_err(failed)?;
        self.wait()
    }

    fn fetch(&self, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.download(at, bytes)
    }

    #[expect(unsafe_code, reason = "the caller owns as many bytes at that address")]
    fn clear(&self, at: u64, bytes: u64) -> Result<(), DeviceError> {
        self.bind()?;
        unsafe { result::memset_d8_async(at, 0, bytes as usize, self.stream.cu_stream()) }.map_err(failed)
    }

    fn compile(&self, source: &str) -> Result<Box<dyn Program>, DeviceError> {
        self.bind()?;
        let (major, minor) = self.context.compute_capability().map_err(failed)?;
        let module = self.context.load_module(compile(source, (major, minor))?).map_err(failed)?;
        let function = |name: &'static str| Ok((name, module.load_function(name).map_err(failed)?));
        let reach = REACH_KERNELS.into_iter().filter(|name| source.contains(&format!("KERNEL({name})")));
        let kernels = KERNELS.into_iter().chain(reach).map(function).collect::<Result<_, DeviceError>>()?;
        Ok(Box::new(CudaProgram { kernels, stream: self.stream.clone() }))
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.bind()?;
        self.stream.synchronize().map_err(failed)
    }
}

/// Compiles a program for GPUs of one kind. Warnings are errors: the compiler has had some where the values came out
/// wrong.
fn compile(source: &str, (major, minor): (i32, i32)) -> Result<Ptx, DeviceError> {
    let options =
        ["--std=c++17".into(), "-default-device".into(), format!("--gpu-architecture=sm_{major}{minor}")];
    let source = CString::new(source).map_err(|e| DeviceError::Program(e.to_string()))?;
    let compiled = catch_unwind(AssertUnwindSafe(|| compiled(&source, &options)));
    compiled.map_err(|_| DeviceError::Compiler("libnvrtc.so cannot be loaded".into()))?
}

#[expect(unsafe_code, reason = "the program is made here, used by nobody else, and removed here")]
fn compiled(source: &CStr, options: &[String]) -> Result<Ptx, DeviceError> {
    let failed = |error: NvrtcError| DeviceError::Program(format!("{error:?}"));
    let program = nvrtc::create_program(source, Some(c"zermelo.cu")).map_err(failed)?;
    let (compiled, log, code) = unsafe {
        let compiled = nvrtc::compile_program(program, options);
        (compiled, nvrtc::get_program_log(program), cubin(program))
    };
    let _ = unsafe { nvrtc::destroy_program(program) };
    let log: Vec<u8> = log.map_err(failed)?.into_iter().map(|c| c as u8).filter(|c| *c != 0).collect();
    let log = String::from_utf8_lossy(&log).trim().to_string();
    match compiled {
        Ok(()) if log.is_empty() => Ok(Ptx::from_binary(code?)),
        Ok(()) => Err(DeviceError::Program(log)),
        Err(error) if log.is_empty() => Err(failed(error)),
        Err(_) => Err(DeviceError::Program(log)),
    }
}

/// The machine code of a compiled program.
#[expect(unsafe_code, reason = "the buffer is as long as the compiler says that the code is")]
unsafe fn cubin(program: nvrtc_sys::nvrtcProgram) -> Result<Vec<u8>, DeviceError> {
    let failed = |error: NvrtcError| DeviceError::Program(format!("{error:?}"));
    let mut len = 0;
    unsafe { nvrtc_sys::nvrtcGetCUBINSize(program, &mut len) }.result().map_err(failed)?;
    let mut code = vec![0u8; len];
    unsafe { nvrtc_sys::nvrtcGetCUBIN(program, code.as_mut_ptr().cast()) }.result().map_err(failed)?;
    Ok(code)
}

/// Checks that a program compiles for a GPU of the generation of 2022. This needs the compiler NVRTC and no GPU.
pub fn check(source: &str) -> Result<(), DeviceError> {
    compile(source, (9, 0)).map(|_| ())
}

/// A program that is compiled and loaded.
struct CudaProgram {
    kernels: HashMap<&'static str, CudaFunction>,
    stream: Arc<CudaStream>,
}

#[expect(unsafe_code, reason = "plain numbers in the layout of C, which a kernel takes as they are")]
unsafe impl DeviceRepr for Args {}

impl Program for CudaProgram {
    #[expect(
        unsafe_code,
        reason = "the addresses in `args` are of buffers that live until the kernels are waited for"
    )]
    fn start(&self, kernel: &'static str, args: &Args, threads: u64) -> Result<(), DeviceError> {
        self.stream.context().bind_to_thread().map_err(failed)?;
        let blocks = threads.div_ceil(BLOCK.into()).clamp(1, i32::MAX as u64) as u32;
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        let kernel =
            self.kernels.get(kernel).ok_or_else(|| DeviceError::Program(format!("no kernel {kernel}")))?;
        unsafe { self.stream.launch_builder(kernel).arg(args).launch(config) }.map_err(failed)?;
        Ok(())
    }
}
