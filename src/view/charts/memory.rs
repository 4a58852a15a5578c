//! What each level of memory moved, old against new, with the hit rate in front of it.

use super::axis;
use super::model::{Bar, BarRow, Bars, Chart, Figure, Shade};
use super::stalls::legend;
use crate::analysis::{Audit, Row};
use crate::catalog::Counter;
use crate::evidence::Reading;
use crate::quantity::{format, glance};
use crate::view::brief::memory_levels;

/// `None` where fewer than two levels moved something: the table says that in one row.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
    let levels = memory_levels(audit);
    if levels.len() < 2 {
        return None;
    }
    let side = |row: &Row, is_old: bool| {
        if is_old { row.old.as_ref().and_then(Reading::value) } else { row.new.value() }
    };
    let rate = |metric: Counter, is_old: bool| side(audit.panels.iter().find_map(|panel| panel.row(metric))?, is_old);
    let bars: Vec<BarRow> = levels
        .iter()
        .map(|(level, row)| {
            let bar = |(shade, is_old): (Shade, bool)| {
                let value = side(row, is_old)?;
                let hits = level.hits.and_then(|(cache, metric)| Some((cache, rate(metric, is_old)?)));
                let hits = hits.map(|(cache, rate)| format!(", {} % hit in {cache}", format::fixed(rate, 1)));
                let text = format!("{}{}", glance::bytes(value), hits.unwrap_or_default());
                Some(Bar { shade, value, text })
            };
            let sides = [(Shade::Old, true), (Shade::New, false)];
            BarRow { label: level.label.to_owned(), bars: sides.into_iter().filter_map(bar).collect() }
        })
        .collect();
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
        figure: Figure::Bars(Bars {
            legend: legend(has_old),
            is_stacked: false,
            until: ticks.last().map_or(1.0, |tick| tick.at),
            ticks,
            rows: bars,
        }),
    })
}
