//! A Python project as `audit init` finds it: the kernels that its sources define or have compiled, and the program that
//! launches them.

use crate::view::distinct;
use regex::Regex;
use std::path::{Path, PathBuf};

/// Decorators of kernels, each with what stands before and behind the function's name in an expression on the compiled
/// kernel's. Functions under the first three may be parts of kernels.
const DECORATORS: [(&str, [&str; 2]); 6] = [
    (r"triton\.jit", ["^", "$"]),
    (r"gluon\.jit", ["^", "$"]),
    (r"jit", ["^", "$"]),
    (r"cute\.kernel", ["", ""]),
    (r"helion\.kernel", ["", ""]),
    (r"T\.prim_func", ["^", "_kernel"]),
];
/// Those of which a function may be a part of a kernel, and the one of these that means Triton's only where it was imported.
const PARTS: usize = 3;
const BARE: &str = "jit";

/// A Python source with something to audit.
pub(super) struct Script {
    pub(super) path: PathBuf,
    /// Regular expressions on the names of the kernels that it defines, each with the function's name.
    pub(super) kernels: Vec<(String, String)>,
    /// What it gives to `kernel_audit.bench`.
    pub(super) benched: Vec<Benched>,
    /// Whether PyTorch's Inductor writes kernels for it.
    pub(super) is_compiled: bool,
    /// Extensions that it has PyTorch build, by the names that they are imported by.
    pub(super) extensions: Vec<String>,
    is_program: bool,
    is_test: bool,
    /// Modules that it imports, by their first names.
    imports: Vec<String>,
}

/// One call of `kernel_audit.bench`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Benched {
    /// What results and NVTX range are called.
    pub(super) name: String,
    /// The kernel's name, where the call says it.
    pub(super) kernel: Option<String>,
}

