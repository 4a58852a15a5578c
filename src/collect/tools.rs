//! Where NVIDIA's tools are.

use super::{Call, CollectError, Interrupt, run};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use strum::{IntoStaticStr, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Tool {
    Nvcc,
    Ptxas,
    Cuobjdump,
    Nvdisasm,
    Ncu,
    ComputeSanitizer,
    Nsys,
}

impl Tool {
    /// The program's name, which is also its key in audit.toml.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub const fn purpose(self) -> &'static str {
        match self {
            Tool::Nvcc => "compiling a subject's `source`",
            Tool::Ptxas => "assembling, run by nvcc",
            Tool::Cuobjdump => "extracting cubins from programs",
            Tool::Nvdisasm => "machine code and control flow of a cubin",
            Tool::Nsys => "recording a whole program (`collect --timeline`)",
            Tool::Ncu => "profiling on a GPU; reading a report needs no ncu",
            Tool::ComputeSanitizer => "checking correctness on a GPU",
        }
    }

    const fn cure(self) -> &'static str {
        match self {
            Tool::Nvcc | Tool::Ptxas | Tool::Cuobjdump | Tool::Nvdisasm => {
                "install the CUDA toolkit, or name its folder in audit.toml: `[tools] cuda = \"/path/to/cuda\"`; kernels/toolchain.sh in the repository of audit fetches nvcc, ptxas, cuobjdump and nvdisasm alone"
            }
            Tool::Nsys => {
                "install Nsight Systems, or name the program in audit.toml: `[tools] nsys = \"/path/to/nsys\"`"
            }
            Tool::Ncu | Tool::ComputeSanitizer => {
                "install the CUDA toolkit, or name the program in audit.toml under [tools]"
            }
        }
    }
}

/// Where tools are looked for, in this order: what audit.toml names, `CUDA_HOME`, `PATH`, `/usr/local/cuda`, and the
/// `.cuda` folder of the project.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Programs that audit.toml names, by the tool's name.
    pub named: BTreeMap<String, PathBuf>,
    /// The CUDA folder that audit.toml names; tools are in its `bin`.
    pub cuda: Option<PathBuf>,
    pub cuda_home: Option<PathBuf>,
    pub path: Vec<PathBuf>,
    pub project: PathBuf,
    /// What tools said of their versions.
    pub versions: Versions,
    /// At which every tool is stopped.
    pub interrupt: Interrupt,
}

/// Versions that tools told, so that each is asked once.
#[derive(Clone, Debug, Default)]
pub struct Versions(RefCell<BTreeMap<PathBuf, String>>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundTool {
    pub tool: Tool,
    pub path: PathBuf,
    /// What led there: `audit.toml`, `CUDA_HOME`, `PATH`, `/usr/local/cuda`, `.cuda/bin`.
    pub by: &'static str,
}

impl Places {
    /// The first place that holds the tool. Errors: with every place that was looked at, or the one that audit.toml
    /// names.
    pub fn find(&self, tool: Tool) -> Result<FoundTool, CollectError> {
        let name = tool.name();
        if let Some(path) = self.named.get(name) {
            return match path.is_file() {
                true => Ok(FoundTool { tool, path: path.clone(), by: "audit.toml" }),
                false => Err(CollectError::NotThere { tool: name, path: path.clone() }),
            };
        }
        let mut candidates: Vec<(&'static str, PathBuf)> = Vec::new();
        candidates.extend(self.cuda.iter().map(|folder| ("audit.toml", folder.join("bin"))));
        candidates.extend(self.cuda_home.iter().map(|folder| ("CUDA_HOME", folder.join("bin"))));
        candidates.extend(self.path.iter().map(|folder| ("PATH", folder.clone())));
        candidates.push(("/usr/local/cuda", Path::new("/usr/local/cuda/bin").to_owned()));
        candidates.push((".cuda/bin", self.project.join(".cuda/bin")));
        for (by, folder) in &candidates {
            let path = folder.join(name);
            if is_program(&path) {
                // A relative program would be looked for in the child's folder.
                let path = std::path::absolute(&path).unwrap_or(path);
                return Ok(FoundTool { tool, path, by });
            }
            if *by == "audit.toml" {
                return Err(CollectError::NotThere { tool: name, path });
            }
        }
        let mut looked_in =
            vec![if self.cuda_home.is_some() { "CUDA_HOME/bin" } else { "CUDA_HOME (not set)" }.to_owned()];
        looked_in.extend(["PATH", "/usr/local/cuda/bin", ".cuda/bin"].map(str::to_owned));
        Err(CollectError::ToolMissing { tool: name, looked_in, cure: tool.cure().to_owned() })
    }
}

/// Whether a file is there that somebody may run: a shell passes over the others in `PATH`.
pub(super) fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_run = |file: &std::fs::Metadata| std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = |_: &std::fs::Metadata| true;
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && may_run(&file))
}

