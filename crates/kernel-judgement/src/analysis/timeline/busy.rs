//! How much of its time a GPU worked, and the gaps between its kernels.

use crate::evidence::{GpuOperation, OperationKind, Timeline};
use std::collections::BTreeMap;

/// The time of one GPU from its first to its last piece of work, in nanoseconds.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct DeviceTime {
    /// The device as the files name it; empty where they do not.
    pub device: String,
    /// From the start of the first to the end of the last piece of work.
    pub span_ns: f64,
    /// At least one kernel ran.
    pub kernel_ns: f64,
    /// No kernel ran, but a copy or a fill.
    pub memory_only_ns: f64,
    /// Nothing ran.
    pub idle_ns: f64,
    /// The share of the span in which anything ran, in percent.
    pub busy_percent: f64,
    /// Gaps between kernels.
    pub gaps: Gaps,
}

/// Times between kernels in which no kernel ran.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Gaps {
    pub count: u64,
    pub total_ns: f64,
    /// The part of it in which a copy or a fill ran.
    pub memory_ns: f64,
    /// The largest; absent where there is none.
    pub largest: Option<Gap>,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Gap {
    pub ns: f64,
    /// The kernel that ended last before it.
    pub after: String,
    /// The kernel that ended it.
    pub before: String,
    /// From the start of the span to the start of the gap.
    pub at_ns: f64,
}

/// Each GPU of the timeline.
pub(in crate::analysis) fn devices(timeline: &Timeline) -> Part<Vec<DeviceTime>> {
    let mut by_device: BTreeMap<&str, Vec<&GpuOperation>> = BTreeMap::new();
    for one in timeline.operations.iter().flatten() {
        by_device.entry(&one.device).or_default().push(one);
    }
    if by_device.is_empty() {
        return Part::Missing("no table of single kernels (cuda_gpu_trace, or an SQLite export) with a row".into());
    }
    Part::Found(by_device.into_iter().map(|(device, operations)| of_device(device, operations)).collect())
}

fn of_device(device: &str, mut operations: Vec<&GpuOperation>) -> DeviceTime {
    operations.sort_by(|a, b| a.start_ns.total_cmp(&b.start_ns));
    let start = operations.first().map_or(0.0, |one| one.start_ns);
    let end = operations.iter().map(|one| one.end_ns()).fold(start, f64::max);
    let all = covered(operations.iter().copied());
    let kernels = || operations.iter().copied().filter(|one| one.kind == OperationKind::Kernel);
    let kernel = covered(kernels());
    let span_ns = end - start;
    let gaps = gaps(kernels(), &operations, start);
    DeviceTime {
        device: device.to_owned(),
        span_ns,
        kernel_ns: kernel,
        memory_only_ns: all - kernel,
        idle_ns: span_ns - all,
        busy_percent: percent(all, span_ns),
        gaps,
    }
}

/// The time in which at least one of the operations ran; they come in the order of their starts.
fn covered<'o>(operations: impl Iterator<Item = &'o GpuOperation>) -> f64 {
    let mut total = 0.0;
    let mut until = f64::NEG_INFINITY;
    for one in operations {
        total += (one.end_ns() - one.start_ns.max(until)).max(0.0);
        until = until.max(one.end_ns());
    }
    total
}

fn gaps<'o>(kernels: impl Iterator<Item = &'o GpuOperation>, all: &[&GpuOperation], start: f64) -> Gaps {
    let mut gaps = Gaps::default();
    let mut last: Option<&GpuOperation> = None;
    let mut memory = all.iter().copied().filter(|one| one.kind != OperationKind::Kernel).peekable();
    // The end of what is known to run besides kernels.
    let mut until = f64::NEG_INFINITY;
    for kernel in kernels {
        if let Some(before) = last.filter(|before| kernel.start_ns > before.end_ns()) {
            let (from, to) = (before.end_ns(), kernel.start_ns);
            gaps.count += 1;
            gaps.total_ns += to - from;
            let mut filled = from;
            gaps.memory_ns += (until.min(to) - filled).max(0.0);
            filled = filled.max(until.min(to));
            while let Some(one) = memory.next_if(|one| one.start_ns < to) {
                let (begins, ends) = (one.start_ns.max(filled), one.end_ns().min(to));
                gaps.memory_ns += (ends - begins).max(0.0);
                filled = filled.max(ends);
                until = until.max(one.end_ns());
            }
            if gaps.largest.as_ref().is_none_or(|largest| to - from > largest.ns) {
                let (after, before) = (before.name.clone(), kernel.name.clone());
                gaps.largest = Some(Gap { ns: to - from, after, before, at_ns: from - start });
            }
        }
        if last.is_none_or(|before| kernel.end_ns() > before.end_ns()) {
            last = Some(kernel);
        }
    }
    gaps
}

/// A part of the timeline: what is known, or why it is not.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part<T> {
    /// What the files say.
    Found(T),
    /// Which table is missing.
    Missing(String),
}

impl<T> Part<T> {
    /// What is known.
    pub fn found(&self) -> Option<&T> {
        match self {
            Part::Found(found) => Some(found),
            Part::Missing(_) => None,
        }
    }
}

/// `100 × part / whole`; 0 for a whole of 0, which has no parts.
pub(in crate::analysis) fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(kind: OperationKind, name: &str, start_ns: f64, duration_ns: f64) -> GpuOperation {
        GpuOperation { kind, name: name.into(), start_ns, duration_ns, bytes: None, device: "GPU 0".into() }
    }

    #[test]
    fn overlapping_work_counts_once_and_copies_fill_gaps() {
        let operations = vec![
            operation(OperationKind::Copy, "Host-to-Device", 0.0, 100.0),
            operation(OperationKind::Kernel, "a", 100.0, 100.0),
            operation(OperationKind::Kernel, "b", 150.0, 100.0),
            operation(OperationKind::Copy, "Device-to-Host", 240.0, 60.0),
            operation(OperationKind::Kernel, "c", 400.0, 50.0),
            operation(OperationKind::Kernel, "a", 460.0, 40.0),
        ];
        let timeline = Timeline { operations: Some(operations), ..Timeline::default() };
        let devices = devices(&timeline);
        let one = &devices.found().expect("a trace")[0];
        // Kernels cover 100-250, 400-450, 460-500; copies alone 0-100 and 250-300; nothing runs in 300-400, 450-460.
        assert_eq!((one.span_ns, one.kernel_ns, one.memory_only_ns, one.idle_ns), (500.0, 240.0, 150.0, 110.0));
        assert_eq!((one.gaps.count, one.gaps.total_ns, one.gaps.memory_ns), (2, 160.0, 50.0));
        let largest = one.gaps.largest.as_ref().expect("two gaps");
        assert_eq!(
            (largest.ns, largest.after.as_str(), largest.before.as_str(), largest.at_ns),
            (150.0, "b", "c", 250.0)
        );
    }
}
