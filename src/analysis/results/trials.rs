//! Whether launches outside the profiler are of the kernel under audit.

use crate::analysis::evidence::Side;
use crate::analysis::kernel::select::KernelKey;
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
