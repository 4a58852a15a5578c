//! The choice of the reader for a file: by what is in it, not by its name.
//!
//! A new reader of profiles is its module's line in `mod.rs` and its line in [`PROFILES`].

use super::kind::{self, Sought};
use super::ncu_csv::{self, CsvPage};
use super::{ReadError, Want, cubin, ncu_report, ptxas_log, sass};
use crate::evidence::{BuildLog, Cubin, Origin, Report, SassListing};
use std::io::Read;
use std::path::Path;

/// A reader of profiles.
struct ProfileReader {
    /// Whether the file is this reader's, by its first bytes.
    probe: fn(&[u8]) -> bool,
    read: fn(&Path, &Want) -> Result<Report, ReadError>,
}

/// Every reader of profiles; the first whose probe says yes reads the file.
const PROFILES: &[ProfileReader] = &[
    ProfileReader { probe: ncu_report::looks_like, read: ncu_report::read },
    ProfileReader { probe: is_csv, read: read_csv },
];

/// How much of a file the probes see. A program may print this much before ncu's table; more is searched when no probe
/// knows the beginning.
const HEAD: u64 = 1 << 20;

/// Reads a profile of any kind: a report, or a page that ncu printed.
///
/// # Errors
///
/// [`ReadError::Io`] where the system refuses, [`ReadError::WrongKind`] where no reader takes the file (with what it is
/// and what to do), else the reader's own.
pub fn read_profile(path: &Path, want: &Want) -> Result<Report, ReadError> {
    let head = read_head(path)?;
    let chosen = |bytes: &[u8]| PROFILES.iter().find(|reader| (reader.probe)(bytes));
    if let Some(reader) = chosen(&head) {
        return (reader.read)(path, want);
    }
    let whole = if (head.len() as u64) < HEAD { head } else { read_all(path)? };
    match chosen(&whole) {
        Some(reader) => (reader.read)(path, want),
        None => Err(kind::wrong(path, &whole, Sought::Profile)),
    }
}

/// Reads a build log: what `ptxas -v` printed, alone or inside a compiler's output.
///
/// # Errors
///
/// As [`read_profile`]; [`ReadError::Empty`] for a log that names no kernel.
pub fn read_build_log(path: &Path) -> Result<BuildLog, ReadError> {
    let bytes = read_all(path)?;
    if !ptxas_log::looks_like(&bytes) {
        return Err(kind::wrong(path, &bytes, Sought::BuildLog));
    }
    ptxas_log::read(&bytes, origin(path, &bytes, true))
}

/// Reads a disassembly: the text of `cuobjdump --dump-sass` or `nvdisasm`.
///
/// # Errors
///
/// [`ReadError::Io`] where the system refuses, else those of [`sass::read`].
pub fn read_sass(path: &Path) -> Result<SassListing, ReadError> {
    let bytes = read_all(path)?;
    if !sass::looks_like(&bytes) {
        return Err(kind::wrong(path, &bytes, Sought::Disassembly));
    }
    sass::read(&bytes, origin(path, &bytes, true))
}

/// Reads a cubin's kernels.
///
/// # Errors
///
/// [`ReadError::Io`] where the system refuses, else those of [`cubin::read`].
pub fn read_cubin(path: &Path) -> Result<Cubin, ReadError> {
    let bytes = read_all(path)?;
    cubin::read(&bytes, origin(path, &bytes, true))
}

fn is_csv(head: &[u8]) -> bool {
    matches!(ncu_csv::looks_like(head), Some(CsvPage::Raw | CsvPage::Details | CsvPage::Source | CsvPage::Summary))
}

fn read_csv(path: &Path, want: &Want) -> Result<Report, ReadError> {
    let bytes = read_all(path)?;
    ncu_csv::read(&bytes, origin(path, &bytes, want.hash), want)
}

fn origin(path: &Path, bytes: &[u8], hash: bool) -> Origin {
    let blake3 = if hash { blake3::hash(bytes).to_hex().to_string() } else { String::new() };
    Origin { path: path.display().to_string(), format: String::new(), bytes: bytes.len() as u64, blake3 }
}

fn read_head(path: &Path) -> Result<Vec<u8>, ReadError> {
    refuse_directory(path)?;
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.map(|_| head).map_err(|source| ReadError::Io { path: path.into(), source })
}

fn read_all(path: &Path) -> Result<Vec<u8>, ReadError> {
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
