//! The printed text of `nsys stats --format csv`, cut into its tables.

use super::header::{Header, Report};
use crate::source::ReadError;
use std::path::Path;

/// How to print every table that is read.
pub(super) const STATS: &str = "print its tables: `nsys stats --format csv --report \
    cuda_gpu_kern_sum,cuda_gpu_trace,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_api_sum REPORT.nsys-rep > timeline.csv`";

pub(super) struct Printed {
    /// The name that stands above it or in the file's name; empty where none does.
    pub(super) name: String,
    /// Its first line.
    pub(super) header: Header,
    /// Its rows with their line numbers, each with as many fields as the header.
    pub(super) rows: Vec<(usize, Vec<String>)>,
}

/// What a text of `nsys stats` holds.
#[derive(Default)]
pub(super) struct Cut {
    pub(super) tables: Vec<Printed>,
    /// What nsys said that the recording lacks.
    pub(super) lacks: Vec<String>,
    /// Whether lines stand there as `--format column` aligns them.
    pub(super) is_aligned: bool,
}

/// Cuts the text into tables. Errors: [`ReadError::Malformed`] with the line for a row that is cut or has too many fields.
pub(super) fn cut(path: &Path, text: &str) -> Result<Cut, ReadError> {
    let mut all = Cut::default();
    let mut name = name_of_file(path);
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if let Some(said) = announced(trimmed) {
            name = said.to_owned();
            is_open = false;
            continue;
        }
        if let Some(at) = trimmed.find("does not contain") {
            all.lacks.push(format!("nsys says that the recording {}", trimmed[at..].trim_end_matches('.')));
        }
        if trimmed.is_empty()
            || ["NOTICE:", "SKIPPED:", "Generating", "Processing", "ERROR"].iter().any(|word| trimmed.starts_with(word))
        {
            is_open = false;
            continue;
        }
        all.is_aligned |= trimmed.contains("Total Time (") && !trimmed.contains(',');
        let fields = fields(trimmed);
        if let Some(header) = fields.as_deref().and_then(Header::of) {
            // The table that a file's name speaks of is its first; a name above a table is that of one table.
            all.tables.push(Printed { name: std::mem::take(&mut name), header, rows: Vec::new() });
            is_open = true;
            continue;
        }
        let Some(table) = all.tables.last_mut().filter(|_| is_open) else { continue };
        let width = table.header.0.len();
        let row = fields.and_then(|fields| fitted(fields, &table.header));
        let Some(row) = row else {
            let cure =
                "the file was cut or edited; print it again: `nsys stats --format csv --report ... REPORT.nsys-rep`";
            let (position, expected) = (format!("line {}", at + 1), format!("a row of {width} fields"));
            return Err(ReadError::malformed(path, position, expected, shortened(trimmed), cure));
        };
        table.rows.push((at + 1, row));
    }
    Ok(all)
}

/// The report that a line names: ` ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):` or
/// `Processing [a.sqlite] with [cuda_gpu_kern_sum.py]...`.
fn announced<'l>(line: &'l str) -> Option<&'l str> {
    // A report's arguments stand behind a colon: `cuda_gpu_kern_sum:base`.
    let plain = |name: &'l str| name.split(':').next().unwrap_or(name).trim_end_matches(')').trim_end_matches(".py");
    if let Some(title) = line.strip_prefix("** ") {
        return title.rsplit_once('(').map(|(_, name)| plain(name));
    }
    let (_, script) = line.strip_prefix("Processing [")?.split_once("] with [")?;
    let script = script.split(']').next()?;
    script.rsplit(['/', '\\']).next().map(plain)
}

/// The report that `nsys stats --output` wrote into the file's name, `profile_cuda_gpu_kern_sum.csv`.
fn name_of_file(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let words = std::iter::once(0).chain(stem.match_indices('_').map(|(at, _)| at + 1));
    let named = words.into_iter().find_map(|at| stem[at..].parse::<Report>().ok());
    named.map_or_else(String::new, |report| report.to_string())
}

/// The fields of a line; `None` for a line whose quotes do not close.
fn fields(line: &str) -> Option<Vec<String>> {
    if !line.matches('"').count().is_multiple_of(2) {
        return None;
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(line.as_bytes());
    let record = reader.records().next()?.ok()?;
    Some(record.iter().map(str::to_owned).collect())
}

/// A row as wide as the header. A kernel's name that was printed without quotes has commas of its own and stands last.
fn fitted(mut fields: Vec<String>, header: &Header) -> Option<Vec<String>> {
    let width = header.0.len();
    let is_name = header.0.last().is_some_and(|column| column.name == "name");
    if fields.len() > width && is_name {
        let rest = fields.split_off(width - 1).join(",");
        fields.push(rest);
    }
    (fields.len() == width).then_some(fields)
}

/// The start of a line.
pub(super) fn shortened(line: &str) -> String {
    const MOST: usize = 60;
    if line.chars().count() <= MOST { line.to_owned() } else { line.chars().take(MOST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_above_a_table_name_it() {
        for (line, name) in [
            ("** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):", Some("cuda_gpu_kern_sum")),
            ("** CUDA GPU Kernel Summary (cuda_gpu_kern_sum:base):", Some("cuda_gpu_kern_sum")),
            ("Processing [a.sqlite] with [/opt/nsys/reports/cuda_gpu_trace.py]...", Some("cuda_gpu_trace")),
            ("Processing [a.sqlite] with [C:\\nsys\\cuda_gpu_trace.py:base]...", Some("cuda_gpu_trace")),
            ("90.0,100,1,gemm", None),
        ] {
            assert_eq!(announced(line), name, "{line}");
        }
    }

    #[test]
    fn a_name_without_quotes_keeps_its_commas() {
        let path = Path::new("a.csv");
        let cut = cut(path, "Time (%),Total Time (ns),Instances,Name\n90.0,100,1,gemm(int, int)\n").expect("whole");
        assert_eq!(cut.tables[0].rows[0].1[3], "gemm(int, int)");
    }
}
