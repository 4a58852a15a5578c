//! Warp stalls: the reasons that take a share of the warps' time worth a line, and what causes each of them here; in full, every
//! reason on every basis.

use super::causes;
use super::numbers::{sides, tenth, value};
use crate::analysis::phases::Phases;
use crate::analysis::{Audit, Row, StallBasis, StallRow, StallTable};
use crate::catalog::{self, Counter};
use crate::evidence::Reading;
use crate::quantity::format;
use crate::quantity::glance::digits;
use crate::view::document::{Block, Cell, Section};
use crate::view::heading::Heading;
use crate::view::tables::{self, Extra, filled, fold, paragraph, text};
use crate::view::{charts, source_lines};
use crate::words::{Words, words};

/// Reasons under this share on both sides are left out, in percent.
const LEAST: f64 = 3.0;
/// The same on a basis that has no whole, as a part of the largest.
const LEAST_OF_LARGEST: f64 = 0.01;
/// The bases in the order in which they tell most.
const BASES: [StallBasis; 5] = [
    StallBasis::ShareOfWarpTime,
    StallBasis::ShareOfActive,
    StallBasis::Samples,
    StallBasis::PerIssue,
    StallBasis::PercentOfPeak,
];
/// A number below this on every side is no row of a full table.
const NOTHING: f64 = 0.01;
/// The part of the largest reason from which another one is large.
const TELLS: f64 = 0.25;
/// Samples from which a share of them has a place.
const FEW: u64 = 100;
/// The share of warps that wait for their turn from which the schedulers have work enough, in percent.
const MANY_READY: f64 = 20.0;
pub(super) const NOT_SELECTED: &str = "not_selected";

/// The section; `None` where no stalls were collected.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    within(audit, usize::MAX)
}

/// The same with so many rows at most; the others are told in words.
pub(super) fn within(audit: &Audit, most: usize) -> Option<Section> {
    let stalls = &audit.now.stalls;
    let shares = BASES.iter().find_map(|basis| stalls.table(*basis))?;
    let has_whole = !matches!(shares.basis, StallBasis::PerIssue | StallBasis::PercentOfPeak);
    let largest = || shares.rows.iter().filter_map(|row| row.row.new.value()).fold(0.0, f64::max);
    let least = if has_whole { LEAST } else { LEAST_OF_LARGEST * largest() };
    let is_large =
        |reading: Option<&Reading>| reading.and_then(Reading::value).is_some_and(|share| share > 0.0 && share >= least);
    // A warp that issues, or that another one is picked before, waits for nothing.
    let is_wait = |row: &&StallRow| row.reason != "selected" && (!has_whole || row.reason != NOT_SELECTED);
    let has_share = |row: &&StallRow| is_large(Some(&row.row.new)) || is_large(row.row.old.as_ref());
    let (mut rows, small): (Vec<&StallRow>, Vec<&StallRow>) = shares.rows.iter().filter(is_wait).partition(has_share);
    if rows.is_empty() && (has_whole || small.is_empty()) {
        return None;
    }
    let left_out = rows.split_off(most.min(rows.len()));
    let noted = rows.into_iter().map(|row| (row, here(audit, row, is_large(Some(&row.row.new)))));
    let noted: Vec<(&StallRow, Words)> = noted.collect();
    let has_samples = audit.now.phases.is_some() || audit.source.as_ref().is_some_and(|source| source.waits.is_some());
    let has_notes = has_samples && noted.iter().any(|(_, note)| !note.is_empty());
    let is_row = |(_, note): &(&StallRow, Words)| !has_notes || audit.before.is_some() || !note.is_empty();
    let (rows, unplaced): (Vec<_>, Vec<_>) = noted.into_iter().partition(is_row);
    let own = match (audit.before.is_some(), shares.basis) {
        (true, _) => "New",
        (false, StallBasis::PerIssue) => "Cycles",
        (false, _) => "Share",
    };
    let rounded: fn(f64) -> String = if has_whole { tenth } else { |cycles| format::fixed(cycles, 2) };
    let line = |(row, note): (&StallRow, Words)| {
        let [old, new] = sides(audit, &row.row, rounded);
        vec![text(row.row.label.as_str()), old, new, if has_notes { text(note) } else { Cell::default() }]
    };
    let mut basis = basis(audit, shares.basis);
    if !has_whole && !small.is_empty() {
        let small = small.iter().map(|row| Words::from(row.row.label.as_str()));
        basis.push(words!(" Next to none: {}.", words::join(small, ", ")));
    }
    if has_whole {
        basis.push(ready(audit, &shares.rows));
    }
    basis.push(if has_whole { Words::default() } else { turns(audit, shares.basis, &shares.rows) });
    let told = |row: &StallRow| Some(words!("{} {}", row.row.label.as_str(), rounded(row.row.new.value()?)));
    let further: Vec<Words> = unplaced.into_iter().map(|(row, _)| row).chain(left_out).filter_map(told).collect();
    if !further.is_empty() {
        basis.push(words!(" Not in the table: {}.", words::join(further, ", ")));
    }
    let mut blocks = vec![paragraph("basis", basis)];
    if !rows.is_empty() {
        blocks.push(filled("stalls", format!("Stall | Old: | {own}: | Here"), rows.into_iter().map(line)).into());
    }
    Some(Section::new("stalls", "Warp stalls", blocks))
}

