//! Limits by waiting: no unit is near its peak, or a wait keeps the busiest one from it.

use super::walk::{Bottleneck, Step};
use crate::analysis::derive::stalls::{StallBasis, StallRow, Stalls};
use crate::analysis::diagnose::Kernel;
use crate::catalog::{self, Code, Part, StallKind, StallReason, Threshold};
use crate::evidence::Reading;
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

/// No unit is busy: the warps wait, and the largest stall says for what.
pub(super) fn waiting(stalls: &Stalls, mut steps: Vec<Step>, sm: f64, memory: f64) -> Bottleneck {
    let busy = format!("compute is at {} and memory at {} of peak", percent(sm), percent(memory));
    let Some((table, top)) = stalls.top() else {
        let sentence = words!(
            "Latency limits it: {}, and the report holds no stall reasons that say what the warps wait for.",
            busy
        );
        return Bottleneck::of(Code::Latency, sentence, steps);
    };
    let shown = amount(table.basis, &stalls.without_parked(table, top));
    steps.extend(parked_step(stalls));
    let answer = words!("{} {}", &top.row.label, &shown);
    steps.push(Step::new("What do the warps wait for?", answer, vec![(top.row.id.clone(), top.row.new.clone())]));
    if let Some(issue) = issuing(stalls, top, &busy, &mut steps) {
        return Bottleneck::of(Code::Unit(Part::Issue), issue, steps);
    }
    let (code, kind) = waiting_code(&top.reason);
    let sentence = words!(
        "{} limits it: {}; the largest stall{} is {} with {}{}.",
        kind,
        busy,
        besides_parked(stalls),
        &top.row.label,
        shown,
        meaning(&top.reason)
    );
    Bottleneck::of(code, sentence, steps)
}

/// What a wait means, behind its name in a sentence.
fn meaning(reason: &str) -> String {
    catalog::stall(reason).map(|row| format!(" ({})", row.means.trim_end_matches('.'))).unwrap_or_default()
}

/// For a sentence on the largest stall where parked warps are left out of it.
fn besides_parked(stalls: &Stalls) -> &'static str {
    if stalls.parked.is_some() { " of warps that have work" } else { "" }
}

/// What is taken off the waits at barriers: warps with nothing left to do wait for the others, and no barrier is at fault.
fn parked_step(stalls: &Stalls) -> Option<Step> {
    let answer = words!(
        "{} of the warp samples stand at the last barrier of the kernel: idle warps, which are not counted as waits at barriers",
        percent(stalls.parked?)
    );
    Some(Step::new("Do warps wait with nothing left to do?", answer, Vec::new()))
}

/// Warps that are ready to issue, or issue, for a larger part of their time than they wait for any one reason: then the
/// number of instructions sets the time, although other waits keep the issue slots below their peak.
fn issuing(stalls: &Stalls, top: &StallRow, busy: &str, steps: &mut Vec<Step>) -> Option<Words> {
    let table = stalls.table(StallBasis::ShareOfWarpTime)?;
    let share = |reason: &str| table.rows.iter().find(|row| row.reason == reason)?.row.new.value();
    let (selected, ready) = (share("selected")?, share("not_selected")?);
    let wait = share(&top.reason).filter(|wait| selected + ready > *wait)?;
    let active = stalls.issue_active.new.value()?;
    let sum = percent(selected + ready);
    let answer =
        words!("no: they are ready or issue for {} of their time, {} takes {}", &sum, &top.row.label, percent(wait));
    let readings = vec![(stalls.issue_active.id.clone(), stalls.issue_active.new.clone())];
    steps.push(Step::new("Do the warps wait longer than they issue?", answer, readings));
    Some(words!(
        "The number of instructions limits it: {}, and warps are ready to issue, or issue, for {} of their time, more than they wait for any one reason (the largest is {} with {}); a scheduler issues in {} of its cycles.",
        busy,
        sum,
        &top.row.label,
        percent(wait),
        percent(100.0 * active)
    ))
}

