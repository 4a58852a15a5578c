//! What launches outside the profiler mean for an audit: whether they are of its kernel, and what they say of its verdict.

use crate::analysis::correctness::Standing;
use crate::analysis::evidence::Side;
use crate::analysis::kernel::row::Row;
use crate::analysis::kernel::select::KernelKey;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::analysis::profile::Profile;
use crate::analysis::results::timing::Timing;
use crate::analysis::versus::setting::Setting;
use crate::analysis::versus::verdict::{Compared, Comparison, Verdict, Why};
use crate::evidence::{LaunchFacts, Workload};

/// Evidence that is about something else than the page.
#[derive(Debug, thiserror::Error)]
#[error(
    "{what} is of the kernel {found}, and the page of {expected}\n  help: give the file that `audit launch` wrote for this kernel, or another `kernel`"
)]
pub struct OtherKernelTried {
    /// The file's kind.
    pub what: &'static str,
    /// Its kernel.
    pub found: String,
    /// The kernel under audit.
    pub expected: String,
}

impl Side {
    /// Whether the check of the outputs and the benchmark are of the kernel that was profiled.
    ///
    /// # Errors
    /// When one is about another kernel.
    pub fn is_of_one_kernel(&self) -> Result<(), OtherKernelTried> {
        let Some(profile) = &self.profile else { return Ok(()) };
        let check = self.correctness.iter().map(|check| ("the check of outputs", &check.launch));
        let times = self.benchmark.iter().map(|times| ("the benchmark", &times.launch));
        check.chain(times).try_for_each(|(what, launch)| is_about(&profile.kernel, what, launch))
    }
}

/// A version of a kernel with its profile, read as one launch.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct Version<'a, 'r> {
    pub(in crate::analysis) side: &'a Side,
    pub(in crate::analysis) profile: &'a Profile,
    pub(in crate::analysis) kernel: &'a KernelSummary<'r>,
}

/// What a version comes to against an old one: the verdict of the profiles, with what was found by launching put into it.
pub(in crate::analysis) fn compared<'p>(
    rows: impl IntoIterator<Item = &'p Row>,
    (new, old): (Version<'_, '_>, Version<'_, '_>),
    settings: &[Setting],
    timing: Option<&Timing>,
    limits: &Limits,
) -> Comparison {
    let now = Compared::of(new.kernel, new.profile, new.side);
    let was = Compared::of(old.kernel, old.profile, old.side);
    let mut comparison = Comparison::of(rows, now, was, settings, limits);
    let whole = &mut comparison.whole;
    if !new.side.work.states_an_amount() {
        whole.warn_of_other_work(&new.profile.kernel, &old.profile.kernel);
    }
    if let Some(change) = timing.and_then(|timing| timing.change.as_ref()) {
        whole.join(change.verdict);
    }
    if old.side.looked().standing() == Standing::Wrong {
        whole.void(Verdict::NotComparable, Why::OldWrong);
    }
    if new.side.looked().standing() == Standing::Wrong {
        whole.void(Verdict::Wrong, Why::Wrong);
    }
    comparison
}

fn is_about(key: &KernelKey, what: &'static str, launch: &LaunchFacts) -> Result<(), OtherKernelTried> {
    // Names are mangled or plain; a plain one is part of its mangled form.
    let is_same = launch.kernel == *key.mangled
        || launch.kernel == *key.function
        || (key.mangled.is_empty() && launch.kernel.contains(function(&key.function)));
    if key.workload != Workload::Kernel || is_same {
        return Ok(());
    }
    let expected = if key.mangled.is_empty() { &key.function } else { &key.mangled };
    Err(OtherKernelTried { what, found: launch.kernel.clone(), expected: expected.to_string() })
}

/// A function's name without namespaces and template arguments.
fn function(name: &str) -> &str {
    let name = name.split(['<', '(']).next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}
