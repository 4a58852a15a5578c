//! What was found by building and launching beside the profile, and whether it is of the kernel under audit.

use crate::analysis::{
    Configuration, KernelKey, KernelSummary, Limits, ReferenceProfile, Side, Timing, VariantTimes, correctness::Looked,
};
use crate::evidence::{Correctness, LaunchFacts, Origin, SanitizerRun, TestRun, Workload};

/// What was found of the new side beside its profile.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Trials {
    /// Build logs that were read.
    pub build_logs: Vec<Origin>,
    /// Warnings of the assembler: (log, line from 1, text).
    pub build_warnings: Vec<(String, u64, String)>,
    /// What compute-sanitizer found, in the order in which its tools ran; empty where none was run.
    pub sanitizer: Vec<SanitizerRun>,
    /// The check of the outputs; `None` where there was none.
    pub correctness: Option<Correctness>,
    /// What the project's own tests of its results found.
    pub tested: Option<TestRun>,
    pub timing: Option<Timing>,
    /// The measured builds of the source side by side, the one under audit first; empty where it is the only one.
    pub variants: Vec<VariantTimes>,
    /// The configurations that its autotuner chooses among, the fastest first.
    pub configurations: Vec<Configuration>,
    /// The profile of what it is timed beside.
    pub reference: Option<ReferenceProfile>,
    /// The files that these come from, each with what it is.
    pub files: Vec<(String, Origin)>,
    /// What was meant to be there and is not, and why.
    pub missed: Vec<(String, String)>,
}

impl Trials {
    pub(in crate::analysis) fn of(
        side: &Side,
        kernel: &KernelSummary<'_>,
        timing: Option<Timing>,
        reference: Option<ReferenceProfile>,
        limits: &Limits,
    ) -> Trials {
        Trials {
            build_logs: side.build.logs.clone(),
            build_warnings: side.build.warnings.clone(),
            sanitizer: side.sanitizer.clone(),
            correctness: side.correctness.clone(),
            tested: side.tested.clone(),
            timing,
            variants: VariantTimes::of(side, kernel, limits),
            configurations: side.configurations.clone(),
            reference,
            files: side.files.clone(),
            missed: side.missed.clone(),
        }
    }

    pub(in crate::analysis) fn looked(&self) -> Looked<'_> {
        Looked { correctness: self.correctness.as_ref(), tested: self.tested.as_ref(), sanitizer: &self.sanitizer }
    }
}

/// Evidence that is about something else than the page.
#[derive(Debug, thiserror::Error)]
#[error(
    "{what} is of the kernel {found}, and the page of {expected}\n  help: give the file that `audit launch` wrote for this kernel, or another `kernel`"
)]
pub struct OtherKernelTried {
    pub what: &'static str,
    pub found: String,
    pub expected: String,
}

impl Side {
    /// Whether the check of the outputs and the benchmark are of the profiled kernel. Errors: when one is about another.
    pub fn is_of_one_kernel(&self) -> Result<(), OtherKernelTried> {
        let Some(profile) = &self.profile else { return Ok(()) };
        let check = self.correctness.iter().map(|check| ("the check of outputs", &check.launch));
        let times = self.benchmark.iter().map(|times| ("the benchmark", &times.launch));
        check.chain(times).try_for_each(|(what, launch)| is_about(&profile.kernel, what, launch))
    }
}

fn is_about(key: &KernelKey, what: &'static str, launch: &LaunchFacts) -> Result<(), OtherKernelTried> {
    // A call of a function of Python is found by the subject's name, and launches what it likes.
    if launch.grid == [0; 3] {
        return Ok(());
    }
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
