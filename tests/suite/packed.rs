//! Packed reports against their plain twins, and streams that are damaged or unpack to too much.

use kernel_audit::source::{Want, read_profile};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn packed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn plain(name: &str) -> Vec<u8> {
    zstd::decode_all(fs::File::open(packed(name)).unwrap()).unwrap()
}

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_audit")).current_dir(folder).args(words).output().unwrap()
}

/// Two folders with a report of one name: plain in the first, packed in the second.
fn twins(name: &str) -> [TempDir; 2] {
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    fs::write(folders[0].path().join("a.ncu-rep"), plain(name)).unwrap();
    fs::copy(packed(name), folders[1].path().join("a.ncu-rep")).unwrap();
    folders
}

/// What a run that must end well prints.
fn printed(folder: &TempDir, words: &[&str]) -> String {
    let output = run(folder.path(), words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_page_of_a_packed_report_is_that_of_the_plain_one() {
    for name in ["h200/gemm_bias_v2.ncu-repz", "labelled/spilling.ncu-repz"] {
        let words = [
            "generate",
            "--report",
            "a.ncu-rep",
            "--name",
            "twin",
            "--date",
            "2026-11-20",
            "--commit",
            "c",
            "--out",
            "o",
        ];
        let [plain, packed] = twins(name).map(|folder| {
            let paths = printed(&folder, &words);
            let file = |path: &str| (path.to_owned(), fs::read_to_string(folder.path().join(path)).unwrap());
            let files: Vec<_> = paths.lines().map(file).collect();
            (files, printed(&folder, &["show", "a.ncu-rep"]), printed(&folder, &["dump", "source", "a.ncu-rep"]))
        });
        assert!(matches!(plain.0.len(), 3 | 4) && plain == packed, "{name}");
    }
}

#[test]
fn everything_that_a_packed_report_holds_is_read() {
    let names = ["gemm_bias_v1", "multiprocess", "graph", "range", "app_range", "appcrash", "badmetric_dropped"];
    for name in names.map(|name| format!("h200/{name}.ncu-repz")) {
        // Size and hash are the report's own.
        let [plain, packed] =
            twins(&name).map(|folder| printed(&folder, &["dump", "evidence", "a.ncu-rep", "--instances"]));
        assert!(plain.len() > 10_000 && plain == packed, "{name}");
    }
}

#[test]
fn a_frame_of_any_size_that_holds_no_data_may_stand_before_a_packed_report() {
    let name = "h200/gemm_bias_v1.ncu-repz";
    let [_, folder] = twins(name);
    let words = ["dump", "evidence", "a.ncu-rep"];
    let alone = printed(&folder, &words);
    let bytes = fs::read(packed(name)).unwrap();
    for size in [70_000_u32, 2 << 20] {
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18][..], &size.to_le_bytes(), &vec![1; size as usize], &bytes].concat();
        fs::write(folder.path().join("a.ncu-rep"), skipped).unwrap();
        assert_eq!(printed(&folder, &words), alone, "{size}");
    }
}

#[test]
fn a_cut_stream_is_refused_and_read_as_far_as_it_goes_where_damage_is_allowed() {
    let folder = TempDir::new().unwrap();
    let bytes = fs::read(packed("h200/multiprocess.ncu-repz")).unwrap();
    fs::write(folder.path().join("cut.ncu-repz"), &bytes[..bytes.len() - 20]).unwrap();
    let refused = run(folder.path(), &["generate", "--report", "cut.ncu-repz"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("cut.ncu-repz"), "{said}");
    assert!(said.contains("expected the rest of a packed report") && said.contains("--allow-damage"), "{said}");
    let path = folder.path().join("cut.ncu-repz");
    let report = read_profile(&path, &Want { allow_damage: true, ..Want::everything() }).unwrap();
    assert!(report.damage[0].what.contains("expected the rest of a packed report"), "{:?}", report.damage);
    let whole = read_profile(&packed("h200/multiprocess.ncu-repz"), &Want::everything()).unwrap();
    assert!(report.launches.len() < whole.launches.len() || report.launches == whole.launches);
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_that_unpacks_without_end_is_refused_within_its_bound() {
    let folder = TempDir::new().unwrap();
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    std::io::Write::write_all(&mut encoder, b"NVR\0").unwrap();
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), 1 << 30), &mut encoder).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 300_000);
    fs::write(folder.path().join("bomb.ncu-repz"), bomb).unwrap();
    // Of 1 GiB 64 MiB and 256 times the file are unpacked at most, and no more than twice that is asked of the system.
    let shell = format!("ulimit -v 700000; exec {} show bomb.ncu-repz", env!("CARGO_BIN_EXE_audit"));
    let refused = Command::new("sh").current_dir(folder.path()).args(["-c", &shell]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("bomb.ncu-repz") && said.contains("unpacks to more than"), "{said}");
    assert!(said.contains("zstd -d FILE -o REPORT.ncu-rep"), "{said}");
}