/// Every reason on each basis that was collected, the first unfolded and with what it means; then the lines that wait.
pub(in crate::view) fn in_full(heading: &Heading, audit: &Audit) -> Section {
    let stalls = &audit.now.stalls;
    let mut blocks = Vec::new();
    if stalls.tables.is_empty() {
        blocks.push(paragraph(
            "not-collected",
            words!(
                "Not collected: no stall reasons. Collect with `--section WarpStateStats --section SourceCounters`."
            ),
        ));
    }
    for (at, table) in stalls.tables.iter().enumerate() {
        let (name, title, caption) = of_basis(table.basis);
        if at > 0 {
            let summary = format!("The same in another basis: {title}");
            blocks.push(fold(
                name,
                summary,
                [vec![paragraph(name, caption)], reasons(audit, table, name, false)].concat(),
            ));
            continue;
        }
        let rows = [&stalls.latency, &stalls.issue_active].into_iter().filter(|row| row.has_number());
        let rows: Vec<&Row> = rows.collect();
        blocks.extend((!rows.is_empty()).then(|| tables::metrics("issue", &rows)));
        // Another warp issues meanwhile.
        let active = stalls.issue_active.new.value().filter(|_| stalls.are_hidden);
        blocks.extend(active.map(|active| {
            let active = format::fixed(100.0 * active, 1);
            paragraph("hidden", words!("The schedulers issue in {} % of their active cycles: most of the waits below are hidden behind other warps.", active))
        }));
        blocks.push(paragraph(name, caption));
        blocks.extend(charts::placed(heading, charts::stalls(audit)));
        blocks.extend(reasons(audit, table, name, true));
    }
    blocks.extend(source_lines::waits(audit));
    Section::new("warp-states", "Warp states", blocks)
}

/// The reasons of a basis with what they mean, or with the names of their metrics, and how many have next to nothing on it.
fn reasons(audit: &Audit, table: &StallTable, name: &str, with_meaning: bool) -> Vec<Block> {
    let is_large = |stall: &&StallRow| {
        let sides = [Some(&stall.row.new), stall.row.old.as_ref()];
        sides.into_iter().flatten().any(|reading| reading.value().is_some_and(|value| value >= NOTHING))
    };
    let (large, small): (Vec<&StallRow>, Vec<&StallRow>) = table.rows.iter().partition(is_large);
    let rows: Vec<&Row> = large.iter().map(|stall| &stall.row).collect();
    let meanings = || {
        let cells = large.iter().map(|stall| text(meaning(audit, &stall.reason))).collect();
        Extra { title: "What the warp waits for here", cells, is_number: false }
    };
    let mut blocks = vec![match with_meaning {
        true => tables::readings(name, "Stall reason", &rows, vec![meanings()]).into(),
        false => tables::metrics(name, &rows),
    }];
    if !small.is_empty() {
        blocks.push(paragraph(name, format!("Below {NOTHING} wherever they were collected: {} more.", small.len())));
    }
    blocks
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

/// The catalog's meaning of a reason, in the reading that the executed opcodes call for.
fn meaning(audit: &Audit, reason: &str) -> &'static str {
    let Some(row) = catalog::stall(reason) else {
        return "A reason that this version's catalog does not know.";
    };
    let executed = |opcode: &str| audit.now.mix.count(|op| op.name() == opcode).is_some_and(|count| count > 0.0);
    row.reading_for(executed).map_or(row.means, |when| when.means)
}

