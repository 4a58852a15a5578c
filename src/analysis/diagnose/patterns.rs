//! What is worth knowing beside the verdict: one function for each pattern, with what is detected, where it stands, and its
//! words.
//!
//! A new pattern is a function here, its line in [`PATTERNS`], and its row in `catalog/limiters.toml`. A pattern is silent
//! where its evidence is missing: the report's own tables say what was not collected.

use super::finding::{Finding, Severity};
use super::kernel::Kernel;
use crate::analysis::derive::units::{self, MEMORY};
use crate::analysis::lines::Sits;
use crate::analysis::phases::{Loop, address, point};
use crate::catalog::{Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format::{fixed, percent};
use crate::words;
use crate::words::Words;
use cuda_binary::op::{Act, Space};

/// What is there of a pattern in a kernel that something limits, and where in the source it stands.
type Pattern = fn(&Kernel<'_, '_>, Code) -> Option<(Finding, Sits)>;

/// Every pattern of a profile. Findings are ranked; the order here decides between equal ones.
pub(super) const PATTERNS: [Pattern; 4] = [predicated_off, serialised_accesses, peak_exceeded, kept_in_memory];

/// A finding with the readings that it rests on. `share` in percent ranks it: of the limiting part's work for a cause, of its own
/// part's for a cost.
fn found(
    g: &Kernel<'_, '_>,
    code: Code,
    severity: Severity,
    share: f64,
    metrics: &[impl AsRef<str>],
    sentence: Words,
) -> Finding {
    Finding { code, severity, sentence, at: None, readings: g.readings(metrics), share }
}

/// Threads of an instruction's warp that take part in it.
const ACTIVE: Counter = Counter::SmspThreadInstExecutedPerInstExecutedRatio;

/// Those of them that no predicate switches off.
const ON: Counter = Counter::SmspThreadInstExecutedPredOnPerInstExecutedRatio;

/// Threads of a warp.
const LANES: f64 = 32.0;

/// Limits at which the number of instructions counts, beside those of arithmetic.
const BY_INSTRUCTIONS: [Code; 3] =
    [Code::Unit(Part::Issue), Code::Wait(StallReason::BranchResolving), Code::Wait(StallReason::NoInstruction)];

/// Lanes take part but are predicated off: `(active − on) / 32`, where together they leave a quarter of the warp idle.
fn predicated_off(g: &Kernel<'_, '_>, limiter: Code) -> Option<(Finding, Sits)> {
    let (active, on) = (g.kernel.value(ACTIVE)?, g.kernel.value(ON)?);
    let off = 100.0 * (active - on) / LANES;
    if on >= g.limits[Threshold::ThreadUtilisationLow] || off < g.limits[Threshold::CostShare] {
        return None;
    }
    // Of slots that mostly stay empty, lanes cost little.
    let cost = off * g.stalls.issue_active.new.value().unwrap_or(1.0);
    let severity = g.severity(limiter.is_compute() || BY_INSTRUCTIONS.contains(&limiter), cost);
    let sentence = words!(
        "Predicates switch off {} of 32 lanes in the average instruction: {} are active, {} do the work.",
        fixed(active - on, 1),
        fixed(active, 1),
        fixed(on, 1)
    );
    Some((found(g, Code::PredicatedOff, severity, cost, &[ACTIVE, ON], sentence), Sits::IdleLanes))
}

/// Share of the executed instructions, in percent, from which loads of a word that stays are worth a line.
const RELOADED: f64 = 5.0;

/// A loop loads a word on every turn and stores it at the same address, which no turn changes: the thread's own value, which a
/// register could hold. The compiler has to load it again where others may have written it: behind a barrier, or through a pointer.
fn kept_in_memory(g: &Kernel<'_, '_>, _: Code) -> Option<(Finding, Sits)> {
    let study = g.study?;
    let code = &study.code;
    // The address with the rows that make it, where none of them is in the loop.
    let stays = |row: usize, cycle: &Loop| {
        let register = address(code, row)?;
        let made = study.flows.definitions(code, row, register);
        let is_outside = made.iter().all(|row| !cycle.blocks.contains(&code.block_of[*row]));
        Some((register, made, code.rows[row].word?.registers.offset)).filter(|_| is_outside)
    };
    let is_reloaded = |load: usize| {
        let around = code.loops.iter().filter(|cycle| cycle.blocks.contains(&code.block_of[load]));
        let cycle = around.min_by_key(|cycle| cycle.blocks.len())?;
        let is_turning = code.entered(cycle)? < code.entries(cycle.header);
        let own = stays(load, cycle).filter(|_| is_turning)?;
        let is_of_it = |row: &usize| {
            let (store, loaded) = (code.op(*row), code.op(load));
            store.act() == Some(Act::Store) && store.space() == loaded.space() && code.executed[*row] > 0
        };
        let mut stores = code.rows_of(&cycle.blocks).filter(is_of_it);
        stores.any(|row| stays(row, cycle).as_ref() == Some(&own)).then_some(load)
    };
    let is_load = |row: &usize| {
        let op = code.op(*row);
        op.act() == Some(Act::Load)
            && matches!(op.space(), Some(Space::Global | Space::Shared))
            && code.executed[*row] > 0
    };
    let loads: Vec<usize> = (0..code.rows.len()).filter(is_load).filter_map(is_reloaded).collect();
    let most = loads.iter().copied().max_by_key(|row| (code.executed[*row], std::cmp::Reverse(*row)))?;
    let executed: u64 = loads.iter().map(|row| code.executed[*row]).sum();
    let share = 100.0 * executed as f64 / code.executed.iter().sum::<u64>() as f64;
    if share < RELOADED {
        return None;
    }
    let at = point(study, most);
    let place = if at.line > 0 { format!("{}:{}", at.file, at.line) } else { format!("SASS {:#x}", at.offset) };
    let sentence = words!(
        "At `{}` a loop loads a word again on every turn and stores it where it was: {} of the executed instructions are such loads. \
         A register can hold the value where no other thread writes it.",
        place,
        percent(share)
    );
    Some((
        found(g, Code::KeptInMemory, Severity::Notes, share, &[Counter::SmspInstExecutedSum], sentence),
        Sits::Nowhere,
    ))
}

/// The caches from the nearest on, each with the share of sectors that it has.
const CACHES: [(&str, Counter); 2] = [("L1", Counter::L1texTSectorHitRatePct), ("L2", Counter::LtsTSectorHitRatePct)];

/// A cache has what is asked for, no memory unit is near its peak, and warps wait for loads all the same: few accesses are in
/// flight at once, because each hangs on the one before it or they meet at one address.
fn serialised_accesses(g: &Kernel<'_, '_>, limiter: Code) -> Option<(Finding, Sits)> {
    const REASON: StallReason = StallReason::LongScoreboard;
    // The limit says the same with its numbers.
    if limiter == Code::LatencyL2 {
        return None;
    }
    let busy = g.kernel.value(MEMORY).filter(|busy| *busy < g.limits[Threshold::SolLow])?;
    let waits = g.stall_share(REASON).filter(|share| *share >= g.limits[Threshold::StallShare])?;
    let (cache, metric, hits) = CACHES.iter().find_map(|(cache, metric)| {
        let hits = g.kernel.value(metric).filter(|hits| *hits >= g.limits[Threshold::HitRateHigh])?;
        Some((*cache, *metric, hits))
    })?;
    let sentence = words!(
        "The accesses are serialised: {} hit rate {} %, memory system at {} % of peak, and warps wait for loads {} % of their time.",
        cache,
        fixed(hits, 1),
        fixed(busy, 1),
        fixed(waits, 1)
    );
    let metrics = [metric.name(), MEMORY.name(), &REASON.per_issue()];
    let finding = found(g, Code::SerialisedAccesses, g.severity(false, waits), waits, &metrics, sentence);
    Some((finding, Sits::Waits(REASON)))
}

/// A share of peak above what a peak allows, of the busiest counter of the breakdown.
fn peak_exceeded(g: &Kernel<'_, '_>, _: Code) -> Option<(Finding, Sits)> {
    let unit = units::busiest(g.kernel).into_iter().next()?;
    let sentence = words!(
        "`{}` reads {} of its peak: the counter or its peak does not mean what its name says.",
        &unit.counter,
        percent(unit.percent)
    );
    let finding = found(g, Code::PeakExceeded, Severity::Notes, unit.percent - 100.0, &[&unit.counter], sentence);
    (unit.percent > g.limits[Threshold::PeakExceeded]).then_some((finding, Sits::Nowhere))
}
