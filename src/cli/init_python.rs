//! A Python project as `audit init` finds it: the kernels that its sources define, and the program that benches them.

use regex::Regex;
use std::path::{Path, PathBuf};

/// Decorators of kernels, each with whether the compiled kernel keeps the function's name.
const DECORATORS: [(&str, bool); 4] =
    [(r"triton\.jit", true), (r"gluon\.jit", true), (r"cute\.kernel", false), (r"helion\.kernel", false)];

/// A Python source with something to audit.
pub(super) struct Script {
    pub(super) path: PathBuf,
    /// Regular expressions on the names of the kernels that it defines, each with the function's name.
    pub(super) kernels: Vec<(String, String)>,
    /// What it gives to `kernel_audit.bench`.
    pub(super) benched: Vec<Benched>,
    /// Whether it runs by itself.
    is_program: bool,
    /// Modules that it imports by a single name.
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

/// A source that defines kernels or benches them; `None` for any other.
pub(super) fn script(path: &Path, text: &str) -> Option<Script> {
    let kernels = DECORATORS.iter().flat_map(|(decorator, keeps)| {
        let defined = names(&format!(r"@{decorator}\b(?:\([^)]*\))?[^\n]*\n(?:\s*@[^\n]*\n)*\s*def\s+(\w+)"), text);
        defined.into_iter().map(|name| (if *keeps { format!("^{name}$") } else { name.clone() }, name))
    });
    let kernels: Vec<(String, String)> = kernels.collect();
    let benched = if text.contains("kernel_audit") { benched(text) } else { Vec::new() };
    (!kernels.is_empty() || !benched.is_empty()).then(|| Script {
        path: path.to_owned(),
        kernels,
        benched,
        is_program: text.contains("__main__"),
        imports: names(r"(?m)^(?:import|from)\s+(\w+)\b", text),
    })
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
        self.is_program && (self.path == source.path || self.imports.iter().any(|name| Some(name) == module.as_ref()))
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
fn enclosed(text: &str) -> &str {
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
fn names(pattern: &str, text: &str) -> Vec<String> {
    let Ok(pattern) = Regex::new(pattern) else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for found in pattern.captures_iter(text) {
        if !names.contains(&found[1].to_owned()) {
            names.push(found[1].to_owned());
        }
    }
    names
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
}
