//! The program as a user runs it: what it writes, what it prints, and its exit status.

use kernel_audit::snapshot::Snapshot;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A command that runs `audit` in `folder`, in an environment that does not depend on the machine.
fn audit(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_audit"));
    command.current_dir(folder).env_remove("SOURCE_DATE_EPOCH").env_remove("COLUMNS").env("NO_COLOR", "1");
    command
}

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/h200/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn run(folder: &Path, words: &[&str]) -> Output {
    audit(folder).args(words).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn done(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    stdout(output)
}

/// Runs and expects a failure: its exit status, and what the error stream says.
fn fails(folder: &Path, words: &[&str]) -> (i32, String) {
    let output = run(folder, words);
    (output.status.code().unwrap(), stderr(&output))
}

/// A folder with the two GEMM reports, the build log, and a configuration file that names them.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["gemm_bias_v1.ncu-repz", "gemm_bias_v2.ncu-repz", "devset.ptxas.txt"] {
        fs::copy(fixture(name), folder.path().join(name)).unwrap();
    }
    fs::write(
        folder.path().join("audit.toml"),
        r#"
[audit]
out = "pages"

[[subject]]
name = "gemm_bias"
title = "GEMM with bias"
kernel = "^gemm_bias"
report = "gemm_bias_v2.ncu-repz"
baseline = "gemm_bias_v1.ncu-repz"
ptxas = "devset.ptxas.txt"
commit = "0123abc"
change = "tiled through shared memory"
[subject.work]
shape = "M=2048 N=1024 K=1024"
types = "FP32"
flop = "2*2048*1024*1024"

[[subject]]
name = "alone"
report = "gemm_bias_v1.ncu-repz"
commit = "0123abc"
"#,
    )
    .unwrap();
    folder
}

/// The command at the end of a page that makes it again, as words.
fn command_of(page: &str) -> Vec<String> {
    let line = page.lines().find(|line| line.trim_start_matches("- `").starts_with("audit generate "));
    let line = line.expect("the page says how it was made").trim_matches(['-', ' ', '`']);
    let words = Command::new("sh").args(["-c", &format!("printf '%s\\n' {line}")]).output().unwrap();
    String::from_utf8(words.stdout).unwrap().lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_configuration_file_makes_a_page_and_a_snapshot_for_each_subject() {
    let folder = project();
    let printed = done(&run(folder.path(), &["generate", "--date", "2026-11-20"]));
    let expected =
        ["gemm_bias.md", "gemm_bias.json", "gemm_bias/over-time.svg", "alone.md", "alone.json", "alone/over-time.svg"];
    let expected =
        expected.map(|name| format!("pages/2026-11-20-{name}")).into_iter().chain(["pages/README.md".to_owned()]);
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let page = fs::read_to_string(folder.path().join("pages/2026-11-20-gemm_bias.md")).unwrap();
    for text in ["GEMM with bias", "`0123abc`", "tiled through shared memory", "M=2048 N=1024 K=1024", "FP32"] {
        assert!(page.contains(text), "{text}");
    }
    assert!(page.contains("\n- `audit generate gemm_bias --date 2026-11-20`\n"));
    let file = folder.path().join("pages/2026-11-20-gemm_bias.json");
    assert!(fs::read_to_string(&file).unwrap().starts_with("{\"schema\":\"kernel-audit/audit/1\",\"sha256\":\""));
    let data = Snapshot::read(&file).unwrap();
    assert_eq!((data.heading.subject.as_str(), data.heading.date.as_str()), ("gemm_bias", "2026-11-20"));
    assert_eq!(data.evidence.new.work.flop, Some(4_294_967_296));
    assert_eq!(data.audit().now.artefact.kernel.short_name(), "gemm_bias_v2");
    assert_eq!(data.audit().before.unwrap().artefact.kernel.short_name(), "gemm_bias_v1");
}

#[test]
fn the_command_on_a_page_makes_the_same_page_again() {
    let folder = project();
    let flags = "generate --report gemm_bias_v2.ncu-repz --baseline gemm_bias_v1.ncu-repz --ptxas devset.ptxas.txt \
                 --kernel ^gemm --baseline-kernel v1$ --name odd --title it's --change a|b --work-shape 1x2 \
                 --work-types FP32 --work-flop 2*3 --work-bytes 4*(1+2) --date 2026-01-02 --commit abc --out first";
    for words in [flags, "generate gemm_bias --date 2026-01-02 --out first", "generate alone --title x --out first"] {
        let words: Vec<&str> = words.split_whitespace().collect();
        let printed = done(&run(folder.path(), &words));
        let page = printed.lines().next().unwrap();
        let first = fs::read_to_string(folder.path().join(page)).unwrap();
        let mut again = command_of(&first);
        again.extend(["--out".to_owned(), "second".to_owned()]);
        let again = done(&audit(folder.path()).args(&again).output().unwrap());
        for (first, second) in printed.lines().zip(again.lines()) {
            assert_eq!(second, first.replacen("first", "second", 1));
            let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
            assert!(read(first) == read(second), "{first} and {second} differ");
        }
    }
}

#[test]
fn flags_alone_need_no_file_and_name_the_subject_after_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let report = fixture("gemm_bias_v2.ncu-repz");
    let printed = done(&run(folder.path(), &["generate", "--report", &report, "--date", "2026-11-20"]));
    assert!(printed.starts_with("audits/2026-11-20-gemm_bias_v2.md\naudits/2026-11-20-gemm_bias_v2.json\n"));
}

