//! Uncoalesced global accesses: sectors that the access pattern asked for beyond those it needed, counted before L1.

use crate::analysis::{
    KernelSummary, Row, derive::data_stage::DataStage, derive::mix::InstructionMix, kernel::summary::CYCLES,
};
use crate::catalog::{Better, Counter};
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};
use cuda_binary::Op;

/// Sectors that the executed global accesses ask for, by the addresses of each warp: before L1, so not traffic that L2 saw.
pub(in crate::analysis) const SECTORS: Counter = Counter::MemoryL2TheoreticalSectorsGlobal;
/// Sectors that the same accesses would need if each warp's bytes lay side by side.
pub(in crate::analysis) const IDEAL: Counter = Counter::MemoryL2TheoreticalSectorsGlobalIdeal;

/// Wavefronts of shared accesses.
pub(in crate::analysis) const WAVEFRONTS: Counter = Counter::MemoryL1WavefrontsShared;
/// Those that the addresses of each access need.
pub(in crate::analysis) const WAVEFRONTS_IDEAL: Counter = Counter::MemoryL1WavefrontsSharedIdeal;

/// Loads and stores: the word of their rows, the counters of sectors and requests, and the labels of requests, sectors and their quotient.
const REQUESTS: [(&str, [Counter; 2], [&str; 3]); 2] = [
    (
        "ld",
        [Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum, Counter::L1texTRequestsPipeLsuMemGlobalOpLdSum],
        ["Global loads: requests", "Global loads: sectors", "Global loads: sectors per request"],
    ),
    (
        "st",
        [Counter::L1texTSectorsPipeLsuMemGlobalOpStSum, Counter::L1texTRequestsPipeLsuMemGlobalOpStSum],
        ["Global stores: requests", "Global stores: sectors", "Global stores: sectors per request"],
    ),
];

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Coalescing {
    /// Sectors, ideal, excess, share of excess, in this order; without numbers where the counters were not collected.
    pub totals: Vec<Row>,
    /// Loads and stores apart, at L1: requests, sectors, sectors per request.
    pub requests: Vec<Row>,
    /// Opcodes that these counters do not see, with their executions on the new side.
    pub uncounted: Vec<(String, f64)>,
    /// Wavefronts of shared accesses, and those that are needed.
    pub shared: Option<(f64, f64)>,
}

impl Coalescing {
    /// The totals of a kernel, old beside new.
    pub fn of(new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>, mix: &InstructionMix) -> Coalescing {
        let row = |id: &str, label: &str, read: &dyn Fn(&KernelSummary<'_>) -> Reading| {
            Row::derived(id, label, Better::Lower, read(new), old.map(read))
        };
        let totals = vec![
            row("sectors", "Sectors asked for", &|side| side.reading(SECTORS)),
            row("ideal", "Sectors needed (ideal)", &|side| side.reading(IDEAL)),
            row("excess", "Excess sectors", &excess),
            row("excess-share", "Excess share of all sectors", &|side| {
                share_above(side.reading(SECTORS), side.reading(IDEAL), "no global sectors")
            }),
        ];
        let mut requests = Vec::new();
        for (direction, [sectors, asked], labels) in REQUESTS {
            requests.push(row(asked.name(), labels[0], &|side| side.reading(asked)));
            requests.push(row(sectors.name(), labels[1], &|side| side.reading(sectors)));
            let ratio = |side: &KernelSummary<'_>| {
                let (sectors, asked) = (side.reading(sectors), side.reading(asked));
                sectors.with(asked, Unit::NONE, "first / second", "no requests", |sectors, asked| sectors / asked)
            };
            // The ideal goes with the width of the access, so neither direction is better.
            requests.push(Row::derived(
                &format!("{direction}-per-request"),
                labels[2],
                Better::Neutral,
                ratio(new),
                old.map(ratio),
            ));
        }
        requests.retain(Row::has_number);
        Coalescing { totals, requests, uncounted: mix.executed(Op::is_bulk), shared: shared(new, mix) }
    }

    /// A total of the new side by its id.
    pub fn total(&self, id: &str) -> Option<f64> {
        self.totals.iter().find(|row| row.id == id)?.new.value()
    }
}

/// Wavefronts of shared accesses by the addresses of each, no more than the data stage passed, and what the same words need at least: the
/// addresses of a `cp.async` make ncu count conflicts that the stage does not have.
pub(in crate::analysis) fn shared(kernel: &KernelSummary<'_>, mix: &InstructionMix) -> Option<(f64, f64)> {
    let asked = kernel.value(WAVEFRONTS).filter(|all| *all > 0.0)?;
    let ideal = kernel.value(WAVEFRONTS_IDEAL)?;
    let cycles = || Some(kernel.value(CYCLES)? * f64::from(kernel.device().sm_count?));
    let passed = DataStage::of(kernel).and_then(|stage| Some(stage.whole / 100.0 * cycles()?));
    let all = match passed {
        Some(passed) => asked.min(passed.max(ideal)),
        // Without the stage only what holds no `cp.async` is known.
        None => Some(asked).filter(|_| mix.count(|op| op.copies_global() && !op.is_bulk()) == Some(0.0))?,
    };
    Some((all, ideal))
}

/// `sectors − ideal`, as NVIDIA's rule UncoalescedGlobalAccess counts it.
fn excess(side: &KernelSummary<'_>) -> Reading {
    let (sectors, ideal) = (side.reading(SECTORS), side.reading(IDEAL));
    let unit = sectors.quantity().map_or(Unit::NONE, Quantity::unit);
    sectors.with(ideal, unit, "first − second", Reading::NO_NUMBER, |all, needed| all - needed)
}

/// The share of a number that is above what is needed.
pub(in crate::analysis) fn share_above(all: Reading, needed: Reading, none: &str) -> Reading {
    all.with(needed, Unit::PERCENT, "100 × (first − second) / first", none, |all, needed| {
        100.0 * (all - needed) / all
    })
}
