//! Whether the kernel computes what it should: from the check of its outputs and from compute-sanitizer.

use crate::analysis::evidence::Side;
use crate::evidence::{CheckRun, Correctness, OutputCheck, SanitizerRun, WorstElement};
use crate::quantity::format;

/// What is known of a kernel's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
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

impl Looked<'_> {
    pub(in crate::analysis) fn standing(&self) -> Standing {
        if !self.faults().is_empty() {
            return Standing::Wrong;
        }
        match self.correctness {
            Some(check) if is_complete(check) => Standing::Correct,
            _ => Standing::NotChecked,
        }
    }

    /// What is wrong with the results, a plain sentence part for each output and tool.
    pub(in crate::analysis) fn faults(&self) -> Vec<String> {
        let checked = self.correctness.into_iter().flat_map(outputs_at_fault);
        let tools = self.sanitizer.iter().filter(|run| run.has_errors());
        checked.chain(tools.map(|run| format!("{} found errors", run.tool.name()))).collect()
    }

    /// Why the check of the outputs cannot tell; empty where it can, or where there was none.
    pub(in crate::analysis) fn void_check(&self) -> Option<String> {
        let check = self.correctness?;
        let void = each(check).find_map(|(run, output)| Some((run, output, void(output)?)));
        if let Some((run, output, why)) = void {
            return Some(format!("{} on seed {}: {why}", output.name, run.seed));
        }
        (!is_complete(check) && outputs_at_fault(check).next().is_none()).then(|| "no output was compared".to_owned())
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

/// Why a comparison says nothing about the kernel: the expected values are at fault.
fn void(output: &OutputCheck) -> Option<String> {
    let count = output.expected_not_finite;
    if output.passed {
        None
    } else if count > 0 {
        Some(format!("the reference is not finite in {} elements", format::integer(count)))
    } else {
        (output.expected_rms == Some(0.0)).then(|| "the reference is all zeros".to_owned())
    }
}

/// The failed outputs, each once with the first seed on which it failed.
fn outputs_at_fault(check: &Correctness) -> impl Iterator<Item = String> {
    let mut named: Vec<&str> = Vec::new();
    each(check).filter_map(move |(run, output)| {
        if output.passed || void(output).is_some() || named.contains(&output.name.as_str()) {
            return None;
        }
        named.push(&output.name);
        Some(format!("{} on seed {}: {}", output.name, run.seed, fault(check, output)))
    })
}

/// What is wrong with an output that did not pass.
fn fault(check: &Correctness, output: &OutputCheck) -> String {
    let all = format::integer(output.elements);
    if output.unwritten > 0 {
        return format!("{} of {all} elements were not written", format::integer(output.unwritten));
    }
    if output.not_finite > 0 {
        return format!("{} of {all} elements are not finite", format::integer(output.not_finite));
    }
    let worst = output.worst.as_ref().map(|worst| {
        format!("; the worst is {}, {} where {} was expected", position(output, worst), worst.got, worst.expected)
    });
    let worst = worst.unwrap_or_default();
    if check.tolerance == 0.0 {
        let different = format::integer(output.different);
        return format!("{different} of {all} elements are not bitwise equal to the reference{worst}");
    }
    match output.relative_norm {
        Some(norm) if norm > check.tolerance => {
            let (norm, most) = (format::scientific(norm), format::scientific(check.tolerance));
            format!("the relative norm of the difference is {norm}, at most {most} is allowed{worst}")
        }
        Some(_) => {
            let error = output.worst.as_ref().and_then(|worst| worst.error);
            let error = error.map_or_else(|| "no finite number".to_owned(), format::scientific);
            let most = format::scientific(check.worst_tolerance);
            format!("the largest error of one element is {error}, at most {most} is allowed{worst}")
        }
        None => format!("the difference has no finite norm{worst}"),
    }
}

/// `out[12, 5]`: the position of an element by its output's extents.
pub fn position(output: &OutputCheck, worst: &WorstElement) -> String {
    let mut rest = worst.index;
    let mut at: Vec<String> = Vec::new();
    for extent in output.shape.iter().rev() {
        let extent = (*extent).max(1);
        at.push((rest % extent).to_string());
        rest /= extent;
    }
    at.reverse();
    format!("{}[{}]", output.name, at.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output() -> OutputCheck {
        OutputCheck {
            name: "out".into(),
            dtype: "f32".into(),
            shape: vec![4, 3],
            elements: 12,
            unwritten: 0,
            not_finite: 0,
            expected_not_finite: 0,
            different: 5,
            relative_norm: Some(0.25),
            worst: Some(WorstElement { index: 7, got: "1".into(), expected: "2".into(), error: Some(0.5) }),
            expected_rms: Some(1.0),
            changed_between_runs: None,
            passed: false,
        }
    }

    fn check(output: OutputCheck, tolerance: f64) -> Correctness {
        Correctness {
            schema: String::new(),
            tool: String::new(),
            subject: String::new(),
            device: crate::evidence::DeviceFacts::default(),
            launch: crate::evidence::LaunchFacts {
                kernel: String::new(),
                code_sha256: String::new(),
                grid: [1; 3],
                block: [1; 3],
                cluster: None,
                dynamic_shared: 0,
                arguments: Vec::new(),
                function: crate::evidence::FunctionFacts::default(),
            },
            reference: String::new(),
            tolerance,
            worst_tolerance: 0.1,
            passed: output.passed,
            runs: vec![CheckRun { seed: 3, outputs: vec![output] }],
        }
    }

    fn said(output: OutputCheck, tolerance: f64) -> String {
        outputs_at_fault(&check(output, tolerance)).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_fault_says_the_gravest_reason_and_where() {
        assert_eq!(
            said(output(), 0.01),
            "out on seed 3: the relative norm of the difference is 2.50e-1, at most 1.00e-2 is allowed; the worst is out[2, 1], 1 where 2 was expected"
        );
        assert!(
            said(output(), 0.0).starts_with("out on seed 3: 5 of 12 elements are not bitwise equal to the reference")
        );
        assert!(said(OutputCheck { unwritten: 2, ..output() }, 0.01).ends_with("2 of 12 elements were not written"));
        assert!(said(OutputCheck { not_finite: 1, ..output() }, 0.01).ends_with("1 of 12 elements are not finite"));
        let far = OutputCheck { relative_norm: Some(1e-3), ..output() };
        assert!(said(far, 0.01).contains("the largest error of one element is 5.00e-1, at most 1.00e-1 is allowed"));
    }

    #[test]
    fn a_reference_that_is_no_number_makes_no_kernel_wrong() {
        let void = OutputCheck { expected_not_finite: 4, ..output() };
        assert_eq!(said(void, 0.01), "");
        assert_eq!(said(OutputCheck { expected_rms: Some(0.0), ..output() }, 0.01), "");
    }

    #[test]
    fn a_check_without_outputs_is_none() {
        let mut empty = check(OutputCheck { passed: true, ..output() }, 0.01);
        assert!(is_complete(&empty));
        empty.runs[0].outputs.clear();
        assert!(!is_complete(&empty));
    }
}
