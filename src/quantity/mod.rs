//! Units and quantities, with all rounding and scaling of numbers that are shown.

pub mod format;
pub mod glance;

pub use ncu_report::{Quantity, SECTOR_BYTES, Unit, metric_table, ncu_units};
