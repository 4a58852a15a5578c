//! Whether the kernel computes what it should: from the check of its outputs and from compute-sanitizer.

use crate::analysis::Side;
use crate::evidence::{CheckRun, Correctness, OutputCheck, SanitizerRun, TestCase, TestRun};

/// What is known of a kernel's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Every output was compared and is within its tolerance, or the tests of it passed, and no tool of compute-sanitizer found an error.
    Correct,
    /// An output is not what it should be, or a tool found an error.
    Wrong,
    /// Nobody looked, or the look could not tell.
    NotChecked,
}

/// What is known of the results of one side.
#[derive(Clone, Copy, Debug)]
pub(in crate::analysis) struct Looked<'a> {
    pub(in crate::analysis) correctness: Option<&'a Correctness>,
    /// What the project's own tests found.
    pub(in crate::analysis) tested: Option<&'a TestRun>,
    /// What the tools of compute-sanitizer found.
    pub(in crate::analysis) sanitizer: &'a [SanitizerRun],
}

/// What is wrong with a kernel's results.
#[derive(Clone, Copy, Debug)]
pub enum Fault<'a> {
    /// An output that did not pass, with the first run in which it did not.
    Output(&'a CheckRun, &'a OutputCheck),
    Test(&'a TestCase),
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
    /// A test broke off before it could tell.
    Broken(&'a TestCase),
    /// No test was run.
    Skipped,
}

impl<'a> Looked<'a> {
    pub(in crate::analysis) fn standing(&self) -> Standing {
        if !self.faults().is_empty() {
            return Standing::Wrong;
        }
        let is_right =
            self.correctness.is_none_or(is_complete) && self.tested.is_none_or(|tested| lacks(tested).is_none());
        let is_checked = self.correctness.is_some() || self.tested.is_some();
        if is_right && is_checked { Standing::Correct } else { Standing::NotChecked }
    }

    /// What is wrong with the results: each output at fault once, then tests, then the tools.
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
        let tests = self.tested.into_iter().flat_map(|tested| &tested.failed).map(Fault::Test);
        at_fault.map(|(run, output)| Fault::Output(run, output)).chain(tests).chain(tools.map(Fault::Tool)).collect()
    }

    /// Why a check cannot tell; `None` where all can, or where there was none.
    pub(in crate::analysis) fn void_check(&self) -> Option<Void<'a>> {
        self.void_outputs().or_else(|| self.tested.and_then(lacks))
    }

    fn void_outputs(&self) -> Option<Void<'a>> {
        let check = self.correctness?;
        let void = each(check).find(|(_, output)| is_void(output));
        let is_empty = !is_complete(check) && each(check).all(|(_, output)| output.passed);
        void.map(|(run, output)| Void::Reference(run, output)).or(is_empty.then_some(Void::Empty))
    }
}

impl Side {
    pub(in crate::analysis) fn looked(&self) -> Looked<'_> {
        Looked { correctness: self.correctness.as_ref(), tested: self.tested.as_ref(), sanitizer: &self.sanitizer }
    }
}

fn each(check: &Correctness) -> impl Iterator<Item = (&CheckRun, &OutputCheck)> {
    check.runs.iter().flat_map(|run| run.outputs.iter().map(move |output| (run, output)))
}

/// What tests lack that failed at nothing; `None` for those that passed.
fn lacks(tested: &TestRun) -> Option<Void<'_>> {
    tested.broken.first().map(Void::Broken).or((tested.passed == 0).then_some(Void::Skipped))
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
        let faults = |output| Looked { correctness: Some(&check(output)), tested: None, sanitizer: &[] }.faults().len();
        let output = || OutputCheck { expected_rms: Some(1.0), ..OutputCheck::default() };
        assert_eq!(faults(output()), 1);
        assert_eq!(faults(OutputCheck { expected_not_finite: 4, ..output() }), 0);
        assert_eq!(faults(OutputCheck { expected_rms: Some(0.0), ..output() }), 0);
    }

    #[test]
    fn tests_decide_like_outputs() {
        let looked = |tested: &TestRun| {
            let looked = Looked { correctness: None, tested: Some(tested), sanitizer: &[] };
            (looked.standing(), looked.faults().len(), looked.void_check().is_some())
        };
        let passed = TestRun { passed: 2, skipped: 1, ..TestRun::default() };
        assert_eq!(looked(&passed), (Standing::Correct, 0, false));
        let case = || vec![TestCase::default()];
        assert_eq!(looked(&TestRun { failed: case(), ..passed.clone() }), (Standing::Wrong, 1, false));
        assert_eq!(looked(&TestRun { broken: case(), ..passed.clone() }), (Standing::NotChecked, 0, true));
        assert_eq!(looked(&TestRun { passed: 0, ..passed.clone() }), (Standing::NotChecked, 0, true));
        // Outputs that nobody compared are not made right by a test.
        let empty = Correctness { passed: true, ..Correctness::default() };
        let both = Looked { correctness: Some(&empty), tested: Some(&passed), sanitizer: &[] };
        assert_eq!(both.standing(), Standing::NotChecked);
    }

    #[test]
    fn a_check_without_outputs_is_none() {
        let mut empty = check(OutputCheck { passed: true, ..OutputCheck::default() });
        assert!(is_complete(&empty));
        empty.runs[0].outputs.clear();
        assert!(!is_complete(&empty));
    }
}
