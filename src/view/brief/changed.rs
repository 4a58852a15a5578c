//! What the change did: the verdict against the old side, what made it, and the counters that carry the story.

use super::numbers::{both, row, sides, tenth};
use super::{lead, story};
use crate::analysis::{Audit, Comparison, Row, Standing, Verdict, expectation};
use crate::catalog::Counter;
use crate::quantity::glance::{amount, bytes, time};
use crate::quantity::{Unit, format};
use crate::view::document::{Block, Cell, Section, Table};
use crate::view::heading::Heading;
use crate::view::reason::Reason;
use crate::view::tables::{left, list, paragraph, right, table, text};
use crate::view::verdict;
use crate::words;
use crate::words::Words;

/// Counters of the table, beside cycles, time and the unit of the story.
const SHOWN: usize = 2;

/// Counters of work that can carry the story.
const WORK: [Counter; 8] = [
    Counter::SmspInstExecutedSum,
    Counter::LtsTSectorsSum,
    Counter::DramBytesReadSum,
    Counter::DramBytesWriteSum,
    Counter::MemoryL2TheoreticalSectorsGlobal,
    Counter::MemoryL1WavefrontsShared,
    Counter::L1texTRequestsPipeLsuMemGlobalOpLdSum,
    Counter::SassInstExecutedRegisterSpilling,
];

/// Changes under this many percent carry no story.
const LEAST: f64 = 5.0;

pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let mut blocks = Vec::new();
    match &audit.comparison {
        None => {
            let why = if heading.baseline.is_empty() { "no baseline" } else { heading.baseline.as_str() };
            blocks.push(paragraph("change", words!("**NOT MEASURED**: {}.", why.trim_end_matches('.'))));
        }
        Some(_) if audit.standing() == Standing::Wrong => {
            blocks.push(paragraph(
                "change",
                words!("**NOT MEASURED**: the results are wrong, and wrong results have no speed."),
            ));
        }
        Some(comparison) => {
            blocks.push(paragraph("change", said(heading, audit, comparison)));
            let mut items = Reason::of(audit).map(|reason| basis(&reason, comparison)).unwrap_or_default();
            items.extend(conditions(audit));
            items.extend(heading.accepted.iter().map(|accepted| {
                words!(
                    "Accepted on {} as {}: {}.",
                    accepted.date.as_str(),
                    accepted.verdict.as_str(),
                    accepted.reason.trim_end_matches('.')
                )
            }));
            blocks.extend((!items.is_empty()).then(|| list("conditions", items)));
            blocks.extend(counters(audit).map(Block::from));
        }
    }
    blocks.extend(links(heading));
    Section::new("changed", "What changed", blocks)
}

/// The section of a page without a profile.
pub(in crate::view) fn changed_code(heading: &Heading, audit: &Audit) -> Section {
    let mut blocks = Vec::new();
    for code in &audit.code {
        let Some(diff) = &code.facts.diff else { continue };
        let change = if heading.change.is_empty() { String::new() } else { format!(" ({})", heading.change) };
        let (old, new) = (format::integer(diff.old as u64), format::integer(diff.new as u64));
        let what = match (diff.is_same, diff.rewritten()) {
            (true, _) => words!("the same {} instructions", new),
            (false, Some(share)) => {
                words!("{} → {} instructions, {} % of them without a counterpart", old, new, format::fixed(share, 0))
            }
            (false, None) => words!("{} → {} instructions", old, new),
        };
        blocks.push(paragraph("change", words!("**{}:** {}{}.", code.facts.arch.as_str(), what, change)));
    }
    if blocks.is_empty() {
        blocks.push(paragraph("change", words!("**NOT MEASURED**: no baseline.")));
    }
    blocks.extend(links(heading));
    Section::new("changed", "What changed", blocks)
}

/// The verdict with its numbers, and what made it.
fn said(heading: &Heading, audit: &Audit, comparison: &Comparison) -> Words {
    let whole = &comparison.whole;
    let old = lead::old_name(heading, audit).unwrap_or_default();
    let change = expectation::done(&heading.change);
    let change = if change.is_empty() { String::new() } else { format!(" ({change})") };
    let cycles = whole.cycles.as_ref().map(|cycles| format::change(cycles.old.median, cycles.new.median));
    let time = audit.change_of_time().map(|percent| format::change(100.0, 100.0 + percent));
    let numbers: Vec<String> =
        [cycles.map(|change| format!("{change} cycles")), time.map(|change| format!("{change} time"))]
            .into_iter()
            .flatten()
            .collect();
    let numbers = if whole.verdict.is_decided() { format!(": {}", numbers.join(", ")) } else { String::new() };
    let mut said = words!("**{}{}** against {}{}.", whole.verdict.word(), numbers, old, change);
    if whole.verdict.is_decided() {
        said.push(story::sentence(audit));
        said.push(verdict::limiter(audit));
    }
    said
}

