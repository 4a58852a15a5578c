//! Single rules of the verdict, its confidence and its words: on reports of which one reading is set by hand, against values worked
//! out by hand.

use crate::brief_sections::{fixtures, read, row, says, sections, shared};
use crate::judged;
use kernel_audit::analysis::{self, Audit, Because, Confidence, Evidence, Level, Lever, Limits, Reference, Work};
use kernel_audit::catalog::{Code, Part, StallReason};
use kernel_audit::evidence::{Metric, Report, SourceView, Value};
use kernel_audit::quantity::Unit;
use std::fs;

const L2: &str = "collected/l2_resident/profile";

pub(crate) fn report(name: &str) -> (Report, Vec<SourceView>) {
    read(&fixtures().join(format!("{name}.ncu-repz"))).expect("a report")
}

/// A report of one of its kernels.
pub(crate) fn one(name: &str, kernel: &str) -> (Report, Vec<SourceView>) {
    let (report, views) = shared(&fixtures().join(format!("{name}.ncu-repz"))).expect("a report");
    let own = judged::some_of(report, |launch| &*launch.function == kernel);
    let id = own.launches.first().expect(kernel).id;
    (own, views.iter().filter(|view| view.launch == id).cloned().collect())
}

/// The audit of a report with these readings in place of its own.
pub(crate) fn with(name: &str, readings: &[(&str, f64)]) -> Audit {
    let (mut report, views) = report(name);
    for (metric, value) in readings {
        set(&mut report, metric, *value);
    }
    judged::audit(&report, &views, &Work::default())
}

pub(crate) fn set(report: &mut Report, name: &str, value: f64) {
    let metrics = &mut report.launches[0].metrics;
    let value = Some(Value::F64(value));
    match metrics.iter_mut().find(|metric| &*metric.name == name) {
        Some(metric) => metric.value = value,
        None => metrics.push(Metric { name: name.into(), unit: Unit::NONE, value, instances: Box::default() }),
    }
}

pub(crate) fn value(report: &Report, name: &str) -> f64 {
    report.launches[0].metric(name).and_then(|metric| metric.value.as_ref()?.as_f64()).expect(name)
}

fn lever<'a>(audit: &'a Audit, action: &str) -> Option<&'a Lever> {
    audit.now.levers.iter().find(|lever| lever.code.to_string() == action)
}

fn verdict(audit: &Audit) -> String {
    audit.now.bottleneck.sentence.to_plain()
}

fn ruled_out(audit: &Audit) -> String {
    audit.now.bottleneck.ruled_out.as_ref().expect("something ruled out").to_plain()
}

fn has(audit: &Audit, code: Code) -> bool {
    audit.now.findings.iter().any(|finding| finding.code == code)
}

/// A kernel that lives in L2 whose L2 is busy for this part of what was measured, with further readings.
fn in_l2(part: f64, readings: &[(&str, f64)]) -> Audit {
    let (mut report, views) = report(L2);
    for metric in &mut report.launches[0].metrics {
        let is_share = metric.name.starts_with("lts__") && metric.name.ends_with("pct_of_peak_sustained_elapsed");
        if let Some(share) = metric.value.as_ref().and_then(Value::as_f64).filter(|_| is_share) {
            metric.value = Some(Value::F64(part * share));
        }
    }
    for (metric, value) in readings {
        set(&mut report, metric, *value);
    }
    judged::audit(&report, &views, &Work::default())
}

#[test]
fn a_kernel_that_lives_in_l2_is_judged_by_its_bandwidth_or_its_latency() {
    // 82.7 % of peak: saturated. DRAM read 16.78 MB, L2 sent 16,018,648 sectors of 32 bytes: 3.3 %.
    let full = in_l2(1.0, &[]);
    assert_eq!(full.now.bottleneck.limiter, Code::Unit(Part::MemoryL2));
    assert!(verdict(&full).ends_with("hit rate 93.5 %, DRAM reads 3.3 % of what L2 sends."), "{}", verdict(&full));
    // 70.3 %: high, and the warps stand in its queue.
    let high = in_l2(0.85, &[]);
    assert_eq!(high.now.bottleneck.limiter, Code::Unit(Part::MemoryL2));
    assert!(verdict(&high).contains("its queue is full (Long scoreboard 95.2 %)"), "{}", verdict(&high));
    // 33.1 %: its latency. 512.6 MB over 119,544 cycles of 132 SMs, 92.0 % of them with a block, are 35.3 bytes a cycle; at 281
    // cycles 9.9 kB, and 9.9 / 0.331 × 0.920 = 27.6 kB at the peak.
    let idle = in_l2(0.4, &[]);
    assert_eq!(idle.now.bottleneck.limiter, Code::LatencyL2);
    assert!(verdict(&idle).contains("is at 33.1 % of peak"), "{}", verdict(&idle));
    assert!(
        verdict(&idle).ends_with("At 281 cycles per load an SM has 9.9 kB in flight; L2 at its peak needs 27.6 kB."),
        "{}",
        verdict(&idle)
    );
    assert!(lever(&idle, "more-in-flight").is_some() && lever(&idle, "reuse-in-sm").is_some(), "{:?}", idle.now.levers);
    assert!(!has(&idle, Code::SerialisedAccesses), "the limit said again");
}

