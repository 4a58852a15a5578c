//! Scales of blocks of values, as cuBLASLt takes them.

use super::{DType, LaunchError};

/// The major compute capability from which tensor cores take scales of blocks (cuBLAS documentation, narrow precision data types).
const FIRST_WITH_BLOCK_SCALES: u32 = 10;

/// Scales of blocks of values along the sums of a product, one buffer for each operand. A buffer holds tiles of 128 rows by four scales,
/// those of 128 rows one behind the other: byte `((row / 128) · ⌈k / values / 4⌉ + s / 4) · 512 + row % 32 · 16 + row % 128 / 32 · 4 +
/// s % 4` is scale `s` of a row (cuBLAS documentation, 1D block scaling factors layout), as `tcgen05.cp` takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockScales {
    /// Type and length of the blocks.
    pub kind: BlockScale,
    /// Position of the scales of the first operand.
    pub a: usize,
    /// Position of those of the second.
    pub b: usize,
}

/// What cuBLASLt takes as scales of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockScale {
    /// A UE4M3 for 16 values of E2M1: NVFP4.
    Vec16Ue4m3,
    /// A UE8M0 for 32 values of E4M3 or E5M2: MXFP8.
    Vec32Ue8m0,
}

impl BlockScale {
    /// The kind for operands and scales of these types; `None` where the library has no such product.
    pub fn of(operands: [DType; 2], scales: [DType; 2]) -> Option<BlockScale> {
        let is_fp8 = |dtype: DType| matches!(dtype, DType::E4m3 | DType::E5m2);
        match (operands, scales) {
            ([DType::E2m1, DType::E2m1], [DType::Ue4m3, DType::Ue4m3]) => Some(BlockScale::Vec16Ue4m3),
            ([a, b], [DType::E8m0, DType::E8m0]) if is_fp8(a) && is_fp8(b) => Some(BlockScale::Vec32Ue8m0),
            _ => None,
        }
    }

    /// Values that a scale is for.
    pub const fn values(self) -> u64 {
        match self {
            BlockScale::Vec16Ue4m3 => 16,
            BlockScale::Vec32Ue8m0 => 32,
        }
    }

    /// Scales of an operand of this many rows and values of a row, with those that fill up tiles.
    pub const fn elements(self, rows: u64, k: u64) -> u64 {
        rows.div_ceil(128) * 128 * k.div_ceil(self.values()).div_ceil(4) * 4
    }

    /// As cuBLASLt calls it.
    pub const fn name(self) -> &'static str {
        match self {
            BlockScale::Vec16Ue4m3 => "VEC16_UE4M3",
            BlockScale::Vec32Ue8m0 => "VEC32_UE8M0",
        }
    }

    /// Refuses a device of this compute capability, where it has no tensor cores for such scales.
    ///
    /// # Errors
    /// The device is older than compute capability 10.0.
    pub fn check(self, capability: &str) -> Result<(), LaunchError> {
        let major = capability.split('.').next().and_then(|major| major.parse::<u32>().ok());
        if major.is_some_and(|major| major >= FIRST_WITH_BLOCK_SCALES) {
            return Ok(());
        }
        Err(LaunchError::NoBlockScales { scales: self.name(), capability: capability.to_owned() })
    }
}
