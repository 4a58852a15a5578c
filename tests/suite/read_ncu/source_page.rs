//! `--page source --csv`: the instances of the source metrics, instruction by instruction.

use super::{everything, page, report_path};
use kernel_audit::evidence::{Launch, Value};
use kernel_audit::source::ncu_report::NcuReport;
use std::collections::HashMap;

/// Columns of the page and the metrics whose instances they show.
const COLUMNS: [(&str, &str); 10] = [
    ("# Samples", "smsp__pcsamp_sample_count"),
    ("Instructions Executed", "inst_executed"),
    ("Thread Instructions Executed", "thread_inst_executed"),
    ("Predicated-On Thread Instructions Executed", "thread_inst_executed_true"),
    ("Divergent Branches", "smsp__branch_targets_threads_divergent"),
    ("L1 Tag Requests Global", "memory_l1_tag_requests_global"),
    ("L2 Theoretical Sectors Global", "memory_l2_theoretical_sectors_global"),
    ("L2 Theoretical Sectors Global Ideal", "memory_l2_theoretical_sectors_global_ideal"),
    ("L2 Theoretical Sectors Global Excessive", "derived__memory_l2_theoretical_sectors_global_excessive"),
    ("Avg. Threads Executed", "derived__avg_thread_executed"),
];

/// Stall columns and the ends of their metrics' names.
const STALLS: [(&str, &str); 18] = [
    ("barrier", "barrier"),
    ("branch_resolving", "branch_resolving"),
    ("dispatch", "dispatch_stall"),
    ("drain", "drain"),
    ("imc", "imc_miss"),
    ("lg", "lg_throttle"),
    ("long_sb", "long_scoreboard"),
    ("math", "math_pipe_throttle"),
    ("membar", "membar"),
    ("mio", "mio_throttle"),
    ("misc", "misc"),
    ("no_inst", "no_instructions"),
    ("not_selected", "not_selected"),
    ("selected", "selected"),
    ("short_sb", "short_scoreboard"),
    ("sleep", "sleeping"),
    ("tex", "tex_throttle"),
    ("wait", "wait"),
];

/// Instances by program counter; an instruction without an instance counts 0.
fn by_address<'a>(launch: &'a Launch, metric: &str) -> HashMap<u64, &'a Value> {
    let metric = launch.metric(metric).unwrap_or_else(|| panic!("{metric} is missing"));
    metric.instances.iter().map(|instance| (instance.id.as_u64().unwrap(), &instance.value)).collect()
}

#[test]
fn every_instruction_has_the_counts_that_nvidia_shows() {
    for name in ["gemm_bias_v1", "gemm_bias_v2"] {
        let report = everything(name);
        let launch = &report.launches[0];
        let page = page(&format!("{name}.source.csv"));
        let (titles, rows) = (&page[1], &page[2..]);
        let mut pairs: Vec<(String, String)> =
            COLUMNS.iter().map(|(title, metric)| ((*title).to_owned(), (*metric).to_owned())).collect();
        for (title, metric) in STALLS {
            let metric = format!("smsp__pcsamp_warps_issue_stalled_{metric}");
            let not_issued = if title == "sleep" { "sleeping" } else { title };
            pairs.push((format!("stall_{not_issued} (Not Issued)"), format!("{metric}_not_issued")));
            pairs.push((format!("stall_{title}"), metric));
        }
        for (title, metric) in pairs {
            let column = titles.iter().position(|cell| *cell == title).unwrap_or_else(|| panic!("no column {title}"));
            let instances = by_address(launch, &metric);
            let mut found = 0;
            for row in rows {
                let address = u64::from_str_radix(row[0].trim_start_matches("0x"), 16).unwrap();
                let ours = instances.get(&address).map_or(0, |value| value.as_u64().unwrap());
                found += usize::from(instances.contains_key(&address));
                assert_eq!(ours.to_string(), row[column], "{name}: {title} at {address:#x}");
            }
            assert_eq!(found, instances.len(), "{name}: {metric} has instances at addresses that the page lacks");
        }
    }
}

#[test]
fn addresses_of_the_page_lie_in_the_function_that_was_loaded() {
    let report = everything("gemm_bias_v1");
    let launch = &report.launches[0];
    let sources = NcuReport::open(&report_path("gemm_bias_v1"), false).unwrap().sources().unwrap();
    let source = sources.iter().find(|source| source.key == launch.sources[0]).unwrap();
    let function = source.functions.iter().find(|function| function.symbol == launch.mangled).unwrap();
    let rows = page("gemm_bias_v1.source.csv");
    for (position, row) in rows[2..].iter().enumerate() {
        assert_eq!(row[0], format!("{:#x}", function.address + 16 * position as u64));
    }
}
