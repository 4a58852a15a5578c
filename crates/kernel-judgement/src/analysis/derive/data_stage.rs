//! What fills the L1 data stage: shared memory, the operands of warpgroup products among it, or the other spaces.
//!
//! Shares of the stage's peak are compared, not wavefronts of the tag stage: a load of 16 bytes a thread is one wavefront
//! there and four here. On an H200 the shared part and `l1tex__data_pipe_lsu_wavefronts_mem_lgds` add up to the whole.

use crate::analysis::KernelSummary;
use crate::catalog::Counter;

/// Wavefronts of the whole stage, percent of peak.
pub(in crate::analysis) const WHOLE: Counter = Counter::L1texDataPipeLsuWavefrontsAvgPctElapsed;
/// Those of shared memory, percent of the same peak.
pub(in crate::analysis) const SHARED: Counter = Counter::L1texDataPipeLsuWavefrontsMemSharedSumPctElapsed;
/// Those among them that read operands of warpgroup products (wgmma), percent of the same peak.
pub(in crate::analysis) const OPERANDS: Counter = Counter::L1texDataPipeLsuWavefrontsMemSharedOpGmmaSumPctElapsed;

/// The stage and its parts, in percent of its peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct DataStage {
    pub(in crate::analysis) whole: f64,
    /// Those of shared memory.
    pub(in crate::analysis) shared: f64,
    /// Those of shared memory that read operands of warpgroup products; `None` where that was not collected.
    pub(in crate::analysis) operands: Option<f64>,
}

impl DataStage {
    /// `None` where one of the first two was not collected.
    pub(in crate::analysis) fn of(kernel: &KernelSummary<'_>) -> Option<DataStage> {
        let (whole, shared) = (kernel.value(WHOLE)?, kernel.value(SHARED)?);
        Some(DataStage { whole, shared, operands: kernel.value(OPERANDS) })
    }

    /// The rest: global and local accesses, and writes of asynchronous copies.
    pub(in crate::analysis) fn other(&self) -> f64 {
        self.whole - self.shared
    }

    /// Whether shared memory fills more of it than everything else.
    pub(in crate::analysis) fn is_mostly_shared(&self) -> bool {
        self.shared > self.other()
    }
}

#[cfg(test)]
mod tests {
    use super::DataStage;

    #[test]
    fn the_larger_part_is_told_by_shares_of_the_peak() {
        // patch_embed_gemm and transpose_tiled on an H200.
        let products = DataStage { whole: 66.291, shared: 30.278, operands: Some(24.92) };
        assert!(!products.is_mostly_shared());
        assert!((products.other() - 36.379).abs() < 0.5, "{}", products.other());
        let conflicts = DataStage { whole: 88.006, shared: 82.912, operands: None };
        assert!(conflicts.is_mostly_shared());
    }
}
