//! What the change did: the verdict against the old side, and the counters that carry the story.

use super::numbers::{amount, row, sides, tenth, time};
use crate::analysis::{Audit, Row, Standing};
use crate::quantity::{Unit, format};
use crate::view::document::{Block, Section, Table};
use crate::view::page::Heading;
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words;
use crate::words::Words;

/// Counters of the table, beside time and cycles.
const SHOWN: usize = 4;

/// Counters of work that can carry the story.
const WORK: [&str; 8] = [
    "smsp__inst_executed.sum",
    "lts__t_sectors.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "memory_l2_theoretical_sectors_global",
    "memory_l1_wavefronts_shared",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "sass__inst_executed_register_spilling",
];

/// Changes under this many percent carry no story.
const LEAST: f64 = 5.0;

/// The section.
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
            let whole = &comparison.whole;
            let by = audit
                .performance
                .cycles
                .change()
                .map(|change| format!(": {} cycles", format::change(change.old, change.new)));
            let old = audit.old.as_ref().map_or("", |old| old.kernel.short_name());
            let change = if heading.change.is_empty() { String::new() } else { format!(" ({})", heading.change) };
            let mut words =
                words!("**{}{}** against `{}`{}.", whole.verdict.word(), by.unwrap_or_default(), old, change);
            words.push(words!(" {}", whole.reason.as_str()));
            words.push(limiter(audit));
            blocks.push(paragraph("change", words));
            blocks.extend(conditions(audit));
            blocks.extend(heading.accepted.iter().map(|accepted| {
                paragraph(
                    "accepted",
                    words!(
                        "Accepted on {} as {}: {}.",
                        accepted.date.as_str(),
                        accepted.verdict.as_str(),
                        accepted.reason.trim_end_matches('.')
                    ),
                )
            }));
            blocks.extend(counters(audit).map(Block::from));
        }
    }
    let stem = heading.stem();
    blocks.push(paragraph("links", links(&stem)));
    Section::new("changed", "What changed", blocks)
}

fn limiter(audit: &Audit) -> Words {
    let Some(old) = &audit.old_bottleneck else { return Words::default() };
    let (was, is) = (old.limiter.to_string(), audit.bottleneck.limiter.to_string());
    if was == is {
        words!(" The limiter is still `{}`.", is)
    } else {
        words!(" The limiter moved from `{}` to `{}`.", was, is)
    }
}

/// What sets the two measurements apart; nothing where they were taken alike.
fn conditions(audit: &Audit) -> Option<Block> {
    let differing: Vec<String> = audit
        .settings
        .iter()
        .filter(|setting| setting.weight != crate::analysis::Weight::Informs && setting.differs())
        .map(|setting| {
            let (old, new) = (setting.old.as_deref().unwrap_or_default(), setting.new.as_deref().unwrap_or_default());
            format!("{} {old} → {new}", setting.label)
        })
        .collect();
    (!differing.is_empty()).then(|| paragraph("conditions", words!("Conditions differ: {}.", differing.join("; "))))
}

/// Time, cycles, and the counters of work that changed most.
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
    let first = [&perf.cycles, &perf.time].into_iter().filter(|row| row.change().is_some());
    let all: Vec<&Row> = first.chain(rows.into_iter().map(|(row, _)| row)).collect();
    let line = |row: &&Row| {
        let is_time = row.new.quantity().is_some_and(|quantity| quantity.unit() == Unit::NS);
        let is_share = row.new.quantity().is_some_and(|quantity| quantity.unit() == Unit::PERCENT);
        let write = if is_time {
            time
        } else if is_share {
            tenth
        } else {
            amount
        };
        let change = row.change().map(|change| format::change(change.old, change.new)).unwrap_or_default();
        let mut cells = vec![text(row.label.as_str())];
        cells.extend(sides(audit, row, write));
        cells.push(text(change));
        cells
    };
    let columns = vec![left(""), right("Old"), right("New"), right("Change")];
    (!all.is_empty()).then(|| table("counters", columns, all.iter().map(line).collect()))
}

/// Where everything else stands.
fn links(stem: &str) -> Words {
    let json = words::link("JSON", format!("{stem}.json"));
    words!("All tables: `audit render --format html {}.json` · numbers: {}", stem, json)
}
