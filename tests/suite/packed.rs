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

/// What a run that must end well printed and wrote below `out`, by path.
fn written(folder: &Path, report: &str) -> Vec<(String, String)> {
    let words =
        ["generate", "--report", report, "--name", "twin", "--date", "2026-11-20", "--commit", "c", "--out", "out"];
    let output = run(folder, &words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    said.lines().map(|path| (path.to_owned(), fs::read_to_string(folder.join(path)).unwrap())).collect()
}

#[test]
fn a_page_of_a_packed_report_differs_in_the_name_of_its_file_alone() {
    for name in ["h200/gemm_bias_v2.ncu-repz", "labelled/spilling.ncu-repz"] {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("a.ncu-rep"), plain(name)).unwrap();
        fs::copy(packed(name), folder.path().join("a.ncu-repz")).unwrap();
        let (of_plain, of_packed) = (written(folder.path(), "a.ncu-rep"), written(folder.path(), "a.ncu-repz"));
        assert!(of_plain.len() > 3 && of_plain.len() == of_packed.len());
        for ((path, plain), (_, packed)) in of_plain.iter().zip(&of_packed) {
            // The hash of a snapshot covers the name as well.
            let without = |text: &str| -> Vec<String> {
                let lines = text.replace("a.ncu-repz", "a.ncu-rep");
                lines.lines().filter(|line| !line.contains("\"sha256\"")).map(str::to_owned).collect()
            };
            assert!(without(plain) == without(packed), "{path} differs");
        }
        let printed = |file: &str| String::from_utf8(run(folder.path(), &["show", file]).stdout).unwrap();
        assert_eq!(printed("a.ncu-rep"), printed("a.ncu-repz").replace("a.ncu-repz", "a.ncu-rep"));
    }
}

#[test]
fn everything_that_a_packed_report_holds_is_read() {
    let folder = TempDir::new().unwrap();
    let names = ["gemm_bias_v1", "multiprocess", "graph", "range", "app_range", "appcrash", "badmetric_dropped"];
    for name in names.map(|name| format!("h200/{name}.ncu-repz")) {
        let path = folder.path().join("twin.ncu-rep");
        fs::write(&path, plain(&name)).unwrap();
        let mut twins = [packed(&name), path].map(|path| read_profile(&path, &Want::everything()).unwrap());
        twins.iter_mut().for_each(|report| report.origin.path.clear());
        assert_eq!(twins[0].origin, twins[1].origin, "size and hash are those of the report");
        assert!(twins[0] == twins[1], "{name}");
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
    std::io::copy(&mut std::io::Read::take(std::io::repeat(0), 2 << 30), &mut encoder).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 300_000);
    fs::write(folder.path().join("bomb.ncu-repz"), bomb).unwrap();
    // 64 MiB and 256 times the file are unpacked at most, and no more than twice that is asked of the system.
    let shell = format!("ulimit -v 700000; exec {} show bomb.ncu-repz", env!("CARGO_BIN_EXE_audit"));
    let refused = Command::new("sh").current_dir(folder.path()).args(["-c", &shell]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("bomb.ncu-repz") && said.contains("a stream that goes on"), "{said}");
    assert!(said.contains("zstd -d FILE -o REPORT.ncu-rep"), "{said}");
}
