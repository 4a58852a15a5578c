//! Ceilings: peak rates of memory levels and math pipes, with the rate that the kernel reached on each.

use crate::analysis::derive::mix::{Halves, InstructionMix};
use crate::analysis::{KernelSummary, Work};
use crate::catalog::Counter;
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};
use cuda_binary::Class;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CeilingKind {
    /// Bytes per second of a memory level.
    Memory,
    /// Operations per second of a math pipe.
    Compute,
}

/// A ceiling and the kernel's rate under it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Ceiling {
    /// Stable id: `dram`, `l2`, `l1`, `fp32`, `fp64`, `fp16`, or `tensor-` and the type.
    pub id: String,
    /// What an engineer calls it.
    pub label: String,
    pub kind: CeilingKind,
    /// The peak rate at the measured clock.
    pub peak: Reading,
    /// The kernel's rate.
    pub achieved: Reading,
}

impl Ceiling {
    /// The kernel's rate in percent of the peak; `None` where either is missing.
    pub fn share(&self) -> Option<f64> {
        Some(self.achieved.quantity()?.percent_of(self.peak.quantity()?)?.value())
    }
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Point {
    /// Id of the pipe's ceiling.
    pub compute: String,
    /// Id of the memory level's ceiling.
    pub memory: String,
    /// Operations per byte of that level: rate over rate.
    pub intensity: f64,
    /// Operations per second.
    pub rate: f64,
    /// The roof at that intensity, operations per second: the lesser of the pipe's peak and intensity × the level's peak.
    pub roof: f64,
    /// Whether the level's slope is the roof there, and not the pipe's flat line.
    pub is_under_slope: bool,
}

impl Point {
    /// The rate in percent of the roof.
    pub fn share(&self) -> f64 {
        100.0 * self.rate / self.roof
    }
}

/// A level of memory: (id, label, bytes per second, peak bytes per cycle, clock).
const LEVELS: [(&str, &str, Counter, Counter, Counter); 2] = [
    (
        "dram",
        "DRAM",
        Counter::DramBytesSumPerSecond,
        Counter::DramBytesSumPeakSustained,
        Counter::DramCyclesElapsedAvgPerSecond,
    ),
    (
        "l2",
        "L2, bytes to L1",
        Counter::DerivedLtsLts2xbarBytesSumPerSecond,
        Counter::DerivedLtsLts2xbarBytesSumPeakSustained,
        Counter::LtsCyclesElapsedAvgPerSecond,
    ),
];

/// Cycles in which L1 writes data of loads to the registers, in percent of its peak: global, local and shared memory
/// alike. The byte counter that ncu derives for its own chart leaves the loads of shared memory out.
const L1_BUSY: Counter = Counter::L1texLsuWritebackActiveAvgPctElapsed;
/// Bytes that L1 can write to the registers in a cycle, of the whole chip.
const L1_WIDTH: Counter = Counter::DerivedL1texLsuWritebackBytesMemLgdsSumPeakSustained;
const L1_CLOCK: Counter = Counter::L1texCyclesElapsedAvgPerSecond;

/// A pipe whose thread instructions are counted one by one.
struct Pipe {
    id: &'static str,
    label: &'static str,
    /// Adds, multiplies and fused multiply-adds of a cycle.
    executed: [Counter; 3],
    /// Fused multiply-adds that the pipe can take in a cycle.
    most: Counter,
    /// Operations of an add or multiply of one thread; a fused multiply-add has twice as many.
    width: f64,
}

/// FP16 instructions work on a pair of halves: two operations for an add or multiply, four for a multiply-add.
const PIPES: [Pipe; 3] = [
    Pipe {
        id: "fp32",
        label: "FMA pipe, FP32",
        executed: [
            Counter::SmspSassThreadInstExecutedOpFaddPredOnSumPerCycleElapsed,
            Counter::SmspSassThreadInstExecutedOpFmulPredOnSumPerCycleElapsed,
            Counter::SmspSassThreadInstExecutedOpFfmaPredOnSumPerCycleElapsed,
        ],
        most: Counter::SmSassThreadInstExecutedOpFfmaPredOnSumPeakSustained,
        width: 1.0,
    },
    Pipe {
        id: "fp64",
        label: "FP64 pipe",
        executed: [
            Counter::SmspSassThreadInstExecutedOpDaddPredOnSumPerCycleElapsed,
            Counter::SmspSassThreadInstExecutedOpDmulPredOnSumPerCycleElapsed,
            Counter::SmspSassThreadInstExecutedOpDfmaPredOnSumPerCycleElapsed,
        ],
        most: Counter::SmSassThreadInstExecutedOpDfmaPredOnSumPeakSustained,
        width: 1.0,
    },
    Pipe {
        id: "fp16",
        label: "FMA pipe, FP16",
        executed: [
            Counter::SmspSassThreadInstExecutedOpHaddPredOnSumPerCycleElapsed,
            Counter::SmspSassThreadInstExecutedOpHmulPredOnSumPerCycleElapsed,
            Counter::SmspSassThreadInstExecutedOpHfmaPredOnSumPerCycleElapsed,
        ],
        most: Counter::SmSassThreadInstExecutedOpHfmaPredOnSumPeakSustained,
        width: 2.0,
    },
];

/// FP16 arithmetic on the FMA pipe.
const FP16_PIPE: Counter = Counter::SmInstExecutedPipeFmaTypeFp16AvgPctActive;
/// Share of the FP16 peak, in percent, below which instructions of halves may be nothing but constants.
const CONSTANTS: f64 = 1.0;

const SCHEDULER_CLOCK: Counter = Counter::SmspCyclesElapsedAvgPerSecond;
pub(super) const SM_CLOCK: Counter = Counter::SmCyclesElapsedAvgPerSecond;
/// L2 capacity in bytes.
pub(super) const L2_SIZE: Counter = Counter::DeviceAttributeL2CacheSize;

/// The memory ceilings: `peak bytes per cycle × clock`, at the clock of the level's own unit.
pub(super) fn memory(kernel: &KernelSummary<'_>) -> Vec<Ceiling> {
    let ceiling = |&(id, label, rate, peak, clock): &(&str, &str, Counter, Counter, Counter)| Ceiling {
        id: id.into(),
        label: label.into(),
        kind: CeilingKind::Memory,
        peak: product(kernel, peak, clock, 1.0, Unit::BYTE_PER_SECOND),
        achieved: in_bytes_per_second(kernel.reading(rate)),
    };
    LEVELS.iter().map(ceiling).chain([l1(kernel)]).collect()
}

/// L1 to registers: `bytes per cycle × clock`, of which the share of busy cycles was reached.
fn l1(kernel: &KernelSummary<'_>) -> Ceiling {
    let peak = product(kernel, L1_WIDTH, L1_CLOCK, 1.0, Unit::BYTE_PER_SECOND);
    let busy = kernel.reading(L1_BUSY);
    let achieved = match (busy.value(), peak.value()) {
        (Some(percent), Some(peak)) => {
            Reading::number(percent / 100.0 * peak, Unit::BYTE_PER_SECOND, &[L1_BUSY], &format!("{L1_BUSY} × peak"))
        }
        (None, _) => busy,
        (_, None) => peak.clone(),
    };
    Ceiling { id: "l1".into(), label: "L1, bytes to registers".into(), kind: CeilingKind::Memory, peak, achieved }
}

/// Some of these derived metrics carry the unit `byte` or none although they are rates.
fn in_bytes_per_second(reading: Reading) -> Reading {
    match reading {
        Reading::Measured(mut measured) => {
            if let Some(quantity) = Quantity::new(measured.quantity.value(), Unit::BYTE_PER_SECOND) {
                measured.quantity = quantity;
            }
            Reading::Measured(measured)
        }
        missing => missing,
    }
}

/// The ceilings of FP32, FP64 and FP16 arithmetic outside the tensor cores.
///
/// Peak: `2 × width × peak multiply-adds per cycle × SM clock`. Achieved: `width × (adds + multiplies + 2 × multiply-adds)
/// per cycle × scheduler clock`, predicated-on thread instructions of the whole chip, as NVIDIA's section
/// SpeedOfLight_RooflineChart computes FP32 and FP64.
///
/// Compilers make constants with `HFMA2` and widen halves with `HADD2.F32`, which the counters take for arithmetic: their operations are
/// taken off where `halves` counted them by instruction. Where it did not, FP16 below [`CONSTANTS`] counts as no work if the pipe's own
/// counter saw none, or if it is missing and no operations are stated; none is where no instruction of halves computes.
pub(super) fn scalar(
    kernel: &KernelSummary<'_>,
    (mix, halves): (&InstructionMix, Option<&Halves>),
    work: &Work,
) -> Vec<Ceiling> {
    let ceiling = |pipe: &Pipe| Ceiling {
        id: pipe.id.into(),
        label: pipe.label.into(),
        kind: CeilingKind::Compute,
        peak: product(kernel, pipe.most, SM_CLOCK, 2.0 * pipe.width, Unit::FLOP_PER_SECOND),
        achieved: executed(kernel, pipe),
    };
    let pipe = kernel.value(FP16_PIPE);
    let may_be_idle = pipe.map_or(work.flop.is_none(), |percent| percent == 0.0);
    let is_idle = mix.total.is_some() && !mix.classes.iter().any(|own| own.opcode == Class::Fp16.label());
    let is_few = |c: &Ceiling| may_be_idle && c.share().is_some_and(|share| share < CONSTANTS);
    let nothing = halves.and_then(|halves| Some(halves.nothing? / kernel.seconds()?));
    let computing = |mut ceiling: Ceiling| {
        if ceiling.id == "fp16" {
            let left = match ceiling.achieved.value() {
                _ if is_idle || nothing.is_none() && is_few(&ceiling) => Some(0.0),
                all => all.zip(nothing).map(|(all, nothing)| (all - nothing).max(0.0)),
            };
            let formula = "by opcode, without HFMA2 that makes constants and HADD2 that converts";
            let [.., Pipe { executed: [add, mul, fma], .. }] = PIPES;
            let names = [add, mul, fma, Counter::ThreadInstExecutedTrue];
            left.into_iter().for_each(|left| {
                ceiling.achieved = Reading::number(left, Unit::FLOP_PER_SECOND, &names, formula);
            });
        }
        ceiling
    };
    PIPES.iter().map(ceiling).map(computing).collect()
}

fn executed(kernel: &KernelSummary<'_>, pipe: &Pipe) -> Reading {
    let [add, mul, fma] = pipe.executed;
    let names = [add, mul, fma, SCHEDULER_CLOCK];
    let mut values = [0.0; 4];
    for (value, name) in values.iter_mut().zip(&names) {
        let reading = kernel.reading(name);
        let Some(measured) = reading.value() else { return reading };
        *value = measured;
    }
    let [add, mul, fma, clock] = values;
    let rate = pipe.width * (add + mul + 2.0 * fma) * clock;
    Reading::number(rate, Unit::FLOP_PER_SECOND, &names, &format!("{} × (add + mul + 2 × fma) × clock", pipe.width))
}

/// `factor × a × b`, missing where either is.
pub(super) fn product(
    kernel: &KernelSummary<'_>,
    a: impl AsRef<str>,
    b: impl AsRef<str>,
    factor: f64,
    unit: Unit,
) -> Reading {
    let formula = format!("{factor} × first × second");
    kernel.reading(a).with(kernel.reading(b), unit, &formula, Reading::NO_NUMBER, |a, b| factor * a * b)
}
