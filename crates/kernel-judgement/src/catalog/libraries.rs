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
    let function = name.split(['<', '(']).next()?.rsplit(' ').next()?;
    libraries().iter().find(|row| {
        let is_with = row.with.is_empty() || row.with.iter().any(|word| function.contains(word));
        is_with && row.begins.iter().any(|begin| function.starts_with(begin))
    })
}

#[cfg(test)]
mod tests {
    use super::library_of;

    #[test]
    fn a_library_is_told_by_the_function_and_not_by_its_parameters() {
        let of = |name: &str| library_of(name).map(|row| row.name);
        assert_eq!(of("void cutlass::Kernel2<cutlass_80_wmma>(T1::Params)"), Some("CUTLASS"));
        assert_eq!(of("ampere_sgemm_128x64_nn"), Some("cuBLAS or cuDNN"));
        assert_eq!(of("void at::native::elementwise<4, at::f(at::T&)::{lambda(int)#1}>(int, T3)"), Some("PyTorch"));
        assert_eq!(of("triton_red_fused__softmax_0"), Some("PyTorch Inductor"));
        for own in ["ampere_stencil", "void mine<cutlass::half_t>(cub::Int)", "triton_softmax", "scatter", "catalog"] {
            assert_eq!(of(own), None, "{own}");
        }
    }
}
