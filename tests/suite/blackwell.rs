//! Profiles of a data-centre Blackwell chip: readings of a B200 as a public report has them, and those that ncu's list of metrics
//! for the chip names for a product of the fifth-generation tensor cores, with numbers made up.

use crate::judged;
use kernel_audit::analysis::{Audit, Work, want};
use kernel_audit::catalog;
use kernel_audit::evidence::{Device, Dim3, Instance, Launch, Metric, Report, Value};
use kernel_audit::quantity::Unit;
use kernel_audit::source;
use std::path::Path;

const ELAPSED: &str = ".avg.pct_of_peak_sustained_elapsed";

fn metric(name: &str, value: f64) -> Metric {
    let unit = match name {
        _ if name.ends_with(ELAPSED) => "%",
        "gpu__time_duration.sum" => "ns",
        _ if name.contains("cycles") && name.ends_with(".per_second") => "Hz",
        _ if name.contains("cycles") => "cycle",
        _ if name.contains("inst_executed") => "inst",
        _ => "",
    };
    Metric { name: name.into(), unit: Unit::new(unit), value: Some(Value::F64(value)), instances: Box::default() }
}

fn by_opcode(name: &str, counts: &[(&str, u64)]) -> Metric {
    let instance =
        |(opcode, count): &(&str, u64)| Instance { id: Value::Text((*opcode).into()), value: Value::U64(*count) };
    Metric {
        instances: counts.iter().map(instance).collect(),
        ..metric(name, counts.iter().map(|(_, n)| *n as f64).sum())
    }
}

/// The audit of one launch on a B200 with these readings.
fn audit(grid: u64, block: u64, readings: Vec<Metric>) -> Audit {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/labelled/stream_triad.ncu-repz");
    let mut report: Report = source::read_profile(&fixtures, &want()).unwrap();
    report.launches.truncate(1);
    let launch: &mut Launch = &mut report.launches[0];
    launch.device = Device {
        name: "NVIDIA B200".into(),
        compute_capability: Some((10, 0)),
        sm_count: Some(148),
        ..launch.device.clone()
    };
    launch.grid = Some(Dim3([grid, 1, 1]));
    launch.block = Some(Dim3([block, 1, 1]));
    launch.rules.clear();
    launch.metrics = readings;
    launch.metrics.push(metric("launch__sm_count", 148.0));
    launch.metrics.push(metric("launch__grid_size", grid as f64));
    launch.metrics.push(metric("launch__block_size", block as f64));
    launch.metrics.sort_by(|a, b| a.name.cmp(&b.name));
    judged::audit(&report, &[], &Work::default())
}

/// Counters in percent of peak, with the two lists that name them as parts of the throughputs.
fn of_peak(shares: &[(&str, f64)]) -> Vec<Metric> {
    let whole = |counter: &str| counter.contains("throughput") && !counter.starts_with("lts");
    let list = |throughput: &str, is_sm: bool| {
        let parts = shares.iter().filter(|(counter, _)| !whole(counter) && counter.starts_with("sm__") == is_sm);
        let names: Vec<String> = parts.map(|(counter, _)| format!("{counter}{ELAPSED}")).collect();
        let name = format!("breakdown:{throughput}{ELAPSED}");
        Metric { value: Some(Value::Text(names.join(",").into())), ..metric(&name, 0.0) }
    };
    let all = shares.iter().map(|(counter, percent)| metric(&format!("{counter}{ELAPSED}"), *percent));
    all.chain([list("sm__throughput", true), list("gpu__compute_memory_throughput", false)]).collect()
}

fn unit(audit: &Audit, name: &str) -> Option<f64> {
    audit.now.bottleneck.units.iter().find(|unit| unit.name == name).map(|unit| 100.0 * unit.share)
}

