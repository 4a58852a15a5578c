//! The CSV that `triton.testing.perf_report` writes: extents first, then a column for each provider.

use super::{Fault, Row, Rows, TRITON, TimeUnit};

/// A row for each line and provider. Which columns are extents the file does not say: they are those before the first that has
/// a unit in brackets; without any, the first, and those behind it that hold whole numbers only.
pub(super) fn rows(bytes: &[u8], stated: Option<TimeUnit>) -> Result<Rows, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let header: Vec<(&str, Option<&str>)> = lines.next().unwrap_or_default().split(',').map(named).collect();
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split(',').map(str::trim).collect()).collect();
    let whole = |at: usize| lines.iter().all(|line| line.get(at).is_some_and(|cell| is_whole(cell)));
    let first = header.iter().position(|(_, unit)| unit.is_some());
    let first = first.unwrap_or_else(|| (1..header.len()).find(|at| !whole(*at)).unwrap_or(header.len()));
    let mut rows = Vec::new();
    for line in &lines {
        let extents = header.iter().zip(line).take(first).map(|((name, _), cell)| format!("{name}={}", short(cell)));
        let extents: Vec<String> = extents.collect();
        for ((name, unit), cell) in header.iter().zip(line).skip(first) {
            let Ok(time) = cell.parse::<f64>() else { continue };
            let unit = match (unit.map(|unit| unit.to_lowercase().parse::<TimeUnit>()), stated) {
                (Some(Ok(unit)), _) | (None, Some(unit)) => unit,
                // A rate is no time.
                (Some(Err(_)), _) => continue,
                (None, None) => {
                    let (position, cure) =
                        (format!("column {name}"), "say it with `benchmark_unit = \"ms\"`".to_owned());
                    return Err((position, "a unit of time, as in `Triton (ms)`".to_owned(), "none".to_owned(), cure));
                }
            };
            let name = format!("{} {name}", extents.join(" "));
            rows.push(Row { name, ms: vec![time * unit.in_ms()], ..Row::default() });
        }
    }
    Ok(Rows { tool: TRITON, version: String::new(), rows })
}

/// A column's name and the unit in its brackets.
fn named(cell: &str) -> (&str, Option<&str>) {
    let cell = cell.trim();
    match cell.strip_suffix(')').and_then(|cell| cell.rsplit_once('(')) {
        Some((name, unit)) => (name.trim(), Some(unit)),
        None => (cell, None),
    }
}

fn is_whole(cell: &str) -> bool {
    cell.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
}

/// `1024` for `1024.000000`, as an extent is read by people.
fn short(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(number) if is_whole(cell) => format!("{number:.0}"),
        _ => cell.to_owned(),
    }
}
