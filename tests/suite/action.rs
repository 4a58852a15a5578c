//! `action.yml`: its steps with this program in a repository with a pull request. `tests/action.py` plays the program and GitHub.

use crate::project::{Profile, Project};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn action() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml")).unwrap()
}

/// The script of a step.
fn script(name: &str) -> String {
    let text = action();
    let step = text.split("    - name: ").find(|step| step.starts_with(&format!("{name}\n"))).expect(name);
    let run = step.split_once("      run: ").expect(name).1;
    match run.strip_prefix("|\n") {
        Some(block) => {
            block.lines().map(|line| line.strip_prefix("        ").unwrap_or(line).to_owned() + "\n").collect()
        }
        None => run.to_owned(),
    }
}

/// A repository with a branch `main` that has one audit, and a pull request that adds another.
struct Job {
    project: Project,
    tools: PathBuf,
}

impl Job {
    fn new(ns: f64) -> Job {
        let project = Project::new();
        let job = Job { tools: project.path(".tools"), project };
        fs::create_dir(&job.tools).unwrap();
        job.tool("audit", &format!("exec {} \"$@\"", env!("CARGO_BIN_EXE_audit")));
        fs::write(job.project.path(".gitignore"), "/.tools\n/.out\n/.origin\n").unwrap();
        job.git(&["init", "-q", "-b", "main"]);
        job.project.audit("2026-01-01", Profile::steady(100_000.0));
        job.git(&["add", "-A"]);
        job.git(&["commit", "-q", "-m", "first"]);
        job.git(&["clone", "-q", "--bare", ".", ".origin"]);
        job.git(&["remote", "add", "origin", ".origin"]);
        job.git(&["checkout", "-q", "-b", "faster"]);
        job.project.audit("2026-01-02", Profile::steady(ns));
        job.git(&["add", "-A"]);
        job.git(&["commit", "-q", "-m", "second"]);
        fs::create_dir(job.project.path(".out")).unwrap();
        job
    }

    fn tool(&self, name: &str, text: &str) {
        let path = self.tools.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn git(&self, words: &[&str]) {
        let name = ["-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(name).args(words).current_dir(self.project.0.path()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn step(&self, name: &str, environment: &[(&str, &str)]) -> Output {
        let out = self.project.path(".out");
        let path = format!("{}:{}", self.tools.display(), std::env::var("PATH").unwrap());
        Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script(name)])
            .current_dir(self.project.0.path())
            .env("PATH", path)
            .env("RUNNER_TEMP", &out)
            .env("GITHUB_OUTPUT", out.join("output"))
            .env("GITHUB_STEP_SUMMARY", out.join("summary"))
            .env("GITHUB_JOB", "audit")
            .env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"))
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }

    /// The steps of a pull request in their order; the last one's status.
    fn run(&self) -> i32 {
        let out = self.project.path(".out/audit-1").display().to_string();
        let out = ("OUT", out.as_str());
        let done = |name: &str, environment: &[(&str, &str)]| {
            let output = self.step(name, environment);
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            self.project.read(".out/output")
        };
        let found = done("program", &[("VERSION", ""), ("INDEX", "")]);
        assert!(found.contains("here=true") && found.contains("name=audit-audit-0-1"), "{found}");
        let found = done("check", &[("ARGUMENTS", "--allow-new --allow-inconclusive"), ("AUDITS", ""), out]);
        let status = found.lines().find_map(|line| line.strip_prefix("status=")).expect(&found).to_owned();
        let link = ("LINK", "https://host/o/r/blob/abc");
        let name = ("NAME", "audit-audit-0-1");
        done("pages", &[("AUDITS", ""), ("BASE", "main"), link, name, ("STATUS", &status), out]);
        self.step("status", &[("STATUS", &status)]).status.code().unwrap()
    }

    fn read(&self, name: &str) -> String {
        self.project.read(&format!(".out/audit-1/{name}"))
    }
}

#[test]
fn a_pull_request_gets_its_status_its_comment_and_its_pages() {
    let job = Job::new(90_000.0);
    assert_eq!(job.run(), 0);
    let comment = job.read("comment.md");
    assert!(
        comment.starts_with("<!-- audit:pull-request audit-audit-0-1 -->\n**`audit check` passed** (status 0)."),
        "{comment}"
    );
    assert!(comment.contains("FASTER"), "{comment}");
    assert!(comment.contains("https://host/o/r/blob/abc/pages/2026-01-02-scale.md"), "{comment}");
    assert!(job.project.read(".out/summary").contains("FASTER"));
    assert!(job.project.path(".out/audit-1/pages/2026-01-02-scale.html").is_file());
    assert!(!job.project.path(".out/audit-1/pages/2026-01-01-scale.html").exists(), "only what the pull request adds");
    assert!(job.read("junit.xml").contains("failures=\"0\""));
}

#[test]
fn a_regression_fails_the_job_after_its_comment() {
    let job = Job::new(120_000.0);
    assert_eq!(job.run(), 1);
    let comment = job.read("comment.md");
    assert!(comment.contains("failed** (status 1)") && comment.contains("\nFAIL scale: SLOWER"), "{comment}");
}

#[test]
fn a_gate_that_cannot_be_run_says_so_in_the_annotations_in_junit_and_in_the_comment() {
    let typo = Job::new(90_000.0);
    let config = typo.project.read("audit.toml");
    fs::write(typo.project.path("audit.toml"), config.replace("report =", "reprot =")).unwrap();
    let edited = Job::new(90_000.0);
    let snapshot = edited.project.read("pages/2026-01-02-scale.json");
    fs::write(edited.project.path("pages/2026-01-02-scale.json"), snapshot.replace("scale", "scala")).unwrap();
    for (job, status, word) in [(typo, 2, "reprot"), (edited, 3, "2026-01-02-scale.json")] {
        assert_eq!(job.run(), status);
        let comment = job.read("comment.md");
        assert!(comment.contains("could not be run") && comment.contains(word), "{comment}");
        assert!(job.read("junit.xml").contains("failures=\"1\"") && job.read("junit.xml").contains(word));
        let said = job.project.run("check --github");
        assert!(said.out().contains("::error ") && said.out().contains(word), "{}", said.out());
    }
}

#[test]
fn a_program_that_says_its_commit_is_the_version_that_it_is() {
    let job = Job::new(90_000.0);
    let version = env!("CARGO_PKG_VERSION");
    for (said, is_here) in [(format!("{version} (0123456789ab)"), "true"), (format!("{version}0"), "false")] {
        job.tool("audit", &format!("echo 'audit {said}'"));
        assert!(job.step("program", &[("VERSION", ""), ("INDEX", "")]).status.success());
        let found = job.project.read(".out/output");
        let last = found.lines().rfind(|line| line.starts_with("here=")).expect(&found);
        assert_eq!(last, format!("here={is_here}"), "{said}");
    }
}

#[test]
fn a_base_that_cannot_be_fetched_is_told() {
    let job = Job::new(90_000.0);
    fs::create_dir(job.project.path(".out/audit-1")).unwrap();
    let out = job.project.path(".out/audit-1").display().to_string();
    let of = |base: &str| {
        let run = job.step("check", &[("ARGUMENTS", ""), ("AUDITS", ""), ("BASE", base), ("OUT", &out)]);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).unwrap()
    };
    let told = "::warning title=audit::gone cannot be fetched, so that the gate is not held against it";
    assert!(of("gone").contains(told) && !of("main").contains("cannot be fetched"));
}
