//! The diagnosis against kernels of fields that users profile, whose labels were stated before they were measured.

use crate::labelled::{Row, audited, line_truth, marked, row};
use crate::labelled_unseen;
use kernel_audit::analysis::Audit;
use kernel_audit::evidence::{Report, Want};
use kernel_audit::source;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Counters of the whole kernel that the rules of the diagnosis read, beside the families of `FAMILIES`.
const READ_BY_RULES: [&str; 34] = [
    "gpu__time_duration.sum",
    "gpc__cycles_elapsed.max",
    "sm__cycles_active.avg",
    "sm__cycles_active.max",
    "sm__cycles_elapsed.avg",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed",
    "l1tex__t_sector_hit_rate.pct",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed",
    "lts__t_sectors.sum",
    "lts__t_sectors.avg",
    "lts__t_sectors.max",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum",
    "lts__t_sector_hit_rate.pct",
    "lts__cycles_elapsed.max",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__issue_active.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_shared_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.per_cycle_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__inst_executed.sum",
    "smsp__inst_issued.sum",
    "smsp__average_warp_latency_per_inst_issued.ratio",
    "sass__inst_executed_register_spilling",
    "launch__waves_per_multiprocessor",
    "launch__stack_size",
];

/// Beginnings of names of which the rules read every member.
const FAMILIES: [&str; 5] = [
    "sm__pipe_alu_cycles_active",
    "sm__pipe_fma_cycles_active",
    "sm__pipe_fp64_cycles_active",
    "sm__pipe_tensor_cycles_active",
    "smsp__average_warps_issue_stalled_",
];

/// Counters by instruction that the rules read.
const READ_BY_INSTRUCTION: [&str; 8] = [
    "inst_executed",
    "thread_inst_executed_true",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "memory_l2_theoretical_sectors_local",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/collected")
}

/// A row of labels.tsv.
struct Label {
    kernel: String,
    limiter: String,
    line: Option<u32>,
}

/// Every kernel that was collected with a label.
fn kernels() -> Vec<String> {
    labels().into_iter().map(|label| label.kernel).chain(labelled_unseen::kernels()).collect()
}

fn labels() -> Vec<Label> {
    let text = std::fs::read_to_string(folder().join("labels.tsv")).expect("labels.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let [kernel, limiter, line, _phase, _lever] = cells[..] else { panic!("five cells: {row}") };
        Label { kernel: kernel.to_owned(), limiter: limiter.to_owned(), line: line.parse().ok() }
    })
    .collect()
}

/// Every labelled kernel's report with its audit, by kernel.
static AUDITS: LazyLock<BTreeMap<String, (Report, Audit)>> = LazyLock::new(|| {
    let of = |label: Label| {
        let path = folder().join(&label.kernel).join("profile.ncu-repz");
        (label.kernel, audited(&path))
    };
    labels().into_iter().map(of).collect()
});

/// A row for each kernel of the fields.
pub(crate) fn rows() -> Vec<Row> {
    labels()
        .into_iter()
        .map(|label| row(label.kernel.clone(), label.limiter, label.line, &AUDITS[&label.kernel]))
        .collect()
}

#[test]
fn what_was_stated_is_found_at_its_line() {
    let (mut table, mut wrong) = (String::new(), Vec::new());
    for Label { kernel, limiter, line } in labels() {
        let (_, audit) = &AUDITS[&kernel];
        let (found, truth) = (audit.now.findings[0].code.to_string(), line_truth(audit, line));
        table += &format!("| {kernel} | {limiter} | {found} | {truth} | {} |\n", audit.now.bottleneck.limiter);
        let (is_limiter, is_line) = (found == limiter, truth.ends_with("hit"));
        if !(is_limiter && is_line) {
            wrong.push(kernel);
        }
    }
    println!("{table}");
    assert_eq!(wrong, [] as [&str; 0], "\n{table}");
}

#[test]
fn statements_are_what_the_sources_mark() {
    for Label { kernel, line, .. } in labels() {
        assert_eq!(marked(&kernel), Vec::from_iter(line), "{kernel}");
    }
}

#[test]
fn our_own_set_holds_what_the_rules_read() {
    for kernel in kernels() {
        let path = folder().join(&kernel).join("profile.ncu-repz");
        let report = source::read_profile(&path, &Want::everything()).expect("readable");
        let launch = &report.launches[0];
        let absent: Vec<&str> =
            READ_BY_RULES.into_iter().chain(READ_BY_INSTRUCTION).filter(|name| launch.metric(name).is_none()).collect();
        assert_eq!(absent, [] as [&str; 0], "{kernel}");
        for start in FAMILIES {
            assert!(launch.metrics.iter().any(|metric| metric.name.starts_with(start)), "{kernel}: {start}");
        }
    }
}

#[test]
fn our_own_set_takes_two_and_twenty_passes_at_most() {
    for kernel in kernels() {
        let path = folder().join(&kernel).join("collected.json");
        let text = std::fs::read_to_string(path).expect("collected.json");
        let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let passes = manifest["steps"].as_array().expect("steps").iter().filter_map(|step| step["passes"].as_u64());
        assert!(passes.max().is_some_and(|passes| passes <= 22), "{kernel}");
    }
}
