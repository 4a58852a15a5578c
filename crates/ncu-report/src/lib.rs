//! Reads the reports of NVIDIA Nsight Compute (`.ncu-rep`, and packed ones, `.ncu-repz`) without any software of NVIDIA's.
//!
//! [`read`] gives a [`Report`]: session, launches, metrics with their units and instances, and what NVIDIA's rules said.
//! [`NcuReport`] stays open, reads some of the launches, and gives the modules and source files that a report embeds.
//! Nothing is decoded that [`Want`] does not ask for.

mod bounds;
mod file;
mod metric;
pub mod metric_table;
pub mod ncu_units;
pub mod packed;
mod quantity;
mod report;
mod source_text;
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
pub use want::{NameSet, Rules, Want};
