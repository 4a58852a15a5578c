//! Speed of Light: the compute and memory numbers, old against new.

use super::model::{Bar, BarRow, Bars, Chart, Figure, Shade, Tick};
use crate::analysis::{Audit, Row};
use crate::evidence::Reading;
use crate::quantity::{Unit, format};
use crate::view::tables;

/// The chart; `None` where fewer than two shares of peak were measured.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
    let panel = audit.panel("speed-of-light")?;
    let is_share = |row: &&Row| row.new.quantity().is_some_and(|quantity| quantity.unit() == Unit::PERCENT);
    let rows: Vec<&Row> = panel.rows.iter().filter(is_share).collect();
    if rows.len() < 2 {
        return None;
    }
    let has_old = rows.iter().any(|row| row.old.is_some());
    let largest = rows.iter().flat_map(|row| sides(row)).map(|(_, value)| value).fold(100.0, f64::max);
    let busiest = rows.iter().max_by(|a, b| share(&a.new).total_cmp(&share(&b.new)))?;
    let said: Vec<String> = rows.iter().map(|row| said(row)).collect();
    Some(Chart {
        id: "speed-of-light".into(),
        title: if has_old { "Speed of Light, old against new".into() } else { "Speed of Light".into() },
        subtitle: "Percent of the peak".into(),
        message: format!(
            "Speed of Light in percent of the peak: {}. The highest is {}.",
            said.join("; "),
            busiest.label
        ),
        file: String::new(),
        figure: Figure::Bars(Bars {
            legend: legend(has_old),
            is_stacked: false,
            until: largest,
            ticks: ticks(largest),
            rows: rows.iter().map(|row| bar_row(row)).collect(),
        }),
    })
}

fn ticks(largest: f64) -> Vec<Tick> {
    let marks = [0.0, 20.0, 40.0, 60.0, 80.0, 100.0].into_iter();
    marks.filter(|at| *at <= largest).map(|at| Tick { at, text: format!("{} %", format::fixed(at, 0)) }).collect()
}

fn share(reading: &Reading) -> f64 {
    reading.value().unwrap_or(0.0)
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
pub(super) fn bar_row(row: &Row) -> BarRow {
    let text = |value: f64| format!("{} %", format::fixed(value, 2));
    let bars = sides(row).into_iter().map(|(shade, value)| Bar { shade, value: value.max(0.0), text: text(value) });
    BarRow { label: row.label.clone(), bars: bars.collect() }
}

/// `DRAM throughput 32.64 % → 74.70 %`.
pub(super) fn said(row: &Row) -> String {
    let (old, new) = tables::sides(row);
    if old.is_empty() { format!("{} {new}", row.label) } else { format!("{} {old} → {new}", row.label) }
}
