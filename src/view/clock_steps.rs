//! Steps of the clock in a benchmark, and the clock that its times were taken at, in words.

use crate::analysis::{Audit, Flag, Level, Timed, Timing, caches_are_flushed};
use crate::catalog::{Part, Threshold};
use crate::evidence::FlushedBy;
use crate::quantity::format::{self, Scale};
use crate::quantity::glance;

/// How far the benchmark may lie from ncu's time before it asks for a reason, in percent.
const APART: f64 = 5.0;

/// Where the times step, by how much, and why; `None` where they do not.
pub(super) fn sentence(timing: &Timing) -> Option<String> {
    let step = timing.step?;
    let move_of = |(before, after): (f64, f64)| {
        let scale = Scale::of_samples([before, after]);
        format!("{} → {}", scale.write_bare(before), scale.write(after))
    };
    let who = match step.reference {
        Some(reference) => format!("kernel {}, reference {}", move_of(step.kernel), move_of(reference)),
        None => move_of(step.kernel),
    };
    let ratios = step.reference.map(|reference| {
        let ratio = |kernel: f64, reference: f64| format::fixed(kernel / reference, 3);
        let (before, after) = (ratio(step.kernel.0, reference.0), ratio(step.kernel.1, reference.1));
        format!("; kernel/reference {before}, then {after}")
    });
    let why = match (&timing.other, step.parts_states) {
        (Some(_), true) => {
            let held = timing.benchmark.clocks_after.as_ref().and_then(|clocks| clocks.held_by());
            let held = held.map_or_else(|| "another state of the clocks".to_owned(), held_by);
            format!("the driver reports {held} from there on, so the parts are two clock states")
        }
        _ if timing.kernel.time.count + step.at == timing.benchmark.samples_ms.len() => {
            "nothing held the clock down before it, so it was still rising: those samples are left out".to_owned()
        }
        _ => "the driver reports the same clock limits before and after, so the median is of all samples, without an interval"
            .to_owned(),
    };
    Some(format!(
        "The times step after sample {} of {}: {who}{}; {why}.",
        step.at,
        timing.benchmark.samples_ms.len(),
        ratios.unwrap_or_default()
    ))
}

/// What held the clocks down before or after, as the driver's bits.
fn held(timing: &Timing) -> u64 {
    let clocks = [&timing.benchmark.clocks_before, &timing.benchmark.clocks_after].into_iter().flatten();
    clocks.filter_map(|clocks| clocks.held_by()).fold(0, |all, bits| all | bits)
}

/// How many more cycles than a reference's come to how much more time, where the driver held the clocks down and the two ran at
/// different ones: what does more at a time gets a lower clock for the same power.
pub(super) fn beside(audit: &Audit, (own, theirs): (f64, f64)) -> Option<String> {
    let timing = audit.trials.timing.as_ref().filter(|timing| held(timing) != 0)?;
    let times = (timing.kernel.time.median, timing.reference.as_ref()?.time.median);
    let clocks = (own / times.0, theirs / times.1);
    let (cycles, time) = (own / theirs, times.0 / times.1);
    let is_apart =
        100.0 * (clocks.0.max(clocks.1) / clocks.0.min(clocks.1) - 1.0) > audit.limits[Threshold::ClockDifference];
    let more = |ratio: f64, less: &str| {
        let way = if ratio < 1.0 { less } else { "more" };
        format!("{} % {way}", glance::digits(100.0 * (ratio - 1.0).abs()))
    };
    let [own, theirs] = [clocks.0, clocks.1].map(|clock| format::fixed(clock, 2));
    let (cycles, time) = (more(cycles, "fewer"), more(time, "less"));
    is_apart.then(|| format!(" At {own} GHz, and {theirs} there, {cycles} cycles are {time} time."))
}

