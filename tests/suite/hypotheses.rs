//! Hypotheses from audit.toml to the page, the snapshot and the ledger.

use crate::life::Repository;
use crate::project::{Profile, Project};
use kernel_audit::config::Config;
use std::fs;
use std::path::Path;

fn with(project: &Project, hypotheses: &str) {
    let config = project.read("audit.toml");
    fs::write(project.path("audit.toml"), format!("{config}\n{hypotheses}")).unwrap();
}

fn leaner(ns: f64) -> Profile {
    Profile { registers: 24, instructions: 2048, ..Profile::steady(ns) }
}

const LEANER: &str = r#"
[[subject.hypothesis]]
name = "fewer registers"
change = "the index is recomputed"
before = ["launch__registers_per_thread == 32"]
after = ["launch__registers_per_thread <= 24", "change.cycles < 0"]
[[subject.hypothesis]]
name = "half the instructions"
after = ["smsp__inst_executed.sum < 1000"]
[[subject.hypothesis]]
name = "no waits"
after = ["stall.barrier < 1", "sanitizer.errors == 0"]
[[subject.hypothesis]]
name = "was so before"
before = ["launch__registers_per_thread < 8"]
after = ["launch__registers_per_thread <= 24"]
"#;

#[test]
fn each_comes_to_one_of_four_words_with_its_reason() {
    let project = Project::new();
    with(&project, LEANER);
    let first = project.audit("2026-01-01", Profile::steady(100_000.0));
    assert!(first.contains("**NOT MEASURED**. There is no baseline"), "{first}");
    let page = project.audit("2026-01-02", leaner(80_000.0));
    for part in [
        "### fewer registers\n\n**CONFIRMED**. The premise held, and every expectation was met. The change: the index is recomputed.",
        "**REFUTED**. Expected, but not found: smsp__inst_executed.sum < 1000.",
        "**NOT MEASURED**. There is no number for: stall.barrier < 1; sanitizer.errors == 0.",
        "**INCONCLUSIVE**. The premise did not hold before the change: launch__registers_per_thread < 8.",
        "REFUTED: half the instructions; CONFIRMED: fewer registers; INCONCLUSIVE: was so before; NOT MEASURED: no waits",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let row = page.lines().find(|line| line.contains("`launch__registers_per_thread <= 24`")).unwrap();
    assert!(
        row.contains("expected after") && row.contains("32\u{a0}registers/thread") && row.ends_with("holds  |"),
        "{row}"
    );
    // The snapshot holds them: the page is made again from it.
    project.run("render --template full pages/2026-01-02-scale.json").done();
    assert_eq!(project.raw("pages/2026-01-02-scale.md"), page);
}

#[test]
fn refuted_ones_stay_in_the_ledger() {
    let project = Project::new();
    let config = project.read("audit.toml");
    with(&project, LEANER);
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.audit("2026-01-02", leaner(80_000.0));
    // The subject no longer states them, and the next page still tells.
    fs::write(project.path("audit.toml"), config).unwrap();
    let page = project.audit("2026-01-03", leaner(80_001.0));
    let rows: Vec<&str> = page.lines().skip_while(|line| *line != "### Decided before").collect();
    assert!(rows.iter().any(|row| row.contains("2026-01-02") && row.contains("half the instructions")), "{page}");
    assert!(rows.iter().any(|row| row.contains("fewer registers") && row.contains("CONFIRMED")), "{page}");
    let table = project.run("history scale").done();
    assert!(table.contains("Hypotheses:") && table.contains("half the instructions"), "{table}");
    let json: serde_json::Value = serde_json::from_str(&project.run("history scale --format json").done()).unwrap();
    assert_eq!(json["milestones"][1]["hypotheses"][1]["judgement"], "REFUTED");
}

#[test]
fn mistakes_are_shown_at_their_line() {
    let fault = |text: &str| {
        let text = format!("[[subject]]\nname = \"s\"\nreport = \"r\"\n{text}");
        Config::parse(Path::new("audit.toml"), text).unwrap_err().to_string()
    };
    let check = "[[subject.check]]\nname = \"no BAR\"\nsass = \"BAR\"\nforbid = true\n";
    let unknown = fault(&format!("{check}[[subject.hypothesis]]\nname = \"h\"\nafter = [\"check.no BARS\"]\n"));
    assert!(unknown.contains("audit.toml:10") && unknown.contains("did you mean check.no BAR?"), "{unknown}");
    let empty = fault("[[subject.hypothesis]]\nname = \"h\"\nafter = []\n");
    assert!(empty.contains("a hypothesis predicts something"), "{empty}");
    let bad = fault("[[subject.hypothesis]]\nname = \"h\"\nafter = [\"stall.barrier lower\"]\n");
    assert!(bad.contains("audit.toml:6") && bad.contains("METRIC OP VALUE"), "{bad}");
    let opcode = fault("[[subject.hypothesis]]\nname = \"h\"\nafter = [\"opcode.BARR == 0\"]\n");
    assert!(opcode.contains("audit.toml:6") && opcode.contains("did you mean `opcode.BAR`?"), "{opcode}");
    let own = "[[subject.expect]]\nmetric = \"opcode.BARR\"\nop = \"==\"\nvalue = 0\n";
    assert!(fault(own).contains("audit.toml:5") && fault(own).contains("did you mean `opcode.BAR`?"), "{}", fault(own));
    let change = fault(&own.replace("opcode.BARR", "change.time"));
    assert!(change.contains("audit.toml:5") && change.contains("only a comparison tells"), "{change}");
    let twice = "[[subject.hypothesis]]\nname = \"h\"\nafter = [\"stall.barrier < 1\"]\n";
    assert!(fault(&twice.repeat(2)).contains("a name of its own"));
}

#[test]
fn the_machine_code_of_both_sides_is_asked() {
    let project = Project::new();
    let fixtures = format!("{}/tests/fixtures/h200", env!("CARGO_MANIFEST_DIR"));
    for name in ["gemm_bias_v1.ncu-repz", "gemm_bias_v2.ncu-repz", "devset.sm_90a.cubin"] {
        fs::copy(format!("{fixtures}/{name}"), project.path(name)).unwrap();
    }
    let config = format!(
        r#"[audit]
out = "pages"
{}[[subject]]
name = "k"
kernel = "gemm_bias_v2"
baseline_kernel = "gemm_bias_v1"
report = "gemm_bias_v2.ncu-repz"
baseline = "gemm_bias_v1.ncu-repz"
cubin = "devset.sm_90a.cubin"
baseline_cubin = "devset.sm_90a.cubin"
[[subject.check]]
name = "reads shared memory"
sass = "LDS"
[[subject.hypothesis]]
name = "shared memory"
before = ["check.reads shared memory == 0"]
after = ["check.reads shared memory", "launch__registers_per_thread > 0"]
[[subject.hypothesis]]
name = "still without"
after = ["check.reads shared memory == 0"]
"#,
        crate::build_tools::tools()
    );
    fs::write(project.path("audit.toml"), config).unwrap();
    project.run("generate k --template full --date 2026-01-02").done();
    let page = project.read("pages/2026-01-02-k.md");
    let section: Vec<&str> = page.lines().skip_while(|line| *line != "## Hypotheses").take(24).collect();
    let section = section.join("\n");
    assert!(section.contains("**CONFIRMED**"), "{section}");
    assert!(section.contains("**REFUTED**. Expected, but not found: check.reads shared memory == 0."), "{section}");
    let row =
        page.lines().find(|line| line.starts_with("| expected after") && line.contains("memory passes`")).unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[3..6], ["FAIL", "PASS", "holds"], "{row}");
}

