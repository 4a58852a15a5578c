//! The kernel's points: for each pipe that it used and each memory level, intensity, rate, and the roof above.

use super::ceilings::{self, Ceiling, Point};
use super::flags::{self, Flag};
use super::tensor;
use crate::analysis::{
    KernelSummary, Work,
    derive::mix::{Halves, InstructionMix},
};

/// Ceilings, points and what is odd about them.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Roofline {
    /// Memory levels, then pipes; those without a number on both sides are left to `not_measured`.
    pub ceilings: Vec<Ceiling>,
    /// Points of every used pipe by level.
    pub points: Vec<Point>,
    /// Numbers that must not be taken at face value.
    pub flags: Vec<Flag>,
    /// Labels of ceilings without a number.
    pub not_measured: Vec<String>,
    /// Matrix instructions that were executed, with their counts, where nothing tells their operations.
    pub uncounted: Vec<(String, f64)>,
    /// Operations of all math pipes in one launch; `None` where those of the tensor pipe, or the duration, were not measured.
    pub operations: Option<f64>,
}

impl Roofline {
    /// The roofline of a kernel; `footprint` is the bytes of all buffers of its launch, where they are known.
    pub(in crate::analysis) fn of(
        kernel: &KernelSummary<'_>,
        (mix, halves): (&InstructionMix, Option<&Halves>),
        work: &Work,
        footprint: Option<f64>,
    ) -> Roofline {
        let (tensor, uncounted) = tensor::ceilings(kernel, mix);
        let all =
            ceilings::memory(kernel).into_iter().chain(ceilings::scalar(kernel, (mix, halves), work)).chain(tensor);
        let (measured, missing): (Vec<Ceiling>, Vec<Ceiling>) = all.partition(|ceiling| ceiling.share().is_some());
        let is_whole = uncounted.is_empty() && !missing.iter().any(tensor::is_tensor);
        let not_measured = missing.into_iter().map(|ceiling| ceiling.label).collect();
        let points = points(&measured);
        let compute = measured.iter().filter(|ceiling| ceiling.kind == ceilings::CeilingKind::Compute);
        let rate: f64 = compute.filter_map(|ceiling| ceiling.achieved.value()).sum();
        let operations = kernel.seconds().filter(|_| is_whole).map(|seconds| rate * seconds);
        let flags = flags::flags(kernel, work, (&measured, &points), operations, footprint);
        Roofline { ceilings: measured, points, flags, not_measured, uncounted, operations }
    }
}

/// Share of the busiest pipe's rate below which a pipe has no point: `HFMA2` that moves constants counts as arithmetic.
const TRACE: f64 = 0.01;

/// Every pipe with work against every level with traffic.
fn points(ceilings: &[Ceiling]) -> Vec<Point> {
    let rate = |ceiling: &Ceiling| ceiling.achieved.value().unwrap_or(0.0);
    let busiest = |kind| ceilings.iter().filter(|c| c.kind == kind).map(rate).fold(0.0, f64::max);
    let least = TRACE * busiest(ceilings::CeilingKind::Compute);
    let used = |c: &&Ceiling| rate(c) > 0.0 && (c.kind == ceilings::CeilingKind::Memory || rate(c) >= least);
    let of_kind = |kind| ceilings.iter().filter(move |ceiling| ceiling.kind == kind).filter(used);
    let pair = |compute: &Ceiling, memory: &Ceiling| {
        let (rate, peak) = (compute.achieved.value()?, compute.peak.value()?);
        let intensity = rate / memory.achieved.value()?;
        let slope = intensity * memory.peak.value()?;
        Some(Point {
            compute: compute.id.clone(),
            memory: memory.id.clone(),
            intensity,
            rate,
            roof: peak.min(slope),
            is_under_slope: slope < peak,
        })
    };
    of_kind(ceilings::CeilingKind::Compute)
        .flat_map(|compute| of_kind(ceilings::CeilingKind::Memory).filter_map(move |memory| pair(compute, memory)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::CeilingKind;
    use crate::evidence::Reading;
    use crate::quantity::{Quantity, Unit};

    fn ceiling(id: &str, kind: CeilingKind, peak: f64, achieved: f64) -> Ceiling {
        let unit = if kind == CeilingKind::Memory { Unit::BYTE_PER_SECOND } else { Unit::FLOP_PER_SECOND };
        let reading = |value| Reading::measured(Quantity::new(value, unit).expect("finite"), &"metric".into());
        Ceiling { id: id.into(), label: id.into(), kind, peak: reading(peak), achieved: reading(achieved) }
    }

    #[test]
    fn points_by_hand() {
        // 10 FLOP/s at 5 byte/s: 2 FLOP/byte. The slope there is 2 × 20 = 40 FLOP/s, the pipe's peak 100: roof 40, 25 %.
        let found = points(&[
            ceiling("dram", CeilingKind::Memory, 20.0, 5.0),
            ceiling("fp32", CeilingKind::Compute, 100.0, 10.0),
            ceiling("fp64", CeilingKind::Compute, 50.0, 0.0),
        ]);
        let [point] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((point.intensity, point.roof, point.is_under_slope, point.share()), (2.0, 40.0, true, 25.0));
    }

    #[test]
    fn a_pipe_under_its_flat_line_by_hand() {
        // 90 FLOP/s at 1 byte/s: the slope is 90 × 20 = 1800, above the peak of 100: roof 100, 90 %.
        let found = points(&[
            ceiling("dram", CeilingKind::Memory, 20.0, 1.0),
            ceiling("fp32", CeilingKind::Compute, 100.0, 90.0),
        ]);
        assert_eq!((found[0].roof, found[0].is_under_slope, found[0].share()), (100.0, false, 90.0));
    }
}
