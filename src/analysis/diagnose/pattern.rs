//! What a pattern is: how it is detected in some evidence, and how it is said.

use super::finding::{Finding, Severity};
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

    /// Whether it is there, and how much it matters.
    fn detect(ground: &G) -> Option<Hit<Self::Facts>>;

    /// The sentence of the finding.
    fn say(facts: &Self::Facts) -> Words;
}

/// A pattern that was detected.
pub(in crate::analysis) struct Hit<F> {
    code: Code,
    severity: Severity,
    share: f64,
    readings: Vec<(String, Reading)>,
    facts: F,
}

impl<F> Hit<F> {
    /// A pattern that is there, as a remark.
    pub(in crate::analysis) fn new(code: Code, facts: F) -> Hit<F> {
        Hit { code, severity: Severity::Notes, share: 0.0, readings: Vec::new(), facts }
    }

    /// How much it matters. `share` in percent ranks it: of the limiting part's work for a cause, of its own part's for a
    /// cost.
    pub(in crate::analysis) fn finding(
        self,
        severity: Severity,
        share: f64,
        readings: Vec<(String, Reading)>,
    ) -> Hit<F> {
        Hit { severity, share, readings, ..self }
    }
}

/// A pattern whose facts are its own matter.
pub(in crate::analysis) trait Finds<G>: Sync {
    /// What is there of it, and where it stands.
    fn find(&self, ground: &G) -> Option<(Finding, Sits)>;
}

impl<G, P: Pattern<G>> Finds<G> for P {
    fn find(&self, ground: &G) -> Option<(Finding, Sits)> {
        let Hit { code, severity, share, readings, facts } = P::detect(ground)?;
        Some((Finding { code, severity, sentence: P::say(&facts), at: None, readings, share }, P::SITS))
    }
}
