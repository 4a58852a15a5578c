//! The occupancy of a launch: what it is, what limits it and how far the next step is; in full, each limit.

use super::numbers::{Fact, NEW, Side, fact, fact_of, row, whole};
use crate::analysis::{Audit, Cliff, Row};
use crate::catalog::Counter;
use crate::quantity::format;
use crate::quantity::glance::digits;
use crate::view::charts;
use crate::view::document::Section;
use crate::view::heading::Heading;
use crate::view::tables::{self, Extra, list, paragraph, strong, text};
use crate::words::{Words, words};

pub(super) const THEORETICAL: &str = "Theoretical";
pub(super) const ACHIEVED: &str = "Achieved";
pub(super) const LIMITED: &str = "Blocks/SM, limited by";

pub(super) fn facts(audit: &Audit) -> Vec<Fact> {
    let percent = |value: f64| format!("{} %", format::fixed(value, 1));
    [
        fact(audit, THEORETICAL, Counter::SmMaximumWarpsPerActiveCyclePct, percent),
        fact(audit, ACHIEVED, Counter::SmWarpsActiveAvgPctActive, percent),
        fact_of(audit, LIMITED, &["launch__occupancy_limit_*"], limits),
        fact_of(audit, "Waves", &[Counter::LaunchWavesPerMultiprocessor.name()], waves),
        fact(audit, "Eligible warps/scheduler", Counter::SmspWarpsEligibleAvgPerCycleActive, digits),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// How often the grid fills the chip; blocks that stay and take tile after tile do once, which says nothing.
fn waves(audit: &Audit, side: Side) -> Option<String> {
    if audit.now.phases.as_ref().is_some_and(|phases| phases.is_persistent) {
        return None;
    }
    Some(digits(side(row(audit, Counter::LaunchWavesPerMultiprocessor)?)?))
}

/// Blocks that an SM holds by its scarcest resource, and which that is.
fn limits(audit: &Audit, side: Side) -> Option<String> {
    let limits = &audit.now.occupancy.limits;
    let least = limits.iter().filter_map(|limit| side(&limit.row)).min_by(f64::total_cmp)?;
    let binds = limits.iter().filter(|limit| {
        // The launch's carve-out of shared memory follows what binds beside it.
        let is_carve_out = !limit.binds && limit.row.new.value() == audit.now.occupancy.blocks_per_sm;
        side(&limit.row) == Some(least) && !is_carve_out
    });
    let names: Vec<&str> = binds.map(|limit| limit.resource.as_str()).collect();
    Some(format!("{} ({})", whole(least), names.join(", ")))
}

/// Static and dynamic: what the kernel asks for, without what the system adds to each block; and whether dynamic is in it.
pub(super) fn shared_bytes(audit: &Audit, side: Side) -> Option<(f64, bool)> {
    let of = |name: Counter| row(audit, name).and_then(side);
    let asked = of(Counter::LaunchSharedMemPerBlockDynamic);
    Some((of(Counter::LaunchSharedMemPerBlockStatic)? + asked.unwrap_or_default(), asked.is_some()))
}

/// Whether a kernel asks for shared memory of its own.
pub(super) fn takes_shared(audit: &Audit, side: Side) -> bool {
    shared_bytes(audit, side).is_some_and(|(bytes, _)| bytes > 0.0)
}

/// Why one block is no finding, or what is free before the occupancy drops.
pub(super) fn room(audit: &Audit) -> Option<Words> {
    let registers = audit.now.occupancy.registers?;
    let held = registers.of_block();
    let file = format!(
        "{} × {} = {} of {} registers",
        whole(registers.per_thread),
        whole(registers.block_threads),
        whole(held),
        whole(registers.all)
    );
    let has_products = audit.now.phases.as_ref().is_some_and(|phases| phases.tensor.is_some());
    if audit.now.occupancy.is_by_design(has_products) == Some(true) {
        let binding = audit.now.occupancy.binding().join(" and ");
        return Some(words!(
            "1 block/SM by design: a tensor kernel at its limit of {} ({}); few eligible warps are normal there.",
            binding,
            file
        ));
    }
    let free = |cliff: &Cliff| {
        let room = cliff.room?.checked_sub(cliff.at).filter(|room| *room > 0)?;
        match cliff.unit.as_str() {
            "register" => Some(format::counted(room, "register")),
            "byte of shared memory" if takes_shared(audit, NEW) => {
                Some(format!("{} B of shared memory", format::integer(room)))
            }
            _ => None,
        }
    };
    let rooms: Vec<String> = audit.now.occupancy.cliffs.iter().filter_map(free).collect();
    match rooms.as_slice() {
        [] => None,
        _ => Some(words!("Headroom before occupancy drops: {}.", rooms.join(", "))),
    }
}

/// Occupancy by every limit, and the distance to the next step.
pub(in crate::view) fn in_full(heading: &Heading, audit: &Audit) -> Section {
    let occupancy = &audit.now.occupancy;
    let mut blocks = Vec::new();
    let rows: Vec<&Row> = occupancy.rows.iter().collect();
    if rows.is_empty() {
        let words = words!("Not collected. Collect with `--section Occupancy --section LaunchStats`.");
        blocks.push(paragraph("not-collected", words));
    } else {
        blocks.push(tables::metrics("occupancy", &rows));
    }
    if !occupancy.limits.is_empty() {
        let rows: Vec<&Row> = occupancy.limits.iter().map(|limit| &limit.row).collect();
        let binds = Extra {
            title: if audit.before.is_some() { "Caps the new side" } else { "Caps" },
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

fn cliff(cliff: &Cliff) -> Option<String> {
    let warps = |w: f64| format!("{} warps", format::fixed(w, 0));
    let plural = |n: u64| match cliff.unit.as_str() {
        "register" => format::counted(n, "register"),
        "byte of shared memory" => format!("{} bytes of shared memory per block", format::integer(n)),
        _ => format!("{n} threads per block"),
    };
    let here = format!("At {} the SM holds {}", plural(cliff.at), warps(cliff.warps));
    let gain = cliff.gain.map(|(to, more)| format!("free {} to get {}", plural(cliff.at - to), warps(more)));
    let room = cliff.room.map(|to| format!("up to {} more change nothing", plural(to - cliff.at)));
    let parts: Vec<String> = [gain, room].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{here}: {}.", parts.join("; ")))
}
