//! The diagnosis: the verdict, everything found beside it, and what could be done.

use super::finding::{Finding, Severity};
use super::kernel::Kernel;
use super::lever::{Lever, nvidia};
use super::levers::{at_the_roof, levers, ruled_out};
use super::measures::Measures;
use super::patterns::PATTERNS;
use super::rules::{At, Held};
use super::verdict::{Bottleneck, Judged, judge};
use crate::analysis::lines::{Place, SourceLines};
use crate::catalog::Code;

/// What is concluded of one kernel.
pub(in crate::analysis) struct Diagnosis {
    /// What limits it.
    pub(in crate::analysis) bottleneck: Bottleneck,
    /// What was found, the most severe first.
    pub(in crate::analysis) findings: Vec<Finding>,
    /// What could be tried, ours by ceiling, then NVIDIA's.
    pub(in crate::analysis) levers: Vec<Lever>,
    /// Costs by source line; `None` without counts by instruction.
    pub(in crate::analysis) lines: Option<SourceLines>,
}

/// Diagnoses a kernel. `lines` gives its costs by source line, where the report counts by instruction, once it is known
/// what limits.
pub(in crate::analysis) fn diagnose(
    kernel: &Kernel<'_, '_>,
    lines: impl FnOnce(Code) -> Option<SourceLines>,
) -> Diagnosis {
    let measures = Measures::of(kernel);
    let Judged { mut bottleneck, at, others } = judge(&measures);
    let lines = lines(bottleneck.limiter);
    let mut all = levers(&measures, bottleneck.limiter);
    bottleneck.roof = at_the_roof(&measures, bottleneck.limiter, &all);
    bottleneck.ruled_out = ruled_out(&measures, &all);
    all.extend(nvidia(kernel.kernel, kernel.limits));
    let patterns = PATTERNS.iter().filter_map(|pattern| pattern(kernel, bottleneck.limiter));
    let patterns = patterns.filter(|(finding, _)| finding.code != bottleneck.limiter);
    let patterns = patterns.map(|(finding, sits)| (finding, At::Line(sits)));
    let found = others.into_iter().map(finding).chain(patterns);
    let place = |at: At| match at {
        At::Place(place) => Some(place),
        At::Line(sits) => lines.as_ref()?.place(sits, bottleneck.limiter),
    };
    let findings = ranked(&bottleneck, at, found, place);
    Diagnosis { bottleneck, findings, levers: all, lines }
}

fn finding(held: Held) -> (Finding, At) {
    let Held { code, beside, sentence, readings, share, at, .. } = held;
    (Finding { code, severity: beside, sentence, at: None, readings, share }, at)
}

/// Each finding with its place: the limit, then the rest, the most severe first and within that the largest share.
fn ranked(
    bottleneck: &Bottleneck,
    at: At,
    found: impl Iterator<Item = (Finding, At)>,
    place: impl Fn(At) -> Option<Place>,
) -> Vec<Finding> {
    let limiter = Finding {
        code: bottleneck.limiter,
        severity: Severity::Limits,
        sentence: bottleneck.sentence.clone(),
        at: place(at),
        readings: bottleneck.readings(),
        share: 100.0,
    };
    let placed = |(finding, at): (Finding, At)| {
        let severity = finding.severity.max(Severity::Costs);
        Finding { at: place(at), severity, ..finding }
    };
    let mut rest: Vec<Finding> = found.map(placed).collect();
    rest.sort_by(|a, b| a.severity.cmp(&b.severity).then(b.share.total_cmp(&a.share)));
    std::iter::once(limiter).chain(rest).collect()
}