/// An INT8 product by `mma.sync` in 64 blocks.
#[test]
fn the_readings_of_a_public_report_name_the_tensor_pipe_and_no_idle_one() {
    let mut readings = of_peak(&[
        ("sm__throughput", 12.494_739_124_943_102),
        ("gpu__compute_memory_throughput", 21.702_902_954_431_17),
        ("sm__pipe_tensor_cycles_active", 12.494_739_124_943_102),
        ("sm__pipe_shared_cycles_active", 12.494_739_124_943_102),
        ("sm__pipe_tc_cycles_active", 0.0),
        ("sm__mem_tensor_cycles_active", 0.0),
        ("sm__pipe_alu_cycles_active", 4.249_309_472_911_557),
        ("sm__pipe_fp64_cycles_active", 0.0),
        ("sm__issue_active", 7.333_338_099_698_05),
        ("l1tex__data_pipe_lsu_wavefronts", 21.702_902_954_431_17),
        ("l1tex__lsuin_requests", 5.405_438_898_779_096),
        ("lts__throughput", 5.027_555_873_782_818),
        ("dram__cycles_active", 0.497_352_970_694_500_2),
    ]);
    let counts = [
        ("gpu__time_duration.sum", 49_952.0),
        ("gpc__cycles_elapsed.max", 57_528.0),
        ("sm__cycles_active.avg", 20_773.662_162_162_163),
        ("sm__cycles_elapsed.avg", 56_703.648_648_648_65),
        ("launch__waves_per_multiprocessor", 0.216_216_216_216_216_23),
        ("launch__registers_per_thread", 122.0),
    ];
    readings.extend(counts.map(|(name, value)| metric(name, value)));
    let audit = audit(64, 256, readings);
    assert_eq!(audit.now.bottleneck.limiter.to_string(), "launch-small-grid");
    assert_eq!(
        unit(&audit, "tensor pipe").map(|share| (100.0 * share).round()),
        Some(1249.0),
        "{:?}",
        audit.now.bottleneck.units
    );
}

#[test]
fn a_product_of_the_fifth_generation_is_limited_by_the_tensor_pipe_and_has_its_roofline() {
    const PRODUCTS: &str = "sm__ops_path_tensor_op_utcqmma_src_fp4_fp6_fp8_dst_fp32_sparsity_off";
    let shares = [
        ("sm__throughput", 91.0),
        ("gpu__compute_memory_throughput", 48.0),
        ("sm__pipe_tc_cycles_active", 91.0),
        ("sm__inst_executed_pipe_tc", 3.0),
        ("sm__mem_tensor_cycles_active", 44.0),
        ("sm__issue_active", 9.0),
        ("lts__throughput", 48.0),
        ("dram__cycles_active", 31.0),
    ];
    let mut readings = of_peak(&shares);
    // 2²⁰ operations a cycle at 1.5 GHz are 1.573 P a second; 1.4 P of them are 89 %.
    let rates = [
        (format!("{PRODUCTS}.sum.per_second"), 1.4e15),
        (format!("{PRODUCTS}.sum.peak_sustained"), f64::from(1_u32 << 20)),
    ];
    readings.extend(rates.iter().map(|(name, value)| metric(name, *value)));
    let counts = [
        ("gpu__time_duration.sum", 800_000.0),
        ("gpc__cycles_elapsed.max", 1_200_000.0),
        ("sm__cycles_active.avg", 1_190_000.0),
        ("sm__cycles_elapsed.avg", 1_200_000.0),
        ("sm__cycles_elapsed.avg.per_second", 1.5e9),
        ("smsp__inst_executed.sum", 3_500_000.0),
        ("launch__waves_per_multiprocessor", 1.0),
        ("launch__registers_per_thread", 68.0),
    ];
    readings.extend(counts.map(|(name, value)| metric(name, value)));
    for reading in &readings {
        let name = reading.name.split('.').next().unwrap();
        assert!(
            ["launch__", "breakdown:"].iter().any(|own| name.starts_with(own)) || catalog::is_on_chip(name, "gb100"),
            "{name}"
        );
    }
    let opcodes = [("UTCQMMA.2CTA", 522_144), ("LDTM.x16", 696_192), ("UTMALDG.2D.2CTA", 522_144)];
    readings.push(by_opcode("sass__inst_executed_per_opcode_with_modifier_all", &opcodes));
    let bases = opcodes.map(|(opcode, count)| (opcode.split('.').next().unwrap(), count));
    readings.push(by_opcode("sass__inst_executed_per_opcode", &bases));
    let audit = audit(148, 192, readings);
    assert_eq!(audit.now.bottleneck.limiter.to_string(), "compute-tensor");
    assert_eq!(unit(&audit, "tensor pipe").map(f64::round), Some(91.0), "{:?}", audit.now.bottleneck.units);
    let tensor: Vec<_> =
        audit.now.roofline.ceilings.iter().filter(|ceiling| ceiling.id.starts_with("tensor-")).collect();
    assert_eq!(tensor.len(), 1, "{tensor:?}");
    assert_eq!(tensor[0].label, "tensor pipe, FP4 (UTCQMMA, FP32 result)");
    assert!((tensor[0].share().unwrap() - 100.0 * 1.4e15 / (f64::from(1_u32 << 20) * 1.5e9)).abs() < 1e-6);
}
