//! Series over one launch: which of what PM sampling writes are read, under all their names.

use super::row::{catalog, embedded, parse};
use serde::Deserialize;
use std::sync::LazyLock;

/// What one sample of a series is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesKind {
    /// The share of a unit's peak, in percent.
    Unit,
    /// Instructions for each cycle in which a multiprocessor holds a block, the mean over all of them.
    IssueRate,
    /// Cycles in which a multiprocessor holds a block, the mean over all of them.
    Active,
    /// Blocks that began.
    Blocks,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesRow {
    /// The id: `tensor`.
    pub id: &'static str,
    /// What a chart and a sentence call it.
    pub label: &'static str,
    /// What its samples are.
    pub kind: SeriesKind,
    /// Its names without what ncu puts in front of them, the best first.
    pub names: Vec<&'static str>,
}

catalog! {
    SeriesRow, "series.toml", "series", |row| row.names.clone(),
    pub fn series,
    /// The series with this name, without what ncu puts in front of it.
    pub fn series_named
}

/// The metrics that tell of PM sampling beside the series.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampler {
    /// The metrics of each pass.
    pub groups: &'static str,
    /// When the launch of a pass began, without the number of the pass.
    pub start: &'static str,
    pub end: &'static str,
    /// Samples that were not kept apart.
    pub lost: Vec<&'static str>,
    /// What the metrics begin with.
    pub told: Vec<&'static str>,
    /// What counters begin with that only a running kernel moves.
    pub of_kernel: Vec<&'static str>,
}

static SAMPLER: LazyLock<Sampler> = LazyLock::new(|| parse(embedded!("sampler.toml")));

/// The metrics that tell of PM sampling beside the series.
pub fn sampler() -> &'static Sampler {
    &SAMPLER
}

pub fn series_row(id: &str) -> Option<&'static SeriesRow> {
    series().iter().find(|row| row.id == id)
}

/// The name of a sampled counter without what ncu puts in front: `pmsampling:` in versions up to 2024 and for stall reasons,
/// and in place of that the group of passes, `TPC.TriageCompute.` or `TriageSCG.`. `None` for a metric that is no series.
pub fn sampled_name(metric: &str) -> Option<&str> {
    if let Some(name) = metric.strip_prefix("pmsampling:") {
        return Some(name);
    }
    let group = metric.find("Triage").filter(|at| *at == 0 || metric[..*at].ends_with('.'))?;
    metric[group..].split_once('.').map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_name_leads_to_its_series() {
        for (metric, id) in [
            ("TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed", "tensor"),
            ("pmsampling:sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed", "tensor"),
            ("FBSP.TriageSCG.dramc__throughput.avg.pct_of_peak_sustained_elapsed", "dram"),
            ("FE_B.TriageAC.gr__ctas_launched_queue_sync.sum", "blocks"),
            ("SM.TriageA.sm__cycles_active.avg", "active"),
        ] {
            assert_eq!(sampled_name(metric).and_then(series_named).map(|row| row.id), Some(id), "{metric}");
        }
        assert_eq!(sampled_name("TriageAC.tpc__warps_active_realtime.avg"), Some("tpc__warps_active_realtime.avg"));
        for metric in ["lts__throughput.avg.pct_of_peak_sustained_elapsed", "sm__TriageX", "Triage", ""] {
            assert_eq!(sampled_name(metric), None, "{metric}");
        }
    }
}
