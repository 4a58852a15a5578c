//! An audit of another version of the kernel than HEAD's, as git knows it.

use crate::life::Repository;
use crate::project::{Profile, Project, Run, audit};
use std::fs;

/// A repository whose subject names its source, with one committed audit.
fn audited() -> Repository {
    let repository = Repository::new();
    repository.on(1, &["init"]).done();
    let config = repository.0.read("audit.toml");
    let named = config.replace("# source =", "source =").replace("# arch =", "arch =");
    assert_ne!(config, named);
    fs::write(repository.0.path("audit.toml"), named).unwrap();
    repository.step(1, "step 1", 100_000.0);
    repository
}

fn change(repository: &Repository, message: &str) {
    let source = repository.0.read("src/scale.cu");
    fs::write(repository.0.path("src/scale.cu"), format!("{source}// {message}\n")).unwrap();
}

fn is_current(repository: &Repository) {
    let run = repository.on(40, &["check", "--allow-new", "--current", "--github"]);
    assert!(!run.out().contains("STALE") && run.status() == 0, "{}{}", run.out(), run.err());
}

#[test]
fn an_audit_older_than_the_source_of_head_is_told() {
    let repository = audited();
    is_current(&repository);
    // What is not the kernel's changes nothing, and neither does what is not committed.
    fs::write(repository.0.path("notes.md"), "later\n").unwrap();
    repository.commit("notes");
    change(&repository, "step 2");
    is_current(&repository);

    repository.commit("step 2");
    change(&repository, "step 3");
    repository.commit("step 3");
    let audited = repository.git(&["log", "--format=%h", "--abbrev=12", "-1", "--grep=^step 1$"]);
    let how = format!("src/scale.cu changed in 2 commits since {}", audited.trim());
    repository.check("--allow-new", 0, &format!("STALE scale: {how}. Profile what HEAD has."));
    repository.check("", 6, "STALE scale: ");
    repository.check("--allow-new --github", 0, "::warning title=audit%3A scale::STALE: src/scale.cu changed");
    repository.check(
        "--allow-new --allow-inconclusive --current",
        1,
        &format!("FAIL scale: This is its first audit; the next one is compared with it. STALE: {how}"),
    );
    let made = repository.on(2, &["generate"]);
    assert!(made.err().contains(&format!("note: scale is STALE: {how}\n")), "{}", made.err());

    // HEAD has what was audited again.
    repository.git(&["checkout", "-q", audited.trim(), "--", "src/scale.cu"]);
    repository.commit("back to step 1");
    is_current(&repository);
    // A measurement of HEAD is of HEAD.
    repository.step(3, "step 4", 90_000.0);
    is_current(&repository);
}

#[test]
fn what_head_has_is_named_where_another_subject_was_audited_at_it() {
    let repository = audited();
    change(&repository, "step 2");
    let config = repository.0.read("audit.toml");
    let own = &config[config.find("[[subject]]").unwrap()..];
    let twin = own.replacen("name = \"scale\"", "name = \"scale_b\"", 1);
    assert_ne!(own, twin);
    fs::write(repository.0.path("audit.toml"), format!("{config}\n{twin}")).unwrap();
    repository.commit("step 2");
    repository.check("--allow-new", 0, "Profile what HEAD has.");
    repository.on(2, &["generate", "scale_b"]).done();
    repository.commit("its audit");
    repository.check("--allow-new", 0, "What HEAD has was audited as scale_b on ");
}

#[test]
fn a_source_that_moved_is_no_other_version() {
    let repository = audited();
    repository.git(&["mv", "src/scale.cu", "src/scale_v1.cu"]);
    let config = repository.0.read("audit.toml").replace("scale.cu", "scale_v1.cu");
    fs::write(repository.0.path("audit.toml"), config).unwrap();
    fs::write(repository.0.path("src/scale.cu"), "// the next kernel\n").unwrap();
    repository.commit("step 1 keeps its kernel under another name");
    is_current(&repository);

    fs::write(repository.0.path("src/scale_v1.cu"), "// another\n").unwrap();
    repository.commit("step 2");
    repository.check("--allow-new", 0, "STALE scale: src/scale_v1.cu changed in 2 commits since ");
}

#[test]
fn a_tree_with_changes_is_as_old_as_the_commit_that_brought_its_audit() {
    let repository = audited();
    change(&repository, "step 2");
    repository.profile(Profile::steady(95_000.0));
    repository.on(2, &["generate"]).done();
    assert!(repository.on(2, &["history", "scale"]).done().contains("-dirty"));
    repository.check("", 0, "PASS scale: FASTER");
    repository.check("--current", 6, "is NOT MEASURED: git does not know the version that was audited");
    repository.commit("step 2 with its audit");
    is_current(&repository);
    change(&repository, "step 3");
    repository.commit("step 3");
    repository.check("", 0, "STALE scale: src/scale.cu changed in a commit since ");
}

