//! What is wrong with a kernel's results, and why a check of its outputs cannot tell.

use crate::analysis::{Audit, Fault, Void};
use crate::evidence::{OutputCheck, TestCase, TestRun, WorstElement};
use crate::quantity::format;
use crate::view::heading::Heading;
use crate::words::{Words, words};

/// What is wrong with the results, a plain sentence part for each output and tool.
pub fn faults(audit: &Audit) -> Vec<String> {
    let tolerances =
        audit.trials.correctness.as_ref().map_or((0.0, 0.0), |check| (check.tolerance, check.worst_tolerance));
    let of = |one: Fault<'_>| match one {
        Fault::Output(run, output) => format!("{} on seed {}: {}", output.name, run.seed, fault(output, tolerances)),
        Fault::Test(test) => said(test, "failed"),
        Fault::Tool(run) => format!("{} found errors", run.tool.name()),
    };
    audit.faults().into_iter().map(of).collect()
}

/// What checks and times a kernel that nobody checked yet.
pub(super) fn checker(audit: &Audit) -> Words {
    words::code(if audit.is_from_python() { "kernel_audit.bench" } else { "audit collect" }).into()
}

/// How many tests passed, and what ran them.
pub(super) fn tests_passed(tested: &TestRun) -> String {
    let by = if tested.by.is_empty() { String::new() } else { format!(" of {}", tested.by) };
    let skipped =
        if tested.skipped == 0 { String::new() } else { format!(" ({} skipped)", format::integer(tested.skipped)) };
    format!("{}{by} passed{skipped}", format::counted(tested.passed, "test"))
}

/// At which commit tests ran, with a space before it, and whether that is the page's.
pub(super) fn tested_at(tested: &TestRun, heading: &Heading) -> Words {
    /// Digits of a commit that a page shows.
    const SHORT: usize = 8;
    if tested.commit.is_empty() {
        return " at a commit that nothing states".into();
    }
    let (own, short) = (&heading.commit, tested.commit.get(..SHORT).unwrap_or(&tested.commit));
    let is_dirty = |commit: &str| commit.ends_with("-dirty");
    if own.is_empty() || (own.starts_with(short) && is_dirty(own) == is_dirty(&tested.commit)) {
        return words!(" at commit `{}`", short);
    }
    words!(" at commit `{}`, **not this page's**", short)
}

fn said(test: &TestCase, ended: &str) -> String {
    let why = if test.why.is_empty() { String::new() } else { format!(": {}", test.why) };
    format!("the test {} {ended}{why}", test.name)
}

/// Why a check cannot tell, as a sentence part; `None` where all can, or where there was none.
pub(crate) fn void_check(audit: &Audit) -> Option<String> {
    Some(match audit.void_check()? {
        Void::Empty => "no output was compared".to_owned(),
        Void::Broken(test) => said(test, "broke off"),
        Void::Skipped => "every test was skipped".to_owned(),
        Void::Reference(run, output) => {
            let why = match output.expected_not_finite {
                0 => "the reference is all zeros".to_owned(),
                count => format!("the reference is not finite in {} elements", format::integer(count)),
            };
            format!("{} on seed {}: {why}", output.name, run.seed)
        }
    })
}

/// What is wrong with an output that did not pass: the gravest reason, and where. `most` is what the norm and one element may be.
fn fault(output: &OutputCheck, most: (f64, f64)) -> String {
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
    if most.0 == 0.0 {
        let different = format::integer(output.different);
        return format!("{different} of {all} elements are not bitwise equal to the reference{worst}");
    }
    match output.relative_norm {
        Some(norm) if norm > most.0 => {
            let (norm, most) = (format::scientific(norm), format::scientific(most.0));
            format!("the relative norm of the difference is {norm}, at most {most} is allowed{worst}")
        }
        Some(_) => {
            let error = output.worst.as_ref().and_then(|worst| worst.error);
            let error = error.map_or_else(|| "no finite number".to_owned(), format::scientific);
            let most = format::scientific(most.1);
            format!("the largest error of one element is {error}, at most {most} is allowed{worst}")
        }
        None => format!("the difference has no finite norm{worst}"),
    }
}

/// `out[12, 5]`: the position of an element by its output's extents.
pub(super) fn position(output: &OutputCheck, worst: &WorstElement) -> String {
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

    #[test]
    fn a_fault_says_the_gravest_reason_and_where() {
        let output = OutputCheck {
            name: "out".into(),
            shape: vec![4, 3],
            elements: 12,
            different: 5,
            relative_norm: Some(0.25),
            worst: Some(WorstElement { index: 7, got: "1".into(), expected: "2".into(), error: Some(0.5) }),
            ..OutputCheck::default()
        };
        let within = (0.01, 0.1);
        let said = |output: &OutputCheck| fault(output, within);
        assert_eq!(
            said(&output),
            "the relative norm of the difference is 2.50e-1, at most 1.00e-2 is allowed; the worst is out[2, 1], 1 where 2 was expected"
        );
        assert!(fault(&output, (0.0, 0.0)).starts_with("5 of 12 elements are not bitwise equal to the reference"));
        let far = OutputCheck { relative_norm: Some(1e-3), ..output.clone() };
        assert!(said(&far).starts_with("the largest error of one element is 5.00e-1, at most 1.00e-1 is allowed"));
        assert_eq!(said(&OutputCheck { not_finite: 1, ..output.clone() }), "1 of 12 elements are not finite");
        assert_eq!(said(&OutputCheck { unwritten: 2, not_finite: 1, ..output }), "2 of 12 elements were not written");
    }
}
