//! Round ends and marks of axes.

use super::model::{Axis, Tick};

/// The step of 1, 2 or 5 times a power of ten that cuts `until` into at most `most` parts.
fn step(until: f64, most: f64) -> f64 {
    let raw = until / most;
    let power = 10_f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= raw).unwrap_or(10.0);
    factor * power
}

/// Marks from 0 to the first one at or above `largest`.
pub(super) fn from_zero(largest: f64, text: impl Fn(f64) -> String) -> Vec<Tick> {
    if !(largest > 0.0 && largest.is_finite()) {
        return vec![Tick { at: 0.0, text: text(0.0) }, Tick { at: 1.0, text: text(1.0) }];
    }
    let step = step(largest, 5.0);
    let count = (largest / step).ceil().max(1.0) as u32;
    (0..=count).map(|n| f64::from(n) * step).map(|at| Tick { at, text: text(at) }).collect()
}

/// A linear axis from 0.
pub(super) fn linear(title: &str, largest: f64, text: impl Fn(f64) -> String) -> Axis {
    let ticks = from_zero(largest, text);
    let until = ticks.last().map_or(1.0, |tick| tick.at);
    Axis { title: title.into(), is_log: false, from: 0.0, until, ticks }
}

/// A linear axis from 0 that ends where its curve does, with a mark at every `step`.
pub(super) fn up_to(title: &str, until: f64, step: f64, text: impl Fn(f64) -> String) -> Axis {
    let ticks = (0..=(until / step) as u32).map(|n| f64::from(n) * step).map(|at| Tick { at, text: text(at) });
    Axis { title: title.into(), is_log: false, from: 0.0, until, ticks: ticks.collect() }
}

/// A logarithmic axis from the power of ten at or below `least` to the one at or above `largest`; both above 0.
pub(super) fn log(title: &str, least: f64, largest: f64, text: impl Fn(f64) -> String) -> Axis {
    let (low, high) = (least.log10().floor() as i32, largest.log10().ceil() as i32);
    let high = high.max(low + 1);
    let every = ((high - low) / 7 + 1).max(1);
    let ticks = (low..=high).map(|power| {
        let at = 10_f64.powi(power);
        Tick { at, text: if (power - low) % every == 0 { text(at) } else { String::new() } }
    });
    Axis { title: title.into(), is_log: true, from: 10_f64.powi(low), until: 10_f64.powi(high), ticks: ticks.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_round() {
        let marks = |largest| from_zero(largest, |v| format!("{v}")).into_iter().map(|t| t.text).collect::<Vec<_>>();
        assert_eq!(marks(88.0), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(marks(3.0), ["0", "1", "2", "3"]);
        assert_eq!(marks(0.0), ["0", "1"]);
        assert_eq!(marks(f64::NAN), ["0", "1"]);
        let axis = log("x", 0.3, 45.0, |v| format!("{v}"));
        assert_eq!((axis.from, axis.until, axis.ticks.len()), (0.1, 100.0, 4));
        assert_eq!(log("x", 1.0, 1.0, |v| format!("{v}")).until, 10.0);
    }
}
