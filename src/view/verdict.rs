//! How the verdict was reached: the lines with most of the limiting work, every finding, the comparison in full, the walk.

use super::benchmark;
use super::document::{Block, Section};
use super::heading::Heading;
use super::reason::Reason;
use super::source_lines;
use super::spots;
use super::tables::{self, paragraph, steps};
use crate::analysis::{Audit, Finding, LimiterChange, Severity, Standing, Step, Verdict};
use crate::catalog::Code;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    const TITLE: &str = "How the verdict was reached";
    if audit.standing() == Standing::Wrong {
        let words = "The results are wrong: the tables below say what was measured while it computed that.";
        return Section::new("diagnosis", TITLE, vec![paragraph("wrong", words)]);
    }
    let mut blocks: Vec<Block> = source_lines::limiting(audit).into_iter().collect();
    blocks.extend(findings(audit));
    blocks.extend(change(heading, audit));
    if !audit.bottleneck.steps.is_empty() {
        let step = |step: &Step| match &step.held {
            Some((true, sentence)) => words!("{} — yes: {}", step.question, sentence),
            Some((false, sentence)) => words!("{} — not enough to limit: {}", step.question, sentence),
            None => words!("{} — no, or not measured (needs `{}`)", step.question, step.needs),
        };
        let walk = steps("how", audit.bottleneck.steps.iter().map(step));
        blocks.push(walk);
    }
    Section::new("diagnosis", TITLE, blocks)
}

/// Findings shown beside the limiter, which has the first line.
const SHOWN: usize = 5;

/// ` At gemm.cu:12, inlined at :40.`, where the finding sits at a line.
fn place(lead: &str, finding: &Finding) -> Words {
    let Some(at) = &finding.at else { return Words::default() };
    let calls = spots::inlined(&at.file, &at.inlined_at);
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
        let why = if heading.baseline.is_empty() {
            "No baseline was given, and there is no earlier audit."
        } else {
            &heading.baseline
        };
        return vec![paragraph("change", words!("**What changed:** **NOT MEASURED**. {}", why))];
    };
    let whole = &comparison.whole;
    let reason = Reason::of(audit);
    let why = reason.as_ref().map(Reason::why).unwrap_or_default();
    let mut said = words!("**What changed:** **{}**. {}", whole.verdict.word(), why);
    let perf = &audit.performance;
    if perf.time.change().is_some() {
        let (old, new) = tables::sides(&perf.time);
        let is_decided = matches!(whole.verdict, Verdict::Faster | Verdict::Slower);
        let factor = match perf.speedup.filter(|_| is_decided) {
            Some(s) if s >= 1.0 => format!(", {} × the old speed", format::fixed(s, 2)),
            Some(s) => format!(", {} × slower", format::fixed(1.0 / s, 2)),
            None => String::new(),
        };
        let whose = if audit.timing.is_some() { "Time under ncu" } else { "Time" };
        said.push(words!(" {}: {} → {}{} (`gpu__time_duration.sum`).", whose, old, new, factor));
    }
    said.push(benchmark::change(audit));
    said.push(limiter(audit));
    let mut blocks = vec![paragraph("change", said)];
    let cure = reason.as_ref().map(Reason::cure).filter(|cure| !cure.is_empty());
    blocks.extend(cure.map(|cure| paragraph("change", words!("To decide it: {}", cure))));
    let acceptance = |one: &super::heading::Acceptance| {
        paragraph("accepted", words!("**Accepted** as {} on {}: {}", &one.verdict, &one.date, &one.reason))
    };
    blocks.extend(heading.accepted.iter().map(acceptance));
    blocks
}

/// What became of the limiter, as far as both sides' metrics tell; a sentence with a space in front.
pub(super) fn limiter(audit: &Audit) -> Words {
    let Some((change, old)) = audit.limiter_change.zip(audit.old_bottleneck.as_ref()) else { return Words::default() };
    let (was, is) = (old.limiter.to_string(), audit.bottleneck.limiter.to_string());
    match change {
        LimiterChange::Same if old.limiter == Code::NotMeasured => Words::default(),
        LimiterChange::Same => words!(" The limiter is still `{}`.", is),
        LimiterChange::Moved => words!(" The limiter moved from `{}` to `{}`.", was, is),
        LimiterChange::Unknown => {
            words!(
                " The sides hold other metrics (`{}` before, `{}` now): whether the limiter moved is not measured.",
                was,
                is
            )
        }
    }
}
