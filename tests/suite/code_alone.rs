//! Audits of the code alone in the gate, the history and comparisons; and old verdicts of checks on the code.

use crate::build_tools::{ROOT, tools};
use crate::project::{Profile, Project};
use std::fs;

const DEVSET: &[u8] = include_bytes!("../fixtures/h200/devset.sm_90a.cubin");

/// A project whose subject `k` is a cubin, audited on the first of January.
fn project(checks: &str) -> Project {
    let project = Project::new();
    fs::write(project.path("d.cubin"), DEVSET).unwrap();
    state(&project, "gemm_bias_v1", checks);
    project.run("generate k --template full --date 2026-01-01").done();
    project
}

fn state(project: &Project, kernel: &str, checks: &str) {
    let config = format!(
        "[audit]\nout = \"pages\"\n{}[[subject]]\nname = \"k\"\ncubin = \"d.cubin\"\nkernel = \"{kernel}\"\ncommit = \"c1\"\n{checks}",
        tools()
    );
    fs::write(project.path("audit.toml"), config).unwrap();
}

const HOLDS: &str = "[[subject.check]]\nname = \"it multiplies\"\nsass = \"FFMA\"\n";
const FAILS: &str = "[[subject.check]]\nname = \"no FFMA\"\nsass = \"FFMA\"\nforbid = true\n";

#[test]
fn the_gate_holds_the_checks_and_says_that_time_is_not_measured() {
    project("").run("check").ends(6, "it states no checks");
    project(HOLDS).run("check").ends(0, "PASS k: 1 of 1 checks pass. Its last audit is of the code alone");
    let failing = project(&format!("{HOLDS}{FAILS}"));
    failing.run("check").ends(1, "FAIL k: 1 of 2 checks pass; FAIL: no FFMA (sm_90a).");
    failing.run("check --no-checks").ends(6, "NOT MEASURED");
    failing.run("check --fresh --date 2026-01-02").ends(1, "no FFMA");
}

/// The epilogues of the kernels for sm_100a as they are, and where the compiler is free to move a load of sums behind the uses of
/// the one before: it then issues it there, into the same registers.
#[test]
fn checks_tell_whether_the_next_sums_are_on_their_way() {
    let project = Project::new();
    let kernels = std::path::Path::new(ROOT).join("kernels");
    for file in ["patch_embed_gemm_sm100.cu", "block_scaled_gemm.cu", "sm100.cuh"] {
        let text = fs::read_to_string(kernels.join(file)).unwrap();
        let free = text.replace(r#"asm volatile("griddepcontrol.launch_dependents;" ::: "memory");"#, "");
        assert_eq!(free == text, file != "sm100.cuh", "{file}");
        for (folder, text) in [("held", &text), ("free", &free)] {
            fs::create_dir_all(project.path(folder)).unwrap();
            fs::write(project.path(folder).join(file), text).unwrap();
        }
    }
    let subject = |folder: &str, file: &str, flags: &str, check: &str| {
        format!(
            "[[subject]]\nname = \"{folder}-{file}\"\nsource = \"{folder}/{file}.cu\"\narch = \"sm_100a\"\ncommit = \"c1\"\nflags = [{flags}]\n[[subject.check]]\nsass = \"tcgen05.ld\"\n{check}\n"
        )
    };
    let mut config = format!("[audit]\nout = \"pages\"\n{}", tools());
    for folder in ["held", "free"] {
        // 128 columns are 4 loads of 32; the first of a tile is waited for, of the other kernel the first two.
        let scaled = r#""-O3", "-DSCALED=1", "-DTILE_N=128""#;
        config += &subject(folder, "patch_embed_gemm_sm100", scaled, "under_way = 200\ncount = \"= 3\"");
        let fp4 = r#""-O3", "-DVECTOR=16", "-DTILE_N=128""#;
        config += &subject(folder, "block_scaled_gemm", fp4, "under_way = 64\ncount = \"= 2\"");
    }
    fs::write(project.path("audit.toml"), config).unwrap();
    for kernel in ["patch_embed_gemm_sm100", "block_scaled_gemm"] {
        for (folder, status, word) in [("held", 0, "PASS"), ("free", 1, "FAIL")] {
            project.run(&format!("generate {folder}-{kernel} --date 2026-01-01")).done();
            project.run(&format!("check {folder}-{kernel}")).ends(status, word);
        }
    }
}

#[test]
fn tensor_memory_in_two_requests_is_told() {
    let kernel = r#"extern "C" __global__ void twice(unsigned* out) {
  __shared__ unsigned at[2];
  for (int i = 0; i < N; i++) {
    unsigned to = (unsigned)__cvta_generic_to_shared(&at[i]);
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 256;" ::"r"(to) : "memory");
  }
  __syncthreads();
  out[threadIdx.x] = at[threadIdx.x % N];
}"#;
    let project = Project::new();
    fs::write(project.path("twice.cu"), kernel).unwrap();
    let page = |count: u32| {
        let config = format!(
            "[audit]\nout = \"pages\"\n{}[[subject]]\nname = \"k{count}\"\nsource = \"twice.cu\"\narch = \"sm_100a\"\nflags = [\"-DN={count}\"]\n[subject.launch]\nblock = 32\n",
            tools()
        );
        fs::write(project.path("audit.toml"), config).unwrap();
        project.run("generate --date 2026-01-01").done();
        project.read(&format!("pages/2026-01-01-k{count}.md"))
    };
    let twice = page(2);
    assert!(
        twice.contains("asked for 2 times, 512 columns together") && twice.contains("`split-allocation`"),
        "{twice}"
    );
    assert!(!page(1).contains("split-allocation"));
}

