//! Reports that are well formed on the outside and hold anything.

use crate::change::Random;
use prost::encoding::encode_varint;

fn number(field: u32, value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_varint(u64::from(field << 3), &mut bytes);
    encode_varint(value, &mut bytes);
    bytes
}

fn nested(field: u32, contents: impl AsRef<[u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_varint(u64::from(field << 3 | 2), &mut bytes);
    encode_varint(contents.as_ref().len() as u64, &mut bytes);
    bytes.extend_from_slice(contents.as_ref());
    bytes
}

/// Metrics that pages are made of.
pub(crate) const METRICS: [&str; 34] = [
    "gpu__time_duration.sum",
    "gpc__cycles_elapsed.max",
    "sm__cycles_active.avg",
    "launch__block_size",
    "launch__grid_size",
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_allocated",
    "launch__shared_mem_per_block_static",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_barriers",
    "launch__waves_per_multiprocessor",
    "launch__occupancy_per_register_count",
    "launch__occupancy_per_block_size",
    "launch__thread_count",
    "device__attribute_max_shared_memory_per_multiprocessor",
    "device__attribute_multiprocessor_count",
    "device__attribute_compute_capability_major",
    "device__attribute_compute_capability_minor",
    "derived__lts__lts2xbar_bytes.sum.per_second",
    "derived__l1tex__lsu_writeback_bytes_mem_lgds.sum.peak_sustained",
    "dram__bytes.sum",
    "dram__bytes.sum.per_second",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "smsp__inst_executed.sum",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__pcsamp_sample_buffer_full",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sass__inst_executed_per_opcode",
    "profiler__replayer_passes",
    "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed",
];

fn value(random: &mut Random) -> Vec<u8> {
    match random.below(6) {
        0 => nested(1, "a\u{202e}<b>|`[x](https://y)"),
        1 => [&[2 << 3 | 5][..], &(random.value() as f32).to_le_bytes()].concat(),
        2 => number(4, random.edge()),
        3 => number(5, random.edge()),
        _ => [&[3 << 3 | 1][..], &random.value().to_le_bytes()].concat(),
    }
}

fn rule(random: &mut Random) -> Vec<u8> {
    let column = |random: &mut Random| {
        let cells: Vec<u8> = (0..random.below(5)).flat_map(|_| nested(4, "cell")).collect();
        nested(2, [nested(1, "column"), cells].concat())
    };
    let columns: Vec<u8> = (0..random.below(6)).flat_map(|_| column(random)).collect();
    let speedup =
        nested(10, [number(1, random.edge()), [&[2 << 3 | 1][..], &random.value().to_le_bytes()].concat()].concat());
    let item =
        [nested(1, [nested(1, "said"), number(2, random.edge())].concat()), speedup, nested(12, columns)].concat();
    [nested(1, "Rule"), nested(2, "Rule"), nested(3, nested(1, item))].concat()
}

/// A report of a few launches with metrics of any value.
pub(crate) fn report(random: &mut Random) -> Vec<u8> {
    let names: Vec<u8> = METRICS.iter().flat_map(|name| nested(1, name)).collect();
    let mut entries: Vec<(u32, Vec<u8>)> = Vec::new();
    for _ in 0..=random.below(3) {
        let mut kernel = [nested(5, "_Z1kPf"), nested(6, "k"), nested(7, "k(float*)")].concat();
        for at in 0..METRICS.len() {
            if random.one_in(4) {
                continue;
            }
            let mut metric = [number(1, at as u64), nested(2, value(random))].concat();
            for _ in 0..random.below(4) {
                metric.extend(nested(3, [nested(1, value(random)), nested(2, value(random))].concat()));
            }
            kernel.extend(nested(13, metric));
        }
        if random.one_in(3) {
            kernel.extend(nested(19, rule(random)));
        }
        if random.one_in(8) {
            let (field, contents) = (random.below(40) as u32, random.edge().to_le_bytes());
            kernel.extend(nested(field, contents));
        }
        entries.push((if random.one_in(6) { [1, 7, 8, 9][random.below(4)] } else { 2 }, kernel));
    }
    let mut header = nested(4, names);
    if random.one_in(2) {
        header.extend(nested(3, nested(11, "ncu --set full -o x ./app --token=x")));
    }
    header.extend(nested(6, [number(1, random.edge()), nested(3, "/x/app")].concat()));
    for kind in [1, 2, 7, 8, 9] {
        let count = entries.iter().filter(|(own, _)| *own == kind).count() as u64;
        header.extend(number(kind, if random.one_in(40) { random.edge() } else { count }));
    }
    entries.sort_by_key(|(kind, _)| *kind);
    let sized = |message: &[u8]| [&(message.len() as u32).to_le_bytes()[..], message].concat();
    let payload: Vec<u8> = entries.iter().flat_map(|(_, entry)| sized(entry)).collect();
    header.extend(number(5, payload.len() as u64));
    [b"NVR\0".to_vec(), sized(&[8, 7]), sized(&header), payload].concat()
}
