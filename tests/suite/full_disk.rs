//! What happens when the disk takes no more: no half of a page, and nothing of the old one lost.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `audit generate` into `out` with at most `kilobytes` for each file that it writes.
fn generate(out: &Path, kilobytes: u32) -> Output {
    // A limit on the size of files fails a write in its middle, as a full disk does, and needs no rights.
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", 2 * kilobytes);
    let report = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/h200/gemm_bias_v2.ncu-repz");
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_audit"), "generate", "--date", "2026-01-01", "--commit", "none"])
        .args(["--name", "gemm", "--report", report, "--out"])
        .arg(out)
        .output()
        .unwrap()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_page_that_does_not_fit_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let failed = generate(folder.path(), 8);
    let said = String::from_utf8_lossy(&failed.stderr);
    assert_eq!(failed.status.code(), Some(3), "{said}");
    assert!(said.contains("2026-01-01-gemm") && said.contains("writing") && said.contains("help: "), "{said}");
    assert_eq!(files(folder.path()), [] as [&str; 0]);
}

#[test]
fn what_was_there_stays_when_its_successor_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    assert!(generate(folder.path(), 10_000).status.success());
    let page = folder.path().join("2026-01-01-gemm.md");
    let kept = format!("{}\nOur own words.\n", fs::read_to_string(&page).unwrap());
    fs::write(&page, &kept).unwrap();
    let before = files(folder.path());
    assert_eq!(generate(folder.path(), 8).status.code(), Some(3));
    assert_eq!((fs::read_to_string(&page).unwrap(), files(folder.path())), (kept, before));
}
