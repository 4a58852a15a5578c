//! Elements of a drawing, with numbers of one decimal.

use crate::render::xml;
use crate::view::charts::{Shade, Shape};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// Width of every chart in its own units.
pub(super) const WIDTH: f64 = 480.0;
/// Space at the left and right edge.
pub(super) const EDGE: f64 = 12.0;

/// Mean width of a character of the charts' type, in the widest of the fonts that it names.
const CHARACTER: f64 = 7.7;

pub(super) fn width(text: &str) -> f64 {
    CHARACTER * text.width() as f64
}

/// A coordinate: one decimal at most, and never `-0`.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn through(points: &[(f64, f64)]) -> String {
    let places: Vec<String> = points.iter().map(|(x, y)| format!("{} {}", number(*x), number(*y))).collect();
    format!("M{}", places.join("L"))
}

/// The elements of a drawing in painting order.
#[derive(Debug, Default)]
pub(super) struct Writer(String);

// Writing to a string cannot fail, so that the results below are dropped.
impl Writer {
    /// Text that begins at `x`; `look` is `title`, `mute`, or empty.
    pub(super) fn text(&mut self, x: f64, y: f64, look: &str, text: &str) {
        self.anchored(x, y, look, "start", text);
    }

    /// Text that begins at, ends at or is centred on `x`: `start`, `end`, `middle`.
    pub(super) fn anchored(&mut self, x: f64, y: f64, look: &str, anchor: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let class = if look.is_empty() { String::new() } else { format!(" class=\"chart-{look}\"") };
        let anchor = if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        let _ =
            writeln!(self.0, "<text x=\"{}\" y=\"{}\"{class}{anchor}>{}</text>", number(x), number(y), xml::text(text));
    }

    /// A label below a horizontal axis, centred inside the canvas, where it has room behind the last one, which ends at `free`.
    pub(super) fn label(&mut self, x: f64, y: f64, text: &str, free: &mut f64) {
        let half = width(text) / 2.0;
        let middle = x.max(half + 2.0).min(WIDTH - EDGE - half);
        if !text.is_empty() && middle - half > *free {
            self.anchored(middle, y, "mute", "middle", text);
            *free = middle + half + 6.0;
        }
    }

    /// Text along a slope of `degrees`, with a rim in the background's colour.
    pub(super) fn sloped(&mut self, x: f64, y: f64, degrees: f64, text: &str) {
        let (x, y) = (number(x), number(y));
        let _ = writeln!(
            self.0,
            "<text x=\"{x}\" y=\"{y}\" class=\"chart-mute chart-halo\" transform=\"rotate({} {x} {y})\">{}</text>",
            number(degrees),
            xml::text(text)
        );
    }

    pub(super) fn bar(&mut self, shade: Shade, x: f64, y: f64, width: f64, height: f64) {
        if shade != Shade::Gap {
            self.rectangle(shade.into(), [x, y, width, height]);
        }
    }

    fn rectangle(&mut self, class: &str, place: [f64; 4]) {
        let [x, y, width, height] = place.map(number);
        let _ = writeln!(
            self.0,
            "<rect class=\"chart-{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
        );
    }

    /// A straight line of the class `chart-grid` or `chart-axis`.
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (a, b) = (number(from.0), number(from.1));
        let _ = writeln!(self.0, "<path class=\"{class}\" d=\"M{a} {b}L{} {}\"/>", number(to.0), number(to.1));
    }

    pub(super) fn path(&mut self, is_dashed: bool, points: &[(f64, f64)]) {
        let class = if is_dashed { "chart-line chart-dash" } else { "chart-line" };
        let _ = writeln!(self.0, "<path class=\"{class}\" d=\"{}\"/>", through(points));
    }

    /// A level over time, in one of five looks; with its name and its points where they are to be asked for.
    pub(super) fn level(&mut self, look: usize, points: &[(f64, f64)], values: Option<(&str, &[u8])>) {
        let values = values.map(|(name, points)| {
            let points: Vec<String> = points.iter().map(u8::to_string).collect();
            format!(" data-name=\"{}\" data-values=\"{}\"", xml::text(name), points.join(" "))
        });
        let (values, line) = (values.unwrap_or_default(), through(points));
        let _ = writeln!(self.0, "<path class=\"chart-level chart-level-{look}\"{values} d=\"{line}\"/>");
    }

    /// A stretch that is set off.
    pub(super) fn stretch(&mut self, x: f64, y: f64, width: f64, height: f64) {
        self.rectangle("stretch", [x, y, width, height]);
    }

    /// The elements of a panel from here on: where it lies, and the time at its right end.
    pub(super) fn begin_panel(&mut self, across: (f64, f64), down: (f64, f64), end: f64, unit: &str) {
        let place = [across.0, across.1, down.0, down.1].map(number).join(" ");
        let _ = writeln!(
            self.0,
            "<g class=\"chart-panel\" data-place=\"{place}\" data-end=\"{end:.3}\" data-unit=\"{}\">",
            xml::text(unit)
        );
    }

    pub(super) fn end_panel(&mut self) {
        self.0.push_str("</g>\n");
    }

    /// A mark with its centre at a point.
    pub(super) fn mark(&mut self, shade: Shade, shape: Shape, x: f64, y: f64) {
        let class: &str = shade.into();
        let polygon = |points: [(f64, f64); 4]| {
            let points = points.map(|(dx, dy)| (x + dx, y + dy));
            format!("<path class=\"chart-{class} chart-mark\" d=\"{}Z\"/>", through(&points))
        };
        let text = match shape {
            Shape::Disc => {
                let (x, y) = (number(x), number(y));
                format!("<circle class=\"chart-{class} chart-mark\" cx=\"{x}\" cy=\"{y}\" r=\"6\"/>")
            }
            Shape::Square => polygon([(-5.5, -5.5), (5.5, -5.5), (5.5, 5.5), (-5.5, 5.5)]),
            Shape::Triangle => polygon([(0.0, -7.0), (6.5, 5.0), (-6.5, 5.0), (0.0, -7.0)]),
            Shape::Diamond => polygon([(0.0, -7.5), (7.5, 0.0), (0.0, 7.5), (-7.5, 0.0)]),
        };
        let _ = writeln!(self.0, "{text}");
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        assert_eq!([12.0, 12.34, -0.01, -3.26].map(number), ["12", "12.3", "0", "-3.3"]);
    }

    #[test]
    fn text_is_escaped() {
        let mut writer = Writer::default();
        writer.text(1.0, 2.0, "", "</text><script>&\"\0");
        let text = writer.into_text();
        assert_eq!(text, "<text x=\"1\" y=\"2\">&lt;/text&gt;&lt;script&gt;&amp;&quot;\u{fffd}</text>\n");
    }
}
