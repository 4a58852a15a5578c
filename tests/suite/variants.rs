//! Several builds of one source on one page, each with the evidence that was collected of it.

use crate::project::{Run, audit};
use std::fs;
use std::path::{Path, PathBuf};

const CONFIG: &str = r#"
[[subject]]
name = "transpose"
kernel = "^transpose_(tiled|padded)$"
source = "transpose.cu"
arch = "sm_90a"

[[subject.variant]]
name = "N = 128"

[[subject.variant]]
name = "N = 256"
flags = ["-DN=256"]

[[subject.variant]]
name = "N = 512"
flags = ["-DN=512"]
"#;

struct Lab(tempfile::TempDir);

impl Lab {
    /// A subject with three builds, of which the first and the second were collected.
    fn new() -> Lab {
        let lab = Lab(tempfile::tempdir().unwrap());
        fs::write(lab.path("audit.toml"), CONFIG).unwrap();
        fs::write(lab.path("transpose.cu"), "// the source\n").unwrap();
        lab.collected("transpose_tiled", "collected/transpose");
        lab.collected("transpose_padded", "collected/transpose/n-256");
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn collected(&self, of: &str, into: &str) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/collected").join(of);
        fs::create_dir_all(self.path(into)).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), self.path(into).join(entry.file_name())).unwrap();
        }
    }

    /// Without the tools of a CUDA toolkit, wherever the test runs.
    fn run(&self, words: &str) -> Run {
        let mut command = audit(self.0.path());
        Run(command.args(words.split_whitespace()).env("PATH", "").env_remove("CUDA_HOME").output().unwrap())
    }

    fn page(&self) -> String {
        self.run("generate --date 2026-01-01").done();
        crate::project::loose(&fs::read_to_string(self.path("audits/2026-01-01-transpose.md")).unwrap())
    }
}

fn row<'p>(page: &'p str, label: &str) -> Vec<&'p str> {
    let start = format!("| {label} ");
    let line = page.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no {label} in\n{page}"));
    line.trim_matches('|').split('|').skip(1).map(str::trim).collect()
}

#[test]
fn the_builds_stand_side_by_side_with_their_own_times() {
    let lab = Lab::new();
    let page = lab.page();
    assert_eq!(row(&page, "Build"), ["N = 128", "N = 256", "N = 512"]);
    let under_ncu = row(&page, "Duration under ncu");
    assert_eq!(under_ncu, ["327.4 µs", "142.3 µs", "NOT MEASURED"]);
    let timed = row(&page, "Median of the benchmark");
    assert!(timed[0].ends_with("µs") && timed[1].ends_with("µs") && timed[2] == "NOT MEASURED", "{timed:?}");
    let beside = row(&page, "Beside the first build");
    assert_eq!(beside, ["—", "−54.9 % (−55.0 % to −54.6 %)", "NOT MEASURED"]);
    assert_eq!(row(&page, "Results"), ["correct", "correct", "not checked"]);
    assert!(page.contains("compared with the first build, the subject of this page"), "{page}");

    // The snapshot alone makes the same page.
    lab.run("render audits/2026-01-01-transpose.json").done();
    assert_eq!(crate::project::loose(&fs::read_to_string(lab.path("audits/2026-01-01-transpose.md")).unwrap()), page);
    assert!(fs::metadata(lab.path("audits/2026-01-01-transpose.json")).unwrap().len() < 96 << 10);
}

#[test]
fn a_build_whose_results_are_wrong_has_no_time() {
    let lab = Lab::new();
    let file = lab.path("collected/transpose/n-256/correctness.json");
    let wrong = fs::read_to_string(&file).unwrap().replace("\"passed\": true", "\"passed\": false");
    fs::write(&file, &wrong).unwrap();
    lab.run("generate --date 2026-01-01").ends(3, "n-256");
    // As the manifest would have it.
    let manifest = lab.path("collected/transpose/n-256/collected.json");
    let mut known: serde_json::Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    let steps = known["steps"].as_array_mut().unwrap();
    let step = steps.iter_mut().find(|step| step["step"] == "correctness").unwrap();
    step["blake3"] = blake3::hash(wrong.as_bytes()).to_hex().to_string().into();
    fs::write(&manifest, serde_json::to_vec(&known).unwrap()).unwrap();
    let page = lab.page();
    assert_eq!(row(&page, "Results"), ["correct", "WRONG", "not checked"]);
    assert_eq!(row(&page, "Duration under ncu"), ["327.4 µs", "WRONG", "NOT MEASURED"]);
}

#[test]
fn a_subject_whose_other_builds_nobody_collected_is_as_before() {
    let lab = Lab::new();
    fs::remove_dir_all(lab.path("collected/transpose/n-256")).unwrap();
    assert!(!lab.page().contains("Builds side by side"));
}
