//! What limits is what the launch would save most without: on reports of which single readings are set by hand.

use crate::judged;
use crate::pairs;
use crate::rules::{report, set, with};
use kernel_audit::analysis::{Audit, Because, Lever, StallBasis, Where, Work};
use kernel_audit::catalog::{Code, Part, StallReason};
use kernel_audit::evidence::{Dim3, Value};

fn limiter(audit: &Audit) -> Code {
    audit.now.bottleneck.limiter
}

fn collected(name: &str, readings: &[(&str, f64)]) -> Audit {
    with(&format!("collected/{name}/profile"), readings)
}

/// Twice the cycles of conflicts where DRAM carries the launch leave DRAM what limits.
#[test]
fn a_cause_of_what_is_not_full_limits_nothing() {
    let shared = [("memory_l1_wavefronts_shared", 3.0e7), ("memory_l1_wavefronts_shared_ideal", 1.7e7)];
    let audit = collected("transpose_padded", &shared);
    assert_eq!(limiter(&audit), Code::Unit(Part::MemoryDram));
    assert_eq!(limiter(&collected("transpose_tiled", &[])), Code::SharedBankConflicts);
}

/// Both wait for loads for most of their time: one in front of DRAM at 56 %, with loads that take 2.75 times as long as in an idle
/// chip, the other with loads that take 1.24 times as long.
#[test]
fn loads_that_queue_are_the_memory_s_and_loads_that_do_not_are_latency() {
    assert_eq!(limiter(&collected("hash_probe", &[])), Code::Unit(Part::MemoryDram));
    assert_eq!(limiter(&collected("kv_gather", &[])), Code::Wait(StallReason::LongScoreboard));
}

#[test]
fn time_with_empty_sms_is_weighed_with_the_units() {
    // 132 blocks on 132 SMs, of which the average works for 0.3 of the time of the busiest.
    let (most, average) = ("sm__cycles_active.max", "sm__cycles_active.avg");
    let cycles = 1.0e6;
    let at = |part: f64| {
        let time = [("gpc__cycles_elapsed.max", cycles), ("sm__cycles_elapsed.avg", cycles), (most, 0.99 * cycles)];
        limiter(&collected("fp64_bound", &[&time[..], &[(average, part * cycles)]].concat()))
    };
    assert_eq!(at(0.97), Code::Unit(Part::ComputeFp64));
    assert_eq!(at(0.3), Code::LaunchTail);
}

/// Half of the warps that fit are there, and each has one load in flight: loads side by side save more.
#[test]
fn missing_warps_limit_where_filling_their_slots_saves_more_than_loads_side_by_side() {
    let achieved = |percent: f64| {
        limiter(&collected("layernorm", &[("sm__warps_active.avg.pct_of_peak_sustained_active", percent)]))
    };
    assert_eq!(achieved(12.0), Code::LaunchUnderfilled);
    assert_eq!(achieved(60.0), Code::Wait(StallReason::LongScoreboard));
}

/// Barriers around two loads and a store are an exchange in rounds; around a tile they are not.
#[test]
fn rounds_of_barriers_are_told_from_tiles() {
    assert_eq!(limiter(&collected("barrier_reduction", &[])), Code::Wait(StallReason::Barrier));
    assert_eq!(limiter(&collected("jacobi_tiles", &[])), Code::Unit(Part::MemoryShared));
}

/// What saves nearly as much is named with both numbers, and lowers the confidence.
#[test]
fn what_cannot_be_told_apart_is_named_as_well() {
    let audit = collected("mxfp4_grouped_matmul", &[]);
    let said = audit.now.bottleneck.sentence.to_plain();
    assert!(
        said.contains("Too near to tell apart")
            && said.contains("from launch-tail (SMs idle before the launch ends): about")
            && said.contains("goes with the first, 12."),
        "{said}"
    );
    assert!(matches!(audit.now.bottleneck.because, Because::Near(..)), "{:?}", audit.now.bottleneck.because);
    let sure = collected("stream_triad", &[]);
    assert!(!sure.now.bottleneck.sentence.to_plain().contains("Too near"));
}

