//! Bars, old against new: where a warp's time goes, what each level of memory moved with the hit rate in front of it, and the busiest
//! units beside those of the reference.

use super::axis;
use super::model::{Bar, BarRow, Bars, Chart, Figure, Shade, Tick};
use crate::analysis::{Audit, Row, StallBasis, Unit};
use crate::catalog::Counter;
use crate::evidence::Reading;
use crate::quantity::{format, glance};
use crate::view::brief::memory;
use crate::view::groups::distinct;
use crate::view::tables;

/// Reasons that are drawn at most.
const SHOWN: usize = 10;
/// Reasons below this on both sides are left to the table, in percent.
const SMALL: f64 = 1.0;
/// Reasons that the sentence names.
const NAMED: usize = 4;

/// The chart; `None` where no basis of shares was measured or one reason has it all.
pub(in crate::view) fn stalls(audit: &Audit) -> Option<Chart> {
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
        figure: both(has_old, ticks, rows.iter().map(|row| bar_row(row)).collect()),
    })
}

/// Bars of one side, or of the old and the new one, as far as the marks of their axis.
fn both(has_old: bool, ticks: Vec<Tick>, rows: Vec<BarRow>) -> Figure {
    let shades = [(Shade::Old, "old".to_owned()), (Shade::New, "new".to_owned())];
    let legend = if has_old { shades.to_vec() } else { Vec::new() };
    let until = ticks.last().map_or(1.0, |tick| tick.at);
    Figure::Bars(Bars { legend, is_stacked: false, until, ticks, rows })
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

/// `None` where fewer than two levels moved something: the table says that in one row.
pub(in crate::view) fn memory(audit: &Audit) -> Option<Chart> {
    let levels = memory::levels(audit);
    if levels.len() < 2 {
        return None;
    }
    let side = |row: &Row, is_old: bool| {
        if is_old { row.old.as_ref().and_then(Reading::value) } else { row.new.value() }
    };
    let rate = |metric: Counter, is_old: bool| side(audit.panels.iter().find_map(|panel| panel.row(metric))?, is_old);
    let bars = levels.iter().map(|(level, row)| {
        let bar = |(shade, is_old): (Shade, bool)| {
            let value = side(row, is_old)?;
            let hits = level.hits.and_then(|(cache, metric)| Some((cache, rate(metric, is_old)?)));
            let hits = hits.map(|(cache, rate)| format!(", {} % hit in {cache}", format::fixed(rate, 1)));
            let text = format!("{}{}", glance::bytes(value), hits.unwrap_or_default());
            Some(Bar { shade, value, text })
        };
        let sides = [(Shade::Old, true), (Shade::New, false)];
        BarRow { label: level.label.to_owned(), bars: sides.into_iter().filter_map(bar).collect() }
    });
    let bars: Vec<BarRow> = bars.collect();
    let has_old = bars.iter().any(|row| row.bars.len() > 1);
    let said = |row: &BarRow| {
        let texts: Vec<&str> = row.bars.iter().map(|bar| bar.text.as_str()).collect();
        format!("{} {}", row.label, texts.join(" → "))
    };
    let told: Vec<String> = bars.iter().map(said).collect();
    let largest = bars.iter().flat_map(|row| &row.bars).map(|bar| bar.value).fold(0.0, f64::max);
    let ticks = axis::from_zero(largest, glance::bytes);
    Some(Chart {
        id: "memory".into(),
        title: if has_old { "Bytes by level, old against new".into() } else { "Bytes by level".into() },
        subtitle: "Bytes of a launch, and hit rates".into(),
        message: format!("Bytes by level: {}.", told.join("; ")),
        file: String::new(),
        figure: both(has_old, ticks, bars),
    })
}

/// Units drawn, and the share of peak from which one is.
const UNITS: usize = 6;
const LEAST: f64 = 0.05;

/// The chart; `None` where fewer than two units were busy.
pub(in crate::view) fn speed_of_light(audit: &Audit) -> Option<Chart> {
    let new = &audit.now.bottleneck.units;
    let old = audit.before.as_ref().map(|old| old.bottleneck.units.as_slice()).unwrap_or_default();
    let reference = audit.trials.reference.as_ref().map(|reference| reference.units.as_slice()).unwrap_or_default();
    let large = new.iter().chain(reference).filter(|unit| unit.share >= LEAST);
    let mut names = distinct(large.map(|unit| unit.name.as_str()));
    names.truncate(UNITS);
    if names.len() < 2 {
        return None;
    }
    let of = |units: &[Unit], name: &str| units.iter().find(|unit| unit.name == name).map(|unit| 100.0 * unit.share);
    let sides: [(Shade, &str, &[Unit]); 3] =
        [(Shade::Old, "old", old), (Shade::New, "new", new), (Shade::Reference, "reference", reference)];
    let sides: Vec<_> = sides.into_iter().filter(|(_, _, units)| !units.is_empty()).collect();
    let is_alone = sides.len() == 1;
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
        let told = sides.iter().filter_map(|(_, side, units)| {
            let share = text(of(units, name)?);
            Some(if is_alone { share } else { format!("{side} {share}") })
        });
        format!("{name} {}", told.collect::<Vec<_>>().join(", "))
    };
    let told: Vec<String> = names.iter().map(said).collect();
    let rows: Vec<BarRow> = names.iter().map(row).collect();
    let largest = rows.iter().flat_map(|row| &row.bars).map(|bar| bar.value).fold(100.0, f64::max);
    let legend = sides.iter().filter(|_| !is_alone).map(|(shade, side, _)| (*shade, (*side).to_owned()));
    let marks = [0.0, 20.0, 40.0, 60.0, 80.0, 100.0].into_iter();
    let ticks = marks.map(|at| Tick { at, text: format!("{} %", format::fixed(at, 0)) }).collect();
    Some(Chart {
        id: "speed-of-light".into(),
        title: "Speed of Light".into(),
        subtitle: "Units, percent of their peak".into(),
        message: format!("Units in percent of their peak: {}.", told.join("; ")),
        file: String::new(),
        figure: Figure::Bars(Bars { legend: legend.collect(), is_stacked: false, until: largest, ticks, rows }),
    })
}
