//! The stall breakdown: where a warp's time goes, old against new.

use super::axis;
use super::model::{Bar, BarRow, Bars, Chart, Figure, Shade};
use crate::analysis::{Audit, Row, StallBasis};
use crate::evidence::Reading;
use crate::quantity::format;
use crate::view::tables;

/// Reasons that are drawn at most.
const SHOWN: usize = 10;
/// Reasons below this on both sides are left to the table, in percent.
const SMALL: f64 = 1.0;
/// Reasons that the sentence names.
const NAMED: usize = 4;

/// The chart; `None` where no basis of shares was measured or one reason has it all.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
    let table = audit.now.stalls.tables.first()?;
    let subtitle = match table.basis {
        StallBasis::ShareOfWarpTime => "Percent of the cycles between two issued instructions of a warp",
        StallBasis::ShareOfActive => "Percent of the cycles of resident warps",
        StallBasis::PercentOfPeak => "Percent of the most warps that a scheduler can hold",
        StallBasis::Samples => "Percent of the warp samples",
        StallBasis::PerIssue => return None,
    };
    let value = |reading: &Reading| reading.value().unwrap_or(0.0);
    let either = |row: &Row| value(&row.new).max(row.old.as_ref().map_or(0.0, value));
    let rows: Vec<&Row> =
        table.rows.iter().map(|stall| &stall.row).filter(|row| either(row) >= SMALL).take(SHOWN).collect();
    if rows.len() < 2 {
        return None;
    }
    let ticks = axis::from_zero(rows.iter().map(|row| either(row)).fold(0.0, f64::max), |at| {
        format!("{} %", format::fixed(at, if at.fract() == 0.0 { 0 } else { 1 }))
    });
    let has_old = rows.iter().any(|row| row.old.is_some());
    let named: Vec<String> = rows.iter().take(NAMED).map(|row| said(row)).collect();
    Some(Chart {
        id: "stalls".into(),
        title: if has_old { "Warp stalls, old against new".into() } else { "Warp stalls".into() },
        subtitle: subtitle.into(),
        message: format!("{subtitle}, the largest first: {}.", named.join("; ")),
        file: String::new(),
        figure: Figure::Bars(Bars {
            legend: legend(has_old),
            is_stacked: false,
            until: ticks.last().map_or(100.0, |tick| tick.at),
            ticks,
            rows: rows.iter().map(|row| bar_row(row)).collect(),
        }),
    })
}

/// What the shades of old and new stand for.
pub(super) fn legend(has_old: bool) -> Vec<(Shade, String)> {
    if has_old { vec![(Shade::Old, "old".into()), (Shade::New, "new".into())] } else { Vec::new() }
}

/// The sides of a row that have a number, the old one first.
fn sides(row: &Row) -> Vec<(Shade, f64)> {
    let old = row.old.as_ref().and_then(Reading::value).map(|value| (Shade::Old, value));
    old.into_iter().chain(row.new.value().map(|value| (Shade::New, value))).collect()
}

/// A row of percentages as bars, labelled with the numbers of the table.
fn bar_row(row: &Row) -> BarRow {
    let text = |value: f64| format!("{} %", format::fixed(value, 2));
    let bars = sides(row).into_iter().map(|(shade, value)| Bar { shade, value: value.max(0.0), text: text(value) });
    BarRow { label: row.label.clone(), bars: bars.collect() }
}

/// `DRAM throughput 32.64 % → 74.70 %`.
fn said(row: &Row) -> String {
    let (old, new) = tables::sides(row);
    if old.is_empty() { format!("{} {new}", row.label) } else { format!("{} {old} → {new}", row.label) }
}
