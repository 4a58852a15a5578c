//! The verdict on the kernel: it has to hold in cycles as well as in time.

use super::cause::Causes;
use super::judge::{Basis, Course, Judged};
use super::word::Verdict;
use crate::analysis::kernel::select::KernelKey;
use crate::analysis::limits::Limits;
use crate::analysis::versus::setting::Setting;
use crate::catalog::Threshold;
use crate::quantity::format;

/// The verdict on a kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Whole {
    /// One word.
    pub verdict: Verdict,
    /// Why, in a sentence or two of plain text.
    pub reason: String,
    /// On what it rests, a sentence part without the numbers; empty where it does not decide.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ground: String,
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
        self.ground.clear();
    }

    /// Warns where two kernels of other name and other grid are compared, and nobody states that they do the same work.
    pub(in crate::analysis) fn warn_of_other_work(&mut self, new: &KernelKey, old: &KernelKey) {
        if new.function != old.function && new.grid != old.grid {
            let shape = |key: &KernelKey| {
                let grid = key.grid.map_or_else(String::new, |grid| format!(" in a grid of {grid}"));
                format!("{}{grid}", key.short_name())
            };
            let caution = format!(
                "{} is compared with {}, and the work is not stated for both; they may not compute the same",
                shape(new),
                shape(old)
            );
            self.reason += &format!(" Caution: {caution}.");
            if !self.ground.is_empty() {
                self.ground += &format!(". Caution: {caution}");
            }
        }
    }

    /// Change of the time in percent of the old side.
    pub fn change(&self) -> Option<f64> {
        self.time.as_ref()?.change
    }
}

/// From this factor on a change is told as a factor: percentages would all read 100.
const MANIFOLD: f64 = 100.0;

/// What the verdict on the kernel is made from.
pub(super) struct Measured {
    pub(super) time: Option<Judged>,
    pub(super) cycles: Option<Judged>,
    /// What could explain a change.
    pub(super) causes: Causes,
    /// Which launch failed, as a sentence part.
    pub(super) failed: Option<String>,
    /// Whether one run measured both sides with its clocks held, so that time alone tells.
    pub(super) has_held_clocks: bool,
}

/// A verdict in words.
struct Said {
    verdict: Verdict,
    reason: String,
    ground: String,
    cure: String,
}

impl Said {
    fn decided(verdict: Verdict, numbers: &str, ground: String) -> Said {
        Said { verdict, reason: format!("{numbers}: {ground}."), ground, cure: String::new() }
    }

    fn open(verdict: Verdict, reason: String, cure: String) -> Said {
        Said { verdict, reason, ground: String::new(), cure }
    }
}

/// The course on which time and cycles agree. Cycles carry the claim, because clocks do not move them; time has to go
/// the same way by more than `unchanged`.
pub fn both_agree(time: &Judged, cycles: &Judged, limits: &Limits) -> Course {
    agreed(time, cycles, |judged| judged.course, limits)
}

fn agreed(time: &Judged, cycles: &Judged, course: fn(&Judged) -> Course, limits: &Limits) -> Course {
    let counts = |change: Option<f64>| change.is_some_and(|change| change.abs() > limits[Threshold::Unchanged]);
    match course(cycles) {
        Course::Down if counts(time.change) && time.change < Some(0.0) => Course::Down,
        Course::Up if counts(time.change) && time.change > Some(0.0) => Course::Up,
        Course::Same if course(time) == Course::Same => Course::Same,
        _ => Course::Unclear,
    }
}