#[test]
fn what_does_not_live_in_l2_is_not_judged_by_it() {
    let other = |readings: &[(&str, f64)]| in_l2(0.4, readings).now.bottleneck.limiter;
    let latency = Code::Wait(StallReason::LongScoreboard);
    // A tenth of 512.6 MB is 51.3 MB.
    assert_eq!(other(&[("dram__bytes_read.sum", 51.2e6)]), Code::LatencyL2);
    assert_eq!(other(&[("dram__bytes_read.sum", 51.3e6)]), latency);
    // Memory of the host leaves DRAM idle as well, and misses.
    assert_eq!(other(&[("lts__t_sector_hit_rate.pct", 79.0)]), latency);
    // Loads that L1 answers wait for L1.
    assert_eq!(other(&[("l1tex__t_sector_hit_rate.pct", 80.0)]), latency);
    // High L2 in front of which loads queue: DRAM is read for a fifth, or for half of what it sends.
    let queued = |bytes| in_l2(0.85, &[("dram__bytes_read.sum", bytes)]).now.bottleneck.limiter;
    assert_eq!(queued(0.2 * 512.6e6), Code::Unit(Part::MemoryL2));
    assert_eq!(queued(0.6 * 512.6e6), latency);
    // Another chip's latency is not known, and no bytes in flight follow.
    let (mut report, views) = report(L2);
    report.launches[0].device.compute_capability = Some((8, 0));
    for metric in &mut report.launches[0].metrics {
        let is_share = metric.name.starts_with("lts__") && metric.name.ends_with("pct_of_peak_sustained_elapsed");
        metric.value = metric.value.take().map(|value| match value.as_f64() {
            Some(share) if is_share => Value::F64(0.4 * share),
            _ => value,
        });
    }
    let known = judged::audit(&report, &views, &Work::default());
    assert_eq!(known.now.bottleneck.limiter, Code::LatencyL2);
    assert!(!verdict(&known).contains("in flight"), "{}", verdict(&known));
}

#[test]
fn a_wait_at_an_mbarrier_is_no_wait_for_a_load() {
    let staged = with("collected/patch_embed_gemm_5_staged/profile", &[]);
    assert_ne!(staged.now.bottleneck.limiter, Code::Wait(StallReason::LongScoreboard), "{}", verdict(&staged));
    let earlier = lever(&staged, "more-in-flight").expect("a lever on stages");
    assert!(earlier.sentence.to_plain().starts_with("More copies in flight: smaller stages"), "{earlier:?}");
    // The pacing warps wait for a stage 20.1 % of their life; the launch and the tail are no part of it.
    assert!((earlier.bound.unwrap() - 19.9).abs() < 0.1, "{earlier:?}");
    let loads = with("collected/kv_gather/profile", &[]);
    assert_eq!(loads.now.bottleneck.limiter, Code::Wait(StallReason::LongScoreboard));
}

#[test]
fn a_pipe_that_is_full_in_half_of_the_time_is_not_what_limits() {
    let audit = with("collected/patch_embed_gemm_1_tma/profile", &[]);
    let phases = audit.now.phases.as_ref().expect("phases");
    // 6,212 cycles of products in 5,999 of the main loop and 600 of the drain.
    let efficiency = phases.step_efficiency.expect("one block on an SM");
    assert!((efficiency - 6_212.0 / (0.993 * 6_599.0)).abs() < 0.005, "{efficiency}");
    let tensor =
        audit.now.bottleneck.units.iter().find(|unit| unit.part == Part::ComputeTensor).expect("a tensor pipe");
    // 46.2 % of the time over 99.3 % with a block: idle for longer than it works.
    assert_eq!((tensor.level, audit.now.bottleneck.roof.is_none()), (Level::Idle, true), "{tensor:?}");
    assert_ne!(audit.now.bottleneck.limiter, Code::Unit(Part::ComputeTensor));
}

#[test]
fn what_weighs_less_than_two_percent_is_no_finding() {
    let (own, _) = report(L2);
    let cycles = value(&own, "gpc__cycles_elapsed.max") * 132.0;
    let conflicts = |part: f64| {
        let shared = [("memory_l1_wavefronts_shared", 1e6 + part * cycles), ("memory_l1_wavefronts_shared_ideal", 1e6)];
        has(&with(L2, &shared), Code::SharedBankConflicts)
    };
    assert_eq!([0.019, 0.021].map(conflicts), [false, true]);
}

#[test]
fn a_roof_says_how_near_it_is() {
    let roof = |name: &str| with(name, &[]).now.bottleneck.roof.expect("a roof").to_plain();
    // DRAM at 90.2 % of its peak, a third of it written, is at 96.9 % of what a stream reaches.
    let triad = roof("collected/stream_triad/profile");
    assert!(triad.starts_with("At the roof of DRAM: ≤ 3.1 % is left"), "{triad}");
    // DRAM at 81.0 % that only reads leaves loads something to fill.
    let gemv = with("collected/gemv_bf16_wide/profile", &[]);
    assert!(gemv.now.bottleneck.roof.is_none() && lever(&gemv, "more-in-flight").is_some());
    // Nothing was found to do, and most of the time is the work of a pipe.
    let pipe = roof("collected/philox_pi/profile");
    assert!(pipe.starts_with("≤ 37.1 % is left beside the work of the ALU pipe"), "{pipe}");
    // DRAM at 75 % of its peak is at 82 % of what it reaches.
    assert!(with("collected/mxfp4_moe_small_m_e4m3/profile", &[]).now.bottleneck.roof.is_none());
    assert!(with(L2, &[]).now.bottleneck.roof.is_none(), "reuse takes work off L2");
    // The tensor pipe idles for 16.1 % of the time.
    let cluster = with("collected/gemm_bf16_cluster/profile", &[]).now.bottleneck;
    assert!(
        cluster.roof.expect("a roof").to_plain().starts_with("≤ 16.1 % is left beside the work of the tensor pipe")
    );
    let slight = cluster.ruled_out.expect("ruled out").to_plain();
    assert!(slight.starts_with("Too little for a row: fewer and narrower fences (about 0.6 %"), "{slight}");
}

