//! What limits the kernel, how sure that is, and what stands beside it; in full, how that was found.

use super::{hypotheses, lifetime, places, power};
use crate::analysis::phases::{Phase, PhaseKind};
use crate::analysis::{Audit, Because, Bottleneck, Examined, Finding, Level, Severity, Standing, Step, Unit};
use crate::catalog::{Code, Part, limiter_label};
use crate::quantity::format;
use crate::quantity::glance::{amount, share};
use crate::view::document::{Block, Section};
use crate::view::faults::faults;
use crate::view::tables::{fold, list, paragraph, steps};
use crate::view::{over_time, source_lines, spots};
use crate::words::{Words, words};

/// Findings beside the limiter.
const SHOWN: usize = 2;
/// Points under which two limits are level.
const LEVEL: f64 = 0.05;

pub(super) fn section(audit: &Audit) -> Section {
    let blocks = if audit.standing() == Standing::Wrong { wrong(audit) } else { limits(audit) };
    Section::new("verdict", "Verdict", blocks)
}

/// What stands in the place of a verdict on the performance of a kernel that computes something else.
fn wrong(audit: &Audit) -> Vec<Block> {
    vec![
        paragraph(
            "wrong",
            words!(
                "**WRONG.** The results are wrong, so this page says nothing about performance: not what limits the kernel, not what changed, not what to do next."
            ),
        ),
        list("faults", faults(audit)),
    ]
}

fn limits(audit: &Audit) -> Vec<Block> {
    let bottleneck = &audit.now.bottleneck;
    let limit = audit.now.findings.iter().find(|finding| finding.code == bottleneck.limiter);
    let at = limit.filter(|limit| !is_told(&bottleneck.sentence, limit)).and_then(place);
    let lead = if bottleneck.unit.is_some() { "Most of its work is at" } else { "At" };
    let at = at.map_or_else(Words::default, |place| words!(" {} {}.", lead, place));
    let mut blocks = vec![paragraph(
        "limiter",
        words!("**{}**{}. {}{}", limiter_label(bottleneck.limiter), coded(bottleneck), &bottleneck.sentence, at),
    )];
    let mut items: Vec<Words> = unfed(audit).into_iter().chain(over_time::beside_verdict(audit)).collect();
    items.extend(lifetime::sentences(audit));
    items.extend(beside(audit).map(finding));
    items.push(confidence(&audit.now));
    items.extend(power::cap(audit));
    items.extend(hypotheses::summary(&audit.hypotheses));
    blocks.push(list("beside", items));
    blocks
}

/// The findings that stand beside the limiter. A wait that the verdict itself names as what it causes is told there.
fn beside(audit: &Audit) -> impl Iterator<Item = &Finding> {
    let (limiter, of) = (audit.now.bottleneck.limiter, audit.now.bottleneck.of);
    let said = audit.now.bottleneck.sentence.to_plain();
    let is_said = move |code: Code| matches!(code, Code::Wait(reason) if of == Some(code) && reason.row().is_some_and(|row| said.contains(row.label)));
    let others = audit.now.findings.iter();
    let others = others.filter(move |finding| finding.code != limiter && !is_said(finding.code));
    others.filter(|finding| finding.severity != Severity::Notes).take(SHOWN)
}

/// What the section leaves out: the lines with most of the limiting work, the other findings, and every question that was asked.
/// `None` of wrong results.
pub(in crate::view) fn in_full(audit: &Audit) -> Option<Section> {
    let bottleneck = &audit.now.bottleneck;
    let mut blocks: Vec<Block> = source_lines::limiting(audit);
    let is_told = |one: &&Finding| one.code == bottleneck.limiter || beside(audit).any(|told| told.code == one.code);
    let found: Vec<Words> = audit.now.findings.iter().filter(|one| !is_told(one)).map(weighed).collect();
    blocks.extend((!found.is_empty()).then(|| list("findings", found)));
    let (held, silent): (Vec<&Step>, Vec<&Step>) = bottleneck.steps.iter().partition(|step| step.held.is_some());
    let answered = held.into_iter().filter_map(|step| {
        let (is_limit, sentence) = step.held.as_ref()?;
        let answer = if *is_limit { "yes" } else { "not enough to limit" };
        Some(words!("{} — {}: {}", step.question, answer, sentence))
    });
    let answered: Vec<Words> = answered.collect();
    blocks.extend((!answered.is_empty()).then(|| steps("how", answered)));
    if !silent.is_empty() {
        let answer = |step: &Step| match step.lacks {
            Some(lacks) => words!("{} — not measured: needs {}", step.question, lacks),
            None => words!("{} — no", step.question),
        };
        let missing = silent.iter().filter(|step| step.lacks.is_some()).count();
        let summary = format!("Without a finding: {} no, {missing} not measured", silent.len() - missing);
        let asked = silent.into_iter().map(answer);
        blocks.push(fold("how", summary, vec![list("how", asked)]));
    }
    let is_right = audit.standing() != Standing::Wrong && !blocks.is_empty();
    is_right.then(|| Section::new("diagnosis", "How the verdict was reached", blocks))
}

/// A finding with its weight, and the calls that its line was inlined at.
fn weighed(finding: &Finding) -> Words {
    let weight = match finding.severity {
        Severity::Limits => "explains the limit",
        Severity::Costs => "costs",
        Severity::Notes => "note",
    };
    let at = finding
        .at
        .as_ref()
        .map_or_else(Words::default, |at| words!(" At `{}:{}`{}.", &at.file, at.line.to_string(), spots::inlined(at)));
    words!("**`{}`** ({}). {}{}", finding.code.to_string(), weight, &finding.sentence, at)
}

