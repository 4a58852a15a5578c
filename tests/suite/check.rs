//! `audit check`: the gate and its exit status.

use crate::project::{Profile, Project};
use std::fs;

/// A project with an audit of the first of January, and one of the second from another profile.
fn two(new: Profile) -> Project {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.audit("2026-01-02", new);
    project
}

#[test]
fn the_status_says_what_happened() {
    two(Profile::steady(90_000.0)).run("check").ends(0, "PASS scale: FASTER");
    two(Profile::steady(100_000.0)).run("check").ends(0, "PASS scale: SAME");
    two(Profile::steady(110_000.0)).run("check").ends(1, "FAIL scale: SLOWER");
    let slightly = two(Profile::steady(103_000.0));
    slightly.run("check").ends(0, "below the 5.0 % that count as a regression");
    slightly.run("check scale --regression 2").ends(1, "FAIL scale: SLOWER");
    let single = two(Profile { launches: vec![(103_000.0, 185_400.0)], ..Profile::default() });
    single.run("check").ends(6, "INCONCLUSIVE scale: AMBIGUOUS");
    single.run("check --allow-inconclusive").ends(0, "INCONCLUSIVE");
}

#[test]
fn a_missing_baseline_or_audit_is_never_green() {
    let project = Project::new();
    project.run("check").ends(6, "holds no snapshot of it");
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.run("check").ends(6, "NOT MEASURED: there is no baseline");
    project.run("check --accept --reason x --date 2026-01-02").ends(2, "no comparison to accept");
    assert!(!project.path("pages/scale.accepted.toml").exists());
}

#[test]
fn noise_that_hides_no_regression_passes() {
    let noisy = |by: f64| {
        let mut profile = Profile::steady(100_000.0);
        let launches = profile.launches.iter_mut().enumerate();
        launches.for_each(|(at, (time, cycles))| {
            let factor = by * (1.0 + 0.003 * ((at * 13) % 20) as f64);
            (*time, *cycles) = (*time * factor, *cycles * factor);
        });
        profile
    };
    let project = Project::new();
    project.audit("2026-01-01", noisy(1.0));
    project.audit("2026-01-02", noisy(1.012));
    project.run("check").ends(0, "A slow-down of 5.0 % is ruled out");
}

#[test]
fn broken_snapshots_and_wrong_usage_have_their_own_status() {
    let project = two(Profile::steady(110_000.0));
    project.run("check --regression 0").ends(2, "expected a number above 0");
    project.run("check --accept").ends(2, "--reason");
    project.run("check --out nowhere").ends(2, "nowhere holds no snapshot");
    let path = project.path("pages/2026-01-02-scale.json");
    fs::write(&path, fs::read_to_string(&path).unwrap().replacen("110000.0", "90000.0", 1)).unwrap();
    project.run("check").ends(3, "was changed after it was written");
}

#[test]
fn an_accepted_regression_passes_and_stands_on_the_page() {
    let project = two(Profile::steady(110_000.0));
    let words = ["check", "--accept", "--reason", "needed for correctness, see *notes*", "--date", "2026-01-03"];
    project.words(&words).ends(0, "Accepted on 2026-01-03: needed for correctness");
    let notes = project.read("pages/scale.accepted.toml");
    assert!(notes.contains("verdict = \"SLOWER\"") && notes.contains("commit = \"c1\""), "{notes}");
    project.run("check").ends(0, "PASS scale: SLOWER");
    let page = project.audit("2026-01-02", Profile::steady(110_000.0));
    assert!(page.contains("**Accepted** as SLOWER on 2026-01-03: needed for correctness, see \\*notes\\*"), "{page}");
    // The next regression is another comparison.
    project.audit("2026-01-04", Profile::steady(130_000.0));
    project.run("check").ends(1, "FAIL");
}

#[test]
fn the_analysis_is_made_anew_without_writing() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.report("new.csv", &[Profile::steady(120_000.0)]);
    project.run("check --fresh --date 2026-01-05").ends(1, "SLOWER");
    assert_eq!(fs::read_dir(project.path("pages")).unwrap().count(), 2);
}

#[test]
fn machines_read_the_outcome() {
    let project = two(Profile::steady(110_000.0));
    let run = project.run("check --junit out/junit.xml --github");
    run.ends(1, "::error file=pages/2026-01-02-scale.md,title=audit%3A scale::SLOWER: +10.0 %25");
    let xml = project.read("out/junit.xml");
    assert!(xml.contains("tests=\"1\" failures=\"1\"") && xml.contains("<failure type=\"regression\""), "{xml}");
}
