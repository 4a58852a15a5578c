//! What must not be taken at face value: rates above a peak, traffic below what the work needs, a working set within L2.

use super::ceilings::{Ceiling, L2_SIZE};
use super::point::Point;
use crate::analysis::kernel::stated::Work;
use crate::analysis::kernel::summary::KernelSummary;
use crate::quantity::format::percent;
use crate::quantity::{Quantity, Unit, format};

/// `counted` is the operations of all math pipes, where every one is known.
pub(super) fn flags(
    kernel: &KernelSummary<'_>,
    work: &Work,
    ceilings: &[Ceiling],
    points: &[Point],
    counted: Option<f64>,
) -> Vec<String> {
    let mut flags: Vec<String> = ceilings.iter().filter_map(above_peak).collect();
    let above_roof = points.iter().filter(|point| point.share() > 100.0);
    flags.extend(above_roof.map(|point| {
        format!(
            "The point {} over {} lies above its roof, at {} %.",
            point.compute,
            point.memory,
            format::fixed(point.share(), 2)
        )
    }));
    let seconds = kernel.seconds();
    flags.extend(traffic(work, ceilings, seconds));
    flags.extend(counted.and_then(|counted| operations(work, counted)));
    flags.extend(within_l2(kernel, work));
    flags
}

fn above_peak(ceiling: &Ceiling) -> Option<String> {
    let share = ceiling.share().filter(|share| *share > 100.0)?;
    Some(format!(
        "{} reads {} % of its peak: the peak, the clock or the counter means something else than its name says.",
        ceiling.label,
        format::fixed(share, 2)
    ))
}

/// DRAM bytes of the launch, `rate × time`, against the bytes that it cannot avoid to move.
fn traffic(work: &Work, ceilings: &[Ceiling], seconds: Option<f64>) -> Option<String> {
    let stated = work.bytes? as f64;
    let dram = ceilings.iter().find(|ceiling| ceiling.id == "dram")?.achieved.value()?;
    let moved = dram * seconds?;
    let ratio = moved / stated;
    if (ratio - 1.0).abs() < 0.01 {
        return None;
    }
    let amounts = format!("DRAM moved {}, the stated work is {}", bytes(moved), bytes(stated));
    Some(if ratio < 1.0 {
        format!("{amounts}: {} of it. The rest stayed in L2.", percent(100.0 * ratio))
    } else {
        format!("{amounts}: {} times what cannot be avoided.", format::fixed(ratio, 2))
    })
}

/// Operations that the profile counts against those stated; nothing where it counts none.
fn operations(work: &Work, counted: f64) -> Option<String> {
    let stated = work.flop.filter(|_| counted > 0.0)? as f64;
    Some(format!(
        "The profile counts {} G operations, the stated work is {} G: {} of it.",
        format::fixed(counted / 1e9, 3),
        format::fixed(stated / 1e9, 3),
        percent(100.0 * counted / stated)
    ))
}

fn within_l2(kernel: &KernelSummary<'_>, work: &Work) -> Option<String> {
    let (stated, size) = (work.bytes? as f64, kernel.value(L2_SIZE)?);
    (stated <= size).then(|| {
        format!(
            "The stated {} fit in L2 ({}): a launch that finds them there is not bound by DRAM.",
            bytes(stated),
            bytes(size)
        )
    })
}

fn bytes(value: f64) -> String {
    Quantity::new(value, Unit::BYTE).map(format::quantity).unwrap_or_default()
}