#[test]
fn a_confirmed_one_stays_confirmed_while_what_was_expected_holds() {
    let project = Project::new();
    with(&project, LEANER);
    project.audit("2026-01-01", Profile::steady(100_000.0));
    project.audit("2026-01-02", leaner(80_000.0));
    let page = project.audit("2026-01-03", leaner(78_000.0));
    let kept = "### fewer registers\n\n**CONFIRMED**. Confirmed on 2026-01-02 (c1); what was expected still holds.";
    assert!(page.contains(kept), "{page}");
    // The snapshot holds it: the page is made again from it.
    project.run("render --template full pages/2026-01-03-scale.json").done();
    assert_eq!(project.raw("pages/2026-01-03-scale.md"), page);
    let lost = project.audit("2026-01-04", Profile::steady(79_000.0));
    let said = "**REFUTED**. Confirmed on 2026-01-02 (c1), but no longer holds: launch__registers_per_thread <= 24.";
    assert!(lost.contains(said), "{lost}");
}

/// A repository whose subject expects `after` by the name `step`; the first audit is there.
fn expecting(after: &str) -> Repository {
    let repository = Repository::new();
    repository.on(1, &["init"]).done();
    let config = repository.0.read("audit.toml").replace("[audit]\n", "[audit]\ntemplate = \"full\"\n");
    let stated = format!("{config}\n[[subject.hypothesis]]\nname = \"step\"\nafter = [\"{after}\"]\n");
    fs::write(repository.0.path("audit.toml"), stated).unwrap();
    repository.step(1, "first", 100_000.0);
    repository
}

