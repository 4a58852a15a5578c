//! The check of the outputs and the benchmark on the page: what `audit launch` wrote, read on a machine without a GPU.

use crate::project::{Profile, Project, Run, audit};
use kernel_audit::evidence::{
    BENCHMARK_SCHEMA, Benchmark, CORRECTNESS_SCHEMA, CheckRun, Clocks, Completed, Correctness, DeviceFacts, FlushedBy,
    FunctionFacts, GemmChoice, HeldOutputs, LaunchFacts, OutputCheck, TimedReference, TimingMethod, WorstElement,
};
use kernel_audit::{snapshot::Snapshot, view};
use std::fs;
use std::path::Path;

fn device() -> DeviceFacts {
    DeviceFacts { name: "NVIDIA H200".into(), compute_capability: "9.0".into(), ..DeviceFacts::default() }
}

fn launch() -> LaunchFacts {
    LaunchFacts {
        kernel: "_Z5scalePfi".into(),
        code_sha256: "ab".repeat(32),
        grid: [64, 1, 1],
        block: [128, 1, 1],
        cluster: None,
        dynamic_shared: 0,
        arguments: vec!["out: f32 [64, 32], out".into()],
        function: FunctionFacts::default(),
    }
}

fn output(norm: f64, passed: bool) -> OutputCheck {
    OutputCheck {
        name: "out".into(),
        dtype: "f32".into(),
        shape: vec![64, 32],
        elements: 2048,
        unwritten: 0,
        not_finite: 0,
        expected_not_finite: 0,
        different: 300,
        relative_norm: Some(norm),
        worst: Some(WorstElement { index: 70, got: "1.5".into(), expected: "1".into(), error: Some(norm * 5.0) }),
        expected_rms: Some(1.0),
        changed_between_runs: Some(0),
        passed,
    }
}

/// A check within 1e-3 whose second seed came out so.
fn check(second: OutputCheck) -> Correctness {
    Correctness {
        schema: CORRECTNESS_SCHEMA.into(),
        tool: "audit 0.1.0".into(),
        subject: "scale".into(),
        device: device(),
        launch: launch(),
        reference: "the kernel of reference/scale.cu".into(),
        tolerance: 1e-3,
        worst_tolerance: 1e-2,
        passed: second.passed,
        runs: vec![
            CheckRun { seed: 1, outputs: vec![output(2e-4, true)] },
            CheckRun { seed: 2, outputs: vec![second] },
        ],
    }
}

fn correct() -> Correctness {
    check(output(3e-4, true))
}

fn wrong() -> Correctness {
    check(output(0.25, false))
}

/// Forty times around some microseconds, beside a product that takes 80 µs.
fn benchmark(micros: f64) -> Benchmark {
    let around =
        |micros: f64| (0..40).map(|at| micros * (1.0 + 0.001 * f64::from((at * 7) % 11)) / 1e3).collect::<Vec<_>>();
    let clocks = Clocks {
        sm_mhz: Some(1980.0),
        memory_mhz: Some(3201.0),
        temperature_c: Some(45.0),
        power_w: None,
        throttle: "0x0000000000000004".into(),
    };
    Benchmark {
        schema: BENCHMARK_SCHEMA.into(),
        tool: "audit 0.1.0".into(),
        subject: "scale".into(),
        device: device(),
        launch: launch(),
        method: TimingMethod {
            warm_up: 10,
            flushed_bytes: 251_658_240,
            flushed_by: FlushedBy::Reads,
            seed: 1,
            other_seed: Some(2),
            held: Some(HeldOutputs { reference: "scale_simple".into(), unseen_ms: vec![0.081, 0.0795] }),
            ended_by: "stable".into(),
        },
        clocks_before: Some(clocks.clone()),
        clocks_after: Some(clocks),
        clocks_missing: String::new(),
        samples_ms: around(micros),
        empty_ms: vec![0.00125; 20],
        reference: Some(TimedReference {
            name: "cuBLASLt 13.0.2, E4M3 × E4M3 → BF16".into(),
            note: "adds no bias".into(),
            flop: Some(80_000_000),
            choice: Some(GemmChoice {
                position: 1,
                algorithm: "algorithm 66, tile 20, stages 3".into(),
                tried_ms: vec![Some(0.09), Some(0.08), None],
            }),
            samples_ms: around(80.0),
            completed: None,
        }),
        told: None,
    }
}

