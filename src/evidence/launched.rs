//! A launch by `audit launch`: the device, the kernel's attributes there, and the arguments.

/// The device that a kernel ran on, as the driver describes it.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DeviceFacts {
    /// `NVIDIA H200`.
    pub name: String,
    /// `9.0`.
    pub compute_capability: String,
    /// CUDA version that the driver supports: `13.0`.
    pub driver_cuda: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Device memory in bytes.
    pub memory_bytes: u64,
    /// L2 cache in bytes.
    pub l2_bytes: u64,
    /// Shared memory that a block can ask for, in bytes.
    pub shared_bytes_per_block: u64,
    /// Shared memory of a multiprocessor in bytes.
    pub shared_bytes_per_multiprocessor: u64,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Threads that a multiprocessor can hold.
    pub threads_per_multiprocessor: u32,
    /// Whether device memory corrects errors.
    pub ecc: bool,
}

/// What was launched.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LaunchFacts {
    /// Mangled name.
    pub kernel: String,
    /// SHA-256 of the kernel's code section, for joining this with a profile; empty for PTX, which the driver compiles.
    pub code_sha256: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster, where stated.
    pub cluster: Option<[u32; 3]>,
    /// Dynamic shared memory of a block in bytes.
    pub dynamic_shared: u32,
    /// Every argument in words.
    pub arguments: Vec<String>,
    /// What the driver says of the loaded kernel.
    pub function: FunctionFacts,
}

/// What the driver says of a loaded kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FunctionFacts {
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread in bytes.
    pub local_bytes: u64,
    /// Static shared memory of a block in bytes.
    pub static_shared: u64,
    /// Largest block in threads.
    pub max_threads: u32,
    /// Blocks of this launch that one multiprocessor holds at once, by the driver's occupancy query.
    pub blocks_per_multiprocessor: u32,
}
