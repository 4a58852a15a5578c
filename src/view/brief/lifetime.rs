//! What the time of the kernel is made of, what of it is healthy, and what of it the gap to the reference is.

use super::lead::called;
use super::phases::SMALL_ALONE;
use super::places::phase_words;
use crate::analysis::phases::{CycleUnit, Phase, PhaseKind, Phases};
use crate::analysis::{Audit, Gap, ReferenceProfile, Severity, TimeSplit};
use crate::catalog::{Code, Counter, Threshold};
use crate::quantity::format;
use crate::quantity::glance::{self, share};
use crate::view::clock_steps;
use crate::words::{Words, words};

/// Shares of the elapsed time from which a part of it without work is told, and from which all of them are.
const PART: f64 = 0.01;
const LOST: f64 = 0.05;

/// The sentences; of phases none where too little was sampled for shares to mean something.
pub(super) fn sentences(audit: &Audit) -> Vec<Words> {
    let few = audit.limits[Threshold::SamplesFew];
    let phases = audit.now.phases.as_ref().filter(|phases| phases.samples as f64 >= few);
    let of_products = phases.and_then(split);
    let split =
        of_products.or_else(|| audit.now.bottleneck.time.as_ref().filter(|_| !is_told(audit)).and_then(of_launch));
    let gap = gap(audit).map(Words::from);
    [phases.and_then(tile), split, phases.and_then(health), gap].into_iter().flatten().collect()
}

/// Whether what limits, or a finding beside it, says what the SMs lose.
fn is_told(audit: &Audit) -> bool {
    let told = audit.now.findings.iter().filter(|finding| finding.severity != Severity::Notes);
    told.into_iter()
        .any(|finding| matches!(finding.code, Code::LaunchTail | Code::LaunchSmallGrid | Code::LaunchShortBlocks))
}

/// `Elapsed time: 3.0 % tail, 16.6 % warp slots empty between blocks, 80.4 % SMs at work.`, of parts worth a word; `None` where the SMs
/// are at work for nearly all of it.
fn of_launch(time: &TimeSplit) -> Option<Words> {
    let parts = [
        (time.ramp, "launch and ramp"),
        (time.tail, "tail"),
        (time.turnover + time.uneven, "warp slots empty between blocks"),
    ];
    let lost: f64 = parts.iter().map(|(part, _)| part).sum();
    let told = parts.iter().filter(|(part, _)| *part >= PART).map(|(part, what)| format!("{} {what}", share(*part)));
    let told: Vec<String> = told.collect();
    (lost >= LOST).then(|| words!("Elapsed time: {}, {} SMs at work.", told.join(", "), share((1.0 - lost).max(0.0))))
}

/// What cycles of a unit are the cycles of.
pub(in crate::view) fn unit_name(unit: CycleUnit) -> &'static str {
    match unit {
        CycleUnit::Tile => "tile",
        CycleUnit::Block => "block",
        CycleUnit::Warp => "warp lifetime",
    }
}

/// `One tile = 15,387 cycles: main loop 8,334 (tensor 6,147 = 74 %), epilogue 7,004 (tensor 0).`
fn tile(phases: &Phases) -> Option<Words> {
    let (cycles, tensor) = (phases.cycles?, phases.tensor?);
    let whole = unit_name(phases.unit?);
    let parts = parts(&phases.phases, phases.in_turn.is_some(), phases.step_efficiency.is_some());
    let busy = phases.in_turn.map(|groups| {
        let percent = format::fixed(100.0 * tensor / cycles, 0);
        format!("; tensor {} = {percent} %, by {groups} warpgroups in turn", glance::cycles(tensor))
    });
    let cycles = glance::cycles(cycles);
    Some(words!("One {} = {} cycles: {}{}.", whole, cycles, parts.join(", "), words::maybe(busy)))
}

/// What a tile is made of, each name once: `main loop 8,334 (tensor 6,147 = 74 %)`. The tensor cycles are those of all loops together
/// and of the drain, in which the last products run on; where warps take tiles in turn, no phase has them. What part of the loop they are
/// is told of a step where that is known.
fn parts(phases: &[Phase], is_in_turn: bool, has_step: bool) -> Vec<String> {
    struct Part {
        name: String,
        share: f64,
        cycles: f64,
        tensor: Option<f64>,
    }
    let count = |kind| phases.iter().filter(|phase| phase.kind == kind).count();
    let loops = if count(PhaseKind::MainLoop) > 1 { "main loops" } else { "main loop" };
    let drain = if count(PhaseKind::Drain) > 0 { " and drain" } else { "" };
    let mut parts: Vec<Part> = Vec::new();
    for phase in phases {
        let name = match phase.kind {
            PhaseKind::MainLoop | PhaseKind::Drain if !is_in_turn => format!("{loops}{drain}"),
            other => kind(other),
        };
        let Some(cycles) = phase.cycles else { continue };
        match parts.iter_mut().find(|part| part.name == name) {
            Some(part) => {
                part.share += phase.share;
                part.cycles += cycles;
                part.tensor = part.tensor.or(phase.tensor);
            }
            None => parts.push(Part { name, share: phase.share, cycles, tensor: phase.tensor }),
        }
    }
    let said = |Part { name, cycles, tensor, .. }: Part| {
        let of_tensor = match tensor {
            Some(0.0) if name == kind(PhaseKind::Epilogue) => " (tensor 0)".to_owned(),
            Some(busy) if busy > 0.0 && has_step => format!(" (tensor {})", glance::cycles(busy)),
            Some(busy) if busy > 0.0 => {
                format!(" (tensor {} = {} %)", glance::cycles(busy), format::fixed(100.0 * (busy / cycles).min(1.0), 0))
            }
            _ => String::new(),
        };
        format!("{name} {}{of_tensor}", glance::cycles(cycles))
    };
    parts.into_iter().filter(|part| part.share >= SMALL_ALONE).map(said).collect()
}

