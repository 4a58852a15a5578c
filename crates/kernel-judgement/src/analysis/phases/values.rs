//! What is known of the values of a kernel: where they are written, what is behind them, where accesses are.

use crate::evidence::Register;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// What is behind a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::analysis) struct Origin {
    pub(in crate::analysis) thread: bool,
    pub(in crate::analysis) block: bool,
    pub(in crate::analysis) memory: bool,
    /// A lane that the warp elected.
    pub(in crate::analysis) elected: bool,
    /// A value that is not traced.
    pub(in crate::analysis) unknown: bool,
}

/// The values of a kernel: where each register is written, and the facts that several rules ask for, each found when first asked for.
#[derive(Default)]
pub(super) struct Flows {
    /// Rows that write a register, ascending, by its place in `slots`.
    pub(super) writes: Vec<Vec<usize>>,
    /// Whether a row brings a value from memory that others may write.
    pub(super) is_memory: Vec<bool>,
    pub(super) rows: Vec<Known>,
    /// Loads that were split from one access, by row: the first of them.
    pub(super) splits: BTreeMap<usize, usize>,
    /// Where accesses of global memory, and loads of shared memory, begin, by row.
    pub(super) places: OnceCell<BTreeMap<usize, Place>>,
}

/// What is known of a row once it was asked for.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The registers that it reads, each with the rows that define it.
    pub(super) operands: OnceCell<Vec<(Register, Vec<usize>)>>,
    pub(super) address_behind: OnceCell<Vec<usize>>,
    pub(super) loads_behind: OnceCell<Vec<usize>>,
    pub(super) guard: OnceCell<Origin>,
}

/// Marks a part of an address that a loaded value is in.
pub(super) const LOADED: u64 = 1 << 63;

/// Marks a part of an address that is an argument of the kernel.
pub(super) const ARGUMENT: u64 = 1 << 62;

/// Where an access is on the first turn of its loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct Place {
    /// The parts of its address as a sum modulo 2³², by what they are, each with its factor.
    pub(super) parts: BTreeMap<u64, u32>,
    /// The bytes behind them; `None` where the first turn may be one of several.
    pub(super) bytes: Option<u32>,
}

impl Place {
    /// Of its parts those that loaded values are in: what picks an element.
    pub(in crate::analysis) fn index(&self) -> Vec<(u64, u32)> {
        self.parts.iter().filter(|(part, _)| *part & LOADED > 0).map(|(part, factor)| (*part, *factor)).collect()
    }

    /// Its parts but for the arguments of the kernel: which element of an array it is.
    pub(super) fn element(&self) -> Vec<(u64, u32)> {
        self.parts.iter().filter(|(part, _)| *part & ARGUMENT == 0).map(|(part, factor)| (*part, *factor)).collect()
    }

    /// The arguments of the kernel among its parts: which array it is of.
    pub(super) fn arguments(&self) -> BTreeSet<u64> {
        self.parts.keys().filter(|part| *part & ARGUMENT > 0).copied().collect()
    }

    /// All of its parts: what two accesses have in common that differ by bytes the code says.
    pub(in crate::analysis) fn all(&self) -> &BTreeMap<u64, u32> {
        &self.parts
    }

    /// Whether others lie behind it at once, twice, three times and so on one distance, in any order.
    pub(in crate::analysis) fn is_row_with(&self, others: &[&Place]) -> bool {
        let away = |other: &Place| {
            let mut parts = other.parts.clone();
            for (part, factor) in &self.parts {
                let own = parts.entry(*part).or_default();
                *own = own.wrapping_sub(*factor);
            }
            parts.retain(|_, factor| *factor != 0);
            (parts, other.bytes.zip(self.bytes).map(|(other, own)| other.wrapping_sub(own)))
        };
        let all: Vec<_> = others.iter().map(|other| away(other)).collect();
        let times = |(parts, bytes): &(BTreeMap<u64, u32>, Option<u32>), by: u32| {
            let parts = parts.iter().map(|(part, factor)| (*part, factor.wrapping_mul(by))).collect();
            (parts, bytes.map(|bytes| bytes.wrapping_mul(by)))
        };
        all.iter().any(|first| (1..=all.len() as u32).all(|by| all.contains(&times(first, by))))
    }

    /// The bytes behind its parts; `None` where the first turn may be one of several.
    pub(in crate::analysis) fn bytes(&self) -> Option<u32> {
        self.bytes
    }

    /// Whether both begin at the same place, give or take bytes that the code says.
    pub(in crate::analysis) fn is_beside(&self, other: &Place) -> bool {
        self.parts == other.parts
    }

    /// Whether both begin at the same place, as far as is known.
    pub(in crate::analysis) fn is_at(&self, other: &Place) -> bool {
        self.is_beside(other) && self.bytes.zip(other.bytes).is_none_or(|(own, other)| own == other)
    }
}
