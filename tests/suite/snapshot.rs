//! Snapshots: what they hold, what breaks them, and baselines made from them.

use crate::judged;
use crate::project::{Profile, Project, csv, loose};
use kernel_audit::analysis::{self, Limits, Work};
use kernel_audit::evidence::{Origin, Want};
use kernel_audit::render::Templates;
use kernel_audit::snapshot::{SCHEMA, Snapshot, SnapshotError};
use kernel_audit::source::ncu_csv;
use kernel_audit::view::{self, Heading};
use std::fs;
use std::path::Path;

#[test]
fn a_page_is_made_again_from_its_snapshot_alone() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    let page = project.audit("2026-01-02", Profile::steady(90_000.0));
    for name in ["new.csv", "pages/2026-01-01-scale.json", "pages/2026-01-02-scale.md"] {
        fs::remove_file(project.path(name)).unwrap();
    }
    let printed = project.run("render --template full pages/2026-01-02-scale.json").done();
    assert_eq!(printed, "pages/2026-01-02-scale.md\n");
    assert!(project.raw("pages/2026-01-02-scale.md") == page);
}

#[test]
fn pages_of_two_snapshots_that_would_be_one_file_are_refused_before_anything_is_written() {
    let project = Project::new();
    for (ns, folder) in [(100_000.0, "a"), (90_000.0, "b")] {
        project.report("new.csv", &[Profile::steady(ns)]);
        project.run(&format!("generate scale --date 2026-01-01 --out {folder}")).done();
    }
    let render = |words: &str| project.run(&format!("render {words} --format html"));
    render("a/2026-01-01-scale.json b/2026-01-01-scale.json --out o")
        .ends(2, "a/2026-01-01-scale.json and b/2026-01-01-scale.json would both be written as o/2026-01-01-scale\n");
    fs::copy(project.path("a/2026-01-01-scale.json"), project.path("a/copy.json")).unwrap();
    render("a/2026-01-01-scale.json ./a/copy.json").ends(2, "a/2026-01-01-scale.json and ./a/copy.json would both");
    assert!(!project.path("o").exists() && !project.path("a/2026-01-01-scale.html").exists());
    render("a/2026-01-01-scale.json b/2026-01-01-scale.json").done();
}

#[test]
fn a_snapshot_that_was_changed_or_is_of_another_kind_is_refused_with_the_reason() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::default());
    let text = project.read("pages/2026-01-01-scale.json");
    let read = |text: &str| Snapshot::parse(Path::new("x.json"), text.as_bytes());
    assert!(read(&text).is_ok());
    // Another layout of the same content is the same snapshot.
    let spaced =
        text.replace(",\"evidence\":{", ",\n  \"evidence\" : {\n").replace(",\"profile\":", " ,\r\n\t\"profile\": ");
    assert!(spaced.len() > text.len() + 10 && read(&spaced).is_ok());
    let changed = read(&text.replacen("100000", "90000", 1)).unwrap_err();
    assert!(matches!(&changed, SnapshotError::Changed { .. }), "{changed}");
    let newer = read(&text.replacen(SCHEMA, "kernel-audit/audit/2", 1)).unwrap_err().to_string();
    let found = r#"expected the schema "kernel-audit/audit/1", found "kernel-audit/audit/2""#;
    assert!(newer.contains(found) && newer.contains("update this program"), "{newer}");
    let lacking = read(&text.replacen("\"limits\":", "\"limit\":", 1)).unwrap_err().to_string();
    assert!(lacking.contains("it has no `limits`"), "{lacking}");
    for never in ["static-audit/1", "audit/0", "audit/x", "audit/-1"] {
        let unknown = read(&text.replacen(SCHEMA, &format!("kernel-audit/{never}"), 1)).unwrap_err().to_string();
        assert!(unknown.contains("another kind of file"), "{never}: {unknown}");
    }
    assert!(read("{}").unwrap_err().to_string().contains("`schema`"));
    let cut = read(&text[..text.len() / 2]).unwrap_err().to_string();
    assert!(cut.contains("x.json") && cut.contains("line 1 column"), "{cut}");
    fs::write(project.path("broken.json"), text.replacen("100000", "90000", 1)).unwrap();
    project.run("render broken.json").ends(3, "was changed after it was written");
    project.run("generate scale --baseline broken.json").ends(3, "was changed after it was written");
    project.run("render nothing.json").ends(3, "nothing.json");
}

