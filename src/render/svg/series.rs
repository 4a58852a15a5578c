//! Levels over time, a panel below the other on one scale.

use super::writer::{EDGE, WIDTH, Writer, number, width};
use crate::view::charts::{Panel, Series};

/// Height of the drawing area of a panel: of one alone, and of several.
const ALONE: f64 = 190.0;
const SHARED: f64 = 130.0;
/// The share of the peak at the upper edge.
const MOST: f64 = 100.0;
/// Marks of the vertical axis, in percent.
const MARKS: [f64; 3] = [0.0, 50.0, 100.0];

/// Draws below `top`; gives the height of the whole chart. With `values` the levels are there to be asked for.
pub(super) fn draw(series: &Series, top: f64, values: bool, writer: &mut Writer) -> f64 {
    let mut y = legend(&series.legend, top, writer);
    let area = if series.panels.len() > 1 { SHARED } else { ALONE };
    let left = EDGE + width("100 %") + 8.0;
    let right = WIDTH - EDGE - 10.0;
    let x = |at: f64| left + (at / series.until).clamp(0.0, 1.0) * (right - left);
    for panel in &series.panels {
        if !panel.title.is_empty() {
            y += 20.0;
            writer.text(EDGE, y, "", &panel.title);
        }
        let (above, below) = (y + 12.0, y + 12.0 + area);
        writer.begin_panel((left, x(panel.end)), (above, below), panel.end, &series.unit);
        frame(panel, (left, right), (above, below), &x, writer);
        let level = |percent: f64| below - (percent / MOST).clamp(0.0, 1.0) * area;
        for (look, points) in panel.levels.iter().rev() {
            let wide = (x(panel.end) - left) / points.len().max(1) as f64;
            let middle = |(n, percent): (usize, &u8)| (left + wide * (n as f64 + 0.5), level(f64::from(*percent)));
            let places: Vec<(f64, f64)> = points.iter().enumerate().map(middle).collect();
            let name = series.legend.get(*look).map_or("", String::as_str);
            writer.level(*look, &places, values.then_some((name, points.as_slice())));
        }
        writer.end_panel();
        y = below;
    }
    let mut free = f64::NEG_INFINITY;
    for tick in &series.ticks {
        writer.label(x(tick.at), y + 18.0, &tick.text, &mut free);
    }
    y + 30.0
}

fn frame(panel: &Panel, across: (f64, f64), down: (f64, f64), x: &impl Fn(f64) -> f64, writer: &mut Writer) {
    let ((left, right), (above, below)) = (across, down);
    for (from, until, what) in &panel.stretches {
        writer.stretch(x(*from), above, x(*until) - x(*from), below - above);
        if width(what) + 8.0 < x(*until) - x(*from) {
            writer.anchored(f64::midpoint(x(*from), x(*until)), above + 14.0, "mute", "middle", what);
        }
    }
    for mark in MARKS {
        let y = below - mark / MOST * (below - above);
        writer.line("chart-grid", (left, y), (right, y));
        writer.anchored(left - 8.0, y + 4.5, "mute", "end", &format!("{} %", number(mark)));
    }
    writer.line("chart-axis", (left, below), (right, below));
}

/// The looks with their names, as many on a line as there is room for; gives the lower edge.
fn legend(names: &[String], top: f64, writer: &mut Writer) -> f64 {
    let (mut x, mut y) = (EDGE, top + 22.0);
    for (look, name) in names.iter().enumerate() {
        let wide = 28.0 + width(name) + 16.0;
        if x > EDGE && x + wide > WIDTH - EDGE {
            (x, y) = (EDGE, y + 20.0);
        }
        writer.level(look, &[(x, y - 4.5), (x + 22.0, y - 4.5)], None);
        writer.text(x + 28.0, y, "", name);
        x += wide;
    }
    y + 4.0
}
