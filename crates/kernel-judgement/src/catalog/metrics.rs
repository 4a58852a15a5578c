//! The metrics catalog: label, direction of good and explanation of each metric of ncu.

use super::row::catalog;
use serde::{Deserialize, Serialize};

/// In which direction a metric improves, other things being equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// A smaller value is better: time, instructions, conflicts.
    Lower,
    /// A smaller value is better where the old side had some: a memory that it did not use is another way to work, not a loss.
    #[serde(rename = "lower-once-used")]
    LowerOnceUsed,
    /// A larger value is better: hit rates, efficiency, throughput at equal work.
    Higher,
    /// A fact without direction, or one whose direction depends on the kernel.
    #[default]
    Neutral,
}

/// One metric of ncu. Its unit comes from its name, not from here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricRow {
    /// ncu's own name, with roll-up and submetric.
    pub id: &'static str,
    /// Other spellings of the same quantity over versions and chips, in the order to try.
    #[serde(default)]
    pub aliases: Vec<&'static str>,
    /// A short name for a table row.
    pub label: &'static str,
    /// In which direction it improves.
    pub better: Better,
    /// What it counts and how to read it.
    pub help: &'static str,
    /// The vendor page at which it can be checked.
    pub cite: &'static str,
}

impl MetricRow {
    /// The id and then every other spelling, in the order to try.
    pub fn spellings(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.id).chain(self.aliases.iter().copied())
    }
}

catalog! {
    MetricRow, "metrics.toml", "metric", |row| row.spellings().collect(),
    /// Every metric, in the order of the catalog.
    pub fn metrics,
    /// The metric with this id or alias.
    pub fn metric
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_spelling_leads_to_the_same_row() {
        let by_alias = metric("sm__sol_pct").expect("alias");
        assert_eq!(by_alias.id, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
        assert_eq!(metric(by_alias.id).map(|row| row.label), Some(by_alias.label));
        assert_eq!(by_alias.spellings().next(), Some(by_alias.id));
        assert!(metric("smsp__sass_warp_efficiency.avg").is_none());
    }

    #[test]
    fn time_is_better_when_lower() {
        assert_eq!(metric("gpu__time_duration.sum").map(|row| row.better), Some(Better::Lower));
        assert_eq!(metric("l1tex__t_sector_hit_rate.pct").map(|row| row.better), Some(Better::Neutral));
    }

    #[test]
    fn a_label_names_one_metric() {
        let mut seen = std::collections::BTreeMap::new();
        for row in metrics() {
            assert_eq!(seen.insert(row.label, row.id), None, "{:?} names two metrics", row.label);
        }
    }
}
