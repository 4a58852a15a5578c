//! What else a report holds, and of its other kernels what limits each and what could be done about it.

use crate::analysis::kernel::overview::{JUDGED, time_of_all};
use crate::analysis::{
    Bottleneck, KernelSummary, Lever, Limits, OtherKernel, Profile, Work, diagnose, diagnose::Measurement,
    profile::OtherProfile, version::measurement,
};

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Reported {
    /// All its kernels, the most device time first.
    pub kernels: Vec<OtherKernel>,
    /// Summed time of the launches of all of them in ns; `None` where not every launch has a time.
    #[serde(skip)]
    pub time: Option<f64>,
    /// What limits those of them that are not under audit, where their time matters.
    pub others: Vec<OtherVerdict>,
    /// Kernels inside a range or graph: (name, launches); empty for a kernel.
    pub members: Vec<(String, usize)>,
}

impl Reported {
    pub(in crate::analysis) fn of(profile: &Profile, kernel: &KernelSummary<'_>, limits: &Limits) -> Reported {
        Reported {
            kernels: profile.kernels.clone(),
            time: time_of_all(&profile.kernels, kernel),
            others: verdicts(profile, limits),
            members: profile.members.clone(),
        }
    }
}

/// What is concluded of another kernel of the report: the same as a page about it alone concludes.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct OtherVerdict {
    /// Its place in [`Reported::kernels`].
    pub at: usize,
    pub bottleneck: Bottleneck,
    /// What could be tried, by ceiling; none of NVIDIA's estimates.
    pub levers: Vec<Lever>,
}

/// The verdicts on the other kernels of a report whose time matters.
fn verdicts(profile: &Profile, limits: &Limits) -> Vec<OtherVerdict> {
    let work = Work::default();
    let verdict = |other: &OtherProfile| {
        let own = profile.other(other)?;
        let kernel = own.summary();
        let studied = own.studied(&kernel, limits);
        let measured = Measurement { over_time: own.over_time.as_ref(), ..measurement(&kernel, &studied, None) };
        let alone = diagnose::alone(measured, &work, limits);
        Some(OtherVerdict { at: other.at, bottleneck: alone.bottleneck, levers: alone.levers })
    };
    // A snapshot may hold any number.
    profile.others.iter().take(JUDGED).filter_map(verdict).collect()
}
