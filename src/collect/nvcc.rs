//! Compiling one CUDA source for one architecture, and disassembling the result.

use super::{Build, Call, CollectError, FoundTool, Places, Ran, Tool, run};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Compiled {
    pub cubin: Vec<u8>,
    /// What compiler and assembler said, without the temporary folder's name.
    pub log: Vec<u8>,
    /// The command, as a reader can repeat it in the project's folder.
    pub command: String,
    /// `nvcc 13.0.88`.
    pub tool: String,
    /// The compiler's folder, for leaving it out of file names.
    pub toolkit: PathBuf,
    pub wall: Duration,
}

/// Compiles with line information and the assembler's statistics, in a folder that the source and the paths in flags
/// are relative to. Errors: when nvcc is missing, does not know the architecture, or reports an error in the source.
pub fn compile(places: &Places, project: &Path, what: &Build) -> Result<Compiled, CollectError> {
    let nvcc = places.find(Tool::Nvcc)?;
    let version = places.version(&nvcc)?;
    let refused = |source| CollectError::Io { doing: "make a temporary folder".into(), source };
    let folder = tempfile::tempdir().map_err(refused)?;
    let cubin = folder.path().join("kernel.cubin");
    let mut words =
        vec!["-cubin".to_owned(), format!("-arch={}", what.arch), "-lineinfo".into(), "-Xptxas".into(), "-v".into()];
    words.extend(what.flags.iter().cloned());
    let source = &what.source;
    let mut call = Call::new(&nvcc.path);
    project.clone_into(&mut call.folder);
    call.interrupt = places.interrupt.clone();
    call.arguments = words.iter().map(Into::into).collect();
    call.arguments.extend(["-o".into(), cubin.clone().into_os_string(), source.as_os_str().to_owned()]);
    // The compiler's own intermediate files; their names would otherwise differ from run to run.
    call.environment.push(("TMPDIR", folder.path().as_os_str().to_owned()));
    let ran = run(&call)?;
    if !ran.status.success() {
        return Err(failure(&nvcc, &version, what, &ran, folder.path()));
    }
    let read = |source| CollectError::Io { doing: "read the cubin that nvcc was to write".into(), source };
    let name = source.file_stem().map_or("kernel".into(), |stem| stem.to_string_lossy().into_owned());
    Ok(Compiled {
        cubin: crate::read::bytes(&cubin).map_err(read)?,
        log: said(&ran, folder.path()).into_bytes(),
        command: format!("nvcc {} -o {name}.cubin {}", words.join(" "), source.display()),
        tool: format!("nvcc {version}"),
        toolkit: nvcc.path.parent().and_then(Path::parent).unwrap_or(Path::new("")).to_owned(),
        wall: ran.wall,
    })
}

/// What the compiler said on both streams, without the temporary folder's name.
fn said(ran: &Ran, folder: &Path) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&format!("{}/", folder.display()), "");
    text(&ran.stderr) + &text(&ran.stdout)
}

fn failure(nvcc: &FoundTool, version: &str, what: &Build, ran: &Ran, folder: &Path) -> CollectError {
    let said = said(ran, folder);
    let about_arch = said.contains("gpu-architecture") || said.contains("Unsupported gpu architecture");
    if about_arch {
        let listed = run(&Call::new(&nvcc.path).argument("--list-gpu-code"));
        let known =
            listed.map(|ran| String::from_utf8_lossy(&ran.stdout).split_whitespace().map(str::to_owned).collect());
        return CollectError::NoSuchArch {
            arch: what.arch.clone(),
            version: version.to_owned(),
            known: known.unwrap_or_default(),
        };
    }
    CollectError::Failed {
        doing: format!("compiling {} for {}", what.source.display(), what.arch),
        tool: Tool::Nvcc.name(),
        status: ran.status.to_string(),
        said: said.trim_end().to_owned(),
    }
}

#[derive(Clone, Debug)]
pub struct Disassembly {
    /// What nvdisasm printed: code with labels and encodings.
    pub text: Vec<u8>,
    /// `nvdisasm 13.2.86`.
    pub tool: String,
    pub wall: Duration,
}

/// Disassembles the bytes of a cubin. Errors: when nvdisasm is missing or refuses the cubin.
pub fn disassemble(places: &Places, cubin: &[u8]) -> Result<Disassembly, CollectError> {
    let tool = places.find(Tool::Nvdisasm)?;
    let io = |doing: &str| {
        let doing = doing.to_owned();
        move |source| CollectError::Io { doing, source }
    };
    let folder = tempfile::tempdir().map_err(io("make a temporary folder"))?;
    let path = folder.path().join("code.cubin");
    std::fs::write(&path, cubin).map_err(io("write a temporary cubin"))?;
    let ran = run(&Call::new(&tool.path).argument("-c").argument("-hex").argument(&path))?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr).replace(&path.display().to_string(), "code.cubin");
        let (doing, status) = ("disassembling the cubin".to_owned(), ran.status.to_string());
        return Err(CollectError::Failed { doing, tool: Tool::Nvdisasm.name(), status, said });
    }
    Ok(Disassembly { text: ran.stdout, tool: format!("nvdisasm {}", places.version(&tool)?), wall: ran.wall })
}
