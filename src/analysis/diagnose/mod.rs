//! What limits the kernel, what was found, and what removing it could give.
//!
//! Receives one kernel with everything derived from it ([`Kernel`]) and, where the report counts by instruction, the
//! launch by instruction; gives a [`rank::Diagnosis`]. `bottleneck` is the walk to what limits, `patterns` has a file for each
//! pattern that explains a limit or costs beside it. Findings and levers are two views of what the patterns detect.

pub(in crate::analysis) mod bottleneck;
pub(in crate::analysis) mod finding;
mod ground;
pub(in crate::analysis) mod lever;
pub(in crate::analysis) mod pattern;
mod patterns;
mod rank;

pub(in crate::analysis) use ground::Kernel;
pub(in crate::analysis) use rank::diagnose;
