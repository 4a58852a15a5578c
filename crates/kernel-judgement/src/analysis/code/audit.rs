//! What is concluded of a build from its facts.

use super::checked::{CheckResult, Checked};
use super::{facts::CodeFacts, patterns};
use crate::analysis::{Finding, Limits};
use crate::catalog::Code;

/// A build with what its facts come to.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CodeAudit {
    /// What stands in it. Its checks and the old build are not here: what became of them is below.
    #[serde(flatten)]
    pub facts: CodeFacts,
    pub findings: Vec<Finding>,
    /// Codes of what the old code showed; `None` where that is not known.
    pub old_findings: Option<Vec<Code>>,
    pub checks: Vec<CheckResult>,
}

/// What is concluded of each build, beside the old build, else the one of its architecture and variant in an earlier audit.
pub(in crate::analysis) fn concluded(all: &[CodeFacts], earlier: &[CodeFacts], limits: &Limits) -> Vec<CodeAudit> {
    let one = |facts: &CodeFacts| {
        let same = |old: &&CodeFacts| (&old.arch, &old.variant) == (&facts.arch, &facts.variant);
        let (before, earlier) = (facts.before.as_deref(), earlier.iter().find(same));
        let end = |check: &Checked| {
            [before, earlier].into_iter().flatten().find_map(|old| {
                let same = old.checked.iter().find(|own| (&own.name, &own.rule) == (&check.name, &check.rule));
                same.map(Checked::verdict)
            })
        };
        CodeAudit {
            findings: patterns::findings(facts, limits),
            old_findings: before
                .or(earlier)
                .map(|old| patterns::findings(old, limits).into_iter().map(|found| found.code).collect()),
            checks: facts.checked.iter().map(|check| check.beside(end(check))).collect(),
            facts: CodeFacts { checked: Vec::new(), before: None, ..facts.clone() },
        }
    };
    all.iter().map(one).collect()
}
