//! The reader of Nsight Compute reports against NVIDIA's own reading of the same files.

mod bad_input;
mod damage;
mod details;
mod instances;
mod memory;
mod parts;
mod raw;
mod selection;
mod source_page;
mod synthetic;

use kernel_audit::evidence::Report;
use kernel_audit::source::{Want, ncu_report};
use std::path::PathBuf;

/// Reports with NVIDIA's raw and details pages.
const WITH_TRUTH: [&str; 8] =
    ["gemm_bias_v1", "gemm_bias_v2", "both_basic", "multiprocess", "badmetric_dropped", "graph", "range", "app_range"];

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/h200").join(name)
}

fn report_path(name: &str) -> PathBuf {
    fixture(&format!("{name}.ncu-repz"))
}

/// The bytes of a report as ncu wrote it.
fn plain(name: &str) -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(report_path(name)).unwrap()).unwrap()
}

/// Everything that the report holds, without a hash.
fn everything(name: &str) -> Report {
    let want = Want { hash: false, ..Want::everything() };
    ncu_report::read(&report_path(name), &want).unwrap_or_else(|error| panic!("{error}"))
}

/// One of NVIDIA's pages, as rows of cells.
fn page(name: &str) -> Vec<Vec<String>> {
    let text = crate::truth::bytes(name);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..]);
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}