fn put(project: &Project, name: &str, value: &impl serde::Serialize) {
    fs::write(project.path(name), serde_json::to_vec_pretty(value).unwrap()).unwrap();
}

/// A project with a profile of one launch that takes some time.
fn project(ns: f64) -> Project {
    let project = Project::new();
    project.report("new.csv", &[Profile { launches: vec![(ns, ns * 1.8)], ..Profile::default() }]);
    project
}

fn page(project: &Project, words: &str, date: &str) -> String {
    project.run(&format!("generate scale --date {date} {words}")).done();
    project.read(&format!("pages/{date}-scale.md"))
}

fn has(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "expected {part:?} in\n{page}");
    }
}

#[test]
fn a_page_shows_check_and_benchmark_and_is_made_again_from_its_snapshot() {
    let project = project(100_000.0);
    put(&project, "c.json", &correct());
    let mut timed = benchmark(100.0);
    let completed = Completed { by: "add_position".into(), samples_ms: vec![0.201; 30] };
    timed.reference.as_mut().expect("a reference").completed = Some(completed);
    put(&project, "b.json", &timed);
    let page = page(&project, "--correctness c.json --benchmark b.json --work-flop 100000000", "2026-01-01");
    has(
        &page,
        &[
            "**Correct:** every element of every output, on inputs of seeds 1, 2, against the kernel of reference/scale.cu: \
             the relative norm of the difference is at most 3.00e-4 where 1.00e-3 is allowed, the error of one element at \
             most 1.50e-3 where 1.00e-2 is.",
            "out[2, 6\\]: 1.5 for 1",
            "**100.5 µs · 80 % of cuBLASLt**",
            " · 995 GFLOP/s as stated, with no peak to hold it against",
            "The kernel takes **1.250 ×** (between 1.2",
            "Not the same work: adds no bias.",
            "With `add_position` behind it, the product takes 201.00 µs: the kernel takes 0.500 × that.",
            "The library offered 3 algorithms, 2 of them ran, and the fastest was timed: number 2 in its own order \
             (algorithm 66, tile 20, stages 3). Their medians in its order, in µs: 90.00, 80.00.",
            "before each 251,658,240 bytes were read",
            "inputs of seed 1 and 2 in turn. After the last sample its outputs were those of scale_simple, and so were those of \
             launches on inputs that the kernel had not seen before, in 81.00 µs and 79.50 µs.",
            "power cap",
            "The launch is that of the check above",
            "kernel-audit/benchmark/1",
        ],
    );
    // 1e8 operations in 100.5 µs, and 8e7 of the reference in 80.4 µs.
    assert_eq!(page.matches("995.02 GFLOP/s").count(), 2, "{page}");
    assert!(!page.contains("WRONG") && !page.contains("beside a reference: **NOT MEASURED**"), "{page}");
    has(&page, &["--correctness c.json --benchmark b.json", "| benchmark "]);

    for name in ["c.json", "b.json", "new.csv", "pages/2026-01-01-scale.md"] {
        fs::remove_file(project.path(name)).unwrap();
    }
    project.run("render --template full pages/2026-01-01-scale.json").done();
    assert!(project.read("pages/2026-01-01-scale.md") == page);
    project.run("render pages/2026-01-01-scale.json").done();
    has(
        &project.read("pages/2026-01-01-scale.md"),
        &["; adds no bias; with `add_position` behind it 201.0 µs, 200 %)"],
    );
}

