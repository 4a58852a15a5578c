//! The reference's own counters beside the kernel's.

use crate::analysis::{
    KernelKey, KernelSummary, Limits, Reference, Unit, Work, diagnose, kernel::summary::CYCLES, phases::Phases,
    version::measurement,
};
use crate::catalog::{self, Counter, Part};
use crate::evidence::{Origin, Reading};

/// One metric of both.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Beside {
    pub id: String,
    /// What an engineer calls it.
    pub label: String,
    /// The kernel under audit.
    pub kernel: Reading,
    pub reference: Reading,
}

/// The profile of what the kernel is timed beside.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ReferenceProfile {
    pub origin: Origin,
    /// Its kernel with the most device time.
    pub kernel: KernelKey,
    /// Further kernels in the report.
    pub others: usize,
    pub rows: Vec<Beside>,
    /// The units of the chip under it, the busiest first.
    pub units: Vec<Unit>,
    /// Where its time goes; `None` where its report does not count and sample by instruction.
    pub phases: Option<Phases>,
}

/// What tells two kernels of the same work apart at a glance, before the tensor pipe.
const SPEED: [Counter; 5] = [
    Counter::GpuTimeDurationSum,
    Counter::GpcCyclesElapsedMax,
    Counter::GpcCyclesElapsedAvgPerSecond,
    Counter::SmThroughputAvgPctElapsed,
    Counter::GpuDramThroughputAvgPctElapsed,
];

/// The same, behind the tensor pipe.
const WORK: [Counter; 7] = [
    Counter::SmspInstExecutedSum,
    Counter::SmWarpsActiveAvgPctActive,
    Counter::LaunchRegistersPerThread,
    Counter::LaunchSharedMemPerBlock,
    Counter::LaunchWavesPerMultiprocessor,
    Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum,
    Counter::L1texTSectorsPipeLsuMemGlobalOpStSum,
];

/// The busiest share of peak of the tensor pipe that either holds, one over the elapsed cycles first: it takes the gap apart.
fn tensor(own: &KernelSummary<'_>, other: &KernelSummary<'_>) -> Option<&'static str> {
    let is_tensor = |id: &str| catalog::subsystem_of(id).is_some_and(|part| part.code == Part::ComputeTensor);
    let ids = catalog::metrics().iter().map(|metric| metric.id);
    let shares = ids.filter(|id| id.contains(".pct_of_peak") && is_tensor(id));
    let held = shares.filter_map(|id| Some((id.ends_with("_elapsed"), own.value(id).or(other.value(id))?, id)));
    held.max_by(|one, two| one.0.cmp(&two.0).then(one.1.total_cmp(&two.1))).map(|(_, _, id)| id)
}

/// The gap between a kernel with tensor work and its reference, taken apart: cycles are busy with products or they are not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Elapsed cycles of the kernel and of the reference.
    pub cycles: (f64, f64),
    /// Cycles of the tensor pipe, `K·u`.
    pub tensor: (f64, f64),
}

impl Gap {
    /// Cycles that the tensor pipe idles, `K·(1 − u)`.
    pub fn idle(&self) -> (f64, f64) {
        (self.cycles.0 - self.tensor.0, self.cycles.1 - self.tensor.1)
    }

    /// Whether both need as many tensor cycles, so that the gap is idle tensor time.
    pub fn is_idle_time(&self) -> bool {
        (self.tensor.0 / self.tensor.1 - 1.0).abs() <= ALIKE
    }
}

/// Tensor cycles of two kernels that differ by no more than this part are the same.
const ALIKE: f64 = 0.03;

impl ReferenceProfile {
    /// Where the gap to the reference is; `None` unless both sides have cycles and a busy tensor pipe over them.
    pub fn gap(&self) -> Option<Gap> {
        let both = |row: &Beside| Some((row.kernel.value()?, row.reference.value()?));
        let cycles = self.rows.iter().find(|row| row.id == CYCLES).and_then(both)?;
        let is_tensor = |row: &&Beside| row.id.starts_with("sm__pipe_tensor") && row.id.ends_with("_elapsed");
        let share = self.rows.iter().find(is_tensor).and_then(both)?;
        let tensor = (cycles.0 * share.0 / 100.0, cycles.1 * share.1 / 100.0);
        (tensor.0 > 0.0 && tensor.1 > 0.0).then_some(Gap { cycles, tensor })
    }

    /// The reference's kernel beside the kernel under audit.
    pub(in crate::analysis) fn of(reference: &Reference, own: &KernelSummary<'_>, limits: &Limits) -> ReferenceProfile {
        let other = reference.profile.summary();
        let tensor = tensor(own, &other);
        let row = |name: &str| Beside {
            id: name.to_owned(),
            label: catalog::metric(name).map_or(name, |row| row.label).to_owned(),
            kernel: own.reading(name),
            reference: other.reading(name),
        };
        let studied = reference.profile.studied(&other, limits);
        let alone = diagnose::alone(measurement(&other, &studied, None), &Work::default(), limits);
        ReferenceProfile {
            origin: reference.profile.origin.clone(),
            kernel: reference.profile.kernel.clone(),
            others: reference.others,
            rows: SPEED.map(Counter::name).into_iter().chain(tensor).chain(WORK.map(Counter::name)).map(row).collect(),
            units: alone.bottleneck.units,
            phases: studied.phases,
        }
    }
}
