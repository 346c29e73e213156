//! Engines that solve tiers on a GPU.
//!
//! A device program is put together at run time ([`source`]) from three texts: the kernels of this crate
//! (`kernels/*.cu`), the header of a game ([`DeviceRules`](zermelo_core::DeviceRules)), and the constants of a variant.
//! NVRTC compiles it for the GPU at hand ([`cuda`]). In tests the C++ compiler compiles the same text for the processor
//! instead, so that they run every kernel on any machine.
//!
//! [`Gpu`] is an engine like any other. Nothing here is linked with CUDA: its libraries are loaded when they are first
//! needed, and a machine without them gets an error that says so.

pub mod args;
pub mod cuda;
mod device;
mod driver;
mod engine;
mod marks;
mod resident;
pub mod source;

pub use device::{Device, DeviceError, DeviceInfo, Program};
pub use engine::Gpu;
