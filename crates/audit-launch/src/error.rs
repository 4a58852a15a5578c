//! What can go wrong between a plan and a finished launch.

use std::path::PathBuf;

/// Why a kernel was not launched, or what the launch ended with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LaunchError {
    #[error(
        "there is no NVIDIA driver here: libcuda.so was not found\n  help: run this on a machine with an NVIDIA GPU and its driver; `audit generate` reads what was collected elsewhere"
    )]
    NoLibrary,
    #[error(
        "the NVIDIA driver is here, but it sees no GPU\n  help: check `nvidia-smi`, CUDA_VISIBLE_DEVICES, and the container's or the scheduler's GPU request"
    )]
    NoDevice,
    #[error("the NVIDIA driver supports CUDA {found}; expected 12.8 or later\n  help: update the driver")]
    OldDriver {
        /// `12.4`.
        found: String,
    },
    #[error("there is no device {asked}: the driver sees {count}\n  help: devices count from 0")]
    NoSuchDevice { asked: u32, count: u32 },
    #[error("{doing} failed: {name} ({meaning}){cure}")]
    Driver {
        doing: String,
        name: String,
        meaning: String,
        /// What to do, after a line break; may be empty.
        cure: String,
    },
    #[error(
        "cuBLASLt was not found\n  help: install the CUDA toolkit's libraries, put the folder of libcublasLt.so on LD_LIBRARY_PATH, or drop [subject.reference]"
    )]
    NoCublasLt,
    #[error(
        "cuBLASLt multiplies with scales of blocks ({scales}) on compute capability 10.0 and later, this device has {capability}\n  help: run it on such a device, or give the product buffers of types that this one has, under `buffers`"
    )]
    NoBlockScales { scales: &'static str, capability: String },
    #[error("{doing} failed: {status}{cure}")]
    CublasLt {
        doing: String,
        status: String,
        /// What to do, after a line break; may be empty.
        cure: String,
    },
    #[error("the driver's library did not do what its bindings expect: {said}\n  help: update the driver")]
    Bindings { said: String },
    #[error(
        "the kernel {kernel} takes {parameters} parameters, audit.toml gives {given} arguments\n{rows}\n  help: correct `args` under [subject.launch]"
    )]
    Arguments { kernel: String, parameters: usize, given: usize, rows: String },
    #[error("the launch asks for {asked}, {limiter} allows {allowed}\n  help: correct {key} under [subject.launch]")]
    Beyond {
        /// `block of 2048 threads`.
        asked: String,
        limiter: String,
        allowed: String,
        key: &'static str,
    },
    #[error(
        "the buffers take {asked} bytes, the device has {free} bytes free\n  help: smaller shapes, or a device with no other users"
    )]
    Memory { asked: u64, free: u64 },
    #[error(
        "every value of {name} is zero: {values} in {dtype}\n  help: a wider range; kernels are neither checked nor timed on zeros"
    )]
    AllZero { name: String, values: String, dtype: &'static str },
    #[error("the times are refused: {why}\n  help: {cure}")]
    Refused { why: String, cure: &'static str },
    #[error("{input} holds no kernel {wanted}\n  it holds: {}", .found.join(", "))]
    NoKernel { input: PathBuf, wanted: String, found: Vec<String> },
    #[error("the subject {subject} does not say {what}\n  help: {cure}")]
    NotStated { subject: String, what: &'static str, cure: &'static str },
}