#[test]
fn where_git_cannot_tell_nothing_is_said_unless_asked() {
    let repository = audited();
    change(&repository, "step 2");
    repository.commit("step 2");
    let root = repository.0.0.path();
    repository.git(&["clone", "-q", "--depth=1", &format!("file://{}", root.display()), "shallow"]);
    let check = |words: &[&str]| Run(audit(&root.join("shallow")).args(words).output().unwrap());
    let silent = check(&["check", "--allow-new"]);
    assert!(silent.status() == 0 && !silent.out().contains("STALE"), "{}", silent.out());
    check(&["check", "--allow-new", "--current"]).ends(6, "git does not know the version that was audited");

    let bare = Project::new();
    bare.audit("2026-01-01", Profile::steady(100_000.0));
    let silent = bare.run("check --allow-new").done();
    assert!(!silent.contains("STALE"), "{silent}");
    bare.run("check --allow-new --current").ends(6, "is NOT MEASURED: there is no git repository");
}

/// The messages that the history shows beside its rows.
fn changes(folder: &std::path::Path) -> Vec<String> {
    let run = Run(audit(folder).args(["history", "scale", "--format", "json"]).output().unwrap());
    let history: serde_json::Value = serde_json::from_str(&run.done()).unwrap();
    let rows = history["audits"].as_array().unwrap();
    rows.iter().map(|row| row["change"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_history_shows_the_message_of_the_version_that_was_audited() {
    let repository = audited();
    let root = repository.0.0.path();
    // The same version, measured again where HEAD brought nothing but an audit, and behind notes that are no source of it.
    repository.profile(Profile::steady(99_000.0));
    repository.on(2, &["generate"]).done();
    repository.commit("audit of the second profile");
    fs::write(repository.0.path("notes.md"), "later\n").unwrap();
    repository.commit("notes");
    repository.profile(Profile::steady(98_000.0));
    repository.on(3, &["generate"]).done();
    repository.commit("audit of the third profile");
    assert_eq!(changes(root), ["step 1"; 3]);
    // Where git knows no source, what is no audit and no evidence is the version.
    let config =
        repository.0.read("audit.toml").replace("source = \"src", "# source = \"src").replace("arch =", "# arch =");
    fs::write(repository.0.path("audit.toml"), config).unwrap();
    assert_eq!(changes(root), ["step 1", "step 1", "notes"]);
    repository.git(&["checkout", "-q", "audit.toml"]);
    // Where a shallow clone ends git does not say what came before.
    repository.profile(Profile::steady(97_000.0));
    repository.on(4, &["generate"]).done();
    repository.commit("audit of the fourth profile");
    repository.git(&["clone", "-q", "--depth=2", &format!("file://{}", root.display()), "shallow"]);
    assert_eq!(changes(&root.join("shallow")), [""; 4]);
}

#[test]
fn an_old_report_passes_only_beside_the_source_that_it_is_of() {
    let repository = audited();
    repository.step(2, "step 2", 130_000.0);
    repository.git(&["checkout", "-q", "HEAD~2", "--", "scale.csv"]);
    repository.commit("the old report");
    repository.check("", 1, "scale.csv is the report of 2026-01-01, and 2026-01-02 was audited last");
    repository.on(3, &["generate"]).done();
    repository.commit("its audit");
    repository.check(
        "",
        6,
        "Its launches are those of 2026-01-01, of another version: src/scale.cu changed in a commit since",
    );
    repository.git(&["checkout", "-q", "HEAD~4", "--", "src/scale.cu"]);
    repository.commit("the kernel as it was");
    repository.check("", 0, "PASS scale: SAME");
}

#[test]
fn evidence_of_an_older_commit_makes_a_page_of_that_commit() {
    let repository = Repository::new();
    let folder = repository.0.path("found");
    fs::create_dir(&folder).unwrap();
    fs::rename(repository.0.path("scale.csv"), folder.join("profile.csv")).unwrap();
    let config = "[[subject]]\nname = \"scale\"\nevidence = \"found\"\nsource = \"src/scale.cu\"\narch = \"sm_90a\"\n";
    fs::write(repository.0.path("audit.toml"), config).unwrap();
    repository.commit("what is profiled");
    let profiled = repository.git(&["log", "--format=%h", "--abbrev=12", "-1"]);
    let hash = blake3::hash(&fs::read(folder.join("profile.csv")).unwrap()).to_hex().to_string();
    let manifest = serde_json::json!({
        "schema": "kernel-audit/collected/1", "subject": "scale", "program": "0.1.0", "steps": [{
            "step": "profile", "file": "profile.csv", "outcome": "made", "why": "", "command": "ncu", "tool": "ncu", "status": "",
            "seconds": 1.0, "key": "", "blake3": hash, "bytes": 1, "ended": "2026-01-01T00:00:00Z", "commit": profiled.trim(),
        }],
    });
    fs::write(folder.join("collected.json"), manifest.to_string()).unwrap();
    change(&repository, "later");
    repository.commit("later");
    let made = repository.on(1, &["generate"]);
    let page = repository.0.read(made.done().lines().next().unwrap());
    assert!(page.contains(&format!("commit `{}`", &profiled[..8])), "{page}");
    let how = format!("src/scale.cu changed in a commit since {}", profiled.trim());
    assert!(made.err().contains(&format!("note: scale is STALE: {how}\n")), "{}", made.err());
    repository.check("--allow-new", 0, "STALE scale: ");
}
