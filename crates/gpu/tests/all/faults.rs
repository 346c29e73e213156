//! Devices that are too small, that fail, or that are not there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use zermelo_core::{EngineError, Remoteness};
use zermelo_engines::Ranked;
use zermelo_games::Quixo;
use zermelo_gpu::args::Args;
use zermelo_gpu::{Device, DeviceError, DeviceInfo, Gpu, Program};

use crate::host::Host;
use crate::tables::{layout, solve};

const VARIANT: &str = "rows=3,cols=3,line=3";

/// A device that fails after so many kernels and copies.
struct Failing {
    host: Host,
    left: Arc<AtomicU64>,
}

fn count_down(left: &AtomicU64) -> Result<(), DeviceError> {
    match left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) {
        Ok(_) => Ok(()),
        Err(_) => Err(DeviceError::Failed("it fell off the bus".into())),
    }
}

struct FailingProgram(Box<dyn Program>, Arc<AtomicU64>);

impl Program for FailingProgram {
    fn start(&self, kernel: &'static str, args: &Args, threads: u64) -> Result<(), DeviceError> {
        count_down(&self.1)?;
        self.0.start(kernel, args, threads)
    }
}

impl Device for Failing {
    fn info(&self) -> Result<DeviceInfo, DeviceError> {
        self.host.info()
    }
    fn threads(&self) -> u64 {
        self.host.threads()
    }
    fn alloc(&self, bytes: u64) -> Result<u64, DeviceError> {
        self.host.alloc(bytes)
    }
    fn release(&self, at: u64) {
        self.host.release(at);
    }
    fn upload(&self, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        count_down(&self.left)?;
        self.host.upload(at, bytes)
    }
    fn download(&self, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        count_down(&self.left)?;
        self.host.download(at, bytes)
    }
    fn fetch(&self, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        count_down(&self.left)?;
        self.host.fetch(at, bytes)
    }
    fn clear(&self, at: u64, bytes: u64) -> Result<(), DeviceError> {
        self.host.clear(at, bytes)
    }
    fn compile(&self, source: &str) -> Result<Box<dyn Program>, DeviceError> {
        Ok(Box::new(FailingProgram(self.host.compile(source)?, self.left.clone())))
    }
    fn wait(&self) -> Result<(), DeviceError> {
        self.host.wait()
    }
}

fn tiers() -> Arc<Ranked<Quixo, Remoteness>> {
    layout(VARIANT)
}

#[test]
fn a_device_that_fails_at_any_moment_is_an_error() {
    let tiers = tiers();
    let mut failed = 0;
    for kernels in (0..3_000).step_by(89) {
        let left = Arc::new(AtomicU64::new(kernels));
        let device = Failing { host: Host::new(1 << 30, 2), left };
        match solve(&*tiers, &Gpu::over(&tiers, Some(Arc::new(device)))) {
            Err(EngineError::Device { reason, .. }) => {
                assert!(reason.to_string().contains("fell off the bus"), "{reason}");
                failed += 1;
            }
            Ok(_) => break,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(failed > 5, "{failed}");
}

#[test]
fn solved_tiers_make_room_on_a_small_device() {
    let tiers = tiers();
    let solved = |bytes| solve(&*tiers, &Gpu::over(&tiers, Some(Arc::new(Host::new(bytes, 3)))));
    let whole = solved(1 << 30).expect("room for all");
    let mut least = 1 << 20;
    // The smallest device that does, to a quarter.
    while let Ok(tables) = solved(least) {
        assert!(tables == whole);
        least -= least / 8;
    }
    let error = solved(least).expect_err("too small").to_string();
    assert!(error.contains("bytes of the GPU's memory are needed"), "{error}");
}

#[test]
fn a_machine_without_a_gpu_is_told_so() {
    if zermelo_gpu::cuda::seems_present() {
        return;
    }
    let tiers = tiers();
    let error = solve(&*tiers, &Gpu::over(&tiers, None)).expect_err("there is none").to_string();
    assert!(error.contains("no GPU can be used") && error.contains("--engine"), "{error}");
}