#[test]
fn samples_are_time_where_warps_live_for_the_launch() {
    let is_time = |name: &str| with(name, &[]).now.phases.expect("phases").is_time;
    // One wave each: warps of one live for 80 % of the launch, those of the other to its end.
    assert_eq!(
        ["moments_then_orbits", "layernorm"].map(|name| is_time(&format!("collected/{name}/profile"))),
        [false, true]
    );
}

#[test]
fn a_table_frees_what_is_waited_for_it() {
    let table = |name: &str| lever(&with(name, &[]), "move-constants").map(|lever| lever.bound);
    assert!(table("collected/conv3x3_direct/profile").is_some());
    // A row of an operand that the threads of some blocks have is no table: a tile in shared memory is where it belongs.
    assert_eq!(table("collected/paged_decode/profile"), None);
}

#[test]
fn what_is_ruled_out_has_its_total() {
    let codes = ruled_out(&with("collected/decode_nf4/profile", &[]));
    assert!(codes.contains("coalescing (its excess takes no time)"), "{codes}");
    let chase = ruled_out(&with("collected/pointer_chase/profile", &[]));
    assert!(chase.contains("coalescing by layout (the addresses are loaded values)"), "{chase}");
    let copy = ruled_out(&with("collected/misaligned_copy/profile", &[]));
    assert!(copy.contains("coalescing (contiguous, off the boundary of a sector), occupancy limits (100.0"), "{copy}");
}

#[test]
fn what_the_load_beside_asks_for_again_goes_with_a_wider_one() {
    let told = with("h200/gemm_bias_v1", &[]);
    assert!(verdict(&told).contains("(84.8 %) are asked for again by the load beside it"));
    let how = lever(&told, "coalesce").expect("a lever").sentence.to_plain();
    assert!(how.ends_with("or one wider load in place of those side by side"), "{how}");
}

#[test]
fn loads_that_are_wide_or_apart_are_not_widened() {
    let how = |pack: &str, name: &str| {
        let (report, views) = one(pack, name);
        let told = judged::audit(&report, &views, &Work::default());
        let lever = lever(&told, "more-in-flight").expect("a lever");
        [&lever.sentence, &lever.why].map(|words| words.to_plain())
    };
    // 16 bytes a lane beside narrower stores; a place of its own for each lane.
    let ([wide, _], [apart, why]) = (how("pairs/h100", "covariance_before"), how("pairs/tenth", "csr_rows_after"));
    assert!(wide.ends_with("several independent loads before the first use"), "{wide}");
    assert!(apart.ends_with("loads of rows before the first use; next indices early"), "{apart}");
    // How far apart is said where they are sorted.
    assert!(why.ends_with(" for the index"), "{why}");
}

/// The evidence of a collected kernel: its report, check, benchmark and reference.
fn collected(name: &str) -> Evidence {
    let folder = fixtures().join("collected").join(name);
    let text = |file: &str| fs::read_to_string(folder.join(file)).expect("readable");
    let (report, views) = read(&folder.join("profile.ncu-repz")).expect("a report");
    let mut evidence = judged::evidence(&report, &views, &Work::default());
    evidence.new.correctness = Some(serde_json::from_str(&text("correctness.json")).expect("a check"));
    evidence.new.benchmark = Some(serde_json::from_str(&text("benchmark.json")).expect("a benchmark"));
    if let Some((reference, views)) = read(&folder.join("reference.ncu-repz")) {
        evidence.reference = Reference::of(&reference, &views);
    }
    evidence
}

fn judge(evidence: &Evidence) -> Audit {
    analysis::audit(evidence, &Limits::default())
}

#[test]
fn the_clock_of_a_benchmark_is_cycles_over_time() {
    let mut evidence = collected("gemm_bf16_cluster");
    let audit = judge(&evidence);
    let cycles = audit.performance.cycles.new.value().expect("cycles");
    // The first 24 launches were free, the others under the power cap: a clock for each.
    let (capped, free) = (cycles / 203_040.0, cycles / 182_670.0);
    assert!(capped < free && (capped - 1.51).abs() < 0.005, "{capped} {free}");
    let lead = &sections(&audit)["lead"];
    says(lead, &format!("{free:.2} GHz effective in the benchmark, {capped:.2} GHz under SW power cap"));
    // Clocks that nothing holds down and times without a step say nothing.
    let benchmark = evidence.new.benchmark.as_mut().expect("a benchmark");
    benchmark.clocks_after = benchmark.clocks_before.clone();
    benchmark.samples_ms = vec![0.875; 30];
    benchmark.reference = None;
    assert!(!sections(&judge(&evidence))["lead"].concat().contains("effective"));
}

