//! Devices: whether there are any, what they are, and the one that is used.

use super::error::driver;
use crate::LaunchError;
use cudarc::driver::result::{self, device, primary_ctx, stream};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use launch_facts::DeviceFacts;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The oldest driver whose library has every function that is called: event times are read by one of CUDA 12.8.
const OLDEST_DRIVER: i32 = 12_080;

/// A device that is in use, with a stream on it.
#[derive(Debug)]
pub struct Gpu {
    device: sys::CUdevice,
    /// The one stream that everything is queued on.
    pub(super) stream: sys::CUstream,
    facts: DeviceFacts,
    bus: String,
}

/// Runs what calls the driver. The bindings panic where the driver lacks a function; that becomes an error here.
///
/// # Errors
/// Those of `work`, and [`LaunchError::Bindings`].
pub fn guarded<T>(work: impl FnOnce() -> Result<T, LaunchError>) -> Result<T, LaunchError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let said = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(LaunchError::Bindings { said: said.unwrap_or_else(|| "no message".to_owned()) })
    })
}

/// How many devices the driver sees, at least one, and which CUDA version it supports (`13000`).
fn probe() -> Result<(u32, i32), LaunchError> {
    // SAFETY: only looks whether the library can be opened.
    if !unsafe { sys::is_culib_present() } {
        return Err(LaunchError::NoLibrary);
    }
    match result::init() {
        Err(error) if error.0 == CUresult::CUDA_ERROR_NO_DEVICE => return Err(LaunchError::NoDevice),
        ended => ended.map_err(driver("starting the driver"))?,
    }
    let mut version = 0;
    // SAFETY: the pointer is to an int of ours.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(driver("reading the driver version"))?;
    if version < OLDEST_DRIVER {
        return Err(LaunchError::OldDriver { found: cuda_version(version) });
    }
    match device::get_count().map_err(driver("counting devices"))? {
        count if count > 0 => Ok((count.unsigned_abs(), version)),
        _ => Err(LaunchError::NoDevice),
    }
}

/// Every device that the driver sees, at least one.
///
/// # Errors
/// When there is no driver, no device, or the driver is too old.
pub fn devices() -> Result<Vec<DeviceFacts>, LaunchError> {
    guarded(|| {
        let (count, version) = probe()?;
        (0..count).map(|ordinal| facts(get(ordinal)?, version)).collect()
    })
}

impl Gpu {
    /// Opens a device, counted from 0, and makes it the one that this thread uses.
    ///
    /// # Errors
    /// When there is no driver, no such device, or the driver is too old.
    pub fn open(ordinal: u32) -> Result<Gpu, LaunchError> {
        let (count, version) = probe()?;
        if ordinal >= count {
            return Err(LaunchError::NoSuchDevice { asked: ordinal, count });
        }
        let device = get(ordinal)?;
        let facts = facts(device, version)?;
        // SAFETY: the device is from the driver.
        let context = unsafe { primary_ctx::retain(device) }.map_err(driver("opening the device"))?;
        // SAFETY: the context was just given out and stays until `drop`.
        unsafe { result::ctx::set_current(context) }.map_err(driver("opening the device"))?;
        let stream = stream::create(stream::StreamKind::Default).map_err(driver("creating a stream"))?;
        Ok(Gpu { device, stream, facts, bus: bus(device)? })
    }

    /// What it is.
    pub fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    /// Its place on the PCI bus, by which nvidia-smi finds it: `0000:19:00.0`.
    pub fn bus(&self) -> &str {
        &self.bus
    }

    /// Most bytes that its memory moves in a second: both edges of the memory clock over the width of the bus. `None` where
    /// the driver tells neither.
    pub(super) fn bytes_per_second(&self) -> Option<f64> {
        let khz = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?;
        let bits = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?;
        Some(2.0 * khz * 1e3 * bits / 8.0)
    }

    /// Most cycles of all its multiprocessors in a second.
    pub(super) fn cycles_per_second(&self) -> Option<f64> {
        let khz = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?;
        Some(khz * 1e3 * f64::from(self.facts.multiprocessors))
    }

    /// A number that is no zero.
    fn attribute(&self, attribute: Attribute) -> Option<f64> {
        // SAFETY: the device is from the driver.
        let found = unsafe { device::get_attribute(self.device, attribute) }.ok()?;
        (found > 0).then(|| f64::from(found))
    }

    /// Waits for everything that was queued; `doing` is named where one of it failed.
    pub(super) fn wait(&self, doing: &str) -> Result<(), LaunchError> {
        // SAFETY: the stream lives as long as `self`.
        unsafe { stream::synchronize(self.stream) }.map_err(driver(doing))
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // After a fault of a kernel both fail too, and the process's end cleans up.
        // SAFETY: stream and context were made by `open` and are used by nobody else.
        unsafe {
            let _ = stream::destroy(self.stream);
            let _ = primary_ctx::release(self.device);
        }
    }
}

fn get(ordinal: u32) -> Result<sys::CUdevice, LaunchError> {
    device::get(ordinal.cast_signed()).map_err(driver("finding the device"))
}

fn facts(of: sys::CUdevice, version: i32) -> Result<DeviceFacts, LaunchError> {
    // SAFETY: the device is from the driver.
    let ask = |attribute| unsafe { device::get_attribute(of, attribute) }.map_err(driver("reading device attributes"));
    let number = |attribute| Ok::<u32, LaunchError>(ask(attribute)?.unsigned_abs());
    let (major, minor) = (
        ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    );
    Ok(DeviceFacts {
        name: device::get_name(of).map_err(driver("reading the device's name"))?,
        compute_capability: format!("{major}.{minor}"),
        driver_cuda: cuda_version(version),
        multiprocessors: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        // SAFETY: as above.
        memory_bytes: unsafe { device::total_mem(of) }.map_err(driver("reading the device's memory"))? as u64,
        l2_bytes: number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        shared_bytes_per_block: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?.into(),
        shared_bytes_per_multiprocessor: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?
            .into(),
        registers_per_multiprocessor: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        threads_per_multiprocessor: number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        ecc: number(Attribute::CU_DEVICE_ATTRIBUTE_ECC_ENABLED)? != 0,
    })
}

fn bus(of: sys::CUdevice) -> Result<String, LaunchError> {
    let mut text = [0u8; 32];
    // SAFETY: the buffer is ours and its length is told.
    let asked = unsafe { sys::cuDeviceGetPCIBusId(text.as_mut_ptr().cast(), text.len() as i32, of) };
    asked.result().map_err(driver("reading the device's PCI address"))?;
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    Ok(String::from_utf8_lossy(&text[..end]).into_owned())
}

/// `13000` as `13.0`.
fn cuda_version(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}
