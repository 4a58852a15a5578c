//! `audit dump analysis`: checklists by flag and by subject, and lines for every kernel of a report.

use crate::committed::{self, Judged};
use crate::project::{Profile, Project};
use kernel_audit::view::{Conclusions, Detail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn dump(folder: &Path, words: &[&str]) -> serde_json::Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_audit"));
    // A day before every audit of this project, so that none of them is an earlier one.
    command.env("SOURCE_DATE_EPOCH", "1795132800");
    let output = command.current_dir(folder).args(["dump", "analysis"]).args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn labelled(kernel: &str) -> String {
    format!("{}/tests/fixtures/labelled/{kernel}.ncu-repz", env!("CARGO_MANIFEST_DIR"))
}

fn outcomes(dump: &serde_json::Value) -> Vec<(String, String)> {
    let checks = dump["launches"][0]["checks"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    checks.iter().map(|check| (text(&check["reading"]["metric"]), text(&check["outcome"]))).collect()
}

#[test]
fn checklists_come_by_flag() {
    let folder = tempfile::tempdir().unwrap();
    let report = labelled("stream_triad");
    assert!(outcomes(&dump(folder.path(), &[&report])).is_empty());
    let both =
        dump(folder.path(), &[&report, "--checklist", "memory-bound,tensor-gemm", "--expect", "stall.barrier<1"]);
    let both = outcomes(&both);
    assert!(both.contains(&("global.excess-share".into(), "pass".into())), "{both:?}");
    assert!(both.contains(&("tensor.instructions".into(), "fail".into())), "{both:?}");
    assert_eq!(both.last().unwrap(), &("stall.barrier".into(), "pass".into()));
}

#[test]
fn a_subject_brings_its_report_checklists_and_thresholds() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(labelled("misaligned_copy"), folder.path().join("new.ncu-rep")).unwrap();
    let config = "[thresholds]\nshort-kernel = 1e9\n[[subject]]\nname = \"copy\"\nreport = \"new.ncu-rep\"\nchecks = [\"memory-bound\"]\n";
    std::fs::write(folder.path().join("audit.toml"), config).unwrap();
    let stated = dump(folder.path(), &["--subject", "copy"]);
    assert_eq!(stated["launches"][0]["verdict"]["limiter"], "launch-short");
    assert!(outcomes(&stated).contains(&("global.excess-share".into(), "fail".into())), "{stated}");
    // A flag goes before the subject.
    let flagged =
        dump(folder.path(), &["--subject", "copy", "--expect", "stall.barrier<1", "--threshold", "short-kernel=5000"]);
    assert_eq!(flagged["launches"][0]["verdict"]["limiter"], "memory-dram");
    assert_eq!(flagged["launches"][0]["verdict"]["at"]["line"], 14);
    assert_eq!(outcomes(&flagged).last().unwrap().0, "stall.barrier");
}

/// Holds the conclusions of one launch against the page that says them.
fn are_said(told: &serde_json::Value, page: &Path) {
    let (launch, name) = (&told["launches"][0], page.display());
    let page = std::fs::read_to_string(page).unwrap();
    assert!(launch["id"].is_u64() || !launch["code"].as_array().unwrap().is_empty(), "{name}: {told}");
    let is_said = match launch["verdict"]["limiter"].as_str() {
        Some(limiter) => page.contains(&format!("(`{limiter}`")),
        None => page.contains("# Static Performance Audit"),
    };
    assert!(is_said, "{name} does not say {}", launch["verdict"]);
    if let Some(verdict) = launch["comparison"]["verdict"].as_str() {
        assert!(page.contains(&format!("**{}", verdict.to_uppercase())), "{name}: {verdict}");
    }
}

#[test]
fn every_audit_is_judged_as_on_its_page() {
    let mut limiters = BTreeSet::new();
    for Judged { path, audit, .. } in committed::audits() {
        let mut told = Vec::new();
        let mut conclusions = Conclusions::new(Detail::Whole, &mut told);
        conclusions.put(audit).unwrap();
        conclusions.end().unwrap();
        are_said(&serde_json::from_slice(&told).unwrap(), &path.with_extension("md"));
        limiters.insert(audit.now.bottleneck.limiter);
    }
    assert!(limiters.len() > 20, "{limiters:?}");
}

/// By the command and from the evidence, those that no compiler is asked for; `tests/audits` makes the pages of all subjects.
#[test]
fn a_subject_is_judged_as_on_its_page() {
    let mut judged = 0;
    for folder in committed::projects() {
        let config = std::fs::read_to_string(folder.join("audit.toml")).unwrap();
        let subjects = config.split("[[subject]]").skip(1).filter(|subject| !subject.contains("\nsource = "));
        let pages: Vec<PathBuf> =
            std::fs::read_dir(folder.join("audits")).unwrap().map(|entry| entry.unwrap().path()).collect();
        for name in subjects.filter_map(|subject| subject.split("name = \"").nth(1)?.split('"').next()) {
            // The last of several of a day, `DATE.N-NAME.md`, is of the evidence that the subject names.
            let own = pages.iter().filter(|page| page.to_str().unwrap().ends_with(&format!("-{name}.md")));
            if let Some(page) = own.max_by_key(|page| (page.as_os_str().len(), *page)) {
                are_said(&dump(&folder, &["--subject", name]), page);
                judged += 1;
            }
        }
    }
    assert!(judged > 5, "{judged}");
}

#[test]
fn the_kernels_of_a_long_page_are_said_one_by_one_and_none_is_lost() {
    let project = Project::new();
    // Every other kernel takes longer than the one before it, and one has more launches than are looked at together.
    let time = |at: usize| 1000.0 + if at.is_multiple_of(2) { at as f64 } else { 2000.0 - at as f64 };
    let name = |at: usize| format!("k{at}");
    let own = |at: usize| Profile {
        kernel: name(at).leak(),
        launches: vec![(time(at), 1.8 * time(at)); if at == 300 { 400 } else { 1 }],
        ..Profile::default()
    };
    let all: Vec<Profile> = (0..600).map(own).collect();
    project.report("long.csv", &all);
    let told: serde_json::Value = serde_json::from_str(&project.run("dump analysis long.csv").done()).unwrap();
    let told = told["launches"].as_array().unwrap();
    let mut expected: Vec<&Profile> = all.iter().collect();
    let total = |own: &Profile| own.launches.iter().map(|(ns, _)| ns).sum::<f64>();
    expected.sort_by(|a, b| total(b).total_cmp(&total(a)));
    assert_eq!(told.len(), expected.len());
    let whole: f64 = all.iter().map(total).sum();
    for (told, expected) in told.iter().zip(expected) {
        assert_eq!(told["name"], expected.kernel);
        assert_eq!(told["ids"].as_array().unwrap().len(), expected.launches.len());
        assert!((told["share"].as_f64().unwrap() - 100.0 * total(expected) / whole).abs() < 1e-9, "{told}");
    }
    let one = project.run("dump analysis long.csv --brief --kernel ^k599$").done();
    assert!(one.matches("\"name\"").count() == 1 && one.ends_with("]}\n"), "{one}");
}

#[test]
fn changes_in_brief_say_where_and_how_much_and_configurations_are_no_kernels() {
    let report = format!("{}/kernels/triton/evidence/profile.ncu-repz", env!("CARGO_MANIFEST_DIR"));
    let told = dump(Path::new("."), &[&report, "--brief"]);
    let kernels = told["kernels"].as_array().unwrap();
    // Of the five configurations that the report holds beside it, the product is the one that its function chose.
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel["name"].as_str().unwrap()).collect();
    let written = ["attention_kernel", "column_sum_kernel", "matmul_kernel", "layernorm_kernel"];
    assert!(names.len() == 5 && written.iter().all(|name| names.contains(name)), "{names:?}");
    let slow = kernels.iter().find(|kernel| kernel["name"] == "column_sum_kernel").unwrap();
    let first = &slow["next"][0];
    assert_eq!(first["at"], "column_sum.py:15");
    let report =
        format!("{}/tests/fixtures/collected/patch_embed_gemm_1_tma/profile.ncu-repz", env!("CARGO_MANIFEST_DIR"));
    let rows = &dump(Path::new("."), &[&report, "--brief"])["kernels"][0]["next"];
    let at = rows.as_array().unwrap().iter().map(|row| row["at"].as_str().unwrap());
    assert_eq!(at.collect::<Vec<&str>>(), [118, 242, 118].map(|line| format!("patch_embed_gemm.cu:{line}")));
    let [low, high] = [0, 1].map(|at| first["forecast"][at].as_f64().unwrap());
    assert!(0.0 < low && low < high && high <= first["ceiling"].as_f64().unwrap(), "{first}");
    for kernel in kernels {
        assert!(!kernel.to_string().contains("less, …"), "a sentence is cut: {kernel}");
        assert!(serde_json::to_vec(kernel).unwrap().len() <= 2000, "{kernel}");
    }
}
