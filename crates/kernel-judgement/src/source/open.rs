//! Files of a kind that the caller knows, told by what is in them, not by their names.

use super::kind::{self, Sought};
use super::ncu_report::{self, NcuReport};
use super::{ReadError, ptxas_log};
use crate::evidence::{BuildLog, Origin};
use crate::read;
use std::path::Path;

/// Reads a build log: what `ptxas -v` printed, alone or inside a compiler's output. Errors: [`ReadError::Io`] where the system
/// refuses, [`ReadError::WrongKind`] for another kind of file, [`ReadError::Empty`] for a log that names no kernel.
pub fn read_build_log(path: &Path) -> Result<BuildLog, ReadError> {
    let bytes = read_all(path)?;
    if !ptxas_log::looks_like(&bytes) {
        return Err(kind::wrong(path, &bytes, Sought::BuildLog));
    }
    ptxas_log::read(&bytes, origin(path, &bytes, true))
}

/// Opens a report of ncu's. Errors: those of [`NcuReport::open`]; for a file of another kind, what it is.
pub fn open_report(path: &Path, allow_damage: bool) -> Result<NcuReport, ReadError> {
    const SEEN: u64 = 1 << 20;
    let head = read_head(path, SEEN)?;
    match ncu_report::looks_like(&head) {
        true => report(path, allow_damage),
        false => Err(kind::wrong(path, &head, Sought::Profile)),
    }
}

/// Opens what is a report; where damage that is allowed would be read past, the error says so.
pub(super) fn report(path: &Path, allow_damage: bool) -> Result<NcuReport, ReadError> {
    NcuReport::open(path, allow_damage).map_err(|error| match allow_damage || NcuReport::open(path, true).is_err() {
        true => error,
        false => in_part(error),
    })
}

/// What is said of a damaged report, with the option that reads it as far as it is whole.
pub(super) fn in_part(error: ReadError) -> ReadError {
    match error {
        ReadError::Malformed { path, position, expected, found, cure } => {
            let cure = format!("{cure}; `--allow-damage` reads what is whole");
            ReadError::Malformed { path, position, expected, found, cure }
        }
        other => other,
    }
}

pub(super) fn origin(path: &Path, bytes: &[u8], hash: bool) -> Origin {
    let blake3 = if hash { blake3::hash(bytes).to_hex().to_string() } else { String::new() };
    Origin { path: path.display().to_string(), format: String::new(), bytes: bytes.len() as u64, blake3 }
}

/// The first bytes of a file, at most `size` of them.
pub(super) fn read_head(path: &Path, size: u64) -> Result<Vec<u8>, ReadError> {
    reading(path, |path| read::head(path, size))
}

/// The bytes of a file. Errors: [`ReadError::Io`] where the system refuses, [`ReadError::WrongKind`] for a folder.
pub fn read_all(path: &Path) -> Result<Vec<u8>, ReadError> {
    reading(path, read::bytes)
}

/// What a file holds: of one packed with zstd, as an evidence folder keeps a cubin, what was packed. Errors: as [`read_all`], and
/// [`ReadError::Io`] for a packed file that is damaged.
pub fn read_unpacked(path: &Path) -> Result<Vec<u8>, ReadError> {
    reading(path, read::contents)
}

fn reading<T>(path: &Path, read: impl FnOnce(&Path) -> std::io::Result<T>) -> Result<T, ReadError> {
    if path.is_dir() {
        return Err(ReadError::wrong(path, "it is a directory", "name a file in it"));
    }
    read(path).map_err(|source| ReadError::Io { path: path.into(), source })
}