#[test]
fn the_gap_to_the_reference_is_idle_tensor_time_or_more_products() {
    let mut evidence = collected("patch_embed_gemm");
    let audit = judge(&evidence);
    let gap = audit.trials.reference.as_ref().and_then(|reference| reference.gap()).expect("a gap");
    // 2,535,977 cycles at 39.95 % and 1,370,895 at 74.64 %: 1.013 M and 1.023 M tensor cycles.
    assert!((gap.tensor.0 / 1.0131e6 - 1.0).abs() < 1e-3 && (gap.tensor.1 / 1.0233e6 - 1.0).abs() < 1e-3, "{gap:?}");
    assert!((gap.idle().0 - (2_535_977.0 - gap.tensor.0)).abs() < 1.0, "{gap:?}");
    // 1,165,082 cycles more of 2,535,977, and an epilogue of 45.5 %: within a tenth.
    let says_of = |audit: &Audit| sections(audit)["verdict"].concat();
    let said = says_of(&audit);
    assert!(said.contains("the gap is idle tensor time") && said.contains("the size of the epilogue"), "{said}");
    // A reference of four percent less tensor time does other work.
    let folder = fixtures().join("collected/patch_embed_gemm/reference.ncu-repz");
    let (mut other, views) = read(&folder).expect("a report");
    let names: Vec<String> = other.launches[0].metrics.iter().map(|metric| metric.name.to_string()).collect();
    for name in names.iter().filter(|name| name.starts_with("sm__pipe_tensor") && name.ends_with("_elapsed")) {
        if let Some(share) = other.launches[0].metric(name).and_then(|metric| metric.value.as_ref()?.as_f64()) {
            set(&mut other, name, 0.96 * share);
        }
    }
    evidence.reference = Reference::of(&other, &views);
    let said = says_of(&judge(&evidence));
    assert!(said.contains("of them tensor cycles") && !said.contains("the gap is idle tensor time"), "{said}");
}

#[test]
fn bulk_copies_bring_what_their_boxes_hold() {
    // 512 tiles × 64 steps × (128 × 64 of a and 256 × 64 of b) × 2 bytes = 1,610,612,736.
    let cells = |readings: &[(&str, f64)]| {
        let found = sections(&with("collected/gemm_bf16_cluster/profile", readings));
        row(&found["memory"], "L2 → L1").iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>()
    };
    let told = cells(&[]);
    assert!(told[2].starts_with("1.61 GB (boxes of the bulk copies)") && told[3] == "1.00", "{told:?}");
    // Boxes that are less than half of what arrives tell nothing of the rest.
    let few = cells(&[("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", 0.8e9)]);
    assert!(!few.concat().contains("boxes"), "{few:?}");
}

#[test]
fn the_size_of_a_block_follows_from_the_chip() {
    let short = with("collected/softmax_rows/profile", &[]);
    let lever = lever(&short, "larger-blocks").expect("a lever");
    // Eight blocks of a warp at a time: 64 warps need blocks of eight, 8 × 132 of which fit.
    let said = lever.sentence.to_plain();
    assert!(
        said.starts_with("Blocks of 256 threads") && said.contains("a grid-stride loop over 1,056 resident blocks"),
        "{said}"
    );
    // A chip whose SM holds 1,536 threads has a third of it empty beside one block of 1,024.
    let (mut report, views) = report("collected/barrier_reduction/profile");
    report.launches[0].device.compute_capability = Some((8, 6));
    for (name, value) in [
        ("sm__maximum_warps_per_active_cycle_pct", 200.0 / 3.0),
        ("launch__occupancy_limit_warps", 1.0),
        ("launch__occupancy_limit_registers", 4.0),
        ("launch__occupancy_limit_shared_mem", 20.0),
        ("launch__occupancy_limit_blocks", 16.0),
    ] {
        set(&mut report, name, value);
    }
    let audit = judged::audit(&report, &views, &Work::default());
    let more = self::lever(&audit, "more-warps").expect("a lever").sentence.to_plain();
    assert!(more.starts_with("Blocks of 512 threads: an SM holds 3 blocks = 48 warps"), "{more}");
    assert!(!ruled_out(&audit).contains("occupancy"), "what has a row is not ruled out");
}

#[test]
fn a_launch_that_single_sms_prolong_is_not_too_short() {
    let name = "collected/attention_prefill/profile";
    let (own, _) = report(name);
    let elapsed = value(&own, "sm__cycles_elapsed.avg");
    let late = with(name, &[("sm__cycles_active.avg", 0.4 * elapsed)]);
    assert_eq!(late.now.bottleneck.limiter, Code::LaunchTail, "{}", verdict(&late));
    let both = [("sm__cycles_active.avg", 0.4 * elapsed), ("sm__cycles_active.max", 0.42 * elapsed)];
    assert_eq!(with(name, &both).now.bottleneck.limiter, Code::LaunchShort);
}

#[test]
fn fences_alone_are_named_with_their_lever() {
    // The waits for loads as waits at fences.
    let stall = |reason: &str| format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio");
    let (loads, membar) = (stall("long_scoreboard"), stall("membar"));
    let (own, _) = report("collected/misaligned_copy/profile");
    let fences = [(membar.as_str(), value(&own, &loads)), (loads.as_str(), 0.0)];
    let audit = with("collected/misaligned_copy/profile", &fences);
    assert_eq!(audit.now.bottleneck.limiter, Code::Wait(StallReason::Membar), "{}", verdict(&audit));
    let lever = lever(&audit, "narrow-fence").expect("a lever");
    // What the fences take, and no more than DRAM leaves, at 52.9 % of its peak of which it reaches 92.
    assert!((41.0..42.5).contains(&lever.bound.unwrap()), "{lever:?}");
}

