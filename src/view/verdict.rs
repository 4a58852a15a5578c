//! The first screen: what limits the kernel, what changed, what to do next.

use super::document::{Block, Section};
use super::tables::{self, paragraph};
use crate::analysis::{Audit, Finding, LeverOrigin, Severity};
use crate::quantity::format;

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let mut blocks = vec![paragraph(format!(
        "**{}** (`{}`). {}",
        "What limits it", audit.bottleneck.limiter.0, audit.bottleneck.sentence
    ))];
    blocks.extend(findings(audit));
    blocks.extend(change(audit).map(paragraph));
    blocks.extend(next(audit));
    let steps = audit.bottleneck.steps.iter().map(|s| format!("{} — {}", s.question, s.answer)).collect::<Vec<_>>();
    if !steps.is_empty() {
        blocks.push(Block::Fold {
            summary: "How this verdict was reached".into(),
            blocks: vec![Block::List { ordered: true, items: steps }],
        });
    }
    Section { id: "verdict".into(), title: "Verdict".into(), blocks }
}

/// Findings shown beside the limiter, which has the first line.
const SHOWN: usize = 5;

/// The most severe findings, each with its code; causes of the limit are marked.
fn findings(audit: &Audit) -> Vec<Block> {
    let item = |finding: &Finding| {
        let place = finding.at.as_ref().map(|at| format!(" At `{}:{}`.", at.file, at.line)).unwrap_or_default();
        let weight = match finding.severity {
            Severity::Limits => "explains the limit",
            Severity::Costs => "costs",
            Severity::Notes => "note",
        };
        format!("**`{}`** ({weight}). {}{place}", finding.code, finding.sentence)
    };
    let is_limiter = |finding: &&Finding| finding.code == audit.bottleneck.limiter.0;
    let items: Vec<String> = audit.findings.iter().take(SHOWN).filter(|f| !is_limiter(f)).map(item).collect();
    if items.is_empty() {
        return Vec::new();
    }
    vec![paragraph("**What was found**, the most severe first."), Block::List { ordered: true, items }]
}

/// What changed, in one paragraph: time, cycles, the limiter.
fn change(audit: &Audit) -> Option<String> {
    audit.old.as_ref()?;
    let perf = &audit.performance;
    let (old, new) = tables::sides(&perf.time);
    let mut text = match perf.speedup {
        Some(s) => {
            let single = audit.new.launches.len() == 1 && audit.old.as_ref().is_some_and(|o| o.launches.len() == 1);
            let basis = if single { ", one launch on each side" } else { "" };
            let factor = if s >= 1.0 {
                format!("{} × the old speed", format::fixed(s, 2))
            } else {
                format!("{} × slower", format::fixed(1.0 / s, 2))
            };
            format!("**What changed.** {old} → {new}: {factor} (`gpu__time_duration.sum`{basis})")
        }
        None => "**What changed.** The time of the two sides cannot be compared: a duration is missing".into(),
    };
    if let Some(c) = perf.cycles.change() {
        text += &format!(", {} in cycles", format::change(c.old, c.new));
    }
    text.push('.');
    let old_limit = audit.old_bottleneck.as_ref()?;
    if old_limit.limiter == audit.bottleneck.limiter {
        text += &format!(" The limiter is the same as before: `{}`.", old_limit.limiter.0);
    } else {
        text += &format!(" The limiter moved from `{}` to `{}`.", old_limit.limiter.0, audit.bottleneck.limiter.0);
    }
    Some(text)
}

/// The three largest levers of our own.
fn next(audit: &Audit) -> Vec<Block> {
    let ours: Vec<_> = audit.levers.iter().filter(|l| l.origin == LeverOrigin::Audit).take(3).collect();
    if ours.is_empty() {
        return vec![paragraph(
            "**What next.** No lever that this evidence supports has a bound of one percent or more.",
        )];
    }
    let items = ours
        .iter()
        .map(|l| {
            format!(
                "{} At most {} % of the run time; then read `{}` again.",
                l.sentence,
                format::fixed(l.bound, 1),
                l.remeasure
            )
        })
        .collect();
    vec![
        paragraph("**What next**, by upper bound. Bounds overlap and are never added up."),
        Block::List { ordered: true, items },
    ]
}