/// `Its warps wait mostly on X: N %`, for a sentence, or `longest` below half; `None` where the largest wait is small.
pub(super) fn wait_phrase(k: &Kernel<'_, '_>) -> Option<Words> {
    let (table, top) = k.stalls.top()?;
    let share = k.stalls.counted(table, top).filter(|_| table.basis != StallBasis::PerIssue);
    if share.is_some_and(|share| share < k.limits[Threshold::WaitNamed]) {
        return None;
    }
    let is_most = share.is_some_and(|share| share >= k.limits[Threshold::WaitMostly]);
    let parked = k.stalls.parked.filter(|_| StallReason::of(&top.reason) == Some(StallReason::Barrier));
    let without =
        parked.map(|share| format!(", without the {} of the samples that stand at the last barrier", percent(share)));
    Some(words!(
        "Its warps wait {} on {}: {}{}.",
        if is_most { "mostly" } else { "longest" },
        &top.row.label,
        amount(table.basis, &k.stalls.without_parked(table, top)),
        without.unwrap_or_default()
    ))
}

fn amount(basis: StallBasis, reading: &Reading) -> String {
    let Some(value) = reading.value() else { return "no number".into() };
    match basis {
        StallBasis::ShareOfWarpTime => format!("{} of the time between two issued instructions", percent(value)),
        StallBasis::PerIssue => format!("{} cycles per issued instruction", format::fixed(value, 2)),
        StallBasis::ShareOfActive => format!("{} of the cycles of resident warps", percent(value)),
        StallBasis::PercentOfPeak => format!("{} of the peak number of warps", percent(value)),
        StallBasis::Samples => format!("{} of the warp samples", percent(value)),
    }
}

/// A unit that is busy but not near its peak is kept from it by something. Where the warps spend more than the
/// threshold of their time on one wait, and that wait is no queue in front of the unit itself, the wait limits.
/// Left out are the waits that no change removes: `wait`, the fixed latency of an instruction, and being ready.
pub(super) fn held_back(k: &Kernel<'_, '_>, mut verdict: Bottleneck) -> Bottleneck {
    let (stalls, least) = (k.stalls, k.limits[Threshold::StallShare]);
    let Some(unit) = verdict.unit.clone().filter(|unit| unit.percent < k.limits[Threshold::SolHigh]) else {
        return verdict;
    };
    let Some(part) = unit.code.row().filter(|_| verdict.limiter == Code::Unit(unit.code)) else { return verdict };
    let Some(table) = stalls.table(StallBasis::ShareOfWarpTime).filter(|_| !stalls.are_hidden) else { return verdict };
    let is_removable = |row: &&StallRow| row.is_stall() && StallReason::of(&row.reason) != Some(StallReason::Wait);
    let counted = |row: &'_ StallRow| stalls.counted(table, row).unwrap_or(0.0);
    let removable = table.rows.iter().filter(is_removable);
    let Some(top) = removable.max_by(|a, b| counted(a).total_cmp(&counted(b))) else { return verdict };
    let share = counted(top);
    verdict.steps.extend(parked_step(stalls));
    let is_own_queue = part.queues.contains(&top.reason.as_str());
    let decides = share >= least && !is_own_queue;
    let so = match (decides, is_own_queue) {
        (true, _) => words!("it decides"),
        (false, true) => words!("a wait for what that unit does"),
        (false, false) => words!("below {}, the unit stays", percent(least)),
    };
    let answer = words!(
        "the largest wait is {} with {} of the time between two issued instructions: {}",
        &top.row.label,
        percent(share),
        so
    );
    let readings = vec![(top.row.id.clone(), top.row.new.clone())];
    verdict.steps.push(Step::new("What keeps that unit from its peak?", answer, readings));
    if !decides {
        return verdict;
    }
    let (limiter, kind) = waiting_code(&top.reason);
    let sentence = words!(
        "{} limits it: warps spend {} of the time between two issued instructions on {}{}; the busiest unit, {}, is kept at {} of its peak.",
        kind,
        percent(share),
        &top.row.label,
        meaning(&top.reason),
        &unit.label,
        percent(unit.percent)
    );
    Bottleneck { limiter, sentence, ..verdict }
}

/// The code of a limit by waiting, and the word that a sentence begins with.
fn waiting_code(reason: &str) -> (Code, &'static str) {
    match StallReason::of(reason).and_then(|reason| Some((reason, reason.row()?))) {
        None => (Code::LatencyOther, "Latency"),
        Some((reason, row)) if row.kind == StallKind::Sync => (Code::Wait(reason), "Synchronisation"),
        Some((reason, _)) => (Code::Wait(reason), "Latency"),
    }
}
