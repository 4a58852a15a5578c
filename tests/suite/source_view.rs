//! Counters by instruction and by line: against ncu's source page and `nvdisasm`'s line information.

use crate::truth;
use kernel_audit::evidence::{Lines, Origin, SourceView, Value};
use kernel_audit::source::{self, NameSet, Want, ncu_report::NcuReport, sass};
use std::collections::BTreeMap;
use std::path::PathBuf;

const REPORTS: [&str; 2] = ["gemm_bias_v1", "gemm_bias_v2"];

/// Columns of the source page that show the instances of a metric, as counts.
const COUNTS: [(&str, &str); 23] = [
    ("# Samples", "smsp__pcsamp_sample_count"),
    ("Instructions Executed", "inst_executed"),
    ("Thread Instructions Executed", "thread_inst_executed"),
    ("Predicated-On Thread Instructions Executed", "thread_inst_executed_true"),
    ("Avg. Threads Executed", "derived__avg_thread_executed"),
    ("Avg. Predicated-On Threads Executed", "derived__avg_thread_executed_true"),
    ("Derivative Avg. Predicated-On Threads Executed", "derived__derivative_avg_thread_executed_true"),
    ("Avg. Predicated-On Threads Unexecuted", "derived__avg_thread_unexecuted_true"),
    ("Divergent Branches", "smsp__branch_targets_threads_divergent"),
    ("L1 Tag Requests Global", "memory_l1_tag_requests_global"),
    ("L1 Conflicts Shared N-Way", "derived__memory_l1_conflicts_shared_nway"),
    ("L2 Theoretical Sectors Global Excessive", "derived__memory_l2_theoretical_sectors_global_excessive"),
    ("L2 Theoretical Sectors Global", "memory_l2_theoretical_sectors_global"),
    ("L2 Theoretical Sectors Global Ideal", "memory_l2_theoretical_sectors_global_ideal"),
    ("L2 Explicit Hit Policy Evict First", "smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_first"),
    ("L2 Explicit Hit Policy Evict Last", "smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_last"),
    ("L2 Explicit Hit Policy Evict Normal", "smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_normal"),
    (
        "L2 Explicit Hit Policy Evict Normal Demote",
        "smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_normal_demote",
    ),
    ("L2 Explicit Miss Policy Evict First", "smsp__sass_inst_executed_memdesc_explicit_missprop_evict_first"),
    ("L2 Explicit Miss Policy Evict Normal", "smsp__sass_inst_executed_memdesc_explicit_missprop_evict_normal"),
    ("L1 Wavefronts Shared Excessive", "derived__memory_l1_wavefronts_shared_excessive"),
    ("L1 Wavefronts Shared", "memory_l1_wavefronts_shared"),
    ("L1 Wavefronts Shared Ideal", "memory_l1_wavefronts_shared_ideal"),
];

/// Stall columns whose metric is spelled otherwise.
const STALLS: [(&str, &str); 8] = [
    ("dispatch", "dispatch_stall"),
    ("imc", "imc_miss"),
    ("lg", "lg_throttle"),
    ("long_sb", "long_scoreboard"),
    ("math", "math_pipe_throttle"),
    ("mio", "mio_throttle"),
    ("no_inst", "no_instructions"),
    ("short_sb", "short_scoreboard"),
];

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn views(name: &str) -> Vec<SourceView> {
    let path = fixture(&format!("h200/{name}.ncu-repz"));
    source::read_source_views(&path, &Want::default(), |_| true, &[]).unwrap()
}

fn page(name: &str) -> Vec<Vec<String>> {
    let text = crate::truth::bytes(&format!("{name}.source.csv"));
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..]);
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// The metric that a column of the page shows as a count.
fn metric(title: &str) -> Option<String> {
    if let Some((_, metric)) = COUNTS.iter().find(|(known, _)| *known == title) {
        return Some((*metric).to_owned());
    }
    let stall = title.strip_prefix("stall_")?;
    let (word, ending) = stall.strip_suffix(" (Not Issued)").map_or((stall, ""), |word| (word, "_not_issued"));
    let word = STALLS.iter().find(|(short, _)| *short == word).map_or(word, |(_, long)| long);
    let word = match word {
        "sleep" => "sleeping",
        "tex" => "tex_throttle",
        word => word,
    };
    Some(format!("smsp__pcsamp_warps_issue_stalled_{word}{ending}"))
}

/// How the page writes an instruction's codes: `-` without an instance, nothing for the code 0.
fn coded(title: &str, code: Option<&Value>) -> String {
    let Some(code) = code.map(|value| value.as_u64().unwrap()) else { return "-".to_owned() };
    let words: &[(u64, &str)] = match title {
        "Address Space" => &[(4, "Global"), (8, "Local"), (16, "Shared")],
        "Access Operation" => &[(2, "Load"), (4, "Store"), (8, "Atomic")],
        _ => &[(32, "32"), (64, "64"), (128, "128")],
    };
    let set: Vec<&str> = words.iter().filter(|(bit, _)| code & bit != 0).map(|(_, word)| *word).collect();
    set.join(", ")
}