#[test]
fn what_ptxas_printed_needs_no_disassembler() {
    let project = Project::new();
    let config = format!(
        "[audit]\nout = \"pages\"\n[[subject]]\nname = \"k\"\nsource = \"k.cu\"\narch = \"sm_90a\"\nkernel = \"^gemm_bf16_cluster$\"\nevidence = {:?}\n",
        format!("{ROOT}/tests/fixtures/collected/gemm_bf16_cluster")
    );
    fs::write(project.path("audit.toml"), config).unwrap();
    fs::write(project.path("k.cu"), "").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_audit"));
    command.current_dir(project.path("")).env_remove("CUDA_HOME").env("PATH", "/nowhere");
    let made =
        command.args(["generate", "--template", "full", "--no-charts", "--date", "2026-01-01"]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let page = project.read("pages/2026-01-01-k.md");
    // 168 registers, nothing spilled, no stack, one barrier: the log of the folder. 197,696 of 233,472 bytes: 85 %.
    assert!(!page.contains("no build log was given"), "{page}");
    for said in ["Spills, stack, barriers", "0 B, 0 B, 1", "197,696 B (85 % of 228 KB)"] {
        assert!(page.contains(said), "{said}\n{page}");
    }
}

#[test]
fn a_check_for_a_variant_names_one_that_there_is() {
    let project = project("[[subject.check]]\nsass = \"FFMA\"\n");
    state(&project, "gemm_bias_v1", "[[subject.check]]\nsass = \"FFMA\"\nvariant = \"N = 256\"\n");
    project.run("lint").ends(2, "expected a variant of the subject");
}

/// Rows of 96 values, each thread 16 bytes of one, from a start that is a multiple of 16 bytes and from one that is not.
#[test]
fn addresses_are_held_to_the_width_of_an_access() {
    let project = Project::new();
    let kernel = "extern \"C\" __global__ void k(float* out, float x) {\n  const unsigned row = blockIdx.x * 64u + threadIdx.x / 2u;\n  *reinterpret_cast<float4*>(out + row * 96u + threadIdx.x % 2u * 4u + START) = make_float4(x, x, x, x);\n}\n";
    fs::write(project.path("k.cu"), kernel).unwrap();
    let mut config = format!("[audit]\nout = \"pages\"\n{}", tools());
    for start in ["0", "8", "2"] {
        config += &format!(
            "[[subject]]\nname = \"from{start}\"\nsource = \"k.cu\"\narch = \"sm_90a\"\ncommit = \"c1\"\nflags = [\"-O3\", \"-DSTART={start}\"]\nlaunch = {{ grid = 64, block = 128 }}\n[[subject.check]]\nsass = \"STG\"\nmin_width = 128\naligned = true\n"
        );
    }
    fs::write(project.path("audit.toml"), config).unwrap();
    for (start, status, word) in [("0", 0, "PASS"), ("8", 0, "PASS"), ("2", 1, "FAIL")] {
        project.run(&format!("generate from{start} --date 2026-01-01")).done();
        project.run(&format!("check from{start}")).ends(status, word);
    }
}

#[test]
fn history_and_comparison_take_them() {
    let project = project(HOLDS);
    state(&project, "gemm_bias_v2", HOLDS);
    project.run("generate k --template full --date 2026-01-02").done();
    let page = project.read("pages/2026-01-02-k.md");
    let history = page.split("\n## History").nth(1).unwrap_or_else(|| panic!("{page}"));
    let rows: Vec<Vec<&str>> = history.lines().skip(3).take(2).map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(rows[0].join(" "), "| 2026-01-01 c1 | 32 | code alone |", "{history}");
    assert_eq!(rows[1].join(" "), "| **2026-01-02 c1** | **31** | **code alone** |", "{history}");
    let table = project.run("history k").done();
    assert!(table.contains("2026-01-01") && table.contains("code alone"), "{table}");
    assert!(!table.contains("Not in the table"), "{table}");
    let compared = project.run("compare pages/2026-01-01-k.json pages/2026-01-02-k.json").done();
    for words in ["Code for sm_90a", "gemm_bias_v1", "gemm_bias_v2", "Registers per thread", "Shared loads"] {
        assert!(compared.contains(words), "{words}\n{compared}");
    }
    let json = project.run("compare pages/2026-01-01-k.json pages/2026-01-02-k.json --json").done();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["code"][0]["rows"].as_array().unwrap();
    let registers = rows.iter().find(|row| row["label"] == "Registers per thread").unwrap();
    assert_ne!(registers["values"][0], registers["values"][1]);
    assert_eq!(json["code"][0]["same_as_first"], serde_json::json!([true, false]));
    project.report("new.csv", &[Profile::default()]);
    project.run("compare pages/2026-01-01-k.json new.csv").ends(2, "holds no judged machine code");
}

#[test]
fn an_audit_of_code_is_no_baseline_for_a_time() {
    let project = project(HOLDS);
    project.report("new.csv", &[Profile::steady(100_000.0)]);
    let config = "[audit]\nout = \"pages\"\n[[subject]]\nname = \"k\"\nreport = \"new.csv\"\n";
    fs::write(project.path("audit.toml"), config).unwrap();
    project.run("generate k --template full --date 2026-01-02").done();
    let page = project.read("pages/2026-01-02-k.md");
    assert!(!page.contains("## What changed"), "{page}");
}

#[test]
fn a_check_shows_how_it_ended_on_the_old_code() {
    let project = Project::new();
    fs::write(project.path("d.cubin"), DEVSET).unwrap();
    let check = "baseline_cubin = \"d.cubin\"\nbaseline_kernel = \"gemm_bias_v1\"\n[[subject.check]]\nname = \"shared\"\nsass = \"LDS\"\n";
    state(&project, "gemm_bias_v2", check);
    project.run("generate k --template full --date 2026-01-02").done();
    let page = project.read("pages/2026-01-02-k.md");
    let row = page
        .lines()
        .skip_while(|line| !line.contains("| Old verdict |"))
        .find(|line| line.starts_with("| shared "))
        .unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[2..4], ["FAIL", "PASS"], "{row}");
    assert!(page.contains("| Old verdict |"), "{page}");
}

