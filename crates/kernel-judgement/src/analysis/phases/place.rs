//! Where an access is, as a sum of what its address is made of.

use std::collections::BTreeMap;

/// Marks a part of an address that a loaded value is in.
pub(super) const LOADED: u64 = 1 << 63;

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
