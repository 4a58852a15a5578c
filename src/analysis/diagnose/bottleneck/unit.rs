//! Limits by a unit near its peak: which one, and what stands beside it.

use super::waits::wait_phrase;
use super::walk::{Bottleneck, Limiter, MEMORY, SM, Step, capital, percent};
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::derive::stalls::Stalls;
use crate::analysis::derive::units::{BusyUnit, busiest_of};
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::catalog::ChipSide;
use crate::quantity::format;

/// Throughput of L2 with parts of it that the throughput of the memory system leaves out, percent of peak.
const L2: &str = "lts__throughput.avg.pct_of_peak_sustained_elapsed";

/// Parts of the L1 data stage below this are left out of the sentence, in points of its peak.
const LEAST_POINTS: f64 = 0.01;

/// A unit is near its peak: name it, and say what stands beside it.
pub(super) fn unit_verdict(
    kernel: &KernelSummary<'_>,
    units: &[BusyUnit],
    mut unit: BusyUnit,
    (sm_pct, memory_pct, tie): (f64, f64, f64),
    stalls: &Stalls,
    limits: &Limits,
    mut steps: Vec<Step>,
) -> Bottleneck {
    steps.push(unit_step(kernel, units, &unit));
    let is_lsu_data =
        unit.counter.starts_with("l1tex__data_pipe_lsu_wavefronts") || unit.counter.starts_with("l1tex__lsuin");
    if let Some(stage) = DataStage::of(kernel).filter(|_| is_lsu_data) {
        steps.push(stage_step(kernel, &stage));
        if stage.is_mostly_shared() {
            unit.code = "memory-shared".into();
            unit.label = "shared memory".into();
        }
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
    sentence += &cache_number(kernel, units, unit.percent).map(|cache| format!(" {cache}")).unwrap_or_default();
    if let Some(wait) = wait_phrase(stalls, limits) {
        sentence += &format!(" {wait}");
    }
    let next = units.iter().find(|other| stays(&unit, other)).cloned();
    Bottleneck { limiter: Limiter(unit.code.clone()), sentence, steps, unit: Some(unit), next }
}

/// What fills the L1 data stage.
fn stage_step(kernel: &KernelSummary<'_>, stage: &DataStage) -> Step {
    let points = |value: f64| format::fixed(value, 2);
    let operands = stage.operands.filter(|operands| *operands >= LEAST_POINTS);
    let operands = operands.map(|part| format!(" ({} of them operands of warpgroup products)", points(part)));
    Step {
        question: "Which accesses fill the L1 data stage?".into(),
        answer: format!(
            "of {} points, shared memory takes {}{}, the rest {}",
            points(stage.whole),
            points(stage.shared),
            operands.unwrap_or_default(),
            points(stage.other())
        ),
        readings: stage.readings(kernel),
    }
}

/// Why the throughput of L2, where it is above the number that limits, is not the limit: it takes in parts of L2 that
/// the throughput of the memory system leaves out.
pub(super) fn cache_number(kernel: &KernelSummary<'_>, units: &[BusyUnit], limit: f64) -> Option<String> {
    let whole = kernel.value(L2).filter(|whole| *whole > limit)?;
    let counted = units.iter().find(|part| part.counter.starts_with("lts__"))?;
    let why = match busiest_of(kernel, L2) {
        Some((counter, value)) => {
            let what = if counter.contains("ltcfabric") { ", the fabric between the partitions of L2" } else { "" };
            format!("it is that of `{counter}` ({}{what}), which", percent(value))
        }
        None => "it takes in parts of L2 which the report does not list, and which".to_owned(),
    };
    Some(format!(
        "L2's own number of {} (`{L2}`) is not weighed against it: {why} the memory system's number (`{MEMORY}`) leaves out; that one counts L2 at {} (`{}`).",
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
