//! What `audit init` takes from CMake, the chips that a project compiles for and its programs, and from CUDA sources: the names
//! of their kernels.

use super::init_python::{enclosed, names};
use regex::Regex;
use std::path::{Path, PathBuf};

pub(super) struct Cmake {
    folder: PathBuf,
    /// `90a`, without `-real` and `-virtual`.
    archs: Vec<String>,
    /// Programs with what they are built from.
    programs: Vec<(String, String)>,
}

impl Cmake {
    /// A file that names chips or programs; `None` for any other.
    pub(super) fn of(path: &Path, text: &str) -> Option<Cmake> {
        let bare: String =
            text.lines().map(|line| line.split('#').next().unwrap_or_default().to_owned() + "\n").collect();
        let stated = Regex::new(r#"CUDA_ARCHITECTURES[\s"]+([0-9a-z;\s-]+)"#).ok()?;
        let arch = Regex::new(r"^([0-9]{2,3}[af]?)(-real|-virtual)?$").ok()?;
        let words = stated.captures_iter(&bare).flat_map(|found| {
            let list = found.get(1).map_or("", |list| list.as_str());
            list.split(|c: char| c == ';' || c.is_whitespace()).map(str::to_owned).collect::<Vec<String>>()
        });
        let archs: Vec<String> = words.filter_map(|word| Some(arch.captures(&word)?[1].to_owned())).collect();
        let program = Regex::new(r"add_executable\(\s*([\w.-]+)\s+([^)]*)\)").ok()?;
        let programs: Vec<(String, String)> =
            program.captures_iter(&bare).map(|found| (found[1].to_owned(), found[2].to_owned())).collect();
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        (!archs.is_empty() || !programs.is_empty()).then_some(Cmake { folder, archs, programs })
    }
}

/// Those of the folders around a source, the nearest first.
fn around<'f>(all: &'f [Cmake], source: &Path) -> Vec<&'f Cmake> {
    let mut around: Vec<&Cmake> = all.iter().filter(|own| source.starts_with(&own.folder)).collect();
    around.sort_by_key(|own| std::cmp::Reverse(own.folder.components().count()));
    around
}

/// The chip that a source is compiled for: of that which was profiled, where the project names it, else the newest.
pub(super) fn arch(all: &[Cmake], source: &Path, profiled: Option<&str>) -> Option<String> {
    let number = |arch: &str| arch.trim_end_matches(char::is_alphabetic).parse::<u32>().unwrap_or_default();
    let own = around(all, source).into_iter().find(|own| !own.archs.is_empty())?;
    let is_profiled = |arch: &&String| profiled.is_none_or(|known| known == format!("sm_{}", number(arch)));
    let of_both = own.archs.iter().filter(is_profiled).max_by_key(|arch| (number(arch), arch.len()));
    of_both.map(|arch| format!("sm_{arch}"))
}

/// The program that is built of a source, as it lies in the folder `build`.
pub(super) fn program(all: &[Cmake], source: &Path) -> Option<String> {
    around(all, source).into_iter().find_map(|own| {
        let inside = source.strip_prefix(&own.folder).ok()?.display().to_string();
        let is_its = |sources: &str| sources.split([' ', '\n', '"', ';']).any(|one| one == inside);
        let (name, _) = own.programs.iter().find(|(_, sources)| is_its(sources))?;
        Some(format!("./{}", Path::new("build").join(&own.folder).join(name).display()))
    })
}

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
    fn chips_and_programs_are_those_of_the_nearest_folder() {
        let of = |path: &str, text: &str| Cmake::of(Path::new(path), text);
        let all = [
            of(
                "CMakeLists.txt",
                "set(CMAKE_CUDA_ARCHITECTURES 80 90a) # 120\nadd_executable(app\n  main.cu src/gemm.cu)\n",
            ),
            of(
                "sub/CMakeLists.txt",
                "set_target_properties(x PROPERTIES CUDA_ARCHITECTURES \"75;86-real\" CXX_STANDARD 17)",
            ),
            of("own/CMakeLists.txt", "add_executable(own k.cu)"),
        ]
        .map(Option::unwrap);
        let arch = |source: &str, profiled| arch(&all, Path::new(source), profiled);
        assert_eq!(arch("src/gemm.cu", None).as_deref(), Some("sm_90a"));
        assert_eq!(arch("src/gemm.cu", Some("sm_90")).as_deref(), Some("sm_90a"));
        assert_eq!(arch("src/gemm.cu", Some("sm_80")).as_deref(), Some("sm_80"));
        assert_eq!(arch("src/gemm.cu", Some("sm_100")), None);
        assert_eq!(arch("sub/k.cu", None).as_deref(), Some("sm_86"));
        assert_eq!(arch("own/k.cu", None).as_deref(), Some("sm_90a"));
        assert_eq!(program(&all, Path::new("src/gemm.cu")).as_deref(), Some("./build/app"));
        assert_eq!(program(&all, Path::new("own/k.cu")).as_deref(), Some("./build/own/own"));
        assert_eq!(program(&all, Path::new("src/other.cu")), None);
        assert!(of("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES native)").is_none());
    }

    #[test]
    fn kernels_of_a_source_are_found() {
        let text = "// __global__ void not_me(int)\n__global__ void scale(float *x) {}\ntemplate <int N>\n__global__ void\n\
                    __launch_bounds__(256, 2)\nwide(float *x) {}\nextern \"C\" __global__ __launch_bounds__(128) void third(int a);\n\
                    extern \"C\" __global__ void __cluster_dims__(2) __launch_bounds__(128 * (Consumers + 1), 1)\nfourth(int a);\n";
        assert_eq!(kernels_of(text), ["scale", "wide", "third", "fourth"]);
        assert_eq!(kernels_of("__global__ void __launch_bounds__(128 cut(int a)"), [""; 0]);
    }
}
