//! Numbers that are made from readings, each with what it is made from.

use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};

/// `factor × part / whole`; missing where either is, not applicable for a whole of zero.
pub(in crate::analysis) fn quotient(part: Reading, whole: Reading, factor: f64, unit: Unit) -> Reading {
    let (Reading::Measured(p), Reading::Measured(w)) = (&part, &whole) else {
        return if part.quantity().is_none() { part } else { whole };
    };
    let metrics = p.from.metrics.iter().chain(&w.from.metrics).cloned().collect();
    match Quantity::new(factor * p.quantity.value() / w.quantity.value(), unit) {
        Some(quantity) => Reading::derived(quantity, metrics, &format!("{factor} × first / second")),
        None => Reading::not_applicable("none were executed"),
    }
}

pub(in crate::analysis) fn derived(value: f64, unit: Unit, metrics: &[impl AsRef<str>], formula: &str) -> Reading {
    let metrics = metrics.iter().map(|name| name.as_ref().into()).collect();
    Quantity::new(value, unit).map_or_else(
        || Reading::not_applicable("the result is not a finite number"),
        |quantity| Reading::derived(quantity, metrics, formula),
    )
}
