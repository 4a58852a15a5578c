//! The first screen: what limits the kernel, what changed, what to do next.

use super::benchmark;
use super::document::{Block, Section};
use super::hypotheses;
use super::page::Heading;
use super::source_lines;
use super::tables::{self, fold, list, paragraph, steps};
use crate::analysis::{Audit, Finding, LeverOrigin, Severity, Standing};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The section.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    if audit.standing() == Standing::Wrong {
        let mut blocks = wrong(audit);
        blocks.push(paragraph("wrong", "The tables below say what was measured while it computed that."));
        return Section::new("verdict", "Verdict", blocks);
    }
    let mut blocks = vec![limit(audit)];
    blocks.extend(source_lines::limiting(audit));
    blocks.extend(findings(audit));
    blocks.extend(change(heading, audit));
    blocks.extend(hypotheses::summary(&audit.hypotheses).map(|words| paragraph("hypotheses", words)));
    blocks.extend(next(audit));
    if !audit.bottleneck.steps.is_empty() {
        let step = |step: &crate::analysis::Step| words!("{} — {}", &step.question, &step.answer);
        let walk = steps("how", audit.bottleneck.steps.iter().map(step));
        blocks.push(fold("how", "How this verdict was reached", vec![walk]));
    }
    Section::new("verdict", "Verdict", blocks)
}

/// What stands in the place of a verdict on the performance of a kernel that computes something else.
pub(super) fn wrong(audit: &Audit) -> Vec<Block> {
    let words = words!(
        "**WRONG.** The kernel's results are wrong, so nothing is said of its performance: not what limits it, not what \
         changed, not what to do next."
    );
    vec![paragraph("wrong", words), list("wrong", audit.faults())]
}

/// What limits the kernel.
pub(super) fn limit(audit: &Audit) -> Block {
    let limiter = audit.bottleneck.limiter;
    // Behind a unit's sentence stands what its warps wait for; the line is that of the unit's work.
    let lead = if audit.bottleneck.unit.is_some() { " Most of the unit's work is at " } else { " At " };
    let at = audit.findings.iter().find(|finding| finding.code == limiter);
    let at = at.map(|finding| place(lead, finding)).unwrap_or_default();
    paragraph("limit", words!("**What limits it** (`{}`). {}{}", limiter.to_string(), &audit.bottleneck.sentence, at))
}

/// Findings shown beside the limiter, which has the first line.
const SHOWN: usize = 5;

/// ` At gemm.cu:12, inlined at :40.`, where the finding sits at a line.
fn place(lead: &str, finding: &Finding) -> Words {
    let Some(at) = &finding.at else { return Words::default() };
    let calls = source_lines::inlined(&at.file, &at.inlined_at);
    words!("{}`{}:{}`{}.", lead, &at.file, at.line.to_string(), calls)
}

/// The most severe findings, each with its code; causes of the limit are marked.
pub(super) fn findings(audit: &Audit) -> Vec<Block> {
    let item = |finding: &Finding| {
        let place = place(" At ", finding);
        let weight = match finding.severity {
            Severity::Limits => "explains the limit",
            Severity::Costs => "costs",
            Severity::Notes => "note",
        };
        words!("**`{}`** ({}). {}{}", finding.code.to_string(), weight, &finding.sentence, place)
    };
    let is_limiter = |finding: &&Finding| finding.code == audit.bottleneck.limiter;
    let items: Vec<Words> = audit.findings.iter().take(SHOWN).filter(|f| !is_limiter(f)).map(item).collect();
    if items.is_empty() {
        return Vec::new();
    }
    vec![paragraph("findings", words!("**What was found**, the most severe first.")), steps("findings", items)]
}

/// What changed: the verdict in one word with its reason, then the times and the limiter.
pub(super) fn change(heading: &Heading, audit: &Audit) -> Vec<Block> {
    let Some(comparison) = &audit.comparison else {
        let why = if heading.baseline.is_empty() { "No baseline was given." } else { &heading.baseline };
        return vec![paragraph("change", words!("**What changed:** **NOT MEASURED**. {}", why))];
    };
    let whole = &comparison.whole;
    let mut said = words!("**What changed:** **{}**. {}", whole.verdict.word(), &whole.reason);
    let perf = &audit.performance;
    if perf.time.change().is_some() {
        let (old, new) = tables::sides(&perf.time);
        let factor = match perf.speedup {
            Some(s) if s >= 1.0 => format!(", {} × the old speed", format::fixed(s, 2)),
            Some(s) => format!(", {} × slower", format::fixed(1.0 / s, 2)),
            None => String::new(),
        };
        let whose = if audit.timing.is_some() { "Time under ncu" } else { "Time" };
        said.push(words!(" {}: {} → {}{} (`gpu__time_duration.sum`).", whose, old, new, factor));
    }
    said.push(benchmark::change(audit));
    if let Some(old_limit) = &audit.old_bottleneck {
        if old_limit.limiter == audit.bottleneck.limiter {
            said.push(words!(" The limiter is the same as before: `{}`.", old_limit.limiter.to_string()));
        } else {
            let (old, new) = (old_limit.limiter.to_string(), audit.bottleneck.limiter.to_string());
            said.push(words!(" The limiter moved from `{}` to `{}`.", old, new));
        }
    }
    let mut blocks = vec![paragraph("change", said)];
    if !whole.cure.is_empty() {
        blocks.push(paragraph("change", words!("To decide it: {}", &whole.cure)));
    }
    let acceptance = |one: &super::page::Acceptance| {
        paragraph("accepted", words!("**Accepted** as {} on {}: {}", &one.verdict, &one.date, &one.reason))
    };
    blocks.extend(heading.accepted.iter().map(acceptance));
    blocks
}

/// The three largest levers of our own.
pub(super) fn next(audit: &Audit) -> Vec<Block> {
    let ours: Vec<_> = audit.levers.iter().filter(|l| l.origin == LeverOrigin::Audit).take(3).collect();
    if ours.is_empty() {
        let words = words!("**What next.** No lever that this evidence supports has a bound of one percent or more.");
        return vec![paragraph("next", words)];
    }
    let items = ours.iter().map(|lever| {
        words!(
            "{} {} {} % of the run time; then read `{}` again.",
            &lever.sentence,
            if lever.is_rough { "About" } else { "At most" },
            format::fixed(lever.bound, 1),
            &lever.remeasure
        )
    });
    let words = words!("**What next**, by upper bound. Bounds overlap and are never added up.");
    vec![paragraph("next", words), steps("next", items)]
}
