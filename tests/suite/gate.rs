//! A gate that holds over months, branches and repeats: each way in which one could be talked out of a regression.

use crate::committed;
use crate::life::Repository;
use crate::project::{Profile, Project, Run, audit, csv};
use crate::public::{parts, rehashed};
use kernel_audit::analysis::Verdict;
use kernel_audit::snapshot::Snapshot;
use std::fs;

pub(crate) fn slow(ns: f64) -> Profile {
    Profile::steady(ns)
}

/// A project with an audit of each of some times, one a day, each of another measurement.
pub(crate) fn series(times: &[f64]) -> Project {
    let project = Project::new();
    for (at, ns) in times.iter().enumerate() {
        project.audit(&format!("2026-01-{:02}", at + 1), slow(*ns + at as f64));
    }
    project
}

/// Runs audit on a day of January 2026.
fn on(project: &Project, day: u64, words: &[&str]) -> Run {
    let second = 1_767_225_600 + (day - 1) * 86_400 + 3_600;
    Run(audit(project.0.path()).env("SOURCE_DATE_EPOCH", second.to_string()).args(words).output().unwrap())
}

#[test]
fn a_regression_is_open_until_the_time_is_back_or_somebody_accepts_it() {
    let again = series(&[100_000.0, 130_000.0, 130_000.0, 130_000.0]);
    let said = "Slower than 2026-01-01 since 2026-01-02, not accepted: +30.0 %.";
    again.run("check").ends(1, said);
    assert!(again.read("pages/README.md").contains("SLOWER since 2026-01-02, not accepted"));
    assert!(again.run("history scale").done().contains("SLOWER since 2026-01-02, not accepted"));
    let page = again.read("pages/2026-01-04-scale.md");
    assert!(page.contains("slower than 2026-01-01 since 2026-01-02, not accepted"), "{page}");
    let comment = again.run("render pages/2026-01-04-scale.json --format pr").done();
    assert!(comment.contains("slower than 2026-01-01 since 2026-01-02, not accepted"), "{comment}");
    again.run("check --accept --reason wanted --date 2026-01-04").ends(0, "Accepted on 2026-01-04: wanted.");
    again.audit("2026-01-05", slow(130_009.0));
    again.run("check").ends(0, "PASS scale: SAME");
    series(&[100_000.0, 130_000.0, 100_000.0]).run("check").ends(0, "PASS scale: SAME");
    // Small steps are seen against the best.
    series(&[100_000.0, 104_000.0]).run("check").ends(0, "below the 5.0 % that count");
    let crept = series(&[100_000.0, 104_000.0, 108_000.0]);
    crept
        .run("check")
        .ends(1, "Slower than 2026-01-01 by small steps, too slow since 2026-01-03, not accepted: +8.0 %.");
}

#[test]
fn an_acceptance_ends_when_the_time_was_back() {
    let project = series(&[100_000.0, 130_000.0]);
    project.run("check --accept --reason wanted --date 2026-01-02").ends(0, "wanted");
    project.audit("2026-01-03", slow(100_003.0));
    project.run("check").ends(0, "PASS scale: FASTER");
    project.audit("2026-01-04", slow(130_004.0));
    project.run("check").ends(1, "FAIL scale: SLOWER");
}

#[test]
fn a_pin_that_is_taken_back_leaves_nothing_healed() {
    let project = series(&[100_000.0]);
    project.run("baseline pin scale --reason release --date 2026-01-02").done();
    project.audit("2026-01-02", slow(130_002.0));
    project.audit("2026-01-03", slow(130_003.0));
    project.run("check").ends(1, "FAIL scale: SLOWER");
    project.run("baseline unpin scale --reason next --date 2026-01-04").done();
    project.audit("2026-01-04", slow(130_004.0));
    project.run("check").ends(1, "since 2026-01-02, not accepted: +30.0 %");
}

