//! What the stated work takes at least: its operations and its bytes at the peaks of the chip.

use super::roofline::{Ceiling, CeilingKind, Roofline};
use crate::analysis::{KernelSummary, Work};
use crate::catalog::Counter;

/// A part of the work at its peak.
pub(in crate::analysis) struct Part<'c> {
    pub(in crate::analysis) amount: &'static str,
    pub(in crate::analysis) ceiling: &'c Ceiling,
    /// ns at the clocks of the profile.
    pub(in crate::analysis) ns: f64,
    /// The same at the highest clock.
    pub(in crate::analysis) top: Option<f64>,
    /// ns that are certain: bytes that L2 may hold from one launch to the next are not.
    pub(in crate::analysis) certain: f64,
}

/// The highest clock of the SMs in Hz; the driver gives kHz.
pub(in crate::analysis) fn highest_clock(kernel: &KernelSummary<'_>) -> Option<f64> {
    kernel.value(Counter::DeviceAttributeClockRate).map(|khz| 1e3 * khz)
}

/// Operations and bytes, where they are stated and their peaks were collected.
pub(in crate::analysis) fn parts<'c>(
    kernel: &KernelSummary<'_>,
    roofline: &'c Roofline,
    work: &Work,
) -> impl Iterator<Item = Part<'c>> {
    let clock = kernel.value(Counter::SmCyclesElapsedAvgPerSecond);
    // A short launch may read a clock above the highest.
    let faster = clock.zip(highest_clock(kernel)).map(|(clock, top)| (clock / top).min(1.0));
    let l2 = kernel.value(Counter::DeviceAttributeL2CacheSize);
    [operations(roofline, work, faster), bytes(roofline, work, l2)].into_iter().flatten()
}

/// The operations at the peak of the pipe that executed most of them.
fn operations<'c>(roofline: &'c Roofline, work: &Work, faster: Option<f64>) -> Option<Part<'c>> {
    let flop = work.flop? as f64;
    let pipes = roofline.ceilings.iter().filter(|ceiling| ceiling.kind == CeilingKind::Compute);
    let rate = |ceiling: &&Ceiling| ceiling.achieved.value().unwrap_or_default();
    let ceiling = pipes.filter(|ceiling| rate(ceiling) > 0.0).max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    let ns = 1e9 * flop / ceiling.peak.value().filter(|peak| *peak > 0.0)?;
    // Work that nothing counts may have run on a faster pipe.
    let is_whole = roofline.uncounted.is_empty();
    is_whole.then(|| Part { amount: "flop", ceiling, ns, top: faster.map(|faster| ns * faster), certain: ns })
}

/// The bytes at the peak of DRAM; those that fit into L2 at the peak of that.
fn bytes<'c>(roofline: &'c Roofline, work: &Work, l2: Option<f64>) -> Option<Part<'c>> {
    let bytes = work.bytes? as f64;
    let l2 = l2?;
    let level = |id: &str| roofline.ceilings.iter().find(|ceiling| ceiling.id == id);
    let ceiling = if bytes > l2 { level("dram")? } else { level("l2")? };
    let peak = ceiling.peak.value().filter(|peak| *peak > 0.0)?;
    let ns = 1e9 * bytes / peak;
    let certain = if bytes > l2 { 1e9 * (bytes - l2) / peak } else { ns };
    Some(Part { amount: "bytes", ceiling, ns, top: Some(ns), certain })
}