impl Places {
    /// The version of a tool; it is asked once only.
    pub fn version(&self, found: &FoundTool) -> Result<String, CollectError> {
        if let Some(known) = self.versions.0.borrow().get(&found.path) {
            return Ok(known.clone());
        }
        let version = found.version()?;
        self.versions.0.borrow_mut().insert(found.path.clone(), version.clone());
        Ok(version)
    }
}

impl FoundTool {
    /// What `--version` says: the release number, `13.0.88`.
    pub fn version(&self) -> Result<String, CollectError> {
        let call = Call { limit: Duration::from_secs(60), ..Call::new(&self.path).argument("--version") };
        let ran = run(&call)?;
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        version_in(&text).ok_or_else(|| CollectError::Failed {
            doing: format!("asking {} for its version", self.tool.name()),
            tool: self.tool.name(),
            status: ran.status.to_string(),
            said: text,
        })
    }
}

/// The number after the last ` V` of a CUDA tool (`release 13.0, V13.0.88`), else after `Version `.
fn version_in(text: &str) -> Option<String> {
    let after = |mark: &str| {
        text.rmatch_indices(mark).find_map(|(at, _)| {
            let rest = &text[at + mark.len()..];
            let length = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
            (length > 0).then(|| rest[..length].trim_end_matches('.').to_owned())
        })
    };
    after(", V").or_else(|| after("Version ")).or_else(|| after("version "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_tools_print() {
        let nvcc =
            "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13\n";
        assert_eq!(version_in(nvcc).as_deref(), Some("13.0.88"));
        assert_eq!(version_in("Version 2025.3.1.0 (build 1)").as_deref(), Some("2025.3.1.0"));
        assert_eq!(version_in("hello"), None);
    }

    #[test]
    fn the_first_place_wins_and_a_missing_tool_names_all_places() {
        let folder = tempfile::tempdir().expect("folder");
        let bin = |name: &str| {
            let bin = folder.path().join(name);
            std::fs::create_dir_all(&bin).expect("folder");
            std::fs::write(bin.join("nvdisasm"), "").expect("file");
            let runs: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(bin.join("nvdisasm"), runs).expect("permissions");
            bin
        };
        let (home, path, project) = (bin("home/bin"), bin("path"), bin(".cuda/bin"));
        let text = folder.path().join("text");
        std::fs::create_dir(&text).expect("folder");
        std::fs::write(text.join("nvdisasm"), "no program").expect("file");
        let mut places =
            Places { path: vec![text, path.clone()], project: folder.path().to_owned(), ..Places::default() };
        let found = places.find(Tool::Nvdisasm).expect("found");
        assert_eq!((found.by, found.path), ("PATH", path.join("nvdisasm")));
        places.cuda_home = Some(folder.path().join("home"));
        let found = places.find(Tool::Nvdisasm).expect("found");
        assert_eq!((found.by, found.path), ("CUDA_HOME", home.join("nvdisasm")));
        let only_project = Places { project: folder.path().to_owned(), ..Places::default() };
        assert_eq!(only_project.find(Tool::Nvdisasm).map(|found| found.path).ok(), Some(project.join("nvdisasm")));
        places.named.insert("nvdisasm".into(), folder.path().join("no"));
        assert!(matches!(places.find(Tool::Nvdisasm), Err(CollectError::NotThere { .. })));
        let error = Places::default().find(Tool::ComputeSanitizer).expect_err("not there").to_string();
        assert!(error.contains("CUDA_HOME (not set), PATH, /usr/local/cuda/bin, .cuda/bin"), "{error}");
    }
}
