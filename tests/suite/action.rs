//! `action.yml`: its steps, run as scripts in a repository with a pull request, with `gh` and `cargo` played.

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
        job.tool("cargo", "echo \"cargo $*\" >> \"$CALLS\"");
        job.tool("gh", "echo \"gh $*\" >> \"$CALLS\"; case \"$*\" in *--paginate*) echo \"$OLD\";; esac");
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
            .env("CALLS", out.join("calls"))
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }

    /// The steps of a pull request in their order; the last one's success, and what `gh` was asked.
    fn run(&self, old: &str) -> (bool, String) {
        let done = |name: &str, environment: &[(&str, &str)]| {
            let output = self.step(name, environment);
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        };
        done("install", &[("VERSION", "9.9.9")]);
        done("check", &[("ARGUMENTS", "--allow-new --allow-inconclusive")]);
        done("pages", &[("AUDITS", "pages"), ("BASE", "main"), ("LINK", "https://host/o/r/blob/abc")]);
        done("comment", &[("PR", "7"), ("REPO", "o/r"), ("GH_TOKEN", "t"), ("OLD", old)]);
        let output = self.project.read(".out/output");
        let status = output.trim().strip_prefix("status=").expect(&output).to_owned();
        (self.step("status", &[("STATUS", &status)]).status.success(), self.project.read(".out/calls"))
    }
}

#[test]
fn a_pull_request_gets_its_status_its_comment_and_its_pages() {
    let job = Job::new(90_000.0);
    let (passed, calls) = job.run("");
    assert!(passed, "{calls}");
    assert!(calls.contains("cargo install kernel-audit --locked --version 9.9.9"), "{calls}");
    assert!(calls.contains("gh pr comment 7 --repo o/r --body-file"), "{calls}");
    let comment = job.project.read(".out/audit/comment.md");
    assert!(comment.starts_with("<!-- audit:pull-request -->") && comment.contains("FASTER"), "{comment}");
    assert!(comment.contains("https://host/o/r/blob/abc/pages/2026-01-02-scale.md"), "{comment}");
    assert!(job.project.read(".out/summary").contains("FASTER"));
    assert!(job.project.path(".out/audit/pages/2026-01-02-scale.html").is_file());
    assert!(!job.project.path(".out/audit/pages/2026-01-01-scale.html").exists(), "only what the pull request adds");
    assert!(job.project.read(".out/audit/junit.xml").contains("failures=\"0\""));
}

#[test]
fn a_regression_fails_the_job_after_its_comment() {
    let job = Job::new(120_000.0);
    let (passed, calls) = job.run("4711");
    assert!(!passed);
    assert!(calls.contains("gh api --method PATCH repos/o/r/issues/comments/4711"), "{calls}");
    assert!(job.project.read(".out/audit/comment.md").contains("SLOWER"));
}

#[test]
fn a_pull_request_without_audits_gets_no_comment_and_one_of_a_fork_a_warning() {
    let job = Job::new(90_000.0);
    job.git(&["checkout", "-q", "main"]);
    let (passed, calls) = job.run("");
    assert!(passed && !calls.contains("gh "), "{calls}");
    let job = Job::new(90_000.0);
    job.tool("gh", "case \"$*\" in *--paginate*) exit 0;; esac; exit 1");
    fs::create_dir_all(job.project.path(".out/audit")).unwrap();
    fs::write(job.project.path(".out/audit/comment.md"), "x").unwrap();
    let output = job.step("comment", &[("PR", "7"), ("REPO", "o/r"), ("OLD", "")]);
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("::warning"), "{output:?}");
}
