//! A build: the machine code of a kernel, and how it came to be.

use super::{BuildLog, Cubin, SassListing};

/// A cubin that a report holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportCubin {
    /// Process id and reference; joins [`Launch::sources`](super::Launch::sources).
    pub key: (u32, u64),
    pub cubin: Cubin,
}

/// The code of one architecture, and how it came to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeBuild {
    /// The source or cubin as the configuration names it.
    pub input: String,
    /// The compiler's command; empty for a cubin that was given.
    pub command: String,
    /// Compiler and version; empty for a cubin that was given.
    pub compiler: String,
    /// Disassembler and version.
    pub disassembler: String,
    /// What compiler and assembler said; `None` for a cubin that was given, or where they said nothing of a kernel.
    pub log: Option<BuildLog>,
    pub cubin: Cubin,
    /// The machine code; each instruction has its places.
    pub listing: SassListing,
}
