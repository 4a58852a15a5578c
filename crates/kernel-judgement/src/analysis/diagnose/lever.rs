//! A lever: something that could be tried, and what it could save at most. And NVIDIA's own estimates.

use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::analysis::lines::Place;
use crate::catalog::{Action, Threshold};
use crate::words::Words;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
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
    Ours(Action),
    /// The id of NVIDIA's rule.
    Rule(String),
}

impl fmt::Display for LeverCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeverCode::Ours(action) => action.fmt(f),
            LeverCode::Rule(id) => f.write_str(id),
        }
    }
}

/// What a ceiling says.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The time falls by at most the bound: what the lever frees, and what the busiest unit that is left allows.
    #[default]
    AtMost,
    /// More work in the same time, by this factor at most.
    Rate(f64),
    /// This report gives no bound; what would.
    Open(String),
}

/// Where a lever is pulled.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    Line(Place),
    /// At the instruction of this offset, in code without lines.
    Offset(u64),
    /// In how it is built.
    Build,
    /// In how the kernel is launched.
    Launch,
    /// In the kernel, without a line that is known.
    #[default]
    Kernel,
}

/// Something that could be tried.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Lever {
    pub code: LeverCode,
    pub origin: LeverOrigin,
    /// Where it is pulled.
    pub at: Where,
    /// Largest part of the run time that it could save, in percent; `None` where the report gives no bound.
    pub bound: Option<f64>,
    /// What the machine expects it to save, in percent; `None` where there is no bound either.
    pub expected: Option<f64>,
    /// Between what it saves by what measured pairs of its class gave, in percent; `None` for a class with too few of them.
    pub forecast: Option<[f64; 2]>,
    /// What the bound says.
    pub ceiling: Bound,
    /// The place in the list, from 1, of the lever that this one is a part of, or stands beside.
    pub beside: Option<Along>,
    /// How the bound is computed, with the numbers.
    pub formula: String,
    pub sentence: Words,
    /// What in the evidence asks for it.
    pub why: Words,
    /// What it costs or may break.
    pub risk: Words,
    /// What must move, and to which value at the ceiling.
    pub check: Words,
    /// The metric to read again after trying.
    pub remeasure: String,
    /// Whether it rises where the lever is pulled.
    #[serde(skip)]
    pub rises: bool,
}

impl Lever {
    /// One of which no more is known yet than what it is called.
    pub(super) fn new(code: LeverCode) -> Lever {
        let origin = match code {
            LeverCode::Ours(_) => LeverOrigin::Audit,
            LeverCode::Rule(_) => LeverOrigin::NvidiaRule,
        };
        let (at, ceiling, (bound, expected, forecast, beside)) = Default::default();
        let ([formula, remeasure], [sentence, why, risk, check], rises) = Default::default();
        Lever {
            code,
            origin,
            at,
            bound,
            expected,
            forecast,
            ceiling,
            beside,
            formula,
            sentence,
            why,
            risk,
            check,
            remeasure,
            rises,
        }
    }

    /// Whether there is no bound of the time.
    pub fn is_rough(&self) -> bool {
        self.ceiling != Bound::AtMost
    }
}

/// How a lever hangs on another one, by its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Along {
    /// What it saves is part of that.
    PartOf(Action),
    /// It raises the ceiling of that one: the bound is that of both.
    With(Action),
}

/// NVIDIA's estimates, one for each rule message that carries one, from the first launch, the largest first.
pub(super) fn nvidia(kernel: &KernelSummary<'_>, limits: &Limits) -> Vec<Lever> {
    let mut levers: Vec<Lever> = Vec::new();
    for rule in kernel.rules.iter() {
        let Some(speedup) = rule.speedup.filter(|s| s.percent >= limits[Threshold::LeverLeast]) else { continue };
        let title = rule.messages.iter().map(|m| &m.title).find(|t| !t.is_empty()).unwrap_or(&rule.name);
        let scope = if speedup.is_global { "of the run time" } else { "of the part that the rule looks at" };
        levers.push(Lever {
            bound: Some(speedup.percent),
            formula: format!("NVIDIA's rule {}, {scope}", rule.id),
            sentence: title.to_string().into(),
            remeasure: rule.focus.first().map(|f| f.metric.to_string()).unwrap_or_default(),
            ..Lever::new(LeverCode::Rule(rule.id.to_string()))
        });
    }
    levers.sort_by(|a, b| b.bound.unwrap_or(0.0).total_cmp(&a.bound.unwrap_or(0.0)));
    levers
}
