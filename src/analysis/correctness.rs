//! Whether the kernel computes what it should: from the check of its outputs and from compute-sanitizer.

use crate::analysis::evidence::Side;
use crate::evidence::{CheckRun, Correctness, OutputCheck, SanitizerRun};

/// What is known of a kernel's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Every output was compared and is within its tolerance, and no tool of compute-sanitizer found an error.
    Correct,
    /// An output is not what it should be, or a tool found an error.
    Wrong,
    /// Nobody looked, or the look could not tell.
    NotChecked,
}

/// What is known of the results of one side.
#[derive(Clone, Copy, Debug)]
pub(in crate::analysis) struct Looked<'a> {
    /// The check of the outputs.
    pub(in crate::analysis) correctness: Option<&'a Correctness>,
    /// What the tools of compute-sanitizer found.
    pub(in crate::analysis) sanitizer: &'a [SanitizerRun],
}

/// What is wrong with a kernel's results.
#[derive(Clone, Copy, Debug)]
pub enum Fault<'a> {
    /// An output that did not pass, with the first run in which it did not.
    Output(&'a CheckRun, &'a OutputCheck),
    /// A tool of compute-sanitizer that found errors.
    Tool(&'a SanitizerRun),
}

/// Why a check of the outputs cannot tell.
#[derive(Clone, Copy, Debug)]
pub enum Void<'a> {
    /// No output was compared.
    Empty,
    /// The expected values of an output are not finite, or all zeros.
    Reference(&'a CheckRun, &'a OutputCheck),
}

impl<'a> Looked<'a> {
    pub(in crate::analysis) fn standing(&self) -> Standing {
        if !self.faults().is_empty() {
            return Standing::Wrong;
        }
        match self.correctness {
            Some(check) if is_complete(check) => Standing::Correct,
            _ => Standing::NotChecked,
        }
    }

    /// What is wrong with the results: each output at fault once, then the tools.
    pub(in crate::analysis) fn faults(&self) -> Vec<Fault<'a>> {
        let mut named: Vec<&str> = Vec::new();
        let mut is_new = |output: &'a OutputCheck| {
            let is_new = !named.contains(&output.name.as_str());
            named.push(&output.name);
            is_new
        };
        let checked = self.correctness.into_iter().flat_map(each);
        let at_fault = checked.filter(|(_, output)| !output.passed && !is_void(output) && is_new(output));
        let tools = self.sanitizer.iter().filter(|run| run.has_errors());
        at_fault.map(|(run, output)| Fault::Output(run, output)).chain(tools.map(Fault::Tool)).collect()
    }

    /// Why the check of the outputs cannot tell; `None` where it can, or where there was none.
    pub(in crate::analysis) fn void_check(&self) -> Option<Void<'a>> {
        let check = self.correctness?;
        let void = each(check).find(|(_, output)| is_void(output));
        let is_empty = !is_complete(check) && each(check).all(|(_, output)| output.passed);
        void.map(|(run, output)| Void::Reference(run, output)).or(is_empty.then_some(Void::Empty))
    }
}

impl Side {
    pub(in crate::analysis) fn looked(&self) -> Looked<'_> {
        Looked { correctness: self.correctness.as_ref(), sanitizer: &self.sanitizer }
    }
}

/// Every output of every run.
fn each(check: &Correctness) -> impl Iterator<Item = (&CheckRun, &OutputCheck)> {
    check.runs.iter().flat_map(|run| run.outputs.iter().map(move |output| (run, output)))
}

fn is_complete(check: &Correctness) -> bool {
    let has_outputs = !check.runs.is_empty() && check.runs.iter().all(|run| !run.outputs.is_empty());
    check.passed && has_outputs && each(check).all(|(_, output)| output.passed)
}

/// Whether a comparison says nothing about the kernel: the expected values are at fault.
fn is_void(output: &OutputCheck) -> bool {
    !output.passed && (output.expected_not_finite > 0 || output.expected_rms == Some(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: OutputCheck) -> Correctness {
        let passed = output.passed;
        Correctness { passed, runs: vec![CheckRun { seed: 3, outputs: vec![output] }], ..Correctness::default() }
    }

    #[test]
    fn a_reference_that_is_no_number_makes_no_kernel_wrong() {
        let faults = |output| Looked { correctness: Some(&check(output)), sanitizer: &[] }.faults().len();
        let output = || OutputCheck { expected_rms: Some(1.0), ..OutputCheck::default() };
        assert_eq!(faults(output()), 1);
        assert_eq!(faults(OutputCheck { expected_not_finite: 4, ..output() }), 0);
        assert_eq!(faults(OutputCheck { expected_rms: Some(0.0), ..output() }), 0);
    }

    #[test]
    fn a_check_without_outputs_is_none() {
        let mut empty = check(OutputCheck { passed: true, ..OutputCheck::default() });
        assert!(is_complete(&empty));
        empty.runs[0].outputs.clear();
        assert!(!is_complete(&empty));
    }
}
