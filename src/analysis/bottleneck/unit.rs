//! Limits by a unit near its peak: which one, and what stands beside it.

use super::waits::wait_phrase;
use super::walk::{Bottleneck, Limiter, MEMORY, SM, Step, capital, percent};
use crate::analysis::stalls::Stalls;
use crate::analysis::summary::KernelSummary;
use crate::analysis::units::BusyUnit;
use crate::catalog::ChipSide;
use crate::quantity::format;

/// The shared-memory part of the L1 data stage.
const SHARED: &str = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed";

/// Throughput of L2 with parts of it that the throughput of the memory system leaves out, percent of peak.
const L2: &str = "lts__throughput.avg.pct_of_peak_sustained_elapsed";

/// A unit is near its peak: name it, and say what stands beside it.
pub(super) fn unit_verdict(
    kernel: &KernelSummary<'_>,
    units: &[BusyUnit],
    mut unit: BusyUnit,
    (sm_pct, memory_pct, tie): (f64, f64, f64),
    stalls: &Stalls,
    mut steps: Vec<Step>,
) -> Bottleneck {
    let shared = kernel.reading(SHARED);
    let is_lsu_data =
        unit.counter.starts_with("l1tex__data_pipe_lsu_wavefronts") || unit.counter.starts_with("l1tex__lsuin");
    if let Some(part) = shared.value().filter(|part| is_lsu_data && *part > unit.percent / 2.0) {
        steps.push(unit_step(kernel, units, &unit));
        steps.push(Step {
            question: "Which accesses fill the L1 data stage?".into(),
            answer: format!(
                "shared memory takes {} of the {} points",
                format::fixed(part, 2),
                format::fixed(unit.percent, 2)
            ),
            readings: vec![(SHARED.into(), shared)],
        });
        unit.code = "memory-shared".into();
        unit.label = "shared memory".into();
    } else {
        steps.push(unit_step(kernel, units, &unit));
    }
    let side = unit.side();
    let other = units.iter().find(|u| {
        matches!(
            (side, u.side()),
            (Some(ChipSide::Memory), Some(ChipSide::Compute)) | (Some(ChipSide::Compute), Some(ChipSide::Memory))
        )
    });
    if let Some(other) = other.filter(|other| unit.percent - other.percent < tie) {
        let sentence = format!(
            "Two sides are near their peak: {} at {} (`{}`) and {} at {} (`{}`); relieving one alone gains little.",
            unit.label,
            percent(unit.percent),
            unit.counter,
            other.label,
            percent(other.percent),
            other.counter
        );
        return Bottleneck {
            limiter: Limiter("balanced".into()),
            sentence,
            steps,
            unit: Some(unit),
            next: Some(other.clone()),
        };
    }
    let mut sentence =
        format!("{} limits it: `{}` is at {} of its peak", capital(&unit.label), unit.counter, percent(unit.percent));
    match (side, other) {
        (Some(ChipSide::Memory), Some(math)) => {
            sentence += &format!(
                ", while the busiest compute unit, {}, is at {} (`{}`)",
                math.label,
                percent(math.percent),
                math.counter
            );
            if sm_pct >= memory_pct - tie {
                sentence += &format!(
                    ". The SM number of {} (`{SM}`) is the same load/store work seen from the issuing side, not arithmetic",
                    percent(sm_pct)
                );
            }
        }
        (Some(ChipSide::Compute), Some(memory)) => {
            sentence += &format!(
                ", while the busiest memory unit, {}, is at {} (`{}`)",
                memory.label,
                percent(memory.percent),
                memory.counter
            );
        }
        _ => {}
    }
    sentence.push('.');
    sentence += &cache_number(kernel, units, &unit).unwrap_or_default();
    if let Some(wait) = wait_phrase(stalls) {
        sentence += &format!(" {wait}");
    }
    let next = units.iter().find(|other| stays(&unit, other)).cloned();
    Bottleneck { limiter: Limiter(unit.code.clone()), sentence, steps, unit: Some(unit), next }
}

/// Why the throughput of L2, where it is above the limiting part's number, is not the limit: it takes in parts of L2 that
/// the throughput of the memory system leaves out, and no report breaks it down to them.
fn cache_number(kernel: &KernelSummary<'_>, units: &[BusyUnit], unit: &BusyUnit) -> Option<String> {
    let whole = kernel.value(L2).filter(|whole| *whole > unit.percent)?;
    let counted = units.iter().find(|part| part.counter.starts_with("lts__"))?;
    Some(format!(
        " L2's own number of {} (`{L2}`) is not weighed against it: it takes in more of L2 than the memory system's number (`{MEMORY}`), which counts L2 at {} (`{}`), and the report does not say which part of L2 it is.",
        percent(whole),
        percent(counted.percent),
        counted.counter
    ))
}

/// Whether the other part has the same work when the unit has less to do. Fewer or better loads and stores take work off
/// every level of memory, off the handling of addresses and off instruction issue; only arithmetic stays. Less arithmetic
/// leaves L2 and DRAM as they are, unless a lower precision makes the operands smaller.
fn stays(unit: &BusyUnit, other: &BusyUnit) -> bool {
    let is_far_memory = matches!(other.code.as_str(), "memory-dram" | "memory-l2");
    let is_by_precision = matches!(unit.code.as_str(), "compute-fp64" | "compute-tensor");
    match (unit.side(), other.side()) {
        (Some(ChipSide::Memory | ChipSide::Compute), Some(ChipSide::Compute)) => {
            other.code != unit.code && other.code != "compute-control"
        }
        (Some(ChipSide::Compute), Some(ChipSide::Memory)) => is_far_memory && !is_by_precision,
        (Some(ChipSide::Issue), Some(ChipSide::Memory)) => is_far_memory,
        _ => false,
    }
}

fn unit_step(kernel: &KernelSummary<'_>, units: &[BusyUnit], unit: &BusyUnit) -> Step {
    let next = units.iter().find(|u| u.counter != unit.counter);
    let next = next.map(|u| format!("; beside it `{}` at {}", u.counter, percent(u.percent))).unwrap_or_default();
    Step {
        question: "Which unit is the busiest?".into(),
        answer: format!("`{}` ({}) at {}{next}", unit.counter, unit.label, percent(unit.percent)),
        readings: vec![(unit.counter.clone(), kernel.reading(&unit.counter))],
    }
}
