//! Rows of a printed table as evidence, in nanoseconds and bytes.

use super::header::{self, Report};
use super::stats::{Printed, shortened};
use crate::evidence::{GpuOperation, MemorySize, OperationKind, Totals};
use crate::source::{ReadError, text};
use std::path::Path;

/// A table with what is needed to read its fields.
pub(super) struct Rows<'p> {
    path: &'p Path,
    table: &'p Printed,
    report: Report,
    comma: Comma,
}

impl<'p> Rows<'p> {
    /// Prepares a table. Errors: [`ReadError::Malformed`] where a comma may be a decimal mark or stand between thousands.
    pub(super) fn new(path: &'p Path, table: &'p Printed, report: Report) -> Result<Rows<'p>, ReadError> {
        const WORDS: [&str; 7] = ["name", "operation", "device", "srcmemkd", "dstmemkd", "strm", "ctx"];
        let columns = &table.header.0;
        let numbers = table.rows.iter().flat_map(|(_, row)| {
            let named = columns.iter().zip(row).filter(|(column, _)| !WORDS.contains(&column.name.as_str()));
            named.map(|(_, field)| field.trim())
        });
        let comma = Comma::of(numbers).ok_or_else(|| ReadError::Malformed {
            path: path.into(),
            position: format!("line {}", table.rows.first().map_or(0, |(line, _)| *line)),
            expected: "numbers whose commas can be told from decimal marks".into(),
            found: format!("a table of {report} with commas that may be either"),
            cure: "print it in a locale with decimal points: `LC_ALL=C nsys stats --format csv ...`".into(),
        })?;
        Ok(Rows { path, table, report, comma })
    }

    /// The rows of a summary of times.
    pub(super) fn totals(&self) -> Result<Vec<Totals>, ReadError> {
        let total = self.column(&["totaltime"])?;
        let count = self.column(&["instances", "numcalls", "count", "operations"])?;
        let name = self.column(&["name", "operation"])?;
        let factor = self.factor(total, header::nanoseconds)?;
        let optional = |row: &(usize, Vec<String>), names: &[&str]| -> Result<Option<f64>, ReadError> {
            let Some(at) = self.table.header.position(names) else { return Ok(None) };
            // The first versions printed these columns without a unit of their own.
            let own = &self.table.header.0[at].unit;
            let factor = if own.is_empty() { factor } else { self.factor(at, header::nanoseconds)? };
            Ok(Some(self.number(row, at)? * factor))
        };
        let rows = self.table.rows.iter().map(|row| {
            Ok(Totals {
                name: self.named(&row.1[name]),
                count: self.count(row, count)?,
                total_ns: self.number(row, total)? * factor,
                median_ns: optional(row, &["med", "median"])?,
                min_ns: optional(row, &["min", "minimum"])?,
                max_ns: optional(row, &["max", "maximum"])?,
            })
        });
        rows.collect()
    }

    /// The rows of the summary of sizes.
    pub(super) fn sizes(&self) -> Result<Vec<MemorySize>, ReadError> {
        let (total, count) = (self.column(&["total"])?, self.column(&["count", "operations"])?);
        let name = self.column(&["operation", "name"])?;
        let factor = self.factor(total, header::bytes)?;
        let rows = self.table.rows.iter().map(|row| {
            let total_bytes = self.number(row, total)? * factor;
            Ok(MemorySize { name: self.named(&row.1[name]), count: self.count(row, count)?, total_bytes })
        });
        rows.collect()
    }

    /// The rows of the trace.
    pub(super) fn operations(&self) -> Result<Vec<GpuOperation>, ReadError> {
        let (start, duration) = (self.column(&["start"])?, self.column(&["duration"])?);
        let name = self.column(&["name"])?;
        let (from_start, from_duration) =
            (self.factor(start, header::nanoseconds)?, self.factor(duration, header::nanoseconds)?);
        let bytes = self.table.header.position(&["bytes"]);
        let device = self.table.header.position(&["device"]);
        let rows = self.table.rows.iter().map(|row| {
            let size = bytes.filter(|at| !row.1[*at].trim().is_empty());
            let bytes = size.map(|at| Ok(self.number(row, at)? * self.factor(at, header::bytes)?)).transpose()?;
            let printed = row.1[name].trim();
            let kind = match printed.strip_prefix('[') {
                Some(rest) if rest.starts_with("CUDA memset") => OperationKind::Fill,
                Some(rest) if rest.starts_with("CUDA memcpy") => OperationKind::Copy,
                _ => OperationKind::Kernel,
            };
            Ok(GpuOperation {
                kind,
                name: self.named(printed),
                start_ns: self.number(row, start)? * from_start,
                duration_ns: self.number(row, duration)? * from_duration,
                bytes: bytes.filter(|bytes| *bytes > 0.0),
                device: device.map_or_else(String::new, |at| row.1[at].trim().to_owned()),
            })
        });
        rows.collect()
    }

    fn named(&self, printed: &str) -> String {
        match self.report {
            Report::Calls => printed.trim().to_owned(),
            // `cuda_gpu_kern_sum:mangled` prints symbols.
            Report::Kernels => text::demangle(printed.trim()),
            Report::Trace if printed.starts_with("_Z") => text::demangle(printed),
            Report::Trace | Report::MemoryTimes | Report::MemorySizes => direction(printed.trim()),
        }
    }

    fn column(&self, names: &[&str]) -> Result<usize, ReadError> {
        self.table.header.position(names).ok_or_else(|| {
            let found: Vec<&str> = self.table.header.0.iter().map(|column| column.name.as_str()).collect();
            self.wrong(0, format!("a column {:?}", names[0]), found.join(", "))
        })
    }

    fn factor(&self, at: usize, factor: fn(&str) -> Option<f64>) -> Result<f64, ReadError> {
        let column = &self.table.header.0[at];
        factor(&column.unit).ok_or_else(|| {
            let found = if column.unit.is_empty() { "none".to_owned() } else { format!("{:?}", column.unit) };
            self.wrong(0, format!("a known unit in the column {:?}", column.name), found)
        })
    }

    fn number(&self, (line, row): &(usize, Vec<String>), at: usize) -> Result<f64, ReadError> {
        let field = row[at].trim();
        self.comma.number(field).ok_or_else(|| {
            let name = &self.table.header.0[at].name;
            self.wrong(
                *line,
                format!("a number of 0 or more in the column {name:?}"),
                format!("{:?}", shortened(field)),
            )
        })
    }

    fn count(&self, row: &(usize, Vec<String>), at: usize) -> Result<u64, ReadError> {
        let number = self.number(row, at)?;
        if number.fract() == 0.0 && number < 1e15 {
            return Ok(number as u64);
        }
        Err(self.wrong(row.0, "a whole number".into(), row.1[at].clone()))
    }

    /// The error for a row; line 0 stands for the table.
    fn wrong(&self, line: usize, expected: String, found: String) -> ReadError {
        let name = self.report;
        let position = if line == 0 { format!("the table {name}") } else { format!("line {line}, the table {name}") };
        let cure = "print it again: `nsys stats --format csv --report ... REPORT.nsys-rep`".into();
        ReadError::Malformed { path: self.path.into(), position, expected, found, cure }
    }
}

