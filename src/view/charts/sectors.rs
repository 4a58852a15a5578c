//! Accesses by source line: what was needed and what was asked for on top.

use super::axis;
use super::model::{Bar, BarRow, Bars, Chart, Figure, Shade};
use crate::analysis::{AccessLine, Accesses, Audit};
use crate::quantity::format;
use crate::quantity::glance;

/// Lines that are drawn at most.
const SHOWN: usize = 8;
/// Lines below this share of the excess are left to the table, in percent.
const SMALL: f64 = 1.0;

pub(in crate::view) fn global(audit: &Audit) -> Option<Chart> {
    let accesses = audit.source.as_ref()?.global.as_ref()?;
    chart(accesses, "sectors", "Global sectors by source line", "sectors")
}

pub(in crate::view) fn shared(audit: &Audit) -> Option<Chart> {
    let accesses = audit.source.as_ref()?.shared.as_ref()?;
    chart(accesses, "wavefronts", "Shared-memory wavefronts by source line", "wavefronts")
}

/// `None` where fewer than two lines have excess: the table says that in one row.
fn chart(accesses: &Accesses, id: &str, title: &str, unit: &str) -> Option<Chart> {
    let is_drawn = |line: &&AccessLine| line.excess > 0 && line.share >= SMALL && line.ideal.is_some();
    let lines: Vec<&AccessLine> = accesses.lines.iter().filter(is_drawn).take(SHOWN).collect();
    if lines.len() < 2 {
        return None;
    }
    let largest = lines.iter().map(|line| line.moved).max()? as f64;
    let ticks = axis::from_zero(largest, glance::short);
    let row = |line: &&AccessLine| {
        let (ideal, excess) = (line.ideal.unwrap_or(0), line.moved.saturating_sub(line.ideal.unwrap_or(0)));
        let times = line.ways().map(|ways| format!(", {} ×", format::fixed(ways, 1))).unwrap_or_default();
        let label =
            if line.kind.is_empty() { line.spot.label() } else { format!("{} {}", line.spot.label(), line.kind) };
        BarRow {
            label,
            bars: vec![
                Bar { shade: Shade::New, value: ideal as f64, text: String::new() },
                Bar {
                    shade: Shade::Excess,
                    value: excess as f64,
                    text: format!("{}{times}", glance::short(line.moved as f64)),
                },
            ],
        }
    };
    let said = |line: &AccessLine| {
        let ideal = format::integer(line.ideal.unwrap_or(0));
        format!("{} requests {}, {ideal} needed", line.spot.label(), format::integer(line.moved))
    };
    let named: Vec<String> = lines.iter().take(3).map(|line| said(line)).collect();
    Some(Chart {
        id: id.into(),
        title: title.into(),
        subtitle: format!("{} that the bytes need, and the excess", format::capital(unit)),
        message: format!("{title}, the most excess first: {}.", named.join("; ")),
        file: String::new(),
        figure: Figure::Bars(Bars {
            legend: vec![(Shade::New, "needed (ideal)".into()), (Shade::Excess, "excess".into())],
            is_stacked: true,
            until: ticks.last().map_or(1.0, |tick| tick.at),
            ticks,
            rows: lines.iter().map(row).collect(),
        }),
    })
}
