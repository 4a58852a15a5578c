//! `audit generate` on sources and cubins: the page of an audit without a report, checks, identity, and mistakes.

use crate::build_tools::{ROOT, tools};
use crate::committed;
use crate::project::plain_parts;
use kernel_audit::snapshot::Snapshot;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn audit(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_audit"));
    command.current_dir(folder).env_remove("SOURCE_DATE_EPOCH").env("NO_COLOR", "1");
    command.args(words).output().unwrap()
}

fn toml(subject: &str) -> String {
    format!("{}{subject}", tools())
}

/// Generates the subject `k` in a fresh folder that holds `files`; gives the exit status, the page, the snapshot with what it
/// says of the `code`, and what was said.
fn generate(subject: &str, files: &[(&str, &[u8])]) -> (i32, String, serde_json::Value, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("audit.toml"), toml(subject)).unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let output = audit(folder.path(), &["generate", "k", "--template", "full", "--date", "2026-01-02"]);
    let read = |name: &str| fs::read_to_string(folder.path().join("audits").join(name)).unwrap_or_default();
    let said = String::from_utf8(output.stderr).unwrap();
    let snapshot = fs::read(folder.path().join("audits/2026-01-02-k.json"));
    let data = snapshot.map(|bytes| {
        let audit = Snapshot::parse(folder.path(), &bytes).unwrap().audit();
        let code = serde_json::to_value(audit.code).unwrap();
        serde_json::json!({ "snapshot": plain_parts(&bytes), "code": code })
    });
    let data = data.unwrap_or_default();
    let page = read("2026-01-02-k.md");
    let written = folder.path().join("audits").exists();
    assert_eq!(output.status.success(), written, "{said}");
    assert!(!page.contains(&folder.path().display().to_string()) && !page.contains(ROOT), "{page}");
    (output.status.code().unwrap(), page, data, said)
}

const TRIAD: &[u8] = include_bytes!("../../kernels/stream_triad.cu");
const DEVSET: &[u8] = include_bytes!("../fixtures/h200/devset.sm_90a.cubin");