/// `[CUDA memcpy HtoD]` and `[CUDA memcpy Host-to-Device]` are both `Host-to-Device`; a kernel's name stays.
pub(super) fn direction(printed: &str) -> String {
    let Some(inner) = printed.strip_prefix("[CUDA ").and_then(|rest| rest.strip_suffix(']')) else {
        return printed.to_owned();
    };
    let Some(way) = inner.strip_prefix("memcpy ") else { return inner.to_owned() };
    match way {
        "HtoD" => "Host-to-Device",
        "DtoH" => "Device-to-Host",
        "DtoD" => "Device-to-Device",
        "HtoH" => "Host-to-Host",
        "PtoP" => "Peer-to-Peer",
        other => other,
    }
    .to_owned()
}

/// What a comma inside the numbers of a table means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comma {
    /// It stands between groups of three digits, or there is none.
    Group,
    /// It stands before the decimals.
    Decimal,
}

impl Comma {
    /// What it means in these numbers of one table; `None` where they allow both and differ by it.
    pub(super) fn of<'t>(numbers: impl Iterator<Item = &'t str> + Clone) -> Option<Comma> {
        let with = numbers.clone().filter(|number| number.contains(','));
        if with.clone().any(|number| !is_grouped(number)) {
            return Some(Comma::Decimal);
        }
        let has_point = numbers.clone().any(|number| number.contains('.'));
        let has_many = with.clone().any(|number| number.matches(',').count() > 1);
        (has_point || has_many || with.count() == 0).then_some(Comma::Group)
    }

    /// The number; `None` for text that is none.
    pub(super) fn number(self, text: &str) -> Option<f64> {
        let text = match self {
            Comma::Group => text.replace(',', ""),
            Comma::Decimal => text.replace('.', "").replace(',', "."),
        };
        text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
    }
}

/// Whether commas stand as they do between thousands: `1,920,000`, not `0,000` or `61,2`.
fn is_grouped(number: &str) -> bool {
    let whole = number.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && first != "0" && groups.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_is_what_the_table_shows_it_to_be() {
        let comma = |numbers: &[&str]| Comma::of(numbers.iter().copied());
        assert_eq!(comma(&["58.5", "5,850,000", "50"]), Some(Comma::Group));
        assert_eq!(comma(&["1,920,000"]), Some(Comma::Group));
        assert_eq!(comma(&["482,333", "3", "0,000"]), Some(Comma::Decimal));
        assert_eq!(comma(&["61,2", "900"]), Some(Comma::Decimal));
        assert_eq!(comma(&["482,333", "3"]), None);
        assert_eq!(comma(&["1", "2"]), Some(Comma::Group));
    }

    #[test]
    fn numbers_lose_their_groups() {
        assert_eq!(Comma::Group.number("5,850,000.5"), Some(5_850_000.5));
        assert_eq!(Comma::Decimal.number("482,333"), Some(482.333));
        assert_eq!([Comma::Group.number("abc"), Comma::Group.number("-1"), Comma::Group.number("nan")], [None; 3]);
    }
}