/// Every list and object of a file is counted, since the least of them may be read as a row of some table.
#[test]
fn a_snapshot_makes_no_more_than_its_bytes_allow() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::default());
    let text = project.read("pages/2026-01-01-scale.json");
    let read = |text: &str| Snapshot::parse(Path::new("x.json"), text.as_bytes()).unwrap_err().to_string();
    for bomb in ["{}", "[]"] {
        let many = vec![bomb; 200_000].join(",");
        let refused = read(&text.replacen("\"variants\"", "\"x\"", 1).replacen(
            "\"evidence\":{",
            &format!("\"evidence\":{{\"old\":{{\"variants\":[{many}]}},"),
            1,
        ));
        assert!(refused.contains("holds more than a snapshot may"), "{refused}");
    }
    let long = text.replacen("\"title\":\"", &format!("\"title\":\"{}", "x".repeat(17 << 20)), 1);
    assert!(read(&long).contains("holds more than a snapshot may"));
    let deep =
        text.replacen("\"limits\":{", &format!("\"limits\":{{\"x\":{}{},", "[".repeat(1000), "]".repeat(1000)), 1);
    assert!(!read(&deep).is_empty());
}

#[test]
fn nothing_that_names_a_person_or_a_machine_reaches_page_or_snapshot() {
    let origin = Origin { path: "/home/annabel/work/new.csv".into(), ..Origin::default() };
    let text = csv(&[Profile::default()]).replace("127.0.0.1", "gpu-node-17").replace("\"app\"", "\"app-annabel@lab\"");
    let mut report = ncu_csv::read(text.as_bytes(), origin, &Want::everything()).unwrap();
    report.session.command_line = "env TOKEN=s3cr3t ncu --hostname gpu-node-17 -o /home/annabel/out/x /Users/bob/app \
                                   --log ssh://gpu-node-17/log --peer 192.168.7.9 annabel"
        .into();
    let evidence = judged::evidence(&report, &[], &Work::default());
    let audit = analysis::audit(&evidence, &Limits::default());
    let heading = Heading { subject: "x".into(), date: "2026-01-01".into(), ..Heading::default() };
    let page = Templates::load(None).unwrap().page("full", &view::document(&heading, &audit)).unwrap();
    let data = String::from_utf8(Snapshot::new(heading, evidence, &audit).to_json().unwrap()).unwrap();
    assert!(data.contains("ncu --hostname <hidden> -o x app <arguments>"), "the command is kept");
    for secret in ["annabel", "bob", "gpu-node-17", "192.168.7.9", "s3cr3t", "/home/", "/Users/"] {
        assert!(!page.contains(secret), "{secret} is on the page");
        assert!(!data.contains(secret), "{secret} is in the snapshot");
    }
}

#[test]
fn the_audit_before_is_the_baseline_without_being_told() {
    let project = Project::new();
    let first = project.audit("2026-01-01", Profile::steady(100_000.0));
    assert!(first.contains("**Compared with:** nothing.") && first.contains("**NOT MEASURED**"), "{first}");
    project.audit("2026-01-05", Profile::steady(95_000.0));
    // A later day and another subject do not count, and neither does the page itself.
    fs::copy(project.path("pages/2026-01-01-scale.json"), project.path("pages/2026-01-06-other.json")).unwrap();
    fs::copy(project.path("pages/2026-01-01-scale.json"), project.path("pages/2026-01-06-my-scale.json")).unwrap();
    let page = project.audit("2026-01-07", Profile::steady(80_000.0));
    assert!(page.contains("the audit before, of 2026-01-05, commit c1"), "{page}");
    assert!(page.contains("**FASTER**") && loose(&page).contains("95.47 µs"), "{page}");
    assert!(project.audit("2026-01-07", Profile::steady(80_000.0)) == page, "a page is no baseline of itself");
    let middle = loose(&project.audit("2026-01-03", Profile::steady(100_001.0)));
    assert!(middle.contains("of 2026-01-01") && middle.contains("**SAME: 0.0 % cycles"), "{middle}");
}

#[test]
fn a_snapshot_as_baseline_gives_the_same_comparison_as_its_report() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    fs::copy(project.path("new.csv"), project.path("old.csv")).unwrap();
    project.report("new.csv", &[Profile::steady(90_000.0)]);
    project.run("generate scale --date 2026-02-01 --baseline old.csv --out by-report").done();
    project.run("generate scale --date 2026-02-01 --baseline pages/2026-01-01-scale.json --out by-snapshot").done();
    let read =
        |folder: &str| Snapshot::read(&project.path(&format!("{folder}/2026-02-01-scale.json"))).unwrap().audit();
    let (report, snapshot) = (read("by-report"), read("by-snapshot"));
    assert_eq!(report.change.as_ref().unwrap().comparison, snapshot.change.as_ref().unwrap().comparison);
    assert_eq!(report.panels, snapshot.panels);
    assert_eq!(report.performance, snapshot.performance);
    assert_eq!(report.before.as_ref().unwrap().bottleneck, snapshot.before.as_ref().unwrap().bottleneck);
    assert_eq!(report.before.unwrap().artefact.origin.blake3, snapshot.before.unwrap().artefact.origin.blake3);
}

