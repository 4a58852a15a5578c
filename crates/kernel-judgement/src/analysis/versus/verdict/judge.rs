//! The verdict on one reading from the values of both sides.

use super::samples::{Sample, Shift, chance};
use crate::analysis::Limits;
use crate::catalog::Threshold;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// A counter that does not vary from launch to launch: any difference is real.
    Exact,
    /// Enough launches on both sides for an interval of the factor between them.
    Interval,
    /// Few launches: the ranges of the two sides must not meet, and their distance must be rare beside their scatter.
    Ranges,
    /// One launch on a side: noise cannot be told from change.
    Single,
}

/// Which way a reading went, if that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Course {
    /// Down, beyond doubt.
    Down,
    /// Up, beyond doubt.
    Up,
    /// Unchanged, as far as it matters.
    Same,
    /// The evidence does not decide.
    Unclear,
}

/// The judgement of one reading.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Judged {
    pub old: Sample,
    pub new: Sample,
    /// Change in percent of the old side; `None` where the old side is not positive.
    pub change: Option<f64>,
    /// Interval of that change in percent, at the confidence of the threshold `verdict-confidence`.
    pub interval: Option<(f64, f64)>,
    pub basis: Basis,
    pub course: Course,
    /// Which way, if something else than these numbers explains it. Few launches whose ranges are apart lean.
    pub leaning: Course,
}

impl Judged {
    /// The change for a sentence, in percent of the old side: that which the interval is about, else that of the medians.
    pub fn percent(&self) -> f64 {
        self.change.unwrap_or_else(|| 100.0 * (self.new.median / self.old.median - 1.0))
    }
}

/// Judges a counter that does not vary: the medians are compared as they are, or to the decimals that a table printed.
pub(super) fn exact(old: &[f64], new: &[f64], decimals: Option<i32>, limits: &Limits) -> Option<Judged> {
    let (old, new) = sides(old, new, limits)?;
    let is_printed_alike = decimals.is_some_and(|decimals| {
        let unit = 10f64.powi(-decimals);
        (new.median - old.median).abs() <= 0.5 * unit * (1.0 + f64::EPSILON * 1e3)
    });
    let course = if is_printed_alike { Course::Same } else { toward(new.median - old.median) };
    let change = (old.median > 0.0).then(|| 100.0 * (new.median / old.median - 1.0));
    Some(Judged { old, new, change, interval: None, basis: Basis::Exact, course, leaning: course })
}

/// Judges values that scatter. `None` without values on a side.
///
/// - With an interval (five launches or more on each side at 99 %): moved when the interval of the factor leaves out 1
///   and the factor is further from 1 than `unchanged`; the same when the interval does not, or the factor is not, and
///   the whole interval lies within half of `regression`.
/// - With fewer launches: moved when the ranges are apart, the medians differ by more than `regression`, and Student's test
///   finds that distance as rare as the confidence asks; the same when all values lie within `unchanged` of each other.
/// - With one on a side: the same also when it lies in the range of the others and within `unchanged` of their median; moved when the ranges are apart and differ by more than `regression`, and the caller has to look
///   for a cause.
///
/// Of two to four launches, `leaning` asks for less: ranges that are apart, and either the distance or the rarity.
pub fn judge(old: &[f64], new: &[f64], limits: &Limits) -> Option<Judged> {
    let confidence = limits[Threshold::VerdictConfidence];
    let shift = Shift::of(old, new, confidence);
    let is_rare = chance(old, new).is_some_and(|chance| chance <= 1.0 - confidence / 100.0);
    let (old, new) = sides(old, new, limits)?;
    let single = old.count.min(new.count) == 1;
    let Some(shift) = shift else {
        let course = if old.max == new.max && old.min == new.min && old.min == old.max {
            Course::Same
        } else if apart(&old, &new) && old.count > 1 && new.count > 1 {
            toward(new.median - old.median)
        } else {
            Course::Unclear
        };
        let basis = if single { Basis::Single } else { Basis::Ranges };
        return Some(Judged { old, new, change: None, interval: None, basis, course, leaning: course });
    };
    let percent = |factor: f64| 100.0 * (factor - 1.0);
    let change = percent(shift.factor);
    let interval = shift.interval.map(|(low, high)| (percent(low), percent(high)));
    let by_ranges = by_ranges(change, &old, &new, limits);
    let (basis, course) = match interval {
        Some(interval) => (Basis::Interval, by_interval(change, interval, limits)),
        // One launch inside the range of many, beside their median, is what a single one beside another is.
        None if single && !apart(&old, &new) && change.abs() <= limits[Threshold::Unchanged] => {
            (Basis::Single, Course::Same)
        }
        None if single => (Basis::Single, by_ranges),
        None => match by_ranges {
            Course::Down | Course::Up if !is_rare => (Basis::Ranges, Course::Unclear),
            course => (Basis::Ranges, course),
        },
    };
    let is_rare_and_counts = is_rare && change.abs() > limits[Threshold::Unchanged];
    let leaning = match basis {
        Basis::Ranges if apart(&old, &new) && is_rare_and_counts => toward(change),
        Basis::Ranges => by_ranges,
        Basis::Interval | Basis::Single | Basis::Exact => course,
    };
    Some(Judged { old, new, change: Some(change), interval, basis, course, leaning })
}

fn sides(old: &[f64], new: &[f64], limits: &Limits) -> Option<(Sample, Sample)> {
    let confidence = limits[Threshold::VerdictConfidence];
    Some((Sample::of(old, confidence)?, Sample::of(new, confidence)?))
}