/// Cycles under ncu over the benchmark's median, in GHz: the clock that the benchmark ran at. Told where the driver held the
/// clocks down or the times step.
pub(super) fn effective(audit: &Audit) -> Option<String> {
    let timing = audit.trials.timing.as_ref()?;
    let held = held(timing);
    let cycles = audit.performance.cycles.new.value().filter(|_| held != 0 || timing.step.is_some())?;
    let clock = |timed: &Timed| format::fixed(cycles / timed.time.median, 2);
    Some(match &timing.other {
        Some(other) => {
            let (own, beside) = (clock(&timing.kernel), clock(&other.kernel));
            let state = match other.held_by {
                0 => "unthrottled".to_owned(),
                bits => format!("under {}", held_by(bits)),
            };
            format!("{own} GHz effective in the benchmark, {beside} GHz {state}")
        }
        None if held != 0 => format!("{} GHz effective in the benchmark ({})", clock(&timing.kernel), held_by(held)),
        None => format!("{} GHz effective in the benchmark", clock(&timing.kernel)),
    })
}

/// The time of the inputs that the benchmark took in turn with those of the profile, where it is another one.
pub(super) fn other_inputs(audit: &Audit) -> Option<String> {
    let timing = audit.trials.timing.as_ref()?;
    let other = timing.other_inputs?;
    let (own, time) = (timing.benchmark.method.seed, glance::time(other.ns));
    Some(format!("inputs of seed {own}, which ncu has too; those of seed {} take {time}", other.seed))
}

/// Why an unthrottled benchmark is off ncu's time, where it is by more than a little.
pub(super) fn off_ncu(audit: &Audit) -> Option<String> {
    let timing = audit.trials.timing.as_ref().filter(|timing| timing.step.is_none())?;
    let benchmark = &timing.benchmark;
    let is_free =
        |clocks: &Option<crate::evidence::Clocks>| clocks.as_ref().is_some_and(|clocks| clocks.held_by() == Some(0));
    if !(is_free(&benchmark.clocks_before) && is_free(&benchmark.clocks_after)) {
        return None;
    }
    let mut empty = benchmark.empty_ms.clone();
    empty.sort_by(f64::total_cmp);
    let empty = empty.get(empty.len() / 2)? * 1e6;
    let (own, ncu) = (timing.kernel.time.median - empty, audit.performance.time.new.value()?);
    let apart = 100.0 * (ncu / own - 1.0);
    if own <= 0.0 || apart.abs() <= APART {
        return None;
    }
    let is_warm = audit.now.roofline.flags.iter().any(|flag| matches!(flag, Flag::FitsInL2 { .. }));
    let method = &benchmark.method;
    let dram = audit.now.bottleneck.units.iter().find(|unit| unit.part == Part::MemoryDram);
    let writes_back = method.flushed_bytes > 0 && method.flushed_by == FlushedBy::Writes;
    let why = if apart > 0.0 && caches_are_flushed(&audit.settings) && is_warm && method.flushed_bytes == 0 {
        "because it starts with cold caches"
    } else if apart < 0.0 && writes_back && dram.is_some_and(|unit| unit.level != Level::Idle) {
        "which starts with an L2 full of lines to write back"
    } else {
        "which this evidence does not explain"
    };
    let by = if apart > 0.0 { "longer" } else { "shorter" };
    // What is taken off stands beside it, since both times are on the page.
    let less = if empty > 0.0 { format!(" less an empty launch ({})", glance::time(empty)) } else { String::new() };
    Some(format!("ncu's time is {} % {by} than the benchmark's{less}, {why}", format::fixed(apart.abs(), 1)))
}

/// Why the driver holds clocks down: bits of `nvmlClocksThrottleReason…` in NVML's header `nvml.h`.
const REASONS: [(u64, &str); 9] = [
    (0x1, "idle"),
    (0x2, "application clocks"),
    (0x4, "SW power cap"),
    (0x8, "HW slowdown"),
    (0x10, "sync boost"),
    (0x20, "SW thermal slowdown"),
    (0x40, "HW thermal slowdown"),
    (0x80, "HW power brake"),
    (0x100, "display clocks"),
];

pub(super) fn held_by(bits: u64) -> String {
    held_down(&format!("{bits:#x}"))
}

pub(super) fn held_down(mask: &str) -> String {
    let Some(bits) = mask.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok()) else {
        return "not reported".to_owned();
    };
    let known: u64 = REASONS.iter().map(|(bit, _)| bit).sum();
    let mut words: Vec<String> =
        REASONS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, word)| (*word).to_owned()).collect();
    if bits & !known != 0 {
        words.push(format!("{:#x}", bits & !known));
    }
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
