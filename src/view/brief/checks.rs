//! What was asked of the kernel and predicted of the change, and what came.

use crate::analysis::code::CheckResult;
use crate::analysis::{
    Audit, CheckedLine, Condition, Estimates, Expectation, Judgement, PredictionMet, Pulled, Role, Tested, When,
    expectation,
};
use crate::catalog::{self, CHECK};
use crate::evidence::Reading;
use crate::quantity::{Quantity, format, glance};
use crate::view::document::{Block, Cell, Section, Table, Tone};
use crate::view::tables::{columns_of, judged, left, number, paragraph, right, sentence, table, text};
use crate::view::{checklist, code, hypotheses};
use crate::words;
use crate::words::Words;

/// Rows shown; all stand in the HTML page.
const SHOWN: usize = 10;
/// Rows of checks among them at least.
const CHECKS: usize = 6;
/// Levers of the old side shown.
const PULLED: usize = 2;
/// Conditions shown of a hypothesis.
const CONDITIONS: usize = 3;
/// Characters of the sentence that names what passed.
const PASSED: usize = 300;

/// The section: a row for what failed, is open or was predicted, a sentence for what passed. `None` where nothing was stated
/// and no earlier audit gave a ceiling.
pub(in crate::view) fn section(audit: &Audit) -> Option<Section> {
    within(audit, SHOWN)
}

/// The section with at most so many rows.
pub(super) fn within(audit: &Audit, most: usize) -> Option<Section> {
    let mut rows: Vec<(Judgement, Vec<Cell>)> = Vec::new();
    let (mut passed, mut failed): (Vec<String>, Vec<&str>) = Default::default();
    for build in &audit.code {
        for check in &build.checks {
            let verdict = judged(check.verdict, Role::Check);
            if verdict.tone == Tone::Good {
                // A check that all builds pass is one.
                if !passed.contains(&check.name) {
                    passed.push(check.name.clone());
                }
                continue;
            }
            let name = match audit.code.len() {
                1 => check.name.clone(),
                _ => format!("{} ({})", check.name, code::build_name(&audit.code, build)),
            };
            rows.push((check.verdict, of_code(name, check)));
            failed.push(&check.name);
        }
    }
    rows.extend(audit.unchecked.iter().map(|check| (check.verdict, of_code(check.name.clone(), check))));
    passed.retain(|name| !failed.contains(&name.as_str()));
    // What an evidence checklist found is its point, so that its lines are told with their numbers where they pass too.
    let (good, open): (Vec<&CheckedLine>, Vec<&CheckedLine>) =
        audit.checks.iter().partition(|line| judged(line.outcome, Role::Check).tone == Tone::Good);
    let (listed, own): (Vec<&CheckedLine>, Vec<&CheckedLine>) =
        good.into_iter().partition(|line| catalog::checklist(&line.expected.from).is_some());
    // What says nothing of this kernel is in the full list.
    let open = open.into_iter().filter(|line| line.outcome != Judgement::DoesNotApply);
    rows.extend(open.map(|line| (line.outcome, checked(line))));
    passed.extend(own.into_iter().map(|line| line.expected.label.clone()));
    let mut predicted: Vec<Vec<Cell>> = audit.hypotheses.iter().map(hypothesis).chain(predictions(audit)).collect();
    rows.sort_by_key(|(judgement, _)| weight(*judgement));
    let left_out = rows.split_off(rows.len().min(most.saturating_sub(predicted.len()).max(CHECKS.min(most))));
    let left_over = predicted.split_off(predicted.len().min(most - rows.len()));
    let mut blocks: Vec<Block> = Vec::new();
    if !rows.is_empty() || !predicted.is_empty() {
        let columns = vec![left("Check, prediction"), right("Stated"), right("Found"), left("")];
        let rows = rows.into_iter().map(|(_, row)| row).chain(predicted).collect();
        blocks.push(table("checks", columns, rows).into());
    }
    let left_out: Vec<Judgement> = left_out.into_iter().map(|(judgement, _)| judgement).collect();
    blocks.extend(more(&left_out, left_over.len()).map(|said| paragraph("more", said)));
    blocks.extend(all_passed(&passed).map(|words| paragraph("passed", words)));
    blocks.extend(lists_passed(&listed).map(|words| paragraph("passed", words)));
    blocks.extend(checklist::what_follows(audit).into_iter().map(|words| paragraph("follows", words)));
    (!blocks.is_empty()).then(|| Section::new("checks", "Checks and predictions", blocks))
}

