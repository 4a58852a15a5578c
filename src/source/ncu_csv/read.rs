//! The entry points of the reader.

use super::records::{Cells, Piece, Pieces, header_separator};
use super::{details, messages, raw};
use crate::evidence::{Damage, Origin, Report};
use crate::source::{ReadError, Want, text};

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
    let text = text::decode(bytes);
    let mut report = Report { origin, ..Report::default() };
    let mut tables: Vec<(Cells<'_>, Vec<(u64, Cells<'_>)>)> = Vec::new();
    let mut others = 0;
    for piece in Pieces::new(&text) {
        match piece {
            Piece::Header(header) => tables.push((header, Vec::new())),
            Piece::Row(line, row) => {
                if let Some((_, rows)) = tables.last_mut() {
                    rows.push((line, row));
                }
            }
            Piece::Message(line, message) => messages::take(&mut report, line, message),
            Piece::Other(line, other) => {
                others += 1;
                if others <= OTHERS_KEPT {
                    report.unrecognised_lines.push(format!("line {line}: {other}"));
                }
            }
            Piece::Cut(line) => report.damage.push(Damage {
                at: line,
                what: "expected the end of a quoted cell, found the end of the text; this row is not read".into(),
            }),
        }
    }
    if others > OTHERS_KEPT {
        report.unrecognised_lines.push(format!("and {} lines more, beside the tables", others - OTHERS_KEPT));
    }
    if tables.is_empty() && looks_like(bytes) == Some(CsvPage::Source) {
        return Err(wrong_kind(report.origin, "ncu's source page, which names no launch"));
    }
    for (header, rows) in &tables {
        let first = report.launches.iter().map(|launch| launch.id.saturating_add(1)).max().unwrap_or(0);
        let has = |name: &str| header.iter().any(|column| column == name);
        if !has("Metric Name") {
            report.origin.format = "ncu-raw-csv".into();
            raw::take(&mut report, header, rows, first, want);
        } else if has("Metric Value") {
            report.origin.format = "ncu-details-csv".into();
            details::take(&mut report, header, rows, first, want);
        } else {
            return Err(wrong_kind(report.origin, "a summary over launches of ncu (`--print-summary`)"));
        }
    }
    if report.launches.is_empty() {
        let cure = messages::cure(&text).to_owned();
        return Err(ReadError::Empty { path: report.origin.path.into(), what: "profiled results".into(), cure });
    }
    Ok(report)
}

fn wrong_kind(origin: Origin, found: &str) -> ReadError {
    let cure = "print the raw page: `ncu --import REPORT.ncu-rep --page raw --csv`, or give the .ncu-rep file itself";
    ReadError::WrongKind { path: origin.path.into(), found: found.into(), cure: cure.into() }
}
