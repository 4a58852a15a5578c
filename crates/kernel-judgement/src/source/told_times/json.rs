//! The JSON of nvbench, google-benchmark and pytest-benchmark.

use super::{Fault, GOOGLE, NVBENCH, PYTEST, Row, Rows, TimeUnit};
use serde_json::Value;
use std::path::Path;

/// The rows of a file; `None` for a file of none of the three. What it names beside itself is read from `folder`.
pub(super) fn rows(bytes: &[u8], folder: &Path) -> Result<Option<Rows>, Fault> {
    let Ok(file) = serde_json::from_slice::<Value>(bytes) else { return Ok(None) };
    let Some(all) = file["benchmarks"].as_array() else { return Ok(None) };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (tool, version, rows) = if file["machine_info"].is_object() {
        (PYTEST, text(&file["version"]), all.iter().map(pytest).collect())
    } else if file["context"].is_object() {
        (GOOGLE, text(&file["context"]["library_version"]), google(all)?)
    } else if file["devices"].is_array() {
        (NVBENCH, text(&file["meta"]["version"]["nvbench"]["string"]), nvbench(&file, all, folder)?)
    } else {
        return Ok(None);
    };
    Ok(Some(Rows { tool, version, rows }))
}

fn name(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or_default().to_owned()
}

/// Seconds of each round, already for one call; files that were saved without them have the median.
fn pytest(row: &Value) -> Row {
    let stats = &row["stats"];
    let ms = |value: &Value| value.as_f64().map(|seconds| seconds * 1e3);
    let data: Vec<f64> = stats["data"].as_array().into_iter().flatten().filter_map(ms).collect();
    let name = name(row, "fullname");
    if !data.is_empty() {
        return Row { name, ms: data, ..Row::default() };
    }
    let stands_for = stats["rounds"].as_u64().map(|rounds| format!("median of {rounds}"));
    Row { name, ms: ms(&stats["median"]).into_iter().collect(), stands_for, ..Row::default() }
}

/// A row for each benchmark: its repetitions, else the median or the mean of them that it reports alone.
fn google(all: &[Value]) -> Result<Vec<Row>, Fault> {
    let mut rows: Vec<Row> = Vec::new();
    for entry in all {
        let is_aggregate = entry["run_type"] == "aggregate";
        let kind = entry["aggregate_name"].as_str().unwrap_or_default();
        let run = name(entry, if entry["run_name"].is_string() { "run_name" } else { "name" });
        if entry["error_occurred"] == true || (is_aggregate && !["median", "mean"].contains(&kind)) {
            continue;
        }
        let (Some(time), Some(unit)) = (entry["real_time"].as_f64(), entry["time_unit"].as_str()) else { continue };
        let unit: TimeUnit = unit.parse().map_err(|_| {
            let cure = "write it again with google-benchmark".to_owned();
            (format!("time_unit of {run}"), "s, ms, us or ns".to_owned(), unit.to_owned(), cure)
        })?;
        let ms = time * unit.in_ms();
        let at = rows.iter().position(|row| row.name == run).unwrap_or_else(|| {
            rows.push(Row { name: run, ..Row::default() });
            rows.len() - 1
        });
        let row = &mut rows[at];
        match (is_aggregate, row.ms.is_empty()) {
            (false, _) => row.ms.push(ms),
            (true, false) if row.stands_for.is_none() => {}
            (true, is_first) if is_first || kind == "median" => {
                let taken = entry["repetitions"].as_u64().unwrap_or_default();
                (row.ms, row.stands_for) = (vec![ms], Some(format!("{kind} of {taken}")));
            }
            _ => {}
        }
    }
    Ok(rows)
}

/// A row for each state that was measured: samples beside the file, else the median, else the mean.
fn nvbench(file: &Value, all: &[Value], folder: &Path) -> Result<Vec<Row>, Fault> {
    let device = |id: &Value| {
        let devices = file["devices"].as_array().into_iter().flatten();
        devices.into_iter().find(|device| device["id"] == *id).map(|device| name(device, "name")).unwrap_or_default()
    };
    let mut rows = Vec::new();
    for (bench, state) in
        all.iter().flat_map(|bench| bench["states"].as_array().into_iter().flatten().map(move |s| (bench, s)))
    {
        if state["is_skipped"] == true {
            continue;
        }
        let said = |tag: &str, key: &str| -> Option<&str> {
            let summary = state["summaries"].as_array()?.iter().find(|one| one["tag"] == tag)?;
            summary["data"].as_array()?.iter().find(|one| one["name"] == key)?["value"].as_str()
        };
        let seconds = |tag: &str| said(tag, "value")?.parse::<f64>().ok();
        let row = Row {
            name: format!("{} {}", name(bench, "name"), name(state, "name")),
            device: device(&state["device"]),
            ..Row::default()
        };
        let taken = said("nv/cold/sample_size", "value").unwrap_or("several");
        let single = [("median", "nv/cold/time/gpu/median"), ("mean", "nv/cold/time/gpu/mean")]
            .into_iter()
            .find_map(|(kind, tag)| Some((seconds(tag)? * 1e3, format!("{kind} of {taken}"))));
        let beside = said("nv/json/bin:nv/cold/sample_times", "filename");
        let samples = beside.map(|beside| samples(folder, beside)).transpose()?.flatten();
        rows.push(match (samples, single) {
            (Some(ms), _) => Row { ms, ..row },
            (None, Some((ms, stands_for))) => Row { ms: vec![ms], stands_for: Some(stands_for), ..row },
            (None, None) => row,
        });
    }
    Ok(rows)
}

/// Single-precision seconds, one behind the other, in a file beside the one that names it; `None` where it is not there.
fn samples(folder: &Path, name: &str) -> Result<Option<Vec<f64>>, Fault> {
    // A file says nothing of other folders than its own.
    let is_below = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let places = [folder.join(name), folder.parent().unwrap_or(folder).join(name)];
    let Some(place) = places.iter().find(|place| is_below && place.is_file()) else { return Ok(None) };
    let bytes = crate::read::bytes(place).map_err(|error| {
        let cure = "copy the folder of samples again".to_owned();
        (name.to_owned(), "the samples of nvbench".to_owned(), error.to_string(), cure)
    })?;
    let (seconds, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let found = format!("{} bytes", bytes.len());
        return Err((name.to_owned(), "four bytes a sample".into(), found, "copy the folder of samples again".into()));
    }
    Ok(Some(seconds.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)) * 1e3).collect()))
}
