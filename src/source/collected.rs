//! Reading the manifest of an evidence folder.

use super::{ReadError, read_all};
use crate::evidence::Collected;
use std::path::Path;

/// Reads a `collected.json`.
///
/// # Errors
/// [`ReadError::Io`] where the system refuses, [`ReadError::Malformed`] for another file or another schema.
pub fn read_collected(path: &Path) -> Result<Collected, ReadError> {
    let bytes = read_all(path)?;
    Collected::from_json(&bytes).map_err(|found| ReadError::Malformed {
        path: path.into(),
        position: "the manifest".into(),
        expected: "what `audit collect` writes".into(),
        found,
        cure: "collect again with `audit collect`".into(),
    })
}
