//! The diagnosis: what limits one kernel (the first rule that holds) and how sure that is, what stands beside it, and what could
//! be done.

use super::finding::{Finding, Severity};
use super::kernel::{Kernel, Measurement};
use super::level::Unit;
use super::lever::{Lever, nvidia};
use super::levers::{at_the_roof, levers, ruled_out};
use super::measures::Measures;
use super::patterns::PATTERNS;
use super::rules::{self, At, Held, RULES};
use crate::analysis::derive::units::BusyUnit;
use crate::analysis::kernel::stated::Work;
use crate::analysis::limits::Limits;
use crate::analysis::lines::{Place, SourceLines};
use crate::catalog::{Code, Part, Threshold};
use crate::evidence::Reading;
use crate::words::Words;

/// One question of the walk with its answer and the readings that gave it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Step {
    /// The question.
    pub question: &'static str,
    /// The sections or metrics of ncu that answer it.
    pub needs: &'static str,
    /// Whether it is enough to limit, with a sentence that has the numbers; `None` where it is not so, or not measured.
    pub held: Option<(bool, Words)>,
    /// The readings, by name.
    pub readings: Vec<(String, Reading)>,
}

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Few samples, or none by instruction.
    #[default]
    Low,
    /// Near a threshold, or with one kind of evidence.
    Medium,
    /// Many samples, three points beyond the threshold, and kinds of evidence that agree.
    High,
}

/// Why it is as sure as that. Samples by instruction are counted, where there are any.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// It is a fact of the launch, whatever was sampled.
    Launch,
    /// There are no samples by instruction.
    Unsampled,
    /// There are so many samples, and nothing else to say.
    Samples(f64),
    /// So many samples, and so many points past the threshold.
    Near(f64, f64),
    /// The counter is high, and the top stall points elsewhere.
    Apart(f64),
    /// Counter and top stall agree.
    Agree(f64),
}

/// The verdict on one kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Bottleneck {
    /// What limits: a part of the chip, a wait, the launch itself; or that it was not measured.
    pub limiter: Code,
    /// One sentence with its evidence.
    pub sentence: Words,
    /// The way to it.
    pub steps: Vec<Step>,
    /// The busiest counter of the limiting unit, when a unit limits.
    pub unit: Option<BusyUnit>,
    /// The busiest unit beside that one.
    pub next: Option<BusyUnit>,
    /// The units of the chip, the busiest first.
    pub units: Vec<Unit>,
    /// How sure it is.
    pub confidence: Confidence,
    /// Why.
    pub because: Because,
    /// What is left where a unit is full and no lever takes work off it.
    pub roof: Option<Words>,
    /// What no lever names, each with its number.
    pub ruled_out: Option<Words>,
}

impl Bottleneck {
    /// The readings of all steps.
    pub fn readings(&self) -> Vec<(String, Reading)> {
        let mut all: Vec<(String, Reading)> =
            self.steps.iter().flat_map(|step| step.readings.iter().cloned()).collect();
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all.dedup_by(|(a, _), (b, _)| a == b);
        all
    }
}

/// The verdict with what the other rules found.
pub(super) struct Judged {
    pub(super) bottleneck: Bottleneck,
    /// Where the limit sits.
    pub(super) at: At,
    /// What stands beside it.
    pub(super) others: Vec<Held>,
}

/// Percent below which a rule that does not hold is no finding.
const TRIFLE: f64 = 2.0;

/// Points beyond a threshold below which a verdict is near it.
const NEAR: f64 = 3.0;

/// Asks the rules in their order.
pub(super) fn judge(m: &Measures<'_, '_>) -> Judged {
    let mut steps = Vec::new();
    let mut first: Option<Held> = None;
    let mut others = Vec::new();
    for rule in &RULES {
        if first.is_some() && rule.is_last {
            continue;
        }
        let held = (rule.judge)(m);
        if first.is_none() {
            steps.push(step(rule.asks, rule.needs, held.as_ref()));
        }
        match held {
            Some(held) if held.holds && first.is_none() => first = Some(held),
            Some(held) if first.as_ref().is_none_or(|first| first.unit.is_none() || held.unit.is_none()) => {
                others.push(held)
            }
            _ => {}
        }
    }
    let latency = || {
        let held = rules::latency(m);
        steps.push(step("What is the largest stall?", "--section WarpStateStats", held.as_ref()));
        held
    };
    let held = first.or_else(latency).unwrap_or_else(|| rules::nothing(m));
    if let Some(last) = steps.last_mut().filter(|last| last.readings.is_empty()) {
        last.readings.clone_from(&held.readings);
    }
    // What a rule on the limit's own unit says is the limit said again; what weighs next to nothing is not worth a line.
    others.retain(|other| other.code != held.code && (!other.holds || other.unit.is_none() || held.unit.is_none()));
    others.retain(|other| other.holds || other.share >= TRIFLE);
    let (confidence, because) = confidence(m, &held);
    let next = m.units.iter().find(|unit| held.unit.as_ref().is_none_or(|own| own.part != unit.part));
    let bottleneck = Bottleneck {
        limiter: held.code,
        sentence: held.sentence,
        steps,
        unit: held.unit.as_ref().map(Unit::busy),
        next: next.map(Unit::busy),
        units: m.units.clone(),
        confidence,
        because,
        roof: None,
        ruled_out: None,
    };
    Judged { bottleneck, at: held.at, others }
}

