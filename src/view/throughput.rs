//! How busy the chip was: speed of light, each subsystem, and the accesses that move more than they need.

use super::document::{Block, Section};
use super::heading::Heading;
use super::source_lines;
use super::tables::{self, paragraph};
use super::{brief, charts};
use crate::analysis::{Audit, Row, Standing};
use crate::catalog::Family;
use crate::words;
use crate::words::Words;

/// Time, rates and how busy the chip is; then what a range is made of, and the other kernels of the report.
pub(super) fn speed_of_light(heading: &Heading, audit: &Audit) -> Section {
    let mut blocks = Vec::new();
    if audit.standing() == Standing::Wrong {
        blocks.push(paragraph(
            "wrong",
            "The kernel's results are wrong: times, changes and rates are of a program that does something else.",
        ));
    }
    let launches = audit.now.artefact.launches.len();
    if launches > 1 || audit.before.as_ref().is_some_and(|o| o.artefact.launches.len() > 1) {
        let old = audit
            .before
            .as_ref()
            .map(|o| format!(", {} on the old side", o.artefact.launches.len()))
            .unwrap_or_default();
        let words = words!(
            "Median over {} launches{}; in brackets the smallest, the largest and how many had a value.",
            launches,
            old
        );
        blocks.push(paragraph("launches", words));
    }
    let chart = charts::placed(heading, charts::speed_of_light(audit));
    let rates = [&audit.performance.flop_rate, &audit.performance.byte_rate].into_iter().flatten().collect();
    let cure = words!("Collect with `--section SpeedOfLight`.");
    blocks.extend(panels(audit, &[&["speed-of-light", "throughput"]], rates, chart.as_slice(), cure));
    if audit.performance.flop_rate.is_none() {
        blocks.push(paragraph("no-rate", words!("No rate in FLOP/s: the subject states no `work.flop`.")));
    }
    if audit.trials.timing.is_none() {
        let why = audit.trials.missed.iter().find(|(step, _)| step == "benchmark");
        let why = why.map_or_else(String::new, |(_, why)| format!(" {}.", why.trim_end_matches('.')));
        let words = words!("Time outside the profiler and beside a reference: **NOT MEASURED**.{}", why);
        blocks.push(paragraph("no-benchmark", words));
    }
    if !audit.report.members.is_empty() {
        let listed = audit.report.members.iter().map(|(name, count)| words!("{} × `{}`", count.to_string(), name));
        let words = words!(
            "It is made of {}. Every number of this page is of all of them together; launch facts are the largest among them.",
            words::join(listed, ", ")
        );
        blocks.push(paragraph("members", words));
    }
    blocks.extend(brief::kernels_in_full(audit));
    Section::new("speed-of-light", "GPU Speed of Light", blocks)
}

/// What each level of memory and each pipe did, and the lines with conflicts and with local memory.
pub(super) fn subsystems(heading: &Heading, audit: &Audit) -> Section {
    let cure = words!("Collect with `--section MemoryWorkloadAnalysis --section ComputeWorkloadAnalysis`.");
    let groups: [&[&str]; 5] = [&["memory"], &["shared-memory"], &["local-memory"], &["pipes"], &["tensor-memory"]];
    let chart = charts::placed(heading, charts::memory(audit));
    let mut blocks = panels(audit, &groups, Vec::new(), chart.as_slice(), cure);
    blocks.extend(source_lines::shared(audit));
    blocks.extend(source_lines::local(audit));
    Section::new("throughput", "Throughput by subsystem", blocks)
}

/// Sectors that global accesses asked for beyond those they needed, and the lines that did.
pub(super) fn accesses(audit: &Audit) -> Section {
    let coalescing = &audit.now.coalescing;
    let totals: Vec<&Row> = coalescing.totals.iter().filter(|row| row.has_number()).collect();
    let mut blocks = match totals.is_empty() {
        true => vec![paragraph(
            "not-collected",
            words!(
                "Not collected: `memory_l2_theoretical_sectors_global` and its ideal. Collect with `--section SourceCounters`. This is not a statement that the accesses are coalesced."
            ),
        )],
        false => vec![tables::metrics("uncoalesced", &totals)],
    };
    if !coalescing.requests.is_empty() {
        blocks.push(paragraph(
            "requests",
            "Loads and stores apart, as L1 counts them. A warp that reads contiguous elements needs 4 sectors per request for 4-byte elements, 8 for 8-byte, 16 for 16-byte; 1 is a broadcast, 32 is a sector for every lane.",
        ));
        blocks.push(tables::metrics("requests", &coalescing.requests.iter().collect::<Vec<&Row>>()));
    }
    blocks.extend(source_lines::global(audit));
    Section::new("uncoalesced", "Uncoalesced global accesses", blocks)
}

/// A table for each group of panels, with each metric once and below the chart of its name; `more` rows end the first.
fn panels(audit: &Audit, groups: &[&[&str]], mut more: Vec<&Row>, charts: &[Block], cure: Words) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut missing = Vec::new();
    for group in groups {
        let panels: Vec<_> = group.iter().filter_map(|id| audit.panel(id)).collect();
        missing.extend(panels.iter().flat_map(|panel| panel.not_collected.iter().cloned()));
        let mut rows: Vec<&Row> = Vec::new();
        for row in panels.iter().flat_map(|panel| &panel.rows).chain(more.drain(..)) {
            if rows.iter().all(|known| known.id != row.id) {
                rows.push(row);
            }
        }
        let Some(panel) = panels.first().filter(|_| !rows.is_empty()) else { continue };
        if !blocks.is_empty() {
            blocks.push(tables::heading(&panel.id, &panel.title));
        }
        blocks.extend(charts.iter().filter(|chart| chart.name == panel.id).cloned());
        let (idle, rows): (Vec<&Row>, Vec<&Row>) = rows.into_iter().partition(|row| is_zero(row));
        let (borrowed, rows): (Vec<&Row>, Vec<&Row>) = rows.into_iter().partition(|row| is_borrowed(audit, row));
        if !rows.is_empty() {
            blocks.push(tables::metrics(&panel.id, &rows));
        }
        if !idle.is_empty() {
            let names: Vec<&str> = idle.iter().map(|row| row.label.as_str()).collect();
            blocks.push(paragraph(&panel.id, words!("Measured as zero: {}.", names.join("; "))));
        }
        blocks.extend(borrowed.into_iter().map(|row| paragraph(&panel.id, no_tensor_work(row))));
    }
    missing.sort();
    missing.dedup();
    blocks.extend(tables::not_collected(audit, &missing, cure));
    blocks
}

/// Whether a row counts the tensor pipe of a kernel that multiplies no matrices: what it reads is the work of others.
fn is_borrowed(audit: &Audit, row: &Row) -> bool {
    let is_tensor = Family::TensorPipe.has(&row.id);
    is_tensor && row.has_number() && audit.now.mix.has_tensor_work() == Some(false)
}

/// Such a row in a sentence, so that nobody reads work of the tensor cores from it.
fn no_tensor_work(row: &Row) -> Words {
    let (old, new) = tables::sides(row);
    let read = if old.is_empty() { new } else { format!("{old} on the old side and {new} on the new") };
    words!(
        "No tensor work: no matrix instruction was executed. `{}` reads {}, from other instructions on this pipe.",
        &row.id,
        read
    )
}

/// Whether every side that has the reading measured exactly zero.
fn is_zero(row: &Row) -> bool {
    let sides = [Some(&row.new), row.old.as_ref()];
    row.has_number() && sides.into_iter().flatten().all(|reading| reading.value() == Some(0.0))
}
