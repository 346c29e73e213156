//! `zermelo devices`: the GPUs that the engine gpu can use.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;
use zermelo::{GpuInfo, bytes};

use crate::args::Devices;

/// Lists the GPUs, or tells why there is none to use. That there is none is no error.
pub(crate) fn run(args: &Devices) -> anyhow::Result<ExitCode> {
    let found = zermelo::gpus();
    let mut out = std::io::stdout().lock();
    if args.json {
        let gpu =
            |gpu: &GpuInfo| json!({ "name": gpu.name, "memory_bytes": gpu.memory, "free_bytes": gpu.free });
        let (list, reason) = match &found {
            Ok(list) => (list.iter().map(gpu).collect(), None),
            Err(reason) => (vec![], Some(reason)),
        };
        writeln!(out, "{:#}", json!({ "devices": list, "reason": reason }))?;
        return Ok(ExitCode::SUCCESS);
    }
    match found {
        Ok(list) => {
            for (number, gpu) in list.iter().enumerate() {
                let [memory, free] = [gpu.memory, gpu.free].map(bytes);
                writeln!(out, "{number}  {}, {memory} of memory, {free} free", gpu.name)?;
            }
        }
        Err(reason) => writeln!(out, "No GPU to use: {reason}")?,
    }
    Ok(ExitCode::SUCCESS)
}