#[test]
fn a_ceiling_is_what_physics_leaves() {
    // 262,144 atomics in one slice: without them DRAM at 0.3 % is left, and not L2 at 1.6 %, whose work they are.
    let atomics = with("collected/atomics/profile", &[]);
    assert!(
        (lever(&atomics, "fewer-atomics").expect("a lever").bound.unwrap() - 99.7).abs() < 0.3,
        "{:?}",
        atomics.now.levers
    );
    // 16 blocks of 4 warps fit on each of 132 SMs.
    let chase = with("collected/pointer_chase/profile", &[]);
    let chains = lever(&chase, "more-chains").expect("a lever").sentence.to_plain();
    assert!(chains.contains("up to 2,112 blocks"), "{chains}");
    // Eight blocks leave 94 % of the SMs idle, more than loads make warps wait.
    assert_eq!(with("collected/tiny_grid/profile", &[]).now.levers[0].code.to_string(), "more-blocks");
}

#[test]
fn few_samples_lower_the_confidence_of_what_rests_on_them() {
    let sure = |audit: &Audit| (audit.now.bottleneck.confidence, audit.now.bottleneck.because);
    // Eight blocks on 132 SMs are eight blocks, with 1,752 samples or none.
    let grid = sure(&with("collected/tiny_grid/profile", &[]));
    assert_eq!(grid, (Confidence::High, Because::Launch));
    // So it is with how long a launch takes.
    assert_eq!(sure(&with("collected/bias_relu/profile", &[])), (Confidence::High, Because::Launch));
    let (mut few, mut views) = report("collected/fp32_peak/profile");
    assert_eq!(sure(&judged::audit(&few, &views, &Work::default())).0, Confidence::High);
    // One sample of fifty, 695 of 34,740.
    for column in views.iter_mut().flat_map(|view| &mut view.columns) {
        if column.metric.contains("pcsamp") {
            column.values.iter_mut().for_each(|(_, value)| {
                *value = Value::U64(value.as_u64().unwrap_or_default() / 50);
            });
        }
    }
    let thin = sure(&judged::audit(&few, &views, &Work::default()));
    // A pipe at its roof does not rest on them.
    assert!(matches!(thin, (Confidence::Medium, Because::Samples(_))), "{thin:?}");
    few.launches[0].metrics.retain(|metric| !metric.name.contains("pcsamp"));
    let none = sure(&judged::audit(&few, &[], &Work::default()));
    assert_eq!(none, (Confidence::Medium, Because::Unsampled));
    let (chase, _) = report("collected/pointer_chase/profile");
    assert_eq!(sure(&judged::audit(&chase, &[], &Work::default())), (Confidence::Low, Because::Unsampled));
}

/// DRAM at 56 % is what limits here, and below what else counts as low.
#[test]
fn what_limits_is_not_ruled_out() {
    let audit = with("collected/hash_probe/profile", &[]);
    assert_eq!(audit.now.bottleneck.limiter.to_string(), "memory-dram");
    assert!(!ruled_out(&audit).contains("DRAM ("), "{}", ruled_out(&audit));
}

/// More warps issue the same instructions: what issue needs stays.
#[test]
fn more_warps_have_as_much_to_issue() {
    let with = |issue: f64| {
        let readings = [("sm__issue_active.avg.pct_of_peak_sustained_elapsed", issue)];
        let audit = with("collected/low_occupancy_smem/profile", &readings);
        lever(&audit, "more-warps").and_then(|lever| lever.bound)
    };
    assert!(with(2.0).is_some_and(|bound| bound > 80.0));
    assert!(with(80.0).is_none_or(|bound| bound < 21.0), "{:?}", with(80.0));
}

/// Of a launch of 1.6 µs with one block an empty one takes nearly all: more blocks save no more than the rest.
#[test]
fn more_blocks_do_not_save_the_launch_itself() {
    let at = |duration: f64| {
        let (mut report, views) = report("collected/tiny_grid/profile");
        report.launches[0].metrics.retain(|metric| &*metric.name != "sm__cycles_active.max");
        set(&mut report, "gpu__time_duration.sum", duration);
        let audit = judged::audit(&report, &views, &Work::default());
        lever(&audit, "more-blocks").and_then(|lever| lever.bound).unwrap_or_default()
    };
    assert!(at(1_600.0) < 7.0 && at(1.0e6) > 50.0, "{} {}", at(1_600.0), at(1.0e6));
}

/// L1 at 96 % with requests at 5.8 % makes 16 passes for each; at 30 % it makes three, which wide loads take.
#[test]
fn lanes_far_apart_are_told_by_passes_where_nobody_counted_sectors() {
    let at = |requests: Option<f64>| {
        let (mut report, views) = one("h200/both_basic", "gemm_bias_v1");
        requests
            .into_iter()
            .for_each(|share| set(&mut report, "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed", share));
        judged::audit(&report, &views, &Work::default())
    };
    let told = at(None);
    let apart = lever(&told, "coalesce").expect("a lever");
    assert!(apart.why.to_plain().contains("16.5 passes or more for each"), "{}", apart.why.to_plain());
    assert!(lever(&told, "reuse-in-sm").is_none());
    let wide = at(Some(30.0));
    assert!(lever(&wide, "coalesce").is_none() && lever(&wide, "reuse-in-sm").is_some());
}