/// `And 12 more: 10 FAIL, 2 NOT MEASURED; 1 prediction.`
fn more(checks: &[Judgement], predictions: usize) -> Option<String> {
    let of = |judgement: Judgement| {
        let count = checks.iter().filter(|own| **own == judgement).count();
        (count > 0).then(|| format!("{count} {}", judgement.word(Role::Check)))
    };
    let words: Vec<String> = [Judgement::Fails, Judgement::Unclear, Judgement::NotMeasured, Judgement::DoesNotApply]
        .into_iter()
        .filter_map(of)
        .collect();
    let predicted = (predictions > 0).then(|| format::counted(predictions as u64, "prediction"));
    let parts: Vec<String> = (!words.is_empty()).then(|| words.join(", ")).into_iter().chain(predicted).collect();
    (!parts.is_empty()).then(|| format!("And {} more: {}.", checks.len() + predictions, parts.join("; ")))
}

/// A check of machine code: what it is called, its rule, what was found.
fn of_code(name: String, check: &CheckResult) -> Vec<Cell> {
    let rule = if check.rule == check.name { "" } else { check.rule.as_str() };
    vec![text(name), text(rule), text(check.found.as_str()), judged(check.verdict, Role::Check)]
}

/// A line of a checklist: what it holds, the number that it wants, the number that was found.
fn checked(line: &CheckedLine) -> Vec<Cell> {
    let CheckedLine { expected, found, outcome, .. } = line;
    let verdict = judged(*outcome, Role::Check);
    vec![text(expected.label.as_str()), text(checklist::wanted(line)), text(glance(found)), verdict]
}

/// `**Checklist, 2 lines PASS:** A: products of warpgroups 100.00 %; …`, each label without what stands in parentheses.
fn lists_passed(lines: &[&CheckedLine]) -> Option<Words> {
    let told = |line: &&CheckedLine| {
        let label = line.expected.label.split(" (").next().unwrap_or_default();
        format!("{label}: {}", glance(&line.found))
    };
    let all: Vec<String> = lines.iter().map(told).collect();
    let count = format::counted(lines.len() as u64, "line");
    (!all.is_empty()).then(|| words!("**Checklist, {} PASS:** {}.", count, all.join("; ")))
}

