//! Estimate against outcome: the bounds of the old side, and what the change gained.

use super::ceiling;
use super::document::{Block, Table};
use super::tables::{self, code, heading, left, paragraph, right};
use crate::analysis::{Audit, Estimates, Pulled, Standing, Verdict};
use crate::quantity::format;

/// The part of the ceiling's section; nothing without an old side that had levers, and for wrong
/// results.
pub(super) fn blocks(audit: &Audit) -> Vec<Block> {
    let is_wrong = audit.standing() == Standing::Wrong;
    let held = audit.estimates.as_ref().filter(|estimates| !estimates.levers.is_empty() && !is_wrong);
    let Some(estimates) = held else {
        return Vec::new();
    };
    vec![
        heading("estimates", "Estimate against outcome"),
        paragraph("estimates", sentence(audit, estimates)),
        table(estimates).into(),
    ]
}

fn sentence(audit: &Audit, estimates: &Estimates) -> String {
    let lead = "The bounds that the old side gave its levers, and what became of their readings. The change as a whole";
    let verdict = audit.comparison.as_ref().map(|comparison| comparison.whole.verdict);
    if verdict == Some(Verdict::NotComparable) {
        return format!("{lead} cannot be put in time: the sides do not compare.");
    }
    let Some(gained) = estimates.gained else { return format!("{lead} was not measured in time.") };
    let shown = format::fixed(gained.abs(), 1);
    let word = verdict.map(|verdict| format!(" ({verdict})")).unwrap_or_default();
    let whole = if gained >= 0.0 {
        format!("{lead} saved {shown} % of the old run time{word}.")
    } else {
        format!("{lead} cost {shown} % of the old run time{word}.")
    };
    match estimates.largest() {
        Some(largest) if gained > largest.bound => format!(
            "{whole} That is more than the largest bound ({} %): the change did what no lever names, or other waits hung on the one that it took away.",
            format::fixed(largest.bound, 1)
        ),
        _ => whole,
    }
}

fn table(estimates: &Estimates) -> Table {
    let columns = vec![left("Lever of the old side"), right("At most"), left("Reading"), right("Old"), right("New")];
    let row = |pulled: &Pulled| {
        vec![
            ceiling::sentence(&pulled.sentence),
            ceiling::bound(pulled.bound, pulled.is_rough),
            code(pulled.remeasure.clone()),
            tables::reading(&pulled.old),
            tables::reading(&pulled.new),
        ]
    };
    tables::table("estimates", columns, estimates.levers.iter().map(row).collect())
}
