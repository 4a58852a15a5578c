//! The verdict on the kernel: it has to hold in cycles as well as in time.

use super::cause::{Cause, Causes};
use super::judge::{Basis, Course, Judged};
use super::word::Verdict;
use crate::analysis::{KernelKey, Limits, Setting};
use crate::catalog::Threshold;

/// The verdict on a kernel. In JSON it stands with its words, which the view makes.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Whole {
    pub verdict: Verdict,
    /// What the profile alone comes to.
    #[serde(skip)]
    pub profile: Verdict,
    #[serde(skip)]
    pub why: Why,
    /// What the benchmark does to it; `None` without one, and where the sides do not compare.
    #[serde(skip)]
    pub benchmark: Option<Join>,
    /// The new and the old kernel, where nothing says that they do the same work.
    #[serde(skip)]
    pub other_work: Option<(KernelKey, KernelKey)>,
    /// Time of a launch.
    pub time: Option<Judged>,
    /// Cycles of a launch.
    pub cycles: Option<Judged>,
    /// The largest slow-down in percent that the intervals of time and cycles leave possible; `None` without intervals.
    pub worst: Option<f64>,
}

/// Why a comparison comes to its verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// The kernel's results are wrong.
    Wrong,
    /// The old side's results are wrong.
    OldWrong,
    /// A launch cannot have run, its grid holding no blocks; whether it is the old side's.
    NoBlocks(bool),
    /// A launch cannot have run, its time being no number; whether it is the old side's.
    NoNumber(bool),
    /// The sides were measured under conditions that do not compare.
    Conditions(Vec<Setting>),
    /// There are times and no cycles on both sides.
    NoCycles,
    /// A side has no time.
    NoTime,
    /// The launches decide; few of them by what explains the change.
    Decided(Option<Cause>),
    /// One launch on a side moved, and nothing explains it.
    Unexplained,
    /// Time and cycles disagree; with the SM clock, where it is known to differ.
    Disagreement(Option<Setting>),
    /// The launches do not decide.
    Undecided,
}

/// How the verdict of a benchmark goes with that of the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Both decide, and alike.
    Agrees,
    /// It decides where the profile does not.
    Decides,
    /// Both decide and differ, so that neither does.
    Contradicts,
    /// It does not decide.
    Silent,
}

impl Whole {
    /// Takes every word on performance away from a kernel whose results are wrong, or that is compared with such a one.
    pub(in crate::analysis) fn void(&mut self, verdict: Verdict, why: Why) {
        (self.verdict, self.why, self.worst) = (verdict, why, None);
        (self.benchmark, self.other_work) = (None, None);
    }

    /// Warns where two kernels of other name and other grid are compared, and nobody states that they do the same work.
    pub(in crate::analysis) fn warn_of_other_work(&mut self, new: &KernelKey, old: &KernelKey) {
        let is_other = new.function != old.function && new.grid != old.grid;
        self.other_work = is_other.then(|| (new.clone(), old.clone()));
    }

    /// Adds what the benchmark says, with the change of its time in percent where its sides compare. It decides where the profile does
    /// not; where both decide and differ, neither does, nor where the time that it measures moves by no more than what is the same.
    /// Sides that do not compare stay so.
    pub(in crate::analysis) fn join(&mut self, benchmark: Verdict, change: Option<f64>, limits: &Limits) {
        let is_still = change.is_some_and(|change| change.abs() <= limits[Threshold::Unchanged]);
        let moves = matches!(self.profile, Verdict::Faster | Verdict::Slower);
        let join = match (self.profile, self.profile.is_decided(), benchmark.is_decided()) {
            (Verdict::NotComparable, ..) => return,
            (_, true, false) if is_still && moves => Join::Contradicts,
            (own, true, true) if own == benchmark => Join::Agrees,
            (_, true, true) => Join::Contradicts,
            (_, false, true) => Join::Decides,
            (.., false) => Join::Silent,
        };
        self.benchmark = Some(join);
        match join {
            Join::Decides => self.verdict = benchmark,
            Join::Contradicts => self.verdict = Verdict::Ambiguous,
            Join::Agrees | Join::Silent => {}
        }
    }

    /// Change of the time in percent of the old side.
    pub fn change(&self) -> Option<f64> {
        self.time.as_ref()?.change
    }
}

