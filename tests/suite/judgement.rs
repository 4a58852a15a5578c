//! What a blind reading found wrong in the judgement, each on a report of which some readings are set by hand.

use crate::judged;
use crate::rules::{one, report, value, with};
use kernel_audit::analysis::{self, Audit, Evidence, LimiterChange, Limits, Work};
use kernel_audit::catalog::{Code, Part};
use kernel_audit::evidence::{Report, SourceView, Value};

fn audit(report: &Report, views: &[SourceView]) -> Audit {
    judged::audit(report, views, &Work::default())
}

/// What an action is expected to save, in percent, where it has a row.
fn saves(audit: &Audit, action: &str) -> Option<f64> {
    audit.now.levers.iter().find(|lever| lever.code.to_string() == action)?.expected
}

#[test]
fn sectors_that_nobody_asked_for_matter_where_no_memory_unit_is_busy() {
    let (mut report, views) = one("pairs/h200", "rowsum_thread");
    let metrics = &mut report.launches[0].metrics;
    for metric in metrics.iter_mut().filter(|metric| {
        let is_memory = ["lts__", "l1tex__", "dram__"].iter().any(|unit| metric.name.starts_with(unit));
        is_memory && metric.name.contains(".pct_of_peak_sustained_elapsed")
    }) {
        metric.value = Some(Value::F64(20.0));
    }
    let audit = audit(&report, &views);
    // Every unit of memory is at 20 %, and lanes still wait for eight times the sectors.
    assert!(audit.now.bottleneck.units.iter().all(|unit| unit.share < 0.6), "{:?}", audit.now.bottleneck.units);
    assert!(saves(&audit, "coalesce").expect("a row") > 20.0);
    let ruled = audit.now.bottleneck.ruled_out.as_ref().map(|words| words.to_plain()).unwrap_or_default();
    assert!(!ruled.contains("coalescing"), "{ruled}");
}

#[test]
fn no_ceiling_takes_the_time_without_a_block_away() {
    // A launch of 5 µs in which the SMs hold a block for 41 % of the time: the rest is launch and drain.
    const KERNEL: &str = "collected/bank_conflict/profile";
    let (report, _) = report(KERNEL);
    let elapsed = value(&report, "sm__cycles_elapsed.avg");
    let held = [("sm__cycles_active.avg", 0.41 * elapsed), ("sm__cycles_active.max", 0.41 * elapsed)];
    let all: Vec<(&str, f64)> = held.into_iter().chain([("gpu__time_duration.sum", 5000.0)]).collect();
    let short = with(KERNEL, &all);
    let ceilings: Vec<f64> =
        short.now.levers.iter().filter(|lever| lever.expected.is_some()).filter_map(|l| l.bound).collect();
    assert!(!ceilings.is_empty() && ceilings.iter().all(|bound| *bound <= 41.0 + 0.5), "{ceilings:?}");
    let long = with(KERNEL, &[]);
    assert!(long.now.levers.iter().any(|lever| lever.bound.is_some_and(|bound| bound > 41.5)));
}

#[test]
fn a_pipe_below_its_roof_is_not_told_that_only_less_work_helps() {
    let at = |percent: f64| {
        let (mut report, views) = report("collected/sfu_bound/profile");
        let full = audit(&report, &views).now.bottleneck.unit.expect("a pipe").percent;
        for metric in &mut report.launches[0].metrics {
            let share = metric.value.as_ref().and_then(Value::as_f64);
            if let Some(share) = share.filter(|_| metric.name.contains(".pct_of_peak_sustained_elapsed")) {
                metric.value = Some(Value::F64(share * percent / full));
            }
        }
        audit(&report, &views).now.bottleneck.roof.map(|words| words.to_plain().contains("Only less work helps"))
    };
    // Between, what is left is said; where less than half of the time is its work, nothing of it.
    assert_eq!([97.0, 68.0, 46.0].map(at), [Some(true), Some(false), None]);
}