/// A source that defines kernels, benches them, has them compiled, or uses PyTorch in a program or a test; `None` for any
/// other.
pub(super) fn script(path: &Path, text: &str) -> Option<Script> {
    let has_bare = !names(r"(?m)^\s*from\s+triton\s+import\s+[^#\n]*\b(jit)\b", text).is_empty();
    let known = DECORATORS.iter().enumerate().filter(|(_, (decorator, _))| has_bare || *decorator != BARE);
    let kernels = known.flat_map(|(at, (decorator, [before, behind]))| {
        let defined = names(&format!(r"@{decorator}\b(?:\([^)]*\))?[^\n]*\n(?:\s*@[^\n]*\n)*\s*def\s+(\w+)"), text);
        let own = if at < PARTS { launched(defined, text) } else { defined };
        own.into_iter().map(|name| (format!("{before}{name}{behind}"), name)).collect::<Vec<_>>()
    });
    let kernels: Vec<(String, String)> = kernels.collect();
    let benched = if text.contains("kernel_audit") { benched(text) } else { Vec::new() };
    let extensions = names(r#"(?:CUDAExtension|\bload|load_inline)\(\s*(?:name\s*=\s*)?["']([\w.]+)["']"#, text);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let is_test = stem.starts_with("test_") || stem.ends_with("_test");
    // What stands at the margin and calls something runs when the file does.
    let is_program = !is_test
        && stem != "setup"
        && (text.contains("__main__") || !names(r"(?m)^(\w[\w.]*)(?:\[[^\n]*\])?\(", text).is_empty());
    let imports = imports(text);
    let uses_torch = (is_program || is_test) && imports.iter().any(|name| name == "torch");
    (!kernels.is_empty() || !benched.is_empty() || !extensions.is_empty() || uses_torch).then(|| Script {
        path: path.to_owned(),
        kernels,
        benched,
        is_compiled: is_program && text.contains("torch.compile"),
        extensions,
        is_program,
        is_test,
        imports,
    })
}

/// Which functions under the decorator of kernels are kernels: those that are launched on a grid here, else those that no
/// other one calls.
fn launched(defined: Vec<String>, text: &str) -> Vec<String> {
    let count = |pattern: &str, name: &str| {
        Regex::new(&pattern.replace("NAME", name)).map_or(0, |pattern| pattern.find_iter(text).count())
    };
    let on_grid = |name: &String| count(r"\bNAME\[", name) > 0;
    let is_any = defined.iter().any(on_grid);
    let is_called = |name: &String| count(r"\bNAME\(", name) > count(r"\bdef\s+NAME\(", name);
    defined.into_iter().filter(|name| if is_any { on_grid(name) } else { !is_called(name) }).collect()
}

/// The packages, modules and names that a source imports, each part of a dotted name by itself.
fn imports(text: &str) -> Vec<String> {
    let lines = names(r"(?m)^\s*import\s+([^\n#]+)", text).into_iter();
    let from = names(r"(?m)^\s*from\s+([\w.]+\s+import\s+(?:\([^)]*\)|[^\n#]+))", text);
    let dotted = lines.chain(from.iter().map(|line| line.replacen("import", ",", 1))).flat_map(|line| {
        let each = line.split(',').filter_map(|one| one.trim_matches(['(', ')', ' ', '\n']).split_whitespace().next());
        each.map(str::to_owned).collect::<Vec<_>>()
    });
    dotted
        .flat_map(|name| name.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

impl Script {
    /// The files that decide what the program does beside itself: the modules that lie next to it.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        let beside = |name: &String| self.path.with_file_name(format!("{name}.py"));
        let mut inputs: Vec<PathBuf> = self.imports.iter().map(beside).filter(|path| path.is_file()).collect();
        inputs.sort();
        inputs.dedup();
        inputs
    }

    /// Whether running it launches the kernels of a source.
    pub(super) fn runs(&self, source: &Script) -> bool {
        let module = source.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        self.is_program && self.path == source.path || self.uses(module.as_deref().unwrap_or_default())
    }

    /// Whether running it may launch the kernels of a source by a package that the source is a part of.
    pub(super) fn runs_package_of(&self, source: &Script) -> bool {
        let folders = source.path.parent().into_iter().flat_map(Path::components);
        let mut packages = folders.map(|folder| folder.as_os_str().to_string_lossy().into_owned());
        packages.any(|package| self.uses(&package))
    }

    pub(super) fn uses(&self, module: &str) -> bool {
        (self.is_program || self.is_test) && self.imports.iter().any(|name| name == module)
    }

    pub(super) fn command(&self) -> Vec<String> {
        let path = self.path.display().to_string();
        let words: &[&str] = if self.is_test { &["python", "-m", "pytest"] } else { &["python"] };
        words.iter().map(|word| (*word).to_owned()).chain([path]).collect()
    }
}

/// The calls of `bench` with the name and the kernel that they state; the name is else that of the function.
fn benched(text: &str) -> Vec<Benched> {
    let Ok(call) = Regex::new(r"\bbench\(\s*([\w.]+)") else { return Vec::new() };
    let found = call.captures_iter(text).filter_map(|found| {
        let (whole, function) = (found.get(0)?, found.get(1)?);
        // `def bench(` and the like are no calls.
        if text[..whole.start()].trim_end().ends_with("def") {
            return None;
        }
        let arguments = enclosed(&text[whole.start()..]);
        let stated = |key: &str| names(&format!(r#"\b{key}\s*=\s*["']([^"']+)["']"#), arguments).into_iter().next();
        let function = function.as_str().rsplit('.').next().unwrap_or_default().to_owned();
        Some(Benched { name: stated("name").unwrap_or(function), kernel: stated("kernel") })
    });
    found.collect()
}

/// A call up to the bracket that ends it.
pub(super) fn enclosed(text: &str) -> &str {
    let mut depth = 0usize;
    let end = text.find(|c| {
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        c == ')' && depth == 0
    });
    end.map_or(text, |end| &text[..end])
}

/// What the group of a pattern takes, each once, in order.
pub(super) fn names(pattern: &str, text: &str) -> Vec<String> {
    let Ok(pattern) = Regex::new(pattern) else { return Vec::new() };
    distinct(pattern.captures_iter(text).map(|found| found[1].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_and_benches_of_a_source_are_found() {
        let text = "import mm\nfrom kernel_audit import bench\n@triton.autotune(\n    configs=[triton.Config({})],\n    key=['m'],\n)\n@triton.jit\ndef fast(x, y):\n    pass\n@cute.kernel\ndef wide(x):\n    pass\n\
                    def bench(x):\n    pass\nbench(mm.matmul, reference=(torch.mm), kernel='matmul_kernel')\nbench(other, name=\"second\", inputs=lambda seed: (f(seed),))\n";
        let script = script(Path::new("bench.py"), text).expect("it has both");
        let kernels: Vec<&str> = script.kernels.iter().map(|(filter, _)| filter.as_str()).collect();
        assert_eq!(kernels, ["^fast$", "wide"]);
        let benched =
            |name: &str, kernel: Option<&str>| Benched { name: name.into(), kernel: kernel.map(str::to_owned) };
        assert_eq!(script.benched, [benched("matmul", Some("matmul_kernel")), benched("second", None)]);
        assert!(super::script(Path::new("a.py"), "def bench(x): pass\nbench(f)\n").is_none());
    }

    #[test]
    fn functions_that_kernels_call_are_no_kernels() {
        let of = |tail: &str| {
            let text = format!("@triton.jit\ndef part(x):\n    pass\n@triton.jit\ndef whole(x):\n    part(x)\n{tail}");
            let kernels = script(Path::new("a.py"), &text).expect("it has kernels").kernels;
            kernels.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
        };
        assert_eq!(of(""), ["whole"]);
        assert_eq!(of("@triton.jit\ndef third(x): pass\ndef f(x):\n    whole[(1,)](x)\n"), ["whole"]);
    }

    #[test]
    fn kernels_go_by_the_names_that_their_compilers_give() {
        let of = |text: &str| {
            let found = script(Path::new("a.py"), text).map(|script| script.kernels).unwrap_or_default();
            found.into_iter().map(|(filter, _)| filter).collect::<Vec<_>>()
        };
        assert_eq!(of("from triton import cdiv, jit\n@jit\ndef k(x): pass\n"), ["^k$"]);
        assert_eq!(of("from numba import jit\n@jit\ndef k(x): pass\n"), [""; 0]);
        let tiles = "@tilelang.jit(out_idx=[-1])\ndef matmul(M):\n    @T.prim_func\n    def gemm(A):\n        pass\n    return gemm\n";
        assert_eq!(of(tiles), ["^gemm_kernel"]);
    }

    #[test]
    fn modules_of_packages_are_found_by_what_imports_them() {
        let kernel = script(Path::new("pkg/ops/soft.py"), "@triton.jit\ndef soft(x): pass\n").unwrap();
        let uses = |text: &str| {
            let test = script(Path::new("tests/test_a.py"), &format!("import torch\n{text}\n")).unwrap();
            (test.runs(&kernel), test.runs_package_of(&kernel))
        };
        assert_eq!(uses("from pkg.ops.soft import f"), (true, true));
        assert_eq!(uses("from pkg.ops import (\n    other,\n    soft as s,\n)"), (true, true));
        assert_eq!(uses("import pkg.ops as o, os"), (false, true));
        assert_eq!(uses("from ..ops import f"), (false, true));
        assert_eq!(uses("from package import softmax"), (false, false));
    }

    #[test]
    fn what_runs_is_told_from_what_is_imported() {
        let runs = |path: &str, text: &str| script(Path::new(path), text).map(|script| script.command().join(" "));
        assert_eq!(runs("a.py", "import os, torch as t\nmain()\n").as_deref(), Some("python a.py"));
        assert_eq!(
            runs("test_a.py", "import torch\ndef test_a(): pass\n").as_deref(),
            Some("python -m pytest test_a.py")
        );
        assert_eq!(runs("a.py", "import torch\ndef f(x): return x\n"), None);
        let setup = script(Path::new("setup.py"), "import torch\nsetup(ext_modules=[CUDAExtension('own.ext', [])])\n");
        assert_eq!(setup.map(|setup| (setup.extensions, setup.is_program)), Some((vec!["own.ext".into()], false)));
    }
}
