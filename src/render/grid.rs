//! Tables as grids of padded cells, so that the page reads as a table before it is rendered.

use crate::view::Align;
use unicode_width::UnicodeWidthStr;

/// Cells wider than this stick out of their column instead of widening every row.
const WIDEST: usize = 72;

/// A table of Markdown cells, each padded to its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) header: Vec<String>,
    pub(super) rule: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Grid {
    /// The table's lines, each cell between bars.
    pub(super) fn lines(&self) -> String {
        let mut out = String::new();
        for cells in [&self.header, &self.rule].into_iter().chain(&self.rows) {
            out.push('|');
            for cell in cells {
                out.extend([" ", cell, " |"]);
            }
            out.push('\n');
        }
        out.pop();
        out
    }
}

pub(super) fn set(header: Vec<String>, rows: Vec<Vec<String>>, aligns: Vec<Align>) -> Grid {
    let widest = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        cells.chain(header.get(at)).map(|cell| width(cell)).filter(|w| *w <= WIDEST).max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..header.len()).map(widest).collect();
    let line = |cells: Vec<String>| {
        let places = widths.iter().zip(&aligns).map(Some).chain(std::iter::repeat(None));
        cells.into_iter().zip(places).map(|(cell, place)| match place {
            Some((width, align)) => pad(&cell, *width, *align),
            None => cell,
        })
    };
    let dashes = |(width, align): (&usize, &Align)| match align {
        Align::Left => "-".repeat(*width),
        Align::Right => format!("{}:", "-".repeat(width - 1)),
    };
    Grid {
        rule: widths.iter().zip(&aligns).map(dashes).collect(),
        rows: rows.into_iter().map(|row| line(row).collect()).collect(),
        header: line(header).collect(),
    }
}

/// `text` filled with spaces to `width` terminal columns, on the side that the alignment asks for.
pub(super) fn pad(text: &str, width: usize, align: Align) -> String {
    let fill = " ".repeat(width.saturating_sub(self::width(text)));
    match align {
        Align::Left => text.to_owned() + &fill,
        Align::Right => fill + text,
    }
}

fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}
