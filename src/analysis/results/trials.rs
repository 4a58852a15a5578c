//! What launches outside the profiler add to an audit: the check of the outputs, the benchmark, the reference's profile.

use crate::analysis::audit::Audit;
use crate::analysis::limits::Limits;
use crate::analysis::results::correctness::Standing;
use crate::analysis::results::reference::ReferenceProfile;
use crate::analysis::results::timing::Timing;
use crate::analysis::versus::verdict::Verdict;
use crate::evidence::{Benchmark, Correctness, LaunchFacts, Origin, Report, Workload};

/// What was found by launching.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// The check of the outputs.
    pub correctness: Option<Correctness>,
    /// The times.
    pub benchmark: Option<Benchmark>,
    /// The times of the old side, where they do not come from its audit.
    pub old_benchmark: Option<Benchmark>,
    /// The profile of what it is timed beside.
    pub reference: Option<Report>,
    /// The files, each with what it is.
    pub files: Vec<(String, Origin)>,
    /// What was meant to be found and was not: `correctness` or `benchmark`, and why.
    pub missed: Vec<(String, String)>,
}

/// Evidence that is about something else than the page.
#[derive(Debug, thiserror::Error)]
#[error(
    "{what} is about the kernel {found}, and the page about {expected}\n  help: give the file that `audit launch` wrote for this kernel, or another `kernel`"
)]
pub struct OtherKernelTried {
    /// The file's kind.
    pub what: &'static str,
    /// Its kernel.
    pub found: String,
    /// The kernel under audit.
    pub expected: String,
}

impl Audit {
    /// Takes in what was found by launching, and what follows for the verdict. `earlier` is the audit of the old side.
    /// Findings of compute-sanitizer must be in place.
    ///
    /// # Errors
    /// When a check or a benchmark is about another kernel.
    pub fn join_trials(
        &mut self,
        trials: Trials,
        earlier: Option<&Audit>,
        limits: &Limits,
    ) -> Result<(), OtherKernelTried> {
        if let Some(check) = &trials.correctness {
            self.is_about("the check of outputs", &check.launch)?;
        }
        if let Some(benchmark) = &trials.benchmark {
            self.is_about("the benchmark", &benchmark.launch)?;
        }
        let kept = earlier.and_then(|earlier| Some(&earlier.timing.as_ref()?.benchmark));
        let old = trials.old_benchmark.as_ref().or(kept);
        self.timing = trials.benchmark.as_ref().and_then(|new| Timing::of(new, old, &self.work, limits));
        self.reference = trials.reference.as_ref().and_then(|report| ReferenceProfile::of(report, self));
        self.correctness = trials.correctness;
        (self.trial_files, self.trials_missed) = (trials.files, trials.missed);
        self.judge_trials(earlier);
        Ok(())
    }

    fn judge_trials(&mut self, earlier: Option<&Audit>) {
        let faults = self.faults();
        let Some(comparison) = &mut self.comparison else { return };
        let whole = &mut comparison.whole;
        if let Some(change) = self.timing.as_ref().and_then(|timing| timing.change.as_ref()) {
            whole.join_times(change);
        }
        if earlier.is_some_and(|earlier| earlier.standing() == Standing::Wrong) {
            let reason = "The old side's results are wrong, so that its time is none to compare with.".to_owned();
            whole.void(Verdict::NotComparable, reason, "Compare with an audit of a correct kernel.");
        }
        if !faults.is_empty() {
            let reason = format!("The kernel's results are wrong: {}.", faults.join("; "));
            whole.void(Verdict::Wrong, reason, "Correct the kernel; its speed matters after that.");
        }
    }

    fn is_about(&self, what: &'static str, launch: &LaunchFacts) -> Result<(), OtherKernelTried> {
        let key = &self.new.kernel;
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
}

/// A function's name without namespaces and template arguments.
fn function(name: &str) -> &str {
    let name = name.split(['<', '(']).next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}