#[test]
fn a_full_report_is_remembered_with_all_that_the_old_side_shows() {
    let fixture = |name: &str| format!("{}/tests/fixtures/h200/{name}", env!("CARGO_MANIFEST_DIR"));
    let project = Project::new();
    let (old, new) = (fixture("gemm_bias_v1.ncu-repz"), fixture("gemm_bias_v2.ncu-repz"));
    let go = |words: &[&str]| project.words(&[&["generate", "--name", "gemm", "--commit", "c"], words].concat()).done();
    go(&["--report", &old, "--date", "2026-01-01"]);
    go(&["--report", &new, "--date", "2026-01-02"]);
    let filters = ["--kernel", "gemm_bias", "--out", "other"];
    go(&[&["--report", &new, "--date", "2026-01-02", "--baseline", &old], &filters[..]].concat());
    let read = |folder: &str| Snapshot::read(&project.path(&format!("{folder}/2026-01-02-gemm.json"))).unwrap().audit();
    let (kept, report) = (read("audits"), read("other"));
    assert_eq!(kept.panels, report.panels);
    assert_eq!(kept.now.stalls, report.now.stalls);
    assert_eq!(kept.now.mix, report.now.mix);
    assert_eq!(kept.now.coalescing, report.now.coalescing);
    assert_eq!(kept.change.as_ref().unwrap().comparison, report.change.as_ref().unwrap().comparison);
    assert_eq!(kept.before.as_ref().unwrap().bottleneck, report.before.as_ref().unwrap().bottleneck);
    assert_eq!(kept.settings, report.settings);
}

#[test]
fn a_pinned_audit_stays_the_baseline_and_must_not_change() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.audit("2026-01-02", Profile::steady(80_000.0));
    project.run("baseline pin scale --out pages --reason").ends(2, "--reason");
    project.words(&["baseline", "pin", "scale", "--reason", " "]).ends(2, "for a reason");
    project.run("baseline pin other --reason x").ends(2, "holds no snapshot of other");
    let words = ["baseline", "pin", "scale", "--reason", "release 1", "--date", "2026-01-03", "--snapshot"];
    project.words(&[&words[..], &["pages/2026-01-01-scale.json"]].concat()).done();
    let pins = project.read("pages/baselines.toml");
    for line in ["subject = \"scale\"", "reason = \"release 1\"", "date = \"2026-01-03\"", "commit = \"c1\""] {
        assert!(pins.contains(line), "{pins}");
    }
    let page = project.audit("2026-01-04", Profile::steady(90_000.0));
    assert!(page.contains("pinned on 2026-01-03: release 1") && page.contains("**FASTER**"), "{page}");
    project.run("baseline pin scale --reason newest --date 2026-01-05").done();
    assert!(project.read("pages/baselines.toml").contains("2026-01-04-scale.json"));
    // A page that is made again stays the pinned one; another in its place does not.
    project.run("generate scale --date 2026-01-04").done();
    let listed = project.run("baseline list").done();
    assert!(listed.contains("release 1") && listed.contains("2026-01-04-scale.json"), "{listed}");
    // A pin works from its day on, and never for itself or what was before it.
    let early = project.audit("2026-01-02", Profile::steady(85_000.0));
    assert!(early.contains("the audit before, of 2026-01-02"), "{early}");
    let own = project.read("pages/2026-01-04-scale.md");
    assert!(own.contains("pinned on 2026-01-03"), "{own}");
    project.words(&["baseline", "unpin", "scale", "--reason", "r", "--date", "2026-01-02"]).ends(2, "is pinned on");
    project.words(&["baseline", "unpin", "scale", "--reason", "over", "--date", "2026-01-08"]).done();
    let after = project.audit("2026-01-08", Profile::steady(85_500.0));
    assert!(after.contains("the audit before, of 2026-01-02.2"), "{after}");
    fs::remove_file(project.path("pages/2026-01-08-scale.json")).unwrap();
    fs::copy(project.path("pages/2026-01-01-scale.json"), project.path("pages/2026-01-04-scale.json")).unwrap();
    project.report("new.csv", &[Profile::steady(95_000.0)]);
    project.run("generate scale --date 2026-01-06").ends(3, "pins 2026-01-04-scale.json of scale");
}

#[test]
fn an_unusable_audit_before_is_said_on_the_page() {
    let project = Project::new();
    fs::create_dir(project.path("pages")).unwrap();
    fs::write(project.path("pages/2026-01-01-scale.json"), r#"{"schema":"kernel-audit/audit/1"}"#).unwrap();
    let page = project.audit("2026-01-02", Profile::default());
    assert!(page.contains("The audit before cannot be used") && page.contains("**NOT MEASURED**"), "{page}");
}