pub(super) fn decide(evidence: Measured, breaks: &[&Setting], settings: &[Setting], limits: &Limits) -> Whole {
    let Measured { time, cycles, causes, failed, has_held_clocks } = evidence;
    let worst = [&time, &cycles].into_iter().try_fold(f64::MIN, |worst: f64, side| {
        let (_, high) = side.as_ref()?.interval?;
        Some(worst.max(high))
    });
    let said = if let Some(failed) = failed {
        let cure = "Fix the launch, then profile it again.".to_owned();
        Said::open(Verdict::NotMeasured, format!("{}.", capital(&failed)), cure)
    } else if breaks.is_empty() {
        match (&time, &cycles) {
            (Some(time), Some(cycles)) => measured(time, Some(cycles), &causes, settings, limits),
            (Some(time), None) if has_held_clocks => measured(time, None, &causes, settings, limits),
            (Some(_), None) => Said::open(
                Verdict::Ambiguous,
                "There are times and no cycles on both sides, so the clocks cannot be ruled out.".to_owned(),
                "Collect gpc__cycles_elapsed.max on both sides.".to_owned(),
            ),
            (None, _) => Said::open(
                Verdict::NotMeasured,
                "A side has no duration.".to_owned(),
                "Collect gpu__time_duration.sum on both sides.".to_owned(),
            ),
        }
    } else {
        let list: Vec<String> = breaks.iter().map(|setting| differs(setting)).collect();
        let cure = "Measure both sides under the same conditions.".to_owned();
        Said::open(Verdict::NotComparable, format!("The sides differ in {}.", list.join("; ")), cure)
    };
    Whole { verdict: said.verdict, reason: said.reason, ground: said.ground, cure: said.cure, time, cycles, worst }
}

/// The verdict on times, and on cycles where there are some; without, the clocks were held.
fn measured(time: &Judged, cycles: Option<&Judged>, causes: &Causes, settings: &[Setting], limits: &Limits) -> Said {
    let carrier = cycles.unwrap_or(time);
    let evidence = basis(carrier, limits);
    let numbers = match cycles {
        Some(cycles) => format!("{} in cycles, {} in time", moved_by(cycles), moved_by(time)),
        None => format!("{} in time with locked clocks, in one run of ncu", moved_by(time)),
    };
    let settled = both_agree(time, carrier, limits);
    let leaning = agreed(time, carrier, |judged| judged.leaning, limits);
    let is_few = matches!(carrier.basis, Basis::Single | Basis::Ranges);
    let cause = carrier.change.filter(|_| is_few).and_then(|change| causes.explaining(change, limits));
    let claim = |course| if course == Course::Down { Verdict::Faster } else { Verdict::Slower };
    match (settled, leaning, cause) {
        (Course::Same, ..) => Said::decided(Verdict::Same, &numbers, evidence),
        (Course::Down | Course::Up, _, None) if carrier.basis == Basis::Single => Said::open(
            Verdict::Ambiguous,
            format!(
                "{numbers}, but {evidence} cannot tell noise from change, and no counter explains it in sign and size."
            ),
            "Profile the kernel five times or more on each side.".to_owned(),
        ),
        (Course::Down | Course::Up, _, None) => Said::decided(claim(settled), &numbers, evidence),
        (_, Course::Down | Course::Up, Some(cause)) => {
            Said::decided(claim(leaning), &numbers, format!("{evidence}; explained by {cause}"))
        }
        _ => {
            let disagreement = cycles.and_then(|cycles| disagreement(time, cycles, settings));
            let why = disagreement.unwrap_or_else(|| undecided(carrier, limits));
            Said::open(Verdict::Ambiguous, format!("{numbers}. {why}"), cure(time, carrier, limits))
        }
    }
}

/// `−3.1 %` with its interval.
fn moved_by(judged: &Judged) -> String {
    let (old, new) = (judged.old.median, judged.new.median);
    if old > 0.0 && new > 0.0 && (new >= MANIFOLD * old || old >= MANIFOLD * new) {
        let (sign, factor) = if new > old { ("×", new / old) } else { ("÷", old / new) };
        return format!("{sign} {}", format::plain(factor, 0));
    }
    let change = format::change(old, new);
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
            "{new} launches against {old}, {} % confidence",
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
        Basis::Interval => "The interval includes both no change and a change that counts.".to_owned(),
        Basis::Ranges => format!(
            "With {} and {} launches a change needs ranges that do not overlap, medians more than {} % apart, and a distance beyond the scatter that chance reaches once in {}.",
            cycles.old.count,
            cycles.new.count,
            format::fixed(limits[Threshold::Regression], 1),
            format::fixed(100.0 / (100.0 - limits[Threshold::VerdictConfidence]), 0)
        ),
        Basis::Single | Basis::Exact => format!(
            "With {}, {} % or more is a change and {} % or less is none.",
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

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn differs(setting: &Setting) -> String {
    let side = |text: &Option<String>| text.clone().unwrap_or_default();
    format!("{}: {} → {}", setting.label, side(&setting.old), side(&setting.new))
}
