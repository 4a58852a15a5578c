//! The comparison of two kernels, reading by reading and as a whole.

use super::judge::{self, Basis, Course, Judged, judge};
use super::whole::{self, Whole, Why};
use super::{cause::Causes, invariant::is_invariant, word::Verdict};
use crate::analysis::kernel::summary::{CYCLES, DURATION};
use crate::analysis::{KernelSummary, Limits, Row, Setting, Weight, version::Version};
use crate::catalog::{Better, Counter};
use crate::evidence::Reading;
use std::collections::HashSet;

/// Conditions under which not even counts of work compare.
const HARDWARE: [&str; 3] = ["gpu", "sm-count", "work"];

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ReadingVerdict {
    pub id: String,
    pub verdict: Verdict,
    /// What it rests on; `None` where a side has no number or the numbers do not compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// Change in percent of the old side, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// Interval of the change in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
}

/// Decimals of ncu's CSV tables.
const PRINTED: i32 = 2;

impl Version<'_, '_> {
    /// Whether its numbers are those of a table that rounds.
    fn is_rounded(&self) -> bool {
        self.profile.origin.format.ends_with("csv")
    }

    /// Times or cycles, launch by launch: those of the profile, or of launches timed by themselves where these are more.
    fn times(&self, id: Counter) -> Vec<f64> {
        let own = self.kernel.values(id);
        let timed =
            self.side.launches.as_ref().map_or(&[][..], |timed| if id == CYCLES { &timed.cycles } else { &timed.ns });
        if timed.len() > own.len() { timed.to_vec() } else { own }
    }
}

/// What the comparison of two sides comes to.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Comparison {
    pub whole: Whole,
    /// The verdict on each reading with a number on either side, in table order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<ReadingVerdict>,
}

impl Comparison {
    /// Compares two kernels over the rows that show them. Every row is of metrics that both summaries can be asked for.
    pub(in crate::analysis) fn of<'a>(
        rows: impl IntoIterator<Item = &'a Row>,
        new: Version<'_, '_>,
        old: Version<'_, '_>,
        settings: &[Setting],
        limits: &Limits,
    ) -> Comparison {
        let breaks: Vec<&Setting> =
            settings.iter().filter(|setting| setting.weight == Weight::Breaks && setting.differs()).collect();
        let is_other_work = breaks.iter().any(|setting| HARDWARE.contains(&setting.id.as_str()));
        let decimals = (new.is_rounded() || old.is_rounded()).then_some(PRINTED);
        let mut readings: Vec<ReadingVerdict> = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        for row in rows {
            if !row.has_number() || !seen.insert(&row.id) {
                continue;
            }
            // The verdict rests on launches that were timed by themselves: the profiled one has no second say.
            let timed = [DURATION, CYCLES].into_iter().find(|id| row.id == *id);
            if timed.is_some_and(|id| [&new, &old].iter().any(|side| side.times(id) != side.kernel.values(id))) {
                continue;
            }
            let exact = is_exact(row);
            let judged = judged(row, new.kernel, old.kernel, exact.then_some(decimals), limits);
            let compares = breaks.is_empty() || (exact && !is_other_work);
            readings.push(verdict(row, judged, compares));
        }
        let values = |id: Counter| judge(&old.times(id), &new.times(id), limits);
        let evidence = whole::Measured {
            time: values(DURATION),
            cycles: values(CYCLES),
            causes: Causes::of(new.kernel, old.kernel, limits),
            failed: failed(new.kernel, false).or_else(|| failed(old.kernel, true)),
            has_held_clocks: has_held_clocks(&new, &old),
        };
        let whole = whole::decide(evidence, &breaks, settings, limits);
        if whole.verdict == Verdict::Ambiguous {
            // A row alone cannot claim what the kernel cannot.
            let claims = readings.iter_mut().filter(|row| matches!(row.verdict, Verdict::Faster | Verdict::Slower));
            claims.for_each(|row| row.verdict = Verdict::Ambiguous);
        }
        Comparison { whole, readings }
    }

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

/// Whether the clocks were the same: ncu held them, and one run measured both sides.
fn has_held_clocks(new: &Version<'_, '_>, old: &Version<'_, '_>) -> bool {
    let is_held = |side: &Version<'_, '_>| side.kernel.clock.is_some_and(|clock| clock.executed);
    let (report, of_old) = (&new.profile.origin.blake3, &old.profile.origin.blake3);
    !report.is_empty() && report == of_old && is_held(new) && is_held(old)
}

/// A launch that cannot have run: a grid without blocks, or a time that is no number.
fn failed(kernel: &KernelSummary<'_>, is_old: bool) -> Option<Why> {
    let has_no_blocks = kernel.key().grid.is_some_and(|grid| grid.count() == Some(0));
    let no_number = kernel.is_nan(DURATION).then_some(Why::NoNumber(is_old));
    has_no_blocks.then_some(Why::NoBlocks(is_old)).or(no_number)
}

/// The judgement of a row; `exact` holds the decimals of printed numbers where it rests on counters that do not vary.
fn judged(
    row: &Row,
    new: &KernelSummary<'_>,
    old: &KernelSummary<'_>,
    exact: Option<Option<i32>>,
    limits: &Limits,
) -> Option<Judged> {
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
    match exact {
        Some(decimals) => judge::exact(&old, &new, decimals, limits),
        None => judge(&old, &new, limits),
    }
}

fn verdict(row: &Row, judged: Option<Judged>, compares: bool) -> ReadingVerdict {
    let is_time = row.id == DURATION || row.id == CYCLES;
    let judged = judged.as_ref();
    let verdict = match (compares, judged.map(|judged| judged.course), row.better) {
        (_, None, _) => Verdict::NotMeasured,
        (false, ..) => Verdict::NotComparable,
        (_, Some(Course::Unclear), _) => Verdict::Ambiguous,
        (_, Some(Course::Same), _) => Verdict::Same,
        (_, Some(Course::Down), _) if is_time => Verdict::Faster,
        (_, Some(Course::Up), _) if is_time => Verdict::Slower,
        (_, Some(Course::Down), Better::Lower | Better::LowerOnceUsed) | (_, Some(Course::Up), Better::Higher) => {
            Verdict::Better
        }
        (_, _, Better::Neutral) => Verdict::Moved,
        (_, _, Better::LowerOnceUsed) if row.old.as_ref().and_then(Reading::value) == Some(0.0) => Verdict::Moved,
        _ => Verdict::Worse,
    };
    ReadingVerdict {
        id: row.id.clone(),
        verdict,
        basis: judged.filter(|_| compares).map(|judged| judged.basis),
        change: judged.and_then(|judged| judged.change),
        interval: judged.and_then(|judged| judged.interval),
    }
}
