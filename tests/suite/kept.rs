//! A snapshot tells everything that was concluded: of every report that lies here, alone and beside another; and it stays
//! small.

use crate::brief_sections;
use crate::committed;
use crate::judged;
use crate::phases;
use crate::project::{Profile, Project, csv};
use crate::several_kernels;
use kernel_audit::analysis::{self, Audit, Evidence, Limits, Reduction, Work};
use kernel_audit::evidence::{Origin, Report, Want};
use kernel_audit::snapshot::Snapshot;
use kernel_audit::source::ncu_csv;
use kernel_audit::view::Heading;
use std::path::Path;

/// Most bytes of a snapshot of an audit in `audits/`.
const MOST: u64 = 128 * 1024;

/// Writes evidence, reads it, and holds both against each other: all that an audit is a function of.
fn read_again(evidence: &Evidence, limits: &Limits, what: &str) -> (Audit, Snapshot) {
    let audit = analysis::audit(evidence, limits);
    let snapshot = Snapshot::new(Heading::default(), evidence.clone(), &audit);
    let read = Snapshot::parse(Path::new("x.json"), &snapshot.to_json().unwrap()).unwrap();
    assert!(read.evidence == snapshot.evidence, "{what}: the evidence that was read is another");
    assert!(read.limits == snapshot.limits && read.limits == *limits, "{what}: the limits that were read are others");
    assert!(read.milestone == snapshot.milestone, "{what}: the milestone that was read is another");
    (audit, read)
}

/// The same with the audits of both.
fn returned(evidence: &Evidence, limits: &Limits, what: &str) -> Audit {
    let (audit, read) = read_again(evidence, limits, what);
    assert!(read.audit() == audit, "{what}: the audit of what was read is another");
    audit
}

/// Every report is read once, and held to what holds for all: its audit is that of its snapshot, its sections keep to their budgets, its
/// phases leave no rest, and other kernels are told as on pages of their own.
#[test]
fn every_report_is_kept_whole_and_told_within_its_budgets() {
    let work = Work { flop: Some(1 << 30), bytes: Some(1 << 24), ..Work::default() };
    let limits = Limits::default();
    let mut before: Option<&Report> = None;
    let (mut seen, mut sections, mut cut, mut others) = (0, 0, 0, 0);
    for path in judged::reports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")) {
        let what = path.display().to_string();
        // One was cut in its only result.
        let Some((report, views)) = brief_sections::shared(&path) else { continue };
        let with = Reduction { source: views, work: &Work::default(), limits: &limits };
        for profile in analysis::Profile::chosen(report, None, &with).unwrap() {
            let audit = returned(&Evidence::of(profile).made_public(), &limits, &what);
            seen += 1;
            sections += brief_sections::keep_to_budgets(&audit, &what);
            if let Some(own) = &audit.now.phases {
                phases::is_whole(own, &what);
                cut += 1;
            }
        }
        if report.launches.len() > 1 {
            others += several_kernels::hold(report, views, &what);
        }
        if let Some(old) = before {
            read_again(&judged::since(judged::evidence(report, views, &work), old, &[]), &limits, &what);
        }
        before = Some(report);
    }
    assert!(seen > 40 && sections > 100 && cut > 30 && others >= 2, "{seen}, {sections}, {cut}, {others}");
}

#[test]
fn launches_that_differ_limits_of_ones_own_and_numbers_that_are_none_come_back() {
    let read = |text: &str| ncu_csv::read(text.as_bytes(), Origin::default(), &Want::everything()).unwrap();
    let old = read(&csv(&[Profile::steady(100_000.0)]));
    let nan = csv(&[Profile::steady(90_000.0)]).replace("\"4096\"", "\"nan\"");
    let new = read(&nan);
    let mut limits = Limits::default();
    limits.overrides.insert(kernel_audit::catalog::Threshold::Regression, 30.0);
    let evidence = judged::since(judged::evidence(&new, &[], &Work::default()), &old, &[]);
    let audit = returned(&evidence, &limits, "two sides");
    assert_eq!(audit.limits, limits);
    assert_eq!(audit.now.artefact.launches.len(), 20);
}

#[test]
fn a_long_list_of_metrics_is_told_by_their_number() {
    let mut report =
        ncu_csv::read(csv(&[Profile::default()]).as_bytes(), Origin::default(), &Want::everything()).unwrap();
    let mut kept = |line: &str| {
        report.session.command_line = line.into();
        let evidence = judged::evidence(&report, &[], &Work::default()).made_public();
        let audit = returned(&evidence, &Limits::default(), line);
        audit.now.artefact.command_line
    };
    let few = "ncu --metrics a.sum,b.sum,c.sum,d.sum,e.sum,f.sum,g.sum,h.sum -o x";
    assert_eq!(kept(few), few);
    assert_eq!(kept(&few.replace("a.sum", "a.sum,no__such.sum")), "ncu --metrics '<9 metrics>' -o x");
}

#[test]
fn a_snapshot_shown_as_json_is_whole() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::default());
    let shown = |file: &str| -> serde_json::Value {
        let value: serde_json::Value =
            serde_json::from_str(&project.run(&format!("show --json {file}")).done()).unwrap();
        value["files"][0]["audit"].clone()
    };
    let (report, snapshot) = (shown("new.csv"), shown("pages/2026-01-01-scale.json"));
    assert!(report["panels"][0]["rows"][0]["new"]["value"].as_f64() == Some(100_000.0), "{report}");
    for part in ["panels", "stalls", "mix", "occupancy", "roofline", "line", "bottleneck", "findings"] {
        assert_eq!(snapshot[part], report[part], "{part}");
    }
}

/// Codes of findings that a committed audit comes to, by its snapshot alone, each with its sentence.
fn found(name: &str, code: &str) -> Option<String> {
    let audit = committed::snapshot(name).audit();
    audit.now.findings.iter().find(|found| found.code.to_string() == code).map(|found| found.sentence.to_plain())
}

#[test]
fn a_rule_on_instructions_speaks_about_an_audit_that_was_committed_before_it() {
    // Ten turns halve the warps that add: 16 + 8 + 4 + 2 + 1 and five times one are 36 loads of the own sum, of 265 warp
    // instructions for a row.
    let said = found("2026-11-21-barrier_reduction", "kept-in-memory").unwrap();
    assert!(said.contains("barrier_reduction.cu:18") && said.contains("13.60 %"), "{said}");
    assert!(found("2026-11-23-cholesky_damped", "kept-in-memory").is_some());
    // Spilled registers are a limit of their own, a copy keeps nothing, and a loop through an array changes its address.
    for other in ["2026-11-21-spilling", "2026-11-21-l2_resident", "2026-11-21-pointer_chase"] {
        assert_eq!(found(other, "kept-in-memory"), None, "{other}");
    }
}

#[test]
fn the_snapshots_of_this_project_are_small() {
    // That they are written as they were read, `committed` holds.
    let all = committed::snapshots();
    for path in &all {
        let bytes = std::fs::metadata(path).unwrap().len();
        assert!(bytes <= MOST, "{} has {bytes} bytes, more than {MOST}", path.display());
    }
    assert!(all.len() > 10);
}
