//! Choosing the reader for a file, and what is said of files that none reads.

use crate::truth;
use kernel_audit::source::{ReadError, Want, read_build_log, read_profile};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

#[test]
fn pages_are_chosen_by_content_under_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("page.ncu-rep");
    std::fs::write(&odd, truth::bytes("both_basic.raw.csv")).unwrap();
    let report = read_profile(&odd, &Want::everything()).unwrap();
    assert_eq!((report.launches.len(), report.origin.format.as_str()), (2, "ncu-raw-csv"));
    assert_eq!(report.origin.path, odd.display().to_string());
    assert_eq!(report.origin.bytes, std::fs::metadata(&odd).unwrap().len());
    assert_eq!(report.origin.blake3.len(), 64);
    assert_eq!(read_profile(&odd, &Want::default()).unwrap().origin.blake3, "");
}

#[test]
fn a_table_far_behind_program_output_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.txt");
    let page = truth::text("badmetric_dropped.details.csv");
    std::fs::write(&path, "step\n".repeat(300_000) + &page).unwrap();
    let report = read_profile(&path, &Want::default()).unwrap();
    assert_eq!((report.launches.len(), report.unrecognised_lines.len()), (1, 101));
    assert_eq!(report.unrecognised_lines[100], "and 299900 lines more, beside the tables");
}

#[test]
fn a_build_log_is_read_from_its_file() {
    let log = read_build_log(&fixture("h200/devset.ptxas.txt")).unwrap();
    assert_eq!((log.records.len(), log.origin.format.as_str(), log.origin.blake3.len()), (7, "ptxas-log", 64));
}

#[test]
fn what_cannot_be_read_is_named_with_its_cure() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let cases = [
        (folder.path().to_path_buf(), "a directory", "name a file"),
        (write("empty.ncu-rep", b""), "an empty file", "run it again"),
        (write("a.ncu-repz", b"xx"), "packed report and is not one", "copy the report again"),
        (write("a.nsys-rep", b"xx"), "Nsight Systems", "ncu --set full"),
        (write("a.sqlite", b"SQLite format 3\0"), "SQLite", "ncu --set full"),
        (fixture("h200/devset.sm_90a.cubin"), "a cubin", ".ncu-rep"),
        (fixture("h200/devset.ptxas.txt"), "a build log", ".ncu-rep"),
        (write("d.sass", &truth::unpacked("h200/devset.sass")), "a disassembly", ".ncu-rep"),
        (fixture("h200/logs/nomatch.log"), "without a CSV table", "--csv"),
        (fixture("h200/logs/sanitizer_memcheck_v2.log"), "compute-sanitizer", ".ncu-rep"),
        (fixture("h200/README.md"), "text of no kind", ".ncu-rep"),
    ];
    for (path, found, cure) in cases {
        let error = read_profile(&path, &Want::default()).unwrap_err();
        assert!(matches!(error, ReadError::WrongKind { .. }), "{error}");
        let (what, help) =
            error.to_string().split_once("\n  help: ").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(what.contains(found) && help.contains(cure), "{what} / {help}");
        assert!(what.contains(&path.display().to_string()));
    }
    let missing = read_profile(&folder.path().join("none"), &Want::default()).unwrap_err();
    assert!(matches!(missing, ReadError::Io { .. }));
    let report = fixture("h200/gemm_bias_v1.ncu-repz");
    let page = write("range.raw.csv", &truth::bytes("range.raw.csv"));
    for (path, found) in [(report, "Nsight Compute report"), (page, "ncu printed")] {
        let error = read_build_log(&path).unwrap_err().to_string();
        assert!(error.contains(found) && error.contains("-Xptxas -v"), "{error}");
    }
}
