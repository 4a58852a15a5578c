//! What was asked of the kernel and predicted of the change, and what came; in full, each evidence checklist as a table, FAIL first in the
//! count line.

use super::hypotheses;
use super::numbers::glance;
use crate::analysis::code::CheckResult;
use crate::analysis::{Audit, CheckedLine, Estimates, Judgement, PredictionMet, Pulled, Role};
use crate::evidence::{Missing, Reading};
use crate::quantity::{self, Quantity, Unit, format};
use crate::view::code;
use crate::view::document::{Block, Cell, Section, Table, Tone};
use crate::view::groups::distinct;
use crate::view::tables::{self, heading, judged, paragraph, sentence, table, text};
use crate::words::Words;
use crate::{catalog, words};

/// Rows shown; all stand in the HTML page.
const SHOWN: usize = 10;
/// Rows of checks among them at least.
const CHECKS: usize = 6;
/// Levers of the old side shown.
const PULLED: usize = 2;
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
    let mut predicted: Vec<Vec<Cell>> = hypotheses::rows(audit).chain(predictions(audit)).collect();
    rows.sort_by_key(|(judgement, _)| hypotheses::weight(*judgement));
    let left_out = rows.split_off(rows.len().min(most.saturating_sub(predicted.len()).max(CHECKS.min(most))));
    let left_over = predicted.split_off(predicted.len().min(most - rows.len()));
    let mut blocks: Vec<Block> = Vec::new();
    if !rows.is_empty() || !predicted.is_empty() {
        let rows = rows.into_iter().map(|(_, row)| row).chain(predicted);
        blocks.push(table("checks", "Check, prediction | Stated | Found | ", rows).into());
    }
    let left_out: Vec<Judgement> = left_out.into_iter().map(|(judgement, _)| judgement).collect();
    blocks.extend(more(&left_out, left_over.len()).map(|said| paragraph("more", said)));
    blocks.extend(all_passed(&passed).map(|words| paragraph("passed", words)));
    blocks.extend(lists_passed(&listed).map(|words| paragraph("passed", words)));
    let of = |id: &str| audit.checks.iter().filter(|line| line.expected.from == id).collect::<Vec<_>>();
    let next = lists(&audit.checks).into_iter().filter_map(|id| follows(id, &of(id)));
    blocks.extend(next.map(|words| paragraph("follows", words)));
    (!blocks.is_empty()).then(|| Section::new("checks", "Checks and predictions", blocks))
}

