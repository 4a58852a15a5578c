//! Rules on warps that wait while nothing is busy.

use super::{At, Held, l2, share, stages};
use crate::analysis::diagnose::level::{Level, is_memory};
use crate::analysis::diagnose::measures::{ACHIEVED, Measures, THEORETICAL};
use crate::analysis::lines::Sits;
use crate::analysis::phases::PhaseKind;
use crate::catalog::{Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use cuda_binary::Op;
use cuda_binary::op::Space;

/// Accesses to shared memory for each barrier up to which they are an exchange between warps: two loads and a store, or a swap.
const ROUND: f64 = 4.0;

/// A load whose address is its own value one turn back.
pub(super) fn chain(m: &Measures<'_, '_>) -> Option<Held> {
    let phases = m.sampled()?;
    let chain = phases.chain.as_ref()?;
    let step = phases.step_cycles().map(|cycles| format!(", {} cycles a step", format::fixed(cycles, 0)));
    let sentence = words!(
        "{} of the samples wait for the load at `:{}`, whose value is the next address{}: one load in flight a thread{}.",
        share(chain.share),
        chain.load.line.to_string(),
        step.unwrap_or_default(),
        l2::served(m).map(|served| words!(", from L2 ({})", served.said())).unwrap_or_default()
    );
    let reason = StallReason::LongScoreboard;
    let held = Held::new(Code::Wait(reason), 100.0 * chain.share, m.limits[Threshold::ChainShare], sentence);
    let held = held.at(At::point(&chain.load)).from(m.readings(&[&reason.per_issue()]));
    held.holds.then_some(held)
}

/// Instruction requests that the SM's own cache passed on to the cache of its GPC.
const LEAVING: Counter = Counter::GccCacheRequestsTypeInstructionSum;
const EXECUTED: Counter = Counter::SmspInstExecutedSum;
/// Bytes of an instruction, since cc 7.0.
const INSTRUCTION: u64 = 16;

/// Warps wait for their next instruction, and requests leave the SM: the code does not stay in its cache. Without that counter the
/// wait alone must be as large as any wait that limits.
pub(in crate::analysis::diagnose) fn fetch(m: &Measures<'_, '_>) -> Option<Held> {
    let reason = StallReason::NoInstruction;
    let wait = m.wait(reason).filter(|_| !m.is_hardly_sampled())?;
    let thousand = m.kernel.value(EXECUTED).filter(|executed| *executed > 0.0)? / 1000.0;
    let misses = m.kernel.value(LEAVING).map(|leaving| leaving / thousand);
    let least = match misses {
        Some(misses) if misses < m.limits[Threshold::FetchMisses] => return None,
        Some(_) => m.limits[Threshold::FetchShare],
        None => m.limits[Threshold::StallShare],
    };
    let leave = misses.map(|misses| {
        format!("; {} instruction requests leave the SM for each thousand instructions", format::fixed(misses, 1))
    });
    let sentence = words!(
        "Warps wait {} of their time for the next instruction: the code{} does not stay in the instruction cache{}.",
        share(wait),
        loop_of(m).unwrap_or_default(),
        leave.unwrap_or_default()
    );
    let held = Held::new(Code::InstructionFetch, 100.0 * wait, least, sentence).at(At::Line(Sits::Waits(reason)));
    let held = held.from(m.held(&[&reason.per_issue(), LEAVING.name(), EXECUTED.name()]));
    held.holds.then_some(held)
}

/// Rounds of few accesses to shared memory and a barrier, of which the barrier is the largest wait.
pub(super) fn rounds(m: &Measures<'_, '_>) -> Option<Held> {
    let reason = StallReason::Barrier;
    m.top_waits().first().filter(|(top, _)| *top == reason)?;
    let barriers = m.mix.count(|op| op == Op::BAR).filter(|count| *count > 0.0)?;
    let accesses = m.mix.count(|op| op.is_in(Space::Shared) && op.is_by_lane())?;
    (accesses <= ROUND * barriers).then(|| wait(m, reason)).flatten()
}

/// A wait as what limits.
pub(in crate::analysis::diagnose) fn of_wait(m: &Measures<'_, '_>, reason: StallReason) -> Option<Held> {
    match reason {
        StallReason::LongScoreboard => chain(m).or_else(|| l2::latency(m)).or_else(|| wait(m, reason)),
        StallReason::NoInstruction => fetch(m).or_else(|| wait(m, reason)),
        _ => wait(m, reason),
    }
}

/// Waits at mbarriers as what limits.
pub(in crate::analysis::diagnose) fn of_mbarriers(m: &Measures<'_, '_>) -> Option<Held> {
    stages::mbarriers(m)
}

fn wait(m: &Measures<'_, '_>, reason: StallReason) -> Option<Held> {
    let (share_of, row) = (m.wait(reason)?, reason.row()?);
    let front = [Part::MemoryL2, Part::MemoryDram].into_iter().filter_map(|part| m.unit(part));
    let front = front.filter(|unit| unit.level == Level::High).max_by(|a, b| a.share.total_cmp(&b.share));
    let behind = front.map(|unit| words!(" with {} at {} of peak", &unit.name, share(unit.share))).unwrap_or_default();
    // The unit in front of which they wait is not told again.
    let busiest = m.units.first().filter(|unit| front.is_none_or(|front| front.part != unit.part));
    let full = if m.is_saturated() { "" } else { "; no unit is saturated" };
    let sentence = words!(
        "{} takes {} of the warps' time{}{}{}.",
        row.label,
        share(share_of),
        behind,
        full,
        busiest.map(|unit| format!(" (busiest: {} %)", unit.said())).unwrap_or_default()
    );
    let code = if reason == StallReason::NoInstruction { Code::InstructionFetch } else { Code::Wait(reason) };
    let held = Held::new(code, 100.0 * share_of, 0.0, sentence).at(At::Line(Sits::Waits(reason)));
    Some(held.from(m.held(&[&reason.per_issue(), THEORETICAL.name(), ACHIEVED.name()])))
}

/// Bytes from the first to the last instruction of the loop that holds the most samples; nothing without a loop.
fn loop_of(m: &Measures<'_, '_>) -> Option<String> {
    let loops = m.sampled()?.phases.iter().filter(|phase| matches!(phase.kind, PhaseKind::MainLoop | PhaseKind::Loop));
    let at = &loops.max_by_key(|phase| phase.samples)?.at;
    let bytes = (at.end - at.start + INSTRUCTION) as f64;
    Some(format!(" of the loop, {} kB,", format::fixed(bytes / 1e3, 1)))
}

/// What cannot be told: the report holds no waits, or not what the SMs or the memory system do.
pub(in crate::analysis::diagnose) fn unknown(m: &Measures<'_, '_>) -> Held {
    if m.units.is_empty() {
        let sentence = words!("The report holds neither unit utilisation nor stall reasons.");
        return Held::new(Code::NotMeasured, 0.0, 0.0, sentence);
    }
    let units: Vec<String> = m.units.iter().take(2).map(|unit| format!("{} %", unit.said())).collect();
    let lacks = match m.unheld_waits() {
        unheld if unheld > 0.0 => format!("no reason for {} of the warps' time", share(unheld)),
        _ => "no stall reasons".to_owned(),
    };
    let unmeasured = match (m.units.iter().any(is_memory), m.units.iter().all(is_memory)) {
        (true, false) => None,
        (true, true) => Some("the SMs"),
        (false, _) => Some("the memory system"),
    };
    let sentence = match unmeasured {
        None => words!("No unit is saturated ({}), and the report holds {}.", units.join(", "), lacks),
        Some(part) => words!(
            "Nothing that was measured is saturated ({}); the report holds {} and nothing of {}, so that work and latency cannot be told apart.",
            units.join(", "),
            lacks,
            part
        ),
    };
    Held::new(Code::Latency, 0.0, 0.0, sentence).from(m.readings(&[&m.units[0].counter]))
}