/// Products that wait for the warps which fill their stages are no work of the tensor pipe: the page names who is late, and with what.
#[test]
fn the_producer_is_named_where_it_sets_the_pace() {
    for name in ["mxfp4_moe_w1_swiglu", "mxfp4_moe_w2", "mxfp4_grouped_matmul"] {
        let audit = collected(name, &[]);
        assert_eq!(limiter(&audit), Code::SyncMbarrier, "{name}");
        let said = audit.now.bottleneck.sentence.to_plain();
        assert!(said.contains("The producer sets the pace") && said.contains("write_block"), "{said}");
    }
    // Steps that keep the pipe full wait for nobody.
    assert_eq!(limiter(&collected("patch_embed_gemm_8_prefetch", &[])), Code::Unit(Part::ComputeTensor));
}

/// What warps wait for beside products is told apart by the instruction: operands of `mma.sync` through shared memory, and instructions
/// one behind the other, are no queue of a tensor pipe that is half idle.
#[test]
fn an_idle_tensor_pipe_limits_nothing() {
    for (kernel, code) in [("mma_two_stages", "memory-shared"), ("wgmma_kept", "latency-wait")] {
        assert_eq!(pairs::launch(kernel).verdict.limiter, code, "{kernel}");
    }
    let between = collected("wmma_gemm", &[]).now.bottleneck.sentence.to_plain();
    assert!(between.contains("of that between products"), "{between}");
}

/// The parts of the elapsed time are shares of one whole, and slots that stay empty between short blocks are told as turnover.
#[test]
fn the_time_before_any_unit_is_split() {
    for name in ["softmax_rows", "queens_search", "stream_triad", "attention_prefill"] {
        let audit = collected(name, &[]);
        let time = audit.now.bottleneck.time.expect("measured");
        let parts = [time.ramp, time.tail, time.turnover, time.uneven];
        assert!(
            parts.iter().all(|part| (0.0..1.0).contains(part)) && parts.iter().sum::<f64>() < 1.0,
            "{name}: {time:?}"
        );
        assert_eq!(time.turnover > 0.2, name == "softmax_rows", "{name}: {time:?}");
        assert_eq!(time.uneven > 0.1, name == "queens_search", "{name}: {time:?}");
    }
}

/// A hundredth more or less of any unit does not move what limits.
#[test]
fn no_threshold_decides_from_day_to_day() {
    for (name, counter, share) in [
        ("mxfp4_moe_w2", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 80.9),
        ("l2_resident", "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed", 60.0),
        ("topk_rows", "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", 85.0),
    ] {
        let at = |share: f64| limiter(&collected(name, &[(counter, share)]));
        assert_eq!(at(share - 1.0), at(share + 1.0), "{name}");
    }
}

/// A report of these counters alone.
fn only(name: &str, readings: &[(&str, f64)]) -> Audit {
    let path = crate::brief_sections::fixtures().join(format!("collected/{name}/profile.ncu-repz"));
    let (mut report, _) = crate::brief_sections::read(&path).expect("a report");
    let metrics = &mut report.launches[0].metrics;
    metrics.retain(|metric| readings.iter().any(|(own, _)| *metric.name == **own));
    for metric in metrics.iter_mut() {
        let value = readings.iter().find(|(own, _)| *metric.name == **own).map(|(_, value)| Value::F64(*value));
        metric.value = value;
    }
    judged::audit(&report, &[], &Work::default())
}

const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
const L2: &str = "lts__throughput.avg.pct_of_peak_sustained_elapsed";

#[test]
fn a_roll_up_is_a_unit_where_its_parts_are_absent() {
    let full = only("fp32_peak", &[(SM, 95.0), (L2, 30.0)]);
    assert_eq!(limiter(&full), Code::Unit(Part::UnknownUnit), "{:?}", full.now.bottleneck);
    assert!(full.now.bottleneck.sentence.to_plain().starts_with("The SMs are at 95.0 % of peak"));
    // With its parts it says nothing of its own.
    let parts = collected("fp32_peak", &[]);
    assert!(parts.now.bottleneck.units.iter().all(|unit| unit.part != Part::UnknownUnit));
}

#[test]
fn work_and_latency_are_told_apart_only_where_both_sides_were_measured() {
    let said = |readings: &[(&str, f64)]| {
        let audit = only("fp32_peak", readings);
        (limiter(&audit), audit.now.bottleneck.sentence.to_plain())
    };
    let (both, sentence) = said(&[(SM, 30.0), (L2, 20.0)]);
    assert!(both == Code::Latency && sentence.starts_with("No unit is saturated"), "{sentence}");
    let (one, sentence) = said(&[(L2, 20.0)]);
    assert!(one == Code::NotMeasured && sentence.contains("nothing of the SMs"), "{sentence}");
    // Roll-ups that are equal are the LSU, a part of the SMs and of memory: nothing of the SMs is above it.
    assert_eq!(said(&[(SM, 30.0), (MEMORY, 30.0)]).0, Code::Latency);
}

