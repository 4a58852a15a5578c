//! A CUDA source as `audit init` finds it: the names of its kernels.

use super::init_python::{enclosed, names};
use std::path::{Path, PathBuf};

/// A CUDA source with the names of its kernels.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) kernels: Vec<String>,
    /// Whether it is a part of PyTorch's build, whose headers no compiler finds by itself.
    pub(super) is_of_torch: bool,
}

impl Source {
    /// A source with a kernel; `None` for any other.
    pub(super) fn of(path: &Path, text: &str) -> Option<Source> {
        let kernels = kernels_of(text);
        let is_of_torch = ["<torch/", "<ATen/", "<c10/", "<pybind11/"].iter().any(|header| text.contains(header));
        (!kernels.is_empty()).then(|| Source { path: path.to_owned(), kernels, is_of_torch })
    }
}

/// The names behind `__global__` in a source.
fn kernels_of(text: &str) -> Vec<String> {
    let bare: String = text.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
    names(r"__global__[\s\w]*?\b(\w+)\s*\(", &without_attributes(&bare))
}

/// A source without the attributes that stand between `__global__` and a kernel's name, each with its brackets.
fn without_attributes(text: &str) -> String {
    const ATTRIBUTES: [&str; 3] = ["__launch_bounds__", "__cluster_dims__", "__attribute__"];
    let (mut bare, mut rest) = (String::new(), text);
    while let Some(at) = ATTRIBUTES.iter().filter_map(|name| rest.find(name)).min() {
        bare.push_str(&rest[..at]);
        let behind = rest[at..].find('(').map_or("", |open| &rest[at + open..]);
        rest = behind.get(enclosed(behind).len() + 1..).unwrap_or_default();
    }
    bare + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_a_source_are_found() {
        let text = "// __global__ void not_me(int)\n__global__ void scale(float *x) {}\ntemplate <int N>\n__global__ void\n\
                    __launch_bounds__(256, 2)\nwide(float *x) {}\nextern \"C\" __global__ __launch_bounds__(128) void third(int a);\n\
                    extern \"C\" __global__ void __cluster_dims__(2) __launch_bounds__(128 * (Consumers + 1), 1)\nfourth(int a);\n";
        assert_eq!(kernels_of(text), ["scale", "wide", "third", "fourth"]);
        assert_eq!(kernels_of("__global__ void __launch_bounds__(128 cut(int a)"), [""; 0]);
    }
}
