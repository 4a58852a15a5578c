//! The verdict of the profile and that of the benchmark, brought together.

use super::changed::TimedChange;
use crate::analysis::versus::verdict::{Verdict, Whole};
use crate::quantity::format;

impl Whole {
    /// Adds what the benchmark says. It decides where the profile does not; where both decide and differ, neither does.
    /// Sides that do not compare stay so.
    pub(in crate::analysis) fn join_times(&mut self, timed: &TimedChange) {
        let numbers = numbers(timed);
        let (own, other) = (self.verdict, timed.verdict);
        if own == Verdict::NotComparable {
            return;
        }
        if own == other && own.is_decided() {
            self.reason += &format!(" The benchmark agrees: {numbers}.");
            self.ground += &format!("; the benchmark agrees, {numbers}");
        } else if other.is_decided() && !own.is_decided() {
            self.ground = format!("by the benchmark, {numbers}; the profile alone is {own}");
            self.reason = format!("By the benchmark: {numbers}. The profile alone is {own}: {}", self.reason);
            self.verdict = other;
            self.cure.clear();
        } else if other.is_decided() {
            self.reason = format!(
                "The profile says {own} and the benchmark {other}. Profile: {} Benchmark: {numbers}.",
                self.reason
            );
            self.verdict = Verdict::Ambiguous;
            self.ground.clear();
            self.cure = "Profile five launches or more on each side, and time both sides on one machine.".to_owned();
        } else {
            self.reason += &format!(" The benchmark is {other}: {}.", timed.why);
            if own.is_decided() {
                let time = format::change(timed.time.old.median, timed.time.new.median);
                self.ground += &format!("; the benchmark does not decide ({time}): {}", timed.why);
            }
        }
    }
}

/// `−3.1 % in time (between −3.3 % and −2.9 %), 60 samples against 45`.
fn numbers(timed: &TimedChange) -> String {
    let time = &timed.time;
    let between = time.interval.map(|(low, high)| {
        format!(" (between {} and {})", format::change(100.0, 100.0 + low), format::change(100.0, 100.0 + high))
    });
    format!(
        "{} in time{}, {} samples against {}",
        // Without an interval the medians are what there is.
        time.interval.map_or_else(
            || format::change(time.old.median, time.new.median),
            |_| format::change(100.0, 100.0 + time.percent())
        ),
        between.unwrap_or_default(),
        time.new.count,
        time.old.count
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::kernel::stated::Work;
    use crate::analysis::limits::Limits;
    use crate::analysis::results::timing::Timing;
    use crate::analysis::results::timing::tests::{around, benchmark};

    fn timed(ms: f64) -> TimedChange {
        let (old, new) = (benchmark(around(1.0), Some(1980.0)), benchmark(around(ms), Some(1980.0)));
        let timing = Timing::of(&new, Some(&old), &Work::default(), &Limits::default());
        timing.and_then(|timing| timing.change).expect("both sides")
    }

    fn joined(verdict: Verdict, ms: f64) -> Whole {
        let reason = "One launch on each side.".to_owned();
        let (ground, cure) = (String::new(), "More.".into());
        let mut whole = Whole { verdict, reason, ground, cure, time: None, cycles: None, worst: None };
        whole.join_times(&timed(ms));
        whole
    }

    #[test]
    fn the_benchmark_decides_where_the_profile_does_not() {
        let whole = joined(Verdict::Ambiguous, 0.9);
        assert_eq!((whole.verdict, whole.cure.as_str()), (Verdict::Faster, ""));
        assert!(whole.reason.starts_with("By the benchmark: −10.0 % in time (between −10."), "{}", whole.reason);
        assert!(whole.reason.ends_with("The profile alone is AMBIGUOUS: One launch on each side."), "{}", whole.reason);
    }

    #[test]
    fn agreement_is_said_and_contradiction_decides_nothing() {
        assert_eq!(joined(Verdict::Faster, 0.9).verdict, Verdict::Faster);
        let whole = joined(Verdict::Faster, 1.1);
        assert_eq!(whole.verdict, Verdict::Ambiguous);
        assert!(whole.reason.starts_with("The profile says FASTER and the benchmark SLOWER."), "{}", whole.reason);
        assert_eq!(joined(Verdict::NotComparable, 0.9).verdict, Verdict::NotComparable);
    }

    #[test]
    fn a_benchmark_that_does_not_decide_is_said() {
        let mut change = timed(1.02);
        (change.verdict, change.why) = (Verdict::Ambiguous, "times drift".to_owned());
        let mut whole = joined(Verdict::Ambiguous, 0.9);
        (whole.verdict, whole.ground) = (Verdict::Faster, "20 launches against 20".to_owned());
        whole.join_times(&change);
        assert_eq!(whole.verdict, Verdict::Faster);
        assert_eq!(whole.ground, "20 launches against 20; the benchmark does not decide (+2.0 %): times drift");
    }
}
