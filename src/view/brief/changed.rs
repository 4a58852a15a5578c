//! What the change did: the verdict against the old side, what made it, and the counters that carry the story.

use super::numbers::{both, row, sides, tenth};
use super::{chain, lead, story, verdict};
use crate::analysis::{Audit, Comparison, LimiterChange, Row, Standing, Weight, expectation};
use crate::catalog::{Code, Counter};
use crate::quantity::glance::{amount, bytes, time};
use crate::quantity::{Unit, format};
use crate::view::code;
use crate::view::document::{Block, Cell, Section, Table};
use crate::view::heading::Heading;
use crate::view::reason::Reason;
use crate::view::tables::{filled, list, paragraph, text};
use crate::words::{Words, words};

/// Counters of the table, beside cycles, time and the unit of the story.
const SHOWN: usize = 2;

/// Counters of work that can carry the story.
const WORK: [Counter; 7] = [
    Counter::SmspInstExecutedSum,
    Counter::LtsTSectorsSum,
    Counter::DramBytesReadSum,
    Counter::DramBytesWriteSum,
    Counter::MemoryL2TheoreticalSectorsGlobal,
    Counter::MemoryL1WavefrontsShared,
    Counter::SassInstExecutedRegisterSpilling,
];

/// Changes under this many percent carry no story.
const LEAST: f64 = 5.0;

