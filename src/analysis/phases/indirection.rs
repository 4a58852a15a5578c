//! Loads through an index, as they are kept.

use super::detail::Point;

/// Loads through an index.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Indirection {
    /// The one that is waited for the most.
    pub load: Point,
    /// The load that brings its index.
    pub index: Point,
    /// Share of all samples that wait for loads through an index, 0 to 1.
    pub for_loads: f64,
    /// Share of all samples that wait for the indices, 0 to 1.
    pub for_indices: f64,
    /// Executions by warps of the loads through an index at the line of `load`.
    pub requests: u64,
    /// Sectors of 32 bytes that these touch.
    pub sectors: u64,
    /// Sectors that the same bytes need side by side.
    pub ideal: u64,
    /// Bits of a lane's element, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width_bits: Option<u64>,
}

impl Indirection {
    /// The part of the sectors that would go if the bytes were packed, 0 to 1.
    pub fn excess(&self) -> f64 {
        self.sectors.saturating_sub(self.ideal) as f64 / self.sectors.max(1) as f64
    }
}
