//! NVIDIA's own estimates.

use super::lever::{Lever, LeverOrigin};
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::catalog::Threshold;

/// NVIDIA's estimates, one for each rule message that carries one, from the first launch.
pub(super) fn nvidia(kernel: &KernelSummary<'_>, limits: &Limits) -> Vec<Lever> {
    let mut levers: Vec<Lever> = Vec::new();
    let ruled = kernel.launches().iter().find(|launch| !launch.rules.is_empty());
    for rule in ruled.iter().flat_map(|launch| &launch.rules) {
        let Some(speedup) = rule.speedup.filter(|s| s.percent >= limits[Threshold::LeverLeast]) else { continue };
        let scope = if speedup.is_global { "of the run time" } else { "of the part that the rule looks at" };
        let title = rule.messages.iter().map(|m| &m.title).find(|t| !t.is_empty()).unwrap_or(&rule.name);
        levers.push(Lever {
            code: rule.id.to_string(),
            origin: LeverOrigin::NvidiaRule,
            bound: speedup.percent,
            is_rough: false,
            formula: format!("NVIDIA's rule {}, {scope}", rule.id),
            sentence: title.to_string(),
            remeasure: rule.focus.first().map(|f| f.metric.to_string()).unwrap_or_default(),
        });
    }
    levers.sort_by(|a, b| b.bound.total_cmp(&a.bound));
    levers
}
