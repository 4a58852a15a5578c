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
    fs::write(&path, fs::read_to_string(&path).unwrap().replacen("110000", "90000", 1)).unwrap();
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

/// The same with expectations that the subject states.
fn expecting(new: Profile, expect: &str) -> Project {
    let project = Project::new();
    let config = project.read("audit.toml");
    fs::write(project.path("audit.toml"), format!("{config}\n{expect}")).unwrap();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.audit("2026-01-02", new);
    project
}

#[test]
fn a_check_that_fails_fails_the_gate() {
    let few = "[[subject.expect]]\nmetric = \"launch__registers_per_thread\"\nop = \"<=\"\nvalue = 16\nlabel = \"few registers\"\n";
    let project = expecting(Profile::steady(90_000.0), few);
    project.run("check").ends(1, "FAIL scale: FASTER");
    project.run("check").ends(1, "0 of 1 checks pass; FAIL: few registers.");
    project.run("check --no-checks").ends(0, "PASS scale: FASTER");
    // An acceptance is of a comparison.
    project.run("check --accept --reason x --date 2026-01-03").ends(2, "a check that fails is not accepted");
    let absent = "[[subject.expect]]\nmetric = \"stall.barrier\"\nop = \"<\"\nvalue = 1\n";
    let project = expecting(Profile::steady(90_000.0), absent);
    project.run("check").ends(6, "NOT MEASURED: stall.barrier < 1");
    let met = few.replace("16", "32");
    expecting(Profile::steady(90_000.0), &met).run("check").ends(0, "1 of 1 checks pass.");
}

#[test]
fn new_findings_of_a_severity_fail_where_asked() {
    let project = Project::new();
    let folder = format!("{}/tests/fixtures/labelled", env!("CARGO_MANIFEST_DIR"));
    let subject = |new: &str, old: &str| {
        let config = format!(
            "[audit]\nout = \"pages\"\n[[subject]]\nname = \"k\"\nreport = \"{folder}/{new}.ncu-repz\"\nbaseline = \"{folder}/{old}.ncu-repz\"\nbaseline_kernel = \".\"\n"
        );
        fs::write(project.path("audit.toml"), config).unwrap();
        project.run("generate k --date 2026-01-02").done();
    };
    subject("transpose_naive", "stream_triad");
    let run = project.run("check --findings limits --allow-inconclusive");
    run.ends(1, "New findings: uncoalesced-global-access at transpose_naive.cu:17.");
    subject("transpose_naive", "transpose_naive");
    project.run("check --findings notes --allow-inconclusive").ends(0, "No new finding.");
    subject("misaligned_copy", "stream_triad");
    project.run("check --findings costs --allow-inconclusive").ends(1, "uncoalesced-global-access");
    let lenient = project.run("check --findings limits --allow-inconclusive");
    assert!(lenient.out().contains("No new finding."), "{}", lenient.out());
}

#[test]
fn the_gate_says_whether_the_baseline_is_committed() {
    let project = two(Profile::steady(90_000.0));
    project.run("check").ends(0, "Baseline pages/2026-01-01-scale.json: outside git");
    let git = |words: &[&str]| {
        let name = ["-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "commit.gpgsign=false"];
        let output = std::process::Command::new("git").args(name).args(words).current_dir(project.0.path()).output();
        assert!(output.unwrap().status.success(), "{words:?}");
    };
    git(&["init", "-q"]);
    project.run("check").ends(0, "2026-01-01-scale.json: NOT committed");
    git(&["add", "pages"]);
    project.run("check").ends(0, "2026-01-01-scale.json: NOT committed");
    git(&["commit", "-q", "-m", "audits"]);
    project.run("check").ends(0, "2026-01-01-scale.json: committed.");
}