/// 2,048 blocks on 132 SMs are 15.5 for each: SMs with 15 wait for those with 16 for 3 % of the time.
#[test]
fn sms_with_a_block_less_are_a_last_wave_and_no_imbalance() {
    let at = |idle: f64| {
        let (mut report, views) = one("h200/both_basic", "gemm_bias_v2");
        set(&mut report, "launch__waves_per_multiprocessor", 2048.0 / 132.0 / 2.0);
        set(&mut report, "sm__cycles_active.max", 1.0e6);
        set(&mut report, "sm__cycles_active.avg", 1.0e6 * (1.0 - idle));
        let cycles = "sm__cycles_elapsed.max gpc__cycles_elapsed.max sm__cycles_elapsed.avg";
        cycles.split(' ').for_each(|name| set(&mut report, name, 1.0e6));
        let audit = judged::audit(&report, &views, &Work::default());
        lever(&audit, "even-blocks").is_some()
    };
    assert!(!at(0.05) && at(0.3));
}

/// Eight sums are no tile that registers are needed for, in however many registers products leave them.
#[test]
fn sums_are_counted_as_what_products_add_to() {
    let (report, views) = one("pairs/h100", "sgemm_d");
    let audit = judged::audit(&report, &views, &Work::default());
    assert!(lever(&audit, "more-warps").is_some());
}