#[test]
fn the_order_is_that_of_measuring_and_names_are_held_to_what_they_name() {
    // The newest measurement under an older day.
    let project = series(&[100_000.0]);
    project.audit("2026-01-05", slow(100_005.0));
    project.audit("2026-01-03", slow(130_003.0));
    project.run("check").ends(1, "FAIL scale: SLOWER");
    // A good snapshot in the place of the failing one, and an audit under another day.
    let copied = series(&[100_000.0, 100_000.0, 130_000.0]);
    fs::copy(copied.path("pages/2026-01-02-scale.json"), copied.path("pages/2026-01-03-scale.json")).unwrap();
    copied
        .run("check")
        .ends(1, "Its page does not say what its snapshot says: the block \"lead\" is of another audit.");
    copied.run("check").ends(1, "2026-01-03-scale.json is the audit of 2026-01-02 under another name");
    copied.run("history scale").ends(0, "Not in its place: 2026-01-03-scale.json is the audit of 2026-01-02");
    // What the project names was never audited, or is of an audit before.
    let forgot = series(&[100_000.0, 90_000.0]);
    forgot.report("new.csv", &[slow(150_000.0)]);
    forgot.run("check").ends(6, "new.csv is not what was audited last, on 2026-01-02: run `audit generate scale`.");
    forgot.report("new.csv", &[slow(100_000.0)]);
    forgot.run("check").ends(6, "new.csv is the report of 2026-01-01, and 2026-01-02 was audited last");
    forgot.run("check --fresh --date 2026-01-04").ends(1, "FAIL scale: SLOWER");
    let back = on(&forgot, 4, &["generate"]).done();
    assert!(back.starts_with("pages/2026-01-04-scale.md\n"), "{back}");
    forgot.run("check").ends(1, "FAIL scale: SLOWER");
    let again = on(&forgot, 5, &["generate"]).done();
    assert!(again.starts_with("pages/2026-01-04-scale.md\n"), "{again}");
}

#[test]
fn audits_that_are_gone_are_not_new() {
    let repository = Repository::new();
    repository.on(1, &["init"]).done();
    repository.step(1, "first", 100_000.0);
    repository.step(2, "second", 130_000.0);
    repository.check("--allow-new", 1, "FAIL scale");
    let undo = || {
        repository.git(&["reset", "-q", "--hard", "HEAD"]);
        repository.git(&["clean", "-qfd"]);
    };
    repository.git(&["tag", "base"]);
    repository.git(&["rm", "-rq", "audits"]);
    repository.git(&["commit", "-q", "-m", "x"]);
    repository.check("--allow-new", 6, "git had its audit audits/2026-01-0");
    repository.check("--base base", 6, "2026-01-01-scale.json, which base has, is gone");
    repository.git(&["reset", "-q", "--hard", "base"]);
    // Another name for the subject, another folder, the first audit gone.
    let config = repository.0.read("audit.toml");
    let with = |from: &str, to: &str| fs::write(repository.0.path("audit.toml"), config.replace(from, to)).unwrap();
    with("name = \"scale\"", "name = \"other\"");
    repository.on(3, &["generate"]).done();
    repository.check("--allow-new", 6, "Its launches are those of 2026-01-02-scale.json, an audit of scale");
    repository.check("--allow-new --base base", 1, "base has this subject, and audit.toml here does not name it");
    undo();
    fs::write(repository.0.path("audit.toml"), config.replace("out = \"audits\"", "out = \"elsewhere\"")).unwrap();
    repository.check("--allow-new", 6, "git has an audit of it in another folder, audits/2026-01-0");
    undo();
    repository.git(&["rm", "-q", "audits/2026-01-01-scale.md", "audits/2026-01-01-scale.json"]);
    repository.on(3, &["generate"]).done();
    repository.check("--allow-new", 6, "NOT MEASURED");
    undo();
    // Thresholds, filters and baselines of the base decide.
    fs::write(repository.0.path("audit.toml"), format!("{config}\n[thresholds]\nregression = 50\n")).unwrap();
    repository.check("", 0, "PASS");
    repository.check("--base base", 1, "base has the threshold regression = 5, and here it is 50: judged by 5.");
    repository.check("--base base --regression 1000", 1, "FAIL scale");
    undo();
    fs::write(repository.0.path("old.csv"), csv(&[slow(131_000.0)])).unwrap();
    fs::write(repository.0.path("audit.toml"), format!("{config}baseline = \"old.csv\"\n")).unwrap();
    repository.on(3, &["generate"]).done();
    repository.check("--base base", 1, "audit.toml states another than base: baseline.");
    undo();
    repository.check("--base nowhere", 2, "git does not know \"nowhere\"");
}

#[test]
fn branches_that_meet_keep_what_is_open() {
    let repository = Repository::new();
    repository.on(1, &["init"]).done();
    repository.step(1, "first", 100_000.0);
    repository.git(&["checkout", "-q", "-b", "one"]);
    repository.step(2, "slow", 130_000.0);
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["checkout", "-q", "-b", "two"]);
    repository.profile(slow(100_003.0));
    repository.on(3, &["generate"]).done();
    repository.commit("two");
    repository.git(&["merge", "-q", "-X", "ours", "one"]);
    repository.check(
        "",
        1,
        "Slower than 2026-01-01 since 2026-01-02, not accepted: +30.0 %. It was made without 2026-01-02",
    );
    repository.profile(slow(100_009.0));
    repository.on(4, &["generate"]).done();
    repository.check("", 0, "PASS scale: SAME");
}

