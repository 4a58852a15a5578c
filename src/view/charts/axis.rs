//! Round ends and marks of axes.

use super::model::{Axis, Tick};
use crate::bounds::MARKS;

/// The step of 1, 2 or 5 times a power of ten that cuts `until` into at most `most` parts.
fn step(until: f64, most: f64) -> f64 {
    let raw = until / most;
    let power = 10_f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= raw).unwrap_or(10.0);
    factor * power
}

/// Marks from 0 to the first one at or above `largest`.
pub(super) fn from_zero(largest: f64, text: impl Fn(f64) -> String) -> Vec<Tick> {
    let step = Some(step(largest, 5.0)).filter(|step| largest > 0.0 && step.is_normal()).unwrap_or(1.0);
    let until = if largest.is_finite() { largest.max(step) } else { step };
    marks((until / step).ceil(), step, text)
}

/// Marks at 0 and at `count` steps, [`MARKS`] at most.
fn marks(count: f64, step: f64, text: impl Fn(f64) -> String) -> Vec<Tick> {
    let count = count.clamp(0.0, f64::from(MARKS)) as u32;
    (0..=count).map(|n| f64::from(n) * step).map(|at| Tick { at, text: text(at) }).collect()
}

pub(super) fn linear(title: &str, largest: f64, text: impl Fn(f64) -> String) -> Axis {
    let ticks = from_zero(largest, text);
    let until = ticks.last().map_or(1.0, |tick| tick.at);
    Axis { title: title.into(), is_log: false, from: 0.0, until, ticks }
}

/// A linear axis from 0 that ends where its curve does, with a mark at every `own` step, or at round places where these would be
/// too many, or none.
pub(super) fn up_to(title: &str, until: f64, own: f64, text: impl Fn(f64) -> String) -> Axis {
    let is_apt = (1.0..=f64::from(MARKS)).contains(&(until / own));
    let step = if is_apt { own } else { step(until, 5.0) };
    let ticks = marks((until / step).floor(), step, text);
    Axis { title: title.into(), is_log: false, from: 0.0, until, ticks }
}

/// A logarithmic axis from the power of ten at or below `least` to the one at or above `largest`; both above 0.
pub(super) fn log(title: &str, least: f64, largest: f64, text: impl Fn(f64) -> String) -> Axis {
    let power = |power: f64| power.clamp(f64::from(f64::MIN_10_EXP), f64::from(f64::MAX_10_EXP)) as i32;
    let (low, high) = (power(least.log10().floor()).min(f64::MAX_10_EXP - 1), power(largest.log10().ceil()));
    let high = high.max(low + 1);
    let every = ((high - low) / 7 + 1).max(1);
    // Powers between the labels have a mark of their own where there is room.
    let step = if (high - low).unsigned_abs() <= MARKS { 1 } else { every };
    let ticks = (low..=high).step_by(step.unsigned_abs() as usize).map(|power| {
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
        let axis = up_to("x", 228.0, 50.0, |v| format!("{v}"));
        assert_eq!((axis.until, axis.ticks.len()), (228.0, 5));
        let axis = up_to("x", 12.0, 16.0, |v| format!("{v}"));
        assert_eq!(axis.ticks.iter().map(|tick| tick.at).collect::<Vec<_>>(), [0.0, 5.0, 10.0]);
    }

    #[test]
    fn no_value_makes_marks_without_end() {
        let hostile =
            [0.0, -1.0, 5e-324, 1e-300, 1.5, 1e9, 1e308, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let text = |v: f64| format!("{v}");
        for value in hostile {
            for other in hostile {
                for axis in [linear("x", value, text), up_to("x", value, 32.0, text), log("x", value, other, text)] {
                    assert!(axis.ticks.len() <= MARKS as usize + 1, "{value} {other}: {}", axis.ticks.len());
                }
            }
        }
        assert_eq!(up_to("x", 134_217_728.0, 32.0, text).ticks.len(), 3);
    }
}
