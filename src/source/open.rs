//! Files of a kind that the caller knows, told by what is in them, not by their names.

use super::kind::{self, Sought};
use super::{ReadError, ptxas_log};
use crate::evidence::{BuildLog, Origin};
use std::io::Read;
use std::path::Path;

/// Reads a build log: what `ptxas -v` printed, alone or inside a compiler's output.
///
/// # Errors
///
/// [`ReadError::Io`] where the system refuses, [`ReadError::WrongKind`] for another kind of file, [`ReadError::Empty`] for
/// a log that names no kernel.
pub fn read_build_log(path: &Path) -> Result<BuildLog, ReadError> {
    let bytes = read_all(path)?;
    if !ptxas_log::looks_like(&bytes) {
        return Err(kind::wrong(path, &bytes, Sought::BuildLog));
    }
    ptxas_log::read(&bytes, origin(path, &bytes, true))
}

pub(super) fn origin(path: &Path, bytes: &[u8], hash: bool) -> Origin {
    let blake3 = if hash { blake3::hash(bytes).to_hex().to_string() } else { String::new() };
    Origin { path: path.display().to_string(), format: String::new(), bytes: bytes.len() as u64, blake3 }
}

/// The first bytes of a file, at most `size` of them.
pub(super) fn read_head(path: &Path, size: u64) -> Result<Vec<u8>, ReadError> {
    refuse_directory(path)?;
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(size).read_to_end(&mut head));
    read.map(|_| head).map_err(|source| ReadError::Io { path: path.into(), source })
}

pub(super) fn read_all(path: &Path) -> Result<Vec<u8>, ReadError> {
    refuse_directory(path)?;
    std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })
}

fn refuse_directory(path: &Path) -> Result<(), ReadError> {
    if path.is_dir() {
        let cure = "name a file in it";
        return Err(ReadError::WrongKind { path: path.into(), found: "it is a directory".into(), cure: cure.into() });
    }
    Ok(())
}
