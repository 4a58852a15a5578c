//! The unit of every metric that ncu writes, from its name: reports do not store units.
//!
//! Hardware metrics take theirs from [`super::metric_table`] and the suffix, all others from rules over the name. Where
//! NVIDIA's own tools print a unit by chance (for names that their library does not know on a chip they look for any
//! unit word in the name), the unit here is the one that fits what is counted.

use super::metric_table::{CounterClass, MetricBase, MetricType, split};
use crate::Unit;

/// The base unit of a metric, as `ncu --print-units base` prints it.
pub fn unit_of(metric_name: &str) -> Unit {
    let name = metric_name.strip_prefix("pmsampling:").unwrap_or(metric_name);
    // A share of a peak is in percent whatever is counted; lists of names have no unit.
    if name.contains(".pct") && !name.starts_with("group:") && !name.starts_with("regex:") {
        return Unit::PERCENT;
    }
    let known = split(name).or_else(|| split(without_group(name)?));
    match known {
        Some((base, suffix)) => of_hardware(&base, suffix),
        None => of_other(name),
    }
}

/// `TPC.TriageCompute.sm__x.avg` without its group, `sm__x.avg`; `None` when there is no group.
fn without_group(name: &str) -> Option<&str> {
    let unit_end = name.find("__")?;
    let group_end = name[..unit_end].rfind('.')?;
    Some(&name[group_end + 1..])
}

fn of_hardware(base: &MetricBase, suffix: &str) -> Unit {
    match base.metric_type {
        _ if suffix.contains(".pct") => Unit::PERCENT,
        MetricType::Throughput => Unit::PERCENT,
        MetricType::Ratio if matches!(suffix, ".ratio" | ".max_rate") => Unit::fixed(base.unit),
        MetricType::Ratio => Unit::NONE,
        MetricType::Counter => of_counter(base.unit, base.class, suffix),
    }
}

/// The unit of a counter with a suffix such as `.sum`, `.avg.per_second`, `.sum.peak_sustained_active.per_second`.
fn of_counter(unit: &'static str, class: CounterClass, suffix: &str) -> Unit {
    let rate = suffix.trim_start_matches('.').split_once('.').map_or("", |(_rollup, rate)| rate);
    if rate.is_empty() || (rate.starts_with("peak_sustained_") && !rate.ends_with(".per_second")) {
        return Unit::fixed(unit);
    }
    if rate.ends_with("per_second") {
        return match class {
            CounterClass::Plain | CounterClass::Level => over(unit, "s"),
            CounterClass::Cycle => Unit::HZ,
            CounterClass::Count | CounterClass::CountLevel => over("1", "s"),
            CounterClass::Unknown => Unit::NONE,
        };
    }
    if rate.starts_with("per_cycle_") || rate == "peak_sustained" {
        return match class {
            CounterClass::Plain => over(unit, "cycle"),
            CounterClass::Level => Unit::fixed(unit),
            CounterClass::Count => over("1", "cycle"),
            CounterClass::Cycle | CounterClass::CountLevel | CounterClass::Unknown => Unit::NONE,
        };
    }
    Unit::NONE
}

fn over(unit: &str, per: &str) -> Unit {
    Unit::new(&format!("{unit}/{per}"))
}

/// The unit of a metric that no counter library lists, by the family that its name begins with.
fn of_other(name: &str) -> Unit {
    let family = |prefix: &str| name.strip_prefix(prefix);
    if let Some(rest) = family("launch__") {
        Unit::fixed(of_launch(rest))
    } else if let Some(rest) = family("derived__") {
        of_derived(rest)
    } else if let Some(rest) = family("profiler__") {
        Unit::fixed(of_profiler(rest))
    } else if let Some(rest) = family("smsp__pcsamp_") {
        Unit::fixed(of_sampler(rest))
    } else if let Some(rest) = family("sass__") {
        Unit::fixed(if rest.starts_with("inst_executed_") && !rest.contains("_per_opcode") { "inst" } else { "" })
    } else if name.contains(".pct") || name.ends_with("_pct") {
        Unit::PERCENT
    } else if without_unit(name) {
        Unit::NONE
    } else {
        of_counted(name)
    }
}

/// Lists of names, attributes and topology, codes: numbers that count nothing.
fn without_unit(name: &str) -> bool {
    const PREFIXES: [&str; 7] =
        ["group:", "breakdown:", "regex:", "device__attribute_", "nvlink__", "c2clink__", "numa__"];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || name.starts_with("derived_tempMetric")
        || matches!(name, "memory_type" | "memory_access_type" | "memory_access_size_type")
}

