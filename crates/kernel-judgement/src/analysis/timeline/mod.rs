//! The whole program before a kernel: gaps, copies and allocations, and which kernel to profile.

pub(in crate::analysis) mod busy;
pub(in crate::analysis) mod judge;
pub(in crate::analysis) mod memory;
