//! The catalogs against what reports and builds hold: names that exist, opcodes with a class, limits as devices state them.

use crate::truth;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use cuda_binary::op::base;
use cuda_binary::{Class, Op};
use kernel_audit::catalog::{
    checklists, chip, chips, explain, metric, metrics, sass_aliases, stall, stall_families, stall_of_metric, stalls,
    table, tables, thresholds,
};

fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    fs::read_to_string(&path).unwrap_or_else(|met| panic!("{}: {met}", path.display()))
}

/// The rows of a fixture of facts, without its comment.
fn facts(name: &str) -> Vec<Vec<String>> {
    fixture(name)
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

/// The column names of one reading by NVIDIA's command line.
fn columns(report: &str) -> Vec<String> {
    let text = crate::truth::bytes(report);
    let mut reader = csv::Reader::from_reader(&text[..]);
    reader.headers().unwrap().iter().map(str::to_owned).collect()
}

/// Where texts may be empty, and lists: what has no instruction of its own, what needs no note, what has no unit.
const EMPTY: [&str; 5] = ["note", "sm_90", "sm_100", "suffix", "unit"];

/// The keys below a value that hold nothing.
fn empty_keys(key: &str, value: &toml::Value) -> Vec<String> {
    let is_empty = match value {
        toml::Value::String(text) => text.trim().is_empty(),
        toml::Value::Array(list) => list.is_empty(),
        _ => false,
    };
    let own = (is_empty && !EMPTY.contains(&key)).then(|| key.to_owned());
    let below: Vec<String> = match value {
        toml::Value::Table(table) => table.iter().flat_map(|(key, value)| empty_keys(key, value)).collect(),
        toml::Value::Array(list) => list.iter().flat_map(|value| empty_keys(key, value)).collect(),
        _ => Vec::new(),
    };
    own.into_iter().chain(below).collect()
}

#[test]
fn no_text_of_a_catalog_is_empty() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("crates/kernel-judgement/src/catalog");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    for path in &files {
        let rows: toml::Value = fs::read_to_string(path).unwrap().parse::<toml::Table>().unwrap().into();
        assert_eq!(empty_keys("", &rows), [] as [&str; 0], "{}", path.display());
    }
    assert!(files.len() > 10);
}

#[test]
fn names_in_rows_lead_to_rows() {
    for row in stalls() {
        assert_eq!(row.names.first(), Some(&row.id));
        assert!(row.part_of.is_none_or(|whole| stall(whole).is_some_and(|found| found.id == whole)), "{}", row.id);
        let opcodes = row.when.iter().flat_map(|reading| &reading.opcodes);
        assert_eq!(opcodes.filter(|opcode| !Op::of(opcode).is_known()).count(), 0, "{}", row.id);
    }
    for row in sass_aliases() {
        let patterns = row.sass.values().flatten();
        assert_eq!(patterns.filter(|pattern| !Op::of(pattern).is_known()).count(), 0, "{}", row.name);
        assert!(!row.sass.is_empty(), "{}", row.name);
    }
    for row in tables() {
        let is_known = |id: &&&str| metric(id).is_some_and(|metric| metric.id == **id);
        assert!(!row.rows.is_empty() && row.rows.iter().filter(is_known).count() == row.rows.len(), "{}", row.id);
        assert_eq!(row.rows.iter().collect::<BTreeSet<_>>().len(), row.rows.len(), "{}", row.id);
    }
    assert!(thresholds().iter().all(|row| row.quantity().is_some()));
    let checks = || checklists().iter().flat_map(|profile| &profile.check);
    assert!(checks().count() > 10 && checks().all(|check| check.value.is_some() != check.threshold.is_some()));
}

#[test]
fn every_spelling_of_a_metric_was_seen_somewhere() {
    let mut seen: BTreeSet<String> = columns("gemm_bias_v1.raw.csv").into_iter().collect();
    seen.extend(columns("both_basic.raw.csv"));
    seen.extend(columns("range.raw.csv"));
    seen.extend(facts("catalog/seen-metrics.tsv").into_iter().map(|row| row[0].clone()));
    let unseen: Vec<_> =
        metrics().iter().flat_map(|row| row.spellings()).filter(|name| !seen.contains(*name)).collect();
    assert_eq!(unseen, [] as [&str; 0], "record where these names exist in tests/fixtures/catalog/seen-metrics.tsv");
}