/// What a phase of a kernel of products is called in a list.
fn kind(kind: PhaseKind) -> String {
    match kind {
        PhaseKind::Loop | PhaseKind::Stretch | PhaseKind::Elsewhere => "other code".to_owned(),
        _ => format::uncapital(phase_words(kind).own),
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

/// A phase is of the size of a gap within this part.
const SIZE: f64 = 0.1;

/// The gap to the reference, taken apart into cycles or time with the work that limits and without.
fn gap(audit: &Audit) -> Option<String> {
    let name = called(&audit.trials.timing.as_ref()?.benchmark.reference.as_ref()?.name).into_owned();
    let reference = audit.trials.reference.as_ref()?;
    match reference.gap() {
        Some(gap) => Some(of_products(audit, &name, gap)),
        None => of_unit(audit, &name, reference),
    }
}

/// Time with the part of the chip that limits busy and without, and what the ends of the launch cost of it.
fn of_unit(audit: &Audit, name: &str, reference: &ReferenceProfile) -> Option<String> {
    let Code::Unit(part) = audit.now.bottleneck.limiter else { return None };
    let [own, theirs] =
        [&audit.now.bottleneck.units, &reference.units].map(|units| units.iter().find(|unit| unit.part == part));
    let (own, shares) = (own?, (own?.share, theirs?.share));
    let row = reference.rows.iter().find(|row| row.id == Counter::GpuTimeDurationSum.name())?;
    let times = (row.kernel.value()?, row.reference.value()?);
    let busy = (times.0 * shares.0, times.1 * shares.1);
    let idle = (times.0 - busy.0, times.1 - busy.1);
    let both = |(own, theirs): (f64, f64)| {
        let way = if own < theirs { "less" } else { "more" };
        format!("{} {way} ({} and {})", glance::time((own - theirs).abs()), glance::time(own), glance::time(theirs))
    };
    let shape = audit.now.over_time.as_ref().and_then(|over| over.shape.as_ref());
    let ends = shape.map(|shape| shape.ramp.cost + shape.tail.cost).filter(|cost| *cost >= PART * times.0);
    let ends = ends.map(|cost| format!("; its ramp and tail cost {}", glance::time(cost))).unwrap_or_default();
    let (unit, is_told) = (&own.name, (times.0 / times.1 - 1.0).abs() >= LOST);
    is_told
        .then(|| format!("Against {name}, under ncu: {unit} busy for {}, idle for {}{ends}.", both(busy), both(idle)))
}

/// Tensor cycles and cycles without.
fn of_products(audit: &Audit, name: &str, gap: Gap) -> String {
    let (idle, apart) = (gap.idle(), gap.cycles.0 - gap.cycles.1);
    let more = |cycles: f64| format!("{} {}", glance::short(cycles.abs()), if cycles < 0.0 { "fewer" } else { "more" });
    let both = |(own, theirs): (f64, f64)| match (glance::short(own), glance::short(theirs)) {
        (own, theirs) if own == theirs => own,
        (own, theirs) => format!("{own} and {theirs}"),
    };
    let told = if gap.is_idle_time() {
        format!(
            "Against {name}: {} cycles with about the same tensor cycles ({}): the gap is idle tensor time ({}){}.",
            more(apart),
            both(gap.tensor),
            both(idle),
            phase_of(audit, apart / gap.cycles.0).map(|phase| format!(", the size of {phase}")).unwrap_or_default()
        )
    } else {
        format!(
            "Against {name}: {} cycles; {} of them tensor cycles ({}), {} idle ({}).",
            more(apart),
            more(gap.tensor.0 - gap.tensor.1),
            both(gap.tensor),
            more(idle.0 - idle.1),
            both(idle)
        )
    };
    told + &clock_steps::beside(audit, gap.cycles).unwrap_or_default()
}

/// The phase whose cycles are those of a gap of this part of the kernel's, within a tenth.
fn phase_of(audit: &Audit, part: f64) -> Option<&'static str> {
    let phases = audit.now.phases.as_ref()?;
    let gap = phases.cycles? * part;
    let is_its = |phase: &&Phase| phase.cycles.is_some_and(|cycles| (cycles / gap - 1.0).abs() <= SIZE);
    Some(match phases.phases.iter().find(is_its)?.kind {
        PhaseKind::Prologue => "the prologue",
        PhaseKind::Drain => "the drain of the last products",
        PhaseKind::Epilogue => "the epilogue",
        PhaseKind::Exit => "the exit",
        _ => return None,
    })
}
