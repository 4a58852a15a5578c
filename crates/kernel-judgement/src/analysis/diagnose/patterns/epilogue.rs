//! The epilogue of a tile: products beside it, its loads.

use super::*;
use crate::analysis::phases::{Line, Span};

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::asks(
    "Is the tensor pipe idle in the epilogue?",
    exposed_epilogue,
    Stands::ByItself(Action::OverlapEpilogue),
)
.needs(SAMPLES)
.cured_by(&[overlap, wide_loads])];

/// An epilogue in which the tensor pipe is idle for certain: by the code, or as products fill the main loop and a large epilogue is beside
/// it, however the warps stand to each other.
fn without_products<'a>(m: &Measures<'a>) -> Option<&'a Phase> {
    let phases = m.sampled().filter(|phases| phases.tensor.is_some())?;
    let of = |threshold: Threshold, part: f64| 100.0 * part >= m.limits[threshold];
    let fills =
        phases.in_turn.is_none() && phases.step_efficiency.is_some_and(|busy| of(Threshold::StepEfficiency, busy));
    let is_idle = |own: &&Phase| own.tensor == Some(0.0) || fills && of(Threshold::EpilogueExposed, own.share);
    phases.phase(PhaseKind::Epilogue).filter(is_idle)
}

fn exposed_epilogue(m: &Measures<'_>) -> Option<Held> {
    let epilogue = without_products(m)?;
    let sentence = words!(
        "{} of the samples of {} are in {}, entered after the last products: the tensor pipe is idle there{}.",
        share(epilogue.share),
        if m.sampled().is_some_and(|phases| phases.roles.len() > 1) { "the warps that multiply" } else { "all warps" },
        named(epilogue),
        m.unfilled()
    );
    let held = Held::new(Code::ExposedEpilogue, 100.0 * epilogue.share, m.limits[Threshold::EpilogueExposed], sentence);
    Some(held.at(at(epilogue)).from(m.held(&[TENSOR])))
}

/// What a phase is called: the function that it is, and its lines.
fn named(phase: &Phase) -> Words {
    let lines = |first: u32, last: u32| match first == last {
        true => format!("(:{first})"),
        false => format!("(:{first}–:{last})"),
    };
    match &phase.name {
        Some(name) if name.file != phase.at.file => words!("`{}`", &name.name),
        Some(name) => words!("`{}` {}", &name.name, lines(name.first, name.last)),
        None if phase.at.first == 0 => words!("the epilogue (SASS {})", format!("{:#x}", phase.at.start)),
        None => words!("the epilogue {}", lines(phase.at.first, phase.at.last)),
    }
}

/// The call of a phase, else its first line.
pub(super) fn at(phase: &Phase) -> At {
    let call = phase.name.as_ref().map(|name| name.call.clone());
    let call = call.map(|Line { file, line }| Span { file, first: line, ..phase.at.clone() });
    At::span(call.as_ref().unwrap_or(&phase.at))
}

/// Busy cycles of the tensor pipe.
pub(super) const TENSOR: Counter = Counter::SmPipeTensorCyclesActiveAvgPctElapsed;

/// Narrow loads in a phase from which wider ones are worth trying.
const NARROW_LOADS: f64 = 16.0;

/// Bits of a lane's element that are narrow.
const NARROW: u64 = 32;

/// A register file is nearly full from this part on.
const NEARLY_FULL: f64 = 0.95;

/// `tensor active 40 → 60 %`: the same work in less time.
fn busier(m: &Measures<'_>, saves: f64) -> Words {
    let Some(now) = m.unit(Part::ComputeTensor).map(|unit| unit.share) else { return Words::default() };
    words!("tensor active {} → {} %", whole(now), whole((now / (1.0 - saves).max(0.01)).min(1.0)))
}

/// The part of the register file that a block takes, where it is nearly all.
pub(super) fn registers(m: &Measures<'_>) -> Option<Words> {
    let used = m.occupancy.file_in_use()?;
    (used.share >= NEARLY_FULL).then(|| {
        words!(
            "register file {} % full ({} × {} threads)",
            fixed(100.0 * used.share, 0),
            count(used.file.per_thread),
            count(used.threads)
        )
    })
}

/// The epilogue of a tile beside the products of the next one.
pub(super) fn overlap(m: &Measures<'_>) -> Option<Draft> {
    let epilogue = without_products(m).filter(|epilogue| epilogue.cost >= WORTH)?;
    let draft = Draft::overlaps(Action::OverlapEpilogue, epilogue.cost).at(at(epilogue));
    let (unit, left) = busiest(m, &[]);
    let caps = if 1.0 - left < epilogue.cost { format!("; {unit} at {} caps it", share(left)) } else { String::new() };
    let why = words!("{} of the time exposed{}", share(epilogue.share), caps);
    let full = registers(m).map(|full| words!("{}: a producer warpgroup needs `setmaxnreg`", full));
    let check = busier(m, draft.saves(m));
    Some(draft.because(why).risks(full.unwrap_or_default()).checks(check, TENSOR))
}

/// C3: wide loads, where narrow ones are what a phase waits for.
fn wide_loads(m: &Measures<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let warps = phases.roles.get(phases.pacing).map_or(phases.warps, |role| role.warps).max(1) as f64;
    let turns = phases.tiles?.max(1.0) * warps;
    let is_narrow = |access: &&SectorAccess| {
        let is_load = access.at.op().loads_global() && !access.is_inherent;
        is_load && access.width_bits.is_some_and(|bits| bits <= NARROW)
    };
    let mut epilogues = phases.phases.iter().filter(|phase| phase.kind == PhaseKind::Epilogue);
    epilogues.find_map(|phase| {
        let wait = phase.waits.iter().find(|wait| wait.reason == "long_scoreboard")?;
        let mut causes = wait.groups.iter().filter_map(|group| group.cause.as_ref());
        let cause = causes.find(|cause| cause.op().reads_global())?;
        let narrow = phases.accesses.iter().filter(is_narrow).filter(|access| access.at.line == cause.line);
        let executed = narrow.map(|access| access.requests).sum::<u64>() as f64;
        let loads = executed / turns;
        let cost = phase.share * wait.share;
        if loads < NARROW_LOADS || cost < WORTH {
            return None;
        }
        let why = words!(
            "{} LDG of 32 bits or less a thread and tile; {} of the epilogue waits on long scoreboard",
            count(loads),
            share(wait.share)
        );
        let draft = Draft::overlaps(Action::WideLoads, cost).at(At::point(cause)).because(why);
        Some(draft.checks(goes("32-bit LDG in the epilogue", executed), StallReason::LongScoreboard.per_issue()))
    })
}
