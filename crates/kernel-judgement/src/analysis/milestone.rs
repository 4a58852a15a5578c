//! One line of a subject's history.

use crate::analysis::series::{Against, Step};
use crate::analysis::{
    Audit, Compared, Condition, Foresight, Judgement, LeverCode, LeverOrigin, Mark, Problem, StallBasis, Standing,
    Tested, Verdict, When, compared::NEAR, expectation, judgement,
};
use crate::catalog::{Code, Counter};
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};
use std::collections::HashSet;
use std::num::NonZeroU32;

/// Which of a subject's audits of one day it is, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Nth(NonZeroU32);

impl Default for Nth {
    fn default() -> Nth {
        Nth(NonZeroU32::MIN)
    }
}

impl Nth {
    /// Whether it is the first of its day.
    pub fn is_first(&self) -> bool {
        self.0 == NonZeroU32::MIN
    }

    /// The one after it.
    #[must_use]
    pub fn next(self) -> Nth {
        Nth(self.0.saturating_add(1))
    }

    /// The number of a later audit of a day, as [`Nth::of_day`] writes it.
    pub fn read(text: &str) -> Option<Nth> {
        let number = Nth(text.parse().ok()?);
        (!number.is_first() && number.0.to_string() == text).then_some(number)
    }

    /// The day of the audit: `2026-11-21` for the first, `2026-11-21.2` for the second.
    pub fn of_day(self, date: &str) -> String {
        if self.is_first() { date.to_owned() } else { format!("{date}.{}", self.0) }
    }
}

/// What one audit adds to the history of its subject.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Milestone {
    /// `YYYY-MM-DD`.
    pub date: String,
    /// Which audit of that day.
    #[serde(default, skip_serializing_if = "Nth::is_first")]
    pub number: Nth,
    /// The commit; empty when unknown.
    pub commit: String,
    /// What it changed, in words; may be empty.
    pub change: String,
    /// The GPU, as `H200 (sm_90)`; empty when unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gpu: String,
    /// Time of one launch under the profiler.
    pub time: Reading,
    /// Median time of a launch by the benchmark in ns; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed_ns: Option<f64>,
    /// Arithmetic rate of the stated work; `None` where none is stated.
    pub flop_rate: Option<Reading>,
    /// Rate of the stated bytes, where no operations are stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_rate: Option<Reading>,
    /// The least time of the stated work in ns, at the highest clock; `None` where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor_ns: Option<f64>,
    /// Registers per thread of the launch.
    pub registers: Reading,
    /// The largest stall, its basis and its number.
    pub stall: Option<(String, StallBasis, Reading)>,
    /// The verdict against its baseline; `None` without one. WRONG, with or without a baseline, for wrong results.
    pub verdict: Option<Verdict>,
    /// Whether it passes because somebody accepted that verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_accepted: bool,
    /// What was open in the series behind it; `None` where it passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// What was measured, as [`Side::mark`](crate::analysis::Side::mark) names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub measured: String,
    /// The audits of the subject that nothing followed when this one was made; `None` where nobody noted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Vec<Mark>>,
    /// The comparison that the verdict is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// Whether its results were checked and are right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_correct: bool,
    /// What limits the kernel: a code of `audit explain findings`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limiter: Option<Code>,
    /// What could be tried, by our own levers; none of NVIDIA's estimates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levers: Vec<Offered>,
    /// Whether it is at the roof, where none of these is worth a row of its page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_at_roof: bool,
    /// The time of what it is timed beside, in percent of its own, with the name of that; `None` where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<(String, f64)>,
    /// What its change was expected to do, and what became of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hypotheses: Vec<Concluded>,
    /// Whether it is of the code alone, which has no time and no verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_code_alone: bool,
}

/// A lever as the history remembers it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Offered {
    pub code: LeverCode,
    /// What it does, in short; empty in snapshots that do not tell.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
    /// What it is expected to save, from and to in percent of the run time; `None` where nothing tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forecast: Option<[f64; 2]>,
    /// The largest part of the run time that it could save, in percent; `None` for one without a bound.
    pub bound: Option<f64>,
}

/// A hypothesis as the history remembers it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Concluded {
    pub name: String,
    /// The change in words; may be empty.
    pub change: String,
    #[serde(serialize_with = "judgement::of_hypothesis")]
    pub judgement: Judgement,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Foresight::is_unknown")]
    pub foresight: Foresight,
}

/// What became of hypotheses that were held against two sides, in the order of the audits, each with the position of its
/// audit; a confirmed one once, and one that has no number once for each reason.
pub fn decided(milestones: &[Milestone]) -> Vec<(usize, &Concluded)> {
    let mut told = HashSet::new();
    let all = milestones.iter().enumerate().flat_map(|(at, one)| one.hypotheses.iter().map(move |stated| (at, stated)));
    all.filter(|(at, one)| match one.judgement {
        Judgement::Holds => told.insert((&one.name, None)),
        Judgement::Fails | Judgement::Unclear => true,
        Judgement::NotMeasured | Judgement::DoesNotApply => {
            milestones[*at].verdict.is_some() && told.insert((&one.name, Some(&one.reason)))
        }
    })
    .collect()
}

