//! Speed of Light: the compute and memory numbers, old against new; beside a reference, the units of both.

use super::model::{Bar, BarRow, Bars, Chart, Figure, Shade, Tick};
use crate::analysis::{Audit, ReferenceProfile, Row, Unit as Part};
use crate::evidence::Reading;
use crate::quantity::{Unit, format};
use crate::view::tables;

/// Units drawn beside a reference, and the share of peak from which one is.
const UNITS: usize = 6;
const LEAST: f64 = 0.05;

/// The chart; `None` where fewer than two shares of peak were measured.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
    match audit.reference.as_ref().filter(|reference| !reference.units.is_empty()) {
        Some(reference) => beside(audit, reference),
        None => alone(audit),
    }
}

/// The units of the kernel, of its old side and of its reference.
fn beside(audit: &Audit, reference: &ReferenceProfile) -> Option<Chart> {
    let new = &audit.bottleneck.units;
    let old = audit.old_bottleneck.as_ref().map(|old| old.units.as_slice()).unwrap_or_default();
    let mut names: Vec<&str> = Vec::new();
    for unit in new.iter().chain(&reference.units).filter(|unit| unit.share >= LEAST) {
        if !names.contains(&unit.name.as_str()) {
            names.push(&unit.name);
        }
    }
    names.truncate(UNITS);
    if names.len() < 2 {
        return None;
    }
    let of = |units: &[Part], name: &str| units.iter().find(|unit| unit.name == name).map(|unit| 100.0 * unit.share);
    let sides: [(Shade, &str, &[Part]); 3] =
        [(Shade::Old, "old", old), (Shade::New, "new", new), (Shade::Reference, "reference", &reference.units)];
    let text = |value: f64| format!("{} %", format::fixed(value, 1));
    let row = |name: &&str| BarRow {
        label: format::capital(name),
        bars: sides
            .iter()
            .filter_map(|(shade, _, units)| {
                let value = of(units, name)?;
                Some(Bar { shade: *shade, value: value.max(0.0), text: text(value) })
            })
            .collect(),
    };
    let said = |name: &&str| {
        let told: Vec<String> =
            sides.iter().filter_map(|(_, side, units)| Some(format!("{side} {}", text(of(units, name)?)))).collect();
        format!("{name} {}", told.join(", "))
    };
    let told: Vec<String> = names.iter().map(said).collect();
    let rows: Vec<BarRow> = names.iter().map(row).collect();
    let largest = rows.iter().flat_map(|row| &row.bars).map(|bar| bar.value).fold(100.0, f64::max);
    let legend = sides.iter().filter(|(_, _, units)| !units.is_empty());
    Some(Chart {
        id: "speed-of-light".into(),
        title: "Speed of Light beside the reference".into(),
        subtitle: "Units, percent of their peak".into(),
        message: format!("Units in percent of their peak: {}.", told.join("; ")),
        file: String::new(),
        figure: Figure::Bars(Bars {
            legend: legend.map(|(shade, side, _)| (*shade, (*side).to_owned())).collect(),
            is_stacked: false,
            until: largest,
            ticks: ticks(largest),
            rows,
        }),
    })
}

fn alone(audit: &Audit) -> Option<Chart> {
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
