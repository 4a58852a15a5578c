//! What the assembler said about each kernel.

use crate::Origin;

/// A function that the kernel calls and that was not inlined.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CalleeRecord {
    /// Mangled name.
    pub mangled: String,
    /// Stack frame in bytes.
    pub stack_bytes: Option<u64>,
    /// Spill stores in bytes.
    pub spill_store_bytes: Option<u64>,
    /// Spill loads in bytes.
    pub spill_load_bytes: Option<u64>,
}

/// One entry function for one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BuildRecord {
    /// Mangled name.
    pub mangled: String,
    /// Demangled name; equals `mangled` where it is not a mangled C++ name.
    pub demangled: String,
    /// Architecture, `sm_90a`; empty where the log does not say.
    pub arch: String,
    /// Registers per thread.
    pub registers: Option<u64>,
    /// Barriers; `None` where this compiler does not print them.
    pub barriers: Option<u64>,
    /// Stack frame in bytes, of the entry itself.
    pub stack_bytes: Option<u64>,
    /// Cumulative stack size in bytes.
    pub cumulative_stack_bytes: Option<u64>,
    /// Spill stores in bytes, of the entry itself.
    pub spill_store_bytes: Option<u64>,
    /// Spill loads in bytes, of the entry itself.
    pub spill_load_bytes: Option<u64>,
    /// Static shared memory in bytes; `Some(0)` where the log has the usage line and no `smem` in it.
    pub shared_bytes: Option<u64>,
    /// Local memory in bytes, where printed.
    pub local_bytes: Option<u64>,
    /// Constant banks: (bank, bytes).
    pub constant_bytes: Vec<(u32, u64)>,
    /// Callees that were not inlined.
    pub callees: Vec<CalleeRecord>,
    /// Line of the log at which the record began, from 1.
    pub line: u64,
}

impl BuildRecord {
    /// Spill stores and loads of the entry and all its callees, in bytes; `None` where the log does not say.
    pub fn spills(&self) -> [Option<u64>; 2] {
        let sum = |own: Option<u64>, callee: fn(&CalleeRecord) -> Option<u64>| {
            Some(own? + self.callees.iter().filter_map(callee).sum::<u64>())
        };
        [sum(self.spill_store_bytes, |c| c.spill_store_bytes), sum(self.spill_load_bytes, |c| c.spill_load_bytes)]
    }
}

/// What a build log says.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BuildLog {
    /// The artefact.
    pub origin: Origin,
    /// One record per (kernel, architecture).
    pub records: Vec<BuildRecord>,
    /// Warnings and remarks of the assembler, each with its line from 1.
    pub warnings: Vec<(u64, String)>,
    /// Lines that look like the assembler's and were not understood.
    pub unrecognised_lines: Vec<String>,
}