#[test]
fn a_share_of_active_cycles_is_one_of_the_launch_only_where_those_were_counted() {
    let xu = ("sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", 90.0);
    let cycles = [("sm__cycles_active.avg", 500.0), ("sm__cycles_elapsed.avg", 1000.0)];
    let shares = |readings: &[(&str, f64)]| {
        only("fp32_peak", readings).now.bottleneck.units.iter().map(|unit| unit.share).collect::<Vec<f64>>()
    };
    assert_eq!(shares(&[xu]), [] as [f64; 0]);
    assert_eq!(shares(&[&[xu][..], &cycles].concat()), [0.45]);
}

/// A counter at its peak makes its own unit the busiest, whatever else the kernel does.
#[test]
fn every_unit_is_busy_by_its_own_counter() {
    const NAMED: [(&str, Part); 10] = [
        ("lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed", Part::MemoryL2),
        ("dram__cycles_active.avg.pct_of_peak_sustained_elapsed", Part::MemoryDram),
        ("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", Part::MemoryShared),
        ("l1tex__f_wavefronts.avg.pct_of_peak_sustained_elapsed", Part::MemoryTexture),
        ("sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed", Part::MemoryLsu),
        ("sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", Part::ComputeFp64),
        ("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", Part::ComputeAlu),
        ("sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed", Part::ComputeXu),
        ("sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_elapsed", Part::ComputeControl),
        ("sm__issue_active.avg.pct_of_peak_sustained_elapsed", Part::Issue),
    ];
    let wrong = NAMED.into_iter().filter_map(|(counter, part)| {
        let found = collected("barrier_reduction", &[(counter, 99.0)]).now.bottleneck.units.remove(0);
        (found.part != part || found.counter != counter).then(|| format!("{counter}: {:?}", found.part))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

/// More than a peak allows is said, and limits nothing by itself.
#[test]
fn a_counter_above_its_peak_is_named() {
    let at = |percent: f64| {
        let alu = ("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", percent);
        let audit = collected("pointer_chase", &[alu]);
        audit.now.findings.iter().any(|finding| finding.code == Code::PeakExceeded)
    };
    assert_eq!([99.0, 130.0].map(at), [false, true]);
}

/// SMs without a block are idle, whether or not the report counts the cycles of the busiest.
#[test]
fn idle_multiprocessors_are_told_by_the_average_alone() {
    let hidden = [("sm__cycles_active.max", f64::NAN), ("sm__cycles_elapsed.avg", f64::NAN)];
    let audit = collected("sgemm_async", &hidden);
    assert_eq!(limiter(&audit), Code::LaunchTail);
    let finding = &audit.now.findings[0];
    assert!(
        finding.sentence.to_plain().contains("of the launch without its ramp: "),
        "{}",
        finding.sentence.to_plain()
    );
    let tail = audit.now.bottleneck.time.map(|time| time.tail);
    assert!(tail.is_some_and(|tail| tail > 0.2), "{tail:?}");
}

/// Reasons of another pass that are more than what NVIDIA stores as their sum are shares of their own sum.
#[test]
fn shares_of_the_warps_time_add_up_to_all_of_it() {
    let (report, _) = report("collected/pointer_chase/profile");
    let stored = "smsp__average_warp_latency_per_inst_issued.ratio";
    let half = report.launches[0].value(stored).and_then(Value::as_f64).expect("stored") / 2.0;
    let audit = collected("pointer_chase", &[(stored, half)]);
    let table = audit.now.stalls.table(StallBasis::ShareOfWarpTime).expect("shares");
    let sum: f64 = table.rows.iter().filter_map(|row| row.row.new.value()).sum();
    assert!((sum - 100.0).abs() < 1e-6, "{sum}");
}

/// A launch whose time and cycles are no numbers has run nothing.
#[test]
fn a_launch_without_a_number_has_failed() {
    let (report, _) = report("collected/pointer_chase/profile");
    let names = report.launches[0].metrics.iter().map(|metric| &*metric.name);
    let is_whole = |name: &&str| name.contains("cycles_elapsed") || name.contains("time_duration");
    let times: Vec<&str> = names.filter(is_whole).collect();
    let failed = |ran: usize| {
        let nan = times[ran..].iter().map(|name| (*name, f64::NAN));
        limiter(&collected("pointer_chase", &nan.collect::<Vec<_>>()))
    };
    assert_eq!(failed(0), Code::LaunchFailed);
    assert_ne!(failed(1), Code::LaunchFailed, "{} has a number", times[0]);
}

/// Of 67,108,864 instructions 2,097,152 divisions take 20 each, and 3 where the divisor is known: 17 × 2,097,152 / 67,108,864 = 53.1 %.
#[test]
fn divisions_of_integers_are_what_issue_is_made_of() {
    let wide = pairs::launch("buckets_64");
    assert_eq!(wide.verdict.limiter, "issue");
    let beside = &wide.findings[1];
    assert_eq!(beside.code, "integer-division");
    assert!(
        beside.sentence.starts_with("2.10 M divisions of integers by warps are about 53.1 % of"),
        "{}",
        beside.sentence
    );
    // Half of the bits are half of the divisions, and DRAM is what limits.
    let narrow = pairs::launch("buckets_32");
    assert_eq!(narrow.verdict.limiter, "memory-dram");
    assert!(narrow.findings.iter().any(|found| found.code == "integer-division"));
}

/// By their authors local arrays that keep L2 and a chain of loads busy, rows that a thread walks, and 136 blocks for 132 multiprocessors,
/// whose pipes are idle for most of the time: 78.9 and 68.4 % of the time go without the first two, and 29.3 and 51.8 % without a tail.
#[test]
fn a_cause_of_several_parts_leads_and_a_tail_goes_before_the_pipe_that_it_leaves_idle() {
    let limits = |kernel: &str| pairs::launch(kernel).verdict.limiter.as_str();
    assert_eq!(limits("k_smallest_before"), "local-memory");
    assert_eq!(limits("softmax_a"), "uncoalesced-global-access");
    assert_eq!(limits("covariance_before"), "launch-tail");
}

/// Of two pipes that take turns the one with the queue: 72 % of the throttle stands at the ALU pipe at 66 %, 28 % at the FMA pipe at 74 %. Of
/// others a queue is longer in front of the busier one.
#[test]
fn of_two_pipes_the_one_limits_in_front_of_which_warps_queue() {
    let first = |kernel: &str| &pairs::launch(kernel).findings[0];
    let dates = first("date_parts_before");
    assert_eq!(dates.code, "compute-alu");
    assert!(dates.sentence.ends_with(" 28.3 % of it for the FMA pipe at 73.8 %)."), "{}", dates.sentence);
    assert_eq!(
        ["ntt_blocks_before", "key_switch_before"].map(|kernel| first(kernel).code.as_str()),
        ["compute-fma"; 2]
    );
}

/// Where the ALU pipe has more to do than the tensor pipe beside it, the row says of what; where it has less, there is none.
#[test]
fn what_fills_a_pipe_beside_products_is_named() {
    let at = |alu: f64| {
        let audit =
            collected("mxfp4_grouped_matmul", &[("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", alu)]);
        let found = audit.now.levers.into_iter().find(|lever| lever.code.to_string() == "fewer-instructions");
        found.map(|lever| lever.why.to_plain()).filter(|why| why.contains("of its instructions"))
    };
    let why = at(95.0).expect("a row");
    assert!(why.starts_with("ALU pipe at 9") && why.contains("tensor pipe at"), "{why}");
    assert_eq!(at(10.0), None);
}

/// The pipe of a kernel in double precision under the names that the one of half precision has.
#[test]
fn compute_fp16() {
    let at = |share: f64| {
        let (mut report, views) = report("collected/fp64_bound/profile");
        let half = |name: &str| name.replace("_pipe_fp64", "_pipe_fp16");
        for metric in &mut report.launches[0].metrics {
            let is_pipe = metric.name.contains("_pipe_fp64") && metric.name.contains("pct_of_peak");
            metric.name = half(&metric.name).into();
            let is_other = metric.name.contains("_pipe_shared") && metric.name.contains("pct_of_peak");
            metric.value = metric.value.take().map(|value| match (&value, value.as_f64()) {
                (Value::Text(text), _) => Value::Text(half(text).into()),
                (_, Some(own)) if is_pipe => Value::F64(share * own),
                (_, Some(own)) if is_other => Value::F64(0.5 * own),
                _ => value,
            });
        }
        limiter(&judged::audit(&report, &views, &Work::default())).to_string()
    };
    assert_eq!(limiter(&collected("fp64_bound", &[])).to_string(), "compute-fp64");
    assert_eq!(at(1.0), "compute-fp16");
    assert_ne!(at(0.1), "compute-fp16");
}

/// No part of the chip is busy: what is left are the long scoreboards, here at mbarriers, there at loads.
#[test]
fn sync_mbarrier() {
    let idle = |name: &str| {
        let (mut report, views) = report(&format!("collected/{name}/profile"));
        for metric in &mut report.launches[0].metrics {
            let is_share = metric.name.ends_with("pct_of_peak_sustained_elapsed");
            if let Some(share) = metric.value.as_ref().and_then(Value::as_f64).filter(|_| is_share) {
                metric.value = Some(Value::F64(0.1 * share));
            }
        }
        let audit = judged::audit(&report, &views, &Work::default());
        (limiter(&audit).to_string(), audit.now.bottleneck.sentence.to_plain())
    };
    let (code, words) = idle("patch_embed_gemm_5_staged");
    assert_eq!(code, "sync-mbarrier", "{words}");
    assert_eq!(idle("kv_gather").0, "latency-long-scoreboard");
}

fn lever<'a>(audit: &'a Audit, action: &str) -> Option<&'a Lever> {
    audit.now.levers.iter().find(|lever| lever.code.to_string() == action)
}

/// Equal blocks, one more than fit at once: 1 − (1 / 132 + 1) / 2 = 49.6 % of the time is that of the last wave, and nothing to balance.
/// Of four and a half waves the last one explains at most a tenth.
#[test]
fn one_block_too_many_is_no_unequal_block() {
    let at = |blocks: u32| {
        let (mut report, views) = report("collected/fp64_bound/profile");
        report.launches[0].grid = Some(Dim3([u64::from(blocks), 1, 1]));
        let cycles = 1.0e6;
        for (name, value) in [
            ("gpc__cycles_elapsed.max", cycles),
            ("sm__cycles_elapsed.avg", cycles),
            ("sm__cycles_active.max", 0.99 * cycles),
            ("sm__cycles_active.avg", 0.5 * cycles),
            ("launch__waves_per_multiprocessor", f64::from(blocks) / 132.0),
        ] {
            set(&mut report, name, value);
        }
        judged::audit(&report, &views, &Work::default())
    };
    let one_more = at(133);
    assert!(lever(&one_more, "even-blocks").is_none(), "{:?}", one_more.now.levers);
    let waves = lever(&one_more, "whole-waves").expect("a lever");
    assert_eq!(waves.check.to_plain(), "waves 1.01 → 1.00");
    assert!(waves.sentence.to_plain().starts_with("Drop the last wave: 132 blocks"), "{waves:?}");
    // The code gives every block as much, whatever the SMs were.
    assert!(lever(&at(594), "even-blocks").is_none());
}

/// One slice of L2 is full of additions: neither more blocks nor more loads make it faster, and fewer blocks add less often.
#[test]
fn what_waits_for_one_slice_gains_nothing_by_more_of_it() {
    let at = |part: f64| {
        let (mut report, views) = report("collected/atomics/profile");
        for metric in &mut report.launches[0].metrics {
            let is_busiest = metric.name.ends_with(".max.pct_of_peak_sustained_elapsed");
            if let Some(share) = metric.value.as_ref().and_then(Value::as_f64).filter(|_| is_busiest) {
                metric.value = Some(Value::F64(part * share));
            }
        }
        set(&mut report, "launch__waves_per_multiprocessor", 0.25);
        set(&mut report, "sm__warps_active.avg.pct_of_peak_sustained_active", 25.0);
        let audit = judged::audit(&report, &views, &Work::default());
        // Its threads have one value each, so that there is nothing to split.
        assert!(lever(&audit, "more-blocks").is_none());
        lever(&audit, "more-in-flight").is_some()
    };
    assert_eq!([1.0, 0.01].map(at), [false, true]);
    // Eight warps of a block add once each. At best one block an SM stays, and adds once.
    let norm = collected("gradient_norm", &[]);
    assert_eq!(limiter(&norm), Code::AtomicContention);
    let bound = lever(&norm, "fewer-atomics").expect("a lever").bound.expect("a ceiling");
    assert!((98.0..99.0).contains(&bound), "{bound}");
}

/// A block that waits until another one has written its part exchanges nothing that a shuffle could. What helps is told by what it waits
/// for: all others, or the one before.
#[test]
fn a_barrier_that_waits_for_other_blocks_is_no_exchange() {
    let first = |name: &str| {
        let audit = collected(name, &[]);
        let Where::Line(at) = &audit.now.levers[0].at else { panic!("{:?}", audit.now.levers[0]) };
        (audit.now.levers[0].code.to_string(), audit.now.levers[0].sentence.to_plain(), at.line)
    };
    let (code, chain, line) = first("scan_chained");
    assert_eq!((&*code, line), ("fewer-barriers", 48));
    assert!(chain.starts_with("Publish the block's own part before waiting"), "{chain}");
    let (code, grid, line) = first("wave_steps");
    assert_eq!((&*code, line), ("fewer-barriers", 19));
    assert!(grid.starts_with("Several steps between two barriers of the grid"), "{grid}");
    let own = collected("barrier_reduction", &[]);
    let own = lever(&own, "fewer-barriers").expect("a lever").sentence.to_plain();
    assert!(own.starts_with("Fewer barriers: exchange by shuffle"), "{own}");
}

/// One thread that tells others something stores no tile: the steps of a grid that stays are no tiles.
#[test]
fn a_word_for_others_is_no_result() {
    let waves = collected("wave_steps", &[]);
    let phases = waves.now.phases.as_ref().expect("phases");
    assert_eq!((phases.is_persistent, phases.steps.map(f64::round)), (false, Some(256.0)));
}

/// All warps reach a barrier as late, however many blocks there are.
#[test]
fn more_blocks_cover_no_barrier() {
    let at = |barrier: f64| {
        let audit = collected(
            "barrier_reduction",
            &[
                ("launch__waves_per_multiprocessor", 0.5),
                ("sm__warps_active.avg.pct_of_peak_sustained_active", 30.0),
                ("smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", barrier),
            ],
        );
        lever(&audit, "more-blocks").is_some()
    };
    assert_eq!([20.0, 0.0].map(at), [false, true]);
}

/// 21 M shuffles of warps in 200,000 cycles of 132 SMs are 79.4 % of what the data stage of L1 takes.
#[test]
fn a_data_stage_full_of_shuffles_is_told_by_them() {
    let at = |cycles: f64| {
        let audit = collected(
            "gradient_norm",
            &[
                ("gpc__cycles_elapsed.max", cycles),
                ("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 90.0),
                ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed", 85.0),
                ("lts__t_tag_requests.max.pct_of_peak_sustained_elapsed", 3.0),
                ("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 1.0),
            ],
        );
        let row = lever(&audit, "reuse-in-sm").expect("a lever").sentence.to_plain();
        (row.starts_with("Fewer shuffles"), audit.now.bottleneck.sentence.to_plain())
    };
    let (is_shuffled, said) = at(2.0e5);
    assert!(is_shuffled && said.contains("shuffles 79.4"), "{said}");
    let (is_shuffled, said) = at(2.0e6);
    assert!(!is_shuffled && !said.contains("shuffles"), "{said}");
}

/// A weight of a filter that is a constant is no column: what is loaded is shared by no second output of a tile.
#[test]
fn a_register_tile_is_for_products_of_two_values_from_memory() {
    let has_tile = |name: &str| pairs::launch(name).levers.iter().any(|lever| lever.code == "register-tile");
    assert!(has_tile("sgemm_one"));
    assert!(!has_tile("smooth_single"));
    assert!(lever(&collected("attention_prefill", &[]), "register-tile").is_some());
}

/// The ALU pipe at 90 %, all of whose instructions make addresses: said where they can make that, 8 cycles each at most. With so few
/// issued that they cannot, something else runs there.
#[test]
fn a_pipe_is_of_index_arithmetic_only_where_its_instructions_can_fill_it() {
    const ISSUE: [&str; 3] = ["sm__issue_active", "sm__inst_executed.", "sm__inst_issued"];
    let at = |issue: f64| {
        let (mut report, views) = report("collected/gemv_bf16/profile");
        for metric in &mut report.launches[0].metrics {
            let is_issue = ISSUE.iter().any(|start| metric.name.starts_with(start)) && metric.name.contains("pct");
            if let Some(share) = metric.value.as_ref().and_then(Value::as_f64).filter(|_| is_issue) {
                metric.value = Some(Value::F64(issue * share));
            }
        }
        set(&mut report, "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", 90.0);
        let levers = judged::audit(&report, &views, &Work::default()).now.levers;
        levers.iter().any(|lever| lever.why.to_plain().contains("of its instructions only make addresses"))
    };
    assert!(at(1.0) && !at(0.02));
}
