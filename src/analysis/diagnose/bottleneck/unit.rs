//! Limits by a unit near its peak: which one, and what stands beside it.

use super::waits::wait_phrase;
use super::walk::{Bottleneck, Step};
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::derive::units::{BusyUnit, MEMORY, SM, busiest_of};
use crate::analysis::diagnose::Kernel;
use crate::analysis::kernel::summary::KernelSummary;
use crate::catalog::{ChipSide, Code, Part, Threshold};
use crate::quantity::format::{self, capital, percent};
use crate::words;
use crate::words::Words;

/// Throughput of L2 with parts of it that the throughput of the memory system leaves out, percent of peak.
const L2: &str = "lts__throughput.avg.pct_of_peak_sustained_elapsed";

/// Parts of the L1 data stage that print as zero are left out of the sentence, in points of its peak.
const LEAST_POINTS: f64 = 0.01;

/// A unit is near its peak: name it, and say what stands beside it.
pub(super) fn unit_verdict(
    k: &Kernel<'_, '_>,
    units: &[BusyUnit],
    mut unit: BusyUnit,
    (sm, memory): (f64, f64),
    mut steps: Vec<Step>,
) -> Bottleneck {
    let tie = k.limits[Threshold::SolBalance];
    steps.push(unit_step(k, units, &unit));
    let is_lsu_data =
        unit.counter.starts_with("l1tex__data_pipe_lsu_wavefronts") || unit.counter.starts_with("l1tex__lsuin");
    if let Some(stage) = DataStage::of(k.kernel).filter(|_| is_lsu_data) {
        steps.push(stage_step(k.kernel, &stage));
        if stage.is_mostly_shared() {
            unit.code = Part::MemoryShared;
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
        let sentence = words!(
            "Two sides are near their peak: {} at {} (`{}`) and {} at {} (`{}`); relieving one alone gains little.",
            &unit.label,
            percent(unit.percent),
            &unit.counter,
            &other.label,
            percent(other.percent),
            &other.counter
        );
        let next = Some(other.clone());
        return Bottleneck { unit: Some(unit), next, ..Bottleneck::of(Code::Balanced, sentence, steps) };
    }
    let mut sentence =
        words!("{} limits it: `{}` is at {} of its peak", capital(&unit.label), &unit.counter, percent(unit.percent));
    if let (Some(side), Some(other)) = (side, other) {
        let kind = if side == ChipSide::Memory { "compute" } else { "memory" };
        sentence.push(words!(
            ", while the busiest {} unit, {}, is at {} (`{}`)",
            kind,
            &other.label,
            percent(other.percent),
            &other.counter
        ));
        if side == ChipSide::Memory && sm >= memory - tie {
            sentence.push(words!(
                ". The SM number of {} (`{}`) is the same load/store work seen from the issuing side, not arithmetic",
                percent(sm),
                SM
            ));
        }
    }
    sentence.push(".");
    for more in [cache_number(k.kernel, units, unit.percent), wait_phrase(k)].into_iter().flatten() {
        sentence.push(words!(" {}", more));
    }
    let next = units.iter().find(|other| stays(&unit, other)).cloned();
    let verdict = Bottleneck::of(Code::Unit(unit.code), sentence, steps);
    Bottleneck { unit: Some(unit), next, ..verdict }
}

/// What fills the L1 data stage.
fn stage_step(kernel: &KernelSummary<'_>, stage: &DataStage) -> Step {
    let points = |value: f64| format::fixed(value, 2);
    let operands = stage.operands.filter(|operands| *operands >= LEAST_POINTS);
    let operands = operands.map(|part| format!(" ({} of them operands of warpgroup products)", points(part)));
    let answer = words!(
        "of {} points, shared memory takes {}{}, the rest {}",
        points(stage.whole),
        points(stage.shared),
        operands.unwrap_or_default(),
        points(stage.other())
    );
    Step::new("Which accesses fill the L1 data stage?", answer, stage.readings(kernel))
}

/// Why the throughput of L2, where it is above the number that limits, is not the limit: it takes in parts of L2 that
/// the throughput of the memory system leaves out.
pub(super) fn cache_number(kernel: &KernelSummary<'_>, units: &[BusyUnit], limit: f64) -> Option<Words> {
    let whole = kernel.value(L2).filter(|whole| *whole > limit)?;
    let counted = units.iter().find(|part| part.counter.starts_with("lts__"))?;
    let why = match busiest_of(kernel, L2) {
        Some((counter, value)) => {
            let what = if counter.contains("ltcfabric") { ", the fabric between the partitions of L2" } else { "" };
            words!("it is that of `{}` ({}{}), which", &counter, percent(value), what)
        }
        None => words!("it takes in parts of L2 which the report does not list, and which"),
    };
    Some(words!(
        "L2's own number of {} (`{}`) is not weighed against it: {} the memory system's number (`{}`) leaves out; that one counts L2 at {} (`{}`).",
        percent(whole),
        L2,
        why,
        MEMORY,
        percent(counted.percent),
        &counted.counter
    ))
}

/// Whether the other part has the same work when the unit has less to do. Fewer or better loads and stores take work off
/// every level of memory, off the handling of addresses and off instruction issue; only arithmetic stays. Less arithmetic
/// leaves L2 and DRAM as they are, unless a lower precision makes the operands smaller.
fn stays(unit: &BusyUnit, other: &BusyUnit) -> bool {
    let is_far_memory = matches!(other.code, Part::MemoryDram | Part::MemoryL2);
    let is_by_precision = matches!(unit.code, Part::ComputeFp64 | Part::ComputeTensor);
    match (unit.side(), other.side()) {
        (Some(ChipSide::Memory | ChipSide::Compute), Some(ChipSide::Compute)) => {
            other.code != unit.code && other.code != Part::ComputeControl
        }
        (Some(ChipSide::Compute), Some(ChipSide::Memory)) => is_far_memory && !is_by_precision,
        (Some(ChipSide::Issue), Some(ChipSide::Memory)) => is_far_memory,
        _ => false,
    }
}

fn unit_step(k: &Kernel<'_, '_>, units: &[BusyUnit], unit: &BusyUnit) -> Step {
    let next = units.iter().find(|u| u.counter != unit.counter);
    let next = next.map(|u| words!("; beside it `{}` at {}", &u.counter, percent(u.percent)));
    let answer =
        words!("`{}` ({}) at {}{}", &unit.counter, &unit.label, percent(unit.percent), next.unwrap_or_default());
    Step::new("Which unit is the busiest?", answer, k.readings(&[&unit.counter]))
}
