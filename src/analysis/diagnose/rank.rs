//! The diagnosis: the walk, then every pattern; what caps levers, which say the same, and the order of both.

use super::bottleneck::{Bottleneck, bottleneck};
use super::finding::{Finding, Severity};
use super::ground::{Ground, Kernel};
use super::lever::{Lever, LeverCode, nvidia};
use super::patterns::{PATTERNS, is_spent};
use crate::analysis::lines::{Place, Sits, SourceLines};
use crate::catalog::{Code, Threshold};
use crate::quantity::format::percent;

/// What is concluded of one kernel.
pub(in crate::analysis) struct Diagnosis {
    /// What limits it.
    pub(in crate::analysis) bottleneck: Bottleneck,
    /// What was found, the most severe first.
    pub(in crate::analysis) findings: Vec<Finding>,
    /// What could be tried, ours by bound, then NVIDIA's.
    pub(in crate::analysis) levers: Vec<Lever>,
    /// Costs by source line; `None` without counts by instruction.
    pub(in crate::analysis) lines: Option<SourceLines>,
}

/// Bounds closer than this read the same on the page, in percentage points.
const SAME_BOUND: f64 = 0.05;

/// Diagnoses a kernel. `lines` gives its costs by source line, where the report counts by instruction, once it is known
/// what limits.
pub(in crate::analysis) fn diagnose(
    kernel: &Kernel<'_, '_>,
    lines: impl FnOnce(Code) -> Option<SourceLines>,
) -> Diagnosis {
    let bottleneck = bottleneck(kernel);
    let lines = lines(bottleneck.limiter);
    let ground = Ground { of: kernel, bottleneck: &bottleneck };
    let found: Vec<_> = PATTERNS.iter().filter_map(|pattern| pattern.find(&ground)).collect();
    let (findings, levers): (Vec<_>, Vec<_>) = found.into_iter().map(|found| (found.finding, found.lever)).unzip();
    let findings =
        ranked(&bottleneck, findings.into_iter().flatten(), |sits| lines.as_ref()?.place(sits, bottleneck.limiter));
    let levers = levers_of(&ground, levers.into_iter().flatten());
    Diagnosis { bottleneck, findings, levers, lines }
}

/// Each finding with its place, the limiter among them, the most severe first.
///
/// Within a severity the larger share goes first, except that the limiter follows its causes: a pattern that makes the
/// limiting part's work is the thing to change, the part only says where it shows.
fn ranked(
    bottleneck: &Bottleneck,
    found: impl Iterator<Item = (Finding, Sits)>,
    place: impl Fn(Sits) -> Option<Place>,
) -> Vec<Finding> {
    let limiter = Finding {
        code: bottleneck.limiter,
        severity: Severity::Limits,
        sentence: bottleneck.sentence.clone(),
        at: None,
        readings: bottleneck.readings(),
        share: 0.0,
    };
    let placed = |(finding, sits): (Finding, Sits)| Finding { at: place(sits), ..finding };
    let mut all: Vec<Finding> = std::iter::once((limiter, Sits::Limiter)).chain(found).map(placed).collect();
    let is_limiter = |finding: &Finding| finding.code == bottleneck.limiter;
    all.sort_by(|a, b| {
        let (a_last, b_last) = (is_limiter(a), is_limiter(b));
        a.severity.cmp(&b.severity).then(a_last.cmp(&b_last)).then(b.share.total_cmp(&a.share))
    });
    // A limit without a line of its own sits where its cause does.
    let cause = all.first().filter(|first| first.severity == Severity::Limits).and_then(|first| first.at.clone());
    if let Some(limiter) = all.iter_mut().find(|finding| is_limiter(finding) && finding.at.is_none()) {
        limiter.at = cause;
    }
    all
}

/// All levers, ours by bound, then NVIDIA's by bound.
fn levers_of(ground: &Ground<'_, '_>, levers: impl Iterator<Item = Lever>) -> Vec<Lever> {
    let floor = ground.floor();
    let capped = |lever: Lever| match &floor {
        Some(floor) if floor.most < lever.bound => Lever {
            bound: floor.most,
            is_rough: false,
            formula: format!(
                "{}, and no more than {}: the bytes that {} at DRAM's peak",
                lever.formula,
                percent(floor.most),
                if floor.moved < floor.stated { "it moved" } else { "the work needs" }
            ),
            ..lever
        },
        _ => lever,
    };
    let least = ground.limits[Threshold::LeverLeast];
    let mut ours: Vec<Lever> = levers.map(capped).filter(|lever| lever.bound >= least).collect();
    if !is_spent(ground) {
        let is_headroom = |lever: &Lever| lever.code == LeverCode::Ours(Code::UnitHeadroom);
        let bounds: Vec<f64> = ours.iter().filter(|lever| !is_headroom(lever)).map(|lever| lever.bound).collect();
        let is_said = |lever: &Lever| bounds.iter().any(|bound| (bound - lever.bound).abs() < SAME_BOUND);
        ours.retain(|lever| !is_headroom(lever) || !is_said(lever));
    }
    ours.sort_by(|a, b| b.bound.total_cmp(&a.bound));
    ours.extend(nvidia(ground.kernel, ground.limits));
    ours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Part;
    use crate::words;

    #[test]
    fn a_limit_follows_its_cause_and_without_a_line_sits_where_that_sits() {
        let finding = |code, severity, share| Finding {
            code,
            severity,
            sentence: words!("It is so."),
            at: None,
            readings: Vec::new(),
            share,
        };
        let bottleneck = Bottleneck {
            limiter: Code::Unit(Part::MemoryDram),
            sentence: words!("DRAM limits it."),
            steps: Vec::new(),
            unit: None,
            next: None,
        };
        let place = Place { file: "copy.cu".into(), line: 24, inlined_at: Vec::new() };
        let found = [
            (finding(Code::Divergence, Severity::Costs, 40.0), Sits::Nowhere),
            (finding(Code::UncoalescedGlobalAccess, Severity::Limits, 50.0), Sits::GlobalAccesses),
            (finding(Code::LaunchShort, Severity::Notes, 0.0), Sits::Nowhere),
            (finding(Code::BarrierWait, Severity::Costs, 60.0), Sits::Nowhere),
        ];
        let ranked =
            ranked(&bottleneck, found.into_iter(), |sits| (sits == Sits::GlobalAccesses).then(|| place.clone()));
        let codes: Vec<Code> = ranked.iter().map(|finding| finding.code).collect();
        let limiter = Code::Unit(Part::MemoryDram);
        let order = [Code::UncoalescedGlobalAccess, limiter, Code::BarrierWait, Code::Divergence, Code::LaunchShort];
        assert_eq!(codes, order);
        assert_eq!(ranked[1].at, Some(place));
        assert!(ranked[2..].iter().all(|finding| finding.at.is_none()));
    }
}
