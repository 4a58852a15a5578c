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
mod forecasts;
mod known;
mod levers;
mod libraries;
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

pub(crate) use checklists::{Checklist, ChecklistLine, Unless};
pub use checklists::{Operator, checklist, checklists};
pub use chips::{ChipRow, LoadLatency, chip, chip_of_arch, chips};
pub use collection::{MetricSet, collection, sanitizer_ratio, section_fault};
pub(crate) use counters::CounterPlace;
pub use counters::{Counter, counters};
pub use explain::{explain, list};
pub(crate) use explanation::Explanation;
pub use families::families;
pub use forecasts::{ForecastRow, forecast, forecasts};
pub use known::nearest;
pub(crate) use levers::LeverRow;
pub use levers::{lever, levers};
pub(crate) use libraries::{LibraryRow, alignment_of, generation_of, library_of};
pub(crate) use limiters::prefix_of;
pub use limiters::{LimiterKind, LimiterRow, limiter, limiters};
pub use metric_names::{NameCheck, check_metric_name, counters_named, counters_of_arch, is_on_chip};
pub(crate) use metrics::MetricRow;
pub use metrics::{Better, metric, metrics};
pub use readings::{CHECK, ReadingForm, ReadingName, check_reading};
pub(crate) use sass_aliases::{AliasKind, AliasRow, Resolved};
pub use sass_aliases::{resolve, sass_aliases};
pub use series::{SeriesKind, SeriesRow, sampled_name, sampler, series, series_named, series_row};
pub use stalls::{StallFamily, StallKind, StallRow, per_issue, stall, stall_families, stall_of_metric, stalls};
pub use subsystems::{InstructionWork, subsystem_of};
pub use tables::{table, tables};
pub use thresholds::thresholds;
pub(crate) use thresholds::{ThresholdRow, threshold_row};
pub(crate) use tool_options::{OptionKind, tool_option};
pub use vocabulary::{Action, Code, Family, Part, StallReason, Threshold, limiter_label};
pub(crate) use words::WordRow;
pub use words::{word, words};

/// Reads what every page asks of the catalogs, in the order of asking, beside other work.
pub fn read_ahead() {
    metrics();
    counters();
    stall_families();
    series();
    thresholds();
    families();
    tables();
    chips();
    stalls();
    limiters();
    levers();
    forecasts();
    libraries::libraries();
    subsystem_of("");
    sampler();
    tool_option("");
}
