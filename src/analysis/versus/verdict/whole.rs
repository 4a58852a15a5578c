//! The verdict on the kernel: it has to hold in cycles as well as in time.

use super::judge::{Basis, Course, Judged};
use super::word::Verdict;
use crate::analysis::limits::Limits;
use crate::analysis::versus::setting::Setting;
use crate::catalog::Threshold;
use crate::quantity::format;

/// The verdict on a kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Whole {
    /// One word.
    pub verdict: Verdict,
    /// Why, in a sentence or two of plain text.
    pub reason: String,
    /// What would decide, in plain text; empty where it is decided.
    pub cure: String,
    /// Time of a launch.
    pub time: Option<Judged>,
    /// Cycles of a launch.
    pub cycles: Option<Judged>,
    /// The largest slow-down in percent that the intervals of time and cycles leave possible; `None` without intervals.
    pub worst: Option<f64>,
}

impl Whole {
    /// Takes every word on performance away from a kernel whose results are wrong, or that is compared with such a one.
    pub(in crate::analysis) fn void(&mut self, verdict: Verdict, reason: String, cure: &str) {
        (self.verdict, self.reason, self.cure, self.worst) = (verdict, reason, cure.to_owned(), None);
    }

    /// Change of the time in percent of the old side.
    pub fn change(&self) -> Option<f64> {
        self.time.as_ref()?.change
    }
}

/// Counters that do not vary.
pub(super) struct Counters {
    /// Labels of those that moved.
    pub(super) moved: Vec<String>,
    /// How many did not.
    pub(super) equal: usize,
}

/// The course on which time and cycles agree. Cycles carry the claim, because clocks do not move them; time has to go
/// the same way by more than `unchanged`.
pub fn both_agree(time: &Judged, cycles: &Judged, limits: &Limits) -> Course {
    let counts = |change: Option<f64>| change.is_some_and(|change| change.abs() > limits[Threshold::Unchanged]);
    match cycles.course {
        Course::Down if counts(time.change) && time.change < Some(0.0) => Course::Down,
        Course::Up if counts(time.change) && time.change > Some(0.0) => Course::Up,
        Course::Same if time.course == Course::Same => Course::Same,
        _ => Course::Unclear,
    }
}

pub(super) fn decide(
    time: Option<Judged>,
    cycles: Option<Judged>,
    counters: &Counters,
    is_other_launch: bool,
    breaks: &[&Setting],
    settings: &[Setting],
    limits: &Limits,
) -> Whole {
    let worst = [&time, &cycles].into_iter().try_fold(f64::MIN, |worst: f64, side| {
        let (_, high) = side.as_ref()?.interval?;
        Some(worst.max(high))
    });
    let (verdict, reason, cure) = if breaks.is_empty() {
        match (&time, &cycles) {
            (Some(time), Some(cycles)) => measured(time, cycles, counters, is_other_launch, settings, limits),
            (Some(_), None) => (
                Verdict::Ambiguous,
                "There are times and no cycles on both sides, so the clocks cannot be ruled out.".to_owned(),
                "Collect gpc__cycles_elapsed.max on both sides.".to_owned(),
            ),
            (None, _) => (
                Verdict::NotMeasured,
                "A side has no duration.".to_owned(),
                "Collect gpu__time_duration.sum on both sides.".to_owned(),
            ),
        }
    } else {
        let list: Vec<String> = breaks.iter().map(|setting| differs(setting)).collect();
        let cure = "Measure both sides under the same conditions.".to_owned();
        (Verdict::NotComparable, format!("The sides differ in {}.", list.join("; ")), cure)
    };
    Whole { verdict, reason, cure, time, cycles, worst }
}

fn measured(
    time: &Judged,
    cycles: &Judged,
    counters: &Counters,
    is_other_launch: bool,
    settings: &[Setting],
    limits: &Limits,
) -> (Verdict, String, String) {
    let course = both_agree(time, cycles, limits);
    let single = cycles.basis == Basis::Single;
    let numbers = format!("{} {}, {} in time", moved_by(cycles), "in cycles", moved_by(time));
    let evidence = basis(cycles, limits);
    let witness = match counters.moved.as_slice() {
        [] => format!("the {} counters that repeat exactly from launch to launch are the same", counters.equal),
        some => format!(
            "of {} counters that repeat exactly from launch to launch, {} differ{}",
            some.len() + counters.equal,
            some.len(),
            if some.len() == 1 { "s" } else { "" }
        ),
    };
    let has_cause = !counters.moved.is_empty() || is_other_launch;
    match course {
        Course::Down | Course::Up if single && !has_cause => (
            Verdict::Ambiguous,
            format!("{numbers}, but {evidence} cannot tell noise from change, and no counter explains it: {witness}."),
            "Profile the kernel five times or more on each side.".to_owned(),
        ),
        Course::Down | Course::Up => {
            let verdict = if course == Course::Down { Verdict::Faster } else { Verdict::Slower };
            let support = if single { format!("{evidence}; {witness}") } else { evidence };
            (verdict, format!("{numbers}: {support}."), String::new())
        }
        Course::Same => {
            let support = if single { format!("{evidence}; {witness}") } else { evidence };
            (Verdict::Same, format!("{numbers}: {support}."), String::new())
        }
        Course::Unclear => {
            let why = disagreement(time, cycles, settings).unwrap_or_else(|| undecided(cycles, limits));
            (Verdict::Ambiguous, format!("{numbers}. {why}"), cure(time, cycles, limits))
        }
    }
}