impl Milestone {
    /// The day, with the number of a later audit of it: `2026-11-21`, `2026-11-21.2`.
    pub fn day(&self) -> String {
        self.number.of_day(&self.date)
    }

    /// Time of one launch in ns: the benchmark's where there is one, else the profiler's.
    pub fn ns(&self) -> Option<f64> {
        self.timed_ns.or_else(|| self.time.value())
    }

    /// Rate of the stated operations in [`Milestone::ns`].
    pub fn rate(&self) -> Option<Quantity> {
        self.timed(self.flop_rate.as_ref()?)
    }

    /// Rate of the stated bytes in the same time, where no operations are stated.
    pub fn rate_of_bytes(&self) -> Option<Quantity> {
        self.timed(self.byte_rate.as_ref()?)
    }

    fn timed(&self, rate: &Reading) -> Option<Quantity> {
        let (rate, profiled) = (rate.quantity()?, self.time.value()?);
        Quantity::new(rate.value() * profiled / self.ns()?, rate.unit())
    }

    /// The floor of the stated work in percent of its time.
    pub fn of_floor(&self) -> Option<f64> {
        Some(100.0 * self.floor_ns? / self.ns()?)
    }

    /// The part of the time above the floor that went since `first`, in percent; below zero where it grew. `None` without a
    /// floor, and where one of the two was not timed as the other was.
    pub fn gap_closed(&self, first: &Milestone) -> Option<f64> {
        let floor = self.floor_ns?;
        let (was, is) = match (first.timed_ns, self.timed_ns) {
            (Some(was), Some(is)) => (was, is),
            _ => (first.time.value()?, self.time.value()?),
        };
        let is_same_work = first.floor_ns.is_some_and(|other| 100.0 * (other / floor - 1.0).abs() <= NEAR);
        (is_same_work && was > floor).then(|| 100.0 * (was - is) / (was - floor))
    }

    /// The verdict in words, with how the series stands behind it; `None` without one.
    pub fn outcome(&self) -> Option<String> {
        let word = self.verdict?.word();
        let Some(problem) = &self.problem else {
            return Some(if self.is_accepted { format!("{word}, accepted") } else { word.to_owned() });
        };
        let is_own = problem.since.day == self.day();
        let says = Some(problem.open.verdict()) == self.verdict;
        Some(match (says, is_own) {
            (true, true) if problem.open.is_slower() => format!("{word}, not accepted"),
            (true, true) => word.to_owned(),
            (true, false) if problem.open.is_slower() => format!("{word} since {}, not accepted", problem.since.day),
            (true, false) => format!("{word} since {}", problem.since.day),
            (false, _) => format!("{word}; {}", problem.say()),
        })
    }

    /// What its standing in the series depends on.
    pub fn step(&self) -> Step {
        let against = match &self.compared {
            None if self.verdict.is_none_or(|verdict| verdict == Verdict::Wrong) => Against::Nothing,
            None => Against::Elsewhere(String::new()),
            Some(Compared { with: Some(mark), .. }) => Against::Audit(mark.clone()),
            Some(Compared { old, .. }) => Against::Elsewhere(format!("{} {} {:?}", old.kernel, old.grid, old.cycles)),
        };
        let compared = self.compared.as_ref();
        // The first of a series has nothing of its own to be compared with.
        let is_first = self.after.as_ref().is_some_and(Vec::is_empty);
        let is_outside = !is_first && compared.is_some_and(|compared| compared.is_chosen && compared.with.is_none());
        Step {
            mark: self.mark(),
            after: self.after.clone(),
            is_code_alone: self.is_code_alone,
            is_correct: self.is_correct,
            has_time: self.ns().is_some(),
            verdict: match self.verdict {
                Some(verdict) if is_outside && verdict != Verdict::Wrong => Some(Verdict::NotComparable),
                verdict => verdict,
            },
            change: compared.and_then(|compared| compared.change),
            worst: compared.and_then(|compared| compared.worst),
            against,
            accepted: Vec::new(),
            pin: None,
        }
    }

    /// Its mark in the series.
    pub fn mark(&self) -> Mark {
        Mark { day: self.day(), measured: self.measured.clone() }
    }

