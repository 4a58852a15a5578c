//! What limits the kernel, what was found, and what removing it could give.
//!
//! Receives one kernel with everything derived from it, gives the limiter, findings and levers.

pub(in crate::analysis) mod bottleneck;
pub(in crate::analysis) mod ceiling;
pub(in crate::analysis) mod checks;
pub(in crate::analysis) mod finding;
pub(in crate::analysis) mod ground;
