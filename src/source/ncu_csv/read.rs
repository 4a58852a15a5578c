//! The entry points of the reader.

use super::launch::Columns;
use super::number::{self, Locale, Number};
use super::records::{Cells, Piece, Pieces, header_separator, record};
use super::{details, messages, raw};
use crate::evidence::{Damage, Origin, Report, Value};
use crate::source::text::{self, Texts};
use crate::source::{ReadError, Want};
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

/// The page whose header is in `head`, the beginning of a file or the whole of it.
pub fn looks_like(head: &[u8]) -> Option<CsvPage> {
    text::decode(head).lines().find_map(page_of)
}

fn page_of(line: &str) -> Option<CsvPage> {
    if ["\"Address\",\"Source\"", "\"#\",\"Address\"", "\"#\",\"Source\""].iter().any(|start| line.starts_with(start)) {
        return Some(CsvPage::Source);
    }
    header_separator(line)?;
    let has = |name: &str| line.contains(name);
    Some(match (has("Metric Name"), has("Metric Value"), has("Average")) {
        (true, true, _) => CsvPage::Details,
        (true, false, true) => CsvPage::Summary,
        _ => CsvPage::Raw,
    })
}

/// How many lines beside the tables are kept as they are: a profiled program may print millions.
const OTHERS_KEPT: usize = 100;

/// Reads the raw or the details page, with whatever is printed around and between its rows.
///
/// Values are in base units whatever prefix was printed; `n/a`, `no data` and empty cells are absent. Several tables in
/// one text are several runs: the launches of a later one are numbered on.
///
/// # Errors
///
/// [`ReadError::WrongKind`] for the source page and summaries, [`ReadError::Empty`] where no launch is found.
pub fn read(bytes: &[u8], origin: Origin, want: &Want) -> Result<Report, ReadError> {
    Page::of(&text::decode(bytes)).read(origin, want, None)
}

/// Reads of every launch what `brief` asks for, and what `want` asks for of those that `choose` takes of the brief
/// reading, so that memory grows with these alone. A details page, whose rows name metrics by their values, is read whole.
///
/// # Errors
/// As [`read`].
pub(in crate::source) fn read_chosen(
    bytes: &[u8],
    origin: Origin,
    (want, brief): (&Want, &Want),
    choose: impl FnOnce(&Report) -> HashSet<u32>,
) -> Result<Report, ReadError> {
    let text = text::decode(bytes);
    let page = Page::of(&text);
    if page.tables.iter().any(|table| table.page != CsvPage::Raw) {
        return page.read(origin, want, None);
    }
    let mut report = page.read(origin, brief, None)?;
    let chosen = page.read(Origin::default(), want, Some(&choose(&report)))?;
    report.put(chosen.launches);
    report.damage = [chosen.damage, report.damage].concat();
    report.damage.sort_by(|a, b| (a.at, &a.what).cmp(&(b.at, &b.what)));
    report.damage.dedup();
    Ok(report)
}

/// A text, cut into its tables.
struct Page<'t> {
    text: &'t str,
    tables: Vec<Table<'t>>,
    /// What stands beside the tables.
    beside: Report,
}

/// A table: its header, and where its rows lie.
pub(super) struct Table<'t> {
    page: CsvPage,
    separator: u8,
    pub(super) header: Cells<'t>,
    pub(super) columns: Columns,
    pub(super) rows: Vec<Row<'t>>,
    pub(super) locale: Locale,
    /// The number that its launch 0 has among those of the text.
    pub(super) first: u32,
}

/// A row that is not taken apart yet.
pub(super) struct Row<'t> {
    pub(super) line: u64,
    /// The number of its launch; `None` for the units and for what is no row.
    pub(super) id: Option<u32>,
    text: &'t str,
}

