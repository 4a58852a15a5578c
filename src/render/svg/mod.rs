//! Charts as SVG: one small file that follows the reader's light or dark scheme, prints, and speaks to screen readers.
//!
//! Owns coordinates, colours and type sizes. Receives a [`Chart`] of finished labels, gives text; the same chart gives
//! the same bytes. The canvas is narrow and the type large, so that a phone shows it at nearly its own size.

mod bars;
mod plot;
mod series;
mod writer;

use crate::render::xml;
use crate::view::charts::{Chart, Figure};
use std::path::Path;
use writer::{EDGE, WIDTH, Writer};

/// Colours and type of every chart. The classes begin with `chart`, so that a page can hold the same style once for all
/// of its charts. The colours stay apart for readers with any of the common colour deficiencies, and in grey.
pub(super) const STYLE: &str = include_str!("style.css");
/// What charts of levels over time have beside it.
pub(super) const SERIES_STYLE: &str = include_str!("series.css");

/// The chart as a file of its own.
pub fn file(chart: &Chart) -> String {
    let own = if matches!(chart.figure, Figure::Series(_)) { SERIES_STYLE } else { "" };
    let style = format!("{STYLE}{own}");
    drawn(chart, &format!("<style>{}</style>\n", style.trim_end()), "xmlns=\"http://www.w3.org/2000/svg\" ", false)
}

/// Whether a file begins as a chart of this program does.
pub fn is_own(path: &Path) -> bool {
    const BEGIN: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\"";
    crate::read::head(path, BEGIN.len() as u64).is_ok_and(|head| head == BEGIN)
}

/// The chart as a part of an HTML page that holds [`STYLE`].
pub(super) fn inline(chart: &Chart) -> String {
    drawn(chart, "", "", true)
}

fn drawn(chart: &Chart, style: &str, namespace: &str, has_values: bool) -> String {
    let mut writer = Writer::default();
    let mut y = 24.0;
    writer.text(EDGE, y, "title", &chart.title);
    if !chart.subtitle.is_empty() {
        y += 17.0;
        writer.text(EDGE, y, "mute", &chart.subtitle);
    }
    let height = match &chart.figure {
        Figure::Bars(bars) => bars::draw(bars, y, &mut writer),
        Figure::Plot(plot) => plot::draw(plot, y, &mut writer),
        Figure::Series(of) => series::draw(of, y, has_values, &mut writer),
    };
    let (id, title, message) = (xml::text(&chart.id), xml::text(&chart.title), xml::text(&chart.message));
    let (width, height) = (writer::number(WIDTH), writer::number(height));
    format!(
        "<svg {namespace}class=\"chart\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{message}</desc>\n\
         {style}<rect class=\"chart-back\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\n{}</svg>\n",
        writer.into_text()
    )
}
