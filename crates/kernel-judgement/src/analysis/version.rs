//! One version of a kernel with its launches read as one: what is judged alone, or beside another.

use crate::analysis::{KernelSummary, Profile, Side, diagnose::Measurement, studied::Studied};
use crate::evidence::LaunchFacts;

/// A side with its profile.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct Version<'a, 'r> {
    pub(in crate::analysis) side: &'a Side,
    pub(in crate::analysis) profile: &'a Profile,
    /// The launches of the profile.
    pub(in crate::analysis) kernel: &'a KernelSummary<'r>,
    /// What follows from its instructions.
    pub(in crate::analysis) studied: &'a Studied<'a>,
}

impl<'a, 'r> Version<'a, 'r> {
    pub(in crate::analysis) fn measurement(&self) -> Measurement<'a> {
        Measurement {
            over_time: self.profile.over_time.as_ref(),
            ..measurement(self.kernel, self.studied, self.side.launch())
        }
    }
}

/// What is judged of a kernel; `launch` is what they were launched with, where the launcher wrote it down.
pub(in crate::analysis) fn measurement<'a, 'r>(
    kernel: &'a KernelSummary<'r>,
    studied: &'a Studied<'a>,
    launch: Option<&'a LaunchFacts>,
) -> Measurement<'a> {
    let parked = studied.parked.as_ref().map(|parked| parked.share);
    Measurement {
        kernel,
        view: studied.view,
        study: studied.study.as_ref(),
        phases: studied.phases.as_ref(),
        parked,
        over_time: None,
        launch,
    }
}
