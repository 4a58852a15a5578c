//! Curves and marks over two axes.

use super::writer::{EDGE, WIDTH, Writer, width};
use crate::view::charts::{Axis, Curve, Mark, Plot};

const AREA: f64 = 230.0;
const LINE: f64 = 20.0;

/// Where values lie on the canvas.
struct Frame<'p> {
    plot: &'p Plot,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame<'_> {
    fn x(&self, value: f64) -> f64 {
        self.left + share(&self.plot.x, value) * (self.right - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - share(&self.plot.y, value) * (self.bottom - self.top)
    }
}

/// The place of a value on an axis, 0 to 1.
fn share(axis: &Axis, value: f64) -> f64 {
    let place = if axis.is_log {
        (value.max(axis.from).log10() - axis.from.log10()) / (axis.until.log10() - axis.from.log10())
    } else {
        (value - axis.from) / (axis.until - axis.from)
    };
    place.clamp(0.0, 1.0)
}

/// Draws below `top`; gives the height of the whole chart.
pub(super) fn draw(plot: &Plot, top: f64, writer: &mut Writer) -> f64 {
    let mut y = legend(&plot.marks, top, writer);
    if !plot.y.title.is_empty() {
        y += 22.0;
        writer.text(EDGE, y, "mute", &plot.y.title);
    }
    let labels = plot.y.ticks.iter().map(|tick| width(&tick.text)).fold(0.0, f64::max);
    let top = y + 14.0;
    let frame = Frame { plot, left: EDGE + labels + 8.0, right: WIDTH - EDGE - 10.0, top, bottom: top + AREA };
    grid(&frame, writer);
    for curve in &plot.curves {
        let points: Vec<(f64, f64)> = curve.points.iter().map(|(x, y)| (frame.x(*x), frame.y(*y))).collect();
        writer.path(curve.is_dashed, &points);
    }
    for curve in &plot.curves {
        name(curve, &frame, writer);
    }
    for mark in &plot.marks {
        let (x, y) = (frame.x(mark.x), frame.y(mark.y));
        writer.mark(mark.shade, mark.shape, x, y);
        let half = width(&mark.label) / 2.0;
        let middle = x.clamp(frame.left + half, (frame.right - half).max(frame.left + half));
        let label = if leaves_upwards(mark, &frame) || is_under_a_curve(mark, &frame) { y + 21.0 } else { y - 12.0 };
        writer.anchored(middle, label, "halo", "middle", &mark.label);
    }
    let below = frame.bottom + 20.0;
    if plot.x.title.is_empty() {
        return below + 10.0;
    }
    writer.anchored(f64::midpoint(frame.left, frame.right), below + 18.0, "mute", "middle", &plot.x.title);
    below + 30.0
}

/// Whether the curve through a mark goes up from it alone, so that its label has room below.
fn leaves_upwards(mark: &Mark, frame: &Frame<'_>) -> bool {
    let y = frame.y(mark.y);
    let is_neighbour = |pair: &[(f64, f64)]| -> Option<f64> {
        let [from, to] = pair else { return None };
        let own = (mark.x, mark.y);
        if *from == own { Some(frame.y(to.1)) } else { (*to == own).then(|| frame.y(from.1)) }
    };
    let curves = frame.plot.curves.iter().flat_map(|curve| curve.points.windows(2));
    let ends: Vec<f64> = curves.filter_map(is_neighbour).collect();
    !ends.is_empty() && ends.iter().all(|end| *end < y - 1.0) && y + 26.0 < frame.bottom
}

/// Whether another curve passes where a label above a mark would stand.
fn is_under_a_curve(mark: &Mark, frame: &Frame<'_>) -> bool {
    let y = frame.y(mark.y);
    let mut points = frame.plot.curves.iter().flat_map(|curve| &curve.points).filter(|(x, _)| *x == mark.x);
    points.any(|(_, other)| (y - 30.0..y - 1.0).contains(&frame.y(*other))) && y + 26.0 < frame.bottom
}

fn grid(frame: &Frame<'_>, writer: &mut Writer) {
    for tick in &frame.plot.y.ticks {
        let y = frame.y(tick.at);
        writer.line("chart-grid", (frame.left, y), (frame.right, y));
        writer.anchored(frame.left - 8.0, y + 4.5, "mute", "end", &tick.text);
    }
    let mut free = f64::NEG_INFINITY;
    for tick in &frame.plot.x.ticks {
        let x = frame.x(tick.at);
        writer.line("chart-grid", (x, frame.top), (x, frame.bottom));
        writer.label(x, frame.bottom + 18.0, &tick.text, &mut free);
    }
    writer.line("chart-axis", (frame.left, frame.bottom), (frame.right, frame.bottom));
}

/// The name of a curve along its first part, or at the end of a level one.
fn name(curve: &Curve, frame: &Frame<'_>, writer: &mut Writer) {
    let [(x1, y1), (x2, y2)] = curve.points[..] else { return };
    let ((x1, y1), (x2, y2)) = ((frame.x(x1), frame.y(y1)), (frame.x(x2), frame.y(y2)));
    if (y1 - y2).abs() < 0.5 {
        writer.anchored(frame.right, y1 - 7.0, "mute", "end", &curve.label);
        return;
    }
    let angle = (y2 - y1).atan2(x2 - x1);
    let length = (x2 - x1).hypot(y2 - y1);
    let along = (length * 0.5 - width(&curve.label) / 2.0).max(8.0);
    let (x, y) = (x1 + along * angle.cos() + 6.0 * angle.sin(), y1 + along * angle.sin() - 6.0 * angle.cos());
    writer.sloped(x, y, angle.to_degrees(), &curve.label);
}

/// A line for each mark that has one; gives the lower edge.
fn legend(marks: &[Mark], top: f64, writer: &mut Writer) -> f64 {
    let mut y = top + 4.0;
    for mark in marks.iter().filter(|mark| !mark.legend.is_empty()) {
        y += LINE;
        writer.mark(mark.shade, mark.shape, EDGE + 7.0, y - 4.5);
        writer.text(EDGE + 22.0, y, "", &mark.legend);
    }
    y
}
