//! The old side by itself: its readings by name, and its roofline.

use crate::analysis::derive::coalescing::Coalescing;
use crate::analysis::derive::mix::InstructionMix;
use crate::analysis::derive::named::{self, Known};
use crate::analysis::derive::occupancy::Occupancy;
use crate::analysis::derive::roofline::Roofline;
use crate::analysis::derive::stalls::Stalls;
use crate::analysis::diagnose::bottleneck::{Bottleneck, bottleneck};
use crate::analysis::diagnose::ceiling::{self, Lever};
use crate::analysis::diagnose::checks;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::kernel::performance::Work;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::evidence::Reading;

/// The old kernel with what is derived from it.
pub(in crate::analysis) struct Before<'a, 'r> {
    kernel: &'a KernelSummary<'r>,
    work: &'a Work,
    stalls: Stalls,
    mix: InstructionMix,
    coalescing: Coalescing,
}

impl<'a, 'r> Before<'a, 'r> {
    pub(in crate::analysis) fn of(
        kernel: &'a KernelSummary<'r>,
        parked: Option<f64>,
        limits: &Limits,
        work: &'a Work,
    ) -> Before<'a, 'r> {
        let stalls = Stalls { parked, ..Stalls::of(kernel, None, limits) };
        let mix = InstructionMix::of(kernel, None);
        let coalescing = Coalescing::of(kernel, None, &mix);
        Before { kernel, work, stalls, mix, coalescing }
    }

    /// The reading of a name, as [`named::reading`].
    pub(in crate::analysis) fn reading(&self, name: &str) -> Reading {
        let Before { kernel, stalls, mix, coalescing, .. } = self;
        named::reading(&Known { kernel, stalls, mix, coalescing }, name)
    }

    /// What the old kernel comes to by itself.
    pub(in crate::analysis) fn judged(&self, limits: &Limits) -> Alone {
        let occupancy = Occupancy::of(self.kernel, None);
        let bottleneck = bottleneck(self.kernel, &self.stalls, &occupancy, limits);
        let roofline = Roofline::of(self.kernel, &self.mix, self.work);
        let ground = Ground {
            kernel: self.kernel,
            bottleneck: &bottleneck,
            stalls: &self.stalls,
            mix: &self.mix,
            coalescing: &self.coalescing,
            occupancy: &occupancy,
            roofline: &roofline,
            limits,
            work: self.work,
        };
        let findings = checks::findings(&ground).into_iter().map(|finding| finding.code).collect();
        let levers = ceiling::levers(&ground);
        Alone { bottleneck, roofline, findings, levers }
    }
}

/// The judgement of an old kernel.
pub(in crate::analysis) struct Alone {
    pub(in crate::analysis) bottleneck: Bottleneck,
    pub(in crate::analysis) roofline: Roofline,
    /// Codes of the findings.
    pub(in crate::analysis) findings: Vec<String>,
    pub(in crate::analysis) levers: Vec<Lever>,
}
