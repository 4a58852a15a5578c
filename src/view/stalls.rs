//! Warp stalls, each basis in a table of its own.

use super::charts;
use super::document::{Block, Section};
use super::heading::Heading;
use super::source_lines;
use super::tables::{self, Extra, fold, paragraph, text};
use crate::analysis::{Audit, Row, StallBasis, StallTable};
use crate::catalog;
use crate::quantity::format;
use crate::words;

/// Reasons below this share of the new and the old side go into a fold, in percent.
const SMALL: f64 = 1.0;

/// A number below this on every side is no row of a folded table.
const NOTHING: f64 = 0.01;

pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let stalls = &audit.stalls;
    let mut blocks = Vec::new();
    if stalls.tables.is_empty() {
        blocks.push(paragraph(
            "not-collected",
            words!(
                "Not collected: no stall reasons. Collect with `--section WarpStateStats --section SourceCounters`."
            ),
        ));
    } else {
        let rows: Vec<&Row> =
            [&stalls.latency, &stalls.issue_active].into_iter().filter(|row| row.has_number()).collect();
        if !rows.is_empty() {
            blocks.push(tables::metrics("issue", &rows));
        }
        blocks.extend(hidden(audit).map(|words| paragraph("hidden", words)));
        for (at, table) in stalls.tables.iter().enumerate() {
            let chart = || charts::placed(heading, charts::stalls(audit));
            blocks.extend(if at == 0 { first(audit, table, chart()) } else { vec![folded(table)] });
        }
    }
    blocks.extend(source_lines::waits(audit));
    Section::new("warp-states", "Warp states", blocks)
}

/// Above the threshold of issue utilisation, stalls cost little: another warp issues meanwhile.
fn hidden(audit: &Audit) -> Option<String> {
    let active = audit.stalls.issue_active.new.value()?;
    audit.stalls.are_hidden.then(|| {
        format!(
            "The schedulers issue in {} % of their active cycles: most of the waits below are hidden behind other warps.",
            format::fixed(100.0 * active, 1)
        )
    })
}

/// The name of a basis's blocks, what it is called, and what stands above its table.
fn of_basis(basis: StallBasis) -> (&'static str, &'static str, &'static str) {
    match basis {
        StallBasis::ShareOfWarpTime => (
            "share",
            "share of the warp's time",
            "Basis: share of the cycles that a warp spends between two of its issued instructions; the rows add up to about 100 %: their counters come from different passes.",
        ),
        StallBasis::PerIssue => (
            "per-issue",
            "cycles per issued instruction",
            "Basis: cycles that a warp spends in the state for each instruction it issues.",
        ),
        StallBasis::ShareOfActive => (
            "share-of-active",
            "share of warp-active cycles",
            "Basis: share of the cycles of resident warps, as the report stores it.",
        ),
        StallBasis::PercentOfPeak => (
            "percent-of-peak",
            "percent of peak warps",
            "Basis: warps in the state, in percent of the most warps that a scheduler can hold, over active cycles.",
        ),
        StallBasis::Samples => (
            "samples",
            "warp samples",
            "Basis: share of the warp samples of the program-counter sampler, issuing cycles included.",
        ),
    }
}

/// The leading table: large reasons with their meaning, small ones folded.
fn first(audit: &Audit, table: &StallTable, chart: Option<Block>) -> Vec<Block> {
    let is_large = |row: &Row| {
        let side = |reading: Option<&crate::evidence::Reading>| reading.and_then(crate::evidence::Reading::value);
        side(Some(&row.new)).unwrap_or(0.0).max(side(row.old.as_ref()).unwrap_or(0.0)) >= SMALL
    };
    let (large, small): (Vec<_>, Vec<_>) = table.rows.iter().partition(|stall| is_large(&stall.row));
    let make = |rows: &[&crate::analysis::StallRow], name: &str| -> Block {
        let meaning = Extra {
            title: "What the warp waits for here",
            cells: rows.iter().map(|stall| text(meaning(audit, &stall.reason))).collect(),
            is_number: false,
        };
        let readings: Vec<&Row> = rows.iter().map(|stall| &stall.row).collect();
        tables::readings(name, "Stall reason", &readings, vec![meaning]).into()
    };
    let (name, _, caption) = of_basis(table.basis);
    let mut blocks = vec![paragraph(name, caption)];
    blocks.extend(chart);
    blocks.push(make(&large, name));
    if !small.is_empty() {
        let summary = format!("{} reasons below {SMALL} %{}", small.len(), sides(small.iter().map(|stall| &stall.row)));
        blocks.push(fold("small", summary, vec![make(&small, "small")]));
    }
    blocks
}

/// What follows a bound that holds for both sides of some rows, where there are two, or for those that were collected.
fn sides<'r>(mut rows: impl Iterator<Item = &'r Row> + Clone) -> &'static str {
    let has_both =
        |row: &Row| [Some(&row.new), row.old.as_ref()].into_iter().flatten().all(|own| own.value().is_some());
    match (rows.clone().any(|row| row.old.is_some()), rows.all(has_both)) {
        (_, false) => " where they were collected",
        (true, true) => " on both sides",
        (false, true) => "",
    }
}

fn folded(table: &StallTable) -> Block {
    let shows = |row: &Row| {
        let sides = [Some(&row.new), row.old.as_ref()];
        sides.into_iter().flatten().any(|reading| reading.value().is_some_and(|value| value >= NOTHING))
    };
    let (rows, left_out): (Vec<&Row>, Vec<&Row>) =
        table.rows.iter().map(|stall| &stall.row).partition(|row| shows(row));
    let (name, title, caption) = of_basis(table.basis);
    let mut blocks = vec![paragraph(name, caption), tables::metrics(name, &rows)];
    if !left_out.is_empty() {
        let sides = sides(left_out.iter().copied());
        blocks.push(paragraph(name, format!("Below {NOTHING}{sides}: {} more.", left_out.len())));
    }
    fold(name, format!("The same in another basis: {title}"), blocks)
}

/// The catalog's meaning of a reason, in the reading that the executed opcodes call for.
fn meaning(audit: &Audit, reason: &str) -> &'static str {
    let Some(row) = catalog::stall(reason) else {
        return "A reason that this version's catalog does not know.";
    };
    let executed = |opcode: &str| audit.mix.count(|op| op.name() == opcode).is_some_and(|count| count > 0.0);
    row.reading_for(executed).map_or(row.means, |when| when.means)
}
