#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod bounds;
mod file;
mod metric;
pub mod metric_table;
pub mod ncu_units;
pub mod packed;
mod quantity;
mod report;
mod source_text;
mod unasked;
mod want;

pub use cuda_binary::{Origin, ReadError};
pub use file::{LoadedFunction, NcuReport, SourceData, looks_like, public_report, read};
pub use metric::{Instance, Metric, Value};
pub use quantity::{Quantity, SECTOR_BYTES, Unit};
pub use report::{
    ClockStatus, Damage, Device, Dim3, FocusMetric, Launch, NvtxRange, Process, Report, RuleMessage, RuleResult,
    RuleTable, Session, Speedup, Workload,
};
pub use source_text::SourceText;
pub use unasked::is_asked_for;
pub use want::{NameSet, Rules, Want};