#[test]
fn nothing_is_said_to_be_right_that_nobody_checked() {
    let project = project(100_000.0);
    let page = page(&project, "", "2026-01-01");
    has(
        &page,
        &[
            "**NOT MEASURED:** No check of the kernel's outputs was given",
            "Time outside the profiler and beside a reference: **NOT MEASURED**.",
        ],
    );
    assert!(!page.contains("## Benchmark") && !page.contains("**Correct"), "{page}");
}

#[test]
fn a_wrong_kernel_gets_no_verdict_on_its_performance() {
    let project = project(100_000.0);
    page(&project, "", "2026-01-01");
    let config = project.read("audit.toml");
    let stated = "[[subject.hypothesis]]\nname = \"half the time\"\nafter = [\"launch__registers_per_thread <= 32\"]\n\
                  [[subject.hypothesis]]\nname = \"still right\"\nafter = [\"correctness.faults == 0\"]\n";
    fs::write(project.path("audit.toml"), format!("{config}{stated}")).unwrap();
    // Twice as fast, and wrong.
    project.report("new.csv", &[Profile { launches: vec![(50_000.0, 90_000.0)], ..Profile::default() }]);
    put(&project, "c.json", &wrong());
    put(&project, "b.json", &benchmark(50.0));
    let page = page(&project, "--correctness c.json --benchmark b.json", "2026-01-02");
    let why = "out on seed 2: the relative norm of the difference is 2.50e-1, at most 1.00e-3 is allowed; the worst is \
               out[2, 6], 1.5 where 1 was expected";
    has(
        &page,
        &[
            &format!("**WRONG:** {why}"),
            "**WRONG.** The results are wrong, so this page says nothing about performance",
            "### half the time\n\n**INCONCLUSIVE**. The kernel's results are wrong",
            "### still right\n\n**REFUTED**. Expected, but not found: correctness.faults == 0.",
            "**WRONG**",
        ],
    );
    for verdict in ["What limits it", "What next", "FASTER", "× the old speed", "The kernel takes", "cuBLASLt"] {
        assert!(!page.contains(verdict), "{verdict} in\n{page}");
    }
    project.run("check scale").ends(1, "FAIL scale: WRONG: the kernel's results are wrong: out on seed 2");
    project.run("check scale --accept --reason hurry").ends(2, "wrong results cannot be accepted");
    has(&project.run("history scale").done(), &["WRONG"]);
    let compared = project.run("compare pages/2026-01-01-scale.json pages/2026-01-02-scale.json").done();
    has(&compared, &["B against A: WRONG", "Its results are wrong"]);
    let comment = project.run("render pages/2026-01-02-scale.json --format pr").done();
    has(&comment, &["scale: WRONG", why]);
    assert!(!comment.contains("What limits it") && !comment.contains("FASTER"), "{comment}");
    let snapshot = Snapshot::read(&project.path("pages/2026-01-02-scale.json")).unwrap();
    assert_eq!((snapshot.milestone.levers.len(), snapshot.milestone.limiter), (0, None));
    let mut dumped = Vec::new();
    let mut conclusions = view::Conclusions::new(view::Detail::Whole, &mut dumped);
    conclusions.put(&snapshot.audit()).unwrap();
    conclusions.end().unwrap();
    let dumped: serde_json::Value = serde_json::from_slice(&dumped).unwrap();
    let shown: serde_json::Value =
        serde_json::from_str(&project.run("show --json pages/2026-01-02-scale.json").done()).unwrap();
    let (dumped, shown) = (&dumped["launches"][0], &shown["files"][0]["audit"]);
    for (one, concluded, limit) in [(dumped, dumped, "verdict"), (shown, &shown["now"], "bottleneck")] {
        assert_eq!((&one["standing"], concluded.get(limit)), (&"wrong".into(), Some(&serde_json::Value::Null)));
        assert_eq!((&concluded["levers"], &concluded["findings"]), (&serde_json::json!([]), &serde_json::json!([])));
    }

    // Nothing is compared with a wrong kernel, but with the last audit that passed.
    put(&project, "c.json", &correct());
    project.report("new.csv", &[Profile { launches: vec![(100_001.0, 180_000.0)], ..Profile::default() }]);
    let page = self::page(&project, "--correctness c.json --benchmark b.json", "2026-01-03");
    has(&page, &["the last audit that passed"]);
    assert!(!page.contains("The old side's results are wrong"), "{page}");
}