    pub fn of(date: &str, number: Nth, commit: &str, change: &str, audit: &Audit) -> Milestone {
        const REGISTERS: Counter = Counter::LaunchRegistersPerThread;
        let own = Milestone {
            date: date.to_owned(),
            number,
            commit: commit.to_owned(),
            change: change.to_owned(),
            hypotheses: audit.hypotheses.iter().map(Concluded::of).collect(),
            ..Milestone::default()
        };
        if audit.is_of_code_alone() {
            return own.of_code(audit);
        }
        let registers = audit.panels.iter().find_map(|panel| panel.row(REGISTERS)).map(|row| row.new.clone());
        Milestone {
            gpu: audit
                .settings
                .iter()
                .find(|setting| setting.id == "gpu")
                .and_then(|gpu| gpu.new.clone())
                .unwrap_or_default(),
            time: audit.performance.time.new.clone(),
            timed_ns: audit.trials.timing.as_ref().map(|timing| timing.kernel.time.median),
            flop_rate: audit.performance.flop_rate.as_ref().map(|row| row.new.clone()),
            byte_rate: match (&audit.performance.flop_rate, &audit.performance.byte_rate) {
                (None, Some(row)) => Some(row.new.clone()),
                _ => None,
            },
            floor_ns: audit.stated.floor.as_ref().map(|floor| hundredths(floor.ns())),
            registers: registers.unwrap_or_else(|| Reading::not_collected(REGISTERS)),
            stall: audit.now.stalls.top().map(|(table, row)| (row.row.label.clone(), table.basis, row.row.new.clone())),
            verdict: match audit.standing() {
                Standing::Wrong => Some(Verdict::Wrong),
                Standing::Correct | Standing::NotChecked => {
                    audit.comparison().map(|comparison| comparison.whole.verdict)
                }
            },
            compared: Compared::of(audit, None),
            is_correct: audit.standing() == Standing::Correct,
            limiter: match audit.standing() {
                Standing::Wrong => None,
                Standing::Correct | Standing::NotChecked => Some(audit.now.bottleneck.limiter),
            },
            levers: audit
                .now
                .levers
                .iter()
                .filter(|lever| lever.origin == LeverOrigin::Audit)
                .map(|lever| Offered {
                    code: lever.code.clone(),
                    what: lever.sentence.head().to_plain(),
                    forecast: lever.forecast.map(|range| range.map(hundredths)),
                    bound: lever.bound.map(hundredths),
                })
                .collect(),
            is_at_roof: audit.now.bottleneck.roof.is_some(),
            beside: audit.trials.timing.as_ref().filter(|_| audit.standing() != Standing::Wrong).and_then(|timing| {
                let name = timing.benchmark.reference.as_ref()?.name.clone();
                Some((name, 100.0 * timing.reference.as_ref()?.time.median / timing.kernel.time.median))
            }),
            ..own
        }
    }

    /// The milestone of an audit without a report.
    fn of_code(self, audit: &Audit) -> Milestone {
        const WHY: &str = "the audit is of the code alone";
        let registers = audit.code.first().and_then(|code| code.facts.registers());
        let registers = registers.and_then(|count| Quantity::new(count as f64, Unit::NONE));
        Milestone {
            time: Reading::not_applicable(WHY),
            registers: registers.map_or_else(
                || Reading::not_applicable(WHY),
                |quantity| Reading::measured(quantity, &"build: registers per thread".into()),
            ),
            is_code_alone: true,
            ..self
        }
    }
}

/// As far as a page tells percent or nanoseconds apart, and ten times: digits that nobody reads fill a snapshot.
fn hundredths(value: f64) -> f64 {
    (1e2 * value).round() / 1e2
}

impl Concluded {
    fn of(tested: &Tested) -> Concluded {
        Concluded {
            name: tested.name.clone(),
            change: tested.change.clone(),
            judgement: tested.judgement,
            reason: match found(tested, !tested.name.starts_with(expectation::EXPECTED)) {
                found if found.is_empty() => tested.say(),
                // The author's words say what was expected.
                found if tested.name.starts_with(expectation::EXPECTED) => format!("Found: {found}."),
                found => format!("{} Found: {found}.", tested.say()),
            },
            foresight: tested.foresight,
        }
    }
}

/// What was found in the place of what was missed: `tensor pipe 87.7 %; time +0.4 %`, each reading once, `with_stated` beside what was
/// stated of it.
fn found(tested: &Tested, with_stated: bool) -> String {
    let is_missed = |one: &&Condition| one.when == When::After && one.met == Judgement::Fails;
    let mut told: Vec<String> = Vec::new();
    for one in tested.conditions.iter().filter(is_missed) {
        let Some(found) = one.new.quantity() else { continue };
        let (reading, op) = (&one.expected.reading, one.expected.op.sign());
        let mut said = expectation::said(reading, found);
        if let Some(limit) = Quantity::new(one.expected.value, found.unit()).filter(|_| with_stated) {
            said += &format!(" (stated {op} {})", expectation::amount(reading, limit));
        }
        if !told.contains(&said) {
            told.push(said);
        }
    }
    told.join("; ")
}
