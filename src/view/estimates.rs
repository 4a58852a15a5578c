//! Estimate against outcome: the bounds of the old side, and what the change gained.

use super::document::{Block, Table};
use super::tables::{self, code, columns_of, heading, paragraph, text};
use crate::analysis::{Audit, Estimates, PredictionMet, Pulled, Standing, Verdict};
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
    let lead =
        "The bounds of the old side's levers, and the readings they rest on, before and after. The change as a whole";
    let verdict = audit.comparison.as_ref().map(|comparison| comparison.whole.verdict);
    if verdict == Some(Verdict::NotComparable) {
        return format!("{lead} has no time: the sides do not compare.");
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
        Some((_, bound)) if gained > bound => {
            let why = match &estimates.fell {
                Some((label, by)) => format!("the work of {label} fell as well, by {} %", format::fixed(*by, 1)),
                None => "other stalls depended on the one that was removed".to_owned(),
            };
            format!("{whole} That is more than the largest bound ({} %): {why}.", format::fixed(bound, 1))
        }
        _ => whole,
    }
}

fn met(pulled: &Pulled) -> &'static str {
    match pulled.met {
        Some(PredictionMet::Within) => "within",
        Some(PredictionMet::Pulled) => "pulled",
        Some(PredictionMet::Exceeded) => "exceeded",
        Some(PredictionMet::NotThisChange) => "not this change",
        None => "",
    }
}

fn table(estimates: &Estimates) -> Table {
    let columns = columns_of("Lever of the old side | At most: | Reading | Old: | New: | Outcome");
    let row = |pulled: &Pulled| {
        vec![
            tables::sentence(&pulled.sentence),
            pulled.bound.map_or_else(|| text("no bound"), |bound| tables::bound(bound, pulled.is_rough)),
            code(pulled.remeasure.clone()),
            tables::reading(&pulled.old),
            tables::reading(&pulled.new),
            text(met(pulled)),
        ]
    };
    tables::table("estimates", columns, estimates.levers.iter().map(row).collect())
}