#[test]
fn every_column_of_the_source_page_is_reproduced_to_the_instruction() {
    for name in REPORTS {
        let views = views(name);
        let [view] = &views[..] else { panic!("{name}: one launch") };
        let page = page(name);
        let (titles, rows) = (&page[1], &page[2..]);
        assert_eq!(view.instructions.len(), rows.len(), "{name}");
        assert!(view.columns.iter().all(|column| column.unplaced == 0), "{name}");
        let base = u64::from_str_radix(rows[0][0].trim_start_matches("0x"), 16).unwrap();
        let (mut compared, mut unread) = (0, Vec::new());
        for (position, row) in rows.iter().enumerate() {
            let address = u64::from_str_radix(row[0].trim_start_matches("0x"), 16).unwrap();
            assert_eq!(view.instructions[position].offset, address - base, "{name}: {row:?}");
        }
        for (at, title) in titles.iter().enumerate().skip(2) {
            let code = match title.as_str() {
                "Address Space" => Some("memory_type"),
                "Access Operation" => Some("memory_access_type"),
                "Access Size" => Some("memory_access_size_type"),
                _ => None,
            };
            let Some(metric) = code.map(str::to_owned).or_else(|| metric(title)) else {
                unread.push(title.as_str());
                continue;
            };
            let counts = view.counts(&metric).unwrap_or_else(|| panic!("{name}: {title}: no {metric}"));
            let column = view.column(&metric).unwrap();
            for (position, (row, count)) in rows.iter().zip(counts).enumerate() {
                let ours = if code.is_some() { coded(title, column.value(position)) } else { count.to_string() };
                assert_eq!(ours, row[at], "{name}: {title} at {}", row[0]);
                compared += 1;
            }
        }
        let sums = ["Warp Stall Sampling (All Samples)", "Warp Stall Sampling (Not-issued Samples)"];
        assert_eq!(
            unread,
            [&sums[..], &["L2 Explicit Evict Policies"]].concat(),
            "{name}: columns that were not compared"
        );
        for (sum, ending) in sums.iter().zip(["", "_not_issued"]) {
            let at = titles.iter().position(|title| title == sum).unwrap();
            let reasons: Vec<Vec<u64>> = view
                .columns
                .iter()
                .filter(|column| column.metric.starts_with("smsp__pcsamp_warps_issue_stalled_"))
                .filter(|column| column.metric.ends_with("_not_issued") != ending.is_empty())
                .map(|column| view.counts(&column.metric).unwrap())
                .collect();
            for (position, row) in rows.iter().enumerate() {
                let ours: u64 = reasons.iter().map(|counts| counts[position]).sum();
                assert_eq!(ours.to_string(), row[at], "{name}: {sum} at {}", row[0]);
            }
        }
        assert!(compared > 50 * rows.len(), "{name}: {compared} cells");
    }
}

#[test]
fn lines_add_up_to_the_instructions_and_to_the_kernel() {
    for name in REPORTS {
        let views = views(name);
        let view = &views[0];
        let report = source::read_profile(&fixture(&format!("h200/{name}.ncu-repz")), &Want::default()).unwrap();
        let lines = view.line_counts();
        // Nothing is inlined here, so that every instruction has one line and sums over lines are the kernel's.
        assert!(view.instructions.iter().all(|instruction| instruction.places.len() == 1), "{name}");
        for metric in ["inst_executed", "thread_inst_executed_true", "memory_l2_theoretical_sectors_global"] {
            let at = view.columns.iter().position(|column| column.metric.as_str() == metric).unwrap();
            let of_lines: u64 = lines
                .iter()
                .filter_map(|line| line.values.iter().find(|(column, _)| *column == at))
                .map(|(_, value)| value.as_u64().unwrap())
                .sum();
            let of_instructions: u64 = view.counts(metric).unwrap().iter().sum();
            let whole = report.launches[0].value(metric).and_then(Value::as_u64).unwrap();
            assert_eq!((of_lines, of_instructions), (whole, whole), "{name}: {metric}");
        }
    }
}

