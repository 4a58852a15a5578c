//! What a snapshot leaves out comes back as it was: of every report that lies here, alone, beside another, and beside an
//! earlier snapshot; and a snapshot stays small.

use crate::project::{Profile, Project, csv};
use kernel_audit::analysis::{self, Audit, Inputs, Limits, Old, Selection, Work};
use kernel_audit::evidence::{Origin, Report, SourceView, Want};
use kernel_audit::snapshot::Snapshot;
use kernel_audit::source::{self, ncu_csv};
use kernel_audit::view::Heading;
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

/// Parts that readings tell, of an audit without and with an old side.
const ALONE: [&str; 11] = [
    "panels",
    "stalls",
    "mix",
    "coalescing",
    "occupancy",
    "roofline",
    "old_roofline",
    "line",
    "kernels",
    "new.aliases",
    "findings.limiter.readings",
];
const BESIDE: [&str; 2] = ["old.aliases", "comparison.readings"];

/// Most bytes of a snapshot in `audits/` without an old side and a reference: readings of one kernel are about 16 KB, its
/// lines of source, its findings and the steps of its collection up to twice that.
const ALONE_MOST: usize = 55_000;
/// With them: the numbers of the old side, what it comes to, a reference with its own samples.
const BESIDE_MOST: usize = 80_000;

fn reports() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found = Vec::new();
    let mut folders = vec![fixtures];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|extension| extension == "ncu-repz") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

fn inputs<'r>(new: &'r Report, old: Option<Old<'r>>, source: &'r [SourceView]) -> Inputs<'r> {
    // A filter says that kernels of two names are meant to be compared.
    let any = Regex::new(".").ok();
    let selection = Selection { kernel: any.clone(), baseline_kernel: any };
    let work = Work { flop: Some(1 << 30), bytes: Some(1 << 24), ..Work::default() };
    Inputs { new, old, source, old_source: None, builds: &[], selection, work, limits: Limits::default() }
}

/// Writes an audit, reads it, and gives it back after it was found equal, with the names of what was not written.
fn returned(audit: &Audit, what: &str) -> (Audit, Vec<String>) {
    let bytes = Snapshot::new(Heading::default(), audit.clone()).to_json().unwrap();
    let read = Snapshot::<Audit>::parse(Path::new("x.json"), &bytes).unwrap();
    assert!(read.audit == *audit, "{what}: the audit that was read is another");
    let file: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let names = file["audit"]["left_out"].as_array().unwrap();
    (read.audit, names.iter().map(|name| name.as_str().unwrap().to_owned()).collect())
}

