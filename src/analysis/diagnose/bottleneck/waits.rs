//! Limits by waiting: no unit is near its peak, or a wait keeps the busiest one from it.

use super::walk::{Bottleneck, Limiter, Step, percent};
use crate::analysis::derive::stalls::{StallBasis, StallRow, Stalls};
use crate::analysis::limits::Limits;
use crate::catalog;
use crate::catalog::Threshold;
use crate::evidence::Reading;
use crate::quantity::format;

/// No unit is busy: the warps wait, and the largest stall says for what.
pub(super) fn waiting(stalls: &Stalls, mut steps: Vec<Step>, sm: f64, memory: f64) -> Bottleneck {
    let busy = format!("compute is at {} and memory at {} of peak", percent(sm), percent(memory));
    let Some((table, top)) = stalls.top() else {
        let sentence = format!(
            "Latency limits it: {busy}, and the report holds no stall reasons that say what the warps wait for."
        );
        return Bottleneck { limiter: Limiter("latency".into()), sentence, steps, unit: None, next: None };
    };
    let row = catalog::stall(&top.reason);
    let shown = amount(table.basis, &stalls.without_parked(table, top));
    steps.extend(parked_step(stalls));
    steps.push(Step {
        question: "What do the warps wait for?".into(),
        answer: format!("{} {shown}", top.row.label),
        readings: vec![(top.row.id.clone(), top.row.new.clone())],
    });
    if let Some(issue) = issuing(stalls, top, &busy, &mut steps) {
        return Bottleneck { limiter: Limiter("issue".into()), sentence: issue, steps, unit: None, next: None };
    }
    let means = row.map(|row| format!(" ({})", row.means.trim_end_matches('.'))).unwrap_or_default();
    let (code, kind) = waiting_code(&top.reason);
    let sentence = format!(
        "{kind} limits it: {busy}; the largest stall{} is {} with {shown}{means}.",
        besides_parked(stalls),
        top.row.label
    );
    Bottleneck { limiter: Limiter(code), sentence, steps, unit: None, next: None }
}

/// For a sentence on the largest stall where parked warps are left out of it.
fn besides_parked(stalls: &Stalls) -> &'static str {
    if stalls.parked.is_some() { " of warps that have work" } else { "" }
}

/// What is taken off the waits at barriers: warps with nothing left to do wait for the others, and no barrier is at fault.
fn parked_step(stalls: &Stalls) -> Option<Step> {
    let parked = stalls.parked?;
    Some(Step {
        question: "Do warps wait with nothing left to do?".into(),
        answer: format!(
            "{} of the warp samples stand at the last barrier of the kernel: idle warps, which are not counted as waits at barriers",
            percent(parked)
        ),
        readings: Vec::new(),
    })
}

/// Warps that are ready to issue, or issue, for a larger part of their time than they wait for any one reason: then the
/// number of instructions sets the time, although other waits keep the issue slots below their peak.
fn issuing(stalls: &Stalls, top: &StallRow, busy: &str, steps: &mut Vec<Step>) -> Option<String> {
    let table = stalls.table(StallBasis::ShareOfWarpTime)?;
    let share = |reason: &str| table.rows.iter().find(|row| row.reason == reason)?.row.new.value();
    let (selected, ready) = (share("selected")?, share("not_selected")?);
    let wait = share(&top.reason).filter(|wait| selected + ready > *wait)?;
    let active = stalls.issue_active.new.value()?;
    let sum = percent(selected + ready);
    steps.push(Step {
        question: "Do the warps wait longer than they issue?".into(),
        answer: format!(
            "no: they are ready or issue for {sum} of their time, {} takes {}",
            top.row.label,
            percent(wait)
        ),
        readings: vec![(stalls.issue_active.id.clone(), stalls.issue_active.new.clone())],
    });
    Some(format!(
        "The number of instructions limits it: {busy}, and warps are ready to issue, or issue, for {sum} of their time, more than they wait for any one reason (the largest is {} with {}); a scheduler issues in {} of its cycles.",
        top.row.label,
        percent(wait),
        percent(100.0 * active)
    ))
}