#[test]
fn one_subject_that_fails_stops_no_other() {
    let project = Project::new();
    let config = "[audit]\nout = \"pages\"\n[[subject]]\nname = \"new\"\nkernel = \"^gone$\"\nreport = \"new.csv\"\n[[subject]]\nname = \"scale\"\nreport = \"new.csv\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    // Where no subject has a page there is no index of pages.
    project.run("generate --date 2026-01-01").ends(3, "expected a file: new.csv does not exist");
    assert!(!project.path("pages").exists());
    project.report("new.csv", &[slow(100_000.0)]);
    project.run("lint").ends(2, "new: no kernel in new.csv matches");
    let made = project.run("generate --date 2026-01-01");
    made.ends(2, "error: new: no kernel in new.csv matches");
    made.ends(2, "without a page: 1 of 2 subjects: new");
    assert!(project.read("pages/README.md").contains("[scale](2026-01-01-scale.md)"));
    // A day is that of what is new.
    fs::write(project.path("audit.toml"), config.replace("^gone$", "scale")).unwrap();
    let again = project.run("generate --date 2026-01-05").done();
    assert!(again.contains("pages/2026-01-05-new.md") && again.contains("pages/2026-01-01-scale.md"), "{again}");
    // A snapshot that somebody edited ends history and check with 3, and the others are checked.
    let path = project.path("pages/2026-01-05-new.json");
    fs::write(
        &path,
        project.read("pages/2026-01-05-new.json").replacen("\"date\":\"2026-01-05\"", "\"date\":\"2026-01-04\"", 1),
    )
    .unwrap();
    project.run("history new").ends(3, "was changed after it was written");
    let checked = project.run("check");
    checked.ends(3, "ERROR new: pages/2026-01-05-new.json was changed after it was written");
    checked.ends(3, "NO BASELINE scale");
}

#[test]
fn a_page_of_another_comparison_does_not_say_what_its_snapshot_says() {
    let project = series(&[100_000.0, 130_000.0]);
    let slower = project.raw("pages/2026-01-02-scale.md");
    project.report("slow.csv", &[slow(130_500.0)]);
    // The same measurement, compared with another report.
    project.run("generate scale --date 2026-01-02 --baseline slow.csv").done();
    fs::write(project.path("pages/2026-01-02-scale.md"), slower).unwrap();
    let said = "Its page does not say what its snapshot says: the block \"lead\" is of another audit.";
    project.run("check").ends(1, said);
    project.run("generate scale --date 2026-01-02 --baseline slow.csv").done();
    assert!(!project.run("check").out().contains("Its page"), "{}", project.run("check").out());
}

#[test]
fn what_a_command_chose_beside_the_configuration_is_told() {
    let said = |flags: &str, says: &str| {
        let project = series(&[100_000.0]);
        let fast = Profile { kernel: "other", ..slow(50_000.0) };
        project.report("new.csv", &[slow(130_000.0), fast]);
        project.report("slow.csv", &[slow(131_000.0)]);
        project.run(&format!("generate scale --date 2026-01-02 {flags}")).done();
        let check = project.run("check");
        assert_ne!(check.status(), 0, "{flags}");
        check.ends(check.status(), says);
        project
    };
    said("--kernel ^other$", "It was made with --kernel ^other$, which audit.toml does not state");
    said("--launches 0-3", "It was made with --launches 0-3,");
    said("--threshold unchanged=40", "It was made with --threshold unchanged=40,");
    said(
        "--threshold unchanged=40 --baseline slow.csv",
        "It was made with --baseline slow.csv, --threshold unchanged=40,",
    );
    // What is stated is no choice of a command.
    let project = said("--baseline slow.csv", "It was made with --baseline slow.csv,");
    let config = project.read("audit.toml") + "baseline = \"slow.csv\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project.run("generate scale").done();
    project.run("check").ends(0, "PASS scale: FASTER");
}

#[test]
fn a_series_that_begins_again_beside_the_first_does_not_pass() {
    let project = series(&[100_000.0]);
    let aside = project.path("aside");
    fs::rename(project.path("pages"), &aside).unwrap();
    project.audit("2026-01-02", slow(130_000.0));
    project.audit("2026-01-03", slow(130_001.0));
    for file in ["2026-01-01-scale.json", "2026-01-01-scale.md"] {
        fs::rename(aside.join(file), project.path("pages").join(file)).unwrap();
    }
    project.run("check").ends(6, "Not comparable since 2026-01-02, not accepted. It was made without 2026-01-01");
    project.audit("2026-01-04", slow(130_002.0));
    project.run("check").ends(1, "FAIL scale: SLOWER");
    project.audit("2026-01-05", slow(100_003.0));
    project.run("check").ends(0, "PASS scale");
}