#[test]
fn the_date_comes_from_the_flag_then_from_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let report = fixture("gemm_bias_v2.ncu-repz");
    let with_epoch = |epoch: &str, words: &[&str]| {
        let words = [&["generate", "--report", &report], words].concat();
        audit(folder.path()).env("SOURCE_DATE_EPOCH", epoch).args(words).output().unwrap()
    };
    assert!(done(&with_epoch("1000000000", &[])).starts_with("audits/2001-09-09-"));
    let stated = done(&with_epoch("1000000000", &["--date", "2026-11-20", "--name", "other"]));
    assert!(stated.starts_with("audits/2026-11-20-"), "{stated}");
    let wrong = with_epoch("yesterday", &[]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("SOURCE_DATE_EPOCH is \"yesterday\""), "{}", stderr(&wrong));
}

#[test]
fn the_commit_comes_from_the_working_tree() {
    let folder = project();
    let git = |words: &[&str]| {
        let name = ["-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(name).args(words).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let config = folder.path().join("audit.toml");
    fs::write(&config, fs::read_to_string(&config).unwrap().replace("commit = \"0123abc\"\n", "")).unwrap();
    let commit = || {
        let _ = fs::remove_dir_all(folder.path().join("pages"));
        let printed = done(&run(folder.path(), &["generate", "alone", "--date", "2026-11-20"]));
        Snapshot::read(&folder.path().join(printed.lines().nth(1).unwrap())).unwrap().heading.commit
    };
    git(&["init", "-q"]);
    assert_eq!(commit(), "", "before the first commit");
    git(&["add", "audit.toml"]);
    git(&["commit", "-q", "-m", "first"]);
    let head = git(&["rev-parse", "--short=12", "HEAD"]);
    assert_eq!(commit(), head);
    // What is stated makes no other version of the kernels.
    fs::write(&config, fs::read_to_string(&config).unwrap() + "\n").unwrap();
    assert_eq!(commit(), head);
    let source = folder.path().join("kernel.cu");
    fs::write(&source, "// one\n").unwrap();
    git(&["add", "kernel.cu"]);
    git(&["commit", "-q", "-m", "second"]);
    let head = git(&["rev-parse", "--short=12", "HEAD"]);
    fs::write(&source, "// two\n").unwrap();
    assert_eq!(commit(), format!("{head}-dirty"));
}

#[test]
fn wrong_usage_exits_with_2_and_says_how_to_go_on() {
    let folder = project();
    for (words, says) in [
        (&["generate", "gemm_bais"][..], "did you mean \"gemm_bias\"?"),
        (&["generate", "--kernel", "gemm("], "unclosed group"),
        (&["generate", "--work-flop", "2*M"], "expected a whole number or `(`, found `M`"),
        (&["generate", "--date", "20.11.2026"], "--date"),
        (&["generate", "--title", "x"], "audit generate gemm_bias"),
        (&["generate", "gemm_bias", "--kernel", "^scan"], "gemm_bias_v2"),
        (&["generate", "--template", "short"], "known: audit"),
        (&["explain", "smsp__cycles_activ.avg"], "smsp__cycles_active.avg"),
        (&["show"], "FILE"),
        (&["frobnicate"], "frobnicate"),
        (&[], "Usage"),
    ] {
        let (status, text) = fails(folder.path(), words);
        assert_eq!(status, 2, "{words:?}: {text}");
        assert!(text.contains(says), "{words:?}: {text}");
    }
}

#[test]
fn files_that_cannot_be_read_or_written_exit_with_3() {
    let folder = project();
    fs::write(folder.path().join("blocked"), "a file").unwrap();
    let truncated = fixture("truncated.ncu-repz");
    for (words, says) in [
        (&["generate", "--report", "none.ncu-rep"][..], "none.ncu-rep"),
        (&["generate", "--report", &truncated], "truncated.ncu-repz"),
        (&["generate", "--config", "none.toml"], "none.toml"),
        (&["generate", "alone", "--ptxas", "audit.toml"], "audit.toml"),
        (&["generate", "alone", "--out", "blocked"], "help: "),
        (&["show", "audit.toml"], "audit.toml"),
        (&["dump", "evidence", "none.ncu-rep"], "none.ncu-rep"),
    ] {
        let (status, text) = fails(folder.path(), words);
        assert_eq!(status, 3, "{words:?}: {text}");
        assert!(text.starts_with("error: ") && text.contains(says), "{words:?}: {text}");
    }
    fs::remove_file(folder.path().join("gemm_bias_v1.ncu-repz")).unwrap();
    let (status, text) = fails(folder.path(), &["generate"]);
    assert_eq!(status, 3);
    assert!(text.contains("--> audit.toml:10:12") && text.contains("gemm_bias_v1.ncu-repz does not exist"), "{text}");
}

#[test]
fn dump_cfg_prints_a_graph_for_each_function() {
    let folder = project();
    let listing = format!("{}/tests/fixtures/sass/tiny.sass", env!("CARGO_MANIFEST_DIR"));
    let text = done(&run(folder.path(), &["dump", "cfg", &listing]));
    assert!(text.starts_with("digraph \"tiny\" {\n") && text.ends_with("}\n"), "{text}");
    assert!(text.contains("[label=\"0x0140–0x01c0\\l9 instructions\\lloop at 0x0140, depth 0\"]"), "{text}");
    let (status, said) = fails(folder.path(), &["dump", "cfg", &listing, "--kernel", "^none$"]);
    assert!(status == 2 && said.contains("it holds: tiny"), "{status}: {said}");
    let (status, said) = fails(folder.path(), &["dump", "cfg", "audit.toml"]);
    assert!(status == 3 && said.contains("holds no instructions"), "{status}: {said}");
}

#[test]
fn a_rejected_page_exits_with_5_and_writes_nothing() {
    let folder = project();
    fs::create_dir(folder.path().join("mine")).unwrap();
    let template = "{{#each sections}}\nx {{section id}}\n{{/each}}\n";
    fs::write(folder.path().join("mine/audit.md.hbs"), template).unwrap();
    let (status, text) = fails(folder.path(), &["generate", "alone", "--templates", "mine"]);
    assert_eq!(status, 5, "{text}");
    assert!(text.contains("the page was rejected: "), "{text}");
    assert!(!folder.path().join("pages").exists());
}

#[test]
fn show_prints_reports_and_build_logs_without_colour_into_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let (report, log) = (fixture("both_basic.ncu-repz"), fixture("devset.ptxas.txt"));
    let output = audit(folder.path()).env_remove("NO_COLOR").args(["show", &report, &log]).output().unwrap();
    let text = done(&output);
    assert!(text.contains("gemm_bias_v1") && text.contains("gemm_bias_v2") && text.contains("Registers"), "{text}");
    assert!(!text.contains('\x1b'));
    let narrow = done(&run(folder.path(), &["show", "--kernel", "v2", &report]));
    assert!(narrow.contains("gemm_bias_v2 · H200") && !narrow.contains("gemm_bias_v1 · H200"), "{narrow}");
}

#[test]
fn dump_evidence_prints_json_with_and_without_instances() {
    let folder = tempfile::tempdir().unwrap();
    let report = fixture("both_basic.ncu-repz");
    let parse =
        |words: &[&str]| -> serde_json::Value { serde_json::from_str(&done(&run(folder.path(), words))).unwrap() };
    let short = parse(&["dump", "evidence", &report]);
    let long = parse(&["dump", "evidence", "--instances", &report]);
    assert_eq!(short["schema"], "kernel-audit/evidence/2");
    assert_eq!(short["launches"].as_array().unwrap().len(), 2);
    assert!(!short.to_string().contains("\"instances\""));
    assert!(long.to_string().contains("\"instances\""));
}

#[test]
fn explain_knows_the_names_of_the_field() {
    let folder = tempfile::tempdir().unwrap();
    for (name, says) in [("long_scoreboard", "stall"), ("sm_90", "chip"), ("LDG", "opcode")] {
        let text = done(&run(folder.path(), &["explain", name]));
        assert!(text.contains(says), "{name}: {text}");
    }
    let lists = [("readings", "stall-rank.REASON"), ("thresholds", "sol-high"), ("findings", "fence-chain")];
    for (list, holds) in lists {
        assert!(done(&run(folder.path(), &["explain", list])).contains(holds), "{list}");
    }
    // A chip by any name that people give it.
    let cycles = "smsp__cycles_active.avg";
    for chip in ["GH100", "sm_90a", "H200"] {
        let said = done(&run(folder.path(), &["explain", cycles, "--chip", chip]));
        assert_eq!(said, format!("{cycles} is a metric of GH100\n"));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let report = fixture("gemm_bias_v2.ncu-repz");
    let mut child = audit(folder.path())
        .args(["dump", "evidence", "--instances", &report])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 16];
    let mut pipe = child.stdout.take().unwrap();
    pipe.read_exact(&mut start).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn help_lists_the_exit_statuses() {
    let text = done(&run(&PathBuf::from("."), &["--help"]));
    for status in 0..=6 {
        assert!(text.contains(&format!("\n  {status}  ")), "{text}");
    }
}

#[test]
fn a_threshold_of_the_command_line_moves_a_level_and_stays_in_the_pages_command() {
    let folder = tempfile::tempdir().unwrap();
    let report = format!("{}/tests/fixtures/labelled/misaligned_copy.ncu-repz", env!("CARGO_MANIFEST_DIR"));
    let words =
        ["generate", "--report", &report, "--name", "copy", "--date", "2026-01-02", "--threshold", "sol-high=50"];
    done(&run(folder.path(), &words));
    let page = fs::read_to_string(folder.path().join("audits/2026-01-02-copy.md")).unwrap();
    // DRAM is at 52.9 %, and L2 at 64.7 % carries its stream: high by themselves.
    assert!(page.contains("**Saturated**: L2, DRAM."), "{page}");
    assert!(page.contains("--threshold sol-high=50"));
    let (status, text) = fails(folder.path(), &["generate", "--report", &report, "--threshold", "sol-lwo=50"]);
    assert_eq!(status, 2);
    assert!(text.contains("did you mean \"sol-low\"?"), "{text}");
}

#[test]
fn the_analysis_of_every_kernel_of_a_report_is_data() {
    let folder = tempfile::tempdir().unwrap();
    let text = done(&run(folder.path(), &["dump", "analysis", &fixture("both_basic.ncu-repz")]));
    let dump: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(dump["schema"], "kernel-audit/analysis/4");
    let launches = dump["launches"].as_array().unwrap();
    let names: Vec<&str> = launches.iter().map(|launch| launch["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["gemm_bias_v1", "gemm_bias_v2"]);
    for launch in launches {
        assert!(launch["id"].is_u64() && launch["verdict"]["at"].is_null());
        assert_eq!(launch["findings"][0]["severity"], "limits");
        let readings = launch["verdict"]["readings"].as_array().unwrap();
        assert!(!readings.is_empty() && readings.iter().all(|one| one["value"].as_f64() > Some(0.0)), "{readings:?}");
        let metrics: Vec<&str> = readings.iter().map(|one| one["metric"].as_str().unwrap()).collect();
        assert!(metrics.windows(2).all(|pair| pair[0] < pair[1]), "{metrics:?}");
        let lever = &launch["levers"][0];
        assert!(["code", "bound", "formula", "remeasure"].iter().all(|key| !lever[key].is_null()), "{lever}");
    }
    let one = done(&run(folder.path(), &["dump", "analysis", &fixture("both_basic.ncu-repz"), "--kernel", "v2$"]));
    let one: serde_json::Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one["launches"].as_array().unwrap().len(), 1);
    let (status, _) =
        fails(folder.path(), &["dump", "analysis", &fixture("both_basic.ncu-repz"), "--kernel", "nothing"]);
    assert_eq!(status, 2);
}

#[test]
fn checklists_of_the_command_line_stand_on_the_page_and_in_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let report = format!("{}/tests/fixtures/collected/patch_embed_gemm/profile.ncu-repz", env!("CARGO_MANIFEST_DIR"));
    // Of a path from the root the page keeps the file's name.
    fs::copy(report, folder.path().join("new.ncu-repz")).unwrap();
    let words = [
        "generate",
        "--report",
        "new.ncu-repz",
        "--name",
        "gemm",
        "--date",
        "2026-01-02",
        "--check",
        "tensor-gemm",
        "--expect",
        "stall.barrier<25 Few bubbles",
        "--tiles",
        "7252*3,16,8",
        "--template",
        "full",
    ];
    done(&run(folder.path(), &words));
    let page = fs::read_to_string(folder.path().join("audits/2026-01-02-gemm.md")).unwrap();
    assert!(page.contains("## Evidence checklist") && page.contains("Few bubbles"), "{page}");
    assert!(page.contains("= 2,784,768, as many as STG instructions were executed."), "{page}");
    let mut again = command_of(&page);
    again.extend(["--out".to_owned(), "again".to_owned()]);
    let again: Vec<&str> = again.iter().map(String::as_str).collect();
    done(&run(folder.path(), &again));
    assert_eq!(fs::read_to_string(folder.path().join("again/2026-01-02-gemm.md")).unwrap(), page);
}

#[test]
fn the_deliverable_of_several_subjects_is_one_document() {
    let folder = tempfile::tempdir().unwrap();
    let subject =
        |name: &str, report: &str| format!("[[subject]]\nname = \"{name}\"\nreport = \"{}\"\n", fixture(report));
    let text = subject("old", "gemm_bias_v1.ncu-repz") + &subject("new", "gemm_bias_v2.ncu-repz");
    fs::write(folder.path().join("audit.toml"), text).unwrap();
    let words = ["generate", "old", "new", "--date", "2026-01-02", "--template", "deliverable"];
    done(&run(folder.path(), &words));
    let pages: Vec<_> =
        fs::read_dir(folder.path().join("audits")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(pages, ["2026-01-02-deliverable.md"]);
    let page = fs::read_to_string(folder.path().join("audits/2026-01-02-deliverable.md")).unwrap();
    for kernel in ["gemm_bias_v1", "gemm_bias_v2"] {
        assert_eq!(page.lines().filter(|line| line.starts_with(&format!("| `{kernel}`"))).count(), 4, "{page}");
        assert!(page.contains(&format!("{kernel}.ncu-repz")), "its report is named\n{page}");
    }
    assert!(page.contains("audit generate old new"), "{page}");
}

#[test]
fn the_deliverable_has_one_line_for_each_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let report = fixture("both_basic.ncu-repz");
    let words =
        ["generate", "--report", &report, "--name", "both", "--date", "2026-01-02", "--template", "deliverable"];
    done(&run(folder.path(), &words));
    let page = fs::read_to_string(folder.path().join("audits/2026-01-02-both.md")).unwrap();
    for kernel in ["gemm_bias_v1", "gemm_bias_v2"] {
        let lines = page.lines().filter(|line| line.starts_with(&format!("| `{kernel}`"))).count();
        assert_eq!(lines, 2, "speed of light, launch\n{page}");
    }
    // The basic set has no opcodes: no table of cells without numbers, and what would fill it.
    assert!(!page.contains("NOT MEASURED") && page.contains("`sass__inst_executed_per_opcode`"), "{page}");
    assert!(page.contains("| L1/TEX cache ") && !page.contains("`memory-l1tex`"), "verdicts are words\n{page}");
    assert!(page.contains("--template deliverable"), "{page}");
    assert!(page.contains("| Registers |") && !page.contains("registers/thread"), "heads say the unit\n{page}");
    // Its snapshot has one kernel: no page of one takes the place of that of all.
    for words in [
        &["render", "audits/2026-01-02-both.json"][..],
        &["render", "--template", "deliverable", "audits/2026-01-02-both.json"],
    ] {
        let output = run(folder.path(), words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("the snapshot of both keeps one"), "{said}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("audits/2026-01-02-both.md")).unwrap(), page);
    done(&run(folder.path(), &["render", "--template", "audit", "--out", "other", "audits/2026-01-02-both.json"]));
}
