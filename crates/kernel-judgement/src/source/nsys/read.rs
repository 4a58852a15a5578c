//! The files of one run, joined: each table once.

use super::stats::{self, Printed, STATS};
use super::{header::Report, rows::Rows};
use crate::evidence::{Timeline, Totals};
use crate::source::open::{origin, read_all};
use crate::source::{ReadError, text};
use std::path::{Path, PathBuf};

/// Reads what Nsight Systems recorded of one run: CSV that `nsys stats` printed, SQLite that `nsys export` wrote. Errors:
/// [`ReadError::Io`] where the system refuses, [`ReadError::WrongKind`] for another kind of file and for a table that two files hold,
/// [`ReadError::Empty`] for files without any of the tables, [`ReadError::Malformed`] for a row that cannot be read.
pub fn read_timeline(paths: &[PathBuf]) -> Result<Timeline, ReadError> {
    let mut all = Timeline::default();
    for path in paths {
        let bytes = read_all(path)?;
        let before = tables(&all);
        let mut one = read_one(path, &bytes)?;
        if let Some((name, _)) =
            tables(&one).iter().zip(before).find(|((_, new), (_, old))| *new && *old).map(|(new, _)| new)
        {
            return Err(ReadError::wrong(
                path.clone(),
                format!("it holds {name}, which a file before it holds already"),
                "give the files of one run, and each table once",
            ));
        }
        all.kernels = all.kernels.or(one.kernels);
        all.operations = all.operations.or(one.operations);
        all.memory_times = all.memory_times.or(one.memory_times);
        all.memory_sizes = all.memory_sizes.or(one.memory_sizes);
        all.calls = all.calls.or(one.calls);
        all.notes.append(&mut one.notes);
        all.origins.append(&mut one.origins);
    }
    Ok(all)
}

/// Which tables are there.
fn tables(timeline: &Timeline) -> [(&'static str, bool); 5] {
    [
        ("the sum of the kernels", timeline.kernels.is_some()),
        ("the trace of the GPU", timeline.operations.is_some()),
        ("the times of copies", timeline.memory_times.is_some()),
        ("the sizes of copies", timeline.memory_sizes.is_some()),
        ("the calls of the API", timeline.calls.is_some()),
    ]
}

fn read_one(path: &Path, bytes: &[u8]) -> Result<Timeline, ReadError> {
    let wrong = |found: &str, cure: &str| Err(ReadError::wrong(path, found, cure));
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if bytes.is_empty() {
        return wrong("it is an empty file", "nsys failed; run it again and read what it says");
    }
    if bytes.starts_with(b"SQLite format 3\0") {
        return of_database(path, bytes);
    }
    if matches!(extension, "nsys-rep" | "qdrep") {
        return wrong("it is a report of Nsight Systems itself, which only nsys reads", STATS);
    }
    if bytes.starts_with(b"NVR\0") {
        return wrong("it is a report of Nsight Compute, which has no timeline", "`audit show FILE` reads it");
    }
    let text = text::decode(bytes);
    let cut = stats::cut(path, &text)?;
    let mut timeline = Timeline { notes: cut.lacks, ..Timeline::default() };
    for table in &cut.tables {
        add(&mut timeline, path, table)?;
    }
    if tables(&timeline).iter().all(|(_, is_there)| !is_there) {
        if cut.is_aligned {
            return wrong("it is what `nsys stats` prints for people, not CSV", STATS);
        }
        if cut.tables.is_empty() && timeline.notes.is_empty() {
            return wrong("it is not output of nsys", STATS);
        }
        let said: String = timeline.notes.iter().map(|note| format!(" ({note})")).collect();
        let what = format!("table of kernels, copies or calls of CUDA{said}");
        return Err(ReadError::empty(path, what, STATS));
    }
    let mut origin = origin(path, bytes, true);
    origin.format = "nsys-stats-csv".into();
    timeline.origins.push(origin);
    Ok(timeline)
}

#[cfg(feature = "sqlite")]
fn of_database(path: &Path, bytes: &[u8]) -> Result<Timeline, ReadError> {
    super::sqlite::read(path, origin(path, bytes, true))
}

#[cfg(not(feature = "sqlite"))]
fn of_database(path: &Path, _: &[u8]) -> Result<Timeline, ReadError> {
    let found = "it is an SQLite database, which this build of audit does not read";
    let cure = format!("build audit with `cargo install --features sqlite`, or {STATS}");
    Err(ReadError::wrong(path, found, cure))
}

/// Adds a printed table, or a note that it was passed over.
fn add(timeline: &mut Timeline, path: &Path, table: &Printed) -> Result<(), ReadError> {
    let report = if table.name.is_empty() { table.header.report() } else { table.name.parse().ok() };
    let Some(report) = report else {
        let name = if table.name.is_empty() { "without a name" } else { &table.name };
        timeline.notes.push(format!("the table {name} was passed over"));
        return Ok(());
    };
    let rows = Rows::new(path, table, report)?;
    let is_twice = match report {
        Report::Kernels => timeline.kernels.replace(rows.totals()?).is_some(),
        Report::MemoryTimes => timeline.memory_times.replace(rows.totals()?).is_some(),
        Report::MemorySizes => timeline.memory_sizes.replace(rows.sizes()?).is_some(),
        Report::Trace => timeline.operations.replace(rows.operations()?).is_some(),
        Report::Calls => {
            let calls = rows.totals()?;
            // Calls of the operating system are printed with the same columns.
            if table.name.is_empty() && !calls.iter().any(is_of_cuda) {
                timeline.notes.push("a table of calls without one of CUDA was passed over".into());
                return Ok(());
            }
            timeline.calls.replace(calls).is_some()
        }
    };
    if is_twice {
        return Err(ReadError::wrong(
            path,
            format!("it holds the table {report} twice"),
            "give the output of one run of `nsys stats` on one report",
        ));
    }
    Ok(())
}

fn is_of_cuda(call: &Totals) -> bool {
    let rest = call.name.strip_prefix("cu");
    rest.is_some_and(|rest| rest.starts_with("da") || rest.starts_with(|c: char| c.is_ascii_uppercase()))
}
