//! What a pattern found, and where.

use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::level::Unit;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::{Place, Sits};
use crate::analysis::phases::Point;
use crate::catalog::{Code, Threshold};
use crate::evidence::Reading;
use crate::words::Words;

/// Where a rule points.
#[derive(Clone, Debug)]
pub(in crate::analysis::diagnose) enum At {
    /// At what lines cost.
    Line(Sits),
    /// At one place.
    Place(Place),
}

impl At {
    /// The line of an instruction; nowhere without one.
    pub(super) fn point(point: &Point) -> At {
        if point.line == 0 {
            return At::Line(Sits::Nowhere);
        }
        let inlined_at = point.call.iter().map(|line| format!("{}:{line}", point.file)).collect();
        At::Place(Place { file: point.file.clone(), line: point.line, inlined_at })
    }
}

/// What a rule found.
#[derive(Clone, Debug)]
pub(in crate::analysis::diagnose) struct Held {
    pub(in crate::analysis::diagnose) code: Code,
    /// Whether it is large enough to be named; where it does not limit, with this weight.
    pub(in crate::analysis::diagnose) holds: bool,
    pub(in crate::analysis::diagnose) beside: Severity,
    /// One sentence with the numbers.
    pub(in crate::analysis::diagnose) sentence: Words,
    pub(in crate::analysis::diagnose) at: At,
    /// What it weighs, in percent, among those beside the limit.
    pub(in crate::analysis::diagnose) share: f64,
    pub(in crate::analysis::diagnose) readings: Vec<(String, Reading)>,
    /// The unit that limits.
    pub(in crate::analysis::diagnose) unit: Option<Unit>,
}

impl Held {
    /// `value` reached `least`, both in percent.
    pub(super) fn new(code: Code, value: f64, least: f64, sentence: Words) -> Held {
        Held {
            code,
            holds: value >= least,
            beside: Severity::Costs,
            sentence,
            at: At::Line(Sits::Nowhere),
            share: value,
            readings: Vec::new(),
            unit: None,
        }
    }

    /// Something that limits nothing: it costs, or is worth knowing.
    pub(super) fn remark(m: &Measures<'_, '_>, code: Code, share: f64, sentence: Words) -> Held {
        let held = Held::new(code, share, 0.0, sentence);
        if share >= m.limits[Threshold::CostShare] { held } else { held.noted() }
    }

    pub(super) fn at(self, at: At) -> Held {
        Held { at, ..self }
    }

    pub(super) fn from(self, readings: Vec<(String, Reading)>) -> Held {
        Held { readings, ..self }
    }

    /// The same where a further condition must hold.
    pub(super) fn only_if(self, condition: bool) -> Held {
        Held { holds: self.holds && condition, ..self }
    }

    /// A remark where it does not limit.
    pub(super) fn noted(self) -> Held {
        Held { beside: Severity::Notes, ..self }
    }
}
