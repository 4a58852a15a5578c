//! Sentences on both sides of the number at which they turn, on committed evidence of which that number is set by hand.

use crate::committed::snapshot;
use kernel_audit::analysis::{self, Audit, Evidence};
use kernel_audit::catalog::{Code, Part};
use kernel_audit::snapshot::Snapshot;
use kernel_audit::view;

fn audit(snapshot: &Snapshot, change: impl Fn(&mut Evidence)) -> Audit {
    let mut evidence = snapshot.evidence.clone();
    change(&mut evidence);
    analysis::audit(&evidence, &snapshot.limits)
}

/// Multiplies a metric of the new side.
fn scale(evidence: &mut Evidence, metric: &str, by: f64) {
    let mut json = serde_json::to_value(&*evidence).unwrap();
    let table = &mut json["readings"];
    let at = table["metric"].as_array().unwrap().iter().position(|name| name == metric).unwrap();
    let times = |value: &mut serde_json::Value| *value = (value.as_f64().unwrap() * by).into();
    let own = &mut table["new"];
    times(&mut own["median"][at]);
    let each = own.get_mut("each").and_then(|each| each.get_mut(at.to_string())).and_then(|each| each.as_array_mut());
    each.into_iter().flatten().for_each(times);
    *evidence = serde_json::from_value(json).unwrap();
}

#[test]
fn loads_queue_where_a_step_takes_longer_than_an_idle_chip_needs() {
    let bucketize = snapshot("2026-11-22-bucketize");
    let step = audit(&bucketize, |_| {}).now.phases.unwrap().step_cycles().unwrap();
    let with = |cycles: f64| {
        // By Little's law the life of a warp, and with it each step, is in proportion to the resident warps.
        let audit =
            audit(&bucketize, |evidence| scale(evidence, "sm__warps_active.avg.per_cycle_active", cycles / step));
        (audit.now.bottleneck.limiter, audit.now.bottleneck.sentence.to_plain())
    };
    // A load from DRAM takes 665 cycles on an idle H200: 2.2 × 665 = 1,463.
    let (limiter, sentence) = with(1_464.0);
    assert_eq!(limiter, Code::Unit(Part::MemoryL1tex));
    assert!(
        sentence.contains("a step of the chain at :21 takes 1,460 cycles, where a load from DRAM takes 665"),
        "{sentence}"
    );
    let (_, sentence) = with(1_462.0);
    assert!(!sentence.contains("queue at"), "{sentence}");
}

/// What the page says of ncu's time beside a benchmark whose median is the time under ncu over `ratio`, with launches of 1.25 µs
/// that do nothing.
fn beside_ncu(name: &str, ratio: f64, flushed_bytes: u64) -> String {
    let snapshot = snapshot(name);
    let ncu = audit(&snapshot, |_| {}).performance.time.new.value().unwrap() / 1e6;
    let audit = audit(&snapshot, |evidence| {
        let benchmark = evidence.new.benchmark.as_mut().unwrap();
        benchmark.samples_ms = vec![ncu / ratio + 0.00125; 30];
        benchmark.empty_ms = vec![0.00125; 5];
        benchmark.reference = None;
        benchmark.method.flushed_bytes = flushed_bytes;
    });
    let lead = view::document(&snapshot.heading, &audit).lead;
    let lead: Vec<String> = lead.iter().map(|line| line.words.to_plain()).collect();
    let found = lead.iter().find_map(|line| line.split("; ").find(|part| part.starts_with("ncu's time")));
    found.unwrap_or_default().to_owned()
}

#[test]
fn ncu_is_longer_for_its_cold_caches_and_shorter_where_a_flush_leaves_lines_to_write_back() {
    let (in_l2, from_dram) = ("2026-11-21-l2_resident", "2026-11-22-gemv_bf16_wide");
    // ncu empties the caches before each launch and the benchmark does not: what fits into L2 is there.
    let cold = "ncu's time is 10.0 % longer than the benchmark's less an empty launch (1.2 µs), because it starts with cold caches";
    assert_eq!(beside_ncu(in_l2, 1.1, 0), cold);
    let open = "ncu's time is 10.0 % shorter than the benchmark's less an empty launch (1.2 µs), which this evidence does not explain";
    assert_eq!(beside_ncu(in_l2, 0.9, 0), open);
    let full = "ncu's time is 10.0 % shorter than the benchmark's less an empty launch (1.2 µs), which starts with an L2 full of lines to write back";
    assert_eq!(beside_ncu(from_dram, 0.9, 251_658_240), full);
    assert_eq!(beside_ncu(from_dram, 1.1, 251_658_240), open.replace("shorter", "longer"));
    // Within 5 % nothing is said.
    assert_eq!(beside_ncu(from_dram, 0.96, 251_658_240), "");
}