#[test]
fn a_check_whose_reference_is_no_number_is_no_check() {
    let project = project(100_000.0);
    put(&project, "c.json", &check(OutputCheck { expected_not_finite: 12, ..output(0.25, false) }));
    let page = page(&project, "--correctness c.json", "2026-01-01");
    has(&page, &["**NOT MEASURED:** out on seed 2: the reference is not finite in 12 elements."]);
    assert!(page.contains("**Not measured** (`not-measured`)"), "{page}");
}

#[test]
fn the_benchmark_decides_where_one_launch_in_the_profile_cannot() {
    let project = project(100_000.0);
    put(&project, "old.json", &benchmark(100.0));
    page(&project, "--benchmark old.json", "2026-01-01");
    project.report("new.csv", &[Profile { launches: vec![(97_000.0, 174_600.0)], ..Profile::default() }]);
    put(&project, "new.json", &benchmark(96.0));
    let both = page(&project, "--benchmark new.json", "2026-01-02");
    has(
        &both,
        &[
            "**In the time:** benchmark between −4.",
            "40 samples against 40; the profile alone is AMBIGUOUS.",
            "| Median of the benchmark",
            "Old kernel |",
        ],
    );
    project.run("check scale").ends(0, "PASS scale: FASTER: By the benchmark");
    // The profile alone does not decide, nor does a benchmark on one side.
    project.report("new.csv", &[Profile { launches: vec![(97_001.0, 174_600.0)], ..Profile::default() }]);
    let alone = page(&project, "--baseline pages/2026-01-01-scale.json", "2026-01-03");
    has(&alone, &["**AMBIGUOUS** against"]);
    // A slow-down that only the benchmark shows does not pass, beside the last audit that did.
    put(&project, "slow.json", &benchmark(108.0));
    project.report("new.csv", &[Profile { launches: vec![(97_002.0, 174_600.0)], ..Profile::default() }]);
    let slow = page(&project, "--benchmark slow.json --baseline pages/2026-01-01-scale.json", "2026-01-04");
    has(&slow, &["**SLOWER: ", "+8.0 % time** (benchmark)"]);
    project.run("check scale").ends(6, "INCONCLUSIVE scale: AMBIGUOUS: The profile says SAME and the benchmark SLOWER");
}

#[test]
fn two_snapshots_compare_as_they_are_checked() {
    let steady = |ns: f64| Profile { launches: vec![(ns, ns * 1.8); 5], ..Profile::default() };
    let cases = [
        ("work.flop = 1000\n", 96.0, "faster", "The benchmark agrees: −4.0 % in time"),
        ("work.flop = 1000\n", 108.0, "ambiguous", "The profile says FASTER and the benchmark SLOWER"),
        ("work.flop = 2000\n", 96.0, "not-comparable", "Stated work"),
        ("[thresholds]\nunchanged = 15.0\nregression = 30.0\n", 96.0, "same", "The benchmark agrees"),
    ];
    for (stated, micros, verdict, why) in cases {
        let project = Project::new();
        let config = project.read("audit.toml");
        fs::write(project.path("audit.toml"), format!("{config}work.flop = 1000\n")).unwrap();
        project.report("new.csv", &[steady(100_000.0)]);
        put(&project, "b.json", &benchmark(100.0));
        page(&project, "--benchmark b.json", "2026-01-01");
        project.report("new.csv", &[steady(90_000.0)]);
        put(&project, "b.json", &benchmark(micros));
        fs::write(project.path("audit.toml"), format!("{config}{stated}")).unwrap();
        page(&project, "--benchmark b.json", "2026-01-02");
        let checked = Snapshot::read(&project.path("pages/2026-01-02-scale.json")).unwrap().audit();
        let compared = project.run("compare pages/2026-01-01-scale.json pages/2026-01-02-scale.json --json").done();
        let compared: serde_json::Value = serde_json::from_str(&compared).unwrap();
        let whole = &compared["joined"][0]["against"][0]["comparison"]["whole"];
        assert_eq!(whole["verdict"], verdict, "{stated}{whole:#}");
        let said = view::Reason::of(&checked).unwrap().why();
        assert_eq!(whole["reason"], said.as_str());
        assert!(said.contains(why), "{stated}{said}");
    }
}

