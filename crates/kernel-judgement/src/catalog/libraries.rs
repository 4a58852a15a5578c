//! Kernels of libraries: how their names begin, and what the caller of one can change.

use super::row::catalog;
use serde::Deserialize;

/// The kernels of a library or of a compiler.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LibraryRow {
    pub(crate) name: &'static str,
    begins: Vec<&'static str>,
    /// Of these words the name holds one; no words ask for nothing.
    #[serde(default)]
    with: Vec<&'static str>,
    /// What the caller can change.
    pub(crate) call: &'static str,
}

catalog! {
    LibraryRow, "libraries.toml", "library", |row| row.begins.clone(),
    pub(crate) fn libraries
}

/// The library that a kernel of this displayed name is of: `void at::native::elementwise<4>(int)`.
pub(crate) fn library_of(name: &str) -> Option<&'static LibraryRow> {
    let head = name.split(['<', '(']).next()?;
    let function = head.rsplit(' ').next()?;
    let named = &name[head.len() - function.len()..];
    libraries().iter().find(|row| {
        let is_with = row.with.is_empty() || row.with.iter().any(|word| function.contains(word));
        is_with && row.begins.iter().any(|begin| named.starts_with(begin))
    })
}

/// What the words of a type in the name of a product say of the bytes of its operands, the narrowest first.
const OPERANDS: [(&[&str], u32); 4] = [
    (&["s8", "u8", "i8", "e4m3", "e5m2"], 1),
    (&["f16", "bf16", "h16"], 2),
    (&["tf32", "f32", "s1688gemm"], 4),
    (&["f64"], 8),
];

/// The bytes to which a kernel of a library takes its operands to be aligned: `gemm_s8_256x128_tn_align4` has four of one byte.
pub(crate) fn alignment_of(name: &str) -> Option<u32> {
    let function = name.split('(').next()?;
    let words = || function.split(|c: char| !c.is_ascii_alphanumeric());
    let count: u32 = words().find_map(|word| word.strip_prefix("align")?.parse().ok())?;
    let (_, bytes) = OPERANDS.iter().find(|(types, _)| words().any(|word| types.contains(&word)))?;
    Some(count * bytes)
}

/// The compute capability whose instructions a kernel of a library is written with, by its name: `cutlass_80_wmma`, `sm80_xmma_gemm`,
/// `ampere_sgemm`.
pub(crate) fn generation_of(name: &str) -> Option<u32> {
    const CHIPS: [(&str, u32); 6] =
        [("maxwell", 50), ("pascal", 60), ("volta", 70), ("turing", 75), ("ampere", 80), ("hopper", 90)];
    let function = name.split('(').next()?;
    let words: Vec<&str> = function.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let numbered = |word: &str| word.strip_prefix("sm")?.parse().ok();
    let of_cutlass = words.windows(2).find_map(|two| if two[0] == "cutlass" { two[1].parse().ok() } else { None });
    let named = |word: &&str| CHIPS.iter().find(|(chip, _)| chip == word).map(|(_, number)| *number);
    of_cutlass.or_else(|| words.iter().find_map(|word| numbered(word))).or_else(|| words.iter().find_map(named))
}

#[cfg(test)]
mod tests {
    use super::{alignment_of, generation_of, library_of};

    #[test]
    fn a_name_tells_alignment_and_generation() {
        let cutlass = "void cutlass::Kernel2<cutlass_80_wmma_tensorop_i161616gemm_s8_32x32_64x1_nn_align4>(T1::Params)";
        assert_eq!((alignment_of(cutlass), generation_of(cutlass)), (Some(4), Some(80)));
        let xmma = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x64";
        assert_eq!((alignment_of(xmma), generation_of(xmma)), (None, Some(80)));
        assert_eq!(alignment_of("cutlass_75_tensorop_f16_s1688gemm_f16_256x128_nn_align8"), Some(16));
        assert_eq!((alignment_of("mine_align4"), generation_of("turing_h1688gemm_128x128")), (None, Some(75)));
        assert_eq!(generation_of("stencil<80>(int)"), None);
    }

    #[test]
    fn a_library_is_told_by_the_function_and_not_by_its_parameters() {
        let of = |name: &str| library_of(name).map(|row| row.name);
        assert_eq!(of("void cutlass::Kernel2<cutlass_80_wmma>(T1::Params)"), Some("CUTLASS"));
        assert_eq!(of("void Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)"), Some("CUTLASS"));
        assert_eq!(of("void Kernel2<mine>(Params)"), None);
        assert_eq!(of("ampere_sgemm_128x64_nn"), Some("cuBLAS or cuDNN"));
        assert_eq!(of("void at::native::elementwise<4, at::f(at::T&)::{lambda(int)#1}>(int, T3)"), Some("PyTorch"));
        assert_eq!(of("void Kernel<cutlass_80_tensorop_f16>(Params)"), Some("CUTLASS"));
        assert_eq!(of("triton_red_fused__softmax_0"), Some("PyTorch Inductor"));
        for own in ["ampere_stencil", "void mine<cutlass::half_t>(cub::Int)", "triton_softmax", "scatter", "catalog"] {
            assert_eq!(of(own), None, "{own}");
        }
    }
}
