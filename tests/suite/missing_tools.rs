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

/// A subject that names a report and a check, and no source; with further tables behind.
fn checked(tools: &str, further: &str) -> (Project, Run) {
    let project = Project::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let config = format!(
        "[audit]\nout = \"pages\"\n{tools}\n[[subject]]\nname = \"k\"\nkernel = \"^gemm_bias_v2$\"\nreport = \"{root}/tests/fixtures/h200/gemm_bias_v2.ncu-repz\"\ncommit = \"c\"\n\n[[subject.check]]\nname = \"nothing spills\"\nsass = \"STL\"\nforbid = true\n{further}"
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
    let (project, run) = checked(&format!("[tools]\nnvdisasm = \"{nvdisasm}\""), "");
    run.ends(0, "note: k: checks are stated, and no source: the code is that of the report");
    let page = project.read("pages/2026-01-01-k.md");
    assert!(page.contains("PASS:** nothing spills."), "{page}");
}

#[test]
fn checks_without_source_and_disassembler_are_not_measured() {
    let (project, run) = checked("", "");
    run.ends(0, "note: k: nvdisasm is not here; `audit doctor` says how to get it: the code sections are NOT MEASURED");
    let page = project.read("pages/2026-01-01-k.md");
    let row = page.lines().find(|line| line.starts_with("| nothing spills ")).unwrap();
    assert!(row.contains("nvdisasm is not here") && row.contains("NOT MEASURED"), "{row}");
    let html = project.run("render pages/2026-01-01-k.json --format html").done();
    assert!(project.read("pages/2026-01-01-k.html").contains("nothing spills: nvdisasm is not here"), "{html}");
    // What nobody looked at is no pass.
    project.run("check --allow-new").ends(6, "0 of 1 checks pass; NOT MEASURED: nothing spills");
}

#[test]
fn a_check_whose_architecture_nobody_built_is_not_measured() {
    let nvdisasm = format!("{}/.cuda/bin/nvdisasm", env!("CARGO_MANIFEST_DIR"));
    let other = "[[subject.check]]\nname = \"tensor memory\"\nsass = \"LDTM\"\narch = \"sm_100a\"\n";
    let (project, run) = checked(&format!("[tools]\nnvdisasm = \"{nvdisasm}\""), other);
    run.done();
    let page = project.read("pages/2026-01-01-k.md");
    let row = page.lines().find(|line| line.starts_with("| tensor memory ")).unwrap();
    assert!(row.contains("no build is for sm_100a") && row.contains("NOT MEASURED"), "{row}");
    project.run("check --allow-new").ends(6, "1 of 2 checks pass; NOT MEASURED: tensor memory");
}

#[test]
fn a_stated_layout_without_code_is_not_measured() {
    let part = "[[subject.shared]]\nname = \"tiles\"\nat = 0\nbytes = 1024\n";
    let (project, run) = checked("", part);
    run.done();
    project.run("check --allow-new").ends(6, "0 of 2 checks pass; NOT MEASURED: nothing spills, ");
}
