//! The entry points of the reader.

use super::records::{Piece, Pieces, header_separator};
use super::table::{CsvPage, Table, Taker};
use super::{details, number::Locale, raw};
use crate::evidence::{Damage, Origin, Report};
use crate::merge::{OURS, THEIRS};
use crate::source::kind::UNMERGED;
use crate::source::text::{self, Texts};
use crate::source::{ReadError, Want};
use std::collections::HashSet;

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
/// Values are in base units whatever prefix was printed; `n/a`, `no data` and empty cells are absent. Several tables in one text are
/// several runs: the launches of a later one are numbered on. Errors: [`ReadError::WrongKind`] for the source page and summaries,
/// [`ReadError::Empty`] where no launch is found.
pub fn read(bytes: &[u8], origin: Origin, want: &Want) -> Result<Report, ReadError> {
    let text = text::decode(bytes);
    Page::of(&text).read(&text, origin, want, None)
}

/// Where the tables of a text lie, and what stands beside them.
pub(in crate::source) struct Page {
    tables: Vec<Table>,
    beside: Report,
    /// The launches of two branches stand in it.
    is_unmerged: bool,
}

impl Page {
    pub(in crate::source) fn of(text: &str) -> Page {
        let (mut tables, mut beside, mut others) = (Vec::<Table>::new(), Report::default(), 0);
        let (mut has_ours, mut has_theirs) = (false, false);
        for piece in Pieces::new(text) {
            match piece {
                Piece::Header(header, separator) => {
                    let last = tables.iter().flat_map(|table| &table.rows).filter_map(|row| row.id).max();
                    tables.push(Table::new(&header, separator, last.map_or(0, |last| last.saturating_add(1))));
                }
                Piece::Row(line, cells, rest) => {
                    let at = text.len() - rest.len();
                    tables.iter_mut().last().into_iter().for_each(|table| table.add(line, &cells, at));
                }
                Piece::Message(line, message) => take(&mut beside, line, message),
                Piece::Other(line, other) => {
                    others += 1;
                    has_ours |= other.starts_with(OURS);
                    has_theirs |= other.starts_with(THEIRS);
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
        Page { tables, beside, is_unmerged: has_ours && has_theirs }
    }

    /// Whether launches are read by themselves. Those of a details page, whose rows name metrics by their values, are not.
    pub(in crate::source) fn is_by_launch(&self) -> bool {
        self.tables.iter().all(|table| table.page == CsvPage::Raw)
    }

    /// Reads of every launch what `brief` asks for, and what `want` asks for of those that `choose` takes of the brief reading, so
    /// that memory grows with these alone; the whole of a page that is not [by launch](Page::is_by_launch). Errors: as [`read`].
    pub(in crate::source) fn read_chosen(
        &self,
        text: &str,
        origin: Origin,
        (want, brief): (&Want, &Want),
        choose: impl FnOnce(&Report) -> HashSet<u32>,
    ) -> Result<Report, ReadError> {
        if !self.is_by_launch() {
            return self.read(text, origin, want, None);
        }
        let mut report = self.read(text, origin, brief, None)?;
        let chosen = self.read(text, Origin::default(), want, Some(&choose(&report)))?;
        report.put(chosen.launches);
        report.damage = once_each([chosen.damage, report.damage].concat());
        Ok(report)
    }

    /// Reads the launches of the text; of a raw page those of some `rows` where they are given. Errors: as [`read`].
    pub(in crate::source) fn read(
        &self,
        text: &str,
        origin: Origin,
        want: &Want,
        rows: Option<&HashSet<u32>>,
    ) -> Result<Report, ReadError> {
        if self.is_unmerged {
            return Err(ReadError::wrong(origin.path, UNMERGED.0, UNMERGED.1));
        }
        let report = Report { origin, ..self.beside.clone() };
        if self.tables.is_empty() && text.lines().find_map(page_of) == Some(CsvPage::Source) {
            return Err(wrong_kind(report.origin, "ncu's source page, which names no launch"));
        }
        let mut taker = Taker { report, want, rows, texts: Texts::default(), locale: Locale::default() };
        for table in &self.tables {
            taker.locale = table.locale;
            let format = &mut taker.report.origin.format;
            match table.page {
                CsvPage::Raw => {
                    *format = "ncu-raw-csv".into();
                    raw::take(&mut taker, table, text);
                }
                CsvPage::Details => {
                    *format = super::DETAILS.into();
                    details::take(&mut taker, table, text);
                }
                _ => {
                    let found = "a summary over launches of ncu (`--print-summary`)";
                    return Err(wrong_kind(taker.report.origin, found));
                }
            }
        }
        let report = taker.report;
        if report.launches.is_empty() && rows.is_none() {
            let cure = cure(text).to_owned();
            return Err(ReadError::empty(report.origin.path, "profiled results", cure));
        }
        Ok(report)
    }
}

/// Damage in the order of the text, each once.
fn once_each(mut damage: Vec<Damage>) -> Vec<Damage> {
    damage.sort_by(|a, b| (a.at, &a.what).cmp(&(b.at, &b.what)));
    damage.dedup();
    damage
}

fn wrong_kind(origin: Origin, found: &str) -> ReadError {
    let cure = "print the raw page: `ncu --import REPORT.ncu-rep --page raw --csv`, or give the .ncu-rep file itself";
    ReadError::wrong(origin.path, found, cure)
}

/// Takes one `==LEVEL== text` line into the report: dropped metrics by name, warnings as settings of the session, errors
/// as damage. Progress carries no evidence.
pub(super) fn take(report: &mut Report, line: u64, message: &str) {
    let Some((level, text)) = message.trim_start_matches('=').split_once("==") else { return };
    let text = text.trim();
    match level {
        "WARNING" => match unavailable(text) {
            Some(names) => report.dropped.extend(names.map(Into::into)),
            None => report.session.settings.push(("warning".into(), text.into())),
        },
        "ERROR" => report.damage.push(Damage { at: line, what: format!("ncu reported an error: {text}") }),
        _ => {}
    }
}

/// The names in `Unable to access the following 6 metrics: a, b, c.`
fn unavailable(text: &str) -> Option<impl Iterator<Item = &str>> {
    let (_, names) = text.strip_prefix("Unable to access the following ")?.split_once(": ")?;
    Some(names.trim_end_matches('.').split(',').map(str::trim).filter(|name| !name.is_empty()))
}

/// What to do about a text without any result, by what ncu said in it.
pub(super) fn cure(text: &str) -> &'static str {
    if text.contains("ERR_NVGPUCTRPERM") {
        "the user may not read the GPU's counters: run ncu as root, or have the driver loaded with \
         NVreg_RestrictProfilingToAdminUsers=0"
    } else if text.contains("No kernels were profiled") {
        "ncu profiled no kernel: check `--kernel-name`, `--launch-skip` and `--launch-count`, and that the program \
         launches kernels at all"
    } else {
        "print a page with `ncu --import REPORT.ncu-rep --page raw --csv`, or give the .ncu-rep file itself"
    }
}
