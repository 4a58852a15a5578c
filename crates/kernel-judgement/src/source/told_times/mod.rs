//! Times that other tools took, from the files that they write: nvbench, google-benchmark, pytest-benchmark, and the CSV of Triton's
//! `perf_report`. Each is a list of rows; one of them is the subject's.
//!
//! Units are those of the formats: nvbench and pytest-benchmark write seconds, google-benchmark says `time_unit` in each row, a CSV
//! says one in its header, `Triton (ms)`, or the subject does.

mod csv;
mod json;

use super::ReadError;
use crate::evidence::{BENCHMARK_SCHEMA, Benchmark, DeviceFacts, ToldTimes};
use regex::Regex;
use std::path::Path;

/// Samples that are kept of a row, spread over all.
const KEPT: usize = 1000;
/// Rows that an error lists.
const LISTED: usize = 8;

/// Which row of a file is meant, and what its numbers are.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'w> {
    /// The row, as audit.toml says it.
    pub row: Option<&'w Regex>,
    /// Names of the kernel and of the subject, one of which a row has where audit.toml says none.
    pub names: &'w [&'w str],
    /// The unit of a CSV without one.
    pub unit: Option<TimeUnit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, strum::EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum TimeUnit {
    S,
    Ms,
    Us,
    Ns,
}

