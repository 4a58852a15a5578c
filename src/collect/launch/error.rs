//! What can go wrong between a plan and a finished launch.

use std::path::PathBuf;

/// Why a kernel was not launched, or what the launch ended with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LaunchError {
    /// No driver.
    #[error(
        "there is no NVIDIA driver here: libcuda.so was not found\n  help: run this on a machine with an NVIDIA GPU and its driver; `audit generate` reads what was collected elsewhere"
    )]
    NoLibrary,
    /// A driver without a device.
    #[error(
        "the NVIDIA driver is here, but it sees no GPU\n  help: check `nvidia-smi`, CUDA_VISIBLE_DEVICES, and the container's or the scheduler's GPU request"
    )]
    NoDevice,
    /// The driver is older than the calls that are needed.
    #[error("the NVIDIA driver supports CUDA {found}; expected 12.8 or later\n  help: update the driver")]
    OldDriver {
        /// `12.4`.
        found: String,
    },
    /// There are not that many devices.
    #[error("there is no device {asked}: the driver sees {count}\n  help: devices count from 0")]
    NoSuchDevice { asked: u32, count: u32 },
    /// The driver refused or reported a fault.
    #[error("{doing} failed: {name} ({meaning}){cure}")]
    Driver {
        doing: String,
        name: String,
        meaning: String,
        /// What to do, after a line break; may be empty.
        cure: String,
    },
    /// cuBLASLt is not here.
    #[error(
        "cuBLASLt was not found\n  help: install the CUDA toolkit's libraries, put the folder of libcublasLt.so on LD_LIBRARY_PATH, or drop [subject.reference]"
    )]
    NoCublasLt,
    /// cuBLASLt refused.
    #[error("{doing} failed: {status}{cure}")]
    CublasLt {
        doing: String,
        status: String,
        /// What to do, after a line break; may be empty.
        cure: String,
    },
    /// A function that the driver does not have, or a fault in the bindings.
    #[error("the driver's library did not do what its bindings expect: {said}\n  help: update the driver")]
    Bindings { said: String },
    /// Arguments and parameters differ.
    #[error(
        "the kernel {kernel} takes {parameters} parameters, audit.toml gives {given} arguments\n{rows}\n  help: correct `args` under [subject.launch]"
    )]
    Arguments { kernel: String, parameters: usize, given: usize, rows: String },
    /// The plan asks for more than the device or the kernel allows.
    #[error("the launch asks for {asked}, {limiter} allows {allowed}\n  help: correct {key} under [subject.launch]")]
    Beyond {
        /// `block of 2048 threads`.
        asked: String,
        limiter: String,
        allowed: String,
        key: &'static str,
    },
    /// Not enough device memory.
    #[error(
        "the buffers take {asked} bytes, the device has {free} bytes free\n  help: smaller shapes, or a device with no other users"
    )]
    Memory { asked: u64, free: u64 },
    /// Random inputs came out as nothing but zeros.
    #[error(
        "every value of {name} is zero: {values} in {dtype}\n  help: a wider range; kernels are neither checked nor timed on zeros"
    )]
    AllZero { name: String, values: String, dtype: &'static str },
    /// No kernel of that name in the code.
    #[error("{input} holds no kernel {wanted}\n  it holds: {}", .found.join(", "))]
    NoKernel { input: PathBuf, wanted: String, found: Vec<String> },
    /// The subject's keys do not say what is asked for.
    #[error("the subject {subject} does not say {what}\n  help: {cure}")]
    NotStated { subject: String, what: &'static str, cure: &'static str },
}
