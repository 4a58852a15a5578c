//! The performance summary, and which other kernels the report holds.

use super::document::{Block, Section};
use super::tables::{self, code, columns_of, count, fold, paragraph, percent, text};
use crate::analysis::{Audit, Row, Standing};
use crate::words;

/// Rows of the overview that are shown unfolded.
const OVERVIEW_ROWS: usize = 12;

pub(super) fn section(audit: &Audit) -> Section {
    let perf = &audit.performance;
    let mut rows: Vec<&Row> = vec![&perf.time];
    rows.extend(Some(&perf.cycles).filter(|row| row.has_number()));
    rows.extend(perf.flop_rate.as_ref());
    rows.extend(perf.byte_rate.as_ref());
    let mut blocks = Vec::new();
    if audit.standing() == Standing::Wrong {
        blocks.push(paragraph(
            "wrong",
            "The kernel's results are wrong: times, changes and rates are of a program that does something else.",
        ));
    }
    let launches = audit.new.launches.len();
    if launches > 1 || audit.old.as_ref().is_some_and(|o| o.launches.len() > 1) {
        let old = audit.old.as_ref().map(|o| format!(", {} on the old side", o.launches.len())).unwrap_or_default();
        let words = words!(
            "Median over {} launches{}; in brackets the smallest, the largest and how many had a value.",
            launches,
            old
        );
        blocks.push(paragraph("launches", words));
    }
    if perf.time.has_number() {
        blocks.push(tables::metrics("performance", &rows));
    } else {
        let words = words!("Not measured: the report holds no `gpu__time_duration.sum`.");
        blocks.push(paragraph("performance", words));
    }
    if perf.flop_rate.is_none() {
        let words = words!("No rate in FLOP/s: the subject states no `work.flop`.");
        blocks.push(paragraph("no-rate", words));
    }
    if audit.timing.is_none() {
        let why = audit.trials_missed.iter().find(|(step, _)| step == "benchmark");
        let why = why.map_or_else(String::new, |(_, why)| format!(" {}.", why.trim_end_matches('.')));
        let words = words!("Time outside the profiler and beside a reference: **NOT MEASURED**.{}", why);
        blocks.push(paragraph("no-benchmark", words));
    }
    blocks.extend(members(audit));
    blocks.extend(overview(audit));
    Section::new("performance", "Performance summary", blocks)
}

/// Why this kernel and no other.
fn choice(audit: &Audit) -> &'static str {
    match &audit.kernels[0] {
        first if !first.is_subject => "the one that the kernel filter names",
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
    let listed = names.iter().map(|(name, count)| words!("{} × `{}`", count.to_string(), name));
    let words = words!(
        "It is made of {}. Every number of this page is of all of them together; launch facts are the largest among them.",
        words::join(listed, ", ")
    );
    Some(paragraph("members", words))
}

/// All kernels of the report, when it holds more than the one under audit.
fn overview(audit: &Audit) -> Vec<Block> {
    if audit.kernels.len() < 2 {
        return Vec::new();
    }
    let columns = columns_of("Kernel | Grid | Block | Launches: | Time per launch: | Share of all time:");
    let line = |k: &crate::analysis::OtherKernel| {
        let shape = |d: Option<crate::evidence::Dim3>| text(d.map(|d| d.to_string()).unwrap_or_default());
        let share = k.share.map(|share| percent(share, 2)).unwrap_or_default();
        vec![
            code(k.kernel.short_name()),
            shape(k.kernel.grid),
            shape(k.kernel.block),
            count(k.launches as u64),
            tables::reading(&k.time),
            if k.is_subject { share.strong() } else { share },
        ]
    };
    let table = |name: &str, kernels: &[crate::analysis::OtherKernel]| -> Block {
        tables::table(name, columns.clone(), kernels.iter().map(line).collect()).into()
    };
    let (shown, folded) = audit.kernels.split_at(audit.kernels.len().min(OVERVIEW_ROWS));
    let mut blocks = vec![
        tables::heading("kernels", "All work in this report"),
        paragraph(
            "kernels",
            words!(
                "This page is about `{}`, {}. `--kernel REGEX` picks another.",
                audit.new.kernel.short_name(),
                choice(audit)
            ),
        ),
        table("kernels", shown),
    ];
    if !folded.is_empty() {
        let summary = format!("{} further kernels with less device time", folded.len());
        blocks.push(fold("kernels-rest", summary, vec![table("kernels-rest", folded)]));
    }
    blocks
}
