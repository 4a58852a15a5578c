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
    two(Profile::steady(100_001.0)).run("check").ends(0, "PASS scale: SAME");
    two(Profile::steady(110_000.0)).run("check").ends(1, "FAIL scale: SLOWER");
    let slightly = two(Profile::steady(103_000.0));
    slightly.run("check").ends(0, "below the 5.0 % that count as a regression");
    slightly.run("check scale --regression 2").ends(1, "FAIL scale: SLOWER");
    let single = two(Profile { launches: vec![(103_000.0, 185_400.0)], ..Profile::default() });
    single.run("check").ends(6, "INCONCLUSIVE scale: AMBIGUOUS");
    single.run("check --allow-inconclusive").ends(0, "INCONCLUSIVE");
}

#[test]
fn another_kernel_in_another_grid_does_not_pass() {
    let faster = Profile::steady(90_000.0);
    let other = Profile { kernel: "copy", grid: "(128, 1, 1)", ..faster };
    let project = Project::new();
    project.report("old.csv", &[Profile::steady(100_000.0)]);
    project.report("new.csv", &[other]);
    project.run("generate --name own --report new.csv --baseline old.csv --out pages --date 2026-01-01").done();
    project.run("check own").ends(6, "INCONCLUSIVE own: FASTER");
}

#[test]
fn a_missing_baseline_or_audit_is_never_green() {
    let project = Project::new();
    project.run("check").ends(6, "NO BASELINE scale: pages holds no audit of it");
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.run("check").ends(6, "NO BASELINE scale: This is its first audit");
    // It is told apart from evidence that does not decide.
    project.run("check --allow-inconclusive").ends(6, "NO BASELINE");
    project.run("check --allow-new").ends(0, "NO BASELINE");
    let single = two(Profile { launches: vec![(103_000.0, 185_400.0)], ..Profile::default() });
    single.run("check --allow-new").ends(6, "INCONCLUSIVE scale: AMBIGUOUS");
    // An audit that could not be compared is not the first.
    let broken = two(Profile::steady(90_000.0));
    fs::write(broken.path("pages/2026-01-01-scale.json"), "{}").unwrap();
    fs::remove_file(broken.path("pages/2026-01-02-scale.json")).unwrap();
    broken.run("generate scale --date 2026-01-02").done();
    broken.run("check --allow-new").ends(6, "INCONCLUSIVE scale: NOT MEASURED: it has earlier audits");
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
    assert!(page.contains("Accepted on 2026-01-03 as SLOWER: needed for correctness, see \\*notes\\*"), "{page}");
    // On a later day the page that is made again is the same audit, and the regression stays one.
    project.run("check").ends(0, "Accepted on 2026-01-03");
    assert!(!project.path("pages/2026-01-02.2-scale.md").exists());
    // The same change measured again is accepted; the next regression, as large as this one, is another.
    project.audit("2026-01-03", Profile::steady(110_400.0));
    project.run("check").ends(0, "PASS scale: SAME");
    project.run("baseline pin scale --reason r --date 2026-01-03 --snapshot pages/2026-01-01-scale.json").done();
    project.audit("2026-01-03", Profile::steady(110_500.0));
    project.run("check").ends(0, "Accepted on 2026-01-03");
    project.audit("2026-01-04", Profile::steady(121_500.0));
    project.run("check").ends(1, "FAIL");
    project.run("baseline unpin scale --reason done --date 2026-01-04").done();
    project.audit("2026-01-04", Profile::steady(122_000.0));
    project.audit("2026-01-05", Profile::steady(134_500.0));
    project.run("check").ends(1, "FAIL");
}

#[test]
fn a_regression_does_not_heal_itself() {
    let project = two(Profile::steady(110_000.0));
    project.run("check").ends(1, "FAIL scale: SLOWER");
    let page = project.read("pages/2026-01-02-scale.md");
    for _ in 0..2 {
        let again =
            crate::project::audit(project.0.path()).env("SOURCE_DATE_EPOCH", "1800000000").args(["generate"]).output();
        assert!(again.unwrap().status.success());
        project.run("check").ends(1, "FAIL scale: SLOWER");
        project.run("check --fresh --date 2027-01-01").ends(1, "FAIL scale: SLOWER");
    }
    assert_eq!(project.read("pages/2026-01-02-scale.md"), page);
}

