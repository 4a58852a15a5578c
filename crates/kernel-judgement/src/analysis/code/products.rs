//! Products whose shape matters: those of tcgen05, where it lies in a descriptor and not in the opcode, and those of warpgroups
//! that are too narrow for shared memory to feed.

use super::shared_map::constant;
use crate::analysis::{derive::product_shape, sass::Listed};
use crate::evidence::{Instruction, OperandFrom, RegisterFile};
use cuda_binary::op::ProductBy;
use std::collections::BTreeMap;

/// Products of one opcode and shape.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProductShape {
    /// With modifiers, `UTCQMMA.2CTA`.
    pub opcode: String,
    /// Rows and columns of the sums; `None` where the descriptor is no constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<[u64; 2]>,
    pub count: usize,
}

pub(super) fn shapes(listed: &Listed<'_>) -> Vec<ProductShape> {
    let is_tcgen05 = |i: &Instruction| i.op().product_by() == Some(ProductBy::Thread);
    let mut found: BTreeMap<(&str, Option<[u64; 2]>), usize> = BTreeMap::new();
    for (at, product) in listed.code.iter().enumerate() {
        let shape = match narrow(product) {
            None if is_tcgen05(product) => descriptor(listed, at).map(shape),
            None => continue,
            narrow => narrow,
        };
        *found.entry((product.named(), shape)).or_default() += 1;
    }
    let row = |((opcode, shape), count): ((&str, _), _)| ProductShape { opcode: opcode.into(), shape, count };
    found.into_iter().map(row).collect()
}

/// Rows and columns of a product of a warpgroup whose operands take longer to read than to multiply; both lie in shared memory
/// where one descriptor stands for them, `R24, gdesc[UR12], R24`.
fn narrow(product: &Instruction) -> Option<[u64; 2]> {
    let [rows, columns, _] = product_shape::sides(product.named())?;
    let is_shared = matches!(product.operands().nth(1)?.from, OperandFrom::Tile(_));
    let is_slow = product_shape::wavefronts(columns) > product_shape::cycles(columns);
    (is_shared && is_slow).then_some([rows.into(), columns.into()])
}

/// PTX ISA, "Instruction descriptor" of tcgen05: N / 8 from bit 17, and M / 16 from bit 24, of which block-scaled products have
/// the upper two bits alone.
fn shape(descriptor: u64) -> [u64; 2] {
    [(descriptor >> 24 & 0x1f) * 16, (descriptor >> 17 & 0x3f) * 8]
}

/// The descriptor of a product, where it is a constant.
fn descriptor(listed: &Listed<'_>, at: usize) -> Option<u64> {
    let register = listed.code[at].operands().find_map(|own| match own.from {
        OperandFrom::Shape(number) => Some(OperandFrom::Register(RegisterFile::Uniform, number)),
        _ => None,
    });
    constant(listed.in_front(at)?, register?.into(), |_| false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_descriptors_by_hand() {
        // As the kernels here make them: 256 × 128 of MXFP8 with the third scale, 128 × 256 of E4M3 without scales.
        assert_eq!(shape(0x50a0_0020), [256, 128]);
        assert_eq!(shape(1 << 4 | (256 / 8) << 17 | (128 / 16) << 24), [128, 256]);
    }

    #[test]
    fn narrow_is_what_reads_both_operands_longer_than_it_multiplies() {
        let of = |opcode: &str, operands: &str| narrow(&Instruction::printed(opcode, operands));
        assert_eq!(of("HGMMA.64x32x16.F32.BF16", "R24, gdesc[UR12], R24, gsb0"), Some([64, 32]));
        assert_eq!(of("HGMMA.64x64x16.F32.BF16", "R24, gdesc[UR12], R24"), None, "32 wavefronts for 32 cycles");
        assert_eq!(of("QGMMA.64x16x32.F32.E4M3.E4M3", "R24, R4, gdesc[UR8], R24"), None, "the left one in registers");
        assert_eq!(of("HMMA.16816.F32", "R4, R8, R12, R4"), None);
    }
}