fn step(question: &'static str, needs: &'static str, held: Option<&Held>) -> Step {
    let readings = held.map(|held| held.readings.clone()).unwrap_or_default();
    Step { question, needs, held: held.map(|held| (held.holds, held.sentence.clone())), readings }
}

/// How sure a verdict is, and why. A launch that did not run or that has too few blocks is a fact of the launch.
fn confidence(m: &Measures<'_, '_>, held: &Held) -> (Confidence, Because) {
    if matches!(held.code, Code::LaunchFailed | Code::LaunchSmallGrid) && held.margin >= NEAR {
        return (Confidence::High, Because::Launch);
    }
    let Some(phases) = m.kernel_of.phases else { return (Confidence::Low, Because::Unsampled) };
    let samples = phases.samples as f64;
    match &held.unit {
        _ if samples < m.limits[Threshold::SamplesFew] => (Confidence::Low, Because::Samples(samples)),
        _ if samples < m.limits[Threshold::SamplesMany] => (Confidence::Medium, Because::Samples(samples)),
        _ if held.margin < NEAR => (Confidence::Medium, Because::Near(samples, held.margin.max(0.0))),
        Some(unit) if !queues_agree(m, unit.part) => (Confidence::Medium, Because::Apart(samples)),
        Some(_) => (Confidence::High, Because::Agree(samples)),
        None => (Confidence::High, Because::Samples(samples)),
    }
}

/// Whether the largest wait stands in front of a part, or warps are ready and wait for nothing.
fn queues_agree(m: &Measures<'_, '_>, part: Part) -> bool {
    let waits = m.top_waits();
    let Some((top, wait)) = waits.first() else { return false };
    let ready = m.waits(&[crate::catalog::StallReason::NotSelected]);
    let name: &str = top.into();
    let barrier_of_products = m.kernel_of.phases.and_then(|phases| phases.pressure).is_some_and(|own| own.share >= 0.5);
    ready >= *wait
        || part.row().is_some_and(|row| row.queues.contains(&name))
        || part == Part::ComputeTensor && barrier_of_products
}

/// What is concluded of one kernel.
pub(in crate::analysis) struct Diagnosis {
    /// What limits it.
    pub(in crate::analysis) bottleneck: Bottleneck,
    /// What was found, the most severe first.
    pub(in crate::analysis) findings: Vec<Finding>,
    /// What could be tried, ours by ceiling, then NVIDIA's.
    pub(in crate::analysis) levers: Vec<Lever>,
    /// Costs by source line; `None` without counts by instruction.
    pub(in crate::analysis) lines: Option<SourceLines>,
}

impl Diagnosis {
    /// Codes of what was found.
    pub(in crate::analysis) fn codes(&self) -> impl Iterator<Item = Code> {
        self.findings.iter().map(|finding| finding.code)
    }
}

/// Diagnoses a kernel by itself, without its lines.
pub(in crate::analysis) fn alone(measured: Measurement<'_, '_>, work: &Work, limits: &Limits) -> Diagnosis {
    diagnose(&Kernel::of(measured, None, work, limits), |_| None)
}

/// Diagnoses a kernel. `lines` gives its costs by source line, where the report counts by instruction, once it is known
/// what limits.
pub(in crate::analysis) fn diagnose(
    kernel: &Kernel<'_, '_>,
    lines: impl FnOnce(Code) -> Option<SourceLines>,
) -> Diagnosis {
    let measures = Measures::of(kernel);
    let Judged { mut bottleneck, at, others } = judge(&measures);
    let lines = lines(bottleneck.limiter);
    let found = levers(&measures, bottleneck.limiter);
    bottleneck.roof = at_the_roof(&measures, bottleneck.limiter, &found);
    bottleneck.ruled_out = ruled_out(&measures, &found);
    let mut all = found.rows;
    all.extend(nvidia(kernel.kernel, kernel.limits));
    let patterns = PATTERNS.iter().filter_map(|pattern| pattern(kernel, bottleneck.limiter));
    let patterns = patterns.filter(|(finding, _)| finding.code != bottleneck.limiter);
    let patterns = patterns.map(|(finding, sits)| (finding, At::Line(sits)));
    let found = others.into_iter().map(finding).chain(patterns);
    let place = |at: At| match at {
        At::Place(place) => Some(place),
        At::Line(sits) => lines.as_ref()?.place(sits, bottleneck.limiter),
    };
    let findings = ranked(&bottleneck, at, found, place);
    Diagnosis { bottleneck, findings, levers: all, lines }
}

fn finding(held: Held) -> (Finding, At) {
    let Held { code, beside, sentence, readings, share, at, .. } = held;
    (Finding { code, severity: beside, sentence, at: None, readings, share }, at)
}

/// Each finding with its place: the limit, then the rest, the most severe first and within that the largest share.
fn ranked(
    bottleneck: &Bottleneck,
    at: At,
    found: impl Iterator<Item = (Finding, At)>,
    place: impl Fn(At) -> Option<Place>,
) -> Vec<Finding> {
    let limiter = Finding {
        code: bottleneck.limiter,
        severity: Severity::Limits,
        sentence: bottleneck.sentence.clone(),
        at: place(at),
        readings: bottleneck.readings(),
        share: 100.0,
    };
    let placed = |(finding, at): (Finding, At)| {
        let severity = finding.severity.max(Severity::Costs);
        Finding { at: place(at), severity, ..finding }
    };
    let mut rest: Vec<Finding> = found.map(placed).collect();
    rest.sort_by(|a, b| a.severity.cmp(&b.severity).then(b.share.total_cmp(&a.share)));
    std::iter::once(limiter).chain(rest).collect()
}
