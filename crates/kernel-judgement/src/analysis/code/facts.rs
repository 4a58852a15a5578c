//! Facts of one build of a kernel: what stands in its code, log and cubin. Evidence; nothing here is judged.

use super::accesses::{LocalAccess, StoreReach, WidthRow};
use super::flow::{DispatchRow, FlowSummary, LoopRow};
use super::resources::{BARRIERS, FRAME, REGISTERS, ResourceRow, SPILL_LOADS, SPILL_STORES};
use super::{
    block_limits::StaticOccupancy, checked::Checked, latency::LoadUse, products::ProductShape, select::Identity,
};
use crate::analysis::sass::{ClassCount, SassDiff};
use crate::evidence::Origin;

/// What is known of one build of the kernel under audit.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CodeFacts {
    /// `sm_90a`.
    pub arch: String,
    /// What the build is called among several of one source; empty where it is the only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    pub mangled: String,
    /// Name with template arguments, without parameters.
    pub kernel: String,
    /// The source or cubin.
    pub input: String,
    /// The compiler's command; empty for a cubin that was given.
    pub command: String,
    /// Compiler and version; empty for a cubin that was given.
    pub compiler: String,
    /// Disassembler and version.
    pub disassembler: String,
    /// The cubin, where a file of it was given. A cubin compiled here is a file of nobody's, and its bytes hold the
    /// folder it was compiled in, so that neither its size nor its hash would be the same elsewhere.
    pub cubin: Option<Origin>,
    /// SHA-256 of the kernel's code section.
    pub code_sha256: String,
    /// Whether this code is what was timed.
    pub identity: Identity,
    /// Resources by assembler, cubin and launch.
    pub resources: Vec<ResourceRow>,
    /// Warnings of the assembler: (line of the log, text).
    pub warnings: Vec<(u64, String)>,
    /// Occupancy as the build fixes it, one row for a known block size.
    pub occupancies: Vec<StaticOccupancy>,
    pub instructions: usize,
    pub classes: Vec<ClassCount>,
    /// Opcodes, the most frequent first: (opcode, instructions), at most forty.
    pub opcodes: Vec<(String, usize)>,
    /// Products of tcgen05, and those of warpgroups that are too narrow to be fed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<ProductShape>,
    pub widths: Vec<WidthRow>,
    /// Those of the hottest loop; `None` for a kernel without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hot_widths: Option<Vec<WidthRow>>,
    /// The load of each innermost loop whose value is used soonest; none where the chip's latencies are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<LoadUse>,
    /// Global stores of a kernel that was not run, by what a warp touches with them; none where the code does not show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stores: Vec<StoreReach>,
    /// Local-memory instructions by line.
    pub local: Vec<LocalAccess>,
    pub flow: FlowSummary,
    pub loops: Vec<LoopRow>,
    /// Places where warps part into roles.
    pub dispatches: Vec<DispatchRow>,
    /// What the subject's checks found in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<Checked>,
    /// What changed in the code since the old build.
    pub diff: Option<SassDiff>,
    /// The old build; `None` where none is there, or it does not have the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<CodeFacts>>,
}

impl CodeFacts {
    pub(crate) fn resource(&self, label: &str) -> Option<&ResourceRow> {
        self.resources.iter().find(|row| row.label == label)
    }

    /// What ptxas printed of it: bytes of spills both ways, bytes of stack, named barriers; `None` without its log.
    pub fn printed(&self) -> Option<[u64; 3]> {
        let of = |label: &str| self.resource(label)?.ptxas;
        Some([of(SPILL_STORES)? + of(SPILL_LOADS)?, of(FRAME)?, of(BARRIERS)?])
    }

    /// Architecture and, among several builds of one source, the variant: what a heading calls the build.
    pub fn label(&self) -> String {
        if self.variant.is_empty() { self.arch.clone() } else { format!("{}, {}", self.variant, self.arch) }
    }

    /// Registers per thread by the assembler, else by the cubin.
    pub fn registers(&self) -> Option<u64> {
        let row = self.resource(REGISTERS)?;
        row.ptxas.or(row.cubin)
    }
}
