//! What limits one kernel: the first rule that holds, how sure that is, and what stands beside it.

use super::level::Unit;
use super::measures::Measures;
use super::rules::{self, At, Held, RULES, share};
use crate::analysis::derive::units::BusyUnit;
use crate::analysis::phases::{CycleUnit, Phase, PhaseKind, Phases};
use crate::catalog::{Code, Part, Threshold};
use crate::evidence::Reading;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// One question of the walk with its answer and the readings that gave it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Step {
    /// The question.
    pub question: String,
    /// The answer, with the numbers.
    pub answer: Words,
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
    /// Why, in a few words.
    pub because: String,
    /// What the time is made of, and what is healthy: sentences of the verdict.
    pub beside: Vec<Words>,
    /// What is left where a unit is full and no lever takes work off it.
    pub roof: Option<Words>,
    /// What no lever names, each with its number.
    pub ruled_out: Option<Words>,
}

impl Bottleneck {
    /// The readings of all steps.
    pub(in crate::analysis) fn readings(&self) -> Vec<(String, Reading)> {
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
            steps.push(step(rule.asks, rule.needs, held.as_ref(), m));
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
        steps.push(step("What is the largest stall?", "--section WarpStateStats", held.as_ref(), m));
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
        beside: beside(m),
        roof: None,
        ruled_out: None,
    };
    Judged { bottleneck, at: held.at, others }
}

fn step(question: &str, needs: &str, held: Option<&Held>, m: &Measures<'_, '_>) -> Step {
    let answer = match held {
        Some(held) if held.holds => words!("yes: {}", &held.sentence),
        Some(held) => words!("not enough to limit: {}", &held.sentence),
        None => words!("no, or not measured (needs `{}`)", needs),
    };
    let speed = || m.held(&["sm__throughput.avg.pct_of_peak_sustained_elapsed"]);
    Step { question: question.into(), answer, readings: held.map_or_else(speed, |held| held.readings.clone()) }
}

/// How sure a verdict is, and why. A launch that did not run or that has too few blocks is a fact of the launch.
fn confidence(m: &Measures<'_, '_>, held: &Held) -> (Confidence, String) {
    if matches!(held.code, Code::LaunchFailed | Code::LaunchSmallGrid) && held.margin >= NEAR {
        return (Confidence::High, "a fact of the launch, independent of samples".to_owned());
    }
    let samples = m.kernel_of.phases.map(|phases| phases.samples as f64);
    let Some(samples) = samples.filter(|samples| *samples >= m.limits[Threshold::SamplesFew]) else {
        let why = match samples {
            Some(samples) => format!("{} samples", format::fixed(samples, 0)),
            None => "no samples by instruction".to_owned(),
        };
        return (Confidence::Low, why);
    };
    let said = format!("{} samples", format::fixed(samples, 0));
    if samples < m.limits[Threshold::SamplesMany] {
        return (Confidence::Medium, said);
    }
    if held.margin < NEAR {
        return (
            Confidence::Medium,
            format!("{said}; only {} points past its threshold", format::fixed(held.margin.max(0.0), 1)),
        );
    }
    match &held.unit {
        Some(unit) if !queues_agree(m, unit.part) => {
            (Confidence::Medium, format!("{said}; the counter is high, but the top stall points elsewhere"))
        }
        Some(_) => (Confidence::High, format!("{said}; counter and top stall agree")),
        None => (Confidence::High, said),
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

/// What the time of the kernel is made of.
fn beside(m: &Measures<'_, '_>) -> Vec<Words> {
    let Some(phases) = m.sampled() else { return Vec::new() };
    let mut found = Vec::new();
    found.extend(tile(phases));
    found.extend(split(phases));
    found.extend(health(phases));
    found
}

/// `One tile = 15,387 cycles: main loop 8,334 (tensor 6,147 = 74 %), epilogue 7,004 (tensor 0).`
fn tile(phases: &Phases) -> Option<Words> {
    let (cycles, tensor) = (phases.cycles?, phases.tensor?);
    let whole = match phases.unit? {
        CycleUnit::Tile => "tile",
        CycleUnit::Block => "block",
        CycleUnit::Warp => "warp lifetime",
    };
    let of_drain = phases.phases.iter().filter(|phase| phase.kind == PhaseKind::Drain).filter_map(|phase| phase.cycles);
    let drain: f64 = of_drain.sum();
    let said = |phase: &Phase| {
        // The last products run on in the drain: both have the tensor cycles together.
        let (name, own) = match phase.kind {
            PhaseKind::Drain => return None,
            PhaseKind::MainLoop if drain > 0.0 && phase.tensor.is_some() => {
                ("main loop and drain", phase.cycles? + drain)
            }
            other => (kind(other), phase.cycles?),
        };
        let of_tensor = match phase.tensor {
            Some(0.0) if phase.kind == PhaseKind::Epilogue => " (tensor 0)".to_owned(),
            Some(busy) if busy > 0.0 => {
                format!(" (tensor {} = {} %)", format::fixed(busy, 0), format::fixed(100.0 * tensor / own, 0))
            }
            _ => String::new(),
        };
        let share = phase.share >= 0.005;
        share.then(|| format!("{name} {}{of_tensor}", format::fixed(own, 0)))
    };
    let parts: Vec<String> = phases.phases.iter().filter_map(said).collect();
    Some(words!("One {} = {} cycles: {}.", whole, format::fixed(cycles, 0), parts.join(", ")))
}

/// What a phase is called.
fn kind(kind: PhaseKind) -> &'static str {
    match kind {
        PhaseKind::Prologue => "prologue",
        PhaseKind::MainLoop => "main loop",
        PhaseKind::Epilogue => "epilogue",
        PhaseKind::Exit => "exit",
        PhaseKind::Conditional => "conditional code",
        _ => "other code",
    }
}

/// `Elapsed time: 83.9 % tensor busy, 10.8 % block resident and tensor idle, 5.3 % no block on the SM.`
fn split(phases: &Phases) -> Option<Words> {
    let time = &phases.time;
    let (tensor, idle, empty) = (time.tensor?, time.idle?, time.empty?);
    let wave = time.last_wave.filter(|wave| *wave >= 0.005);
    let wave =
        wave.map(|wave| format!(" (at most {} of it the last wave)", share(wave.min(empty)))).unwrap_or_default();
    let wave = if empty >= 0.005 { wave } else { String::new() };
    Some(words!(
        "Elapsed time: {} tensor busy, {} block resident and tensor idle, {} no block on the SM{}.",
        share(tensor),
        share(idle),
        share(empty),
        wave
    ))
}

/// Back-pressure of a full tensor pipe is health.
fn health(phases: &Phases) -> Option<Words> {
    let pressure = phases.pressure.filter(|pressure| pressure.is_healthy == Some(true) && pressure.share >= 0.1)?;
    Some(words!(
        "{} of the samples of the tensor warps are back-pressure of the tensor pipe: healthy, not a stall to fix.",
        share(pressure.share)
    ))
}