#[test]
fn code_that_copies_registers_onto_themselves_is_built_for_a_debugger() {
    let (report, mut views) = report("collected/bank_conflict/profile");
    let own = audit(&report, &views);
    assert!(!own.now.findings.iter().any(|finding| finding.code == Code::UnoptimisedBuild));
    assert!(saves(&own, "unconflict").is_some());
    // `nvcc -G` leaves a quarter of such copies; here every tenth instruction.
    let copy = cuda_binary::sass::decode(0x003f_de00_0000_0f00_0000_0007_0007_7202, 0, (9, 0));
    for row in views[0].instructions.iter_mut().step_by(10) {
        (row.word, row.text, row.opcode) = (Some(copy), None, None);
    }
    let debug = audit(&report, &views);
    assert_eq!(debug.now.bottleneck.limiter, own.now.bottleneck.limiter, "what limits stays");
    assert!(debug.now.findings.iter().any(|finding| finding.code == Code::UnoptimisedBuild));
    let first = debug.now.levers[0].code.to_string();
    assert_eq!((first.as_str(), saves(&debug, "unconflict")), ("rebuild", None));
}

#[test]
fn two_loops_that_load_the_same_are_one_pass_too_many() {
    let of = |kernel: &str| {
        let (report, views) = one("pairs/h200", kernel);
        let audit = audit(&report, &views);
        let row = audit.now.levers.iter().find(|lever| lever.code.to_string() == "fewer-passes");
        row.map(|lever| lever.why.to_plain())
    };
    let why = of("softmax_passes").expect("a row");
    assert!(why.starts_with("3 passes load the same 4.19 M sectors"), "{why}");
    assert_eq!(of("softmax_registers"), None);
}

#[test]
fn copies_without_a_producer_wait_for_memory() {
    // DRAM is at 87 % in the steady state, and every warp waits for a box of the copy at an mbarrier.
    const KERNEL: &str = "collected/mxfp4_moe_small_m_h100/profile";
    let full = with(KERNEL, &[]);
    assert_eq!(full.now.bottleneck.limiter, Code::Unit(Part::MemoryDram));
    // A tail of 12 % that was measured is not ruled out by what waves leave.
    let longest = value(&report(KERNEL).0, "sm__cycles_active.max");
    let tail = with(KERNEL, &[("sm__cycles_active.avg", 0.85 * longest)]);
    assert!(tail.now.bottleneck.ruled_out.as_ref().is_none_or(|words| !words.to_plain().contains("wave quantisation")));
    let idle = ["dram__cycles_active.avg", "dram__bytes_read.sum", "lts__throughput.avg"]
        .map(|name| (format!("{name}.pct_of_peak_sustained_elapsed"), 20.0));
    let idle: Vec<(&str, f64)> = idle.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_ne!(with(KERNEL, &idle).now.bottleneck.limiter, Code::Unit(Part::MemoryDram));
}

#[test]
fn a_tensor_pipe_that_drains_in_each_step_does_not_limit() {
    let of = |kernel: &str| {
        let (report, views) = one("pairs/h200", kernel);
        audit(&report, &views).now
    };
    let drained = of("wgmma_drained");
    assert_eq!(drained.bottleneck.limiter, Code::DrainedProducts);
    // What it waits for at barriers is its products.
    assert!(drained.findings.iter().all(|finding| finding.code.to_string() != "sync-barrier"));
    assert!(of("wgmma_kept").findings.iter().all(|finding| finding.code != Code::DrainedProducts));
}

#[test]
fn a_full_unit_has_a_queue_whatever_its_loads_take() {
    // The first load of a walk has 32 sectors, the others few, most of them in L1: a turn takes less than a load from DRAM.
    let (report, views) = one("pairs/h100", "hash_probe_before");
    assert_eq!(audit(&report, &views).now.bottleneck.limiter, Code::Unit(Part::MemoryDram));
}

#[test]
fn what_cannot_be_told_apart_has_not_moved() {
    let side = |name: &str| {
        let (report, views) = report(&format!("collected/{name}/profile"));
        judged::evidence(&report, &views, &Work::default())
    };
    let change = |before: &str, now: &str| {
        let old = Some(side(before).new.as_old());
        let audit = analysis::audit(&Evidence { old, ..side(now) }, &Limits::default());
        let codes = [&audit.before.unwrap().bottleneck, &audit.now.bottleneck].map(|own| own.limiter.to_string());
        (codes, audit.change.unwrap().limiter)
    };
    // What its waits for the producer and shared memory would save lies nearer than can be told apart.
    let codes = ["sync-mbarrier", "memory-shared"].map(str::to_owned);
    assert_eq!(change("mxfp4_moe_w1_swiglu", "jacobi_tiles"), (codes, LimiterChange::Near));
    let codes = ["memory-shared", "memory-dram"].map(str::to_owned);
    assert_eq!(change("jacobi_tiles", "stream_triad"), (codes, LimiterChange::Moved));
}
