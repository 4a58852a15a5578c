//! Counters as types: every metric that the code reads by name is a value that a row of the catalog stands behind.
//!
//! The enum is made by the build script of the ids in `metrics.toml` and `counters.toml`. A name that is only known at run time,
//! of a table, a breakdown list or the user, stays a text.

use super::{metrics::metric, row::catalog};
use arcstr::ArcStr;
use serde::Deserialize;
use std::fmt;

/// Where a report has a counter that no table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CounterPlace {
    /// A number of each launch, which an audit keeps.
    Launch,
    /// A fact of the device that text pages hold as a metric.
    Device,
    /// A list beside a launch.
    Instances,
    /// A column by instruction.
    Instruction,
    /// One of NVIDIA's breakdown lists brings it.
    Breakdown,
    /// Named as what to measure again, and not read.
    Advice,
}

/// A counter that is read by name and that no table shows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterRow {
    /// ncu's own name.
    pub id: &'static str,
    /// Where a report has it.
    pub from: CounterPlace,
    pub help: &'static str,
}

catalog! {
    CounterRow, "counters.toml", "counter", |row| vec![row.id],
    /// The counters that are read by name and that no table shows.
    pub fn counters
}

include!(concat!(env!("OUT_DIR"), "/counters.rs"));

impl Counter {
    /// ncu's name, with roll-up and submetric.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The name and then every other spelling, in the order to try.
    pub fn spellings(self) -> impl Iterator<Item = &'static str> {
        let others = metric(self.name()).into_iter().flat_map(|row| row.aliases.iter().copied());
        std::iter::once(self.name()).chain(others)
    }
}

impl AsRef<str> for Counter {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Counter> for ArcStr {
    fn from(counter: Counter) -> ArcStr {
        counter.name().into()
    }
}

impl From<Counter> for String {
    fn from(counter: Counter) -> String {
        counter.name().to_owned()
    }
}

impl PartialEq<Counter> for str {
    fn eq(&self, counter: &Counter) -> bool {
        self == counter.name()
    }
}

impl PartialEq<Counter> for String {
    fn eq(&self, counter: &Counter) -> bool {
        self == counter.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{metric, metrics};

    #[test]
    fn a_counter_leads_to_its_row() {
        assert_eq!(Counter::SmspInstExecutedSum.name(), "smsp__inst_executed.sum");
        assert_eq!(Counter::LtsThroughputAvgPctElapsed.name(), "lts__throughput.avg.pct_of_peak_sustained_elapsed");
        assert_eq!(NAMES.len(), metrics().len() + counters().len());
        for row in counters() {
            assert!(metric(row.id).is_none_or(|other| other.id != row.id), "{} stands in both files", row.id);
        }
    }
}