/// The section; `None` for a first audit, whose lead says that there is no baseline.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Option<Section> {
    let mut blocks = Vec::new();
    match audit.comparison() {
        None if heading.baseline.is_empty() => return None,
        None => {
            let why = heading.baseline.trim_end_matches('.');
            blocks.push(paragraph("change", words!("**NOT MEASURED**: {}.", why)));
        }
        Some(_) if audit.standing() == Standing::Wrong => {
            blocks.push(paragraph(
                "change",
                words!("**NOT MEASURED**: the results are wrong, and wrong results have no speed."),
            ));
        }
        Some(comparison) => {
            blocks.push(paragraph("change", said(heading, audit, comparison)));
            let mut items: Vec<Words> = Vec::new();
            items.extend(chain::code(audit));
            items.extend(chain::counters(audit));
            items.extend(Reason::of(audit).map(|reason| basis(&reason, comparison)).unwrap_or_default());
            items.extend(chain::cost(audit));
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
    Some(Section::new("changed", "What changed", blocks))
}

/// The section of a page without a profile; `None` without an earlier build.
pub(in crate::view) fn changed_code(heading: &Heading, audit: &Audit) -> Option<Section> {
    let mut blocks = Vec::new();
    for code in &audit.code {
        let Some(diff) = &code.facts.diff else { continue };
        let change = if heading.change.is_empty() { String::new() } else { format!(" ({})", heading.change) };
        blocks.push(paragraph("change", words!("**{}:** {}{}.", code.facts.arch.as_str(), code::diff(diff), change)));
    }
    if blocks.is_empty() {
        return None;
    }
    blocks.extend(links(heading));
    Some(Section::new("changed", "What changed", blocks))
}

/// The verdict with its numbers, and what made it.
fn said(heading: &Heading, audit: &Audit, comparison: &Comparison) -> Words {
    let whole = &comparison.whole;
    let old = lead::old_name(heading, audit).map(|old| words!(" against {}", old));
    let change = expectation::done(&heading.change);
    let change = if change.is_empty() { String::new() } else { format!(" ({change})") };
    let cycles = whole.cycles.as_ref().map(|cycles| format::change(cycles.old.median, cycles.new.median));
    let time = audit.time_of_change();
    let percent = time.map(|time| format!("{} time", format::change(time.old, time.new)));
    let numbers: Vec<String> =
        [cycles.map(|change| format!("{change} cycles")), percent].into_iter().flatten().collect();
    let source = time.map(|time| format!(" ({})", time.source()));
    let (numbers, source) = match whole.verdict.is_decided() {
        true => (format!(": {}", numbers.join(", ")), source.unwrap_or_default()),
        false => Default::default(),
    };
    let mut said = words!("**{}{}**{}{}{}.", whole.verdict.word(), numbers, source, words::maybe(old), change);
    if whole.verdict.is_decided() {
        said.push(story::sentence(audit));
        said.push(limiter(audit));
    }
    said
}

/// What became of the limiter, as far as both sides' metrics tell; a sentence with a space in front.
fn limiter(audit: &Audit) -> Words {
    let Some((change, old)) = audit.change.as_ref().map(|change| change.limiter).zip(audit.before.as_ref()) else {
        return Words::default();
    };
    let (was, is) = (verdict::name(&old.bottleneck), verdict::name(&audit.now.bottleneck));
    match change {
        LimiterChange::Same if old.bottleneck.limiter == Code::NotMeasured => Words::default(),
        LimiterChange::Same => words!(" The limiter is the same."),
        LimiterChange::Moved => words!(" The limiter was {}, and is {}.", was, is),
        LimiterChange::Near => {
            words!(" The limiter may have moved: {} before, {} now.", was, is)
        }
        LimiterChange::Unknown => {
            words!(
                " The sides hold other metrics (limiter {} before, {} now): whether it moved is not measured.",
                was,
                is
            )
        }
    }
}

/// On what the verdict rests; where there is none, why, and what would give one.
fn basis(reason: &Reason<'_>, comparison: &Comparison) -> Vec<Words> {
    if comparison.whole.verdict.is_decided() {
        return vec![words!("**In the time:** {}.", reason.ground().trim_end_matches('.'))];
    }
    let why = Some(reason.why()).filter(|why| !why.is_empty()).map(|why| words!("**In the time:** {}", why));
    why.into_iter().chain(Some(reason.cure()).filter(|cure| !cure.is_empty()).map(Words::from)).collect()
}

/// What sets the two measurements apart; nothing where they were taken alike.
fn conditions(audit: &Audit) -> Option<Words> {
    let apart = audit.settings.iter().filter(|setting| setting.weight != Weight::Informs && setting.sets_apart());
    let differing = apart.map(|setting| {
        let (old, new) = (setting.old.as_deref().unwrap_or_default(), setting.new.as_deref().unwrap_or_default());
        let why = if setting.id == "sm-clock" { story::clock(audit) } else { "" };
        format!("{} {old} → {new}{why}", setting.label)
    });
    let differing: Vec<String> = differing.collect();
    (!differing.is_empty()).then(|| words!("Conditions differ: {}.", differing.join("; ")))
}

/// Cycles, time, the unit of the story, the counters of work that changed most, and the opcodes that did.
fn counters(audit: &Audit) -> Option<Table> {
    let moved = |metric: Counter| {
        let row = row(audit, metric)?;
        let change = row.change()?;
        let weight = chain::weight(audit, metric, change.old, change.new)?;
        let is_told = (change.new.max(1.0) / change.old.max(1.0)).ln().abs() >= (1.0 + LEAST / 100.0).ln();
        is_told.then(|| (row, weight, chain::because(audit, metric, change.new > change.old)))
    };
    let mut rows: Vec<(&Row, f64, Words)> = WORK.into_iter().filter_map(moved).collect();
    rows.sort_by(|(_, a, _), (_, b, _)| b.total_cmp(a));
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
        let [old, new] = sides(audit, row, write);
        let change = row.change().map(|change| format::change(change.old, change.new));
        vec![text(row.label.as_str()), old, new, text(change.unwrap_or_default())]
    };
    let mut lines: Vec<Vec<Cell>> = Vec::new();
    lines.extend(launches(audit).or_else(|| Some(&perf.cycles).filter(|row| row.change().is_some()).map(line)));
    lines.extend(timed(audit).or_else(|| Some(&perf.time).filter(|row| row.change().is_some()).map(line)));
    if audit.comparison().is_some_and(|comparison| comparison.whole.verdict.is_decided()) {
        lines.extend(story::unit_rows(audit));
    }
    lines.iter_mut().for_each(|cells| cells.push(Cell::default()));
    lines.extend(rows.into_iter().map(|(row, _, because)| [line(row), vec![text(because)]].concat()));
    (!lines.is_empty()).then(|| filled("counters", " | Old: | New: | Change: | By", lines))
}

/// The cycles that the verdict rests on, where they are of other launches than the profiled ones.
fn launches(audit: &Audit) -> Option<Vec<Cell>> {
    let cycles = audit.comparison()?.whole.cycles.as_ref()?;
    let (old, new) = (cycles.old.median, cycles.new.median);
    let profiled = audit.performance.cycles.change()?;
    (old != profiled.old || new != profiled.new).then(|| both("Elapsed cycles, timed launches", (old, new), amount))
}

fn timed(audit: &Audit) -> Option<Vec<Cell>> {
    let change = audit.time_of_change()?;
    let label = if change.is_timed { "Median of the benchmark" } else { "Duration under ncu" };
    Some(both(label, (change.old, change.new), time))
}

/// Where everything else stands; `None` for an audit without files.
pub(in crate::view) fn links(heading: &Heading) -> Option<Block> {
    let stem = heading.stem();
    let snapshot = words::link("snapshot", format!("{stem}.json"));
    let tables = match heading.has_html {
        true => words!("{}", words::link("HTML", format!("{stem}.html"))),
        false => words!("`audit render --format html {}.json`", stem),
    };
    (!heading.subject.is_empty()).then(|| paragraph("links", words!("Full tables: {} · numbers: {}", tables, snapshot)))
}