#[test]
fn the_reference_shows_its_own_counters() {
    let project = project(100_000.0);
    put(&project, "b.json", &benchmark(100.0));
    let profile = |kernel, ns: f64, registers| Profile {
        kernel,
        grid: "(132, 1, 1)",
        registers,
        launches: vec![(ns, 2.0 * ns)],
        ..Profile::default()
    };
    project.report("reference.csv", &[profile("splitKreduce", 2_000.0, 20), profile("nvjet_qqtst", 81_000.0, 168)]);
    let page = page(&project, "--benchmark b.json --reference reference.csv", "2026-01-01");
    has(
        &page,
        &[
            "The reference under ncu is `nvjet_qqtst`, grid (132, 1, 1), block (128, 1, 1). Its report holds 1 more kernel with",
            "81.00 µs",
            "report of the reference",
        ],
    );
    let row = page.lines().find(|line| line.contains("`launch__registers_per_thread`") && line.contains("168"));
    assert!(row.is_some_and(|row| row.contains("32")), "{page}");
    let under = page.lines().find(|line| line.starts_with("| Duration under ncu")).unwrap();
    assert!(under.contains("100.00 µs") && under.contains("81.00 µs"), "{under}");
}

#[test]
fn damaged_files_are_refused_with_place_and_cure() {
    let project = project(100_000.0);
    put(&project, "c.json", &correct());
    put(&project, "b.json", &benchmark(100.0));
    let refused = |flag: &str, text: &str, status: i32, says: &[&str]| {
        fs::write(project.path("x.json"), text).unwrap();
        let run = project.run(&format!("generate scale --date 2026-01-01 {flag} x.json"));
        assert_eq!(run.status(), status, "{}", run.err());
        has(&run.err(), says);
        assert!(!project.path("pages/2026-01-01-scale.md").exists());
    };
    let check = project.read("c.json");
    let half = &check[..check.len() / 2];
    let line = format!("line {}", half.lines().count());
    refused("--correctness", half, 3, &["x.json", &line, "audit launch SUBJECT --check --json-to FILE"]);
    refused("--correctness", &check.replace("correctness/1", "correctness/7"), 3, &["kernel-audit/correctness/7"]);
    refused("--correctness", &check.replace("\"tolerance\"", "\"tolerances\""), 3, &["missing field `tolerance`"]);
    refused("--benchmark", &check, 3, &["expected kernel-audit/benchmark/1"]);
    let says = ["passed", "expected true, as its outputs say", "found false"];
    refused("--correctness", &check.replace("],\n  \"passed\": true", "],\n  \"passed\": false"), 3, &says);
    let times = project.read("b.json");
    refused(
        "--benchmark",
        &times.replacen("0.1,", "0.0,", 1),
        3,
        &["samples_ms", "expected times above 0 ms", "found 0"],
    );
    let other = check.replace("_Z5scalePfi", "_Z4gemmPfi");
    refused("--correctness", &other, 2, &["the check of outputs is of the kernel _Z4gemmPfi, and the page of scale"]);
    project.run("generate scale --date 2026-01-01 --benchmark none.json").ends(3, "none.json");
}

