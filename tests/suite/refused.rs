//! What a file of somebody else, or a slip in one's own, must not do: end the program, fill its memory, act on a terminal,
//! in a log or in a job, or carry what is private.

use crate::committed;
use crate::project::{Profile, Project};
use kernel_audit::snapshot::Snapshot;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A project with a page, and times of 500 samples a side.
fn audited() -> Project {
    let project = Project::new();
    let many = |ns: f64| {
        let steady = Profile::steady(ns).launches;
        Profile { launches: steady.iter().cycle().take(500).copied().collect(), ..Profile::default() }
    };
    project.audit("2026-01-01", many(100_000.0));
    project.audit("2026-01-02", many(110_000.0));
    project
}

#[test]
fn a_confidence_beyond_sense_is_an_error_wherever_it_stands() {
    let project = audited();
    let expected = "expected a number from 0 to below 100 %";
    for value in ["100", "101", "1000"] {
        let words = format!("generate scale --date 2026-01-03 --threshold verdict-confidence={value}");
        project.run(&words).ends(2, expected);
    }
    let config = project.read("audit.toml");
    fs::write(project.path("audit.toml"), format!("[thresholds]\nverdict-confidence = 150\n{config}")).unwrap();
    for verb in ["lint", "generate", "check"] {
        project.run(verb).ends(2, expected);
    }
}

#[test]
fn a_configuration_that_cannot_be_read_is_not_taken_for_an_absent_one() {
    let project = audited();
    fs::remove_file(project.path("audit.toml")).unwrap();
    std::os::unix::fs::symlink("nowhere.toml", project.path("audit.toml")).unwrap();
    for verb in ["lint", "check"] {
        assert_ne!(project.run(verb).status(), 0, "{verb}: a broken link");
    }
    fs::remove_file(project.path("audit.toml")).unwrap();
    fs::create_dir(project.path("audit.toml")).unwrap();
    for verb in ["lint", "check"] {
        assert_ne!(project.run(verb).status(), 0, "{verb}: a folder");
    }
}

#[test]
fn loops_in_loops_of_a_template_end() {
    let project = audited();
    fs::create_dir_all(project.path("looks/partials")).unwrap();
    let put = |name: &str, text: &str| fs::write(project.path("looks").join(name), text).unwrap();
    let nested = |depth: usize| {
        let open: String = (0..depth).map(|at| format!("{{{{#each {}sections}}}}", "../".repeat(at))).collect();
        open + "x" + &"{{/each}}".repeat(depth)
    };
    put("audit.md.hbs", &nested(9));
    let expected = "at most 3 loops";
    project.run("lint --templates looks").ends(2, expected);
    project.run("render pages/2026-01-02-scale.json --template audit --templates looks").ends(2, expected);
    // Those of partials count.
    put("audit.md.hbs", "{{#each sections}}{{#each ../sections}}{{> partials/deep}}{{/each}}{{/each}}");
    put("partials/deep.md.hbs", "{{#each @root.sections}}{{#each @root.sections}}x{{/each}}{{/each}}");
    project.run("lint --templates looks").ends(2, expected);
    put("partials/deep.md.hbs", &format!("{{{{#each @root.sections}}}}{}{{{{/each}}}}", "x".repeat(500_000)));
    let said = project.run("render pages/2026-01-02-scale.json --template audit --templates looks --out o");
    said.ends(2, "it prints more than");
}

#[test]
fn a_template_is_not_read_through_a_link_out_of_its_folder() {
    let project = audited();
    fs::create_dir_all(project.path("looks/partials")).unwrap();
    fs::write(project.path("secret"), "TOKEN").unwrap();
    fs::write(project.path("looks/audit.md.hbs"), "{{> partials/own}}{{> partials/env}}").unwrap();
    fs::write(project.path("looks/own"), "own").unwrap();
    std::os::unix::fs::symlink("../own", project.path("looks/partials/own.md.hbs")).unwrap();
    std::os::unix::fs::symlink("../../secret", project.path("looks/partials/env.md.hbs")).unwrap();
    project.run("lint --templates looks").ends(2, "a link out of the folder of templates");
    fs::remove_file(project.path("looks/partials/env.md.hbs")).unwrap();
    fs::write(project.path("looks/partials/env.md.hbs"), "in its folder").unwrap();
    project.run("lint --templates looks").done();
}