#[test]
fn hypotheses_on_the_code_are_judged_without_a_profile() {
    let stated = "[[subject.check]]\nname = \"shared\"\nsass = \"LDS\"\n\
        [[subject.hypothesis]]\nname = \"tiles\"\nbefore = [\"check.shared == 0\"]\nafter = [\"check.shared\"]\n\
        [[subject.hypothesis]]\nname = \"no tiles\"\nafter = [\"check.shared == 0\"]\n\
        [[subject.hypothesis]]\nname = \"faster\"\nafter = [\"check.shared\", \"change.cycles < 0\"]\n";
    let old = "baseline_cubin = \"d.cubin\"\nbaseline_kernel = \"gemm_bias_v1\"\n";
    let project = Project::new();
    fs::write(project.path("d.cubin"), DEVSET).unwrap();
    state(&project, "gemm_bias_v2", &format!("{old}{stated}"));
    project.run("generate k --template full --date 2026-01-02").done();
    let page = project.read("pages/2026-01-02-k.md");
    for part in [
        "### tiles\n\n**CONFIRMED**.",
        "### no tiles\n\n**REFUTED**. Expected, but not found: check.shared == 0.",
        "### faster\n\n**NOT MEASURED**. The code alone does not show: change.cycles < 0.",
        "**Hypotheses:** REFUTED: no tiles; CONFIRMED: tiles; NOT MEASURED: faster.",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // The snapshot holds them, and the history remembers what was refuted.
    project.run("render --template full pages/2026-01-02-k.json").done();
    assert_eq!(project.read("pages/2026-01-02-k.md"), page);
    let history = project.run("history k").done();
    assert!(history.contains("Hypotheses:") && history.contains("no tiles"), "{history}");
}

#[test]
fn an_earlier_audit_of_the_code_is_the_old_side() {
    let stated = "[[subject.check]]\nname = \"shared\"\nsass = \"LDS\"\n\
        [[subject.hypothesis]]\nname = \"tiles\"\nbefore = [\"check.shared == 0\"]\nafter = [\"check.shared\"]\n";
    let project = Project::new();
    fs::write(project.path("d.cubin"), DEVSET).unwrap();
    state(&project, "gemm_bias_v1", stated);
    project.run("generate k --template full --date 2026-01-01").done();
    let first = project.read("pages/2026-01-01-k.md");
    assert!(first.contains("**NOT MEASURED**. There is no baseline"), "{first}");
    state(&project, "gemm_bias_v2", stated);
    project.run("generate k --template full --date 2026-01-02").done();
    let page = project.read("pages/2026-01-02-k.md");
    assert!(page.contains("### tiles\n\n**CONFIRMED**."), "{page}");
    let row = page.lines().find(|line| line.starts_with("| must hold before")).unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[3..6], ["FAIL", "PASS", "holds"], "{row}");
}
