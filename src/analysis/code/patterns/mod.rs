//! What the code shows against a kernel before it runs: one file for each pattern, as for those of a profile.

mod build_differs;
mod calls;
mod double;
mod load_latency;
mod local_arrays;
mod narrow_access;
mod narrow_products;
mod occupancy;
mod older_tensor_path;
mod spills;

use super::build::CodeAudit;
use super::resources::ResourceRow;
use crate::analysis::diagnose::finding::{Finding, Severity};
use crate::analysis::diagnose::pattern::{Finds, Hit};
use crate::analysis::limits::Limits;
use crate::catalog::Code;

/// What these patterns look at.
pub(in crate::analysis) struct Built<'a> {
    pub(super) code: &'a CodeAudit,
    pub(super) limits: &'a Limits,
}

/// Every pattern of the code, the most telling first.
const PATTERNS: &[&dyn for<'a> Finds<Built<'a>>] = &[
    &build_differs::BuildDiffers,
    &spills::Spills,
    &local_arrays::LocalArrays,
    &older_tensor_path::OlderTensorPath,
    &narrow_products::NarrowProducts,
    &occupancy::Occupancy,
    &load_latency::LoadLatency,
    &narrow_access::NarrowAccess,
    &double::Double,
    &calls::Calls,
];

/// What the code shows, the most telling first.
pub(in crate::analysis) fn findings(code: &CodeAudit, limits: &Limits) -> Vec<Finding> {
    let built = Built { code, limits };
    PATTERNS.iter().filter_map(|pattern| Some(pattern.find(&built)?.0)).collect()
}

impl Built<'_> {
    fn resource(&self, label: &str) -> Option<&ResourceRow> {
        self.code.resources.iter().find(|row| row.label == label)
    }

    /// Instructions of a class of opcodes.
    fn count(&self, class: &str) -> u64 {
        self.code.classes.iter().find(|row| row.class == class).map_or(0, |row| row.count as u64)
    }
}

/// A finding of the code: nothing ranks it but its place in the list.
fn shown<F>(code: Code, severity: Severity, facts: F) -> Option<Hit<F>> {
    Some(Hit::new(code, facts).finding(severity, 0.0, Vec::new()))
}
