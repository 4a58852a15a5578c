//! The old side by itself: its readings by name, and its roofline.

use super::audit::Audit;
use super::coalescing::Coalescing;
use super::limits::Limits;
use super::mix::InstructionMix;
use super::named::{self, Known};
use super::performance::Work;
use super::roofline::Roofline;
use super::stalls::Stalls;
use super::summary::KernelSummary;
use crate::evidence::Reading;

/// The old kernel with what is derived from it.
pub(super) struct Before<'a, 'r> {
    kernel: &'a KernelSummary<'r>,
    /// The earlier audit, where the old side is one: it holds readings that its snapshot does not keep by launch.
    earlier: Option<&'a Audit>,
    stalls: Stalls,
    mix: InstructionMix,
    coalescing: Coalescing,
}

impl<'a, 'r> Before<'a, 'r> {
    pub(super) fn of(kernel: &'a KernelSummary<'r>, earlier: Option<&'a Audit>, limits: &Limits) -> Before<'a, 'r> {
        let mix = InstructionMix::of(kernel, None);
        let coalescing = Coalescing::of(kernel, None, &mix);
        Before { kernel, earlier, stalls: Stalls::of(kernel, None, limits), mix, coalescing }
    }

    /// The reading of a name, as [`named::reading`]. What an earlier audit found under that name goes first.
    pub(super) fn reading(&self, name: &str) -> Reading {
        let checked = self.earlier.and_then(|audit| audit.checks.iter().find(|line| line.expected.reading == name));
        match checked {
            Some(line) => line.found.clone(),
            None => {
                let (kernel, stalls) = (self.kernel, &self.stalls);
                named::reading(&Known { kernel, stalls, mix: &self.mix, coalescing: &self.coalescing }, name)
            }
        }
    }

    pub(super) fn roofline(&self, work: &Work) -> Roofline {
        Roofline::of(self.kernel, &self.mix, work)
    }
}
