//! One kernel with everything that is derived from it before anything is judged.

use crate::analysis::derive::coalescing::Coalescing;
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::derive::mix::{Halves, InstructionMix};
use crate::analysis::derive::named::Known;
use crate::analysis::derive::occupancy::Occupancy;
use crate::analysis::derive::residency::Residency;
use crate::analysis::derive::roofline::Roofline;
use crate::analysis::derive::stalls::{StallBasis, Stalls};
use crate::analysis::kernel::stated::Work;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::analysis::over_time::OverTime;
use crate::analysis::phases::{Phases, SectorAccess, Study};
use crate::catalog::{self, ChipRow, Counter, Part, StallReason};
use crate::evidence::{LaunchFacts, Reading, SourceView};
use cuda_binary::Op;
use std::ops::Deref;

/// Bytes that DRAM moved.
pub(super) const DRAM_BYTES: [Counter; 2] = [Counter::DramBytesReadSum, Counter::DramBytesWriteSum];

/// One kernel as it was measured.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct Measurement<'a> {
    pub(in crate::analysis) kernel: &'a KernelSummary<'a>,
    /// Its instructions, counted or not.
    pub(in crate::analysis) view: Option<&'a SourceView>,
    /// The same with their counts and samples; `None` where the report does not count and sample by instruction.
    pub(in crate::analysis) study: Option<&'a Study<'a>>,
    /// Where the time goes; `None` as above.
    pub(in crate::analysis) phases: Option<&'a Phases>,
    /// Samples of warps with nothing left to do, in percent of all.
    pub(in crate::analysis) parked: Option<f64>,
    /// What PM sampling saw of a launch; `None` where nobody sampled.
    pub(in crate::analysis) over_time: Option<&'a OverTime>,
    /// What it was launched with, where the launcher wrote it down.
    pub(in crate::analysis) launch: Option<&'a LaunchFacts>,
}

/// One kernel with what is derived from it, beside an old one where there is one.
pub(in crate::analysis) struct Kernel<'a> {
    pub(in crate::analysis) kernel: &'a KernelSummary<'a>,
    pub(in crate::analysis) view: Option<&'a SourceView>,
    pub(in crate::analysis) study: Option<&'a Study<'a>>,
    pub(in crate::analysis) phases: Option<&'a Phases>,
    pub(in crate::analysis) over_time: Option<&'a OverTime>,
    pub(in crate::analysis) limits: &'a Limits,
    pub(in crate::analysis) work: &'a Work,
    /// Local memory of a thread in bytes.
    pub(in crate::analysis) local_bytes: Option<u64>,
    pub(in crate::analysis) stalls: Stalls,
    pub(in crate::analysis) mix: InstructionMix,
    pub(in crate::analysis) coalescing: Coalescing,
    pub(in crate::analysis) occupancy: Occupancy,
    residency: Residency,
    pub(in crate::analysis) roofline: Roofline,
}

impl Deref for Kernel<'_> {
    type Target = Residency;

    fn deref(&self) -> &Residency {
        &self.residency
    }
}