/// `−3.1 %` with its interval.
fn moved_by(judged: &Judged) -> String {
    let change = format::change(judged.old.median, judged.new.median);
    match (judged.change, judged.interval) {
        (Some(_), Some((low, high))) => format!("{change} (between {} and {})", percent(low), percent(high)),
        _ => change,
    }
}

fn percent(value: f64) -> String {
    format::change(100.0, 100.0 + value)
}

fn basis(cycles: &Judged, limits: &Limits) -> String {
    let (old, new) = (cycles.old.count, cycles.new.count);
    match cycles.basis {
        Basis::Interval => format!(
            "{new} launches against {old}, {} % confidence, the same in time and in cycles",
            format::fixed(limits[Threshold::VerdictConfidence], 1)
        ),
        Basis::Ranges => format!("{new} launches against {old}, judged by their ranges"),
        Basis::Single | Basis::Exact => sole(cycles),
    }
}

/// `one launch on each side`, or which side has but one.
fn sole(judged: &Judged) -> String {
    match (judged.old.count, judged.new.count) {
        (1, 1) => "one launch on each side".to_owned(),
        (1, new) => format!("{new} launches against a single one"),
        (old, _) => format!("a single launch against {old}"),
    }
}

/// Time moved and cycles did not follow, or the other way round.
fn disagreement(time: &Judged, cycles: &Judged, settings: &[Setting]) -> Option<String> {
    let is_firm = |course: Course| course != Course::Unclear;
    if time.course == cycles.course || !(is_firm(time.course) && is_firm(cycles.course)) {
        return None;
    }
    let clock = settings.iter().find(|setting| setting.id == "sm-clock" && setting.differs()).map(differs);
    let clock = clock.map_or_else(String::new, |clock| format!(" ({clock})"));
    Some(format!("Time and cycles disagree, so the clocks moved rather than the kernel{clock}."))
}

fn undecided(cycles: &Judged, limits: &Limits) -> String {
    match cycles.basis {
        Basis::Interval => "The interval holds both no change and one that would count.".to_owned(),
        Basis::Ranges => format!(
            "With {} and {} launches the ranges must not meet, the medians must differ by more than {} %, and by so much more than the launches scatter that chance gives it once in {}.",
            cycles.old.count,
            cycles.new.count,
            format::fixed(limits[Threshold::Regression], 1),
            format::fixed(100.0 / (100.0 - limits[Threshold::VerdictConfidence]), 0)
        ),
        Basis::Single | Basis::Exact => format!(
            "With {} a change counts from {} % on, and is none up to {} %.",
            sole(cycles),
            format::fixed(limits[Threshold::Regression], 1),
            format::fixed(limits[Threshold::Unchanged], 1)
        ),
    }
}

fn cure(time: &Judged, cycles: &Judged, limits: &Limits) -> String {
    let wild = [&cycles.old, &cycles.new].into_iter().filter_map(|sample| sample.scatter).fold(0.0, f64::max);
    let count = cycles.old.count.min(cycles.new.count);
    if time.course != cycles.course && cycles.course != Course::Unclear {
        return "Lock the clocks (--clock-control base) on both sides and measure again.".to_owned();
    }
    let wanted = if count < 5 { 20 } else { 4 * count };
    let steady = if wild > limits[Threshold::Dispersion] {
        format!(
            " The launches scatter by {} %: lock the clocks and leave out warm-up launches.",
            format::fixed(wild, 1)
        )
    } else {
        String::new()
    };
    format!("Profile {wanted} launches or more on each side.{steady}")
}

fn differs(setting: &Setting) -> String {
    let side = |text: &Option<String>| text.clone().unwrap_or_default();
    format!("{}: {} → {}", setting.label, side(&setting.old), side(&setting.new))
}
