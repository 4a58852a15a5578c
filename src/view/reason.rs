//! The verdict on two sides in words: why it is so, on what it rests, and what would decide it.

use super::faults::faults;
use crate::analysis::{
    Against, Audit, Basis, Cause, Course, Doubt, Flush, Join, Judged, KernelKey, Limits, Setting, TimedChange, Whole,
    Why,
};
use crate::catalog::{self, Threshold};
use crate::quantity::{format, glance};

/// A verdict with what its words are made of.
#[derive(Clone, Debug)]
pub struct Reason<'a> {
    whole: &'a Whole,
    limits: &'a Limits,
    /// What the benchmark says.
    timed: Option<&'a TimedChange>,
    /// What is wrong with the kernel's results; empty where that is not known.
    faults: Vec<String>,
}

/// From this factor on a change is told as a factor: percentages would all read 100.
const MANIFOLD: f64 = 100.0;

impl<'a> Reason<'a> {
    /// That of an audit; `None` without an old side.
    pub fn of(audit: &'a Audit) -> Option<Reason<'a>> {
        let timed = audit.trials.timing.as_ref().and_then(|timing| timing.change.as_ref());
        let whole = &audit.comparison()?.whole;
        Some(Reason { whole, limits: &audit.limits, timed, faults: faults(audit) })
    }

    /// That of a column beside the first.
    pub fn of_column(column: &'a Against) -> Reason<'a> {
        let Against { comparison, timed, limits, .. } = column;
        Reason { whole: &comparison.whole, limits, timed: timed.as_ref(), faults: Vec::new() }
    }

    pub fn why(&self) -> String {
        let caution = self.caution().map(|caution| format!("{caution}. ")).unwrap_or_default();
        let own = format!("{caution}{}", self.profile());
        let Some((join, timed)) = self.benchmark() else { return own };
        let (profile, benchmark, numbers) = (self.whole.profile, timed.verdict, samples(timed));
        match join {
            Join::Agrees => format!("{own} The benchmark agrees: {numbers}."),
            Join::Decides => format!("By the benchmark: {numbers}. The profile alone is {profile}: {own}"),
            Join::Contradicts => format!(
                "The profile says {profile} and the benchmark {benchmark}. Profile: {own} Benchmark: {numbers}."
            ),
            Join::Silent => format!("{own} The benchmark is {benchmark}: {}.", doubt(timed)),
        }
    }

    /// On what it rests, a sentence part without the numbers; empty where it does not decide.
    pub fn ground(&self) -> String {
        let own = match &self.whole.why {
            _ if !self.whole.verdict.is_decided() => return String::new(),
            Why::Decided(cause) => format!("{}{}", self.launches(), explained(cause.as_ref())),
            _ => String::new(),
        };
        // The page shows both names and both grids.
        let own = match self.whole.other_work {
            Some(_) => own + ". Caution: another kernel in another grid, the work not stated for both",
            None => own,
        };
        match self.benchmark() {
            Some((Join::Agrees, timed)) => format!("benchmark{}; cycles of {own}", count(timed)),
            Some((Join::Decides, timed)) => {
                format!("benchmark{}; the profile alone is {}", count(timed), self.whole.profile)
            }
            Some((Join::Silent, timed)) => format!("{own}; the benchmark does not decide: {}", doubt(timed)),
            Some((Join::Contradicts, _)) | None => own,
        }
    }

    /// What would decide; empty where it is decided.
    pub fn cure(&self) -> String {
        match (self.whole.benchmark, &self.whole.why) {
            (Some(Join::Decides), _) | (_, Why::Decided(_)) if self.whole.verdict.is_decided() => "",
            // Launches enough for an interval are there.
            (Some(Join::Contradicts), _) if self.carrier().is_some_and(|judged| judged.interval.is_some()) => {
                "Time both sides in one run, their launches in turn."
            }
            (Some(Join::Contradicts), _) => {
                "Profile five launches or more on each side, and time both sides in one run, their launches in turn."
            }
            (_, Why::Wrong) => "Correct the kernel; its speed matters after that.",
            (_, Why::OldWrong) => "Compare with an audit of a correct kernel.",
            (_, Why::NoBlocks(_) | Why::NoNumber(_)) => "Fix the launch, then profile it again.",
            (_, Why::Conditions(_)) => "Measure both sides under the same conditions.",
            (_, Why::NoCycles) => "Collect gpc__cycles_elapsed.max on both sides.",
            (_, Why::NoTime) => "Collect gpu__time_duration.sum on both sides.",
            (_, Why::Unexplained) => "Profile the kernel five times or more on each side.",
            (_, Why::Disagreement(_) | Why::Undecided | Why::Decided(_)) => return self.more_launches(),
        }
        .to_owned()
    }

    fn benchmark(&self) -> Option<(Join, &'a TimedChange)> {
        self.whole.benchmark.zip(self.timed)
    }

    /// Cycles carry the claim where there are some.
    fn carrier(&self) -> Option<&'a Judged> {
        self.whole.cycles.as_ref().or(self.whole.time.as_ref())
    }

    /// What the profile alone comes to, in sentences.
    fn profile(&self) -> String {
        let launch = |is_old: bool| if is_old { "The old side's launch" } else { "The launch" };
        match &self.whole.why {
            Why::Wrong if self.faults.is_empty() => "Its results are wrong: the times do not compare.".to_owned(),
            Why::Wrong => format!("The kernel's results are wrong: {}.", self.faults.join("; ")),
            Why::OldWrong => "The old side's results are wrong: its time is no baseline.".to_owned(),
            Why::NoBlocks(is_old) => format!("{} failed: its grid holds no blocks.", launch(*is_old)),
            Why::NoNumber(is_old) => format!("{} failed: its time is not a number.", launch(*is_old)),
            Why::Conditions(settings) => {
                format!("The sides differ in {}.", settings.iter().map(differs).collect::<Vec<_>>().join("; "))
            }
            Why::NoCycles => {
                "There are times and no cycles on both sides, so the clocks cannot be ruled out.".to_owned()
            }
            Why::NoTime => "A side has no duration.".to_owned(),
            Why::Decided(cause) => {
                format!("{}: {}{}.", self.moved(), self.launches(), explained(cause.as_ref()))
            }
            Why::Unexplained => format!(
                "{}, but {} cannot tell noise from change, and no counter explains it in sign and size.",
                self.moved(),
                self.launches()
            ),
            Why::Disagreement(clock) => {
                let clock = clock.as_ref().map(|clock| format!(" ({})", differs(clock))).unwrap_or_default();
                let why = "Time and cycles disagree, so the clocks moved rather than the kernel";
                format!("{}. {why}{clock}.", self.moved())
            }
            Why::Undecided => format!("{}. {}", self.moved(), self.undecided()),
        }
    }

    /// `−3.1 % in cycles, −3.0 % in time`.
    fn moved(&self) -> String {
        let time = self.whole.time.as_ref().map(moved_by).unwrap_or_default();
        match &self.whole.cycles {
            // The time is told once, by the benchmark where two compare; where they say otherwise both are.
            Some(cycles)
                if self.benchmark().is_some_and(|(join, timed)| join != Join::Contradicts && timed.tells()) =>
            {
                format!("{} in cycles", moved_by(cycles))
            }
            Some(cycles) => format!("{} in cycles, {time} in time", moved_by(cycles)),
            None => format!("{time} in time with locked clocks, in one run of ncu"),
        }
    }

    /// How many launches there are, and how they were judged.
    fn launches(&self) -> String {
        let Some(carrier) = self.carrier() else { return String::new() };
        match carrier.basis {
            Basis::Interval => {
                let confidence = format::fixed(self.limits[Threshold::VerdictConfidence], 1);
                format!("{}, {confidence} % confidence", counts(carrier))
            }
            Basis::Ranges => format!("{}, judged by their ranges", counts(carrier)),
            Basis::Single | Basis::Exact => counts(carrier),
        }
    }

    fn undecided(&self) -> String {
        let Some(carrier) = self.carrier() else { return String::new() };
        let regression = format::fixed(self.limits[Threshold::Regression], 1);
        match carrier.basis {
            Basis::Interval => "The interval includes both no change and a change that counts.".to_owned(),
            Basis::Ranges => format!(
                "With {} and {} launches a change needs ranges that do not overlap, medians more than {regression} % apart, and a distance beyond the scatter that chance reaches once in {}.",
                carrier.old.count,
                carrier.new.count,
                format::fixed(100.0 / (100.0 - self.limits[Threshold::VerdictConfidence]), 0)
            ),
            Basis::Single | Basis::Exact => format!(
                "With {}, {regression} % or more is a change and {} % or less is none.",
                counts(carrier),
                format::fixed(self.limits[Threshold::Unchanged], 1)
            ),
        }
    }

    fn more_launches(&self) -> String {
        let Some((time, carrier)) = self.whole.time.as_ref().zip(self.carrier()) else { return String::new() };
        if time.course != carrier.course && carrier.course != Course::Unclear {
            return "Lock the clocks (--clock-control base) on both sides and measure again.".to_owned();
        }
        let scatter = [&carrier.old, &carrier.new].into_iter().filter_map(|sample| sample.scatter).fold(0.0, f64::max);
        let count = carrier.old.count.min(carrier.new.count);
        let wanted = if count < 5 { 20 } else { 4 * count };
        let mut said = format!("Profile {wanted} launches or more on each side.");
        if scatter > self.limits[Threshold::Dispersion] {
            let scatter = format::fixed(scatter, 1);
            said += &format!(" The launches scatter by {scatter} %: lock the clocks and leave out warm-up launches.");
        }
        said
    }

    /// That the two kernels may not do the same work.
    fn caution(&self) -> Option<String> {
        let (new, old) = self.whole.other_work.as_ref()?;
        let shape = |key: &KernelKey| {
            let grid = key.grid.map_or_else(String::new, |grid| format!(" in a grid of {grid}"));
            format!("{}{grid}", key.short_name())
        };
        let why = "and the work is not stated for both; they may not compute the same";
        Some(format!("Caution: {} is compared with {}, {why}", shape(new), shape(old)))
    }
}

/// `; decided by executed instructions −12 %`; nothing without a cause.
fn explained(cause: Option<&Cause>) -> String {
    const BEYOND: &str = "beyond the scatter of single launches";
    match cause {
        None => String::new(),
        Some(Cause::Counter { metric, old, new }) => {
            let label = format::uncapital(catalog::metric(metric).map_or(metric.as_str(), |row| row.label));
            let moved =
                if *old == 0.0 { format!("0 → {}", glance::amount(*new)) } else { format::change(*old, *new) };
            format!("; decided by {label} {moved}, a count without scatter")
        }
        Some(Cause::Code(share)) => {
            let share = format::fixed(*share, 0);
            format!("; decided by other code ({share} % of the executed instructions), {BEYOND}")
        }
        Some(Cause::Kernel) => format!("; decided by another kernel, {BEYOND}"),
        Some(Cause::Shape) => format!("; decided by another grid or block, {BEYOND}"),
    }
}

/// Why a benchmark does not decide, as a sentence part; empty where it does.
fn doubt(timed: &TimedChange) -> String {
    let flush = |flush: &Flush| match flush {
        None => "not emptied".to_owned(),
        Some((all, by)) => format!("emptied with {} that are {}", glance::bytes(*all as f64), by.participle()),
    };
    match &timed.doubt {
        None => "",
        Some(Doubt::OtherGpu(old, new)) => {
            let named =
                |gpu: &String| if gpu.is_empty() { "one that its file does not name".into() } else { gpu.clone() };
            return format!("it ran on another GPU: {} → {}", named(old), named(new));
        }
        Some(Doubt::OtherTool(old, new)) => {
            let said = |told: &Option<String>| {
                told.clone().unwrap_or_else(|| "a launch between two events by this program".into())
            };
            return format!("what is timed: {} → {}", said(old), said(new));
        }
        Some(Doubt::OtherFlush(old, new)) => {
            return format!("before each launch L2 was {}, and is {}", flush(old), flush(new));
        }
        Some(Doubt::Throttled) => "the clocks were throttled on one side only: times do not compare, cycles do",
        Some(Doubt::Drift(drift)) => {
            let drift = format::fixed(*drift, 1);
            return format!("times drift by {drift} % within one side, more than the sides differ");
        }
        Some(Doubt::NoClocks) => "clocks were not read on both sides, so they cannot be ruled out",
        Some(Doubt::Clocks) => "the SM clock differed, and time and cycles disagree",
        Some(Doubt::Wide) => "its interval includes both no change and a change that counts",
    }
    .to_owned()
}

/// `−3.1 %` with its interval.
fn moved_by(judged: &Judged) -> String {
    let (old, new) = (judged.old.median, judged.new.median);
    if old > 0.0 && new > 0.0 && (new >= MANIFOLD * old || old >= MANIFOLD * new) {
        let (sign, factor) = if new > old { ("×", new / old) } else { ("÷", old / new) };
        return format!("{sign} {}", format::plain(factor, 0));
    }
    let interval = judged.change.and(judged.interval);
    format!("{}{}", format::change(old, new), between(interval))
}

/// ` (between −3.3 % and −2.9 %)`; nothing without an interval.
fn between(interval: Option<(f64, f64)>) -> String {
    within(interval).map(|within| format!(" ({within})")).unwrap_or_default()
}

/// `between −3.3 % and −2.9 %`.
fn within(interval: Option<(f64, f64)>) -> Option<String> {
    let (low, high) = interval.map(|(low, high)| (percent(low), percent(high)))?;
    Some(if low == high { format!("within 0.1 points of {low}") } else { format!("between {low} and {high}") })
}

fn percent(value: f64) -> String {
    format::change(100.0, 100.0 + value)
}

/// `−3.1 % in time (between −3.3 % and −2.9 %), 60 samples against 45`.
fn samples(timed: &TimedChange) -> String {
    let time = &timed.time;
    let change = format::change(time.old.median, time.new.median);
    format!("{change} in time{}, {} samples against {}", between(time.interval), time.new.count, time.old.count)
}

/// ` between −2.1 % and −1.3 %, 84 samples against 110`: what stands behind a change of the time that was told.
fn count(timed: &TimedChange) -> String {
    let Judged { interval, new, old, .. } = &timed.time;
    let within = within(*interval).map(|within| format!(" {within}")).unwrap_or_default();
    format!("{within}, {} samples against {}", new.count, old.count)
}

/// How many launches there are: `one launch on each side`, `20 launches against a single one`, `20 launches against 12`.
fn counts(judged: &Judged) -> String {
    match (judged.old.count, judged.new.count) {
        (1, 1) => "one launch on each side".to_owned(),
        (1, new) => format!("{new} launches against a single one"),
        (old, 1) => format!("a single launch against {old}"),
        (old, new) => format!("{new} launches against {old}"),
    }
}

fn differs(setting: &Setting) -> String {
    let side = |text: &Option<String>| text.clone().unwrap_or_default();
    format!("{}: {} → {}", setting.label, side(&setting.old), side(&setting.new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Timed, Verdict, judge};

    #[test]
    fn a_benchmark_that_contradicts_or_does_not_decide_is_said() {
        let limits = Limits::default();
        let time = judge(&[100.0], &[102.0], &limits).expect("two sides");
        let old = Timed { time: time.old, flop_rate: None, byte_rate: None };
        let of = |join, benchmark, doubt| {
            let verdict = if join == Join::Silent { Verdict::Faster } else { Verdict::Ambiguous };
            let whole = Whole {
                verdict,
                profile: Verdict::Faster,
                why: Why::Decided(None),
                benchmark: Some(join),
                other_work: None,
                time: Some(time.clone()),
                cycles: Some(time.clone()),
                worst: None,
            };
            let timed = TimedChange { old: old.clone(), time: time.clone(), cycles: None, verdict: benchmark, doubt };
            let reason = Reason { whole: &whole, limits: &limits, timed: Some(&timed), faults: Vec::new() };
            [reason.why(), reason.ground(), reason.cure()]
        };
        let own = "+2.0 % in cycles, +2.0 % in time: one launch on each side.";
        let [why, ground, cure] = of(Join::Contradicts, Verdict::Slower, None);
        assert!(
            why.starts_with(&format!("The profile says FASTER and the benchmark SLOWER. Profile: {own} B")),
            "{why}"
        );
        assert_eq!(ground, "");
        assert!(
            cure.starts_with("Profile five launches or more on each side, and time both sides in one run"),
            "{cure}"
        );
        let [why, ground, cure] = of(Join::Silent, Verdict::Ambiguous, Some(Doubt::NoClocks));
        let doubt = "clocks were not read on both sides, so they cannot be ruled out";
        assert_eq!(why, format!("+2.0 % in cycles: one launch on each side. The benchmark is AMBIGUOUS: {doubt}."));
        assert_eq!(ground, format!("one launch on each side; the benchmark does not decide: {doubt}"));
        assert_eq!(cure, "");
    }
}