#[test]
fn a_source_gives_a_page_for_each_chip() {
    let subject = r#"
[[subject]]
name = "k"
source = "triad.cu"
arch = ["sm_90a", "sm_100a"]
flags = ["-O3"]
[subject.launch]
block = [32, 8]
dynamic_shared = 0
[[subject.check]]
sass = "LDG"
min_width = 128
[[subject.check]]
name = "no 256-bit loads"
sass = "ld.global.v8.b32"
forbid = true
[[subject.check]]
sequence = ["LDG", "FFMA*4", "STG"]
count = 1
[[subject.check]]
sass = "STG"
count = "= 2"
[[subject.check]]
sass = "FFMA"
in = "hottest-loop"
"#;
    let (status, page, data, said) = generate(subject, &[("triad.cu", TRIAD)]);
    assert_eq!(status, 0, "{said}");
    for words in
        ["# Static Performance Audit", "### sm_90a", "### sm_100a", "nvcc 13.0", "LDG.E.128", "were not measured"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    let verdicts = |arch: usize| {
        let checks = data["code"][arch]["checks"].as_array().unwrap().clone();
        checks.iter().map(|check| check["verdict"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(0), ["PASS", "INCONCLUSIVE", "PASS", "FAIL", "INCONCLUSIVE"]);
    assert_eq!(verdicts(1), ["PASS", "PASS", "PASS", "FAIL", "INCONCLUSIVE"]);
    let code = &data["code"][0];
    let decided = &code["checks"][0]["deciding"][0];
    let line = decided["line"].as_u64().unwrap() as usize;
    let source = std::str::from_utf8(TRIAD).unwrap();
    assert!(source.lines().nth(line - 1).unwrap().contains("b["), "line {line}");
    let occupancy = &code["occupancies"][0];
    assert_eq!((occupancy["threads"].as_u64(), occupancy["percent"].as_f64()), (Some(256), Some(100.0)));
    let registers = &code["resources"][0];
    assert_eq!(registers["ptxas"], registers["cubin"]);
    assert_eq!(registers["agreement"], "same");
}

#[test]
fn checks_look_into_the_loop_that_a_line_is_in() {
    const SUMS: &[u8] = b"__global__ void k(float* out, const short* in, int n) {
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        sum += in[i * 32 + threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
";
    let check = |what: &str| format!("[[subject.check]]\n{what}\n");
    let subject = [
        "[[subject]]\nname = \"k\"\nsource = \"k.cu\"\narch = \"sm_90a\"\nflags = [\"-O3\"]\n".to_owned(),
        check("sass = \"global-load\"\nin = \"loop at line 5\"\ncount = \"= 1\""),
        check("sass = \"conversion\"\nin = \"loop at line 5\"\nforbid = true"),
        check("sass = \"STG\"\nin = \"loop at line 5\"\nforbid = true"),
        check("sass = \"STG\"\nin = \"loop at line 7\"\nforbid = true"),
    ];
    let (status, _, data, said) = generate(&subject.concat(), &[("k.cu", SUMS)]);
    assert_eq!(status, 0, "{said}");
    let checks = data["code"][0]["checks"].as_array().unwrap();
    let verdicts: Vec<&str> = checks.iter().map(|check| check["verdict"].as_str().unwrap()).collect();
    // A load and a conversion from short in each turn, the store behind the loop, and no loop around it.
    assert_eq!(verdicts, ["PASS", "FAIL", "PASS", "INCONCLUSIVE"]);
    assert_eq!(checks[3]["found"], "no loop holds an instruction of line 7");
}

#[test]
fn no_home_folder_of_a_build_reaches_page_or_snapshot() {
    let subject = r#"
[[subject]]
name = "k"
source = "triad.cu"
baseline_source = "triad.cu"
arch = "sm_90a"
flags = ["-O3", "-I/home/ann/include", "-DUSER_FOLDER=/Users/bo/x"]
"#;
    let (status, page, data, said) = generate(subject, &[("triad.cu", TRIAD)]);
    assert_eq!(status, 0, "{said}");
    let whole = page + &data.to_string();
    assert!(whole.contains("-Iinclude") && whole.contains("\"before\""), "{whole}");
    assert!(!whole.contains("ann") && !whole.contains("/bo"), "{whole}");
}

#[test]
fn the_code_in_a_report_is_told_from_other_code() {
    let report = include_bytes!("../fixtures/h200/gemm_bias_v2.ncu-repz");
    let files: [(&str, &[u8]); 2] = [("d.cubin", DEVSET), ("r.ncu-rep", report)];
    let subject = "[[subject]]\nname = \"k\"\ncubin = \"d.cubin\"\nreport = \"r.ncu-rep\"\nkernel = \"gemm_bias_v2\"\n";
    let (status, page, data, said) = generate(subject, &files);
    assert_eq!(status, 0, "{said}");
    assert!(page.contains("This SASS is what was timed") && page.contains("## Resources (ptxas, cubin, launch)"));
    let code = &data["code"][0];
    assert_eq!(code["identity"]["kind"], "same");
    let registers = &code["resources"][0];
    assert!(registers["launch"].as_u64() >= registers["cubin"].as_u64() && registers["agreement"] != "differs");
    // One changed bit in the code of the kernel: same size, other code.
    let text = kernel_audit::source::cubin::read(DEVSET, kernel_audit::evidence::Origin::default()).unwrap();
    let sha = text.kernels.iter().find(|kernel| kernel.mangled.contains("gemm_bias_v2")).unwrap();
    let at = (0..DEVSET.len() - sha.code_bytes as usize)
        .step_by(128)
        .find(|at| {
            use sha2::Digest;
            let digest = sha2::Sha256::digest(&DEVSET[*at..at + sha.code_bytes as usize]);
            digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>() == sha.code_sha256
        })
        .expect("the section lies in the file");
    let mut other = DEVSET.to_vec();
    // A register number of the second instruction.
    other[at + 16 + 2] ^= 1;
    let (_, page, data, said) = generate(subject, &[("d.cubin", &other), files[1]]);
    assert_eq!(data["code"][0]["identity"]["kind"], "differs", "{said}");
    assert!(page.contains("This SASS is not what was timed"));
}

#[test]
fn two_builds_are_compared_by_their_code() {
    let subject =
        "[[subject]]\nname = \"k\"\ncubin = \"d.cubin\"\nbaseline_cubin = \"d.cubin\"\nkernel = \"gemm_bias_v2\"\n";
    let (_, page, _, said) = generate(subject, &[("d.cubin", DEVSET)]);
    assert!(page.contains("instructions on both sides"), "{said}{page}");
    let (_, page, data, _) =
        generate(&format!("{subject}baseline_kernel = \"gemm_bias_v1\"\n"), &[("d.cubin", DEVSET)]);
    assert!(
        page.contains("What changed in the machine code")
            && page.contains("% of the instructions have no counterpart")
            && !page.contains("```diff")
    );
    let classes = data["code"][0]["diff"]["classes"].as_array().unwrap();
    let shared = classes.iter().find(|class| class["label"] == "Shared loads").unwrap();
    assert!(shared["added"].as_u64() > Some(0) && shared["removed"] == 0);
}

#[test]
fn a_small_change_is_printed_instruction_by_instruction() {
    let source = |result: &str| {
        format!(
            "__global__ void scale(float* out, const float* in, float a) {{\n    \
             int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i] = {result};\n}}\n"
        )
    };
    let (old, new) = (source("a * in[i]"), source("a * in[i] + 1.0f"));
    let subject = "[[subject]]\nname = \"k\"\nsource = \"new.cu\"\nbaseline_source = \"old.cu\"\narch = \"sm_90a\"\n";
    let (status, page, _, said) = generate(subject, &[("old.cu", old.as_bytes()), ("new.cu", new.as_bytes())]);
    assert_eq!(status, 0, "{said}");
    let section = page.split("## What changed in the machine code").nth(1).unwrap();
    assert!(section.trim_start().starts_with("15 → 15 instructions: "), "{section}");
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| -"))
        .take(3)
        .map(|line| line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    let arithmetic = ["FP32 arithmetic", "+1", "−1"];
    assert!(rows.iter().any(|row| row[..] == arithmetic), "{section}");
    let (_, block) = section.split_once("```diff\n").unwrap();
    let (block, _) = block.split_once("\n```").unwrap();
    let with = |sign: char| block.lines().filter(|line| line.starts_with(sign)).collect::<Vec<_>>();
    // Every line is signed, the multiplication became one with an addition, and nothing of its place is left.
    assert!(block.lines().all(|line| line.starts_with([' ', '+', '-', '@'])), "{block}");
    assert!(with('-').iter().any(|line| line.starts_with("-FMUL R")), "{block}");
    assert!(with('+').iter().any(|line| line.starts_with("+FFMA R") && line.ends_with(", 1")), "{block}");
    assert!(with(' ').iter().any(|line| line.starts_with(" STG.E desc[")), "{block}");
    assert_eq!(with('-').len(), with('+').len(), "{block}");
    assert!(!block.contains("/*"), "{block}");
}

#[test]
fn mistakes_are_told_with_their_place_and_write_nothing() {
    let source = |arch: &str| format!("[[subject]]\nname = \"k\"\nsource = \"a.cu\"\narch = {arch:?}\n");
    let (status, _, _, said) = generate(&source("sm_90a"), &[("a.cu", b"__global__ void k() {\n  int x = ;\n}\n")]);
    assert!(status == 4 && said.contains("a.cu(2)") && said.contains("compiling a.cu for sm_90a failed"), "{said}");
    let (status, _, _, said) = generate(&source("sm_42"), &[("a.cu", TRIAD)]);
    assert!(status == 4 && said.contains("does not know the architecture sm_42") && said.contains("sm_90"), "{said}");
    let (status, _, _, said) = generate(&source("compute_90"), &[("a.cu", TRIAD)]);
    assert!(status == 2 && said.contains("expected an architecture such as"), "{said}");
    let (status, _, _, said) = generate(&source("sm_90a"), &[("a.cu", b"int host() { return 1; }\n")]);
    assert!(status == 3 && said.contains("kernels"), "{said}");

    let cubin = "[[subject]]\nname = \"k\"\ncubin = \"d.cubin\"\n";
    let twice = format!("{cubin}kernel = \"gemm_bias\"\n");
    let (status, _, _, said) = generate(&twice, &[("d.cubin", DEVSET)]);
    assert!(status == 2 && said.contains("matches 2 kernels") && said.contains("gemm_bias_v2, gemm_bias_v1"), "{said}");
    let (status, _, _, said) = generate(&format!("{cubin}kernel = \"nothing\"\n"), &[("d.cubin", DEVSET)]);
    assert!(status == 2 && said.contains("it holds: "), "{said}");
    let (status, _, _, said) = generate(cubin, &[("d.cubin", b"\x7fELF is none")]);
    assert_eq!(status, 3, "{said}");
    let (status, _, _, said) = generate("[[subject]]\nname = \"k\"\nsource = \"a.cu\"\n", &[("a.cu", TRIAD)]);
    assert!(status == 2 && said.contains("a source needs an architecture"), "{said}");
    let (status, _, _, said) = generate("[[subject]]\nname = \"k\"\n", &[]);
    assert!(status == 2 && said.contains("`report`, `source`, `cubin`, `run` or `evidence`"), "{said}");
}

#[test]
fn a_missing_tool_is_told_with_its_cure() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("audit.toml"), "[[subject]]\nname = \"k\"\nsource = \"a.cu\"\narch = \"sm_90a\"\n")
        .unwrap();
    fs::write(folder.path().join("a.cu"), TRIAD).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_audit"));
    command.current_dir(folder.path()).env_remove("CUDA_HOME").env("PATH", "/nowhere").env("NO_COLOR", "1");
    let output = command.args(["generate", "--date", "2026-01-02"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    // A machine with a toolkit in its usual place finds it there.
    if !Path::new("/usr/local/cuda/bin/nvcc").exists() {
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("nvcc was not found") && said.contains("kernels/toolchain.sh"), "{said}");
    }
    fs::write(
        folder.path().join("audit.toml"),
        "[tools]\nnvcc = \"no\"\n[[subject]]\nname = \"k\"\nsource = \"a.cu\"\narch = \"sm_90a\"\n",
    )
    .unwrap();
    let output = audit(folder.path(), &["generate", "--date", "2026-01-02"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(4) && said.contains("which audit.toml names"), "{said}");
}

#[test]
fn the_doctor_names_every_tool_and_what_it_is_for() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("audit.toml"), toml("[[subject]]\nname = \"k\"\ncubin = \"d\"\n")).unwrap();
    let output = audit(folder.path(), &["doctor"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "nvcc               13.0",
        "(by audit.toml)",
        "nvdisasm",
        "compute-sanitizer",
        "audit a source     yes",
        "driver",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn the_repository_names_every_kernel() {
    let mut named = String::new();
    for project in committed::projects() {
        let file = project.join("audit.toml");
        assert!(kernel_audit::config::Config::read(&file).unwrap().select(&[]).is_ok());
        named += &fs::read_to_string(file).unwrap();
    }
    for entry in fs::read_dir(Path::new(ROOT).join("kernels")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cu") {
            let name = path.file_name().unwrap().to_string_lossy();
            assert!(["", "kernels/"].iter().any(|at| named.contains(&format!("source = \"{at}{name}\""))), "{name}");
        }
    }
}
