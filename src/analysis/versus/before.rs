//! The old side by itself: its readings by name, and its roofline.

use crate::analysis::derive::coalescing::Coalescing;
use crate::analysis::derive::mix::InstructionMix;
use crate::analysis::derive::named::{self, Known};
use crate::analysis::derive::occupancy::Occupancy;
use crate::analysis::derive::roofline::Roofline;
use crate::analysis::derive::stalls::Stalls;
use crate::analysis::diagnose;
use crate::analysis::diagnose::Bottleneck;
use crate::analysis::diagnose::lever::Lever;
use crate::analysis::kernel::stated::Work;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::analysis::phases::Phases;
use crate::analysis::profile::Profile;
use crate::catalog::Code;
use crate::evidence::Reading;

/// The old kernel with what is derived from it.
pub(in crate::analysis) struct Before<'a, 'r> {
    kernel: &'a KernelSummary<'r>,
    work: &'a Work,
    phases: Option<&'a Phases>,
    stalls: Stalls,
    mix: InstructionMix,
    coalescing: Coalescing,
}

impl<'a, 'r> Before<'a, 'r> {
    pub(in crate::analysis) fn of(
        profile: &'a Profile,
        kernel: &'a KernelSummary<'r>,
        limits: &Limits,
        work: &'a Work,
    ) -> Before<'a, 'r> {
        let parked = profile.parked.as_ref().map(|parked| parked.share);
        let stalls = Stalls { parked, ..Stalls::of(kernel, None, limits) };
        let on = profile.phases.as_ref().map(Phases::lanes_on).unwrap_or_default();
        let mix = InstructionMix::of(kernel, None).with_lanes(&on, &[]);
        let coalescing = Coalescing::of(kernel, None, &mix);
        Before { kernel, work, phases: profile.phases.as_ref(), stalls, mix, coalescing }
    }

    /// The reading of a name, as [`named::reading`].
    pub(in crate::analysis) fn reading(&self, name: &str) -> Reading {
        let Before { kernel, stalls, mix, coalescing, phases, .. } = self;
        let at_products = phases.map_or(0.0, Phases::at_products);
        named::reading(&Known { kernel, stalls, mix, coalescing, at_products }, name)
    }

    /// What the old kernel comes to by itself.
    pub(in crate::analysis) fn judged(&self, limits: &Limits) -> Alone {
        let occupancy = Occupancy::of(self.kernel, None);
        let roofline = Roofline::of(self.kernel, &self.mix, self.work, None);
        let derived = diagnose::Kernel {
            kernel: self.kernel,
            stalls: &self.stalls,
            mix: &self.mix,
            occupancy: &occupancy,
            phases: self.phases,
            limits,
            work: self.work,
            local_bytes: None,
        };
        let diagnosis = diagnose::diagnose(&derived, |_| None);
        let (bottleneck, levers) = (diagnosis.bottleneck, diagnosis.levers);
        let findings = diagnosis.findings.into_iter().map(|finding| finding.code).collect();
        Alone { bottleneck, roofline, findings, levers }
    }
}

/// The judgement of an old kernel.
pub(in crate::analysis) struct Alone {
    pub(in crate::analysis) bottleneck: Bottleneck,
    pub(in crate::analysis) roofline: Roofline,
    /// Codes of the findings.
    pub(in crate::analysis) findings: Vec<Code>,
    pub(in crate::analysis) levers: Vec<Lever>,
}
