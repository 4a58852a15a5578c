//! One writer of a page at a time, while it is read, merged and replaced.

use super::error::RenderError;
use crate::lock::FileLock;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long another run is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for the right to replace `page`, which is given back when dropped; makes its folder. Errors: a folder that
/// cannot be made or written to, or another run that does not end.
pub(crate) fn page_lock(page: &Path) -> Result<FileLock, RenderError> {
    let fault = |doing: &'static str, cure: &str, source: std::io::Error| RenderError::Write {
        path: page.to_owned(),
        doing,
        cure: cure.to_owned(),
        source,
    };
    let folder = page.parent().unwrap_or(Path::new(""));
    let name = page.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = folder.join(format!(".{name}.lock"));
    fs::create_dir_all(folder).map_err(|error| fault("making its folder", "choose another place with --out", error))?;
    match FileLock::take(&path, PATIENCE) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => {
            let cure = "another run of audit writes it and does not end";
            Err(fault("waiting for its lock", cure, std::io::ErrorKind::TimedOut.into()))
        }
        Err(error) => Err(fault("locking it", "choose a folder that you may write to with --out", error)),
    }
}
