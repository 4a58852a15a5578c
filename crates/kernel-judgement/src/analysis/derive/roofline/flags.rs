//! What must not be taken at face value: rates above a peak, traffic beside what the work needs, a footprint within L2.

use super::ceilings::{Ceiling, L2_SIZE, Point};
use crate::analysis::{KernelSummary, Work};

/// A number of the roofline that needs a word beside it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// A rate above the peak of its ceiling: the peak, the clock or the counter means something else than its name says.
    AbovePeak {
        ceiling: String,
        /// The rate in percent of the peak.
        percent: f64,
    },
    /// A point above its roof.
    AboveRoof {
        /// Id of the pipe's ceiling.
        compute: String,
        /// Id of the level's ceiling.
        memory: String,
        /// The rate in percent of the roof.
        percent: f64,
    },
    /// DRAM moved other bytes than the stated ones.
    Traffic {
        /// Bytes that DRAM moved: rate × time.
        moved: f64,
        /// Bytes that the work states.
        stated: f64,
    },
    /// Operations that the profile counts beside those stated.
    Operations { counted: f64, stated: f64 },
    /// All buffers of the launch together fit in L2.
    FitsInL2 {
        /// Their bytes.
        footprint: f64,
        /// L2 in bytes.
        size: f64,
    },
}

/// `counted` is the operations of all math pipes, where every one is known; `footprint` the bytes of all buffers.
pub(super) fn flags(
    kernel: &KernelSummary<'_>,
    work: &Work,
    (ceilings, points): (&[Ceiling], &[Point]),
    counted: Option<f64>,
    footprint: Option<f64>,
) -> Vec<Flag> {
    let above_peak = |ceiling: &Ceiling| {
        let percent = ceiling.share().filter(|share| *share > 100.0)?;
        Some(Flag::AbovePeak { ceiling: ceiling.label.clone(), percent })
    };
    let above_roof = |point: &Point| Flag::AboveRoof {
        compute: point.compute.clone(),
        memory: point.memory.clone(),
        percent: point.share(),
    };
    let mut flags: Vec<Flag> = ceilings.iter().filter_map(above_peak).collect();
    flags.extend(points.iter().filter(|point| point.share() > 100.0).map(above_roof));
    flags.extend(traffic(work, ceilings, kernel.seconds()));
    let stated = work.flop.map(|flop| flop as f64);
    flags.extend(
        counted
            .filter(|counted| *counted > 0.0)
            .zip(stated)
            .map(|(counted, stated)| Flag::Operations { counted, stated }),
    );
    let within = footprint.zip(kernel.value(L2_SIZE)).filter(|(footprint, size)| footprint <= size);
    flags.extend(within.map(|(footprint, size)| Flag::FitsInL2 { footprint, size }));
    flags
}

/// DRAM bytes of the launch, `rate × time`, against the stated bytes; nothing where they agree within a hundredth.
fn traffic(work: &Work, ceilings: &[Ceiling], seconds: Option<f64>) -> Option<Flag> {
    let stated = work.bytes? as f64;
    let dram = ceilings.iter().find(|ceiling| ceiling.id == "dram")?.achieved.value()?;
    let moved = dram * seconds?;
    ((moved / stated - 1.0).abs() >= 0.01).then_some(Flag::Traffic { moved, stated })
}
