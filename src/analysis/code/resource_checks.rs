//! Checks on what a kernel takes of the chip.

use super::checks::{Count, Decision, Verdict};
use super::resources::{REGISTERS, ResourceRow, SPILL_LOADS, SPILL_STORES, STATIC_SHARED};
use super::{shared_map, tensor_memory};
use std::fmt;
use std::str::FromStr;
use strum::VariantArray;

/// What a check can ask the number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Resource {
    /// Registers of a thread.
    Registers,
    /// Bytes that ptxas stores to local memory because registers run out.
    SpillStores,
    /// Bytes that it loads back.
    SpillLoads,
    /// Bytes of static shared memory.
    StaticShared,
    /// Bytes of shared memory that a block may still ask for.
    SharedLeft,
    /// Instructions that initialise an mbarrier.
    Mbarriers,
    /// Columns of tensor memory.
    TensorColumns,
    /// Allocations of tensor memory.
    TensorAllocations,
}

impl Resource {
    /// How audit.toml writes it, and the row that has its number.
    fn row(self) -> (&'static str, &'static str) {
        match self {
            Resource::Registers => ("registers", REGISTERS),
            Resource::SpillStores => ("spill-stores", SPILL_STORES),
            Resource::SpillLoads => ("spill-loads", SPILL_LOADS),
            Resource::StaticShared => ("static-shared", STATIC_SHARED),
            Resource::SharedLeft => ("shared-left", shared_map::LEFT),
            Resource::Mbarriers => ("mbarrier-inits", shared_map::MBARRIERS),
            Resource::TensorColumns => ("tensor-columns", tensor_memory::COLUMNS),
            Resource::TensorAllocations => ("tensor-allocations", tensor_memory::ALLOCATIONS),
        }
    }

    /// How a check of it ends.
    pub(super) fn judge(self, count: Count, rows: &[ResourceRow]) -> Decision {
        let row = rows.iter().find(|row| row.label == self.row().1);
        let Some((row, found)) = row.and_then(|row| Some((row, row.ptxas.or(row.cubin).or(row.launch)?))) else {
            return (Verdict::Inconclusive, format!("the build does not tell: {}", self.row().1), Vec::new());
        };
        let holds = usize::try_from(found).is_ok_and(|found| count.holds(found));
        let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
        (if holds { Verdict::Pass } else { Verdict::Fail }, format!("{found}{unit}"), Vec::new())
    }
}

impl FromStr for Resource {
    type Err = String;

    fn from_str(text: &str) -> Result<Resource, String> {
        let names = || Resource::VARIANTS.iter().map(|resource| resource.row().0).collect::<Vec<_>>().join(", ");
        let found = Resource::VARIANTS.iter().find(|resource| resource.row().0 == text.trim());
        found.copied().ok_or_else(|| format!("expected one of {}, found {text:?}", names()))
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::resources::row;
    use super::*;

    #[test]
    fn a_number_that_is_not_known_decides_nothing() {
        let rows = [row(tensor_memory::COLUMNS, "", None, Some(512), None), row(REGISTERS, "", None, None, None)];
        let judged = |name: &str, count: &str| {
            let (verdict, found, _) = name.parse::<Resource>().unwrap().judge(count.parse().unwrap(), &rows);
            (verdict, found)
        };
        assert_eq!(judged("tensor-columns", "= 512"), (Verdict::Pass, "512".into()));
        assert_eq!(judged("tensor-columns", "<= 256"), (Verdict::Fail, "512".into()));
        assert_eq!(judged("registers", "<= 64").0, Verdict::Inconclusive);
        assert_eq!(judged("shared-left", ">= 0").0, Verdict::Inconclusive);
        assert!("columns".parse::<Resource>().unwrap_err().contains("tensor-columns"));
    }
}