fn by_interval(change: f64, (low, high): (f64, f64), limits: &Limits) -> Course {
    if (low > 0.0 || high < 0.0) && change.abs() > limits[Threshold::Unchanged] {
        return toward(change);
    }
    let bound = limits[Threshold::Regression] / 2.0;
    if -bound < low && high < bound { Course::Same } else { Course::Unclear }
}

fn by_ranges(change: f64, old: &Sample, new: &Sample, limits: &Limits) -> Course {
    let whole = 100.0 * (old.max.max(new.max) / old.min.min(new.min) - 1.0);
    if whole <= limits[Threshold::Unchanged] {
        Course::Same
    } else if apart(old, new) && change.abs() > limits[Threshold::Regression] {
        toward(change)
    } else {
        Course::Unclear
    }
}

/// Whether the ranges of the two sides do not meet.
fn apart(old: &Sample, new: &Sample) -> bool {
    old.max < new.min || new.max < old.min
}

fn toward(difference: f64) -> Course {
    match difference {
        d if d < 0.0 => Course::Down,
        d if d > 0.0 => Course::Up,
        _ => Course::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(old: &[f64], new: &[f64]) -> (Basis, Course) {
        let judged = judge(old, new, &Limits::default()).expect("values");
        (judged.basis, judged.course)
    }

    #[test]
    fn single_launches_need_more_than_the_regression_threshold() {
        assert_eq!(course(&[100.0], &[94.0]), (Basis::Single, Course::Down));
        assert_eq!(course(&[100.0], &[96.0]), (Basis::Single, Course::Unclear));
        assert_eq!(course(&[100.0], &[100.4]), (Basis::Single, Course::Same));
        assert_eq!(course(&[100.0], &[99.0, 100.1, 101.0]), (Basis::Single, Course::Same));
        assert_eq!(course(&[100.0], &[100.2, 100.3, 101.0]), (Basis::Single, Course::Unclear));
    }

    #[test]
    fn few_launches_need_ranges_that_do_not_meet() {
        assert_eq!(course(&[100.0, 101.0, 102.0], &[110.0, 111.0]), (Basis::Ranges, Course::Up));
        assert_eq!(course(&[100.0, 101.0, 112.0], &[110.0, 111.0]), (Basis::Ranges, Course::Unclear));
        assert_eq!(course(&[100.0, 101.0], &[103.0, 104.0]), (Basis::Ranges, Course::Unclear));
        assert_eq!(course(&[100.0, 100.1], &[100.2]), (Basis::Single, Course::Same));
        // Apart and 6 % away, but two launches on a side that scatter by 2 % are so far apart by chance, too.
        assert_eq!(course(&[100.0, 102.0], &[106.0, 108.5]), (Basis::Ranges, Course::Unclear));
        assert_eq!(course(&[100.0, 100.2], &[106.0, 106.3]), (Basis::Ranges, Course::Up));
    }

    #[test]
    fn few_launches_lean_where_a_cause_would_settle_it() {
        let leaning = |old: &[f64], new: &[f64]| judge(old, new, &Limits::default()).expect("values").leaning;
        // 6 % apart, and not rare beside the scatter; or rare, and below the regression threshold.
        assert_eq!(leaning(&[100.0, 102.0], &[106.0, 108.5]), Course::Up);
        assert_eq!(leaning(&[100.0, 100.06], &[96.9, 96.95]), Course::Down);
        assert_eq!(leaning(&[100.0, 107.0], &[106.0, 113.0]), Course::Unclear);
    }

    #[test]
    fn a_table_that_rounded_is_no_change() {
        let course =
            |new: f64, decimals| exact(&[7.757_575], &[new], decimals, &Limits::default()).expect("values").course;
        assert_eq!(course(7.76, Some(2)), Course::Same);
        assert_eq!(course(7.76, None), Course::Up);
        assert_eq!(course(7.77, Some(2)), Course::Up);
    }

    #[test]
    fn many_launches_show_small_changes() {
        let noisy = |centre: f64| -> Vec<f64> { (0..20).map(|i| centre * (1.0 + 0.002 * f64::from(i % 7))).collect() };
        assert_eq!(course(&noisy(100.0), &noisy(102.0)), (Basis::Interval, Course::Up));
        assert_eq!(course(&noisy(100.0), &noisy(100.0)), (Basis::Interval, Course::Same));
        // A proven change that is too small to count is none.
        let steady = |centre: f64| -> Vec<f64> { (0..20).map(|i| centre + 0.001 * f64::from(i)).collect() };
        assert_eq!(course(&steady(100.0), &steady(100.3)), (Basis::Interval, Course::Same));
        // Noise hides a small change, and does not make it nothing.
        let wild = |centre: f64| -> Vec<f64> { (0..20).map(|i| centre * (1.0 + 0.02 * f64::from(i % 7))).collect() };
        assert_eq!(course(&wild(100.0), &wild(100.2)), (Basis::Interval, Course::Unclear));
    }

    #[test]
    fn zeros_are_judged_without_a_factor() {
        assert_eq!(course(&[0.0, 0.0], &[0.0, 0.0]).1, Course::Same);
        assert_eq!(course(&[0.0, 0.0], &[3.0, 4.0]).1, Course::Up);
        assert_eq!(course(&[0.0], &[3.0]).1, Course::Unclear);
    }
}
