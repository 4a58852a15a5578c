//! Two branches that each audited the kernel on one day, and what a merge of them comes to.

use crate::life::Repository;
use std::fs;
use std::process::Command;

/// Two branches of a day, the second merged into the first until git stops; prose stands on both pages.
fn stopped() -> Repository {
    let repository = Repository::new();
    repository.on(1, &["init"]).done();
    repository.step(1, "first", 100_000.0);
    for (branch, ns) in [("left", 90_000.0), ("right", 120_000.0)] {
        repository.git(&["checkout", "-q", "-b", branch, "main"]);
        repository.step(2, branch, ns);
        let page = repository.0.path("audits/2026-01-02-scale.md");
        fs::write(&page, fs::read_to_string(&page).unwrap() + &format!("\nProse of {branch}.\n")).unwrap();
        repository.commit("prose");
    }
    repository.git(&["checkout", "-q", "left"]);
    let merge = ["-c", "user.name=n", "-c", "user.email=e@localhost", "merge", "-q", "right"];
    assert!(!Command::new("git").args(merge).current_dir(repository.0.0.path()).output().unwrap().status.success());
    let both = "cannot read scale.csv: a merge stopped in it and left both sides";
    repository.on(3, &["generate"]).ends(3, both);
    for file in ["scale.csv", "src/scale.cu"] {
        repository.git(&["checkout", "-q", "--ours", file]);
    }
    repository
}

#[test]
fn both_audits_of_a_day_are_kept_with_their_prose() {
    let repository = stopped();
    let cure = "`audit resolve` keeps the audits of both";
    repository.on(3, &["check"]).ends(3, cure);
    let snapshot = repository.0.path("audits/2026-01-02-scale.json");
    let text = fs::read(&snapshot).unwrap();
    repository.git(&["checkout", "-q", "--ours", "audits/2026-01-02-scale.json"]);
    repository.on(3, &["check"]).ends(1, "2026-01-02-scale.md, line 1: a merge stopped in it and left both sides");
    fs::write(&snapshot, text).unwrap();

    let said = repository.on(3, &["resolve"]).done();
    assert!(said.contains("audits/2026-01-02.2-scale.md") && said.contains("git add audits"), "{said}");
    repository.commit("merged");
    let (ours, theirs) =
        (repository.0.read("audits/2026-01-02-scale.md"), repository.0.read("audits/2026-01-02.2-scale.md"));
    assert!(ours.contains("FASTER") && ours.ends_with("\nProse of left.\n"), "{ours}");
    assert!(theirs.contains("SLOWER") && theirs.ends_with("\nProse of right.\n"), "{theirs}");
    let index = repository.0.read("audits/README.md");
    assert_eq!((index.matches("[scale]").count(), index.contains("<<<<<<<")), (1, false), "{index}");
    // What is open on either side stays open.
    repository.check("", 1, "FAIL scale: SLOWER: +20.0 %");
    repository.on(3, &["resolve"]).ends(2, "git knows no unfinished merge in audits");
    repository.step(4, "both", 80_000.0);
    repository.check("", 0, "PASS scale: FASTER");
}

#[test]
fn acceptances_of_both_sides_are_kept() {
    let repository = Repository::new();
    repository.on(1, &["init"]).done();
    repository.step(1, "first", 100_000.0);
    for (branch, day, ns) in [("left", 2, 120_000.0), ("right", 3, 130_000.0)] {
        repository.git(&["checkout", "-q", "-b", branch, "main"]);
        repository.step(day, branch, ns);
        repository.on(day, &["check", "--accept", "--reason", branch]).done();
        repository.commit("accepted");
    }
    repository.git(&["checkout", "-q", "left"]);
    let merge = ["-c", "user.name=n", "-c", "user.email=e@localhost", "merge", "-q", "right"];
    assert!(!Command::new("git").args(merge).current_dir(repository.0.0.path()).output().unwrap().status.success());
    repository.on(4, &["check"]).ends(3, "`audit resolve` keeps the audits of both");
    repository.on(4, &["resolve"]).done();
    let kept = repository.0.read("audits/scale.accepted.toml");
    assert!(kept.contains("reason = \"left\"") && kept.contains("reason = \"right\""), "{kept}");
}

#[test]
fn an_index_of_which_a_merge_left_two_is_made_anew() {
    for has_driver in [true, false] {
        let repository = Repository::new();
        repository.on(1, &["init"]).done();
        let attributes = repository.0.path("audits/.gitattributes");
        if !has_driver {
            fs::create_dir(repository.0.path("audits")).unwrap();
            fs::write(&attributes, "*.md text\n").unwrap();
        }
        repository.step(1, "first", 100_000.0);
        let index = repository.0.path("audits/README.md");
        fs::write(&index, fs::read_to_string(&index).unwrap() + "\nOf people.\n").unwrap();
        // What a project says of its files is left as it is.
        let expected = if has_driver { "README.md merge=union\n" } else { "*.md text\n" };
        assert_eq!(fs::read_to_string(&attributes).unwrap(), expected);
        repository.commit("prose");
        for (branch, day, ns) in [("left", 2, 90_000.0), ("right", 3, 80_000.0)] {
            repository.git(&["checkout", "-q", "-b", branch, "main"]);
            repository.profile(crate::project::Profile::steady(ns));
            repository.on(day, &["generate"]).done();
            repository.git(&["checkout", "-q", "scale.csv"]);
            repository.commit(branch);
        }
        let merge = ["-c", "user.name=n", "-c", "user.email=e@localhost", "merge", "-q", "left"];
        let merged = Command::new("git").args(merge).current_dir(repository.0.0.path()).output().unwrap();
        assert_eq!(merged.status.success(), has_driver);
        repository.profile(crate::project::Profile::steady(70_000.0));
        repository.on(4, &["generate"]).done();
        let index = repository.0.read("audits/README.md");
        assert!(index.contains("(2026-01-04-scale.md)") && index.ends_with("\nOf people.\n"), "{index}");
        assert_eq!(index.matches("<!-- audit:begin").count(), 1, "{index}");
    }
}
