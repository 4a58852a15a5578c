//! `audit history`, and the history on the page.

use crate::project::{Profile, Project};
use kernel_audit::analysis::Milestone;
use kernel_audit::snapshot::Snapshot;
use std::fs;
use std::process::Command;

#[test]
fn every_audit_is_a_row() {
    let project = Project::new();
    let first = project.audit("2026-01-01", Profile::steady(100_000.0));
    assert!(!first.contains("History"));
    let second = project.audit("2026-01-02", Profile::steady(80_000.0));
    let second = crate::project::loose(&second);
    let rows = versions(&second);
    assert_eq!(rows.len(), 4, "{second}");
    assert!(rows[2].contains("2026-01-01 c1") && rows[2].contains("100.5 µs"), "{rows:?}");
    assert!(rows[3].contains("2026-01-02 c1") && rows[3].contains("80.4 µs") && rows[3].contains("FASTER"), "{rows:?}");
    let table = project.run("history scale").done();
    let told: Vec<&str> = table.lines().filter(|line| line.starts_with("| 2026-")).collect();
    assert!(told.len() == 2 && told[0].contains("100.5 µs") && told[1].contains("FASTER"), "{table}");
    let csv = project.run("history scale --format csv").done();
    assert_eq!(csv.lines().count(), 3);
    assert!(csv.starts_with("date,commit,change,gpu,time,rate,share,floor,registers,limiter,verdict\n"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&project.run("history scale --format json").done()).unwrap();
    assert!((json["milestones"][1]["time"]["value"].as_f64().unwrap() - 80_400.0).abs() < 1e-6, "{json}");
    assert_eq!(json["audits"][1]["verdict"], "FASTER");
    project.run("history other").ends(2, "holds no snapshot of other");
}

/// The rows of the table of versions on a page, with its head.
fn versions(page: &str) -> Vec<String> {
    let section = page.split_once("\n## History\n").expect(page).1;
    section
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_version_says_what_changed_on_which_gpu_and_what_people_accepted() {
    let project = Project::new();
    let config = project.read("audit.toml").replace("template = \"full\"\n", "") + "change = \"wider loads\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project.audit("2026-01-01", Profile { registers: 40, ..Profile::steady(100_000.0) });
    let slower = project.audit("2026-01-02", Profile::steady(120_000.0));
    let rows = versions(&slower);
    // One GPU is not told in any row, and columns that say nothing are not there.
    let heads: Vec<&str> = rows[0].split('|').map(str::trim).filter(|head| !head.is_empty()).collect();
    assert_eq!(heads, ["Version", "Change", "Time", "Verdict"], "{slower}");
    assert!(rows[2].contains("2026-01-01 c1 ") && rows[2].contains("wider loads"), "{rows:?}");
    assert!(rows[3].contains("**SLOWER, not accepted**"), "{rows:?}");

    project.run("check --accept --reason rounding --date 2026-01-02").done();
    project.run("generate").done();
    let other = project.audit("2026-01-03", Profile { gpu: "NVIDIA H100 PCIe", ..Profile::steady(130_000.0) });
    let rows = versions(&other);
    assert!(rows[2].contains("2026-01-01 c1 on H200") && rows[4].contains("c1 on H100 PCIe"), "{other}");
    assert!(!rows[3].contains(" on ") && rows[3].contains("SLOWER, accepted"), "{other}");
    let index = project.read("pages/README.md");
    assert!(index.contains("NOT COMPARABLE"), "{index}");
    assert!(project.run("history scale").done().contains("| NVIDIA H100 PCIe"), "{other}");
}

#[test]
fn a_page_keeps_the_last_twelve_and_what_decided_a_hypothesis() {
    let project = Project::new();
    let config = project.read("audit.toml").replace("template = \"full\"\n", "");
    let stated =
        "[[subject.hypothesis]]\nname = \"fewer registers\"\nafter = [\"launch__registers_per_thread <= 8\"]\n";
    fs::write(project.path("audit.toml"), config.clone()).unwrap();
    project.audit("2026-01-01", Profile::steady(100_001.0));
    fs::write(project.path("audit.toml"), config.clone() + stated).unwrap();
    project.audit("2026-01-02", Profile::steady(100_000.0));
    fs::write(project.path("audit.toml"), config).unwrap();
    for day in 3..17 {
        project.audit(&format!("2026-01-{day:02}"), Profile::steady(100_000.0 - f64::from(day)));
    }
    let page = project.read("pages/2026-01-16-scale.md");
    let rows = versions(&page);
    assert_eq!(rows.len(), 2 + 12 + 1, "{page}");
    assert!(rows[2].contains("2026-01-04") && rows[14].contains("2026-01-16"), "{page}");
    let snapshot = Snapshot::read(&project.path("pages/2026-01-16-scale.json")).unwrap();
    let kept: Vec<String> = snapshot.heading.history.iter().map(Milestone::day).collect();
    assert_eq!((kept.len(), kept[0].as_str(), kept[1].as_str()), (13, "2026-01-02", "2026-01-04"));
    let all = project.run("history scale").done();
    assert!(all.matches("| 2026-").count() == 16 + 1 && all.contains("fewer registers"), "{all}");
}

#[test]
fn a_snapshot_that_cannot_be_read_is_told_and_the_index_leads_to_one_that_can() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.audit("2026-01-02", Profile::steady(90_000.0));
    let broken = project.path("pages/2026-01-02-scale.json");
    fs::write(&broken, fs::read_to_string(&broken).unwrap().replacen("2026-01-02", "2026-01-09", 1)).unwrap();
    let note = "note: not in the history: pages/2026-01-02-scale.json";
    project.report("new.csv", &[Profile::steady(80_000.0)]);
    let made = project.run("generate scale --date 2026-01-03 --baseline pages/2026-01-01-scale.json");
    assert_eq!(made.err().matches(note).count(), 1, "{}", made.err());
    fs::remove_file(project.path("pages/2026-01-03-scale.json")).unwrap();
    let config = project.read("audit.toml") + "[[subject]]\nname = \"other\"\nreport = \"new.csv\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    let other = project.run("generate other --date 2026-01-03");
    assert_eq!(other.err().matches(note).count(), 1, "{}", other.err());
    let index = project.read("pages/README.md");
    assert!(index.contains("(2026-01-01-scale.md)") && !index.contains("2026-01-02-scale"), "{index}");
}

/// The row of the index that links to a page.
fn listed(project: &Project, page: &str) -> Option<String> {
    let index = project.read("pages/README.md");
    let row = index.lines().find(|line| line.contains(&format!("({page})")))?;
    Some(row.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn the_index_reads_no_evidence_of_subjects_that_were_not_made_and_the_gate_does() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    let config = project.read("audit.toml") + "[[subject]]\nname = \"other\"\nreport = \"new.csv\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    let file = project.path("pages/2026-01-01-scale.json");
    let whole = fs::read_to_string(&file).unwrap();
    let (mut day, row) = (1, listed(&project, "2026-01-01-scale.md").unwrap());
    let mut seen = |text: &str, is_listed: bool| {
        fs::write(&file, text).unwrap();
        day += 1;
        project.report("new.csv", &[Profile::steady(90_000.0 - f64::from(day))]);
        let made = project.run(&format!("generate other --date 2026-01-{day:02}"));
        assert_eq!(listed(&project, "2026-01-01-scale.md"), is_listed.then(|| row.clone()));
        assert_eq!(made.err().contains("not in the history"), !is_listed, "{}", made.err());
    };
    seen(&whole, true);
    let (head, evidence) = whole.split_once("\"evidence\":").unwrap();
    let (start, hash) = head.split_once("\"head\":\"").unwrap();
    // One of before heads had a hash, and one whose white space is another.
    seen(&whole.replacen(&format!("\"head\":\"{}\",", &hash[..64]), "", 1), true);
    seen(&whole.replacen(":{", ": {\n", 2), true);
    // The evidence alone is changed: that is for the gate to say.
    let longer = format!("{head}\"evidence\":{}", evidence.replacen("4096", "4097", 1));
    seen(&longer, true);
    project.run("check scale").ends(3, "was changed after it was written");
    // A head that is changed, and one whose hash is.
    seen(&whole.replacen("2026-01-01", "2026-01-09", 1), false);
    seen(&format!("{start}\"head\":\"{}\",{}\"evidence\":{evidence}x", "0".repeat(64), &hash[66..]), false);
    seen(&whole, true);
}

#[test]
fn a_kernel_that_went_back_is_a_row_of_the_day_that_is_stated() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.audit("2026-01-02", Profile::steady(130_000.0));
    project.run("check scale").ends(1, "SLOWER");
    let back = project.audit("2026-01-03", Profile::steady(100_000.0));
    assert!(back.contains("whose launches these are: the kernel went back to it"), "{back}");
    project.run("check scale").ends(0, "PASS scale: SAME");
    let all = project.run("history scale").done();
    assert_eq!(all.lines().filter(|line| line.starts_with("| 2026-01-0")).count(), 3, "{all}");
    // The same page again, and no fourth one while nothing was measured since.
    project.run("generate scale --date 2026-01-03").done();
    project.run("generate scale --date 2026-01-04").ends(2, "nothing new was measured");
}

#[test]
fn git_adds_the_message_of_a_commit_and_what_it_does_not_know_is_said() {
    let project = Project::new();
    let git = |words: &[&str]| {
        let name = ["-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(name).args(words).current_dir(project.0.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "Tile the loop"]);
    let head = git(&["rev-parse", "--short=12", "HEAD"]);
    let config = project.read("audit.toml");
    fs::write(project.path("audit.toml"), config.replace("\"c1\"", &format!("\"{head}\""))).unwrap();
    project.audit("2026-01-01", Profile::default());
    fs::write(project.path("audit.toml"), config.replace("\"c1\"", "\"0123456789ab\"")).unwrap();
    project.audit("2026-01-02", Profile::steady(100_000.0));
    let table = project.run("history scale").done();
    assert!(table.contains("Tile the loop"), "{table}");
    assert!(table.contains("Commits that git does not know here: 1"), "{table}");
}

#[test]
fn a_snapshot_that_cannot_be_read_is_named() {
    let project = Project::new();
    project.audit("2026-01-01", Profile::default());
    fs::write(project.path("pages/2026-01-02-scale.json"), "{}").unwrap();
    let table = project.run("history scale").done();
    assert!(table.contains("Not in the table: pages/2026-01-02-scale.json is not a snapshot"), "{table}");
}

#[cfg(unix)]
#[test]
fn the_index_takes_earlier_audits_from_the_last_head_unless_they_were_written_after_it() {
    let project = Project::new();
    for (day, ns) in [("2026-01-01", 100_000.0), ("2026-01-02", 50_000.0), ("2026-01-03", 90_000.0)] {
        project.audit(day, Profile::steady(ns));
    }
    let config = project.read("audit.toml") + "[[subject]]\nname = \"other\"\nreport = \"new.csv\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    let page = "2026-01-03-scale.md";
    let row = listed(&project, page).unwrap();
    assert!(row.contains("█▄█"), "{row}");
    let file = project.path("pages/2026-01-02-scale.json");
    let last = project.path("pages/2026-01-03-scale.json");
    let again = fs::read(&last).unwrap();
    let mut day = 3;
    // With the text in its place, before the last one was written or behind it, as if it were of long ago.
    let mut made = |text: &str, is_before: bool| {
        fs::write(&file, text).unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        if is_before {
            std::thread::sleep(std::time::Duration::from_millis(20));
            fs::write(&last, &again).unwrap();
        }
        day += 1;
        project.report("new.csv", &[Profile::steady(90_000.0 - f64::from(day))]);
        let made = project.run(&format!("generate other --date 2026-01-{day:02}"));
        (listed(&project, page).unwrap(), made.err().contains("not in the history"))
    };
    let whole = fs::read_to_string(&file).unwrap();
    assert_eq!(made(&whole, false), (row.clone(), false));
    assert_eq!(made("not opened", true), (row.clone(), false));
    // One that came into its place after the last is read for itself, whatever time it bears.
    let (without, is_told) = made("no snapshot", false);
    assert!(is_told && without.contains("██ ") && !without.contains('▄'), "{without}");
    fs::remove_file(project.path("pages/2026-01-02-scale.json")).unwrap();
    project.report("new.csv", &[Profile::steady(80_000.0)]);
    project.run("generate other --date 2026-01-09").done();
    assert!(!listed(&project, page).unwrap().contains('▄'));
}
