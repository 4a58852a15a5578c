//! What the shape of a warpgroup product (wgmma) costs on Hopper, whose operands lie in shared memory.
//!
//! A product of 64 rows and n columns, 32 bytes deep, keeps the tensor pipe for n / 2 cycles. It reads 64 + n rows of 32 bytes, and
//! shared memory gives 128 bytes a cycle: 16 + n / 4 wavefronts. A left operand in registers leaves n / 4. On an H200 both counts
//! come out to the last digit for n of 16 to 256, and the time is the larger of them within 4 % with two or three warpgroups, within
//! 11 % with one; `kernels/narrow_products.cu` has 32 columns and 256.

/// Columns of a product that no wgmma surpasses.
pub(in crate::analysis) const MOST_COLUMNS: u32 = 256;

/// Rows, columns and depth of a product of a warpgroup by its opcode, `HGMMA.64x32x16.F32.BF16`.
pub(in crate::analysis) fn sides(opcode: &str) -> Option<[u32; 3]> {
    let (base, rest) = opcode.split_once('.')?;
    let shape = rest.split('.').next().filter(|_| base.ends_with("GMMA"))?;
    let sides: Option<Vec<u32>> = shape.split('x').map(|side| side.parse().ok()).collect();
    sides?.try_into().ok()
}

/// Cycles of the tensor pipe.
pub(in crate::analysis) fn cycles(columns: u32) -> f64 {
    f64::from(columns) / 2.0
}

/// Wavefronts of shared memory that read both operands.
pub(in crate::analysis) fn wavefronts(columns: u32) -> f64 {
    16.0 + f64::from(columns) / 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_as_measured() {
        // Cycles of a product with two or three warpgroups at work on an H200: 24.5 and 32.7 where reading sets the pace, 64.6 and 129.5.
        let pace = |columns: u32| cycles(columns).max(wavefronts(columns));
        assert_eq!([32, 64, 128, 256].map(pace), [24.0, 32.0, 64.0, 128.0]);
        assert_eq!(sides("QGMMA.64x256x32.F32.E4M3.E4M3"), Some([64, 256, 32]));
        assert_eq!(["HMMA.16816.F32", "HGMMA", "UTCHMMA.64x32x16", "HGMMA.64x32"].map(sides), [None; 4]);
    }
}