impl TimeUnit {
    fn in_ms(self) -> f64 {
        match self {
            TimeUnit::S => 1e3,
            TimeUnit::Ms => 1.0,
            TimeUnit::Us => 1e-3,
            TimeUnit::Ns => 1e-6,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tool {
    name: &'static str,
    /// What one time is.
    what: &'static str,
}

const NVBENCH: Tool = Tool {
    name: "nvbench",
    what: "time on the GPU of what a launch of the benchmark does, between two events, L2 emptied before each",
};
const GOOGLE: Tool = Tool {
    name: "google-benchmark",
    what: "time of an iteration by the host's clock, or what the program states where it keeps the time itself",
};
const PYTEST: Tool = Tool {
    name: "pytest-benchmark",
    what: "time of a call by the host's clock, which is the kernel's only where the call waits for the GPU",
};
const TRITON: Tool = Tool {
    name: "perf_report",
    what: "what the function under triton.testing.perf_report returned; do_bench empties L2 before each call",
};

/// One result of a file.
#[derive(Clone, Debug, Default)]
struct Row {
    name: String,
    /// The device, where the file says it.
    device: String,
    /// Its times in ms.
    ms: Vec<f64>,
    /// What a single time stands for; `None` where all are here.
    stands_for: Option<String>,
}

/// The rows of a file, and the tool that wrote it with its version.
struct Rows {
    tool: Tool,
    version: String,
    rows: Vec<Row>,
}

/// What a file says of the row that is wanted; `None` for a file of none of these tools. Errors: [`ReadError::Malformed`] where no
/// row or several are wanted, where a row holds no time, and for a CSV without a unit.
pub fn told_times(bytes: &[u8], path: &Path, wanted: Wanted<'_>) -> Result<Option<Benchmark>, ReadError> {
    let malformed =
        |(position, expected, found, cure): Fault| ReadError::malformed(path, position, expected, found, cure);
    let is_csv = path.extension().is_some_and(|extension| extension == "csv");
    let rows = match is_csv {
        true => Some(csv::rows(bytes, wanted.unit).map_err(malformed)?),
        false => json::rows(bytes, path.parent().unwrap_or(Path::new(""))).map_err(malformed)?,
    };
    let Some(Rows { tool, version, rows }) = rows else { return Ok(None) };
    let row = chosen(&rows, wanted).map_err(malformed)?;
    if row.ms.is_empty() || row.ms.iter().any(|ms| !(ms.is_finite() && *ms > 0.0)) {
        let found = row.ms.iter().find(|ms| !(ms.is_finite() && **ms > 0.0)).map_or("none".into(), f64::to_string);
        return Err(malformed((row.name.clone(), "times above 0".into(), found, "run the benchmark again".into())));
    }
    let all = row.ms.len();
    let ms: Vec<f64> = (0..all.min(KEPT)).map(|at| row.ms[at * all / all.min(KEPT)]).collect();
    let device = DeviceFacts { name: row.device.clone(), ..DeviceFacts::default() };
    let told = ToldTimes {
        row: row.name.clone(),
        what: tool.what.into(),
        taken: all as u64,
        stands_for: row.stands_for.clone(),
    };
    Ok(Some(Benchmark {
        schema: BENCHMARK_SCHEMA.into(),
        tool: format!("{} {version}", tool.name).trim_end().to_owned(),
        subject: row.name.clone(),
        device,
        clocks_missing: format!("{} does not tell them", tool.name),
        samples_ms: ms,
        told: Some(told),
        ..Benchmark::default()
    }))
}

/// Position, what was expected, what was found, and the cure.
type Fault = (String, String, String, String);

fn chosen<'r>(rows: &'r [Row], wanted: Wanted<'_>) -> Result<&'r Row, Fault> {
    let is_named = |row: &&Row| wanted.names.iter().any(|name| !name.is_empty() && row.name.contains(name));
    let found: Vec<&Row> = match wanted.row {
        Some(row) => rows.iter().filter(|one| row.is_match(&one.name)).collect(),
        None if rows.len() == 1 => rows.iter().collect(),
        None => rows.iter().filter(is_named).collect(),
    };
    let [one] = found.as_slice() else {
        let sought = match wanted.row {
            Some(row) => format!("matches /{row}/"),
            None => format!("has {}", wanted.names.join(" or ")),
        };
        let listed: Vec<&str> = match found.as_slice() {
            [] => rows.iter().take(LISTED).map(|row| row.name.as_str()).collect(),
            several => several.iter().take(LISTED).map(|row| row.name.as_str()).collect(),
        };
        let count = if found.is_empty() { "none of" } else { "several:" };
        return Err((
            "its rows".into(),
            format!("one row whose name {sought}"),
            format!("{count} {}", listed.join(", ")),
            "say which with `benchmark_row`, a regular expression on the names of rows".into(),
        ));
    };
    Ok(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, row: Option<&str>, unit: Option<TimeUnit>) -> Result<Benchmark, String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/python").join(name);
        let row = row.map(|row| Regex::new(row).expect("a pattern"));
        let wanted = Wanted { row: row.as_ref(), names: &["matmul_kernel", "matmul"], unit };
        let bytes = std::fs::read(&path).expect("a fixture");
        let told = told_times(&bytes, &path, wanted).map_err(|error| error.to_string())?;
        Ok(told.expect("a file of a known tool"))
    }

    #[test]
    fn google_benchmark_says_its_unit_in_each_row() {
        // What the file says: 11.558532714843750, 11.620521545410156 and 11.072158813476562 µs; aggregates are no samples.
        let own = read("google.json", None, None).expect("the kernel's row");
        let expected = [0.011_558_532_714_843_75, 0.011_620_521_545_410_156, 0.011_072_158_813_476_562];
        assert_eq!(own.samples_ms.len(), 3);
        assert!(own.samples_ms.iter().zip(expected).all(|(ms, expected)| (ms - expected).abs() < 1e-15), "{own:?}");
        assert_eq!(own.tool, "google-benchmark 1.9.5");
        // 48,007.965 ns.
        let other = read("google.json", Some("^layernorm_kernel/4096"), None).expect("another row");
        assert!((other.samples_ms[0] - 0.048_007_965_087_890_625).abs() < 1e-15, "{other:?}");
    }

    #[test]
    fn pytest_benchmark_writes_seconds() {
        let own = read("pytest-benchmark.json", Some("test_softmax"), None).expect("a row");
        // The first of its data: 1.2508999816418509e-05 s.
        assert!((own.samples_ms[0] - 0.012_508_999_816_418_509).abs() < 1e-15, "{:?}", own.samples_ms);
        assert_eq!((own.samples_ms.len(), own.told.expect("told").taken), (5, 5));
    }

    #[test]
    fn nvbench_has_a_mean_or_samples_beside_its_file() {
        let mean = read("nvbench.json", Some("size=1024$"), None).expect("a row");
        // 2.5e-05 s over 120 samples, the mean where no median is told.
        assert_eq!(mean.samples_ms, [0.025]);
        assert_eq!(mean.told.expect("told").stands_for.as_deref(), Some("mean of 120"));
        assert_eq!(mean.device.name, "NVIDIA H200");
        let samples = read("nvbench.json", Some("size=2048$"), None).expect("a row");
        // 2⁻¹⁴, 2⁻¹³ and 3·2⁻¹⁵ s, exact in single precision.
        assert_eq!(samples.samples_ms, [0.06103515625, 0.1220703125, 0.091552734375]);
        let skipped = read("nvbench.json", Some("size=4096$"), None).expect_err("nothing was measured");
        assert!(skipped.contains("none of"), "{skipped}");
    }

    #[test]
    fn a_csv_of_triton_needs_a_unit() {
        let own = read("perf_report.csv", Some("size=2048 Triton$"), Some(TimeUnit::Ms)).expect("a row");
        assert_eq!(own.samples_ms, [0.0425]);
        let none = read("perf_report.csv", Some("size=2048 Triton$"), None).expect_err("no unit");
        assert!(none.contains("benchmark_unit"), "{none}");
        let headed = read("perf_report_units.csv", Some("size=1024 Triton$"), None).expect("its header has one");
        assert_eq!(headed.samples_ms, [0.0123]);
        let rate = read("perf_report_units.csv", Some("TFLOPS"), None).expect_err("a rate is no time");
        assert!(rate.contains("none of"), "{rate}");
    }

    #[test]
    fn what_was_looked_for_is_said() {
        let none = read("google.json", Some("attention"), None).expect_err("no such row");
        assert!(none.contains("/attention/") && none.contains("layernorm_kernel/4096"), "{none}");
        let several = read("nvbench.json", None, None).expect_err("two sizes");
        assert!(several.contains("several: matmul_kernel Device=0 size=1024"), "{several}");
        assert!(several.contains("has matmul_kernel or matmul") && several.contains("benchmark_row"), "{several}");
    }
}
