//! The comparison of two kernels, reading by reading and as a whole.

use super::invariant::is_invariant;
use super::judge::{self, Basis, Course, Judged, judge};
use super::whole::{self, Whole};
use super::word::Verdict;
use crate::analysis::kernel::performance::{CYCLES, DURATION};
use crate::analysis::kernel::row::Row;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::analysis::versus::setting::{Setting, Weight};
use crate::catalog::Better;
use crate::evidence::Reading;
use std::collections::HashSet;

/// Conditions under which not even counts of work compare.
const HARDWARE: [&str; 3] = ["gpu", "sm-count", "work"];

/// The verdict on one reading.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReadingVerdict {
    /// The row's id.
    pub id: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on; `None` where a side has no number or the numbers do not compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// Change in percent of the old side, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// Interval of the change in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
}

/// What the comparison of two sides comes to.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Comparison {
    /// The verdict on the kernel.
    pub whole: Whole,
    /// The verdict on each reading with a number on either side, in table order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<ReadingVerdict>,
}

impl Comparison {
    /// Compares two kernels over the rows that show them. Every row is of metrics that both summaries can be asked for.
    pub(in crate::analysis) fn of<'a>(
        rows: impl IntoIterator<Item = &'a Row>,
        new: &KernelSummary<'_>,
        old: &KernelSummary<'_>,
        settings: &[Setting],
        limits: &Limits,
    ) -> Comparison {
        let breaks: Vec<&Setting> =
            settings.iter().filter(|setting| setting.weight == Weight::Breaks && setting.differs()).collect();
        let is_other_work = breaks.iter().any(|setting| HARDWARE.contains(&setting.id.as_str()));
        let mut readings: Vec<ReadingVerdict> = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        let (mut moved, mut equal) = (Vec::new(), 0);
        for row in rows {
            if !row.has_number() || !seen.insert(&row.id) {
                continue;
            }
            let exact = is_exact(row);
            let judged = judged(row, new, old, exact, limits);
            if let (true, Some(judged)) = (exact && !is_other_work, &judged) {
                match judged.course {
                    Course::Same => equal += 1,
                    _ => moved.push(row.label.clone()),
                }
            }
            let compares = breaks.is_empty() || (exact && !is_other_work);
            readings.push(verdict(row, judged, compares));
        }
        let counters = whole::Counters { moved, equal };
        let values = |id: &str| judge(&old.values(id), &new.values(id), limits);
        let shape = |side: &KernelSummary<'_>| (side.key().function.clone(), side.key().grid, side.key().block);
        let is_other_launch = shape(old) != shape(new);
        let whole =
            whole::decide(values(DURATION), values(CYCLES), &counters, is_other_launch, &breaks, settings, limits);
        Comparison { whole, readings }
    }

    /// The verdict on a reading.
    pub fn reading(&self, id: &str) -> Option<&ReadingVerdict> {
        self.readings.iter().find(|reading| reading.id == id)
    }
}

/// Whether both sides of a row rest on counters that do not vary, and did not.
fn is_exact(row: &Row) -> bool {
    let steady = |reading: &Reading| match reading {
        Reading::Measured(measured) => {
            measured.spread.is_none_or(|spread| spread.min == spread.max)
                && measured.from.metrics.iter().all(|metric| is_invariant(metric))
        }
        Reading::Missing(_) => true,
    };
    steady(&row.new) && row.old.as_ref().is_some_and(steady)
}

fn judged(row: &Row, new: &KernelSummary<'_>, old: &KernelSummary<'_>, exact: bool, limits: &Limits) -> Option<Judged> {
    let (Reading::Measured(now), Some(Reading::Measured(before))) = (&row.new, &row.old) else { return None };
    if now.quantity.unit() != before.quantity.unit() {
        return None;
    }
    // A row in the metric's own unit is judged launch by launch; a derived one by its number.
    let per_launch = |side: &KernelSummary<'_>, reading: &crate::evidence::Measured| {
        let values = if reading.from.formula.is_empty() { side.values(&row.id) } else { Vec::new() };
        if values.is_empty() { vec![reading.quantity.value()] } else { values }
    };
    let (old, new) = (per_launch(old, before), per_launch(new, now));
    if exact { judge::exact(&old, &new, limits) } else { judge(&old, &new, limits) }
}

fn verdict(row: &Row, judged: Option<Judged>, compares: bool) -> ReadingVerdict {
    let Some(judged) = judged else {
        return ReadingVerdict {
            id: row.id.clone(),
            verdict: Verdict::NotMeasured,
            basis: None,
            change: None,
            interval: None,
        };
    };
    let is_time = matches!(row.id.as_str(), DURATION | CYCLES);
    let verdict = match (compares, judged.course, row.better) {
        (false, ..) => Verdict::NotComparable,
        (_, Course::Unclear, _) => Verdict::Ambiguous,
        (_, Course::Same, _) => Verdict::Same,
        (_, Course::Down, _) if is_time => Verdict::Faster,
        (_, Course::Up, _) if is_time => Verdict::Slower,
        (_, Course::Down, Better::Lower | Better::LowerOnceUsed) | (_, Course::Up, Better::Higher) => Verdict::Better,
        (_, _, Better::Neutral) => Verdict::Moved,
        (_, _, Better::LowerOnceUsed) if row.old.as_ref().and_then(Reading::value) == Some(0.0) => Verdict::Moved,
        _ => Verdict::Worse,
    };
    ReadingVerdict {
        id: row.id.clone(),
        verdict,
        basis: compares.then_some(judged.basis),
        change: judged.change,
        interval: judged.interval,
    }
}