/// `**6 checks PASS:** no LDL in the kernel; …`, as many names as fit on a line.
fn all_passed(names: &[String]) -> Option<Words> {
    let mut told = String::new();
    let mut count = 0;
    for name in names {
        if count > 0 && told.len() + name.len() > PASSED {
            break;
        }
        told += &format!("{}{name}", if count > 0 { "; " } else { "" });
        count += 1;
    }
    let rest = match names.len() - count {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    (count > 0).then(|| words!("**{} PASS:** {}{}.", format::counted(names.len() as u64, "check"), told, rest))
}

/// What decides a judgement stands in front.
fn weight(met: Judgement) -> u8 {
    match met {
        Judgement::Fails => 0,
        Judgement::Unclear => 1,
        Judgement::Holds => 2,
        Judgement::NotMeasured => 3,
        Judgement::DoesNotApply => 4,
    }
}

/// What a hypothesis states of both sides, and what was found; the conditions that decided first.
fn hypothesis(tested: &Tested) -> Vec<Cell> {
    let mut conditions: Vec<&Condition> = tested.conditions.iter().collect();
    conditions.sort_by_key(|condition| weight(condition.met));
    let shown = || conditions.iter().copied().take(CONDITIONS);
    let stated = |condition: &Condition| match condition.when {
        When::Before => format!("{} before", wanted(condition)),
        When::After => wanted(condition),
    };
    let found = |condition: &Condition| {
        let side = match condition.when {
            When::Before => condition.old.as_ref(),
            When::After => Some(&condition.new),
        };
        let name = condition.expected.reading.as_str();
        let is_number = |side: &Reading| side.value().is_some() && !name.starts_with(CHECK);
        side.map(|side| match is_number(side) {
            true => glance(side),
            false => hypotheses::shown(name, side).words.to_plain(),
        })
        .unwrap_or_default()
    };
    let join = |texts: Vec<String>| texts.join("; ");
    let judged = judged(tested.judgement, Role::Hypothesis);
    if let Some(words) = tested.name.strip_prefix(expectation::EXPECTED) {
        let mut found: Vec<String> = Vec::new();
        for told in conditions.iter().map(|condition| of_author(condition)) {
            if !found.contains(&told) && found.len() < CONDITIONS {
                found.push(told);
            }
        }
        return vec![text("the author's expectation"), text(words), text(join(found)), judged];
    }
    vec![
        text(words!("hypothesis: {}{}", tested.name.as_str(), hypotheses::late(tested.foresight))),
        text(join(shown().map(stated).collect())),
        text(join(shown().map(found).collect())),
        judged,
    ]
}

/// What a condition asks of a reading, in the words and the unit of what was found: `memory barrier stall < 1.0 %`.
fn wanted(condition: &Condition) -> String {
    let Expectation { reading, op, value, .. } = &condition.expected;
    let found = condition.new.quantity().or(condition.old.as_ref().and_then(Reading::quantity));
    let limit = found.and_then(|found| Quantity::new(*value, found.unit()));
    match limit.filter(|_| !reading.starts_with(CHECK)) {
        Some(limit) => format!("{} {op} {}", expectation::called(reading), glance::quantity(limit)),
        None => hypotheses::wording(condition),
    }
}

/// A reading that an author's words name, old and new: `tensor pipe 90.09 % → 87.72 %`, `time −1.9 %`.
fn of_author(condition: &Condition) -> String {
    let reading = condition.expected.reading.as_str();
    match (&condition.old, condition.new.quantity()) {
        (Some(old), _) => format!("{} {} → {}", expectation::called(reading), glance(old), glance(&condition.new)),
        (None, Some(found)) => expectation::said(reading, found),
        (None, None) => format!("{} {}", expectation::called(reading), glance(&condition.new)),
    }
}

/// A reading as this page writes it: what it moved by counts, and not its last instruction.
fn glance(reading: &Reading) -> String {
    reading.quantity().map_or_else(|| number(reading), glance::quantity)
}

/// The levers of the old page that the change pulled, and the time that came; of none pulled, the largest.
fn predictions(audit: &Audit) -> Vec<Vec<Cell>> {
    let Some(estimates) = audit.change.as_ref().map(|change| &change.estimates) else { return Vec::new() };
    let mut told: Vec<&Pulled> = estimates.pulled().take(PULLED).collect();
    if told.is_empty() {
        told.extend(estimates.largest().map(|(largest, _)| largest));
    }
    let name = |pulled: &Pulled| text(words!("lever `{}` of the old page", pulled.code.to_string()));
    told.into_iter().filter_map(|pulled| predicted(audit, estimates, pulled, name(pulled))).collect()
}

/// Every lever of the old page; `None` without any, and without a time to hold them against.
pub(in crate::view) fn predictions_in_full(audit: &Audit) -> Option<Table> {
    let estimates = &audit.change.as_ref()?.estimates;
    let rows = estimates.levers.iter();
    let rows = rows.filter_map(|pulled| {
        let mut row = predicted(audit, estimates, pulled, sentence(&pulled.sentence))?;
        row[2] = text(words!("{} ({})", row[2].words.clone(), words::code(pulled.remeasure.clone())));
        Some(row)
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    let columns = columns_of("Lever of the old side | At most: | What it aims at | Outcome");
    (!rows.is_empty()).then(|| table("estimates", columns, rows))
}

/// A lever of the old page by the count that it was to move, and what became of it.
fn predicted(audit: &Audit, estimates: &Estimates, pulled: &Pulled, name: Cell) -> Option<Vec<Cell>> {
    let came = format!("{} % time", format::signed(audit.change_of_time()?, 1));
    let stated = pulled.bound.map_or_else(|| "no bound".to_owned(), |bound| format!("≤ {} %", format::fixed(bound, 1)));
    let met = match (pulled.met, &estimates.fell) {
        (Some(PredictionMet::Within | PredictionMet::Pulled), _) if estimates.pulled().count() > 1 => {
            format!("pulled, together {came}")
        }
        (Some(PredictionMet::Within | PredictionMet::Pulled), _) => format!("pulled, {came}"),
        (Some(PredictionMet::Exceeded), Some((label, by))) => {
            format!("exceeded, {came}: the work of {label} fell too (−{} %)", format::fixed(*by, 1))
        }
        (Some(PredictionMet::Exceeded), None) => format!("exceeded, {came}: other stalls depended on this one"),
        _ => "not this change".to_owned(),
    };
    let found = format!("{} {} → {}", pulled.aim, glance(&pulled.old), glance(&pulled.new));
    Some(vec![name, text(stated).sorted(pulled.bound), text(found), text(met)])
}
