//! A cubin: what the assembler wrote beside the code, and which line each instruction came from.

use crate::Origin;
use crate::sass::SourceLine;
use arcstr::ArcStr;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CubinParameter {
    /// Position in the signature, from 0.
    pub ordinal: u32,
    /// Byte offset in the parameter space.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
}

/// A function inside a kernel's code section that the kernel calls.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CubinCallee {
    /// Symbol.
    pub symbol: ArcStr,
    /// Byte offset of its code in the section.
    pub offset: u64,
    /// Size of its code in bytes.
    pub bytes: u64,
    /// Stack frame in bytes, where the cubin says.
    pub frame_bytes: Option<u64>,
}

/// One kernel of a cubin.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CubinKernel {
    /// Mangled name.
    pub mangled: ArcStr,
    /// Demangled name; equals `mangled` where it is not a mangled C++ name.
    pub demangled: ArcStr,
    /// Registers per thread.
    pub registers: Option<u64>,
    /// Stack frame of the kernel itself in bytes, as `ptxas -v` prints it.
    pub frame_bytes: Option<u64>,
    /// Stack that a launch needs at least, callees included, in bytes: what `cuobjdump` prints as STACK.
    pub min_stack_bytes: Option<u64>,
    /// Barriers; `None` where this assembler does not write them down.
    pub barriers: Option<u64>,
    /// Static shared memory that the kernel asks for, in bytes, as `ptxas -v` prints it.
    pub shared_bytes: u64,
    /// Static shared memory with the system's share, in bytes, as `cuobjdump` prints it.
    pub shared_section_bytes: u64,
    /// Local memory section in bytes.
    pub local_bytes: u64,
    /// Constant banks of the kernel: (bank, bytes).
    pub constant_bytes: Vec<(u32, u64)>,
    /// Largest block in x, y, z that `__launch_bounds__` allows; `None` without.
    pub max_threads: Option<[u32; 3]>,
    /// The one block size that the kernel accepts; `None` without.
    pub required_threads: Option<[u32; 3]>,
    /// Cap on registers per thread from launch bounds or options; 255 is no cap.
    pub register_cap: Option<u64>,
    /// Cluster dimensions fixed at compile time.
    pub cluster: Option<[u32; 3]>,
    /// Parameters by ordinal.
    pub parameters: Vec<CubinParameter>,
    /// Bytes of all parameters, padding included.
    pub parameter_bytes: Option<u64>,
    /// Byte offsets of the instructions that spill or refill a register; empty where there are none. `None` where this
    /// assembler does not write them down.
    pub spill_offsets: Option<Vec<u64>>,
    /// Byte offsets of the exit instructions.
    pub exit_offsets: Vec<u64>,
    /// Size of the code section in bytes, callees and padding included.
    pub code_bytes: u64,
    /// SHA-256 of the code section, lower-case hexadecimal.
    pub code_sha256: String,
    /// Functions in the same section, by offset.
    pub callees: Vec<CubinCallee>,
}

/// What a cubin says.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Cubin {
    /// The artefact.
    pub origin: Origin,
    /// Architecture, `sm_90a`. A family variant (`sm_100f`) is printed as NVIDIA prints it, `sm_100`.
    pub arch: ArcStr,
    /// Kernels in the order of the symbol table.
    pub kernels: Vec<CubinKernel>,
    /// Attributes of kernels that this reader does not know: (code, how often).
    pub unread_attributes: Vec<(u8, u64)>,
}

/// Code that came from one place.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LineRow {
    /// Byte offset of its first instruction in the code section; it ends where the next row starts.
    pub start: u64,
    /// The place that it was written at, then the calls that it was inlined into; empty where the code has no line.
    pub places: Arc<[SourceLine]>,
}

/// Source places of a cubin's code.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LineTable {
    /// Rows of each code section by offset, under the mangled name of its function.
    pub functions: BTreeMap<ArcStr, Vec<LineRow>>,
}

impl LineTable {
    /// The places of the instruction at `offset` in the code section of `mangled`; empty where none is known.
    pub fn places(&self, mangled: &str, offset: u64) -> Arc<[SourceLine]> {
        let rows = self.functions.get(mangled).map_or(&[][..], |rows| rows);
        let after = rows.partition_point(|row| row.start <= offset);
        after.checked_sub(1).map(|at| rows[at].places.clone()).unwrap_or_default()
    }
}
