//! Speed of Light: the busiest units of the kernel, of its old side and of its reference.

use super::model::{Bar, BarRow, Bars, Chart, Figure, Shade, Tick};
use crate::analysis::{Audit, Unit};
use crate::quantity::format;
use crate::view::groups::distinct;

/// Units drawn, and the share of peak from which one is.
const UNITS: usize = 6;
const LEAST: f64 = 0.05;

/// The chart; `None` where fewer than two units were busy.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
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
