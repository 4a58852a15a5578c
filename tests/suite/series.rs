//! The series of a subject: every measurement is one audit, however often its page is made, and no audit takes the place of
//! another.

use crate::project::{Profile, Project};
use kernel_audit::snapshot::Snapshot;
use std::fs;

fn pages(project: &Project) -> Vec<String> {
    let all = fs::read_dir(project.path("pages")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = all.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.ends_with("-scale.md"));
    names.sort();
    names
}

#[test]
fn audits_of_a_day_stand_beside_each_other_in_order() {
    let project = Project::new();
    let times = [100_000.0, 80_000.0, 90_000.0];
    let made: Vec<String> = times.map(|ns| project.audit("2026-01-01", Profile::steady(ns))).to_vec();
    let last = project.audit("2026-01-02", Profile::steady(90_001.0));
    let names = ["2026-01-01-scale.md", "2026-01-01.2-scale.md", "2026-01-01.3-scale.md", "2026-01-02-scale.md"];
    assert_eq!(pages(&project), names);
    assert!(
        made[1].contains("the audit before, of 2026-01-01, commit c1") && made[1].contains("FASTER"),
        "{}",
        made[1]
    );
    assert!(made[2].contains("the audit before, of 2026-01-01.2") && made[2].contains("SLOWER"), "{}", made[2]);
    assert!(made[2].lines().nth(1).unwrap().contains("2026-01-01.3"), "{}", made[2]);
    // What nobody accepted is no baseline.
    assert!(last.contains("the last audit that passed, of 2026-01-01.2") && last.contains("**SLOWER"), "{last}");
    let table = project.run("history scale").done();
    let days: Vec<&str> = table
        .lines()
        .skip(2)
        .take_while(|row| !row.is_empty())
        .map(|row| row.split('|').nth(1).unwrap().trim())
        .collect();
    assert_eq!(days, ["2026-01-01", "2026-01-01.2", "2026-01-01.3", "2026-01-02"], "{table}");
    // Each is made again in its own place, from its own report and from its snapshot.
    for (at, name) in [(0, names[0]), (1, names[1]), (2, names[2])] {
        project.report("new.csv", &[Profile::steady(times[at])]);
        let printed = project.run("generate scale --date 2026-01-01").done();
        assert!(printed.starts_with(&format!("pages/{name}\n")), "{printed}");
        assert_eq!(project.raw(&format!("pages/{name}")), made[at]);
        project.run(&format!("render --template full pages/{}", name.replace(".md", ".json"))).done();
        assert_eq!(project.raw(&format!("pages/{name}")), made[at]);
    }
    assert_eq!(pages(&project), names);
}

#[test]
fn names_that_end_in_a_number_are_other_subjects() {
    let project = Project::new();
    let config = project.read("audit.toml") + "[[subject]]\nname = \"scale-2\"\nreport = \"two.csv\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.audit("2026-01-01", Profile::steady(90_000.0));
    project.report("two.csv", &[Profile::steady(50_000.0)]);
    let printed = project.run("generate scale-2 --date 2026-01-01").done();
    assert!(printed.starts_with("pages/2026-01-01-scale-2.md\n"), "{printed}");
    assert_eq!(project.run("history scale-2 --format csv").done().lines().count(), 2);
    assert_eq!(project.run("history scale --format csv").done().lines().count(), 3);
    project.run("check").ends(6, "FASTER");
}

#[test]
fn a_page_made_again_is_no_audit_of_its_own() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    let page = project.audit("2026-01-02", Profile::steady(80_000.0));
    let json = project.read("pages/2026-01-02-scale.json");
    // A later day, another commit: the page keeps its own.
    fs::write(project.path("audit.toml"), project.read("audit.toml").replace("commit = \"c1\"\n", "")).unwrap();
    let later = crate::project::audit(project.0.path())
        .env("SOURCE_DATE_EPOCH", "1800000000")
        .args(["generate", "scale"])
        .output()
        .unwrap();
    let printed = String::from_utf8(later.stdout).unwrap();
    assert!(printed.starts_with("pages/2026-01-02-scale.md\n"), "{printed}");
    assert_eq!(pages(&project).len(), 2);
    let again = Snapshot::read(&project.path("pages/2026-01-02-scale.json")).unwrap();
    assert_eq!(again.heading.commit, "c1");
    let before = Snapshot::parse(std::path::Path::new("x"), json.as_bytes()).unwrap();
    assert_eq!((&again.evidence, &again.milestone), (&before.evidence, &before.milestone));
    assert_eq!(project.read("pages/2026-01-02-scale.md").lines().count(), page.lines().count());
    let refused = project.run("generate scale --date 2026-01-05");
    refused.ends(2, "nothing new was measured: pages/2026-01-02-scale.json");
    assert_eq!(pages(&project).len(), 2);
    // Nor is its audit nobody's where it cannot be read.
    let own = project.path("pages/2026-01-02-scale.json");
    let whole = fs::read_to_string(&own).unwrap();
    fs::write(&own, whole.replacen("audit/1", "audit/2", 1)).unwrap();
    for words in ["generate scale", "generate scale --date 2026-01-05"] {
        project.run(words).ends(3, "update this program");
    }
    assert_eq!(pages(&project).len(), 2);
    fs::write(&own, whole).unwrap();
    // Elsewhere a page may be of any day; it is compared with the audits that lie in the folder of audits.
    project.run("generate scale --date 2026-01-05 --out site").done();
    let elsewhere = project.read("site/2026-01-05-scale.md");
    assert!(elsewhere.contains("the audit before, of 2026-01-01") && elsewhere.contains("FASTER"), "{elsewhere}");
}

#[test]
fn pages_elsewhere_get_an_index_of_their_own() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.audit("2026-01-02", Profile::steady(80_000.0));
    let own = project.read("pages/README.md");
    let printed = project.run("generate scale --date 2026-01-02 --out site").done();
    assert_eq!(printed.lines().last(), Some("site/README.md"), "{printed}");
    let index = project.read("site/README.md");
    assert!(index.contains("[scale](2026-01-02-scale.md)") && index.contains("FASTER"), "{index}");
    assert_eq!(project.read("pages/README.md"), own);
    assert_eq!(pages(&project).len(), 2);

    // What somebody keeps in a folder that is not of audits is not the program's to write in.
    fs::write(project.path("README.md"), "# My project\n").unwrap();
    let run = project.run("generate scale --date 2026-01-02 --out .");
    run.ends(0, "note: ./README.md is not an index that audit wrote, and stays as it is");
    assert_eq!(project.read("README.md"), "# My project\n");
    // The folder of audits is, and what stands there stays above the index.
    fs::write(project.path("pages/README.md"), "# Ours\n").unwrap();
    project.run("generate scale").done();
    let joined = project.read("pages/README.md");
    assert!(joined.starts_with("# Ours\n") && joined.contains("(2026-01-02-scale.md)"), "{joined}");
}