#[test]
fn names_that_do_not_exist_are_no_metrics_and_lead_to_what_replaces_them() {
    for name in [
        "smsp__inst_executed_not_predicated_off.sum",
        "l1tex__m_xbar2l1tex_write_bytes.sum",
        "smsp__sass_warp_efficiency.avg",
        "sm__pipe_tensor_op_tcgen05_stalled_reason",
    ] {
        let told = explain(name).unwrap_or_else(|| panic!("{name}"));
        assert!(metric(name).is_none() && told.kind == "replaced name", "{name}: {}", told.kind);
    }
}

#[test]
fn every_stall_reason_seen_has_a_row() {
    for row in facts("catalog/seen-stalls.tsv") {
        assert!(stall(&row[0]).is_some(), "stall reason {} ({})", row[0], row[1]);
    }
    let mut families = BTreeSet::new();
    for name in columns("gemm_bias_v1.raw.csv").iter().filter(|name| name.contains("_issue_stalled_")) {
        // Roll-ups other than those that a family lists tell the same reason again.
        match stall_of_metric(name) {
            Some((family, _)) => drop(families.insert(family.id)),
            None => assert!(name.contains(".min") || name.contains(".max") || name.contains(".sum"), "{name}"),
        }
    }
    assert_eq!(families.into_iter().collect::<Vec<_>>(), ["per-issue", "samples", "samples-not-issued"]);
}

#[test]
fn stall_reasons_of_one_family_are_found_once_each() {
    let columns: BTreeSet<String> = columns("gemm_bias_v1.raw.csv").into_iter().collect();
    let family = stall_families().iter().find(|family| family.id == "per-issue").unwrap();
    let found: Vec<_> = kernel_audit::catalog::stalls()
        .iter()
        .filter(|row| {
            let names = row.names.iter().map(|name| format!("{}{name}{}", family.prefix, family.suffix));
            names.filter(|name| columns.contains(name)).count() == 1
        })
        .map(|row| row.id)
        .collect();
    // sm_90 in ncu 2025.3.1 tells 19 reasons, issued and ready warps included.
    assert_eq!(found.len(), 19, "{found:?}");
}

#[test]
fn every_opcode_of_builds_and_reports_has_a_class() {
    let mut opcodes: BTreeSet<String> =
        facts("catalog/seen-opcodes.txt").into_iter().map(|row| row[0].clone()).collect();
    let sass = truth::unpacked_text("h200/devset.sass");
    let address = regex::Regex::new(r"^\s+/\*[0-9a-f]{4,}\*/\s+(\S.*?;)").unwrap();
    let listed = sass.lines().filter_map(|line| address.captures(line)).map(|found| base(&found[1]).to_owned());
    let before = opcodes.len();
    opcodes.extend(listed);
    assert!(before > 70 && opcodes.contains("ULEA"), "the listing must have been read: {opcodes:?}");
    let without: Vec<_> = opcodes.iter().filter(|opcode| !Op::of(opcode).is_known()).collect();
    assert_eq!(without, [] as [&String; 0]);
}

#[test]
fn instructions_of_each_chip_have_the_class_an_engineer_expects() {
    for (opcode, class) in [
        ("LDGSTS.E.BYPASS.128", "async-copy"),
        ("UTMALDG.2D", "tma"),
        ("UBLKCP.S.G", "tma"),
        ("LDSM.16.M88.4", "matrix-load"),
        ("HMMA.16816.F32", "tensor-mma"),
        ("QGMMA.64x256x32.F32.E4M3.E4M3", "tensor-wgmma"),
        ("UTCQMMA.2CTA", "tensor-tcgen05"),
        ("LDTM.x8", "tensor-memory"),
        ("SYNCS.PHASECHK.TRANS64.TRYWAIT", "barrier"),
        ("STG.E.ENL2.256", "global-store"),
        ("F2FP.BF16.F32.PACK_AB", "conversion"),
        ("XMAD.MRG", "integer"),
        ("FENCE.VIEW.ASYNC", "fence"),
        ("REDG.E.ADD", "atomic"),
    ] {
        assert_eq!(Op::of(opcode).class().map(Class::id), Some(class), "{opcode}");
    }
}

