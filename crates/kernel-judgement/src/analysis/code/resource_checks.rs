//! Checks on what a kernel takes of the chip.

use super::resources::{REGISTERS, SPILL_LOADS, SPILL_STORES, STATIC_SHARED};
use super::{shared_map, tensor_memory};
use crate::analysis::Unreadable;
use std::fmt;
use std::str::FromStr;
use strum::VariantArray;

/// What a walk of the mbarriers counts; it is no row of the resources, since it takes a launch.
const PHASES: &str = "Phases of each mbarrier";

/// What a check can ask the number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Resource {
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
    /// Arrivals for which all mbarriers together are initialised.
    Arrivals,
    /// Phases that each mbarrier goes through when the code is walked.
    Phases,
    TensorColumns,
    TensorAllocations,
}

impl Resource {
    /// How audit.toml writes it, and the label of the row that has its number.
    pub(super) fn row(self) -> (&'static str, &'static str) {
        match self {
            Resource::Registers => ("registers", REGISTERS),
            Resource::SpillStores => ("spill-stores", SPILL_STORES),
            Resource::SpillLoads => ("spill-loads", SPILL_LOADS),
            Resource::StaticShared => ("static-shared", STATIC_SHARED),
            Resource::SharedLeft => ("shared-left", shared_map::LEFT),
            Resource::Mbarriers => ("mbarrier-inits", shared_map::MBARRIERS),
            Resource::Arrivals => ("mbarrier-arrivals", shared_map::ARRIVALS),
            Resource::Phases => ("mbarrier-phases", PHASES),
            Resource::TensorColumns => ("tensor-columns", tensor_memory::COLUMNS),
            Resource::TensorAllocations => ("tensor-allocations", tensor_memory::ALLOCATIONS),
        }
    }
}

impl FromStr for Resource {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Resource, Unreadable> {
        let names = || Resource::VARIANTS.iter().map(|resource| resource.row().0).collect::<Vec<_>>().join(", ");
        let found = Resource::VARIANTS.iter().find(|resource| resource.row().0 == text.trim());
        found.copied().ok_or_else(|| Unreadable::new(format!("one of {}", names()), text))
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_word_is_refused_with_those_that_are_known() {
        assert_eq!("tensor-columns".parse(), Ok(Resource::TensorColumns));
        assert!("columns".parse::<Resource>().unwrap_err().to_string().contains("tensor-columns"));
    }
}
