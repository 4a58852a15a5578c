//! Kernels that Python launches: one run of a program for all of its subjects, what `kernel_audit.bench` writes, and the committed
//! pages of `kernels/triton`.

use super::project::audit;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn script(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A project of two subjects with one program, whose tools are scripts.
fn lab(collect: &str) -> tempfile::TempDir {
    let lab = tempfile::tempdir().unwrap();
    let subject = |name: &str, kernel: &str| {
        format!(
            "[[subject]]\nname = \"{name}\"\nkernel = \"{kernel}\"\nrun = [\"./program\"]\nprefix = [\"env\"]\n[subject.collect]\nsanitizers = []\n{collect}\n"
        )
    };
    let both = subject("first", "^stream_triad$") + &subject("second", "^other$");
    fs::write(lab.path().join("audit.toml"), format!("[tools]\nncu = \"./ncu\"\n{both}")).unwrap();
    script(
        &lab.path().join("ncu"),
        &format!(
            "[ \"$1\" = --version ] && {{ echo 'Version 2025.3.1.0 (build 1)'; exit 0; }}\necho \"$*\" >> ncu.log\nwhile [ $# -gt 0 ]; do [ \"$1\" = --export ] && out=$2; shift; done\ncp {ROOT}/tests/fixtures/labelled/stream_triad.ncu-repz \"$out\"\necho '==PROF== Profiling \"k\" - 0: 0%....100% - 17 passes'"
        ),
    );
    script(&lab.path().join("program"), "[ -z \"$KERNEL_AUDIT_BENCH\" ] || cp results \"$KERNEL_AUDIT_BENCH\"");
    lab
}

#[test]
fn subjects_of_one_program_are_collected_in_one_run_of_it() {
    let lab = lab("");
    let run = audit(lab.path()).args(["collect", "second"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "collected/first");
    let log = fs::read_to_string(lab.path().join("ncu.log")).unwrap();
    let runs: Vec<&str> = log.lines().collect();
    assert_eq!(runs.len(), 2, "a profile and the launches, for both: {log}");
    assert!(runs[0].contains("--kernel-name regex:^stream_triad$|^other$"), "{log}");
    assert!(runs[0].contains("--launch-count 1 --filter-mode per-launch-config"), "{log}");
    // The other one, and both together, need nothing more.
    let run = audit(lab.path()).args(["collect", "--all"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(fs::read_to_string(lab.path().join("ncu.log")).unwrap(), log);
    let page = audit(lab.path()).args(["generate", "first", "--date", "2026-11-24", "--commit", "none"]).output().unwrap();
    assert!(page.status.success(), "{}", String::from_utf8_lossy(&page.stderr));
}

#[test]
fn a_program_that_benches_is_told_what_is_wanted_of_it() {
    let lab = lab("bench = true");
    fs::write(lab.path().join("results"), "{\"correctness\": {\"schema\": \"x\"}, \"benchmark\": {}}\n").unwrap();
    let run = audit(lab.path()).args(["collect", "--all"]).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(said.contains("not measured: first bench: what the program wrote cannot be read"), "{said}");
    assert!(said.contains("bench.jsonl:1"), "{said}");
    let log = fs::read_to_string(lab.path().join("ncu.log")).unwrap();
    let runs: Vec<&str> = log.lines().collect();
    for (run, step) in runs.iter().zip(["profile", "launches"]) {
        assert!(run.contains("--nvtx --nvtx-include audit/") && !run.contains("--launch-count"), "{run}");
        assert!(run.ends_with(&format!("env KERNEL_AUDIT_STEP={step} TRITON_CACHE_AUTOTUNING=1 ./program")), "{run}");
    }
}

#[test]
fn a_python_project_is_written_down_without_a_question() {
    let lab = tempfile::tempdir().unwrap();
    for name in ["bench.py", "matmul.py", "gated.py", "layernorm.py", "attention.py", "column_sum.py"] {
        fs::copy(format!("{ROOT}/kernels/triton/{name}"), lab.path().join(name)).unwrap();
    }
    let run = audit(lab.path()).args(["init", "--print"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    for subject in ["matmul", "attention", "layernorm", "column_sum", "gated"] {
        assert!(text.contains(&format!("name = \"{subject}\"\n")), "{text}");
    }
    assert_eq!(text.matches("run = [\"python\", \"bench.py\"]").count(), 5, "{text}");
    assert!(text.contains("bench = true") && text.contains("\"matmul.py\""), "{text}");
}

#[test]
fn the_pages_of_the_python_kernels_are_made_from_their_evidence() {
    let lab = tempfile::tempdir().unwrap();
    let from = Path::new(ROOT).join("kernels/triton");
    let copy = |folder: &str| {
        fs::create_dir_all(lab.path().join(folder)).unwrap();
        for entry in fs::read_dir(from.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::copy(&path, lab.path().join(folder).join(path.file_name().unwrap())).unwrap();
            }
        }
    };
    copy("");
    copy("evidence");
    let run = audit(lab.path()).args(["generate", "--all", "--date", "2026-11-24", "--commit", "none"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let page = |name: &str| fs::read_to_string(lab.path().join(format!("audits/2026-11-24-{name}.md"))).unwrap();
    let matmul = page("matmul");
    assert!(matmul.contains("## Configurations of the autotuner") && matmul.contains("matmul.py"), "{matmul}");
    // NVIDIA's reader gives these times of the five configurations.
    let section = matmul.split("## Configurations").nth(1).unwrap().split("audit:end").next().unwrap();
    assert_eq!(section.matches("| BLOCK_M = ").count() + section.matches("| **BLOCK_M = ").count(), 5, "{section}");
    for name in ["matmul", "attention", "layernorm", "column_sum", "gated"] {
        assert!(page(name).contains("Correct:"), "{name}");
        assert!(!page(name).contains("## Other kernels"), "{name}");
    }
    assert!(page("column_sum").contains("uncoalesced-global-access"));
}
