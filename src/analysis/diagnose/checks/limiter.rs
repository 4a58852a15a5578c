//! The limiter as a finding: what the walk through the chip ended at.

use super::{Finding, Ground, Severity};

/// The walk's end, with every reading that decided on the way.
pub(super) fn limiter(g: &Ground<'_, '_>) -> Option<Finding> {
    Some(Finding {
        code: g.limiter().into(),
        severity: Severity::Limits,
        sentence: g.bottleneck.sentence.clone(),
        at: None,
        readings: g.bottleneck.readings(),
        share: 0.0,
    })
}