#[test]
fn one_that_is_rewritten_after_the_measurement_is_judged_as_it_was_stated() {
    let repository = expecting("change.cycles < -10");
    let page = repository.step(2, "slower", 140_000.0);
    assert!(page.contains("### step\n\n**REFUTED**. Expected, but not found: change.cycles < -10.\n"), "{page}");
    let rewrite = |from: &str, to: &str| {
        let config = repository.0.read("audit.toml");
        assert!(config.contains(from), "{config}");
        fs::write(repository.0.path("audit.toml"), config.replace(from, to)).unwrap();
    };
    let late = "Stated after the measurement: the audited commit does not have it.";
    rewrite(
        "name = \"step\"\nafter = [\"change.cycles < -10\"]",
        "name = \"I knew\"\nafter = [\"change.cycles > 20\"]",
    );
    for is_first in [true, false] {
        repository.on(3, &["generate"]).done();
        let page = repository.0.read("audits/2026-01-02-scale.md");
        assert!(page.contains("### step\n\n**REFUTED**"), "{page}");
        let knew = page.split_once("### I knew\n\n").expect(&page).1;
        assert!(knew.starts_with("**CONFIRMED**") && knew.lines().next().unwrap().ends_with(late), "{page}");
        assert!(page.contains("CONFIRMED: I knew (stated after the measurement)"), "{page}");
        // A commit of it changes nothing, nor does an audit whose page is gone.
        repository.commit("I knew");
        if is_first {
            fs::remove_file(repository.0.path("audits/2026-01-02-scale.json")).unwrap();
            let commit = repository.git(&["rev-list", "-1", "--grep=^slower", "HEAD"]);
            rewrite("[[subject]]\n", &format!("[[subject]]\ncommit = \"{}\"\n", commit.trim()));
            fs::remove_file(repository.0.path("audits/2026-01-02-scale.md")).unwrap();
            repository.on(2, &["generate"]).done();
        }
    }
    // Taken out of audit.toml, both stay.
    rewrite("[[subject.hypothesis]]\nname = \"I knew\"\nafter = [\"change.cycles > 20\"]", "");
    repository.on(4, &["generate"]).done();
    let ledger = repository.on(4, &["history", "scale"]).done();
    let rows: Vec<&str> = ledger.split_once("Hypotheses:").unwrap().1.lines().collect();
    assert!(rows.iter().any(|row| row.contains("| step ") && row.contains("REFUTED")), "{ledger}");
    assert!(rows.iter().any(|row| row.contains("I knew (stated after the measurement)")), "{ledger}");
}

#[test]
fn one_that_nobody_could_decide_stays_in_the_ledger() {
    let repository = expecting("change.cycles < -10");
    // A single launch decides nothing.
    let one = Profile { launches: vec![(99_000.0, 178_200.0)], ..Profile::default() };
    repository.profile(one);
    repository.on(2, &["generate"]).done();
    let ledger = repository.on(4, &["history", "scale"]).done();
    let row = ledger.split_once("Hypotheses:").expect(&ledger).1;
    assert!(row.contains("| 2026-01-02 ") && row.contains("NOT MEASURED"), "{ledger}");
    assert!(!row.contains("2026-01-01"), "the first audit had nothing to compare with\n{ledger}");
}

#[test]
fn words_beside_the_lessons_are_carried_and_the_lessons_are_those_of_the_page() {
    let repository = expecting("change.cycles < -10");
    let lesson = |day: u32, percent: &str| {
        format!("- 2026-01-0{day}, missed: step. Found: cycles +{percent} % (stated < −10.0 %).\n")
    };
    let page = repository.step(2, "slower", 130_000.0);
    assert!(page.contains(&format!("## Conclusions\n{}", lesson(2, "30.0"))), "{page}");
    let written = page.replace(&lesson(2, "30.0"), &format!("{}\nBanks.\n", lesson(2, "30.0")));
    fs::write(repository.0.path("audits/2026-01-02-scale.md"), written).unwrap();
    let lessons = format!("## Conclusions\n{}{}", lesson(2, "30.0"), lesson(3, "40.0"));
    for (day, ns) in [(3, 140_000.0), (4, 140_000.5)] {
        let page = repository.step(day, "slower", ns);
        assert!(page.contains(&lessons), "{page}");
        assert!(page.contains("*From 2026-01-02.*\n\n\nBanks.\n<!-- audit:human end -->"), "{page}");
        assert_eq!(page.matches("*From").count(), 1, "{page}");
    }
}

#[test]
fn where_git_cannot_tell_the_page_says_so() {
    let project = Project::new();
    with(&project, LEANER);
    project.audit("2026-01-01", Profile::steady(100_000.0));
    let page = project.audit("2026-01-02", leaner(80_000.0));
    assert!(page.contains("The change: the index is recomputed. When it was stated is not known."), "{page}");
}
