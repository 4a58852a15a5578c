//! The comment on a pull request: order, marker, links, and GitHub's limit.

use super::project::{Profile, Project, snapshot};
use kernel_audit::render::Templates;
use kernel_audit::snapshot::Snapshot;
use kernel_audit::view::{COMMENT, Entry, Heading, comment};
use std::fs;
use std::path::Path;

/// A project of three subjects: one slower, one faster, one without a baseline.
fn project() -> Project {
    let project = Project::new();
    let subject = |name: &str| format!("[[subject]]\nname = \"{name}\"\nreport = \"{name}.csv\"\ncommit = \"c1\"\n");
    let config = format!("[audit]\nout = \"pages\"\n{}{}{}", subject("better"), subject("alone"), subject("worse"));
    fs::write(project.path("audit.toml"), config).unwrap();
    for (name, old, new) in [("better", 100_000.0, 50_000.0), ("worse", 100_000.0, 120_000.0)] {
        project.report(&format!("{name}.csv"), &[Profile::steady(old)]);
        project.run(&format!("generate {name} --date 2026-11-01")).done();
        project.report(&format!("{name}.csv"), &[Profile::steady(new)]);
    }
    project.report("alone.csv", &[Profile::steady(70_000.0)]);
    project
}

#[test]
fn the_worst_subject_comes_first_and_nothing_is_written() {
    let project = project();
    let before = fs::read_dir(project.path("pages")).unwrap().count();
    let text = project
        .run("generate --all --format pr --date 2026-11-02 --link-base https://example.org/o/r/blob/abc/")
        .done();
    assert_eq!(fs::read_dir(project.path("pages")).unwrap().count(), before);
    assert!(
        text.starts_with("<!-- audit:pull-request -->\n## Performance audit: 1 slower, 1 not measured, 1 faster\n"),
        "{text}"
    );
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing in {text}"));
    assert!(at("### worse: SLOWER") < at("### alone: NOT MEASURED") && at("### alone") < at("### better: FASTER"));
    assert!(at("| worse ") < at("| alone ") && at("| alone ") < at("| better "));
    assert!(
        text.contains("[pages/2026-11-02-worse.md](https://example.org/o/r/blob/abc/pages/2026-11-02-worse.md)"),
        "{text}"
    );
    assert!(text.contains("+20.0 %") && text.contains("**120.6"), "the time that moved stands in a table: {text}");
}

#[test]
fn a_comment_is_made_from_snapshots_alone() {
    let project = project();
    project.run("generate --all --date 2026-11-02").done();
    let direct = project.run("generate --all --format pr --date 2026-11-02").done();
    let from = "render pages/2026-11-02-better.json pages/2026-11-02-alone.json pages/2026-11-02-worse.json";
    assert_eq!(project.run(&format!("{from} --format pr")).done(), direct);
    assert!(direct.contains("Full page: `pages/2026-11-02-worse.md`"), "no link without an address: {direct}");
    project.run(&format!("{from} --format pr --link-base javascript:x")).ends(2, "expected an address");
}

#[test]
fn one_subject_needs_no_overview() {
    let project = project();
    let text = project.run("generate worse --format pr --date 2026-11-02").done();
    assert!(text.contains("\n## Performance audit of worse: SLOWER\n") && !text.contains("All subjects"), "{text}");
}

#[test]
fn the_comment_stays_within_the_limit_and_says_what_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = Snapshot::read(Path::new(&snapshot(folder.path(), "transpose_padded"))).unwrap();
    let audit = snapshot.audit();
    let templates = Templates::load(None).unwrap();
    let headings: Vec<Heading> =
        (0..1200).map(|at| Heading { subject: format!("subject-{at}"), ..snapshot.heading.clone() }).collect();
    let print = |count: usize| {
        let entry = |heading| Entry { heading, audit: Some(&audit), page: "p.md".into(), link: String::new() };
        let entries: Vec<Entry<'_>> = headings[..count].iter().map(entry).collect();
        comment(&entries, |document| templates.page(COMMENT, document)).unwrap()
    };
    let few = print(3);
    assert!(!few.contains("do not fit") && !few.contains("What does not fit"));
    let some = print(120);
    assert!(some.chars().count() <= 65_536 && some.chars().count() > 55_000, "{}", some.chars().count());
    assert!(some.contains("What does not fit") && some.contains("| subject-119 "), "every subject has its row");
    let many = print(1200);
    assert!(many.chars().count() <= 65_536, "{}", many.chars().count());
    assert!(many.contains("further subjects, none of them worse, do not fit into a comment."));
}

#[test]
fn the_readings_that_matter_come_first_and_the_rest_is_folded() {
    let project = Project::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/h200");
    for name in ["gemm_bias_v1", "gemm_bias_v2"] {
        fs::copy(fixtures.join(format!("{name}.ncu-repz")), project.path(&format!("{name}.ncu-repz"))).unwrap();
    }
    let config = "[audit]\nout = \"pages\"\n[[subject]]\nname = \"gemm\"\nreport = \"gemm_bias_v2.ncu-repz\"\n\
        baseline = \"gemm_bias_v1.ncu-repz\"\nkernel = \"gemm_bias_v2\"\nbaseline_kernel = \"gemm_bias_v1\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    let text = project.run("generate gemm --format pr --date 2026-11-02").done();
    let (shown, folded) = text.split_once("<details>").unwrap();
    assert!(shown.contains("## Performance audit of gemm: FASTER"), "{shown}");
    assert!(shown.contains("**Patterns** beside the limit, gone: `uncoalesced-global-access`."), "{shown}");
    let labels: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split('|').next())
        .map(str::trim)
        .filter(|label| !label.starts_with('-') && *label != "Reading")
        .collect();
    assert!((8..=12).contains(&labels.len()), "{labels:?}");
    // Time first; then the limiter's reading, the waits of both sides, and what the compiler made.
    assert_eq!(labels[..3], ["Duration", "Elapsed cycles", "L1 LSU data-stage wavefronts"], "{labels:?}");
    for label in ["Stall: MIO throttle", "Stall: LG throttle", "Registers per thread", "Warp instructions executed"] {
        assert!(labels.contains(&label), "{label}: {labels:?}");
    }
    assert!(!labels.iter().any(|label| label.contains("elected")), "no wait: {labels:?}");
    let rest = "further readings that moved, most of them with the time</summary>";
    assert!(folded.contains(rest) && folded.contains("| L2 throughput "), "{folded}");
    assert!(labels.iter().all(|label| !folded.contains(&format!("| {label} "))), "each stands once");
}
