//! The levers that are worth a line: our own, above the least ceiling, and none at a roof.

use crate::analysis::{Audit, Lever, LeverOrigin};

const SHOWN: usize = 5;
/// Ceilings below this many percent are not worth a line.
const LEAST: f64 = 2.0;

pub(in crate::view) fn shown(audit: &Audit) -> Vec<&Lever> {
    match audit.now.bottleneck.roof {
        Some(_) => Vec::new(),
        None => worth(&audit.now.levers).take(SHOWN).collect(),
    }
}

/// Our own levers that are worth a line, by ceiling.
pub(super) fn worth(levers: &[Lever]) -> impl Iterator<Item = &Lever> {
    let ours = levers.iter().filter(|lever| lever.origin == LeverOrigin::Audit);
    ours.filter(|lever| lever.bound.is_none_or(|bound| bound >= LEAST))
}