fn basis(audit: &Audit, basis: StallBasis) -> Words {
    let latency = audit.now.stalls.latency.new.value();
    let latency = latency.map(|latency| format!(" ({} cycles per instruction)", digits(latency))).unwrap_or_default();
    let of = match basis {
        StallBasis::ShareOfWarpTime => format!("warp latency{latency}"),
        StallBasis::Samples => "warp samples".to_owned(),
        StallBasis::ShareOfActive => "active warps".to_owned(),
        StallBasis::PerIssue => {
            return words!("Cycles between two instructions of a warp; what all reasons sum up to was not collected.");
        }
        StallBasis::PercentOfPeak => {
            return "Warps in the state, % of the warp slots: few warps make all of them small, so compare the reasons.".into();
        }
    };
    words!("Share of {}, %; reasons of at least 3 %.", of)
}

/// Many warps that are ready while another one issues: they wait for nothing, and so are no row.
fn ready(audit: &Audit, rows: &[StallRow]) -> Words {
    let is_told = |row: &&StallRow| row.reason == NOT_SELECTED && row.row.new.value().is_some_and(|s| s >= MANY_READY);
    let Some(row) = rows.iter().find(is_told).map(|row| &row.row) else { return Words::default() };
    let share = |reading: &Reading| Some(tenth(reading.value()?));
    let old = row.old.as_ref().and_then(share).map(|old| format!("{old} → "));
    let eligible = value(audit, Counter::SmspWarpsEligibleAvgPerCycleActive);
    let eligible = eligible.map(|count| format!(" ({} eligible per scheduler)", digits(count)));
    let now = share(&row.new);
    words!(
        " {} {}{} %: ready warps wait for their turn{}, which costs no time.",
        row.label.as_str(),
        words::maybe(old),
        words::maybe(now),
        words::maybe(eligible)
    )
}

/// What long scoreboard and not selected say together where their shares are not known, beside the largest reason, and the least that
/// all come to: the cycle in which a warp issues, or the slots of the warps of one block. Both large: warps take turns, and each has too
/// little to do between its loads; waits alone: nobody is there to hide them; neither: it is something else.
fn turns(audit: &Audit, basis: StallBasis, rows: &[StallRow]) -> Words {
    let of_block = || {
        let slots = catalog::chip(audit.now.artefact.compute_capability?)?.max_warps_per_sm;
        Some(100.0 * audit.now.artefact.kernel.block?.count()?.div_ceil(32) as f64 / f64::from(slots))
    };
    let least = match basis {
        StallBasis::PerIssue => 1.0,
        StallBasis::PercentOfPeak => of_block().unwrap_or_default(),
        _ => 0.0,
    };
    let of = |reason: &str| rows.iter().find(|row| row.reason == reason).and_then(|row| row.row.new.value());
    let Some((loads, ready)) = of("long_scoreboard").zip(of(NOT_SELECTED)) else { return Words::default() };
    let largest = rows.iter().filter_map(|row| row.row.new.value()).fold(least, f64::max);
    Words::from(match (largest > 0.0, loads >= TELLS * largest, ready >= TELLS * largest) {
        (false, ..) => return Words::default(),
        (_, true, true) => {
            " Long scoreboard and not selected are both large: warps take turns at the wait, and more work between loads would hide it."
        }
        (_, true, false) => {
            " Long scoreboard is large and not selected is not: nobody is ready in the meantime, so loads issued earlier or more warps would hide it."
        }
        (_, false, false) => " Long scoreboard and not selected are both small: what warps wait for is elsewhere.",
        (_, false, true) => return Words::default(),
    })
}

/// What causes a reason in this kernel; of the old one where the new has next to nothing of it.
fn here(audit: &Audit, row: &StallRow, is_new: bool) -> Words {
    if row.reason == NOT_SELECTED {
        return "another warp was picked".into();
    }
    let caused = |phases: &Phases| {
        let told = if phases.samples >= FEW { causes::words(phases, &row.reason) } else { Words::default() };
        (!told.is_empty()).then_some(told)
    };
    if !is_new {
        let old = audit.before.as_ref().and_then(|old| old.phases.as_ref()).and_then(caused);
        return old.map_or_else(Words::default, |old| words!("old: {}", old));
    }
    match &audit.now.phases {
        Some(phases) if !phases.phases.is_empty() => caused(phases).unwrap_or_default(),
        _ => source_lines::place_of_wait(audit, &row.reason).unwrap_or_default(),
    }
}
