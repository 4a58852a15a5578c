//! Reader of what `audit launch` and `audit collect` leave: `correctness.json`, `benchmark.json` and `collected.json`.

use super::{ReadError, read_all};
use crate::evidence::{BENCHMARK_SCHEMA, Benchmark, CORRECTNESS_SCHEMA, Collected, Correctness};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Reads a check of a kernel's outputs. Errors: a file that cannot be read, is no JSON, has another schema or other fields, or says
/// `passed` where an output did not.
pub fn read_correctness(path: &Path) -> Result<Correctness, ReadError> {
    let bytes = read_all(path)?;
    correctness(&bytes, path)
}

/// Reads the times of a kernel. Errors: as [`read_correctness`]; also where a time is no finite positive number, or there is none.
pub fn read_benchmark(path: &Path) -> Result<Benchmark, ReadError> {
    let bytes = read_all(path)?;
    benchmark(&bytes, path)
}

/// As [`read_correctness`], from bytes of a file that lies at `path`. Errors: as [`read_correctness`].
pub fn correctness(bytes: &[u8], path: &Path) -> Result<Correctness, ReadError> {
    let read: Correctness = parsed(bytes, path, CORRECTNESS_SCHEMA, "--check")?;
    let outputs = || read.runs.iter().flat_map(|run| &run.outputs);
    let has_outputs = !read.runs.is_empty() && read.runs.iter().all(|run| !run.outputs.is_empty());
    let all_passed = has_outputs && outputs().all(|output| output.passed);
    if read.passed != all_passed {
        let expected = format!("{all_passed}, as its outputs say");
        return Err(malformed(path, "passed", &expected, &read.passed.to_string(), "--check"));
    }
    Ok(read)
}

/// As [`read_benchmark`], from bytes of a file that lies at `path`. Errors: as [`read_benchmark`].
pub fn benchmark(bytes: &[u8], path: &Path) -> Result<Benchmark, ReadError> {
    let read: Benchmark = parsed(bytes, path, BENCHMARK_SCHEMA, "--time")?;
    for (field, is_absent) in [("device", read.device.name.is_empty()), ("launch", read.launch.kernel.is_empty())] {
        if is_absent {
            return Err(malformed(path, field, "what was launched, and where", "none", "--time"));
        }
    }
    let reference = read.reference.as_ref().map_or(&[][..], |reference| &reference.samples_ms);
    let wrong = read.samples_ms.iter().chain(reference).find(|sample| !(sample.is_finite() && **sample > 0.0));
    if let Some(sample) = wrong {
        return Err(malformed(path, "samples_ms", "times above 0 ms", &sample.to_string(), "--time"));
    }
    if read.samples_ms.is_empty() || (read.reference.is_some() && reference.is_empty()) {
        return Err(malformed(path, "samples_ms", "at least one time", "none", "--time"));
    }
    Ok(read)
}

/// What `kernel_audit.bench` found of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Bench {
    /// The check of its outputs.
    pub correctness: Correctness,
    pub benchmark: Benchmark,
}

/// Reads what `kernel_audit.bench` found of the kernels of a program: an object on each line, with a check and times. Errors: as
/// [`read_correctness`] and [`read_benchmark`], with the number of the line.
pub fn read_bench(path: &Path) -> Result<Vec<Bench>, ReadError> {
    bench(&read_all(path)?, path)
}

/// As [`read_bench`], from bytes of a file that lies at `path`. Errors: as [`read_bench`].
pub fn bench(bytes: &[u8], path: &Path) -> Result<Vec<Bench>, ReadError> {
    #[derive(serde::Deserialize)]
    struct Line<'l> {
        #[serde(borrow)]
        correctness: &'l serde_json::value::RawValue,
        #[serde(borrow)]
        benchmark: &'l serde_json::value::RawValue,
    }
    let lines = bytes.split(|byte| *byte == b'\n').zip(1u64..).filter(|(line, _)| !line.trim_ascii().is_empty());
    let one = |(line, number): (&[u8], u64)| {
        let place = format!("{}:{number}", path.display());
        let parts: Line<'_> = serde_json::from_slice(line).map_err(|error| {
            let cure = "run the program again, which writes it by kernel_audit.bench";
            let expected = "an object with `correctness` and `benchmark`";
            ReadError::malformed(path, format!("line {number}"), expected, error.to_string(), cure)
        })?;
        Ok(Bench {
            correctness: correctness(parts.correctness.get().as_bytes(), Path::new(&place))?,
            benchmark: benchmark(parts.benchmark.get().as_bytes(), Path::new(&place))?,
        })
    };
    lines.map(one).collect()
}

/// Reads a `collected.json`. Errors: [`ReadError::Io`] where the system refuses, [`ReadError::Malformed`] for another file.
pub fn read_collected(path: &Path) -> Result<Collected, ReadError> {
    let bytes = read_all(path)?;
    let cure = "collect again with `audit collect`";
    Collected::from_json(&bytes)
        .map_err(|found| ReadError::malformed(path, "the manifest", "what `audit collect` writes", found, cure))
}

fn parsed<T: DeserializeOwned>(bytes: &[u8], path: &Path, schema: &str, flag: &str) -> Result<T, ReadError> {
    let place = |error: &serde_json::Error| format!("line {}, column {}", error.line(), error.column());
    let value: serde_json::Value = serde_json::from_slice(bytes)
        .map_err(|error| malformed(path, &place(&error), "JSON", &error.to_string(), flag))?;
    let found = value.get("schema").and_then(serde_json::Value::as_str).unwrap_or("none");
    if found != schema {
        return Err(malformed(path, "schema", schema, found, flag));
    }
    serde_json::from_value(value)
        .map_err(|error| malformed(path, "its fields", &format!("those of {schema}"), &error.to_string(), flag))
}

fn malformed(path: &Path, position: &str, expected: &str, found: &str, flag: &str) -> ReadError {
    let others = match flag {
        "--time" => {
            "; of other tools the JSON of nvbench, google-benchmark and pytest-benchmark is read, and a .csv of Triton's perf_report"
        }
        _ => "",
    };
    let cure = format!("write it again with `audit launch SUBJECT {flag} --json-to FILE`{others}");
    ReadError::malformed(path, position, expected, found, cure)
}
