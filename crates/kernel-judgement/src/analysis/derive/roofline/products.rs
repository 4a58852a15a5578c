//! Operations of matrix products by the opcodes that were executed: an opcode names the shape and the types of its product.
//!
//! Counters of the tensor path cost a replay for each type; executions by opcode come with the instruction mix. Checked on an
//! H200: `QGMMA.64x256x32` and `HMMA.16816.F32` of the FP8 products in `kernels/` give the number of the counters to the last
//! digit, and `HGMMA.64x256x16` that of the stated work.

use crate::analysis::{KernelSummary, derive::product_shape::sides};
use cuda_binary::Op;
use cuda_binary::op::{Element, ProductBy};
use std::collections::BTreeMap;

/// Warps that execute one product of a warpgroup, each of them counted.
const WARPS_OF_A_GROUP: f64 = 4.0;

/// Shapes of products of one warp as opcodes spell them, m × n × k (PTX ISA, "Warp-level matrix instructions: mma"). Volta's
/// `884` of HMMA is a step of a product and not here.
const SHAPES: [(&str, f64); 10] = [
    ("1684", 16.0 * 8.0 * 4.0),
    ("1688", 16.0 * 8.0 * 8.0),
    ("16816", 16.0 * 8.0 * 16.0),
    ("16832", 16.0 * 8.0 * 32.0),
    ("16864", 16.0 * 8.0 * 64.0),
    ("8816", 8.0 * 8.0 * 16.0),
    ("8832", 8.0 * 8.0 * 32.0),
    ("88128", 8.0 * 8.0 * 128.0),
    ("168128", 16.0 * 8.0 * 128.0),
    ("168256", 16.0 * 8.0 * 256.0),
];

/// Dense products of one kind, in the words of the counters of the tensor path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Products {
    /// The instruction: `hmma`.
    instruction: String,
    /// The type of the operands: `bf16`.
    pub(super) operands: &'static str,
    /// The type of the result: `fp32`.
    result: &'static str,
}

impl Products {
    /// What may stand behind the beginning of a counter's name for these, the particular before the general: chips differ in
    /// which of them they have, and `mma.sync` has a lower peak than `wgmma` on Hopper.
    pub(super) fn stems(&self) -> Vec<String> {
        let Products { instruction, operands, result } = self;
        let types = [format!("src_{operands}_dst_{result}"), format!("src_{operands}")];
        let own = types.iter().map(|types| format!("op_{instruction}_{types}_sparsity_off"));
        own.chain(types.iter().map(|types| format!("{types}_sparsity_off"))).chain(types.iter().cloned()).collect()
    }
}

/// What an opcode multiplies, and its operations in one execution by one warp: two for each element of m × n × k. `None` for
/// an opcode whose shape or type it does not tell, and for sparse products.
fn product(opcode: &str) -> Option<(Products, f64)> {
    let op = Op::of(opcode);
    let modifiers: Vec<&str> = opcode.split('.').skip(1).collect();
    let has = |modifier: &str| modifiers.contains(&modifier);
    if has("SP") {
        return None;
    }
    let by = op.product_by().filter(|by| *by != ProductBy::Thread)?;
    let operands = match op.element()? {
        Element::Half if has("BF16") => "bf16",
        Element::Half if has("TF32") => "tf32",
        Element::Half => "fp16",
        Element::Bytes => "fp8",
        Element::Integer if has("S8") || has("U8") => "int8",
        Element::Double => "fp64",
        _ => return None,
    };
    let volume = match (op.element()?, modifiers.first()?) {
        (Element::Double, &"884") => 8.0 * 8.0 * 4.0,
        _ if by == ProductBy::Warpgroup => {
            sides(opcode)?.into_iter().map(f64::from).product::<f64>() / WARPS_OF_A_GROUP
        }
        (_, shape) => SHAPES.iter().find(|(name, _)| name == shape)?.1,
    };
    let result = if has("F16") { "fp16" } else { "fp32" };
    Some((Products { instruction: op.name().to_lowercase(), operands, result }, 2.0 * volume))
}

/// Operations of the whole kernel by kind. Empty where an opcode does not tell its own, since a sum would be too small.
pub(super) fn operations(kernel: &KernelSummary<'_>) -> BTreeMap<Products, f64> {
    let counts = kernel.with_modifiers().into_iter().flatten();
    let matrix = counts.filter(|(opcode, count)| **count > 0.0 && Op::of(opcode).is_product());
    let mut sums: BTreeMap<Products, f64> = BTreeMap::new();
    for (opcode, count) in matrix {
        match product(opcode) {
            Some((products, each)) => *sums.entry(products).or_default() += each * count,
            None => return BTreeMap::new(),
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::product;

    #[test]
    fn operations_of_one_execution_by_hand() {
        let of = |opcode: &str| {
            let (products, operations) = product(opcode).expect("a product");
            (products.stems()[0].clone(), operations)
        };
        // 2 · 16 · 8 · 16, and 2 · 64 · 256 · 32 / 4 warps.
        assert_eq!(of("HMMA.16816.F32"), ("op_hmma_src_fp16_dst_fp32_sparsity_off".into(), 4096.0));
        assert_eq!(of("HMMA.16816.F16"), ("op_hmma_src_fp16_dst_fp16_sparsity_off".into(), 4096.0));
        assert_eq!(of("QGMMA.64x256x32.F32.E4M3.E4M3"), ("op_qgmma_src_fp8_dst_fp32_sparsity_off".into(), 262_144.0));
        assert_eq!(of("HGMMA.64x256x16.F32.BF16"), ("op_hgmma_src_bf16_dst_fp32_sparsity_off".into(), 131_072.0));
        assert_eq!(of("HMMA.1688.F32.TF32"), ("op_hmma_src_tf32_dst_fp32_sparsity_off".into(), 2048.0));
        assert_eq!(of("IMMA.16832.S8.S8").1, 8192.0);
        assert_eq!(of("DMMA.884").1, 512.0);
    }

    #[test]
    fn what_an_opcode_does_not_tell_is_not_guessed() {
        let silent =
            ["HMMA.SP.16832.F32", "HMMA.884.F32.F32.STEP0", "UTCHMMA", "IMMA.16864.S4.S4", "FFMA", "HGMMA", ""];
        for opcode in silent {
            assert_eq!(product(opcode), None, "{opcode}");
        }
    }
}
