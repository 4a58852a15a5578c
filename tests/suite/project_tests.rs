//! The project's own tests as the check of a kernel's results, a JUnit file or a command that `audit collect` runs; and times that
//! another tool took.

use crate::project::{Profile, Project, audit};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// What pytest wrote for six tests: three passed, one was skipped, one failed, one broke off.
const PYTEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/python/pytest.junit.xml");

fn project(keys: &str) -> Project {
    let project = Project::new();
    project.report("new.csv", &[Profile { launches: vec![(100_000.0, 180_000.0)], ..Profile::default() }]);
    fs::copy(PYTEST, project.path("results.xml")).unwrap();
    let config =
        "[audit]\nout = \"pages\"\n[[subject]]\nname = \"scale\"\nreport = \"new.csv\"\ncommit = \"0123456789ab\"\n";
    fs::write(project.path("audit.toml"), format!("{config}[subject.correctness]\n{keys}\n")).unwrap();
    project
}

fn page(project: &Project, words: &str) -> String {
    project.run(&format!("generate scale --date 2026-01-01 {words}")).done();
    project.read("pages/2026-01-01-scale.md")
}

#[test]
fn tests_that_passed_make_a_kernel_correct_at_their_commit() {
    let project = project("junit = \"results.xml\"\ntests = 'test_matmul\\['");
    let text = page(&project, "");
    assert!(text.contains("Correct: 2 tests of pytest passed at commit `01234567`\\"), "{text}");
    assert!(text.contains("tests `results.xml`"), "{text}");
    let full = page(&project, "--template full --force");
    assert!(full.contains("**Correct:** 2 tests of pytest passed."), "{full}");
    assert!(full.contains("those that match `test_matmul\\[`: 2 tests of pytest passed at commit"), "{full}");
    // The snapshot holds them.
    project.run("render pages/2026-01-01-scale.json --force").done();
    assert!(page(&project, "--force").contains("2 tests of pytest passed"));
    let config = project.read("audit.toml");
    fs::write(project.path("audit.toml"), config.replace("0123456789ab", "fedcba987654")).unwrap();
    let text = page(&project, "--force");
    assert!(text.contains("passed at commit `01234567`, **not this page's**"), "{text}");
}

#[test]
fn a_test_that_fails_makes_it_wrong_and_one_that_broke_off_leaves_it_open() {
    let failing = project("junit = \"results.xml\"\ntests = 'test_matmul'");
    let text = page(&failing, "");
    let said = "**WRONG:** the test test_matmul.test_matmul_wrong failed: AssertionError: row 3 < row 4";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("this page says nothing about performance"), "{text}");
    let check = failing.run("check scale");
    assert_eq!(check.status(), 1);
    assert!(check.out().contains("WRONG: the kernel's results are wrong: the test test_matmul"), "{}", check.out());
    let broken = project("junit = \"results.xml\"\ntests = 'layernorm'");
    let text = page(&broken, "");
    assert!(text.contains("**Outputs not checked") && text.contains("layernorm broke off: failed on setup"), "{text}");
    let skipped = page(&project("junit = \"results.xml\"\ntests = 'split'"), "");
    assert!(skipped.contains("(every test was skipped)"), "{skipped}");
}

#[test]
fn what_is_stated_amiss_is_said_at_its_line() {
    let refused = |keys: &str, status: i32, parts: &[&str]| {
        let run = project(keys).run("generate scale --date 2026-01-01");
        assert_eq!(run.status(), status, "{}", run.err());
        assert!(parts.iter().all(|part| run.err().contains(part)), "{}", run.err());
    };
    refused("tests = 'x'", 2, &["`tests` chooses among tests", "add `junit` with a file"]);
    refused("junit = \"results.xml\"\npytest = [\"pytest\"]", 2, &["expected `junit` or `pytest`, not both"]);
    refused("pytest = []", 2, &["expected a command"]);
    refused("junit = \"none.xml\"", 3, &["none.xml does not exist"]);
    refused("junit = \"new.csv\"", 3, &["expected a JUnit file"]);
    refused("junit = \"results.xml\"\ntests = 'attention'", 3, &["a test that matches /attention/", "test_softmax"]);
    refused("source = \"r.cu\"\ngrid = 1", 2, &["a reference needs the subject's arguments"]);
}