impl<'a> Kernel<'a> {
    pub(in crate::analysis) fn of(
        new: Measurement<'a>,
        old: Option<Measurement<'_>>,
        work: &'a Work,
        limits: &'a Limits,
    ) -> Kernel<'a> {
        let Measurement { kernel, view, study, phases, parked, over_time, launch } = new;
        let old_kernel = old.map(|old| old.kernel);
        let (on, old_on) = (lanes_on(phases), lanes_on(old.and_then(|old| old.phases)));
        let halves = [view, old.and_then(|old| old.view)].map(|view| view.and_then(Halves::of));
        let mix =
            InstructionMix::of(kernel, old_kernel, halves.each_ref().map(Option::as_ref)).with_lanes(&on, &old_on);
        Kernel {
            stalls: Stalls { parked, ..Stalls::of(kernel, old_kernel, limits) },
            coalescing: Coalescing::of(kernel, old_kernel, &mix),
            occupancy: Occupancy::of(kernel, old_kernel),
            residency: Residency::of(kernel),
            roofline: Roofline::of(kernel, (&mix, halves[0].as_ref()), work, launch.and_then(LaunchFacts::footprint)),
            local_bytes: launch.map(|launch| launch.function.local_bytes),
            kernel,
            view,
            study,
            phases,
            over_time,
            limits,
            work,
            mix,
        }
    }

    /// What readings by name are computed from.
    pub(in crate::analysis) fn known(&self) -> Known<'_, 'a> {
        let Kernel { kernel, stalls, mix, coalescing, .. } = self;
        let at_products = self.phases.map_or(0.0, Phases::at_products);
        Known { kernel, stalls, mix, coalescing, at_products }
    }

    /// A stall reason's share of the time between two issued instructions of a warp, in percent, without parked warps: as the hardware counted
    /// it, else by the samples of the launch, or of its instructions.
    pub(super) fn stall_share(&self, reason: StallReason) -> Option<f64> {
        let name: &str = reason.into();
        let tables = [StallBasis::ShareOfWarpTime, StallBasis::Samples].into_iter();
        if let Some(table) = tables.filter_map(|basis| self.stalls.table(basis)).next() {
            return self.stalls.counted(table, table.rows.iter().find(|row| row.reason == name)?);
        }
        let samples = &self.study?.samples;
        let own: u64 = samples.reasons.get(name)?.iter().sum();
        (samples.sum > 0).then(|| 100.0 * own as f64 / samples.sum as f64)
    }

    /// The chip that it ran on; `None` for one without a row.
    pub(super) fn chip(&self) -> Option<&'static ChipRow> {
        catalog::chip(self.kernel.device().compute_capability?)
    }

    /// Accesses to global memory with their sectors; none where they were not counted.
    pub(super) fn accesses(&self) -> &'a [SectorAccess] {
        self.phases.map_or(&[], |phases| &phases.accesses)
    }

    /// The sum of some metrics; `None` where one is missing.
    pub(super) fn sum<const N: usize>(&self, names: [Counter; N]) -> Option<f64> {
        names.into_iter().map(|name| self.value(name)).sum()
    }

    /// What is executed on a part; `None` for one that instructions are not told of.
    pub(super) fn runs(&self, part: Part) -> Option<impl Fn(Op) -> bool + Copy + 'static> {
        let (row, capability) = (part.row()?, self.kernel.device().compute_capability);
        Some(move |op| row.runs(op, capability))
    }

    /// Executions of some opcodes, as they were counted by opcode, else by instruction.
    pub(super) fn executions(&self, takes: impl Fn(Op) -> bool) -> Option<f64> {
        let by_instruction = || {
            let code = &self.study?.code;
            Some(code.sum(code.run().filter(|row| takes(code.op(*row)))) as f64)
        };
        self.mix.count(&takes).or_else(by_instruction)
    }

    /// Requests that the LSU takes.
    pub(super) fn requests(&self) -> Option<f64> {
        self.executions(Op::is_lsu_access).filter(|all| *all > 0.0)
    }

    /// What the data stage of L1 does, where it does anything.
    pub(super) fn stage(&self) -> Option<DataStage> {
        DataStage::of(self.kernel).filter(|stage| stage.whole > 0.0)
    }

    /// Bytes that are read from DRAM.
    pub(super) fn dram_read(&self) -> Option<f64> {
        self.value(DRAM_BYTES[0])
    }

    pub(super) fn dram_written(&self) -> Option<f64> {
        self.value(DRAM_BYTES[1])
    }

    /// Bytes that DRAM moves, where it moves any.
    pub(super) fn moved(&self) -> Option<f64> {
        self.sum(DRAM_BYTES).filter(|bytes| *bytes > 0.0)
    }

    /// The number of a metric.
    pub(super) fn value(&self, name: impl AsRef<str>) -> Option<f64> {
        self.kernel.value(name)
    }

    /// The readings of these metrics, by name.
    pub(super) fn readings(&self, metrics: &[impl AsRef<str>]) -> Vec<(String, Reading)> {
        metrics.iter().map(|name| (name.as_ref().to_owned(), self.kernel.reading(name))).collect()
    }
}

/// Executions with a lane on, by opcode, where they are known exactly and some had none.
fn lanes_on(phases: Option<&Phases>) -> Vec<(&str, f64)> {
    let guarded = phases.iter().flat_map(|phases| &phases.guarded);
    guarded.filter_map(|run| Some((run.opcode.name(), run.exactly()? as f64))).collect()
}