#[test]
fn keys_of_the_subject_name_the_files() {
    let project = project(100_000.0);
    put(&project, "c.json", &correct());
    put(&project, "b.json", &benchmark(100.0));
    let config = project.read("audit.toml");
    let keys = "correctness_file = \"c.json\"\nbenchmark_file = \"b.json\"\nreference_report = \"new.csv\"\n";
    fs::write(project.path("audit.toml"), format!("{config}{keys}")).unwrap();
    let page = page(&project, "", "2026-01-01");
    has(&page, &["**Correct:**", "## Benchmark", "audit generate scale --date 2026-01-01"]);
    fs::remove_file(project.path("b.json")).unwrap();
    let lost = project.run("generate scale --date 2026-01-01");
    assert_eq!(lost.status(), 3);
    has(&lost.err(), &["benchmark_file = \"b.json\"", "b.json does not exist"]);
}

#[test]
fn an_evidence_folder_is_looked_through_and_a_step_that_failed_says_why() {
    let project = project(100_000.0);
    let folder = project.path("found");
    fs::create_dir(&folder).unwrap();
    fs::rename(project.path("new.csv"), folder.join("profile.csv")).unwrap();
    let config = "[audit]\nout = \"pages\"\ntemplate = \"full\"\n[[subject]]\nname = \"scale\"\nevidence = \"found\"\ncommit = \"c1\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    let step = |name: &str, file: &str, outcome: &str, why: &str| {
        let hash = fs::read(folder.join(file)).map(|bytes| blake3::hash(&bytes).to_hex().to_string());
        serde_json::json!({
            "step": name, "file": file, "outcome": outcome, "why": why, "command": name, "tool": "audit", "status": "",
            "seconds": 1.0, "key": "", "blake3": hash.unwrap_or_default(), "bytes": 1, "ended": "2026-01-01T00:00:00Z",
        })
    };
    let manifest = |steps: Vec<serde_json::Value>| {
        let value = serde_json::json!({
            "schema": "kernel-audit/collected/1", "subject": "scale", "program": "0.1.0", "steps": steps,
        });
        fs::write(folder.join("collected.json"), value.to_string()).unwrap();
    };
    let profile = || step("profile", "profile.csv", "made", "");
    manifest(vec![step("benchmark", "benchmark.json", "failed", "the device was taken away"), profile()]);
    put(&project, "found/correctness.json", &correct());
    let page = page(&project, "", "2026-01-01");
    has(&page, &["**Correct:**", "beside a reference: **NOT MEASURED**. the device was taken away."]);

    put(&project, "found/c.json", &wrong());
    put(&project, "found/b.json", &benchmark(100.0));
    manifest(vec![step("correctness", "c.json", "made", ""), step("benchmark", "b.json", "made", ""), profile()]);
    let page = self::page(&project, "--force", "2026-01-01");
    has(&page, &["**WRONG:** out on seed 2", "## Benchmark"]);
}

#[test]
fn what_was_written_on_an_h200_comes_out_on_any_machine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = tempfile::tempdir().unwrap();
    let words = "generate --name bank_conflict --report tests/fixtures/labelled/bank_conflict.ncu-repz --date 2026-11-21 \
                 --work-flop 270336*512 --no-charts --template full --correctness tests/fixtures/launched/bank_conflict.correctness.json \
                 --benchmark tests/fixtures/launched/bank_conflict.benchmark.json --out";
    let run = audit(root).args(words.split_whitespace()).arg(out.path()).output().unwrap();
    Run(run).done();
    let page = crate::project::loose(&fs::read_to_string(out.path().join("2026-11-21-bank_conflict.md")).unwrap());
    let from = page.find("## Correctness").unwrap();
    let until = page.find("## How the verdict was reached").unwrap();
    insta::assert_snapshot!(
        page[from..until].lines().filter(|line| !line.starts_with("<!--")).collect::<Vec<_>>().join("\n")
    );
}
