//! The times of one thing: their median, and the rates that follow from the work.

use super::states::Stretch;
use crate::analysis::{Sample, Work};
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};

/// The times of one thing, in ns.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Timed {
    /// Median, interval, scatter, smallest and largest.
    pub time: Sample,
    /// Floating-point operations over the median; `None` where none are stated.
    pub flop_rate: Option<Reading>,
    /// Bytes that cannot be avoided over the median; `None` where none are stated.
    pub byte_rate: Option<Reading>,
}

pub(super) fn timed(samples_ms: &[f64], work: &Work, confidence: f64, stretch: &Stretch) -> Option<Timed> {
    let time = Sample::of(&nanoseconds(samples_ms), confidence)?;
    let time = Sample { interval: time.interval.filter(|_| !stretch.has_step), ..time };
    let rate = |amount: Option<u64>, name: &str, unit: Unit| {
        let quantity = Quantity::new(amount? as f64 * 1e9 / time.median, unit)?;
        let metrics = vec![name.into(), "benchmark.samples_ms".into()];
        Some(Reading::derived(quantity, metrics, "stated amount / median time"))
    };
    Some(Timed {
        flop_rate: rate(work.flop, "work.flop", Unit::FLOP_PER_SECOND),
        byte_rate: rate(work.bytes, "work.bytes", Unit::BYTE_PER_SECOND),
        time,
    })
}

/// Events give single-precision milliseconds; a thousandth of a nanosecond is below what they hold.
pub(super) fn nanoseconds(samples_ms: &[f64]) -> Vec<f64> {
    samples_ms.iter().map(|ms| (ms * 1e9).round() / 1e3).collect()
}

/// How far the median of the last third lies from that of the first, in percent; `None` for fewer than three groups of five.
pub(super) fn drift(samples: &[f64]) -> Option<f64> {
    let third = samples.len() / 3;
    let median = |part: &[f64]| Sample::of(part, 0.0).map(|sample| sample.median);
    let (first, last) = (median(&samples[..third])?, median(&samples[samples.len() - third..])?);
    (third >= 5).then(|| 100.0 * (last / first - 1.0).abs())
}