#[test]
fn what_is_left_out_of_a_snapshot_comes_back_as_it_was() {
    let mut before: Option<(Report, Audit)> = None;
    let mut seen = 0;
    for path in reports() {
        let what = path.display().to_string();
        let want = Want { allow_damage: true, ..analysis::want() };
        let report = source::read_profile(&path, &want).unwrap();
        let Ok(launches) = analysis::subject_launches(&report, &Selection::default()) else { continue };
        let lines = analysis::source_want(&launches);
        let ids: Vec<u32> = launches.iter().map(|launch| launch.id).collect();
        let views = source::read_source_views(&path, &lines, |head| ids.contains(&head.id), &[]).unwrap_or_default();
        for audit in analysis::analyse_all(&inputs(&report, None, &views)).unwrap() {
            let (_, names) = returned(&audit, &what);
            let several = audit.kernels.len() > 1;
            let expected = ALONE.iter().filter(|name| !(several && **name == "kernels"));
            assert!(expected.clone().all(|name| names.iter().any(|known| known == name)), "{what}: {names:?}");
            seen += 1;
        }
        let (alone, _) = returned(&analysis::analyse(&inputs(&report, None, &views)).unwrap(), &what);
        if let Some((old_report, old_audit)) = &before {
            for old in [Old::Report(old_report), Old::Audit(old_audit)] {
                let (_, names) = returned(&analysis::analyse(&inputs(&report, Some(old), &[])).unwrap(), &what);
                assert!(BESIDE.iter().all(|name| names.iter().any(|known| known == name)), "{what}: {names:?}");
            }
        }
        before = Some((report, alone));
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn launches_that_differ_limits_of_ones_own_and_numbers_that_are_none_come_back() {
    let read = |text: &str| ncu_csv::read(text.as_bytes(), Origin::default(), &Want::everything()).unwrap();
    let old = read(&csv(&[Profile::steady(100_000.0)]));
    let nan = csv(&[Profile::steady(90_000.0)]).replace("\"4096\"", "\"nan\"");
    let new = read(&nan);
    let mut asked = inputs(&new, Some(Old::Report(&old)), &[]);
    asked.limits.overrides.insert(kernel_audit::catalog::Threshold::Regression, 30.0);
    let (audit, names) = returned(&analysis::analyse(&asked).unwrap(), "two sides");
    assert_eq!(audit.limits, asked.limits);
    assert_eq!(audit.new.launches.len(), 20);
    assert!(ALONE.iter().chain(&BESIDE).all(|name| names.iter().any(|known| known == name)), "{names:?}");
}

#[test]
fn a_part_that_its_readings_do_not_tell_stays_in_the_snapshot() {
    let report = ncu_csv::read(csv(&[Profile::default()]).as_bytes(), Origin::default(), &Want::everything()).unwrap();
    let mut audit = analysis::analyse(&inputs(&report, None, &[])).unwrap();
    audit.panels[0].title = "as an older program had it".into();
    audit.mix.total = Some(1.0);
    let (_, names) = returned(&audit, "an older program");
    assert!(!names.iter().any(|name| name == "panels" || name == "mix") && names.iter().any(|name| name == "stalls"));
}

#[test]
fn the_list_of_metrics_is_said_once_and_the_command_comes_back() {
    let mut report =
        ncu_csv::read(csv(&[Profile::default()]).as_bytes(), Origin::default(), &Want::everything()).unwrap();
    let json = |report: &Report| {
        let audit = analysis::analyse(&inputs(report, None, &[])).unwrap();
        returned(&audit, &report.session.command_line);
        String::from_utf8(Snapshot::new(Heading::default(), audit).to_json().unwrap()).unwrap()
    };
    report.session.command_line =
        "ncu --metrics launch__registers_per_thread,no__such.sum,gpu__time_duration.sum -o x".into();
    let said = json(&report);
    assert!(said.contains(r#""command_line":"ncu --metrics {asked} -o x""#), "{said}");
    let rows = r#""asked":3,"metrics":[["launch__registers_per_thread",32],["no__such.sum"],["gpu__time_duration.sum",100000]"#;
    assert!(said.contains(rows), "{said}");
    for odd in ["ncu --metrics a,a ./app", "ncu --metrics a,b ./{asked}", "ncu --metrics one -o x"] {
        report.session.command_line = odd.into();
        assert!(json(&report).contains(&format!(r#""command_line":"{odd}""#)), "{odd}");
    }
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
    assert!(report["panels"][0]["rows"][0]["new"].as_f64() == Some(100_000.0), "{report}");
    for part in ["panels", "stalls", "mix", "occupancy", "roofline", "line", "bottleneck", "findings", "kept"] {
        assert_eq!(snapshot[part], report[part], "{part}");
    }
    assert!(snapshot.get("left_out").is_none());
}

#[test]
fn the_snapshots_of_this_project_are_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("audits");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        let is_beside = ["old", "reference"].iter().any(|part| !file["audit"][part].is_null());
        let most = if is_beside { BESIDE_MOST } else { ALONE_MOST };
        assert!(text.len() <= most, "{} has {} bytes, more than {most}", path.display(), text.len());
        seen += 1;
    }
    assert!(seen > 10);
}
