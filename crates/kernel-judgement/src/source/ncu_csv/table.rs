//! A table of a page, cut into rows that are taken apart when they are read.

use super::launch::Columns;
use super::number::{self, Locale, Number};
use super::records::{Cells, record};
use crate::evidence::{Damage, Report, Value};
use crate::source::Want;
use crate::source::text::Texts;
use std::collections::HashSet;

/// A page that ncu prints as CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvPage {
    /// `--page raw`: every metric by its own name.
    Raw,
    /// `--page details`, and what ncu prints without `--page`: the metrics of sections, and rules.
    Details,
    /// `--page source`: one row per instruction. Not read here.
    Source,
    /// `--print-summary`: minimum, maximum and average over launches. Not read here.
    Summary,
}

/// The column of values of the details page.
pub(super) const VALUE: &str = "Metric Value";

/// A table: its header, and where its rows lie.
pub(super) struct Table {
    pub(super) page: CsvPage,
    separator: u8,
    pub(super) header: Vec<String>,
    pub(super) columns: Columns,
    pub(super) rows: Vec<Row>,
    pub(super) locale: Locale,
    /// The number that its launch 0 has among those of the text.
    pub(super) first: u32,
}

/// A row that is not taken apart yet.
pub(super) struct Row {
    pub(super) line: u64,
    /// The number of its launch; `None` for the units and for what is no row.
    pub(super) id: Option<u32>,
    /// Where it begins in the text, in bytes.
    at: usize,
}

impl Table {
    pub(super) fn new(header: &Cells<'_>, separator: u8, first: u32) -> Table {
        let has = |name: &str| header.iter().any(|column| column == name);
        let page = match (has("Metric Name"), has("Metric Value")) {
            (false, _) => CsvPage::Raw,
            (true, true) => CsvPage::Details,
            (true, false) => CsvPage::Summary,
        };
        let columns = Columns::of(header);
        let header = header.iter().map(|name| name.to_string()).collect();
        Table { page, separator, header, columns, rows: Vec::new(), locale: Locale::default(), first }
    }

    pub(super) fn add(&mut self, line: u64, cells: &Cells<'_>, at: usize) {
        let is_whole = match self.page {
            CsvPage::Raw => {
                let metrics = self.columns.metrics.iter().filter_map(|at| cells.get(*at));
                metrics.for_each(|cell| self.locale.learn(cell));
                cells.len() == self.header.len()
            }
            _ => {
                self.locale.learn(self.columns.text(cells, VALUE));
                self.columns.has(cells, VALUE)
            }
        };
        let id = self.columns.number(cells, "ID").filter(|_| is_whole);
        self.rows.push(Row { line, id: id.map(|id| self.first.saturating_add(id)), at });
    }

    pub(super) fn cells<'t>(&self, row: &Row, text: &'t str) -> Cells<'t> {
        let whole = text.get(row.at..).and_then(|text| record(text, self.separator));
        whole.map(|(cells, _)| cells).unwrap_or_default()
    }
}

/// Takes rows into a report.
pub(super) struct Taker<'w> {
    pub(super) report: Report,
    pub(super) want: &'w Want,
    /// The launches that are read; all without.
    pub(super) rows: Option<&'w HashSet<u32>>,
    pub(super) texts: Texts,
    /// That of the table.
    pub(super) locale: Locale,
}

impl Taker<'_> {
    /// The value of a cell in the base unit; `None` for `n/a`, `no data`, nothing, and a number of two meanings, which is damage.
    pub(super) fn value(&mut self, cell: &str, shift: i32, name: &str, line: u64) -> Option<Value> {
        match self.locale.number(cell) {
            Number::Plain(digits) => number::value(&digits, shift),
            Number::NaN => Some(Value::F64(f64::NAN)),
            Number::Ambiguous => {
                let what =
                    format!("{name}: expected a number, found `{cell}`, whose separator may group or begin decimals");
                self.report.damage.push(Damage { at: line, what });
                None
            }
            Number::Text => match cell.trim() {
                "" | "n/a" | "no data" | "None" => None,
                text => Some(Value::Text(self.texts.of(text))),
            },
        }
    }

    /// Notes a row that is none.
    pub(super) fn unrecognised(&mut self, line: u64, cells: &Cells<'_>) {
        self.report.unrecognised_lines.push(format!("line {line}: {}", cells.join(",")));
    }
}
