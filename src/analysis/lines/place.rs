//! Places in the source, and which of them a pattern asks for.

use crate::catalog::StallReason;

/// A place in the user's source.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// The file as the build wrote it, without home folders.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// `file:line` of the calls that the code of the line was inlined at; empty for code that is where it was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlined_at: Vec<String>,
}

/// The line that a pattern stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Sits {
    /// At none.
    Nowhere,
    /// That with the most excess sectors of global accesses.
    GlobalAccesses,
    /// That with the most excess wavefronts of shared accesses.
    SharedAccesses,
    /// That with the most local accesses.
    LocalAccesses,
    /// That which leaves the most lanes idle.
    IdleLanes,
    /// That with the most atomics.
    Atomics,
    /// That which warps wait for the most for this reason.
    Waits(StallReason),
    /// That which makes the most of the limiting part's work, or which the limiting wait is for.
    Limiter,
}
