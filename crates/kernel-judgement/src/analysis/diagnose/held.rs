//! What a pattern found, and where.

use super::finding::Severity;
use super::level::Unit;
use super::measures::Measures;
use crate::analysis::derive::coalescing::{WAVEFRONTS, WAVEFRONTS_IDEAL};
use crate::analysis::lines::Place;
use crate::analysis::phases::{Point, Span, Study, point};
use crate::catalog::{Code, StallReason, Threshold};
use crate::evidence::Reading;
pub(super) use crate::quantity::glance::{count, share, whole};
use crate::words::Words;
use cuda_binary::Op;

/// Where a rule points.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum At {
    Place(Place),
    /// At the line that makes most of the limiting part's work.
    Limiter,
    /// At the instruction of this offset, which has no line.
    Offset(u64),
    /// In how it is built.
    Build,
    /// In how it is launched.
    Launch,
    /// At none that is known.
    Nowhere,
}

impl At {
    /// The first line of a phase; nowhere without one.
    pub(super) fn span(span: &Span) -> At {
        match span.first {
            0 => At::Nowhere,
            line => At::Place(Place { file: span.file.clone(), line, inlined_at: Vec::new() }),
        }
    }

    /// The line that executes the most instructions of this kind.
    pub(super) fn most(m: &Measures<'_>, is_meant: impl Fn(Op) -> bool) -> At {
        At::executed(m, |study, row| is_meant(study.code.op(row))).map_or(At::Nowhere, |(at, _)| at)
    }

    /// The same of rows, with the part of those executions, 0 to 1, of each line that is known, the largest first.
    pub(super) fn executed(m: &Measures<'_>, is_meant: impl Fn(&Study<'_>, usize) -> bool) -> Option<(At, Vec<f64>)> {
        At::of_all(m, |study, row| if is_meant(study, row) { study.code.executed[row] } else { 0 })
    }

    /// The line whose instructions weigh the most, the first of equal ones; nowhere where all weigh nothing.
    pub(super) fn heaviest(m: &Measures<'_>, weight: impl Fn(&Study<'_>, usize) -> u64) -> At {
        At::of_all(m, weight).map_or(At::Nowhere, |(at, _)| at)
    }

    /// The same with the part of all that weighs, 0 to 1, of each line that is known, the largest first.
    fn of_all(m: &Measures<'_>, weight: impl Fn(&Study<'_>, usize) -> u64) -> Option<(At, Vec<f64>)> {
        let study = m.study?;
        let mut lines: Vec<(Point, u64)> = Vec::new();
        let weights = (0..study.code.rows.len()).map(|row| (row, weight(study, row)));
        for (row, weight) in weights.filter(|(_, weight)| *weight > 0) {
            let own = point(study, row);
            match lines.iter_mut().find(|(line, _)| own.line > 0 && line.is_on_line_of(&own)) {
                Some((_, all)) => *all += weight,
                None => lines.push((own, weight)),
            }
        }
        let all: u64 = lines.iter().map(|(_, weight)| weight).sum();
        let has_lines = lines.iter().any(|(own, _)| own.line > 0);
        lines.retain(|(own, _)| own.line > 0 || !has_lines);
        lines.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        let parts = lines.iter().map(|(_, weight)| *weight as f64 / all as f64).collect();
        lines.first().map(|(line, _)| (At::point(line), parts))
    }

    /// The line with the most wavefronts of shared memory beyond those that its words need.
    pub(super) fn conflicts(m: &Measures<'_>) -> At {
        At::heaviest(m, |study, row| {
            let all = study.view.counts(WAVEFRONTS).zip(study.view.counts(WAVEFRONTS_IDEAL));
            all.map_or(0, |(all, ideal)| all[row].saturating_sub(ideal[row]))
        })
    }

    /// What is waited for the most for a reason, by its cause where one is known.
    pub(super) fn waits(m: &Measures<'_>, reason: StallReason) -> At {
        let name: &str = reason.into();
        // Waits at a barrier are samples of the barrier already.
        let study = m.study.filter(|_| reason != StallReason::Barrier);
        let causes = study.map(|study| study.samples.at_causes(name)).unwrap_or_default();
        let is_traced = causes.iter().any(|samples| *samples > 0);
        At::heaviest(m, |study, row| if is_traced { causes[row] } else { study.samples.of_reason(name, &[row]) })
    }

    /// The same of a row.
    pub(super) fn row(study: &Study<'_>, row: usize) -> At {
        At::point(&point(study, row))
    }

    /// The line of an instruction, its offset without one.
    pub(super) fn point(point: &Point) -> At {
        if point.line == 0 {
            return At::Offset(point.offset);
        }
        let inlined_at = point.call.iter().map(|call| call.beside("")).collect();
        At::Place(Place { file: point.file.clone(), line: point.line, inlined_at })
    }
}

/// What a rule found.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) code: Code,
    /// Whether it is large enough to be named; where it does not limit, with this weight.
    pub(super) holds: bool,
    pub(super) beside: Severity,
    /// One sentence with the numbers.
    pub(super) sentence: Words,
    pub(super) at: At,
    /// What it weighs, in percent, among those beside the limit.
    pub(super) share: f64,
    pub(super) readings: Vec<(String, Reading)>,
    /// The unit that limits.
    pub(super) unit: Option<Unit>,
}

impl Held {
    /// `value` reached `least`, both in percent.
    pub(super) fn new(code: Code, value: f64, least: f64, sentence: Words) -> Held {
        Held {
            code,
            holds: value >= least,
            beside: Severity::Costs,
            sentence,
            at: At::Nowhere,
            share: value,
            readings: Vec::new(),
            unit: None,
        }
    }

    /// A part of the chip: `value` of its time reached `least`, both in percent.
    pub(super) fn of_unit(m: &Measures<'_>, unit: &Unit, value: f64, least: f64, sentence: Words) -> Held {
        let held = Held::new(Code::Unit(unit.part), value, least, sentence).at(At::Limiter);
        Held { unit: Some(unit.clone()), ..held.from(m.readings(&[&unit.counter])) }
    }

    /// Where a wait sits, with its counter and others that have a number.
    pub(super) fn of_wait(self, m: &Measures<'_>, reason: StallReason, others: &[&str]) -> Held {
        let own = reason.per_issue();
        self.at(At::waits(m, reason)).from(m.held(&[&[own.as_str()], others].concat()))
    }

    /// Something that limits nothing: it costs, or is worth knowing.
    pub(super) fn remark(m: &Measures<'_>, code: Code, share: f64, sentence: Words) -> Held {
        let held = Held::new(code, share, 0.0, sentence);
        if share >= m.limits[Threshold::CostShare] { held } else { held.noted() }
    }

    pub(super) fn at(self, at: At) -> Held {
        Held { at, ..self }
    }

    pub(super) fn from(self, readings: Vec<(String, Reading)>) -> Held {
        Held { readings, ..self }
    }

    /// Nothing where it is not large enough.
    pub(super) fn if_large(self) -> Option<Held> {
        self.holds.then_some(self)
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