/// `Its warps wait mostly on X: N %`, for a sentence, or `longest` below half; `None` where the largest wait is small.
pub(super) fn wait_phrase(stalls: &Stalls, limits: &Limits) -> Option<String> {
    let (table, top) = stalls.top()?;
    let share = stalls.counted(table, top).filter(|_| table.basis != StallBasis::PerIssue);
    if share.is_some_and(|share| share < limits[Threshold::WaitNamed]) {
        return None;
    }
    let how = if share.is_some_and(|share| share >= limits[Threshold::WaitMostly]) { "mostly" } else { "longest" };
    let shown = amount(table.basis, &stalls.without_parked(table, top));
    let besides = match stalls.parked.filter(|_| top.reason == "barrier") {
        Some(parked) => {
            format!(", without the {} of the samples that stand at the last barrier", percent(parked))
        }
        None => String::new(),
    };
    Some(format!("Its warps wait {how} on {}: {shown}{besides}.", top.row.label))
}

fn amount(basis: StallBasis, reading: &Reading) -> String {
    let Some(q) = reading.quantity() else { return "no number".into() };
    match basis {
        StallBasis::ShareOfWarpTime => format!("{} of the time between two issued instructions", percent(q.value())),
        StallBasis::PerIssue => format!("{} cycles per issued instruction", format::fixed(q.value(), 2)),
        StallBasis::ShareOfActive => format!("{} of the cycles of resident warps", percent(q.value())),
        StallBasis::PercentOfPeak => format!("{} of the peak number of warps", percent(q.value())),
        StallBasis::Samples => format!("{} of the warp samples", percent(q.value())),
    }
}

/// A unit that is busy but not near its peak is kept from it by something. Where the warps spend more than the
/// threshold of their time on one wait, and that wait is no queue in front of the unit itself, the wait limits.
/// Left out are the waits that no change removes: `wait`, the fixed latency of an instruction, and being ready.
pub(super) fn held_back(mut verdict: Bottleneck, stalls: &Stalls, limits: &Limits) -> Bottleneck {
    let Some(unit) = verdict.unit.clone().filter(|unit| unit.percent < limits[Threshold::SolHigh]) else {
        return verdict;
    };
    let Some(part) = catalog::subsystem(&unit.code).filter(|_| verdict.limiter.0 == unit.code) else { return verdict };
    let Some(table) = stalls.table(StallBasis::ShareOfWarpTime).filter(|_| !stalls.are_hidden) else { return verdict };
    let is_removable = |row: &&StallRow| !matches!(row.reason.as_str(), "selected" | "not_selected" | "wait");
    let counted = |row: &'_ StallRow| stalls.counted(table, row).unwrap_or(0.0);
    let removable = table.rows.iter().filter(is_removable);
    let Some(top) = removable.max_by(|a, b| counted(a).total_cmp(&counted(b))) else { return verdict };
    let share = counted(top);
    verdict.steps.extend(parked_step(stalls));
    let is_own_queue = part.queues.contains(&top.reason.as_str());
    let decides = share >= limits[Threshold::StallShare] && !is_own_queue;
    verdict.steps.push(Step {
        question: "What keeps that unit from its peak?".into(),
        answer: format!(
            "the largest wait is {} with {} of the time between two issued instructions: {}",
            top.row.label,
            percent(share),
            match (decides, is_own_queue) {
                (true, _) => "it decides".to_string(),
                (false, true) => "a wait for what that unit does".to_string(),
                (false, false) => format!("below {}, the unit stays", percent(limits[Threshold::StallShare])),
            }
        ),
        readings: vec![(top.row.id.clone(), top.row.new.clone())],
    });
    if !decides {
        return verdict;
    }
    let (code, kind) = waiting_code(&top.reason);
    let sentence = format!(
        "{kind} limits it: warps spend {} of the time between two issued instructions on {}{}; the busiest unit, {}, is kept at {} of its peak.",
        percent(share),
        top.row.label,
        catalog::stall(&top.reason).map(|row| format!(" ({})", row.means.trim_end_matches('.'))).unwrap_or_default(),
        unit.label,
        percent(unit.percent)
    );
    Bottleneck { limiter: Limiter(code), sentence, ..verdict }
}

/// The code of a limit by waiting, and the word that a sentence begins with.
fn waiting_code(reason: &str) -> (String, &'static str) {
    let Some(row) = catalog::stall(reason) else { return ("latency-other".into(), "Latency") };
    let prefix = catalog::prefix_of(row.kind);
    let kind = if prefix == "sync" { "Synchronisation" } else { "Latency" };
    (format!("{prefix}-{}", row.id.replace('_', "-")), kind)
}
