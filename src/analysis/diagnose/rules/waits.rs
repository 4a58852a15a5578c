//! Rules on warps that wait while nothing is busy.

use super::{At, Held, busy, l2, share, tensor};
use crate::analysis::derive::stalls::StallBasis;
use crate::analysis::diagnose::level::QUEUED;
use crate::analysis::diagnose::level::{Level, Unit};
use crate::analysis::diagnose::measures::{ACHIEVED, Measures, THEORETICAL};
use crate::analysis::lines::Sits;
use crate::analysis::phases::PhaseKind;
use crate::catalog::{self, Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// Dependent loads that take several times as long as in an idle chip, in front of a busy memory unit: what they wait for is their turn.
pub(super) fn queued(m: &Measures<'_, '_>) -> Option<Held> {
    let phases = m.sampled()?;
    let chain = phases.chain.as_ref().filter(|chain| 100.0 * chain.share >= m.limits[Threshold::ChainShare])?;
    let latency = catalog::chip(m.kernel.device().compute_capability?)?.latency.as_ref()?;
    let alone = f64::from(latency.dram?);
    let step = phases.step_cycles().filter(|step| *step >= QUEUED * alone)?;
    let unit = m.memory()?.clone();
    let sentence = words!(
        "Loads queue at {} ({} of peak): a step of the chain at `:{}` takes {} cycles, where a load from DRAM takes {} on an idle chip.",
        busy::named(&unit),
        share(unit.share),
        chain.load.line.to_string(),
        format::fixed(step, 0),
        format::fixed(alone, 0)
    );
    let held = Held::new(Code::Unit(unit.part), 100.0 * unit.share, m.limits[Threshold::SolLow], sentence);
    let held = held.at(At::point(&chain.load)).from(m.readings(&[&unit.counter]));
    held.holds.then_some(Held { unit: Some(unit), ..held })
}

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

/// Warps wait for their next instruction longer than for anything that a change could shorten, and requests leave the SM: the code
/// does not stay in its cache. Without that counter the wait alone must be as large as any wait that limits.
pub(super) fn fetch(m: &Measures<'_, '_>) -> Option<Held> {
    let reason = StallReason::NoInstruction;
    let wait = m.wait(reason).filter(|_| !m.is_hardly_sampled())?;
    let thousand = m.kernel.value(EXECUTED).filter(|executed| *executed > 0.0)? / 1000.0;
    let misses = m.kernel.value(LEAVING).map(|leaving| leaving / thousand);
    let least = match misses {
        Some(misses) if misses < m.limits[Threshold::FetchMisses] => return None,
        Some(_) => m.limits[Threshold::FetchShare],
        None => m.limits[Threshold::StallShare],
    };
    // Fixed latencies are there in any code.
    let others =
        m.top_waits().into_iter().filter(|(other, _)| !matches!(other, StallReason::NoInstruction | StallReason::Wait));
    let is_largest = others.map(|(_, share)| share).fold(0.0, f64::max) <= wait;
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
    (100.0 * wait >= least).then(|| held.only_if(is_largest && !m.is_saturated()))
}

/// Issue or a pipe of arithmetic is the busiest unit, and busier than any wait is long. Without its waits a launch takes what its
/// instructions take there, `1 − unit` less; without its instructions it takes what the largest wait does, `1 − wait` less: the larger
/// limits.
pub(super) fn work(m: &Measures<'_, '_>) -> Option<Held> {
    let is_pipe = |part: Part| <&str>::from(part).starts_with("compute-") && part != Part::ComputeControl;
    let is_work = |part: Part| part == Part::Issue || is_pipe(part);
    let unit = m.units.first().filter(|unit| is_work(unit.part) && unit.level == Level::High)?.clone();
    let (reason, wait) = m.top_waits().into_iter().next()?;
    let sentence = words!(
        "{} at {}, the busiest unit; the largest wait, {}, takes {} of the warps' time.",
        format::capital(&busy::the(&unit)),
        share(unit.share),
        reason.row()?.label,
        share(wait)
    );
    let at = if unit.part == Part::ComputeTensor { tensor::products(m) } else { At::Line(Sits::Limiter) };
    let held = Held::new(Code::Unit(unit.part), 100.0 * unit.share, 100.0 * wait, sentence).at(at);
    let held = held.from(m.readings(&[&unit.counter, &reason.per_issue()]));
    held.holds.then_some(Held { unit: Some(unit), ..held })
}

/// The largest wait, where it is large; with little room for warps that is what limits.
pub(in crate::analysis::diagnose) fn latency(m: &Measures<'_, '_>) -> Option<Held> {
    let (reason, wait) = m.top_waits().into_iter().next()?;
    let row = reason.row()?;
    let few = m
        .theoretical
        .filter(|room| 100.0 * room < m.limits[Threshold::OccupancyFew] && m.is_by_design() == Some(false));
    let front = [Part::MemoryL2, Part::MemoryDram].into_iter().filter_map(|part| m.unit(part));
    let front = front.filter(|unit| unit.level == Level::High).max_by(|a, b| a.share.total_cmp(&b.share));
    let behind = match (few, front) {
        (Some(room), _) => {
            let binding = Some(m.occupancy.binding().join(" and ")).filter(|binding| !binding.is_empty());
            let by = binding.map(|binding| format!(", limited by {binding}"));
            words!(" at {} occupancy{}", share(room), by.unwrap_or_default())
        }
        (None, Some(unit)) => words!(" with {} at {} of peak", &unit.name, share(unit.share)),
        (None, None) => Words::default(),
    };
    // The unit in front of which they wait is not told again.
    let busiest = m.units.first().filter(|unit| few.is_some() || front.is_none_or(|front| front.part != unit.part));
    let sentence = words!(
        "{} takes {} of the warps' time{}; no unit is saturated{}.",
        row.label,
        share(wait),
        behind,
        busiest.map(|unit| format!(" (busiest: {} %)", unit.said())).unwrap_or_default()
    );
    let code = match (few, reason) {
        (_, StallReason::NoInstruction) => Code::InstructionFetch,
        (Some(_), _) => Code::OccupancyLimit,
        (None, reason) => Code::Wait(reason),
    };
    let held =
        Held::new(code, 100.0 * wait, m.limits[Threshold::StallShare], sentence).at(At::Line(Sits::Waits(reason)));
    let held = held.from(m.held(&[&reason.per_issue(), THEORETICAL.name(), ACHIEVED.name()]));
    held.holds.then_some(held)
}

/// Bytes from the first to the last instruction of the loop that holds the most samples; nothing without a loop.
fn loop_of(m: &Measures<'_, '_>) -> Option<String> {
    let loops = m.sampled()?.phases.iter().filter(|phase| matches!(phase.kind, PhaseKind::MainLoop | PhaseKind::Loop));
    let at = &loops.max_by_key(|phase| phase.samples)?.at;
    let bytes = (at.end - at.start + INSTRUCTION) as f64;
    Some(format!(" of the loop, {} kB,", format::fixed(bytes / 1e3, 1)))
}

/// Nothing is busy and no wait is large. Where warps issue, or are ready to, for more of their time than they wait for any one reason,
/// the number of instructions is what is left, unless a unit that is busier than issue holds them up.
pub(in crate::analysis::diagnose) fn nothing(m: &Measures<'_, '_>) -> Held {
    let waits = m.top_waits();
    let ready = m.waits(&[StallReason::Selected, StallReason::NotSelected]);
    let issue = m.unit(Part::Issue).cloned();
    let is_behind = |issue: &Unit| m.units.iter().any(|unit| unit.level > Level::Idle && unit.share > issue.share);
    if let (Some(unit), Some((top, wait))) = (issue.filter(|issue| !is_behind(issue)), waits.first())
        && ready > *wait
        && m.stalls.table(StallBasis::ShareOfWarpTime).is_some()
    {
        let sentence = words!(
            "Warps issue, or are ready to, for {} of their time, longer than they wait for any one reason (the largest: {}, {}); issue slots are at {}.",
            share(ready),
            top.row().map_or("", |row| row.label),
            share(*wait),
            share(unit.share)
        );
        let held =
            Held::new(Code::Unit(Part::Issue), 100.0 * ready, 100.0 * wait, sentence).at(At::Line(Sits::Limiter));
        let readings = m.readings(&[&unit.counter]);
        return Held { unit: Some(unit), ..held.from(readings) };
    }
    let units: Vec<String> = m.units.iter().take(2).map(|unit| format!("{} %", unit.said())).collect();
    let named: Vec<String> = waits
        .iter()
        .take(2)
        .filter_map(|(reason, wait)| Some(format!("{} {}", reason.row()?.label, share(*wait))))
        .collect();
    if waits.is_empty() && m.units.is_empty() {
        let sentence = words!("The report holds neither unit utilisation nor stall reasons.");
        return Held::new(Code::NotMeasured, 0.0, 0.0, sentence);
    }
    if waits.is_empty() {
        let lacks = match m.unheld_waits() {
            unheld if unheld > 0.0 => format!("no reason for {} of the warps' time", share(unheld)),
            _ => "no stall reasons".to_owned(),
        };
        let sentence = words!("No unit is saturated ({}), and the report holds {}.", units.join(", "), lacks);
        return Held::new(Code::Latency, 0.0, 0.0, sentence);
    }
    let sentence = words!("The busiest units are {}, the largest stalls {}.", units.join(" and "), named.join(" and "));
    Held::new(Code::NoSingleLimiter, 0.0, 0.0, sentence)
}