#[test]
fn tables_for_the_page_are_measured_by_a_full_report() {
    let full: BTreeSet<String> = columns("gemm_bias_v1.raw.csv").into_iter().collect();
    for id in ["speed-of-light", "scheduler", "occupancy", "launch", "local-memory"] {
        for row in table(id).unwrap().rows.iter().filter_map(|id| metric(id)) {
            assert!(row.spellings().any(|name| full.contains(name)), "{id}: {}", row.id);
        }
    }
    // Tensor memory came with chips later than the one of this report.
    for table in tables().iter().filter(|table| table.id != "tensor-memory") {
        let found = table
            .rows
            .iter()
            .filter_map(|id| metric(id))
            .filter(|row| row.spellings().any(|name| full.contains(name)))
            .count();
        assert!(
            2 * found > table.rows.len(),
            "{}: only {found} of {} are in a full report",
            table.id,
            table.rows.len()
        );
    }
}

#[test]
fn chip_limits_are_those_that_devices_state() {
    let mut compared = BTreeSet::new();
    for row in facts("catalog/device-limits.tsv") {
        let (major, minor) = row[0].split_once('.').unwrap();
        let limits = chip((major.parse().unwrap(), minor.parse().unwrap())).unwrap();
        let ours = match row[1].as_str() {
            "max_warps_per_multiprocessor" => limits.max_warps_per_sm,
            "max_threads_per_multiprocessor" => limits.max_threads_per_sm,
            "limits_max_cta_per_sm" => limits.max_blocks_per_sm,
            "max_threads_per_block" => limits.max_threads_per_block,
            "max_registers_per_multiprocessor" => limits.registers_per_sm,
            "max_registers_per_thread" => limits.max_registers_per_thread,
            "num_schedulers_per_multiprocessor" => limits.schedulers_per_sm,
            "max_shared_memory_per_multiprocessor" => limits.shared_per_sm,
            "max_shared_memory_per_block_optin" => limits.shared_per_block_max,
            "reserved_shared_memory_per_block" => limits.shared_reserved_per_block,
            other => panic!("no field for {other}"),
        };
        assert_eq!(ours.to_string(), row[2], "{} of {}", row[1], row[0]);
        compared.insert(limits.arch);
    }
    // These have no report at hand.
    let left: Vec<_> = chips().iter().map(|row| row.arch).filter(|arch| !compared.contains(arch)).collect();
    assert_eq!(left, ["sm_87", "sm_103"]);
}

#[test]
fn tensor_rates_are_those_that_the_report_states() {
    let text = crate::truth::bytes("gemm_bias_v1.raw.csv");
    let mut reader = csv::Reader::from_reader(&text[..]);
    let headers = reader.headers().unwrap().clone();
    let values = reader.records().nth(1).unwrap().unwrap();
    let rates = &chip((9, 0)).unwrap().tensor.as_ref().unwrap().dense;
    for (input, name) in [
        ("fp16", "sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off.avg.peak_sustained"),
        ("bf16", "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.avg.peak_sustained"),
        ("tf32", "sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32_sparsity_off.avg.peak_sustained"),
        ("int8", "sm__ops_path_tensor_op_igmma_src_int8_sparsity_off.avg.peak_sustained"),
        ("fp8", "sm__ops_path_tensor_src_fp8_sparsity_off.avg.peak_sustained"),
        ("fp64", "sm__ops_path_tensor_src_fp64.avg.peak_sustained"),
    ] {
        let column = headers.iter().position(|header| header == name).unwrap();
        let stated: f64 = values[column].replace(',', "").parse().unwrap();
        assert_eq!(f64::from(rates[input]), stated, "{input}");
    }
}
