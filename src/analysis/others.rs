//! The other kernels of a report: what limits each, and what could be done about it.

use crate::analysis::diagnose::lever::Lever;
use crate::analysis::diagnose::{self, Bottleneck};
use crate::analysis::kernel::overview::JUDGED;
use crate::analysis::kernel::stated::Work;
use crate::analysis::limits::Limits;
use crate::analysis::profile::{OtherProfile, Profile};
use crate::analysis::version::measurement;

/// What is concluded of another kernel of the report: the same as a page about it alone concludes.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct OtherVerdict {
    /// Its place in [`Audit::kernels`](crate::analysis::Audit::kernels).
    pub at: usize,
    /// What limits it.
    pub bottleneck: Bottleneck,
    /// What could be tried, by ceiling; none of NVIDIA's estimates.
    pub levers: Vec<Lever>,
}

/// The verdicts on the other kernels of a report whose time matters.
pub(in crate::analysis) fn verdicts(profile: &Profile, limits: &Limits) -> Vec<OtherVerdict> {
    let work = Work::default();
    let verdict = |other: &OtherProfile| {
        let own = profile.other(other)?;
        let kernel = own.summary();
        let alone = diagnose::alone(measurement(&kernel, &own.studied(&kernel, limits), None), &work, limits);
        Some(OtherVerdict { at: other.at, bottleneck: alone.bottleneck, levers: alone.levers })
    };
    // A snapshot may hold any number.
    profile.others.iter().take(JUDGED).filter_map(verdict).collect()
}
