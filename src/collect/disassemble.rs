//! Disassembling a cubin with nvdisasm.

use super::{Call, CollectError, Places, Tool, run};
use std::time::Duration;

/// The machine code of a cubin as text.
#[derive(Clone, Debug)]
pub struct Disassembly {
    /// What nvdisasm printed: code with labels and encodings.
    pub text: Vec<u8>,
    /// `nvdisasm 13.2.86`.
    pub tool: String,
    /// How long the tool ran.
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