#[test]
fn an_acceptance_is_of_one_kernel_and_one_grid() {
    // One file holds several kernels: what is accepted of one pair is not accepted of another of the same two files.
    let project = Project::new();
    let named = |kernel: &'static str, grid: &'static str, ns: f64| Profile { kernel, grid, ..Profile::steady(ns) };
    let all = [
        named("tiled", "(64, 1, 1)", 110_000.0),
        named("naive", "(64, 1, 1)", 150_000.0),
        named("tiled", "(8, 1, 1)", 120_000.0),
    ];
    project.report("new.csv", &all);
    project.report("old.csv", &[named("tiled", "(64, 1, 1)", 100_000.0)]);
    let config = |kernel: &str| {
        let text = format!(
            "[audit]\nout = \"pages\"\n[[subject]]\nname = \"k\"\nkernel = \"{kernel}\"\nbaseline_kernel = \".\"\nreport = \"new.csv\"\nbaseline = \"old.csv\"\n"
        );
        fs::write(project.path("audit.toml"), text).unwrap();
        project.run("generate k --date 2026-01-02").done();
    };
    config("tiled");
    project.run("check").ends(1, "FAIL k: SLOWER");
    project.words(&["check", "--accept", "--reason", "wanted", "--date", "2026-01-02"]).ends(0, "Accepted");
    config("naive");
    project.run("check").ends(1, "FAIL k: SLOWER");
    config("tiled");
    project.run("check k").ends(1, "FAIL k: SLOWER");
    project.run("generate k --kernel tiled --date 2026-01-02").done();
    let notes = project.read("pages/k.accepted.toml");
    assert!(notes.contains("grid = \"") && notes.contains("change = "), "{notes}");
}

#[test]
fn every_subject_of_the_configuration_is_checked_and_the_others_are_named() {
    let project = two(Profile::steady(90_000.0));
    let config = project.read("audit.toml").replace("[audit]\n", "[audit]\ndefault = [\"scale\"]\n");
    let more =
        "[[subject]]\nname = \"second\"\nreport = \"two.csv\"\n[[subject]]\nname = \"third\"\nreport = \"three.csv\"\n";
    fs::write(project.path("audit.toml"), config + more).unwrap();
    project.report("two.csv", &[Profile::steady(100_000.0)]);
    project.run("generate second --date 2026-01-01").done();
    project.report("two.csv", &[Profile::steady(120_000.0)]);
    project.run("generate second --date 2026-01-01").done();
    let run = project.run("check");
    run.ends(1, "PASS scale: FASTER");
    run.ends(1, "FAIL second: SLOWER");
    run.ends(1, "NO BASELINE third: pages holds no audit of it");
    project.run("check scale").ends(0, "Not checked: second, third.");
    for flags in ["", " --allow-inconclusive", " --allow-new --no-checks --allow-inconclusive"] {
        project.run(&format!("check scal{flags}")).ends(2, "did you mean \"scale\"?");
        project.run(&format!("check scale other --github{flags}")).ends(2, "no subject is called \"other\"");
    }
    project.run("generate --report new.csv --name aside --out pages --date 2026-01-01").done();
    project.run("check scale").ends(0, "Not checked: aside, second, third.");
    project.run("check aside --allow-new").ends(0, "NO BASELINE aside");
}

#[test]
fn what_the_old_side_did_not_measure_is_not_new() {
    let folder = format!("{}/tests/fixtures", env!("CARGO_MANIFEST_DIR"));
    let project = Project::new();
    let csv = "--report new.csv --name k --out pages --commit c";
    // The old profile is of time and registers alone.
    project.report("new.csv", &[Profile { kernel: "transpose_naive", ..Profile::default() }]);
    project.run(&format!("generate {csv} --date 2026-01-01")).done();
    let report = format!("{folder}/labelled/transpose_naive.ncu-repz");
    project.run(&format!("generate --report {report} --name k --out pages --commit c --date 2026-01-02")).done();
    let run = project.run("check k --out pages --findings limits --allow-inconclusive");
    run.ends(1, "No new finding. The old side did not measure what would show");
}

#[test]
fn a_launch_that_failed_is_not_measured() {
    let project = two(Profile::steady(90_000.0));
    let report = project.read("new.csv").replace("(64, 1, 1)", "(0, 0, 0)");
    let failed: String = report
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0 | 1 => format!("{line}\n"),
            _ => format!("{},\"nan\",\"nan\",\"nan\",\"32\"\n", line.rsplitn(5, ',').last().unwrap()),
        })
        .collect();
    fs::write(project.path("new.csv"), failed).unwrap();
    project.run("generate scale --date 2026-01-03").done();
    let run = project.run("check --allow-new");
    assert_eq!(run.status(), 6, "{}", run.out());
    assert!(run.out().contains("INCONCLUSIVE scale"), "{}", run.out());
}

#[test]
fn the_analysis_is_made_anew_without_writing() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.report("new.csv", &[Profile::steady(120_000.0)]);
    project.run("check --fresh --date 2026-01-05").ends(1, "SLOWER");
    assert_eq!(fs::read_dir(project.path("pages")).unwrap().count(), 3);
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
    let other = "../collected/transpose_naive/profile";
    subject(other, "transpose_naive");
    project.run("check --findings limits --allow-inconclusive").ends(1, "No new finding.");
    // A report is not compared with itself.
    fs::remove_file(project.path("pages/2026-01-02.2-k.json")).unwrap();
    subject("transpose_naive", "transpose_naive");
    project.run("check --allow-new").ends(0, "NO BASELINE");
    fs::remove_file(project.path("pages/2026-01-02-k.json")).unwrap();
    subject("misaligned_copy", "stream_triad");
    project.run("check --findings notes --allow-inconclusive").ends(1, "misaligned-global-access");
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
