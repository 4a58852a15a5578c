//! Emptying L2: reads of other memory push every line out, those that the last launch wrote as well.
//!
//! Lines that a kernel asked to keep (`evict_last`, `createpolicy`) outlive the reads; the driver makes them like all others
//! first.
//!
//! Writes would do it too, and leave L2 full of lines that go back to memory while the kernel runs: on an H200 12 µs for a
//! kernel that reads 287 MB. ncu leaves none either before it replays a kernel (`--cache-control all`).

use super::Gpu;
use super::arguments::Packed;
use super::error::driver;
use super::kernel::{Kernel, Shape};
use super::memory::Memory;
use crate::{Given, LaunchError, Program};
use cudarc::driver::sys::{self, CUresult};

/// How many times as much as L2 holds is read.
const TIMES: u64 = 4;
/// Smallest memory in bytes, where the driver does not tell the size of L2.
const LEAST: u64 = 256 << 20;
/// Threads of a block.
const BLOCK: u32 = 1024;
/// Blocks for each multiprocessor.
const BLOCKS: u32 = 2;

/// Memory that is read, and the kernel that reads it.
pub(super) struct Flush {
    kernel: Kernel,
    arguments: Vec<Packed>,
    bytes: u64,
    _memory: Memory,
}

impl Flush {
    /// As much memory as this device's L2 needs.
    pub(super) fn new(gpu: &Gpu) -> Result<Flush, LaunchError> {
        let bytes = match gpu.facts().l2_bytes {
            0 => LEAST,
            l2 => TIMES * l2,
        };
        let memory = Memory::new(bytes)?;
        memory.fill(0, gpu)?;
        let program = Program {
            input: "flush.ptx".into(),
            image: include_bytes!("flush.ptx").to_vec(),
            kernel: "flush".into(),
            parameters: Some(vec![8, 8]),
            code_sha256: String::new(),
        };
        let grid = [BLOCKS * gpu.facts().multiprocessors.max(1), 1, 1];
        let shape = Shape { grid, block: [BLOCK, 1, 1], cluster: None, dynamic_shared: 0 };
        let arguments = vec![Packed::Word(memory.pointer()), Packed::Word(bytes)];
        let given = ["at, pointer", "bytes, u64"].map(|what| Given { what: what.into(), bytes: 8 });
        let kernel = Kernel::load(gpu, &program, shape, &given)?;
        Ok(Flush { kernel, arguments, bytes, _memory: memory })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Queues the reads; nothing of the kernel may be running.
    pub(super) fn queue(&mut self, gpu: &Gpu) -> Result<(), LaunchError> {
        // SAFETY: the context of this thread is open.
        match unsafe { sys::cuCtxResetPersistingL2Cache() } {
            // Before compute capability 8.0 no line can be kept.
            CUresult::CUDA_ERROR_NOT_SUPPORTED => {}
            ended => ended.result().map_err(driver("resetting the lines that L2 keeps"))?,
        }
        self.kernel.launch(gpu, &mut self.arguments)
    }
}
