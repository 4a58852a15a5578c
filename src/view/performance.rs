//! The performance summary, and which other kernels the report holds.

use super::document::{Block, Section, Table};
use super::history;
use super::page::Heading;
use super::tables::{self, code, left, paragraph, right, strong, text};
use crate::analysis::{Audit, Row, Standing};
use crate::quantity::format;

/// Rows of the overview that are shown unfolded.
const OVERVIEW_ROWS: usize = 12;

/// The section.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let perf = &audit.performance;
    let mut rows: Vec<&Row> = vec![&perf.time];
    rows.extend(Some(&perf.cycles).filter(|row| row.has_number()));
    rows.extend(perf.flop_rate.as_ref());
    rows.extend(perf.byte_rate.as_ref());
    let mut blocks = Vec::new();
    if audit.standing() == Standing::Wrong {
        blocks.push(paragraph(
            "The kernel's results are wrong: times, changes and rates are of a program that does something else.",
        ));
    }
    let launches = audit.new.launches.len();
    if launches > 1 || audit.old.as_ref().is_some_and(|o| o.launches.len() > 1) {
        let old = audit.old.as_ref().map(|o| format!(", {} on the old side", o.launches.len())).unwrap_or_default();
        blocks.push(paragraph(format!(
            "Median over {launches} launches{old}; in brackets the smallest, the largest and how many had a value."
        )));
    }
    if perf.time.has_number() {
        blocks.push(Block::Table { table: tables::metrics("performance", "", &rows) });
    } else {
        blocks.push(paragraph("Not measured: the report holds no `gpu__time_duration.sum`."));
    }
    if perf.flop_rate.is_none() {
        blocks.push(paragraph("No rate in FLOP/s: the subject states no `work.flop`."));
    }
    if audit.timing.is_none() {
        let why = audit.trials_missed.iter().find(|(step, _)| step == "benchmark");
        let why =
            why.map_or_else(String::new, |(_, why)| format!(" {}.", super::escape::text(why.trim_end_matches('.'))));
        blocks.push(paragraph(format!("Time outside the profiler and beside a reference: **NOT MEASURED**.{why}")));
    }
    blocks.extend(history::blocks(heading, audit));
    blocks.extend(members(audit));
    blocks.extend(overview(audit));
    Section { id: "performance".into(), title: "Performance summary".into(), blocks }
}

/// Why this kernel and no other.
fn choice(audit: &Audit) -> &'static str {
    match &audit.kernels[0] {
        first if !first.is_subject => "as the kernel filter asks",
        first if first.time.quantity().is_some() => "the work with the most device time",
        _ => "the first in the report, which holds no durations",
    }
}

/// What a range or a graph is made of, from the names that the report lists for it.
fn members(audit: &Audit) -> Option<Block> {
    let names = &audit.members;
    if names.is_empty() {
        return None;
    }
    let list: Vec<String> =
        names.iter().map(|(name, count)| format!("{} × {}", count, super::escape::code(name))).collect();
    Some(paragraph(format!(
        "It is made of {}. Every number of this page is of all of them together; launch facts are the largest among them.",
        list.join(", ")
    )))
}

/// All kernels of the report, when it holds more than the one under audit.
fn overview(audit: &Audit) -> Vec<Block> {
    if audit.kernels.len() < 2 {
        return Vec::new();
    }
    let columns = vec![
        left("Kernel"),
        left("Grid"),
        left("Block"),
        right("Launches"),
        right("Time per launch"),
        right("Share of all time"),
    ];
    let line = |k: &crate::analysis::OtherKernel| {
        let shape = |d: Option<crate::evidence::Dim3>| text(d.map(|d| d.to_string()).unwrap_or_default());
        let share = k.share.map(|s| format!("{} %", format::fixed(s, 2))).unwrap_or_default();
        vec![
            code(k.kernel.short_name()),
            shape(k.kernel.grid),
            shape(k.kernel.block),
            text(format::integer(k.launches as u64)),
            text(tables::number(&k.time)),
            if k.is_subject { strong(share) } else { text(share) },
        ]
    };
    let table = |id: &str, kernels: &[crate::analysis::OtherKernel]| Table {
        id: id.into(),
        caption: String::new(),
        columns: columns.clone(),
        rows: kernels.iter().map(line).collect(),
    };
    let (shown, folded) = audit.kernels.split_at(audit.kernels.len().min(OVERVIEW_ROWS));
    let mut blocks = vec![
        Block::Heading { text: "All work in this report".into() },
        paragraph(format!(
            "This page is about {}, {}. `--kernel REGEX` picks another.",
            super::escape::code(audit.new.kernel.short_name()),
            choice(audit),
        )),
        Block::Table { table: table("kernels", shown) },
    ];
    if !folded.is_empty() {
        blocks.push(Block::Fold {
            summary: format!("{} further kernels with less device time", folded.len()),
            blocks: vec![Block::Table { table: table("kernels-rest", folded) }],
        });
    }
    blocks
}
