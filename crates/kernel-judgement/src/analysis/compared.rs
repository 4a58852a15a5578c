//! What an audit says of its comparison in a few numbers: both sides as they were measured, and by how much they differ.

use crate::analysis::{Artefact, Audit, Row, TimedChange};
use crate::evidence::Reading;

/// Percent by which a side that is measured again may differ from what was measured before and still be the same.
pub(in crate::analysis) const NEAR: f64 = 2.0;

/// The mark of an audit in its series: its day, and what was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The day, with the number of a later audit of it: `2026-11-21`, `2026-11-21.2`.
    pub day: String,
    /// The measurement, as [`Side::mark`](crate::analysis::Side::mark) names it.
    pub measured: String,
}

/// A comparison as the series of a subject remembers it. Its verdict stands beside it.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Compared {
    /// The audit that it was compared with; `None` for a report, or an audit of another folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Mark>,
    /// Whether somebody chose the old side for this once, beside what the project states: a comparison outside of the series.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_chosen: bool,
    /// The largest slow-down in percent that was measured, of cycles and of the benchmark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// The largest slow-down in percent that the intervals leave possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<f64>,
    pub new: Measured,
    pub old: Measured,
}

/// A kernel as it was measured.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Its name with template arguments.
    pub kernel: String,
    /// Its grid; empty for ranges.
    pub grid: String,
    /// Cycles of a launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<f64>,
    /// Time of a launch under the profiler in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns: Option<f64>,
    /// Time of a launch by the benchmark in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark_ns: Option<f64>,
}

impl Measured {
    fn of(artefact: &Artefact, cycles: Option<f64>, ns: Option<f64>, benchmark_ns: Option<f64>) -> Measured {
        let grid = artefact.kernel.grid.map(|grid| grid.to_string()).unwrap_or_default();
        Measured { kernel: artefact.kernel.name.to_string(), grid, cycles, ns, benchmark_ns }
    }

    /// Whether both are the same launch, measured perhaps twice: a change of so many percent is told from its noise by half of it.
    pub fn is_near(&self, other: &Measured, change: f64) -> bool {
        let near = near(change) / 100.0;
        let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= near * a.abs().min(b.abs()),
            (a, b) => a.is_none() && b.is_none(),
        };
        (&self.kernel, &self.grid) == (&other.kernel, &other.grid)
            && same(self.cycles, other.cycles)
            && same(self.ns, other.ns)
            && same(self.benchmark_ns, other.benchmark_ns)
    }
}

/// Percent within which two measurements are one, where what tells them apart is a change of so many percent.
pub fn near(change: f64) -> f64 {
    NEAR.min(change.abs() / 2.0)
}

impl Compared {
    /// The comparison of an audit; `None` without one.
    pub fn of(audit: &Audit, with: Option<Mark>) -> Option<Compared> {
        let whole = &audit.comparison()?.whole;
        let old = &audit.before.as_ref()?.artefact;
        let (cycles, time) = (&audit.performance.cycles, &audit.performance.time);
        let was = |row: &Row| row.old.as_ref().and_then(Reading::value);
        let timing = audit.trials.timing.as_ref();
        let benchmark = timing.map(|timing| timing.kernel.time.median);
        let changed = timing.and_then(|timing| timing.change.as_ref());
        // Those of the medians, which the page has.
        let timed = changed.filter(|change| change.time.change.is_some()).map(TimedChange::percent);
        let profiled = whole.cycles.as_ref().filter(|cycles| cycles.change.is_some());
        let profiled = profiled.map(|cycles| 100.0 * (cycles.new.median / cycles.old.median - 1.0));
        Some(Compared {
            with,
            is_chosen: false,
            change: [profiled, timed].into_iter().flatten().reduce(f64::max),
            worst: whole.worst,
            new: Measured::of(&audit.now.artefact, cycles.new.value(), time.new.value(), benchmark),
            old: Measured::of(old, was(cycles), was(time), changed.map(|change| change.old.time.median)),
        })
    }
}
