//! Ways around a series without the base of a pull request: beside it, under another name, in another folder, behind a commit.

use crate::gate::{series, slow};
use crate::life::Repository;
use crate::project::{Run, audit};
use std::fs;

#[test]
fn what_was_compared_with_another_file_once_is_outside_of_the_series() {
    let project = series(&[100_000.0]);
    project.report("slow.csv", &[slow(131_000.0)]);
    project.report("new.csv", &[slow(130_000.0)]);
    project.run("generate scale --date 2026-01-02 --baseline slow.csv").done();
    project.run("check").ends(6, "Not comparable since 2026-01-02, not accepted.");
    project.report("new.csv", &[slow(130_001.0)]);
    project.run("generate scale --date 2026-01-03").done();
    project.run("check").ends(1, "FAIL scale: SLOWER");
    project.report("new.csv", &[slow(100_002.0)]);
    project.run("generate scale --date 2026-01-04").done();
    project.run("check").ends(0, "PASS scale");
}

#[test]
fn a_series_may_begin_with_a_comparison() {
    let project = series(&[]);
    project.report("old.csv", &[slow(131_000.0)]);
    project.report("new.csv", &[slow(100_000.0)]);
    project.run("generate scale --date 2026-01-01 --baseline old.csv").done();
    project.report("new.csv", &[slow(90_000.0)]);
    project.run("generate scale --date 2026-01-02").done();
    project.run("check").ends(0, "PASS scale: FASTER");
}

#[test]
fn a_series_keeps_its_name_its_folder_and_its_last_audit() {
    let repository = Repository::new();
    repository.on(1, &["init"]).done();
    repository.step(1, "first", 100_000.0);
    repository.step(2, "second", 99_000.0);
    repository.git(&["tag", "two"]);
    let config = repository.0.read("audit.toml");
    for (from, to, says) in [
        ("name = \"scale\"", "name = \"other\"", "Its kernel is that of scale, which has audits until 2026-01-02"),
        ("out = \"audits\"", "out = \"pages\"", "git has an audit of it in another folder, audits/2026-01-0"),
    ] {
        // Audited twice with new launches each time.
        let written = config.replace(from, to);
        fs::write(repository.0.path("audit.toml"), &written).unwrap();
        for (day, ns) in [(3, 130_000.0), (4, 130_400.0)] {
            repository.profile(slow(ns));
            repository.on(day, &["generate"]).done();
            repository.commit("again");
            repository.check("", 6, says);
        }
        repository.git(&["reset", "-q", "--hard", "two"]);
        repository.git(&["clean", "-qfd"]);
    }
    // The last audit goes, with its report; what is measured since decides.
    repository.step(3, "third", 130_000.0);
    repository.git(&["rm", "-q", "audits/2026-01-03-scale.md", "audits/2026-01-03-scale.json"]);
    repository.git(&["checkout", "-q", "two", "--", "scale.csv"]);
    repository.commit("as before");
    repository.check("", 6, "git had 2026-01-03-scale.json, which ");
    repository.profile(slow(98_900.0));
    repository.on(4, &["generate"]).done();
    repository.check("", 0, "PASS scale: SAME");
    // A project below has a series of its own.
    fs::create_dir_all(repository.0.path("below")).unwrap();
    fs::write(repository.0.path("below/audit.toml"), &config).unwrap();
    fs::copy(repository.0.path("scale.csv"), repository.0.path("below/scale.csv")).unwrap();
    let below = |words: &[&str]| Run(audit(&repository.0.path("below")).args(words).output().unwrap());
    below(&["generate", "--date", "2026-01-05"]).done();
    repository.commit("below");
    repository.check("", 0, "PASS scale: SAME");
    below(&["check", "--allow-new"]).ends(0, "NO BASELINE scale: This is its first audit");
}