/// `And 12 more: 10 FAIL, 2 NOT MEASURED; 1 prediction.`
fn more(checks: &[Judgement], predictions: usize) -> Option<String> {
    let of = |judgement: Judgement| {
        let count = checks.iter().filter(|own| **own == judgement).count();
        (count > 0).then(|| format!("{count} {}", judgement.word(Role::Check)))
    };
    let open = [Judgement::Fails, Judgement::Unclear, Judgement::NotMeasured, Judgement::DoesNotApply];
    let words: Vec<String> = open.into_iter().filter_map(of).collect();
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
    vec![text(expected.label.as_str()), text(wanted(line)), text(glance(found)), verdict]
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

/// The levers of the old page that the change pulled, and the time that came; of none pulled, the largest.
fn predictions(audit: &Audit) -> Vec<Vec<Cell>> {
    let Some(estimates) = audit.change.as_ref().map(|change| &change.estimates) else { return Vec::new() };
    let mut told: Vec<&Pulled> = estimates.pulled().take(PULLED).collect();
    if told.is_empty() {
        told.extend(estimates.largest().map(|(largest, _)| largest));
    }
    let name = |pulled: &Pulled| text(words!("row of the old page: {}", pulled.sentence.head()));
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
    (!rows.is_empty()).then(|| table("estimates", "Lever of the old side | At most: | What it aims at | Outcome", rows))
}

/// A lever of the old page by the count that it was to move, and what became of it.
fn predicted(audit: &Audit, estimates: &Estimates, pulled: &Pulled, name: Cell) -> Option<Vec<Cell>> {
    let change = audit.change_of_time()?;
    let came = format!("{} % time", format::signed(change, 1));
    let stated = pulled.bound.map_or_else(|| "no bound".to_owned(), |bound| format!("≤ {} %", format::fixed(bound, 1)));
    // A bound is of one row, and of the time that the page tells.
    let is_more = pulled.bound.is_some_and(|bound| -change > bound);
    let met = match (pulled.met, &estimates.fell) {
        (None, _) => "not measured".to_owned(),
        (Some(PredictionMet::NotThisChange), _) => "not this change".to_owned(),
        _ if estimates.pulled().count() > 1 => format!("pulled, together {came}"),
        (Some(PredictionMet::Exceeded), Some((label, by))) if is_more => {
            format!("exceeded, {came}: the work of {label} fell (−{} %)", format::fixed(*by, 1))
        }
        (Some(PredictionMet::Exceeded), None) if is_more => {
            format!("exceeded, {came}: other stalls depended on this one")
        }
        _ => format!("pulled, {came}"),
    };
    let found = format!("{} {} → {}", pulled.aim, glance(&pulled.old), glance(&pulled.new));
    Some(vec![name, text(stated).sorted(pulled.bound), text(found), text(met)])
}

/// The section; `None` where the subject expects nothing.
pub(in crate::view) fn checklist_in_full(audit: &Audit) -> Option<Section> {
    let lines = &audit.checks;
    if lines.is_empty() {
        return None;
    }
    let count = |outcome: Judgement| lines.iter().filter(|line| line.outcome == outcome).count();
    let mut blocks = vec![paragraph(
        "counts",
        words!(
            "{} FAIL, {} NOT MEASURED, {} PASS{}. A line without a number is neither met nor missed.",
            count(Judgement::Fails),
            count(Judgement::NotMeasured),
            count(Judgement::Holds),
            match count(Judgement::DoesNotApply) {
                0 => String::new(),
                spared => format!(", {spared} n/a"),
            }
        ),
    )];
    for id in lists(&audit.checks) {
        let of_list: Vec<&CheckedLine> = lines.iter().filter(|line| line.expected.from == id).collect();
        let title = catalog::checklist(id).map_or("Own checks", |profile| profile.label.as_str());
        blocks.push(heading("checks", title));
        blocks.extend(
            catalog::checklist(id)
                .map(|profile| paragraph("checks", words!("{} Source: {}.", &profile.help, &profile.cite))),
        );
        blocks.push(checklist(&of_list).into());
        blocks.extend(follows(id, &of_list).map(|words| paragraph("checks", words)));
    }
    Some(Section::new("checklist", "Evidence checklist", blocks))
}

/// The lists that lines are from, in their order.
fn lists(lines: &[CheckedLine]) -> Vec<&str> {
    distinct(lines.iter().map(|line| line.expected.from.as_str()))
}

fn follows(id: &str, lines: &[&CheckedLine]) -> Option<Words> {
    let of = |outcome: Judgement| lines.iter().filter(move |line| line.outcome == outcome);
    let failed: Vec<&str> = of(Judgement::Fails).map(|line| line.expected.label.as_str()).collect();
    let next = catalog::checklist(id)?.next(&failed, of(Judgement::NotMeasured).next().is_none())?;
    Some(words!("**What follows:** {}", next))
}

fn checklist(lines: &[&CheckedLine]) -> Table {
    let row = |line: &&CheckedLine| {
        let old = line.old.as_ref().map(|old| [judged(old.outcome, Role::Check), found(&old.found)]);
        let [old_result, old_found] = old.unwrap_or_default();
        vec![
            text(line.expected.label.clone()),
            old_result,
            old_found,
            judged(line.outcome, Role::Check).strong(),
            found(&line.found),
            text(wanted(line)).sorted(line.expected.value),
            tables::code(line.expected.reading.clone()),
        ]
    };
    tables::filled("checks", "Check | Old result | Old: | Result | Found: | Wanted: | Reading", lines.iter().map(row))
}

fn found(reading: &Reading) -> Cell {
    match reading {
        Reading::Missing(Missing::NotCollected { what, why }) if why.is_empty() => {
            let names: Vec<&str> = what.iter().map(AsRef::as_ref).collect();
            text(format!("needs {}", names.join(", ")))
        }
        other => tables::reading(other),
    }
}

/// The wanted number in the unit of what was found, else as it was written.
fn wanted(line: &CheckedLine) -> String {
    let unit = line.found.quantity().map_or(Unit::NONE, Quantity::unit);
    let value = Quantity::new(line.expected.value, unit).map(quantity::glance::quantity).unwrap_or_default();
    format!("{} {value}", line.expected.op.sign())
}
