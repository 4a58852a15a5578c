//! What a pattern found, and where.

use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::level::Unit;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::{Place, Sits};
use crate::analysis::phases::{Point, Span, point};
use crate::catalog::{Code, Threshold};
use crate::evidence::Reading;
use crate::words::Words;
use cuda_binary::Op;

/// Where a rule points.
#[derive(Clone, Debug)]
pub(in crate::analysis::diagnose) enum At {
    /// At what lines cost.
    Line(Sits),
    /// At one place.
    Place(Place),
    /// At none: how it is launched.
    Launch,
}

impl At {
    /// The first line of a phase; nowhere without one.
    pub(super) fn span(span: &Span) -> At {
        match span.first {
            0 => At::Line(Sits::Nowhere),
            line => At::Place(Place { file: span.file.clone(), line, inlined_at: Vec::new() }),
        }
    }

    /// The instruction of this kind that is executed the most.
    pub(super) fn most(m: &Measures<'_, '_>, is_meant: impl Fn(Op) -> bool) -> At {
        let found = || {
            let study = m.study?;
            let rows = (0..study.code.rows.len()).filter(|row| is_meant(study.code.op(*row)));
            let most = rows.max_by_key(|row| (study.code.executed[*row], std::cmp::Reverse(*row)))?;
            Some(At::point(&point(study, most)))
        };
        found().unwrap_or(At::Line(Sits::Nowhere))
    }

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
