//! Functions of one side: every number that follows from a kernel's readings.
//!
//! Receives a kernel (and the old one, for the column beside it), gives tables of readings. Nothing here judges.

pub(in crate::analysis) mod asked;
pub(in crate::analysis) mod block_size;
pub(in crate::analysis) mod coalescing;
pub(in crate::analysis) mod data_stage;
pub(in crate::analysis) mod least;
pub(in crate::analysis) mod mix;
pub(in crate::analysis) mod named;
pub(in crate::analysis) mod occupancy;
pub(in crate::analysis) mod panels;
pub(in crate::analysis) mod product_shape;
pub(in crate::analysis) mod residency;
pub(in crate::analysis) mod roofline;
pub(in crate::analysis) mod stalls;
pub(in crate::analysis) mod stores;
pub(in crate::analysis) mod traffic;
pub(in crate::analysis) mod units;
