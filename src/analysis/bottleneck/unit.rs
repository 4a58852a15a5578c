//! Limits by a unit near its peak: which one, and what stands beside it.

use super::waits::wait_phrase;
use super::walk::{Bottleneck, Limiter, Step, capital, percent};
use crate::analysis::stalls::Stalls;
use crate::analysis::summary::KernelSummary;
use crate::analysis::units::BusyUnit;
use crate::catalog::ChipSide;

/// The shared-memory part of the L1 data stage.
const SHARED: &str = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed";

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
            answer: format!("shared memory takes {} of the {}", percent(part), percent(unit.percent)),
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
            "Two sides are near their peak: {} at {} and {} at {}; relieving one alone gains little.",
            unit.label,
            percent(unit.percent),
            other.label,
            percent(other.percent)
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
            sentence += &format!(", while the busiest compute unit, {}, is at {}", math.label, percent(math.percent));
            if sm_pct >= memory_pct - tie {
                sentence += &format!(
                    ". The SM number of {} is the same load/store work seen from the issuing side, not arithmetic",
                    percent(sm_pct)
                );
            }
        }
        (Some(ChipSide::Compute), Some(memory)) => {
            sentence +=
                &format!(", while the busiest memory unit, {}, is at {}", memory.label, percent(memory.percent));
        }
        _ => {}
    }
    sentence.push('.');
    if let Some(wait) = wait_phrase(stalls) {
        sentence += &format!(" {wait}");
    }
    let next = units.iter().find(|u| path(&u.code) != path(&unit.code)).cloned();
    Bottleneck { limiter: Limiter(unit.code.clone()), sentence, steps, unit: Some(unit), next }
}

/// The way through the chip that a part belongs to: load and store instructions, the L1 data stage and shared memory
/// are stations of one way, so one of them busy makes the others busy.
fn path(code: &str) -> &str {
    match code {
        "memory-l1tex" | "memory-shared" | "memory-lsu" => "l1",
        other => other,
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
