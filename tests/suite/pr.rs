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
        text.starts_with("<!-- audit:pull-request -->\n## Performance audit: 1 slower, 1 faster, 1 no baseline\n"),
        "{text}"
    );
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing in {text}"));
    // What has no news stands last.
    assert!(at("### worse: SLOWER") < at("### better: FASTER") && at("### better") < at("### alone: no baseline"));
    assert!(at("| worse ") < at("| better ") && at("| better ") < at("| alone "));
    assert!(
        text.contains("Every audit: [pages/README.md](https://example.org/o/r/blob/abc/pages/README.md)"),
        "{text}"
    );
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
    assert!(direct.contains("Page: `pages/2026-11-02-worse.md`"), "no link without an address: {direct}");
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
        crate::project::loose(&comment(&entries, None, |document| templates.page(COMMENT, document)).unwrap())
    };
    let few = print(3);
    assert!(!few.contains("do not fit") && !few.contains("What does not fit"));
    let some = print(220);
    assert!(some.chars().count() <= 65_536 && some.chars().count() > 55_000, "{}", some.chars().count());
    assert!(some.contains("What does not fit") && some.contains("| subject-219 "), "every subject has its row");
    let many = print(1200);
    assert!(many.chars().count() <= 65_536, "{}", many.chars().count());
    assert!(many.contains("further subjects, none with more news, do not fit into a comment."));
}

#[test]
fn one_subject_takes_at_most_sixty_lines_in_the_words_of_its_page() {
    let project = Project::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/h200");
    for name in ["gemm_bias_v1", "gemm_bias_v2"] {
        fs::copy(fixtures.join(format!("{name}.ncu-repz")), project.path(&format!("{name}.ncu-repz"))).unwrap();
    }
    let config = "[audit]\nout = \"pages\"\n[[subject]]\nname = \"gemm\"\nreport = \"gemm_bias_v2.ncu-repz\"\n\
        baseline = \"gemm_bias_v1.ncu-repz\"\nkernel = \"gemm_bias_v2\"\nbaseline_kernel = \"gemm_bias_v1\"\n\
        [[subject.hypothesis]]\nname = \"tiles\"\nafter = [\"launch__registers_per_thread <= 32\"]\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    let text = project.run("generate gemm --format pr --date 2026-11-02").done();
    assert!(text.lines().count() <= 60, "{} lines: {text}", text.lines().count());
    for part in [
        "## Performance audit of gemm: FASTER",
        "(`memory-shared`",
        "**Hypotheses:** INCONCLUSIVE: tiles",
        "Page: `pages/2026-11-02-gemm.md`",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    project.run("generate gemm --date 2026-11-02").done();
    let page = project.read("pages/2026-11-02-gemm.md");
    let own =
        text.lines().filter(|line| line.len() > 40 && !line.starts_with("Page: ") && !line.contains("**Patterns**"));
    for line in own {
        assert!(page.contains(line), "the page does not say: {line}");
    }
}

#[test]
fn of_several_audits_of_a_subject_the_comment_has_the_last() {
    let project = Project::new();
    for (date, ns) in [("2026-11-01", 100_000.0), ("2026-11-02", 120_000.0), ("2026-11-02", 80_000.0)] {
        project.audit(date, Profile::steady(ns));
    }
    let all = "pages/2026-11-02-scale.json pages/2026-11-02.2-scale.json pages/2026-11-01-scale.json";
    let text = project.run(&format!("render --format pr {all}")).done();
    assert!(text.starts_with("<!-- audit:pull-request -->\n## Performance audit of scale: FASTER\n"), "{text}");
    assert!(text.contains("Page: `pages/2026-11-02.2-scale.md`") && !text.contains("2026-11-02-scale.md"), "{text}");
}
