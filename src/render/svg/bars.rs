//! Horizontal bars.

use super::writer::{EDGE, WIDTH, Writer, width};
use crate::view::charts::{Bar, BarRow, Bars};

/// Height of a bar where a row has one, or all of its bars on one line.
const SINGLE: f64 = 18.0;
/// Height of a bar where a row has several below one another.
const DOUBLE: f64 = 15.0;
/// Between two rows.
const GAP: f64 = 10.0;
/// Labels up to this width stand at the left of their bars, longer ones above.
const BESIDE: f64 = 175.0;
/// Height of a label above its bars.
const ABOVE: f64 = 18.0;

/// Draws below `top`; gives the height of the whole chart.
pub(super) fn draw(bars: &Bars, top: f64, writer: &mut Writer) -> f64 {
    let mut y = legend(bars, top, writer) + 12.0;
    let longest = bars.rows.iter().map(|row| width(&row.label)).fold(0.0, f64::max);
    let is_beside = longest <= BESIDE;
    let left = if is_beside { EDGE + longest + 8.0 } else { EDGE };
    let texts = bars.rows.iter().flat_map(|row| &row.bars).map(|bar| width(&bar.text)).fold(0.0, f64::max);
    let right = WIDTH - EDGE - texts - 6.0;
    let scale = |value: f64| (value / bars.until).clamp(0.0, 1.0) * (right - left);
    let height = |row: &BarRow| {
        let bars = if bars.is_stacked || row.bars.len() < 2 { SINGLE } else { DOUBLE * row.bars.len() as f64 };
        bars + if is_beside { 0.0 } else { ABOVE }
    };
    let bottom = y + bars.rows.iter().map(|row| height(row) + GAP).sum::<f64>();
    let mut free = f64::NEG_INFINITY;
    for tick in &bars.ticks {
        let x = left + scale(tick.at);
        writer.line("chart-grid", (x, y - 4.0), (x, bottom));
        writer.label(x, bottom + 16.0, &tick.text, &mut free);
    }
    for row in &bars.rows {
        let mut at = y;
        if is_beside {
            writer.anchored(left - 8.0, y + (height(row)) / 2.0 + 4.5, "", "end", &row.label);
        } else {
            writer.text(left, y + 12.0, "halo", &row.label);
            at += ABOVE;
        }
        if bars.is_stacked {
            stack(row, left, at, scale, writer);
        } else {
            let thick = if row.bars.len() < 2 { SINGLE } else { DOUBLE };
            for bar in &row.bars {
                one(bar, left, at, thick, scale, writer);
                at += thick;
            }
        }
        y += height(row) + GAP;
    }
    bottom + 28.0
}

fn one(bar: &Bar, left: f64, y: f64, thick: f64, scale: impl Fn(f64) -> f64, writer: &mut Writer) {
    let length = scale(bar.value);
    writer.bar(bar.shade, left, y + 0.5, length, thick - 1.0);
    writer.text(left + length + 5.0, y + thick / 2.0 + 4.5, "halo", &bar.text);
}

fn stack(row: &BarRow, left: f64, y: f64, scale: impl Fn(f64) -> f64, writer: &mut Writer) {
    let mut x = left;
    for bar in &row.bars {
        let length = scale(bar.value);
        writer.bar(bar.shade, x, y, length, SINGLE);
        x += length;
    }
    let text = row.bars.iter().rev().find(|bar| !bar.text.is_empty()).map_or("", |bar| bar.text.as_str());
    writer.text(x + 5.0, y + SINGLE / 2.0 + 4.5, "halo", text);
}

/// One line of shades and their names; gives its lower edge.
fn legend(bars: &Bars, top: f64, writer: &mut Writer) -> f64 {
    if bars.legend.is_empty() {
        return top;
    }
    let y = top + 22.0;
    let mut x = EDGE;
    for (shade, name) in &bars.legend {
        writer.bar(*shade, x, y - 10.0, 12.0, 12.0);
        writer.text(x + 18.0, y, "", name);
        x += 18.0 + width(name) + 20.0;
    }
    y + 6.0
}
