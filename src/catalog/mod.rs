//! Tables of facts and words, embedded as TOML and loaded once.
//!
//! Owns the metrics, stall reasons, opcode classes, metric tables, thresholds, limiters and chips, and the text of `audit explain`.
//! Receives nothing at run time; gives rows by id to `analysis`, `view` and `cli`. A new row is a change to a TOML file alone.

mod chips;
mod collection;
mod error;
mod explain;
mod explain_chip;
mod limiters;
mod load;
mod metric_names;
mod metrics;
mod opcodes;
mod profiles;
mod readings;
mod sass_aliases;
mod stalls;
mod subsystems;
mod tables;
mod thresholds;
mod vocabulary;

pub use chips::{ChipRow, TensorRate, chip, chips};
pub use collection::{CollectionPart, MetricSet, collection, collection_parts};
pub use error::CatalogError;
pub use explain::{Explanation, explain, list, nearest};
pub(crate) use limiters::prefix_of;
pub use limiters::{LimiterKind, LimiterRow, limiter, limiters};
pub use load::verify;
pub use metric_names::{NameCheck, check_metric_name, counters_named, counters_of_arch, is_on_chip};
pub use metrics::{Better, MetricRow, metric, metrics};
pub use opcodes::{OpcodeClass, base_opcode, opcode_class, opcode_classes};
pub use profiles::{Comparison, Profile, ProfileCheck, profile, profiles};
pub use readings::{ReadingForm, ReadingName, check_reading};
pub use sass_aliases::{AliasKind, AliasRow, Resolved, resolve, sass_aliases};
pub use stalls::{StallFamily, StallKind, StallReading, StallRow, stall, stall_families, stall_of_metric, stalls};
pub use subsystems::{ChipSide, InstructionWork, Subsystem, subsystem, subsystem_of, subsystems};
pub use tables::{TableRow, table, tables};
pub use thresholds::{ThresholdRow, threshold_row, thresholds};
pub use vocabulary::{Code, Part, StallReason, Threshold, UnknownName};
