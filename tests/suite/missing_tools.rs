//! A machine without NVIDIA's compiler: a profile keeps its page, and its machine code is the report's own.

use crate::project::{Project, Run, audit};
use std::fs;

/// A project whose subject names a report and a source, on a machine without tools but those of `tools`.
fn generate(tools: &str) -> (Project, Run) {
    let project = Project::new();
    let root = env!("CARGO_MANIFEST_DIR");
    fs::write(project.path("k.cu"), "__global__ void gemm_bias_v2() {}\n").unwrap();
    let config = format!(
        "[audit]\nout = \"pages\"\n{tools}\n[[subject]]\nname = \"k\"\nkernel = \"^gemm_bias_v2$\"\nreport = \"{root}/tests/fixtures/h200/gemm_bias_v2.ncu-repz\"\nsource = \"k.cu\"\narch = \"sm_90a\"\ncommit = \"c\"\n"
    );
    fs::write(project.path("audit.toml"), config).unwrap();
    let mut command = audit(project.0.path());
    command.env("PATH", "/nonexistent").env_remove("CUDA_HOME");
    let run = Run(command.args(["generate", "--template", "full", "--date", "2026-01-01"]).output().unwrap());
    (project, run)
}

#[test]
fn without_any_tool_the_code_is_not_measured() {
    let (project, run) = generate("");
    run.ends(0, "note: k: nvcc is not here; `audit doctor` says how to get it: the code sections are NOT MEASURED");
    let page = project.read("pages/2026-01-01-k.md");
    assert!(page.contains("The machine code is **NOT MEASURED**: nvcc is not here"), "{page}");
    assert!(page.contains("615.01 µs"), "{page}");
}

#[test]
fn with_a_disassembler_the_code_is_that_of_the_report() {
    let nvdisasm = format!("{}/.cuda/bin/nvdisasm", env!("CARGO_MANIFEST_DIR"));
    assert!(fs::exists(&nvdisasm).unwrap(), "run kernels/toolchain.sh first");
    let (project, run) = generate(&format!("[tools]\nnvdisasm = \"{nvdisasm}\""));
    run.ends(0, "the code is that of the report");
    let page = project.read("pages/2026-01-01-k.md");
    assert!(page.contains("This SASS is what was timed"), "{page}");
}

/// A subject that names a report and a check, and no source.
fn checked(tools: &str) -> (Project, Run) {
    let project = Project::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let config = format!(
        "[audit]\nout = \"pages\"\n{tools}\n[[subject]]\nname = \"k\"\nkernel = \"^gemm_bias_v2$\"\nreport = \"{root}/tests/fixtures/h200/gemm_bias_v2.ncu-repz\"\ncommit = \"c\"\n\n[[subject.check]]\nname = \"nothing spills\"\nsass = \"STL\"\nforbid = true\n"
    );
    fs::write(project.path("audit.toml"), config).unwrap();
    let mut command = audit(project.0.path());
    command.env("PATH", "/nonexistent").env_remove("CUDA_HOME");
    let run = Run(command.args(["generate", "--date", "2026-01-01"]).output().unwrap());
    (project, run)
}

#[test]
fn checks_without_a_source_are_of_the_report_s_code() {
    let nvdisasm = format!("{}/.cuda/bin/nvdisasm", env!("CARGO_MANIFEST_DIR"));
    let (project, run) = checked(&format!("[tools]\nnvdisasm = \"{nvdisasm}\""));
    run.ends(0, "note: k: checks are stated, and no source: the code is that of the report");
    let page = project.read("pages/2026-01-01-k.md");
    assert!(page.contains("PASS:** nothing spills."), "{page}");
}

#[test]
fn checks_without_source_and_disassembler_are_not_measured() {
    let (project, run) = checked("");
    run.ends(0, "note: k: nvdisasm is not here; `audit doctor` says how to get it: the code sections are NOT MEASURED");
    let page = project.read("pages/2026-01-01-k.md");
    let row = page.lines().find(|line| line.starts_with("| nothing spills ")).unwrap();
    assert!(row.contains("nvdisasm is not here") && row.contains("NOT MEASURED"), "{row}");
    // What nobody looked at is no pass.
    project.run("check --allow-new").ends(6, "0 of 1 checks pass; NOT MEASURED: nothing spills");
}
