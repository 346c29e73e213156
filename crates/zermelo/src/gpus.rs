//! The GPUs of this machine.

/// A GPU that the engine `gpu` can use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GpuInfo {
    /// The name that its maker gave it.
    pub name: String,
    /// Bytes of memory in all.
    pub memory: u64,
    /// Bytes of memory that are free.
    pub free: u64,
}

/// Lists the GPUs that the engine `gpu` can use, at least one; or says why there is none to use.
#[cfg(feature = "gpu")]
pub fn gpus() -> Result<Vec<GpuInfo>, String> {
    let list = zermelo_gpu::cuda::list().map_err(|error| error.to_string())?;
    let info = |gpu: zermelo_gpu::DeviceInfo| GpuInfo { name: gpu.name, memory: gpu.memory, free: gpu.free };
    Ok(list.into_iter().map(info).collect())
}

/// Lists the GPUs that the engine `gpu` can use: none, as this build has no such engine.
#[cfg(not(feature = "gpu"))]
pub fn gpus() -> Result<Vec<GpuInfo>, String> {
    Err("this build has no engine for GPUs; build the program with `cargo build --release --features gpu`"
        .into())
}
