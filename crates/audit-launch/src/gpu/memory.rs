//! Device memory.

use super::Gpu;
use super::error::driver;
use crate::LaunchError;
use cudarc::driver::{result, sys};

/// A piece of device memory that is given back when dropped.
#[derive(Debug)]
pub(super) struct Memory {
    pointer: sys::CUdeviceptr,
    bytes: usize,
}

impl Memory {
    /// Memory of that many bytes, at least one; nothing is written to it.
    pub(super) fn new(bytes: u64) -> Result<Memory, LaunchError> {
        let bytes = bytes.max(1) as usize;
        // SAFETY: a device is open on this thread; nobody reads before something is written.
        let pointer = unsafe { result::malloc_sync(bytes) }.map_err(driver("allocating device memory"))?;
        Ok(Memory { pointer, bytes })
    }

    /// A copy of some bytes.
    pub(super) fn of(bytes: &[u8]) -> Result<Memory, LaunchError> {
        let memory = Memory::new(bytes.len() as u64)?;
        memory.upload(bytes)?;
        Ok(memory)
    }

    pub(super) fn pointer(&self) -> u64 {
        self.pointer
    }

    /// Copies bytes to its start and waits for it.
    pub(super) fn upload(&self, bytes: &[u8]) -> Result<(), LaunchError> {
        let bytes = &bytes[..bytes.len().min(self.bytes)];
        // SAFETY: the memory holds at least as many bytes.
        unsafe { result::memcpy_htod_sync(self.pointer, bytes) }.map_err(driver("copying to the device"))
    }

    /// Everything it holds, after all that was queued.
    pub(super) fn download(&self, gpu: &Gpu) -> Result<Vec<u8>, LaunchError> {
        read(gpu, self.pointer, self.bytes)
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn fill(&self, byte: u8, gpu: &Gpu) -> Result<(), LaunchError> {
        // SAFETY: the memory holds that many bytes and outlives the stream's work: dropping it waits.
        unsafe { result::memset_d8_async(self.pointer, byte, self.bytes, gpu.stream) }
            .map_err(driver("filling device memory"))
    }

    /// Queues a copy of another piece of the same size.
    pub(super) fn copy(&self, from: &Memory, gpu: &Gpu) -> Result<(), LaunchError> {
        let bytes = self.bytes.min(from.bytes);
        // SAFETY: both hold that many bytes.
        unsafe { result::memcpy_dtod_async(self.pointer, from.pointer, bytes, gpu.stream) }
            .map_err(driver("copying on the device"))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // After a fault of a kernel this fails too, and the process's end gives the memory back.
        // SAFETY: the pointer is from `malloc_sync` and given back once; the driver waits for what still uses it.
        let _ = unsafe { result::free_sync(self.pointer) };
    }
}

/// What so many bytes of device memory that is alive hold after all that was queued.
pub(super) fn read(gpu: &Gpu, pointer: u64, bytes: usize) -> Result<Vec<u8>, LaunchError> {
    gpu.wait("running the kernel")?;
    let mut all = vec![0; bytes];
    // SAFETY: the vector is as long as what is read.
    unsafe { result::memcpy_dtoh_sync(&mut all, pointer) }.map_err(driver("copying from the device"))?;
    Ok(all)
}

/// Free device memory in bytes.
pub(super) fn free() -> Result<u64, LaunchError> {
    Ok(result::mem_get_info().map_err(driver("reading free device memory"))?.0 as u64)
}