#[test]
fn places_are_those_that_nvdisasm_prints_for_the_cubin_in_the_report() {
    let listing = truth::unpacked("cubin/devset.lines.sass");
    let listing = sass::read(&listing, Origin::default(), "").unwrap();
    let cubin = std::fs::read(fixture("h200/devset.sm_90a.cubin")).unwrap();
    for name in REPORTS {
        let path = fixture(&format!("h200/{name}.ncu-repz"));
        let inside = NcuReport::open(&path, false).unwrap().sources().unwrap();
        assert_eq!(inside[0].cubin.as_deref(), Some(&cubin[..]), "{name}: the listing is of the cubin in the report");
        let views = source::read_source_views(&path, &Want::default(), |_| true, &[&listing]).unwrap();
        assert_eq!(views[0].lines, Lines::Known);
        let function = listing.function(&views[0].instructions[0].function).unwrap();
        let printed = page(name);
        for (position, ours) in views[0].instructions.iter().enumerate() {
            let theirs = &function.instructions[position];
            assert_eq!((ours.offset, &ours.places), (theirs.offset, &theirs.places), "{name}");
            assert_eq!((&ours.opcode, &ours.text), (&theirs.opcode, &theirs.text), "{name}");
            // The page's opcode, behind a guard if there is one.
            let source = printed[2 + position][1].trim();
            let opcode = source.split(' ').find(|word| !word.starts_with('@')).unwrap();
            assert!(ours.with_operands(ours.spelt()).contains(opcode), "{name}: {source} and {ours:?}");
        }
        let text = views[0].text(&views[0].instructions[0].places[0]).unwrap();
        assert!(text.contains("gemm_bias"), "{name}: {text}");
    }
}

#[test]
fn launches_without_counters_by_instruction_say_so() {
    let basic = views("both_basic");
    assert_eq!(basic.iter().map(|view| (&view.lines, view.columns.len())).collect::<Vec<_>>(), [(&Lines::Known, 0); 2]);
    assert_eq!(basic.iter().map(|view| view.instructions.len()).collect::<Vec<_>>(), [272, 168]);
    for name in ["graph", "range", "app_range"] {
        assert_eq!(views(name)[0].lines, Lines::NoCounters, "{name}");
    }
    // Two processes use one reference for modules at different addresses.
    let two = views("multiprocess");
    let lengths: BTreeMap<u32, usize> = two.iter().map(|view| (view.launch, view.instructions.len())).collect();
    assert_eq!(lengths.len(), 2);
}

#[test]
fn only_the_chosen_launch_and_metrics_are_read() {
    let want = Want { metrics: NameSet::exactly(["inst_executed"]), ..Want::default() };
    let path = fixture("h200/gemm_bias_v1.ncu-repz");
    let views = source::read_source_views(&path, &want, |head| head.id == 0, &[]).unwrap();
    assert_eq!(views[0].columns.iter().map(|column| column.metric.as_str()).collect::<Vec<_>>(), ["inst_executed"]);
    assert!(source::read_source_views(&path, &want, |head| head.id == 9, &[]).unwrap().is_empty());
}

#[test]
fn a_listing_of_other_code_is_not_joined() {
    let listing = truth::unpacked("h200/devset.sass");
    let listing = sass::read(&listing, Origin::default(), "").unwrap();
    let path = fixture("h200/gemm_bias_v1.ncu-repz");
    let mut other = listing.clone();
    let joined = |listing| {
        let views = source::read_source_views(&path, &Want::default(), |_| true, &[listing]).unwrap();
        views[0].instructions.iter().filter(|instruction| instruction.text.is_some()).count()
    };
    let function = other.functions.iter_mut().find(|function| function.mangled.contains("gemm_bias_v1")).unwrap();
    function.instructions[7].word.as_mut().expect("cuobjdump prints encodings").bits ^= 1;
    assert_eq!((joined(&listing), joined(&other)), (272, 0));
}

#[test]
fn a_disassembler_at_hand_gives_every_instruction_its_text() {
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/.cuda/bin");
    assert!(std::path::Path::new(tools).join("nvdisasm").is_file(), "run kernels/toolchain.sh first");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/h200/gemm_bias_v2.ncu-repz");
    let dump = |path: &str| -> serde_json::Value {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_audit"));
        let folder = tempfile::tempdir().unwrap();
        let run = command.args(["dump", "source", file]).env("PATH", path).env_remove("CUDA_HOME");
        let output = run.current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let with = dump(tools);
    let instructions = with["launches"][0]["instructions"].as_array().unwrap();
    assert!(instructions.len() > 100);
    assert!(instructions.iter().all(|i| i["sass"].is_string()), "an instruction without text");
    // NVIDIA's own source page has the same text, up to branch labels and reuse marks.
    let truth = crate::truth::bytes("gemm_bias_v2.source.csv");
    let opcode = |text: &str| {
        let words = text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        words.trim_end_matches(';').to_owned()
    };
    let mut rows = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(&truth[..]);
    let said: Vec<String> = rows.records().skip(2).map(|row| opcode(&row.unwrap()[1])).collect();
    let ours: Vec<String> = instructions.iter().map(|i| opcode(i["sass"].as_str().unwrap())).collect();
    assert_eq!(ours, said);
}