impl<'t> Table<'t> {
    fn new(header: Cells<'t>, separator: u8, first: u32) -> Table<'t> {
        let has = |name: &str| header.iter().any(|column| column == name);
        let page = match (has("Metric Name"), has("Metric Value")) {
            (false, _) => CsvPage::Raw,
            (true, true) => CsvPage::Details,
            (true, false) => CsvPage::Summary,
        };
        let columns = Columns::of(&header);
        Table { page, separator, header, columns, rows: Vec::new(), locale: Locale::default(), first }
    }

    fn add(&mut self, line: u64, cells: &Cells<'_>, text: &'t str) {
        let is_whole = match self.page {
            CsvPage::Raw => {
                let metrics = self.columns.metrics.iter().filter_map(|at| cells.get(*at));
                metrics.for_each(|cell| self.locale.learn(cell));
                cells.len() == self.header.len()
            }
            _ => {
                self.locale.learn(self.columns.text(cells, details::VALUE));
                self.columns.has(cells, details::VALUE)
            }
        };
        let id = self.columns.number(cells, "ID").filter(|_| is_whole);
        self.rows.push(Row { line, id: id.map(|id| self.first.saturating_add(id)), text });
    }

    /// The cells of a row.
    pub(super) fn cells(&self, row: &Row<'t>) -> Cells<'t> {
        record(row.text, self.separator).map(|(cells, _)| cells).unwrap_or_default()
    }
}

impl<'t> Page<'t> {
    fn of(text: &'t str) -> Page<'t> {
        let (mut tables, mut beside, mut others) = (Vec::<Table<'_>>::new(), Report::default(), 0);
        for piece in Pieces::new(text) {
            match piece {
                Piece::Header(header, separator) => {
                    let last = tables.iter().flat_map(|table| &table.rows).filter_map(|row| row.id).max();
                    tables.push(Table::new(header, separator, last.map_or(0, |last| last.saturating_add(1))));
                }
                Piece::Row(line, cells, text) => {
                    tables.iter_mut().last().into_iter().for_each(|table| table.add(line, &cells, text));
                }
                Piece::Message(line, message) => messages::take(&mut beside, line, message),
                Piece::Other(line, other) => {
                    others += 1;
                    if others <= OTHERS_KEPT {
                        beside.unrecognised_lines.push(format!("line {line}: {other}"));
                    }
                }
                Piece::Cut(line) => beside.damage.push(Damage {
                    at: line,
                    what: "expected the end of a quoted cell, found the end of the text; this row is not read".into(),
                }),
            }
        }
        if others > OTHERS_KEPT {
            beside.unrecognised_lines.push(format!("and {} lines more, beside the tables", others - OTHERS_KEPT));
        }
        Page { text, tables, beside }
    }

    /// Reads the launches; of the raw page those of some `rows` where they are given.
    fn read(&self, origin: Origin, want: &Want, rows: Option<&HashSet<u32>>) -> Result<Report, ReadError> {
        let report = Report { origin, ..self.beside.clone() };
        if self.tables.is_empty() && self.text.lines().find_map(page_of) == Some(CsvPage::Source) {
            return Err(wrong_kind(report.origin, "ncu's source page, which names no launch"));
        }
        let mut taker = Taker { report, want, rows, texts: Texts::default(), locale: Locale::default() };
        for table in &self.tables {
            taker.locale = table.locale;
            let format = &mut taker.report.origin.format;
            match table.page {
                CsvPage::Raw => {
                    *format = "ncu-raw-csv".into();
                    raw::take(&mut taker, table);
                }
                CsvPage::Details => {
                    *format = "ncu-details-csv".into();
                    details::take(&mut taker, table);
                }
                _ => {
                    let found = "a summary over launches of ncu (`--print-summary`)";
                    return Err(wrong_kind(taker.report.origin, found));
                }
            }
        }
        let report = taker.report;
        if report.launches.is_empty() && rows.is_none() {
            let cure = messages::cure(self.text).to_owned();
            return Err(ReadError::Empty { path: report.origin.path.into(), what: "profiled results".into(), cure });
        }
        Ok(report)
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
    /// The value of a cell in the base unit; `None` for `n/a`, `no data` and nothing, and for a number that can mean two
    /// things, which is damage.
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

fn wrong_kind(origin: Origin, found: &str) -> ReadError {
    let cure = "print the raw page: `ncu --import REPORT.ncu-rep --page raw --csv`, or give the .ncu-rep file itself";
    ReadError::WrongKind { path: origin.path.into(), found: found.into(), cure: cure.into() }
}
