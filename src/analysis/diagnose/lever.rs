//! A lever: something that could be tried, and the most that it could save. And NVIDIA's own estimates.

use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::catalog::{Code, Threshold};
use crate::words::Words;
use std::fmt;

/// Who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeverOrigin {
    /// Computed here, by the formula that stands beside it.
    Audit,
    /// NVIDIA's own estimate, as its rule stored it in the report.
    NvidiaRule,
}

/// What a lever is called.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum LeverCode {
    /// One of ours.
    Ours(Code),
    /// The id of NVIDIA's rule.
    Rule(String),
}

impl fmt::Display for LeverCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeverCode::Ours(code) => code.fmt(f),
            LeverCode::Rule(id) => f.write_str(id),
        }
    }
}

/// Something that could be tried.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Lever {
    /// Stable code.
    pub code: LeverCode,
    /// Who says it.
    pub origin: LeverOrigin,
    /// Largest part of the run time that it could save, in percent.
    pub bound: f64,
    /// Whether the bound rests on an assumption, which the formula names, so that it says about how much and not at most.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rough: bool,
    /// How the bound is computed, with the numbers.
    pub formula: String,
    /// What the evidence says, and what to try.
    pub sentence: Words,
    /// The metric to read again after trying.
    pub remeasure: String,
}

/// NVIDIA's estimates, one for each rule message that carries one, from the first launch, the largest first.
pub(super) fn nvidia(kernel: &KernelSummary<'_>, limits: &Limits) -> Vec<Lever> {
    let mut levers: Vec<Lever> = Vec::new();
    let ruled = kernel.launches().iter().find(|launch| !launch.rules.is_empty());
    for rule in ruled.iter().flat_map(|launch| &launch.rules) {
        let Some(speedup) = rule.speedup.filter(|s| s.percent >= limits[Threshold::LeverLeast]) else { continue };
        let scope = if speedup.is_global { "of the run time" } else { "of the part that the rule looks at" };
        let title = rule.messages.iter().map(|m| &m.title).find(|t| !t.is_empty()).unwrap_or(&rule.name);
        levers.push(Lever {
            code: LeverCode::Rule(rule.id.to_string()),
            origin: LeverOrigin::NvidiaRule,
            bound: speedup.percent,
            is_rough: false,
            formula: format!("NVIDIA's rule {}, {scope}", rule.id),
            sentence: title.to_string().into(),
            remeasure: rule.focus.first().map(|f| f.metric.to_string()).unwrap_or_default(),
        });
    }
    levers.sort_by(|a, b| b.bound.total_cmp(&a.bound));
    levers
}
