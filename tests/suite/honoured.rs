//! Flags that a run would not honour: refused with the reason, before anything is written.

use super::project::{Profile, Project};
use std::fs;

#[test]
fn a_format_refuses_the_flags_that_it_does_not_honour() {
    let project = Project::new();
    project.audit("2026-11-02", Profile::default());
    let made = || fs::read_dir(project.path("pages")).unwrap().count();
    let before = made();
    for (verb, format, flag, why) in [
        ("render", "md", "--link-base https://x.y", "only the comment links"),
        ("render", "text", "--template nosuch", "the first screen has no template"),
        ("render", "text", "--templates nosuch", "the first screen is printed without templates"),
        (
            "render",
            "text",
            "--template-file pr=nosuch",
            "leave --template-file out, or take --format md or --format html",
        ),
        ("render", "pr", "--template nosuch", "--template-file pr=FILE"),
        ("render", "pr", "--force", "no file is overwritten"),
        ("generate", "text", "--no-charts", "leave --no-charts out, or take --format md or --format html"),
        ("generate", "text", "--html", "beside the page in Markdown"),
        ("generate", "pr", "--html --out zzz", "leave --html out, or take --format md"),
    ] {
        let what = if verb == "render" { "pages/2026-11-02-scale.json" } else { "scale --date 2026-11-03" };
        let run = project.run(&format!("{verb} {what} --format {format} {flag}"));
        let name = flag.split(' ').next().unwrap();
        run.ends(2, &format!("--format {format} does not honour {name}: "));
        run.ends(2, why);
    }
    assert_eq!(made(), before, "nothing was written");
    for both in
        ["generate --report new.csv --all", "show new.csv --json --all", "compare new.csv new.csv --json --width 99"]
    {
        project.run(both).ends(2, "cannot be used with");
    }
    let comment = project.run("generate scale --date 2026-11-03 --format pr --out zzz").done();
    assert!(comment.contains("Page: `zzz/2026-11-03-scale.md`"), "{comment}");
}

#[test]
fn a_threshold_is_of_what_is_judged_and_a_number_that_makes_sense() {
    let project = Project::new();
    project.audit("2026-11-02", Profile::default());
    let kernels = "timeline n.csv --threshold sol-high=1";
    project.run(kernels).ends(2, "timelines know timeline-idle and timeline-kernel");
    project.run("show pages/2026-11-02-scale.json --allow-damage").ends(2, "leave --allow-damage out");
    let generate = |value: &str| project.run(&format!("generate scale --threshold sol-high={value}"));
    for value in ["-3", "1e308", "NaN", "inf"] {
        generate(value).ends(2, "expected a number from 0 to 1000 %, found ");
    }
    let config = project.read("audit.toml");
    fs::write(project.path("audit.toml"), format!("{config}[thresholds]\nsol-low = -4\n")).unwrap();
    project.run("generate").ends(2, "expected a number from 0 to 1000 %, found -4");
    let list = config.replace("commit = \"c1\"", "check = [\"tensor-gemm\"]");
    fs::write(project.path("audit.toml"), list).unwrap();
    project.run("generate").ends(2, "a checklist goes into `checklists`");
}

#[test]
fn a_snapshot_is_shown_for_its_own_kernel_alone() {
    let project = Project::new();
    project.audit("2026-11-02", Profile::default());
    let show = |filter: &str| project.run(&format!("show pages/2026-11-02-scale.json --kernel {filter}"));
    assert!(show("^sc").done().contains("scale"));
    show("nosuch").ends(2, "no kernel in pages/2026-11-02-scale.json matches /nosuch/\n  it holds: scale");
}

#[test]
fn of_a_build_log_the_kernels_are_shown_that_the_filter_takes() {
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/h200/devset.ptxas.txt");
    let show = |filter: &str| Project::new().words(&["show", log, "--kernel", filter]);
    let text = show("gemm_bias_v1").done();
    assert!(text.contains("gemm_bias_v1") && !text.contains("gemm_bias_v2"), "{text}");
    show("nosuch").ends(2, "matches /nosuch/\n  it holds: ");
}
