//! Units and quantities, with all rounding and scaling of numbers that are shown.

pub mod format;
pub mod glance;

pub use ncu_report::{Quantity, SECTOR_BYTES, Unit, metric_table, ncu_units};

/// Bytes of a sector, the smallest piece that L2 and DRAM move.
pub const SECTOR: f64 = SECTOR_BYTES as f64;
