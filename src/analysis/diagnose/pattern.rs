//! What a pattern is: how it is detected in some evidence, and how it is said.

use super::finding::{Finding, Severity};
use super::lever::{Lever, LeverCode, LeverOrigin};
use crate::analysis::lines::Sits;
use crate::catalog::Code;
use crate::evidence::Reading;
use crate::words::Words;

/// Something that evidence of the kind `G` can show.
pub(in crate::analysis) trait Pattern<G>: Sync {
    /// What its sentences are made of.
    type Facts;

    /// Where in the source it stands.
    const SITS: Sits = Sits::Nowhere;

    /// Whether it is there, how much it matters, and what removing it could give.
    fn detect(ground: &G) -> Option<Hit<Self::Facts>>;

    /// The sentence of the finding; no word where the pattern only has a bound.
    fn say(_: &Self::Facts) -> Words {
        Words::default()
    }

    /// What to try, where the pattern has a bound.
    fn advise(_: &Self::Facts) -> Words {
        Words::default()
    }
}

/// A pattern that was detected.
pub(in crate::analysis) struct Hit<F> {
    code: Code,
    severity: Option<Severity>,
    share: f64,
    readings: Vec<(String, Reading)>,
    bound: Option<Bound>,
    facts: F,
}

impl<F> Hit<F> {
    /// A pattern that is there, and neither worth a finding nor a lever so far.
    pub(in crate::analysis) fn new(code: Code, facts: F) -> Hit<F> {
        Hit { code, severity: None, share: 0.0, readings: Vec::new(), bound: None, facts }
    }

    /// Makes it a finding. `share` in percent ranks it: of the limiting part's work for a cause, of its own part's for a
    /// cost.
    pub(in crate::analysis) fn finding(
        self,
        severity: Severity,
        share: f64,
        readings: Vec<(String, Reading)>,
    ) -> Hit<F> {
        Hit { severity: Some(severity), share, readings, ..self }
    }

    /// Makes it a lever.
    pub(in crate::analysis) fn bound(self, bound: impl Into<Option<Bound>>) -> Hit<F> {
        Hit { bound: bound.into(), ..self }
    }
}

/// The largest part of the run time that removing a pattern could save.
pub(in crate::analysis) struct Bound {
    code: Option<Code>,
    percent: f64,
    is_rough: bool,
    formula: String,
    remeasure: String,
}

impl Bound {
    /// A bound in percent, how it is computed with the numbers, and the metric to read again after trying.
    pub(in crate::analysis) fn new(percent: f64, formula: String, remeasure: impl Into<String>) -> Bound {
        Bound { code: None, percent, is_rough: false, formula, remeasure: remeasure.into() }
    }

    /// The same where it rests on an assumption, which the formula names.
    pub(in crate::analysis) fn rough(self) -> Bound {
        Bound { is_rough: true, ..self }
    }

    /// The same under a code of its own.
    pub(in crate::analysis) fn coded(self, code: Code) -> Bound {
        Bound { code: Some(code), ..self }
    }
}

/// A hit as the page says it.
pub(in crate::analysis) struct Found {
    /// The finding, with where it stands.
    pub(in crate::analysis) finding: Option<(Finding, Sits)>,
    /// The lever.
    pub(in crate::analysis) lever: Option<Lever>,
}

/// A pattern whose facts are its own matter.
pub(in crate::analysis) trait Finds<G>: Sync {
    /// What is there of it.
    fn find(&self, ground: &G) -> Option<Found>;
}

impl<G, P: Pattern<G>> Finds<G> for P {
    fn find(&self, ground: &G) -> Option<Found> {
        let Hit { code, severity, share, readings, bound, facts } = P::detect(ground)?;
        let finding = severity
            .map(|severity| (Finding { code, severity, sentence: P::say(&facts), at: None, readings, share }, P::SITS));
        let lever = bound.map(|bound| Lever {
            code: LeverCode::Ours(bound.code.unwrap_or(code)),
            origin: LeverOrigin::Audit,
            bound: bound.percent,
            is_rough: bound.is_rough,
            formula: bound.formula,
            sentence: P::advise(&facts),
            remeasure: bound.remeasure,
        });
        Some(Found { finding, lever })
    }
}
