//! The first screen: what limits the kernel, what changed, what to do next.

use super::benchmark;
use super::document::{Block, Section};
use super::escape;
use super::hypotheses;
use super::page::Heading;
use super::source_lines;
use super::tables::{self, paragraph};
use crate::analysis::{Audit, Finding, LeverOrigin, Severity, Standing};
use crate::quantity::format;

/// The section.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    if audit.standing() == Standing::Wrong {
        let mut blocks = wrong(audit);
        blocks.push(paragraph("The tables below say what was measured while it computed that."));
        return Section { id: "verdict".into(), title: "Verdict".into(), blocks };
    }
    let mut blocks = vec![limit(audit)];
    blocks.extend(source_lines::limiting(audit));
    blocks.extend(findings(audit));
    blocks.extend(change(heading, audit));
    blocks.extend(hypotheses::summary(&audit.hypotheses).map(paragraph));
    blocks.extend(next(audit));
    let steps =
        audit.bottleneck.steps.iter().map(|s| format!("{} — {}", s.question, s.answer.to_marked())).collect::<Vec<_>>();
    if !steps.is_empty() {
        blocks.push(Block::Fold {
            summary: "How this verdict was reached".into(),
            blocks: vec![Block::List { ordered: true, items: steps }],
        });
    }
    Section { id: "verdict".into(), title: "Verdict".into(), blocks }
}

/// What stands in the place of a verdict on the performance of a kernel that computes something else.
pub(super) fn wrong(audit: &Audit) -> Vec<Block> {
    let items = audit.faults().iter().map(|fault| escape::text(fault)).collect();
    vec![
        paragraph(
            "**WRONG.** The kernel's results are wrong, so nothing is said of its performance: not what limits it, \
             not what changed, not what to do next.",
        ),
        Block::List { ordered: false, items },
    ]
}

/// What limits the kernel.
pub(super) fn limit(audit: &Audit) -> Block {
    let limiter = audit.bottleneck.limiter;
    let at = audit.findings.iter().find(|finding| finding.code == limiter).map(place).unwrap_or_default();
    // Behind a unit's sentence stands what its warps wait for; the line is that of the unit's work.
    let at =
        if audit.bottleneck.unit.is_some() { at.replacen(" At ", " Most of the unit's work is at ", 1) } else { at };
    paragraph(format!("**What limits it** (`{limiter}`). {}{at}", audit.bottleneck.sentence.to_marked()))
}

/// Findings shown beside the limiter, which has the first line.
const SHOWN: usize = 5;

/// ` At gemm.cu:12, inlined at :40.`, where the finding sits at a line.
fn place(finding: &Finding) -> String {
    let Some(at) = &finding.at else { return String::new() };
    let calls = source_lines::inlined(&at.file, &at.inlined_at);
    format!(" At {}{}.", escape::code(&format!("{}:{}", at.file, at.line)), escape::text(&calls))
}

/// The most severe findings, each with its code; causes of the limit are marked.
pub(super) fn findings(audit: &Audit) -> Vec<Block> {
    let item = |finding: &Finding| {
        let place = place(finding);
        let weight = match finding.severity {
            Severity::Limits => "explains the limit",
            Severity::Costs => "costs",
            Severity::Notes => "note",
        };
        format!("**`{}`** ({weight}). {}{place}", finding.code, finding.sentence.to_marked())
    };
    let is_limiter = |finding: &&Finding| finding.code == audit.bottleneck.limiter;
    let items: Vec<String> = audit.findings.iter().take(SHOWN).filter(|f| !is_limiter(f)).map(item).collect();
    if items.is_empty() {
        return Vec::new();
    }
    vec![paragraph("**What was found**, the most severe first."), Block::List { ordered: true, items }]
}

/// What changed: the verdict in one word with its reason, then the times and the limiter.
pub(super) fn change(heading: &Heading, audit: &Audit) -> Vec<Block> {
    let Some(comparison) = &audit.comparison else {
        let why = if heading.baseline.is_empty() { "No baseline was given." } else { &heading.baseline };
        return vec![paragraph(format!("**What changed:** **NOT MEASURED**. {}", escape::text(why)))];
    };
    let whole = &comparison.whole;
    let mut text = format!("**What changed:** **{}**. {}", whole.verdict, escape::text(&whole.reason));
    let perf = &audit.performance;
    if perf.time.change().is_some() {
        let (old, new) = tables::sides(&perf.time);
        let factor = match perf.speedup {
            Some(s) if s >= 1.0 => format!(", {} × the old speed", format::fixed(s, 2)),
            Some(s) => format!(", {} × slower", format::fixed(1.0 / s, 2)),
            None => String::new(),
        };
        let whose = if audit.timing.is_some() { "Time under ncu" } else { "Time" };
        text += &format!(" {whose}: {old} → {new}{factor} (`gpu__time_duration.sum`).");
    }
    text += &benchmark::change(audit);
    if let Some(old_limit) = &audit.old_bottleneck {
        if old_limit.limiter == audit.bottleneck.limiter {
            text += &format!(" The limiter is the same as before: `{}`.", old_limit.limiter);
        } else {
            text += &format!(" The limiter moved from `{}` to `{}`.", old_limit.limiter, audit.bottleneck.limiter);
        }
    }
    let mut blocks = vec![paragraph(text)];
    if !whole.cure.is_empty() {
        blocks.push(paragraph(format!("To decide it: {}", escape::text(&whole.cure))));
    }
    let acceptance = |one: &super::page::Acceptance| {
        let (verdict, date, reason) = (escape::text(&one.verdict), escape::text(&one.date), escape::text(&one.reason));
        paragraph(format!("**Accepted** as {verdict} on {date}: {reason}"))
    };
    blocks.extend(heading.accepted.iter().map(acceptance));
    blocks
}

/// The three largest levers of our own.
pub(super) fn next(audit: &Audit) -> Vec<Block> {
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
                "{} {} {} % of the run time; then read `{}` again.",
                l.sentence.to_marked(),
                if l.is_rough { "About" } else { "At most" },
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