/// On what the verdict rests; where there is none, why, and what would give one.
fn basis(reason: &Reason<'_>, comparison: &Comparison) -> Vec<Words> {
    if comparison.whole.verdict.is_decided() {
        return vec![words!("Basis: {}.", reason.ground().trim_end_matches('.'))];
    }
    [reason.why(), reason.cure()].into_iter().filter(|text| !text.is_empty()).map(Words::from).collect()
}

/// What sets the two measurements apart; nothing where they were taken alike.
fn conditions(audit: &Audit) -> Option<Words> {
    let differing: Vec<String> = audit
        .settings
        .iter()
        .filter(|setting| setting.weight != crate::analysis::Weight::Informs && setting.differs())
        .map(|setting| {
            let (old, new) = (setting.old.as_deref().unwrap_or_default(), setting.new.as_deref().unwrap_or_default());
            let why = if setting.id == "sm-clock" { story::clock(audit) } else { "" };
            format!("{} {old} → {new}{why}", setting.label)
        })
        .collect();
    (!differing.is_empty()).then(|| words!("Conditions differ: {}.", differing.join("; ")))
}

/// Cycles, time, the unit of the story, the counters of work that changed most, and the opcodes that did.
fn counters(audit: &Audit) -> Option<Table> {
    let mut rows: Vec<(&Row, f64)> = WORK
        .iter()
        .filter_map(|metric| {
            let row = row(audit, metric)?;
            let change = row.change()?;
            let ratio = (change.new.max(1.0) / change.old.max(1.0)).ln().abs();
            (ratio >= (1.0 + LEAST / 100.0).ln()).then_some((row, ratio))
        })
        .collect();
    rows.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    rows.truncate(SHOWN);
    let perf = &audit.performance;
    let line = |row: &Row| {
        let unit = row.new.quantity().map(|quantity| quantity.unit());
        let write = match unit {
            Some(Unit::NS) => time,
            Some(Unit::PERCENT) => tenth,
            Some(Unit::BYTE) => bytes,
            _ => amount,
        };
        let mut cells = vec![text(row.label.as_str())];
        cells.extend(sides(audit, row, write));
        cells.push(text(row.change().map(|change| format::change(change.old, change.new)).unwrap_or_default()));
        cells
    };
    let mut lines: Vec<Vec<Cell>> = Vec::new();
    lines.extend(launches(audit).or_else(|| Some(&perf.cycles).filter(|row| row.change().is_some()).map(line)));
    lines.extend(median(audit).or_else(|| Some(&perf.time).filter(|row| row.change().is_some()).map(line)));
    lines.extend(story::unit_rows(audit));
    lines.extend(rows.into_iter().map(|(row, _)| line(row)));
    lines.extend(story::opcodes(audit));
    let columns = vec![left(""), right("Old"), right("New"), right("Change")];
    (!lines.is_empty()).then(|| table("counters", columns, lines))
}

/// The cycles that the verdict rests on, where they are of other launches than the profiled ones.
fn launches(audit: &Audit) -> Option<Vec<Cell>> {
    let cycles = audit.comparison.as_ref()?.whole.cycles.as_ref()?;
    let (old, new) = (cycles.old.median, cycles.new.median);
    let profiled = audit.performance.cycles.change()?;
    (old != profiled.old || new != profiled.new).then(|| both("Elapsed cycles, timed launches", (old, new), amount))
}

/// The medians of the two benchmarks, where they compare.
fn median(audit: &Audit) -> Option<Vec<Cell>> {
    let timing = audit.timing.as_ref()?;
    let change = timing.change.as_ref().filter(|change| change.verdict != Verdict::NotComparable)?;
    Some(both("Median of the benchmark", (change.old.time.median, timing.kernel.time.median), time))
}

/// Where everything else stands; `None` for an audit without files.
fn links(heading: &Heading) -> Option<Block> {
    let stem = heading.stem();
    let snapshot = words::link("snapshot", format!("{stem}.json"));
    let tables = match heading.has_html {
        true => words!("{}", words::link("HTML", format!("{stem}.html"))),
        false => words!("`audit render --format html {}.json`", stem),
    };
    (!heading.subject.is_empty()).then(|| paragraph("links", words!("Full tables: {} · numbers: {}", tables, snapshot)))
}