#[test]
fn the_newest_audit_is_judged_by_its_evidence() {
    let project = series(&[100_000.0, 130_000.0]);
    let path = project.path("pages/2026-01-02-scale.json");
    let mut snapshot = Snapshot::read(&path).unwrap();
    snapshot.milestone.verdict = Some(Verdict::Same);
    snapshot.milestone.compared.as_mut().unwrap().change = Some(0.0);
    fs::write(&path, snapshot.to_json().unwrap()).unwrap();
    project.run("check").ends(1, "FAIL scale: SLOWER");
}

#[test]
fn a_gate_that_is_moved_or_loosened_is_held_where_the_base_has_it() {
    let repository = Repository::new();
    repository.on(1, &["init"]).done();
    let config = repository.0.read("audit.toml") + "run = [\"./app\", \"4096\"]\n[thresholds]\nregression = 2\n";
    fs::write(repository.0.path("audit.toml"), &config).unwrap();
    repository.step(1, "first", 100_000.0);
    repository.git(&["checkout", "-q", "-b", "change"]);
    let with = |path: &str, from: &str, to: &str| fs::write(repository.0.path(path), config.replace(from, to)).unwrap();
    let undo = || {
        repository.git(&["reset", "-q", "--hard", "main"]);
        repository.git(&["clean", "-qfd"]);
    };
    let twice = || {
        for (day, ns) in [(3, 130_000.0), (4, 130_001.0)] {
            repository.profile(slow(ns));
            repository.on(day, &["generate"]).done();
        }
    };
    // The audits begin again in another folder.
    with("audit.toml", "out = \"audits\"", "out = \"elsewhere\"");
    twice();
    repository.check("--base main --allow-new", 6, "main keeps its audits in audits, and elsewhere is read here.");
    undo();
    // The configuration is gone, moved, or named by its whole path.
    repository.profile(slow(103_500.0));
    repository.on(3, &["generate"]).done();
    with("audit.toml", "regression = 2", "regression = 50");
    let whole = repository.0.path("audit.toml").display().to_string();
    repository.check(
        &format!("--base main --config {whole}"),
        1,
        "main has the threshold regression = 2, and here it is 50",
    );
    fs::rename(repository.0.path("audit.toml"), repository.0.path("mine.toml")).unwrap();
    repository.check(
        "--base main --config mine.toml",
        6,
        "main has its configuration in audit.toml, and mine.toml is read here.",
    );
    repository.check("--base main", 1, "judged by 2.");
    repository.check("--base main", 1, "main has this subject, and audit.toml here does not name it.");
    undo();
    // Another problem under the same name.
    with("audit.toml", "4096", "64");
    repository.check("--base main --allow-new", 6, "audit.toml states another than main: how it is launched.");
    undo();
    // A slow audit that the change itself brought and took away, with its report.
    repository.step(3, "slow", 130_000.0);
    repository.git(&["rm", "-q", "audits/2026-01-03-scale.json", "audits/2026-01-03-scale.md", "scale.csv"]);
    repository.commit("away");
    repository.check(
        "--base main --allow-new",
        6,
        "2026-01-03-scale.json, which a commit since main had, is gone: restore it.",
    );
    undo();
    // A baseline of the command, and one audit more upon it.
    fs::write(repository.0.path("slow.csv"), csv(&[slow(131_000.0)])).unwrap();
    repository.profile(slow(130_000.0));
    repository.on(3, &["generate", "scale", "--baseline", "slow.csv"]).done();
    repository.profile(slow(130_001.0));
    repository.on(4, &["generate"]).done();
    let says = "2026-01-03-scale.json is compared with no audit of its series, and main states no baseline.";
    repository.check("--base main", 1, says);
}

#[test]
fn checks_on_a_cubin_that_was_not_timed_decide_nothing() {
    let name = "2026-11-21-gemm_bf16_cluster";
    let project = Project::new();
    fs::create_dir(project.path("other")).unwrap();
    let path = project.path(&format!("other/{name}.json"));
    let mut all = parts(&committed::snapshot(name).to_json().unwrap());
    let mut says = || {
        fs::write(&path, rehashed(&all)).unwrap();
        let said = project.run("check gemm_bf16_cluster --out other").out().contains("its cubin is not what was timed");
        let side = &mut all.get_mut("evidence").unwrap()["new"];
        let cubin = side["profile"]["origin"].clone();
        side["code"][0]["identity"] = serde_json::json!({ "kind": "differs", "built": "aa", "timed": "bb" });
        side["code"][0]["cubin"] = cubin;
        said
    };
    assert_eq!([says(), says()], [false, true]);
}