#[test]
fn the_command_of_the_tests_is_run_with_a_file_to_write() {
    let project = project("pytest = [\"./pytest\", \"test_mm.py::test_wide\"]");
    let config =
        project.read("audit.toml").replace("report = \"new.csv\"", "run = [\"./program\"]\nprefix = [\"env\"]");
    fs::write(project.path("audit.toml"), config).unwrap();
    fs::write(project.path("test_mm.py"), "").unwrap();
    let script = |name: &str, body: &str| {
        fs::write(project.path(name), format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(project.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    };
    script(
        "pytest",
        "for word in \"$@\"; do case $word in --junit-xml=*) cp results.xml \"${word#*=}\";; esac; done\nexit 1",
    );
    script("program", "exit 0");
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=n", "-c", "user.email=e@x"];
        assert!(
            Command::new("git").args(who).args(words).current_dir(project.path("")).output().unwrap().status.success()
        );
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "a"]);
    let head = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(project.path("")).output().unwrap().stdout;
    let head = String::from_utf8(head).unwrap()[..12].to_owned();
    audit(&project.path("")).args(["collect", "scale"]).env("PATH", "/usr/bin:/bin").output().unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&project.read("collected/scale/collected.json")).unwrap();
    let steps = manifest["steps"].as_array().unwrap();
    let tests = steps.iter().find(|step| step["step"] == "tests").unwrap_or_else(|| panic!("{manifest:#}"));
    assert_eq!((tests["outcome"].as_str(), tests["commit"].as_str()), (Some("made"), Some(head.as_str())), "{tests}");
    assert_eq!(tests["file"], "tests.xml");
    assert_eq!(project.read("collected/scale/tests.xml"), project.read("results.xml"));
}

#[test]
fn times_of_another_tool_are_those_of_the_page() {
    let project = project("junit = \"results.xml\"\ntests = 'test_matmul\\['");
    let config = project.read("audit.toml");
    let with = |keys: &str| {
        let config = config.replace("commit =", &format!("{keys}\ncommit ="));
        fs::write(project.path("audit.toml"), config).unwrap();
        page(&project, "--force --template full")
    };
    let python = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/python");
    for file in ["google.json", "perf_report.csv"] {
        fs::copy(format!("{python}/{file}"), project.path(file)).unwrap();
    }
    let text = with("benchmark_file = \"google.json\"\nbenchmark_row = \"matmul\"");
    // The median of 11.07, 11.56 and 11.62 µs.
    assert!(text.contains("11.56 µs"), "{text}");
    assert!(text.contains("By google-benchmark 1.9.5, `matmul_kernel/iterations:50`: time of an iteration"), "{text}");
    assert!(!text.contains("between two CUDA events") && !text.contains("had not converged"), "{text}");
    let first = project.read("pages/2026-01-01-scale.json");
    project.run("render pages/2026-01-01-scale.json --force --out again").done();
    assert!(first.contains("google-benchmark 1.9.5"), "{first}");
    let text = with("benchmark_file = \"perf_report.csv\"\nbenchmark_row = \"2048 Triton\"\nbenchmark_unit = \"us\"");
    assert!(text.contains("42.50 ns"), "{text}");
    let refused = |keys: &str, said: &str| {
        fs::write(project.path("audit.toml"), config.replace("commit =", &format!("{keys}\ncommit ="))).unwrap();
        let run = project.run("generate scale --date 2026-01-01 --force");
        assert!(run.status() != 0 && run.err().contains(said), "{}", run.err());
    };
    refused("benchmark_file = \"google.json\"", "one row whose name has scale");
    refused("benchmark_file = \"perf_report.csv\"\nbenchmark_row = \"2048 Triton\"", "benchmark_unit = \"ms\"");
    refused("benchmark_file = \"results.xml\"", "the JSON of nvbench, google-benchmark and pytest-benchmark is read");
    refused("benchmark_file = \"google.json\"\nbenchmark_unit = \"min\"", "unknown variant `min`");
}
