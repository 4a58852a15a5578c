//! One version of a kernel with its launches read as one: what is judged alone, or beside another.

use crate::analysis::diagnose::Measurement;
use crate::analysis::evidence::Side;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::profile::Profile;
use crate::evidence::LaunchFacts;

/// A side with its profile.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct Version<'a, 'r> {
    pub(in crate::analysis) side: &'a Side,
    pub(in crate::analysis) profile: &'a Profile,
    /// The launches of the profile.
    pub(in crate::analysis) kernel: &'a KernelSummary<'r>,
}

impl<'a, 'r> Version<'a, 'r> {
    pub(in crate::analysis) fn measurement(&self) -> Measurement<'a, 'r> {
        measurement(self.profile, self.kernel, self.side.launch())
    }
}

/// What is judged of a profile and its launches; `launch` is what they were launched with, where the launcher wrote it down.
pub(in crate::analysis) fn measurement<'a, 'r>(
    profile: &'a Profile,
    kernel: &'a KernelSummary<'r>,
    launch: Option<&'a LaunchFacts>,
) -> Measurement<'a, 'r> {
    let parked = profile.parked.as_ref().map(|parked| parked.share);
    Measurement { kernel, phases: profile.phases.as_ref(), parked, launch }
}