/// What the verdict on the kernel is made from.
pub(super) struct Measured {
    pub(super) time: Option<Judged>,
    pub(super) cycles: Option<Judged>,
    /// What could explain a change.
    pub(super) causes: Causes,
    pub(super) failed: Option<Why>,
    /// Whether one run measured both sides with its clocks held, so that time alone tells.
    pub(super) has_held_clocks: bool,
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
    let (verdict, why) = match (failed, &time, &cycles) {
        (Some(failed), ..) => (Verdict::NotMeasured, failed),
        _ if !breaks.is_empty() => {
            let breaks = breaks.iter().map(|setting| (*setting).clone());
            (Verdict::NotComparable, Why::Conditions(breaks.collect()))
        }
        (_, None, _) => (Verdict::NotMeasured, Why::NoTime),
        (_, Some(_), None) if !has_held_clocks => (Verdict::Ambiguous, Why::NoCycles),
        (_, Some(time), cycles) => measured(time, cycles.as_ref(), &causes, settings, limits),
    };
    Whole { verdict, profile: verdict, why, benchmark: None, other_work: None, time, cycles, worst }
}

/// The verdict on times, and on cycles where there are some; without, the clocks were held.
fn measured(
    time: &Judged,
    cycles: Option<&Judged>,
    causes: &Causes,
    settings: &[Setting],
    limits: &Limits,
) -> (Verdict, Why) {
    let carrier = cycles.unwrap_or(time);
    let settled = both_agree(time, carrier, limits);
    let leaning = agreed(time, carrier, |judged| judged.leaning, limits);
    let is_few = matches!(carrier.basis, Basis::Single | Basis::Ranges);
    let cause = carrier.change.filter(|_| is_few).and_then(|change| causes.explaining(change, limits));
    let claim = |course| if course == Course::Down { Verdict::Faster } else { Verdict::Slower };
    match (settled, leaning, cause) {
        (Course::Same, ..) => (Verdict::Same, Why::Decided(None)),
        (Course::Down | Course::Up, _, None) if carrier.basis == Basis::Single => {
            (Verdict::Ambiguous, Why::Unexplained)
        }
        (Course::Down | Course::Up, _, None) => (claim(settled), Why::Decided(None)),
        (_, Course::Down | Course::Up, cause @ Some(_)) => (claim(leaning), Why::Decided(cause)),
        _ if time.course != carrier.course && ![time.course, carrier.course].contains(&Course::Unclear) => {
            let clock = settings.iter().find(|setting| setting.id == "sm-clock" && setting.differs());
            (Verdict::Ambiguous, Why::Disagreement(clock.cloned()))
        }
        _ => (Verdict::Ambiguous, Why::Undecided),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(profile: Verdict, benchmark: Verdict, change: Option<f64>) -> (Verdict, Option<Join>) {
        let evidence =
            Measured { time: None, cycles: None, causes: Causes::default(), failed: None, has_held_clocks: false };
        let mut whole = decide(evidence, &[], &[], &Limits::default());
        (whole.verdict, whole.profile) = (profile, profile);
        whole.join(benchmark, change, &Limits::default());
        (whole.verdict, whole.benchmark)
    }

    #[test]
    fn a_benchmark_decides_where_the_profile_does_not_and_a_contradiction_decides_nothing() {
        use Verdict::{Ambiguous, Faster, NotComparable, Same, Slower};
        assert_eq!(joined(Ambiguous, Faster, None), (Faster, Some(Join::Decides)));
        assert_eq!(joined(Faster, Faster, None), (Faster, Some(Join::Agrees)));
        assert_eq!(joined(Faster, Slower, None), (Ambiguous, Some(Join::Contradicts)));
        assert_eq!(joined(Faster, Ambiguous, None), (Faster, Some(Join::Silent)));
        // 1.5 % more cycles at another clock, and a time that is the same: nobody waits longer.
        assert_eq!(joined(Slower, Ambiguous, Some(0.4)), (Ambiguous, Some(Join::Contradicts)));
        assert_eq!(joined(Slower, Ambiguous, Some(3.1)), (Slower, Some(Join::Silent)));
        assert_eq!(joined(Slower, NotComparable, None), (Slower, Some(Join::Silent)));
        assert_eq!(joined(Same, Ambiguous, Some(0.1)), (Same, Some(Join::Silent)));
        assert_eq!(joined(NotComparable, Faster, None), (NotComparable, None));
    }
}