fn of_launch(rest: &str) -> &'static str {
    match rest {
        "cluster_max_potential_size" | "uses_blocks_as_clusters" => "block",
        "cluster_max_active" => "cluster",
        "occupancy_cluster_pct" | "occupancy_cluster_gpu_pct" => "%",
        "persisting_l2_cache_size" | "shared_mem_config_size" => "byte",
        "sm_count" => "SM",
        "thread_count" => "thread",
        _ if rest.starts_with("block_dim_") || rest.starts_with("occupancy_limit_") => "block",
        _ if rest.starts_with("shared_mem_per_block") => "byte/block",
        _ if rest.starts_with("registers_per_thread") => "register/thread",
        _ => "",
    }
}

fn of_derived(rest: &str) -> Unit {
    match rest {
        "pct_occupancy_per_block_size" => Unit::PERCENT,
        "pct_occupancy_per_register_count" => Unit::fixed("%/register"),
        "pct_occupancy_per_shared_mem_size" => Unit::fixed("%/byte"),
        "pct_occupancy_per_barrier_count" => Unit::NONE,
        "memory_l2_theoretical_sectors_global_excessive" | "memory_l2_sectors_global_excessive" => Unit::SECTOR,
        _ if rest.starts_with("avg_thread_") || rest.starts_with("derivative_avg_thread_") => Unit::THREAD,
        _ if rest.ends_with("_pct") || rest.contains(".pct") => Unit::PERCENT,
        _ if rest.contains("sass_thread_inst_executed_op_") => Unit::THREAD,
        _ if rest.starts_with("lts__lts2xbar_bytes") => Unit::BYTE,
        _ => Unit::NONE,
    }
}

fn of_profiler(rest: &str) -> &'static str {
    match rest {
        "pmsampler_buffer_size_bytes" => "byte",
        "pmsampler_interval_time" => "ns",
        "pmsampler_interval_cycles" => "cycle",
        "pmsampler_merged_samples" | "pmsampler_dropped_samples" => "sample",
        _ if rest.starts_with("replayer_bytes_") => "byte",
        _ if rest.starts_with("replayer_passes") => "pass",
        _ => "",
    }
}

fn of_sampler(rest: &str) -> &'static str {
    match rest {
        "buffer_size_bytes" | "dropped_bytes" => "byte",
        "interval_cycles" => "cycle",
        "aggregated_passes" => "pass",
        _ => match rest.strip_prefix("warps_issue_stalled_") {
            Some(reason) if reason.starts_with("branch_resolving") => "branches",
            Some(reason) if reason.starts_with("no_inst") => "inst",
            Some(_) => "warp",
            None => "",
        },
    }
}

/// What names of older versions and other chips say that they count.
fn of_counted(name: &str) -> Unit {
    match name {
        "sm__maximum_warps_avg_per_active_cycle" | "smsp__maximum_warps_avg_per_active_cycle" => return Unit::WARP,
        "smsp__branch_targets_threads_divergent" => return Unit::fixed("branches"),
        "inst_executed" | "thread_inst_executed" | "thread_inst_executed_true" => return Unit::INST,
        _ => {}
    }
    if name.starts_with("smsp__") && name.contains("inst_executed_memdesc_explicit_") {
        return if name.ends_with("_evict_type") { Unit::NONE } else { Unit::INST };
    }
    if name.starts_with("memory_l1_") || name.starts_with("memory_l2_") {
        return match name {
            _ if name.contains("_transactions") => Unit::NONE,
            _ if name.starts_with("memory_l2_sectors_") => Unit::SECTOR,
            _ => Unit::fixed("sectors"),
        };
    }
    if name.contains("__t_bytes_") {
        return Unit::BYTE;
    }
    Unit::NONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_change_the_unit_of_a_counter() {
        for (name, unit) in [
            ("dram__bytes.sum", "byte"),
            ("dram__bytes.sum.per_second", "byte/s"),
            ("dram__bytes.sum.peak_sustained", "byte/cycle"),
            ("dram__bytes.sum.pct_of_peak_sustained_elapsed", "%"),
            ("sm__cycles_elapsed.avg.per_second", "hz"),
            ("sm__cycles_elapsed.max", "cycle"),
            ("smsp__inst_executed.avg.per_cycle_active", "inst/cycle"),
            ("sm__warps_active.avg.per_cycle_active", "warp"),
            ("gpu__time_duration.sum", "ns"),
            ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"),
            ("pmsampling:dram__bytes.sum", "byte"),
            ("XYZ.TriageOther.dram__bytes.sum.per_second", "byte/s"),
        ] {
            assert_eq!(unit_of(name).as_str(), unit, "{name}");
        }
    }

    #[test]
    fn where_nvidia_prints_a_unit_by_chance_the_fitting_one_is_given() {
        for (name, unit) in [
            ("derived__memory_l2_theoretical_sectors_global_excessive", "sector"),
            ("derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2", "thread"),
            ("lts__average_gcomp_input_sector_success_rate.pct", "%"),
            ("sm__sol_pct", "%"),
            ("lts__t_bytes_srcunit_tex_op_read", "byte"),
            ("memory_l2_sectors_local", "sector"),
        ] {
            assert_eq!(unit_of(name).as_str(), unit, "{name}");
        }
    }
}
