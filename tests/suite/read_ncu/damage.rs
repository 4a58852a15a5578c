//! Damaged reports: refused as a whole, or read as far as they are whole, and never a panic.

use super::{everything, plain, report_path};
use kernel_audit::evidence::Report;
use kernel_audit::source::ncu_report::{self, NcuReport};
use kernel_audit::source::{NameSet, ReadError, Rules, Want};
use std::path::Path;

const ALL: Want = Want {
    metrics: NameSet::All,
    few: 0,
    instances: NameSet::All,
    first_instances: None,
    rules: Rules::All,
    hash: false,
    allow_damage: true,
};

/// Reads what is whole, the source data too.
fn what_is_whole(path: &Path) -> Result<Report, ReadError> {
    let report = NcuReport::open(path, true)?;
    report.sources()?;
    report.read(&ALL)
}

#[test]
fn a_cut_report_is_refused_unless_damage_is_allowed() {
    let path = report_path("truncated");
    let error = ncu_report::read(&path, &Want { allow_damage: false, ..ALL }).unwrap_err().to_string();
    assert!(
        error.contains("at byte 201087: expected an entry of 1346543 bytes, found 98909 bytes to the end"),
        "{error}"
    );
    assert!(error.contains("help: "), "{error}");
    let report = what_is_whole(&path).unwrap();
    assert_eq!(report.launches, [], "the only result was cut");
    assert_eq!(report.damage.len(), 1);
    assert_eq!(report.damage[0].at, 201_087);
    assert!(report.damage[0].what.contains("not read: "), "{:?}", report.damage);
    assert!(report.dropped.is_empty(), "what was dropped cannot be told from what was lost");
    let sources = NcuReport::open(&path, true).unwrap().sources().unwrap();
    assert!(sources[0].cubin.is_some());
}

#[test]
fn results_before_the_cut_are_read_whole() {
    let bytes = plain("both_basic");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.ncu-rep");
    std::fs::write(&path, &bytes[..bytes.len() - 100]).unwrap();
    let report = what_is_whole(&path).unwrap();
    assert_eq!(report.damage.len(), 1);
    assert_eq!(report.launches[..], everything("both_basic").launches[..report.launches.len()]);
    assert!(!report.launches.is_empty());
}

#[test]
fn a_name_that_the_table_lacks_is_damage() {
    let mut bytes = plain("badmetric_dropped");
    // The first metric of a result: field 13, its size, then field 1 with a name of two bytes.
    let metric = bytes.windows(4).position(|at| at[0] == 0x6a && at[2] == 0x08 && at[3] >= 0x80);
    let at = metric.expect("a metric with a large name id");
    bytes[at + 4] = 0x7f;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("name.ncu-rep");
    std::fs::write(&path, bytes).unwrap();
    let error = ncu_report::read(&path, &Want { allow_damage: false, ..ALL }).unwrap_err().to_string();
    assert!(error.contains(&format!("at byte {}: expected a metric name among the 267", at + 2)), "{error}");
    let report = what_is_whole(&path).unwrap();
    assert_eq!(report.launches[0].metrics.len(), everything("badmetric_dropped").launches[0].metrics.len() - 1);
    assert_eq!(report.damage.len(), 1);
}

/// A small report in a file that can be rewritten.
struct Bench {
    _folder: tempfile::TempDir,
    path: std::path::PathBuf,
    bytes: Vec<u8>,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bench.ncu-rep");
        Bench { _folder: folder, path, bytes: plain("badmetric_dropped") }
    }

    fn read(&self, bytes: &[u8]) -> Result<Report, ReadError> {
        std::fs::write(&self.path, bytes).unwrap();
        what_is_whole(&self.path)
    }
}

#[test]
fn no_prefix_panics_or_passes_for_whole() {
    let bench = Bench::new();
    let whole = bench.read(&bench.bytes).unwrap();
    assert_eq!(whole.damage, []);
    let mut partial = 0;
    for end in (0..bench.bytes.len()).step_by(397) {
        std::fs::write(&bench.path, &bench.bytes[..end]).unwrap();
        if let Ok(report) = what_is_whole(&bench.path) {
            partial += 1;
            // A cut between two blocks leaves a shorter report that is whole in itself.
            assert!(!report.damage.is_empty() || bench.is_block_end(end), "{end} bytes pass for whole");
        }
    }
    assert!(partial > 100, "only {partial} prefixes were read in part");
}

impl Bench {
    /// Whether a strict walk over the first `end` bytes ends without a fault.
    fn is_block_end(&self, end: usize) -> bool {
        std::fs::write(&self.path, &self.bytes[..end]).unwrap();
        NcuReport::open(&self.path, false).is_ok()
    }
}

#[test]
fn no_changed_byte_panics() {
    let bench = Bench::new();
    let mut bytes = bench.bytes.clone();
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(331) {
        let kept = bytes[at];
        for change in [0x00, kept ^ 0x80, kept.wrapping_add(1)] {
            bytes[at] = change;
            std::fs::write(&bench.path, &bytes).unwrap();
            refused += usize::from(!matches!(what_is_whole(&bench.path), Ok(report) if report.damage.is_empty()));
        }
        bytes[at] = 0xff;
        refused += usize::from(!matches!(bench.read(&bytes), Ok(report) if report.damage.is_empty()));
        bytes[at] = kept;
    }
    assert!(refused > 20, "only {refused} changes were noticed");
}