/// What the warps do in the steps of a main loop that leave the tensor pipe idle, where that limits.
fn unfed(audit: &Audit) -> Option<Words> {
    let tensor = |unit: &&Unit| unit.part == Part::ComputeTensor && !unit.is_saturated();
    let is_limit = audit.now.bottleneck.unit.as_ref().is_some_and(|unit| unit.code == Part::ComputeTensor);
    audit.now.bottleneck.units.iter().find(tensor).filter(|_| is_limit)?;
    let phases = audit.now.phases.as_ref()?;
    // Where warpgroups take tiles in turn, the products of one run beside every phase of another, and no step has its own.
    let (idle, of) = match (phases.in_turn, phases.time.idle.zip(phases.time.empty)) {
        (Some(_), Some((idle, empty))) => (idle / (1.0 - empty), "the time that an SM holds a block"),
        _ => (1.0 - phases.step_efficiency?, "a step of the main loop"),
    };
    let mut parts: Vec<&Phase> = phases.phase(PhaseKind::MainLoop)?.parts.iter().collect();
    parts.retain(|part| part.kind != PhaseKind::Issue);
    parts.sort_by(|a, b| b.share.total_cmp(&a.share));
    let told = parts.into_iter().take(SHOWN);
    let told = told.map(|part| words!("{} {}", share(part.share), places::phase_words(part.kind).noun));
    Some(words!(
        "The products do not fill the tensor pipe: it idles for {} of {}. Samples: {}.",
        share(idle),
        of,
        words::join(told.collect::<Vec<Words>>(), ", ")
    ))
}

/// `L1/TEX cache (memory-l1tex, saturated)`: what limits, in the words of the verdict.
pub(super) fn limiter(bottleneck: &Bottleneck) -> Words {
    words!("{}{}", limiter_label(bottleneck.limiter), coded(bottleneck))
}

/// The verdict on a kernel beside the one under audit: what its own page says first, and how sure that is.
pub(super) fn of_other(bottleneck: &Bottleneck) -> Words {
    let (name, sure) = (limiter_label(bottleneck.limiter), bottleneck.confidence.to_string());
    words!("**{}**{}. {} Confidence: {}.", name, coded(bottleneck), &bottleneck.sentence, sure)
}

/// The code behind the name of a limiter, with the level of a part of the chip, and with what a cause is the cause of.
fn coded(bottleneck: &Bottleneck) -> Words {
    let of = bottleneck.of.map(|of| words!(", the cause of `{}`", of.to_string()));
    words!(" (`{}`{}{})", bottleneck.limiter.to_string(), level(bottleneck), words::maybe(of))
}

/// `, saturated`, of the unit that limits.
fn level(bottleneck: &Bottleneck) -> &'static str {
    let own = bottleneck.unit.as_ref().and_then(|own| bottleneck.units.iter().find(|unit| unit.part == own.code));
    match own.map(|unit| unit.level) {
        Some(Level::Saturated) => ", saturated",
        Some(Level::High) => ", high",
        _ => "",
    }
}

fn finding(finding: &Finding) -> Words {
    let at = place(finding).filter(|_| !is_told(&finding.sentence, finding));
    let at = at.map_or_else(Words::default, |place| words!(" At {}.", place));
    words!("{} (`{}`){}", &finding.sentence, finding.code.to_string(), at)
}

/// Whether a sentence names the line itself.
fn is_told(sentence: &Words, finding: &Finding) -> bool {
    let Some(line) = finding.at.as_ref().map(|at| format!(":{}", at.line)) else { return false };
    sentence.to_plain().split(|letter: char| letter != ':' && !letter.is_ascii_digit()).any(|word| word == line)
}

pub(super) fn place_of_limit(audit: &Audit) -> Option<Words> {
    audit.now.findings.iter().find(|finding| finding.code == audit.now.bottleneck.limiter).and_then(place)
}

/// `gemm.cu:12`.
fn place(finding: &Finding) -> Option<Words> {
    let at = finding.at.as_ref()?;
    Some(words!("`{}:{}`", at.file.as_str(), at.line.to_string()))
}

fn confidence(side: &Examined) -> Words {
    let bottleneck = &side.bottleneck;
    let samples = |count: f64| format!("{} samples", amount(count));
    let because = match bottleneck.because {
        Because::Launch => "a fact of the launch, independent of samples".to_owned(),
        Because::Unsampled => "no samples by instruction".to_owned(),
        Because::Unread => "the samples by instruction are of code that is not read".to_owned(),
        Because::Samples(count) => samples(count),
        Because::Near(count, points) if points < LEVEL => {
            format!("{}; level with what comes second", samples(count))
        }
        Because::Near(count, points) => {
            format!("{}; only {} points ahead of what comes second", samples(count), format::fixed(points, 1))
        }
        Because::Apart(count) => {
            let stall = side.stalls.top().map(|(_, row)| format!(", {},", row.row.label)).unwrap_or_default();
            format!("{}; the counter is high, and the top stall{stall} is not at this unit", samples(count))
        }
        Because::Agree(count) => format!("{}; counter and top stall agree", samples(count)),
    };
    words!("Confidence: {} ({}).", bottleneck.confidence.to_string(), because)
}

/// What limits, inside a sentence.
pub(super) fn name(bottleneck: &Bottleneck) -> String {
    format::uncapital(&limiter_label(bottleneck.limiter))
}
