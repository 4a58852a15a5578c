//! Occupancy: what caps it, ties, waves, and the distance to the next step.

use super::charts;
use super::document::Section;
use super::heading::Heading;
use super::tables::{self, Extra, list, paragraph, strong, text};
use crate::analysis::{Audit, Cliff, Row};
use crate::quantity::format;
use crate::words;

pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let occupancy = &audit.occupancy;
    let mut blocks = Vec::new();
    let rows: Vec<&Row> = occupancy.rows.iter().collect();
    if rows.is_empty() {
        let words = words!("Not collected. Collect with `--section Occupancy --section LaunchStats`.");
        blocks.push(paragraph("not-collected", words));
    } else {
        blocks.push(tables::metrics("occupancy", &rows));
    }
    if !occupancy.limits.is_empty() {
        blocks.extend(limit_sentence(audit).map(|words| paragraph("block-limits", words)));
        let rows: Vec<&Row> = occupancy.limits.iter().map(|limit| &limit.row).collect();
        let binds = Extra {
            title: if audit.old.is_some() { "Caps the new side" } else { "Caps" },
            cells: occupancy.limits.iter().map(|l| if l.binds { strong("yes") } else { text("") }).collect(),
            is_number: false,
        };
        blocks.extend(charts::occupancy(audit).into_iter().filter_map(|chart| charts::placed(heading, Some(chart))));
        blocks.push(tables::readings("block-limits", "Blocks per SM allowed by", &rows, vec![binds]).into());
    }
    let cliffs: Vec<String> = occupancy.cliffs.iter().filter_map(cliff).collect();
    if !cliffs.is_empty() {
        blocks.push(paragraph("next-step", "Distance to the next step, from the curves in the report; for shared memory at the SM's largest carve-out, with the driver's share of each block:"));
        blocks.push(list("next-step", cliffs));
    }
    Section::new("occupancy", "Occupancy", blocks)
}

fn limit_sentence(audit: &Audit) -> Option<String> {
    let binding = audit.occupancy.binding();
    let blocks = audit.occupancy.blocks_per_sm?;
    let who = match binding.as_slice() {
        [] => return None,
        [one] => format!("The block limit is set by {one}"),
        many => format!("The block limits of {} tie", many.join(" and ")),
    };
    let waves = audit
        .occupancy
        .waves
        .map(|w| match w {
            1.0 => " The grid is exactly one wave.".to_owned(),
            w if w > 1.0 && w.fract() == 0.0 => format!(" The grid makes {} full waves.", format::fixed(w, 0)),
            w if w <= 1.0 => format!(" The grid is {} of one wave.", format::fixed(w, 2)),
            w => format!(
                " The grid makes {} waves; the last is {} % full.",
                format::fixed(w, 2),
                format::fixed(100.0 * w.fract(), 0)
            ),
        })
        .unwrap_or_default();
    let plural = if blocks == 1.0 { "block" } else { "blocks" };
    Some(format!("{who}: {} {plural} per SM.{waves}", format::fixed(blocks, 0)))
}

fn cliff(cliff: &Cliff) -> Option<String> {
    let warps = |w: f64| format!("{} warps", format::fixed(w, 0));
    let plural = |n: u64| match cliff.unit.as_str() {
        "register" => format!("{n} register{}", if n == 1 { "" } else { "s" }),
        "byte of shared memory" => format!("{} bytes of shared memory per block", format::integer(n)),
        _ => format!("{n} threads per block"),
    };
    let here = format!("At {} the SM holds {}", plural(cliff.at), warps(cliff.warps));
    let gain = cliff.gain.map(|(to, more)| format!("free {} to get {}", plural(cliff.at - to), warps(more)));
    let room = cliff.room.map(|to| format!("up to {} more change nothing", plural(to - cliff.at)));
    let parts: Vec<String> = [gain, room].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{here}: {}.", parts.join("; ")))
}