/// The audit of a page of sections that ncu printed for one launch on an RTX A6000: 64 blocks of 128, where nothing else is said.
fn printed(rows: &[(&str, &str, &str, &str)]) -> Audit {
    let head = r#""ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value""#;
    let launch = r#""0","1","a","h","spmm","1","7","(128, 1, 1)","(64, 1, 1)","0","8.6""#;
    let row = |(section, name, unit, value): &(&str, &str, &str, &str)| {
        format!("{launch},\"{section}\",\"{name}\",\"{unit}\",\"{value}\"\n")
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.csv");
    fs::write(&path, format!("{head}\n{}", rows.iter().map(row).collect::<String>())).unwrap();
    let report = kernel_audit::source::read_profile(&path, &kernel_audit::source::Want::everything()).unwrap();
    judged::audit(&report, &[], &Work::default())
}

#[test]
fn roll_ups_that_are_equal_are_their_one_part() {
    const SPEED: &str = "GPU Speed Of Light Throughput";
    let at = |memory: &str, issued: &str| {
        let audit = printed(&[
            (SPEED, "Duration", "ms", "460.39"),
            (SPEED, "Elapsed Cycles", "cycle", "269,329,911"),
            (SPEED, "SM Active Cycles", "cycle", "269,329,911"),
            (SPEED, "Memory Throughput", "%", memory),
            (SPEED, "DRAM Throughput", "%", "12.05"),
            (SPEED, "Compute (SM) Throughput", "%", "79.78"),
            ("Scheduler Statistics", "One or More Eligible", "%", issued),
        ]);
        audit.now.bottleneck.limiter
    };
    assert_eq!(at("79.78", "40.00"), Code::Unit(Part::MemoryLsu));
    // Two hundredths of a point are what two rounded numbers may differ by, in binary a little more.
    assert_eq!(at("79.80", "40.00"), Code::Unit(Part::MemoryLsu));
    assert_eq!(at("79.81", "40.00"), Code::Unit(Part::UnknownUnit));
    assert_eq!(at("61.20", "79.90"), Code::Unit(Part::Issue));
    assert_eq!(at("61.20", "40.00"), Code::Unit(Part::UnknownUnit));
}

/// Twenty SMs of 84 without a block are a quarter of the time, and the average SM is idle for all of it: one block is the launch.
#[test]
fn blocks_that_are_few_and_unequal_are_balanced() {
    let at = |active: &str| {
        let audit = printed(&[
            ("GPU Speed Of Light Throughput", "Duration", "us", "117.98"),
            ("GPU Speed Of Light Throughput", "Elapsed Cycles", "cycle", "166,261"),
            ("GPU Speed Of Light Throughput", "SM Active Cycles", "cycle", active),
            ("GPU Speed Of Light Throughput", "Memory Throughput", "%", "3.29"),
            ("GPU Speed Of Light Throughput", "DRAM Throughput", "%", "3.29"),
            ("GPU Speed Of Light Throughput", "Compute (SM) Throughput", "%", "0.42"),
            ("Launch Statistics", "# SMs", "SM", "84"),
            ("Launch Statistics", "Waves Per SM", "", "0.76"),
            ("Instruction Statistics", "Executed Instructions", "inst", "120,496"),
        ]);
        ["even-blocks", "more-blocks"].map(|action| lever(&audit, action).is_some())
    };
    assert_eq!(at("3,717.88"), [true, false]);
    assert_eq!(at("120,000"), [false, true]);
}

const SPEED_OF_LIGHT: &str = "GPU Speed Of Light Throughput";

/// Eight blocks on each of eight SMs, six at a time, and SMs without a block for a fifth of the time, 2 % of which are the launch's own. Of
/// 12 warps on an SM each lives 12 × 80,000 × 8 / 256 = 30,000 of 100,000 cycles, and blocks that are out of step leave as much; of four
/// 10,000, so that some last longer.
#[test]
fn a_tail_as_long_as_a_block_lives_is_no_imbalance() {
    let at = |warps: &str| {
        let audit = printed(&[
            (SPEED_OF_LIGHT, "Duration", "us", "70"),
            (SPEED_OF_LIGHT, "Elapsed Cycles", "cycle", "100,000"),
            (SPEED_OF_LIGHT, "SM Active Cycles", "cycle", "80,000"),
            (SPEED_OF_LIGHT, "Memory Throughput", "%", "20"),
            (SPEED_OF_LIGHT, "DRAM Throughput", "%", "20"),
            (SPEED_OF_LIGHT, "Compute (SM) Throughput", "%", "10"),
            ("Launch Statistics", "# SMs", "SM", "8"),
            ("Launch Statistics", "Waves Per SM", "", "1.33"),
            ("Occupancy", "Achieved Active Warps Per SM", "warp", warps),
        ]);
        lever(&audit, "even-blocks").is_some()
    };
    assert_eq!([at("12"), at("4")], [false, true]);
}

/// What the page names no part of takes instructions of warps: as many fewer with full lanes, and down to nothing. DRAM needs 19 % of 95 %.
#[test]
fn a_part_of_the_sms_without_a_name_has_fewer_instructions_and_fuller_lanes() {
    let at = |memory: &str| {
        let audit = printed(&[
            (SPEED_OF_LIGHT, "Duration", "ms", "460.39"),
            (SPEED_OF_LIGHT, "Elapsed Cycles", "cycle", "269,329,911"),
            (SPEED_OF_LIGHT, "SM Active Cycles", "cycle", "269,329,911"),
            (SPEED_OF_LIGHT, "Memory Throughput", "%", memory),
            (SPEED_OF_LIGHT, "DRAM Throughput", "%", "19"),
            (SPEED_OF_LIGHT, "Compute (SM) Throughput", "%", "80"),
            ("Warp State Statistics", "Avg. Active Threads Per Warp", "", "16"),
        ]);
        let bound = |action: &str| lever(&audit, action).and_then(|lever| lever.bound).map(f64::round);
        (bound("regroup"), bound("fewer-instructions"), has(&audit, Code::Divergence))
    };
    assert_eq!(at("19"), (Some(50.0), Some(80.0), true));
    // The LSU takes a request whatever its lanes.
    assert_eq!(at("80"), (None, None, false));
}

/// More warps queue for an L1 at 80 %: its own work goes first, and stays whoever asks for it.
#[test]
fn warps_that_nobody_knows_how_to_add_are_bounded_and_stand_behind_a_busy_part() {
    let audit = printed(&[
        (SPEED_OF_LIGHT, "Duration", "ms", "460.39"),
        (SPEED_OF_LIGHT, "Elapsed Cycles", "cycle", "269,329,911"),
        (SPEED_OF_LIGHT, "SM Active Cycles", "cycle", "269,329,911"),
        (SPEED_OF_LIGHT, "Memory Throughput", "%", "60"),
        (SPEED_OF_LIGHT, "DRAM Throughput", "%", "19"),
        (SPEED_OF_LIGHT, "L1/TEX Cache Throughput", "%", "80"),
        (SPEED_OF_LIGHT, "Compute (SM) Throughput", "%", "50"),
        ("Occupancy", "Theoretical Occupancy", "%", "25"),
    ]);
    let ours: Vec<String> = audit.now.levers.iter().map(|lever| lever.code.to_string()).collect();
    assert_eq!(ours[..2], ["reuse-in-sm", "more-warps"]);
    let bound = lever(&audit, "more-warps").and_then(|lever| lever.bound).expect("a bound");
    assert!((bound - 20.0).abs() < 0.1, "{bound}");
}

/// Schedulers count 95,000 cycles where the GPC that takes longest counts 100,000: they issue for 60 % of 90,000, 56.8 % of their own.
#[test]
fn percentages_are_of_the_cycles_that_the_sms_count() {
    let audit = printed(&[
        (SPEED_OF_LIGHT, "Duration", "us", "70"),
        (SPEED_OF_LIGHT, "Elapsed Cycles", "cycle", "100,000"),
        (SPEED_OF_LIGHT, "SM Active Cycles", "cycle", "90,000"),
        (SPEED_OF_LIGHT, "Memory Throughput", "%", "20"),
        (SPEED_OF_LIGHT, "DRAM Throughput", "%", "20"),
        (SPEED_OF_LIGHT, "Compute (SM) Throughput", "%", "56.80"),
        ("Launch Statistics", "# SMs", "SM", "4"),
        ("Scheduler Statistics", "One or More Eligible", "%", "60.00"),
        ("GPU and Memory Workload Distribution", "Total SMSP Elapsed Cycles", "cycle", "1,520,000"),
    ]);
    assert_eq!(audit.now.bottleneck.units.first().map(|unit| unit.part), Some(Part::Issue));
}

/// A launch of 460 ms that fills its SMs, with these percentages of memory, DRAM, L1 and the SMs, at 1.5 GHz.
fn at_levels([memory, dram, l1, sms]: [&str; 4]) -> Audit {
    printed(&[
        (SPEED_OF_LIGHT, "Duration", "ms", "460.39"),
        (SPEED_OF_LIGHT, "SM Frequency", "Ghz", "1.50"),
        (SPEED_OF_LIGHT, "Elapsed Cycles", "cycle", "269,329,911"),
        (SPEED_OF_LIGHT, "SM Active Cycles", "cycle", "269,329,911"),
        (SPEED_OF_LIGHT, "Memory Throughput", "%", memory),
        (SPEED_OF_LIGHT, "DRAM Throughput", "%", dram),
        (SPEED_OF_LIGHT, "L1/TEX Cache Throughput", "%", l1),
        (SPEED_OF_LIGHT, "Compute (SM) Throughput", "%", sms),
    ])
}

/// DRAM needs 50 of the 95 % that it reaches, whatever the SMs clock: 1.5 GHz × 80 / 52.6 = 2.28 GHz. At 10 % it would be 11.4.
#[test]
fn dram_is_not_ruled_out_where_the_clock_of_a_benchmark_may_be_high_enough() {
    let at = |dram: &str| ruled_out(&at_levels([dram, dram, "20", "80"]));
    let near = at("50");
    assert!(near.contains("1.50 GHz sets the pace above 2.28 GHz") && !near.contains("Ruled out: DRAM"), "{near}");
    assert!(at("10").contains("DRAM (10.0 %)"), "{}", at("10"));
}

#[test]
fn an_l1_that_is_no_fuller_than_its_requests_is_these() {
    let at = |l1: &str| at_levels(["95", "10", l1, "95"]).now.bottleneck.limiter;
    assert_eq!(at("95.01"), Code::Unit(Part::MemoryLsu));
    assert_eq!(at("98"), Code::Unit(Part::MemoryL1tex));
}

/// Requests are instructions of the LSU, which are no more than the SMs do: 90 / 20 = 4.5 passes for each. The widest take four.
#[test]
fn lanes_are_far_apart_where_all_that_the_sms_do_would_be_requests() {
    let at = |sms: &str| lever(&at_levels(["60", "10", "90", sms]), "coalesce").map(|own| own.why.to_plain());
    assert!(at("20").is_some_and(|why| why.contains("4.5 passes or more")));
    assert_eq!(at("22"), None);
}

/// A larger tile of a block brings an eighth of the bytes at best, where nobody counted them: 38 % of 95 % are 5 % then, and not 40.
#[test]
fn a_tile_may_bring_fewer_bytes_from_dram_where_nobody_counted_them() {
    let bound = lever(&at_levels(["60", "38", "90", "50"]), "reuse-in-sm").and_then(|own| own.bound).expect("a bound");
    assert!((bound - 95.0).abs() < 0.1, "{bound}");
}

/// The launch of [`at_levels`] with counters that were asked for by name.
fn with_named(levels: [&str; 4], named: &[(&str, &str, &str)]) -> Audit {
    let [memory, dram, l1, sms] = levels;
    let named = named.iter().map(|(name, unit, value)| ("Command line profiler metrics", *name, *unit, *value));
    let rows = [
        (SPEED_OF_LIGHT, "Duration", "ms", "460.39"),
        (SPEED_OF_LIGHT, "Elapsed Cycles", "cycle", "269,329,911"),
        (SPEED_OF_LIGHT, "SM Active Cycles", "cycle", "269,329,911"),
        (SPEED_OF_LIGHT, "Memory Throughput", "%", memory),
        (SPEED_OF_LIGHT, "DRAM Throughput", "%", dram),
        (SPEED_OF_LIGHT, "L1/TEX Cache Throughput", "%", l1),
        (SPEED_OF_LIGHT, "Compute (SM) Throughput", "%", sms),
        ("Occupancy", "Theoretical Occupancy", "%", "25"),
    ];
    printed(&rows.into_iter().chain(named).collect::<Vec<_>>())
}

/// Whatever serves a pipe, it does its products still, half of 48.6 % of the time: the FMA pipe multiplies indices as well.
#[test]
fn a_pipe_that_was_asked_for_by_name_is_a_unit_whose_work_stays() {
    let fma = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed";
    let bound = |named: &[(&str, &str, &str)]| {
        let audit = with_named(["60", "38", "90", "50"], named);
        lever(&audit, "reuse-in-sm").and_then(|own| own.bound).map(f64::round)
    };
    assert_eq!((bound(&[]), bound(&[(fma, "%", "48.6")])), (Some(95.0), Some(76.0)));
    let fp64 = "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active";
    let audit = with_named(["20", "19", "20", "85"], &[(fp64, "%", "85.2")]);
    assert_eq!(audit.now.bottleneck.limiter, Code::Unit(Part::ComputeFp64));
}

/// A request of the LSU takes a pass of L1 at least.
#[test]
fn memory_pipes_as_full_as_the_multiprocessors_are_the_lsu_where_l1_does_no_less() {
    let pipes = ("sm__memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "80");
    let has_requests = |l1: &str| {
        let audit = with_named(["60", "19", l1, "80"], &[pipes]);
        audit.now.bottleneck.units.iter().any(|unit| unit.part == Part::MemoryLsu)
    };
    assert_eq!([has_requests("85"), has_requests("30")], [true, false]);
}

/// 5.7 of 9.7 cycles are for a math pipe: warps enough are ready.
#[test]
fn warps_in_a_queue_are_not_too_few() {
    let at = |cycles: &str| {
        let named = [
            ("smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", "inst", cycles),
            ("smsp__average_warp_latency_per_inst_issued.ratio", "cycle", "9.7"),
        ];
        let audit = with_named(["27", "10", "28", "43"], &named);
        (lever(&audit, "more-warps").is_some(), has(&audit, Code::OccupancyLimit))
    };
    assert_eq!((at("5.7"), at("2.0").0), ((false, false), true));
}

/// Lanes side by side may need a word of each sector: DRAM's 29 % bound nothing.
#[test]
fn lanes_far_apart_bring_bytes_that_nobody_needs() {
    let bound = lever(&at_levels(["99", "29", "99", "3"]), "coalesce").and_then(|own| own.bound).expect("a bound");
    assert!((bound - 96.2).abs() < 0.1, "{bound}");
}
