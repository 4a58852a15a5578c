//! What compute-sanitizer found: one run for each of its tools.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// A tool of compute-sanitizer, in the order in which they are run: a wrong barrier makes races, a race makes wrong addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SanitizerTool {
    /// Wrong use of barriers.
    Synccheck,
    /// Races in shared memory.
    Racecheck,
    /// Accesses out of bounds or misaligned, and errors of the API.
    Memcheck,
    /// Global memory that is read before it is written.
    Initcheck,
}

impl SanitizerTool {
    /// The name that `--tool` takes.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it looks for, in a few words.
    pub const fn looks_for(self) -> &'static str {
        match self {
            SanitizerTool::Synccheck => "wrong use of barriers",
            SanitizerTool::Racecheck => "races in shared memory",
            SanitizerTool::Memcheck => "accesses out of bounds or misaligned",
            SanitizerTool::Initcheck => "global memory read before it is written",
        }
    }
}

/// How grave the tool calls a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SanitizerLevel {
    /// An error; also where the record has no level.
    #[default]
    Error,
    Warning,
    Info,
}

/// A place in the kernel's code.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SanitizerSite {
    /// `Write`, `Read`; empty where the record does not say.
    pub access: String,
    pub function: String,
    /// The source file's name without its folders; empty without line information.
    pub file: String,
    /// The line, from 1; 0 without line information.
    pub line: u32,
    /// Offset of the instruction in the function, as the tool writes it: `0xb0`.
    pub pc: String,
}

/// Records that say the same of the same place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SanitizerFinding {
    pub level: SanitizerLevel,
    /// The tool's sentence.
    pub text: String,
    /// The places: one for an access, two for a race; none for an error outside kernels.
    pub sites: Vec<SanitizerSite>,
    /// Records, one for each thread that the tool names.
    pub records: u64,
    /// Hazards that the tool counted in them; 0 where it counts none.
    pub hazards: u64,
}

/// What a run of a tool says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SanitizerRun {
    pub tool: SanitizerTool,
    /// Why nothing is known; empty for a run that finished.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub not_measured: String,
    /// What it found, errors first; empty for a clean run and for one that did not finish.
    pub findings: Vec<SanitizerFinding>,
}

impl SanitizerRun {
    /// Whether the tool finished and found nothing.
    pub fn is_clean(&self) -> bool {
        self.not_measured.is_empty() && self.findings.is_empty()
    }

    /// Whether the tool finished and found an error.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == SanitizerLevel::Error)
    }
}