#[test]
fn a_name_of_a_file_does_not_act_in_a_note() {
    let project = audited();
    fs::write(project.path("pages/2026-11-19-\u{1b}]0;PWNED\u{7}\u{1b}[2Jd\n::stop-commands::abc\n.json"), "x")
        .unwrap();
    project.report("new.csv", &[Profile::steady(90_000.0)]);
    let ran = project.run("generate scale --date 2026-01-03");
    let said = String::from_utf8_lossy(&ran.0.stderr).into_owned();
    assert!(said.contains("not in the history"), "{said}");
    assert!(said.lines().all(|line| !line.starts_with("::")), "{said}");
    assert!(said.chars().all(|c| c == '\n' || !c.is_control()), "{said:?}");
}

#[test]
fn a_line_end_in_an_option_is_no_command_of_a_job() {
    let project = Project::new();
    let config = "[slurm]\noptions = [\"--comment=x\\ntouch acted #\"]\n[[subject]]\nname = \"t0\"\nkernel = \"^k$\"\nrun = [\"./program\"]\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project.run("collect --slurm --dry-run t0").ends(2, "control character");
}

#[test]
fn what_is_shown_of_a_report_is_what_anyone_may_see() {
    let report = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/h200/gemm_bias_v2.ncu-repz");
    let project = Project::new();
    for words in ["--all", "--json"] {
        let shown = project.words(&["show", words, report]).done();
        let evidence = project.words(&["dump", "evidence", report]).done();
        let command = evidence.split("\"command_line\":").nth(1).map(|rest| rest.split('"').nth(1).unwrap_or_default());
        assert!(command.is_some_and(|command| !command.is_empty()), "the report says what ran");
        assert!(!shown.contains(command.unwrap_or_default()), "{words}: {command:?}");
    }
}

#[test]
fn a_snapshot_with_more_of_anything_than_a_kernel_has_is_refused() {
    let parsed = |snapshot: &Snapshot| Snapshot::parse(Path::new("x.json"), &snapshot.to_json().unwrap());
    let whole = committed::snapshot("2026-11-22.8-patch_embed_gemm_tma");
    assert!(parsed(&whole).is_ok());
    let mut kernels = whole.clone();
    let profile = kernels.evidence.new.profile.as_mut().unwrap();
    let subject = profile.kernels.iter().find(|kernel| kernel.is_subject).unwrap().clone();
    profile.kernels.extend(vec![subject; 4999]);
    let said = parsed(&kernels).unwrap_err().to_string();
    assert!(said.contains("5000 kernels under audit, where at most 1 can be"), "{said}");
    let mut rows = whole;
    let view = Arc::make_mut(rows.evidence.new.profile.as_mut().unwrap().instructions.as_mut().unwrap());
    let row = view.instructions[0].clone();
    view.instructions.extend(vec![row; 1 << 18]);
    let said = parsed(&rows).unwrap_err().to_string();
    assert!(said.contains("instructions:") && said.contains("of 262144"), "{said}");
}

#[test]
fn a_page_is_not_written_where_nothing_finds_it() {
    let project = audited();
    let mut snapshot = Snapshot::read(&project.path("pages/2026-01-01-scale.json")).unwrap();
    snapshot.heading.date = "2026-1-1".to_owned();
    fs::write(project.path("day.json"), snapshot.to_json().unwrap()).unwrap();
    project.run("render day.json").ends(2, "an audit of \"scale\" on \"2026-1-1\" has no file name");
}
