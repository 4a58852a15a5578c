//! The shape of tcgen05 products: it lies in a descriptor, not in the opcode.

use super::tensor_memory::constant;
use crate::analysis::sass::{ControlFlow, body};
use crate::evidence::{SassFunction, SassInstruction};
use std::collections::BTreeMap;

/// Products of one opcode and shape.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProductShape {
    /// With modifiers, `UTCQMMA.2CTA`.
    pub opcode: String,
    /// Rows and columns of the sums; `None` where the descriptor is no constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<[u64; 2]>,
    /// Instructions.
    pub count: usize,
}

/// The products of a kernel.
pub(super) fn shapes(function: &SassFunction, flow: &ControlFlow) -> Vec<ProductShape> {
    let code = body(function);
    let is_product = |i: &SassInstruction| i.base().starts_with("UTC") && i.base().ends_with("MMA");
    let mut found: BTreeMap<(&str, Option<[u64; 2]>), usize> = BTreeMap::new();
    for at in (0..code.len()).filter(|at| is_product(&code[*at])) {
        *found.entry((&code[at].opcode, descriptor(code, flow, at).map(shape))).or_default() += 1;
    }
    let row = |((opcode, shape), count): ((&str, _), _)| ProductShape { opcode: opcode.into(), shape, count };
    found.into_iter().map(row).collect()
}

/// PTX ISA, "Instruction descriptor" of tcgen05: N / 8 from bit 17, and M / 16 from bit 24, of which block-scaled products have
/// the upper two bits alone.
fn shape(descriptor: u64) -> [u64; 2] {
    [(descriptor >> 24 & 0x1f) * 16, (descriptor >> 17 & 0x3f) * 8]
}

/// The descriptor of a product, where it is a constant.
fn descriptor(code: &[SassInstruction], flow: &ControlFlow, at: usize) -> Option<u64> {
    constant(code, flow, at, code[at].operands.split("idesc[").nth(1)?.split(']').next()?)
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
}
