//! The builds of a subject, and what is asked of their machine code.

use super::failure::Failure;
use crate::analysis::code::{Checked, CodeFacts, CodeInputs, LaunchShape, Launched, code_facts, unchecked};
use crate::config::{Subject, Variant};
use crate::evidence::CodeBuild;

/// The builds of a subject: those under audit, and those before.
pub(super) struct Builds {
    pub(super) new: Vec<CodeBuild>,
    /// Those of the subject's further variants.
    pub(super) others: Vec<(Variant, CodeBuild)>,
    pub(super) old: Vec<CodeBuild>,
    /// Why there are none, where a tool is missing.
    pub(super) missed: Option<String>,
}

impl Builds {
    /// The facts of every build, each beside the old build of its architecture.
    pub(super) fn facts(&self, subject: &Subject, launched: Option<&Launched>) -> Result<Vec<CodeFacts>, Failure> {
        let first = subject.variants.first();
        let further = self.others.iter().map(|(variant, build)| (Some(variant), build));
        let all = self.new.iter().map(|build| (first, build)).chain(further);
        let one = |(variant, build): (Option<&Variant>, &CodeBuild)| {
            let name = variant.map_or("", |variant| variant.name.as_str());
            let is_for = |only: &str| only.is_empty() || only == name;
            let checks: Vec<_> = subject.code_checks.iter().filter(|check| is_for(&check.variant)).cloned().collect();
            let shared: Vec<_> = subject.shared.iter().filter(|part| is_for(&part.variant)).cloned().collect();
            let dynamic = variant.and_then(|variant| variant.dynamic_shared).or(subject.launch.dynamic_shared);
            Ok(code_facts(&CodeInputs {
                build,
                variant: name,
                old: self.old.iter().find(|old| old.cubin.arch == build.cubin.arch),
                kernel: subject.kernel.as_ref(),
                old_kernel: subject.baseline_kernel.as_ref(),
                launched,
                shape: LaunchShape { dynamic_shared: dynamic, ..subject.launch },
                checks: &checks,
                shared: &shared,
            })?)
        };
        all.map(one).collect()
    }

    /// The checks that the subject states and that none of these facts answers.
    pub(super) fn unchecked(&self, subject: &Subject, facts: &[CodeFacts]) -> Vec<Checked> {
        let why = self.missed.as_deref().unwrap_or("no machine code is at hand");
        unchecked(&subject.code_checks, &subject.shared, facts, why)
    }
}
