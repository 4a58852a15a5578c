//! The stall breakdown: where a warp's time goes, old against new.

use super::axis;
use super::model::{Bars, Chart, Figure};
use super::speed_of_light::{bar_row, legend, said};
use crate::analysis::{Audit, Row, StallBasis};
use crate::evidence::Reading;
use crate::quantity::format;

/// Reasons that are drawn at most.
const SHOWN: usize = 10;
/// Reasons below this on both sides are left to the table, in percent.
const SMALL: f64 = 1.0;
/// Reasons that the sentence names.
const NAMED: usize = 4;

/// The chart; `None` where no basis of shares was measured or one reason has it all.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
    let table = audit.stalls.tables.first()?;
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
