//! Tables of facts and words, embedded as TOML and loaded once.
//!
//! Owns the metrics, stall reasons, opcode classes, metric tables, thresholds, limiters, levers and chips, and the text of `audit explain`.
//! Receives nothing at run time; gives rows by id to `analysis`, `view` and `cli`. A new row is a change to a TOML file alone.

mod checklists;
mod chips;
mod collection;
mod counters;
mod explain;
mod explain_chip;
mod explain_metric;
mod explanation;
mod families;
mod levers;
mod limiters;
mod metric_names;
mod metrics;
mod readings;
mod replaced;
mod row;
mod sass_aliases;
mod series;
mod stalls;
mod subsystems;
mod tables;
mod thresholds;
mod tool_options;
mod vocabulary;
mod words;

pub use checklists::{Checklist, ChecklistLine, Operator, checklist, checklists};
pub use chips::{ChipRow, LoadLatency, TensorRate, chip, chip_of_arch, chips};
pub use collection::{MetricSet, collection, sanitizer_ratio};
pub use counters::{Counter, CounterPlace, CounterRow, counters};
pub use explain::{explain, list, nearest};
pub use explanation::Explanation;
pub use families::{FamilyRow, families};
pub use levers::{LeverRow, lever, levers};
pub(crate) use limiters::prefix_of;
pub use limiters::{LimiterKind, LimiterRow, limiter, limiters};
pub use metric_names::{NameCheck, check_metric_name, counters_named, counters_of_arch, is_on_chip};
pub use metrics::{Better, MetricRow, metric, metrics};
pub use readings::{CHECK, ReadingForm, ReadingName, check_reading};
pub use sass_aliases::{AliasKind, AliasRow, Resolved, resolve, sass_aliases};
pub use series::{SeriesKind, SeriesRow, sampled_name, series, series_named, series_row};
pub use stalls::{
    StallFamily, StallKind, StallReading, StallRow, per_issue, stall, stall_families, stall_of_metric, stalls,
};
pub use subsystems::{ChipSide, InstructionWork, Subsystem, subsystem, subsystem_of};
pub use tables::{TableRow, table, tables};
pub use thresholds::{ThresholdRow, threshold_row, thresholds};
pub use tool_options::{OptionKind, tool_option};
pub use vocabulary::{Action, Code, Family, Part, StallReason, Threshold, UnknownName};
pub use words::{WordRow, word, words};
