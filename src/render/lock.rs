//! One writer at a time: a lock file beside a page while it is read, merged and replaced.

use super::error::RenderError;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long another run is waited for.
const PATIENCE: Duration = Duration::from_secs(20);
/// A lock that is older was left by a run that ended before it could remove it.
const STALE: Duration = Duration::from_secs(120);

/// The right to replace a page; given back when dropped.
#[derive(Debug)]
pub struct PageLock {
    path: PathBuf,
}

impl PageLock {
    /// Waits for the right to replace `page`.
    ///
    /// # Errors
    /// A folder that cannot be made or written to, or another run that does not end.
    pub fn take(page: &Path) -> Result<PageLock, RenderError> {
        let fault = |doing: &'static str, cure: &str, source: std::io::Error| RenderError::Write {
            path: page.to_owned(),
            doing,
            cure: cure.to_owned(),
            source,
        };
        let folder = page.parent().unwrap_or(Path::new(""));
        let mut is_folder_made = folder.as_os_str().is_empty();
        let name = page.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let path = folder.join(format!(".{name}.lock"));
        let begun = Instant::now();
        loop {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => return Ok(PageLock { path }),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_folder_made => {
                    let cure = "choose another place with --out";
                    fs::create_dir_all(folder).map_err(|error| fault("making its folder", cure, error))?;
                    is_folder_made = true;
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    let age =
                        fs::metadata(&path).and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
                    if age.is_some_and(|age| age > STALE) {
                        // Where two runs find it stale, one removes it and both try again.
                        let _ = fs::remove_file(&path);
                    } else if begun.elapsed() > PATIENCE {
                        let cure = format!("another run holds {}; remove it if there is none", path.display());
                        return Err(fault("waiting for its lock", &cure, error));
                    } else {
                        std::thread::sleep(Duration::from_millis(20));
                    }
                }
                Err(error) => {
                    return Err(fault("locking it", "choose a folder that you may write to with --out", error));
                }
            }
        }
    }
}

impl Drop for PageLock {
    fn drop(&mut self) {
        // A lock that cannot be removed goes stale.
        let _ = fs::remove_file(&self.path);
    }
}
