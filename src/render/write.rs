//! Writing files so that a reader never sees half of one, a failure leaves the old ones as they were, and no other run writes
//! the same page meanwhile.

use super::error::RenderError;
use crate::lock::{FileLock, is_at};
use std::fs::{self, Metadata, TryLockError};
use std::io::{Error, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    pub path: &'a Path,
    pub bytes: &'a [u8],
}

/// Writes files that belong together: every byte is written under a temporary name before the first file takes its
/// place, so a full disk or a missing right changes none of them. What replaces a file is on disk before it does.
/// Folders are made as needed; the permissions of a file that is replaced are kept. A symbolic link is followed, not
/// replaced. Errors: [`RenderError::Write`] names the file and the step.
pub(crate) fn write_together(outputs: &[Output<'_>]) -> Result<(), RenderError> {
    write_with(outputs, &[])
}

/// The same with files `derived` that can be made again from the others. They are complete before the first file takes
/// its place, and nobody waits until the disk has them, as nobody does for a file where there was none: after a power
/// cut these may be missing or empty, and nothing is lost that was there before.
pub(crate) fn write_with(outputs: &[Output<'_>], derived: &[Output<'_>]) -> Result<(), RenderError> {
    let staged = outputs.iter().chain(derived).map(stage).collect::<Result<Vec<_>, _>>()?;
    for staged in staged[..outputs.len()].iter().filter(|staged| staged.replaces) {
        staged.file.as_file().sync_all().map_err(|error| fault(&staged.path, "flushing to disk", error))?;
    }
    for Staged { file, path, .. } in staged {
        let failed = |error: tempfile::PersistError| fault(&path, "putting it in place", error.error);
        file.persist(&path).map_err(failed)?;
    }
    Ok(())
}

/// A file with its bytes, not in place yet.
struct Staged {
    file: tempfile::NamedTempFile,
    path: PathBuf,
    /// Whether a file lies at its place.
    replaces: bool,
}

const STAGED: (&str, &str) = (".audit-", ".tmp");
const LOCK: &str = ".lock";

/// Removes what runs that were killed left in a folder of audits: files that were not put in place, and locks. Those of a
/// run that lives are locked by it and stay. What cannot be removed is left; it is in nobody's way.
pub(crate) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_staged = name.starts_with(STAGED.0) && name.ends_with(STAGED.1);
        let is_lock = name.starts_with('.') && name.ends_with(LOCK);
        if (is_staged || is_lock) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            FileLock::sweep(&entry.path());
        }
    }
}

fn stage(output: &Output<'_>) -> Result<Staged, RenderError> {
    let (path, old) = place(output.path)?;
    if old.as_ref().is_some_and(Metadata::is_dir) {
        return Err(fault(&path, "replacing it", Error::from(ErrorKind::IsADirectory)));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(STAGED.0).suffix(STAGED.1);
    // What the user's mask leaves of read and write for all, instead of a temporary file's privacy.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = loop {
        let made = match builder.tempfile_in(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(folder).map_err(|error| fault(&path, "making its folder", error))?;
                builder.tempfile_in(folder)
            }
            made => made,
        };
        let file = made.map_err(|error| fault(&path, "making a temporary file", error))?;
        // Held until it is in place, so that no other run sweeps it away. Where the system has no locks nobody sweeps.
        let is_swept = match file.as_file().try_lock() {
            // A run that sweeps found it before it was locked, and has it or removed it.
            Ok(()) => !is_at(file.as_file(), file.path()),
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => false,
        };
        if !is_swept {
            break file;
        }
    };
    let replaces = old.is_some();
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions()).map_err(|e| fault(&path, "keeping its permissions", e))?;
    }
    file.write_all(output.bytes).map_err(|error| fault(&path, "writing", error))?;
    Ok(Staged { file, path, replaces })
}

/// Where a file goes, behind symbolic links, and what lies there.
fn place(path: &Path) -> Result<(PathBuf, Option<Metadata>), RenderError> {
    let found = |path: PathBuf, met: std::io::Result<Metadata>| match met {
        Ok(old) => Ok((path, Some(old))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok((path, None)),
        Err(error) => Err(fault(&path, "finding it", error)),
    };
    let met = fs::symlink_metadata(path);
    if !met.as_ref().is_ok_and(Metadata::is_symlink) {
        return found(path.to_owned(), met);
    }
    match fs::canonicalize(path) {
        Ok(target) => found(target.clone(), fs::metadata(&target)),
        Err(error) => Err(fault(path, "following the link", error)),
    }
}

fn fault(path: &Path, doing: &'static str, source: Error) -> RenderError {
    use ErrorKind as K;
    let cure = match source.kind() {
        K::PermissionDenied | K::ReadOnlyFilesystem => "choose a folder that you may write to with --out",
        K::StorageFull | K::QuotaExceeded => "free some space, or choose another disk with --out",
        K::IsADirectory => "a folder has that name; rename it or choose another place with --out",
        K::NotADirectory | K::AlreadyExists => "a part of the path is a file; choose another place with --out",
        _ => "choose another place with --out",
    };
    RenderError::Write { path: path.to_owned(), doing, cure: cure.to_owned(), source }
}

/// How long another run is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for the right to replace `page`, which is given back when dropped; makes its folder. Errors: a folder that
/// cannot be made or written to, or another run that does not end.
pub(crate) fn page_lock(page: &Path) -> Result<FileLock, RenderError> {
    let folder = page.parent().unwrap_or(Path::new(""));
    let name = page.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = folder.join(format!(".{name}.lock"));
    fs::create_dir_all(folder).map_err(|error| fault(page, "making its folder", error))?;
    let lock = FileLock::take(&path, PATIENCE).map_err(|error| fault(&path, "locking it", error))?;
    lock.ok_or_else(|| RenderError::Write {
        path: page.to_owned(),
        doing: "waiting for its lock",
        cure: "another run of audit writes it and does not end".to_owned(),
        source: ErrorKind::TimedOut.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_changes_no_file() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let good = folder.path().join("page.md");
        fs::write(&good, "old").expect("writes");
        let blocked = folder.path().join("page.md/inside.json");
        let (page, data) = (Output { path: &good, bytes: b"new" }, Output { path: &blocked, bytes: b"{}" });
        for failed in [write_together(&[page, data]), write_with(&[page], &[data])] {
            let error = failed.expect_err("a file is no folder").to_string();
            assert!(error.contains("inside.json") && error.contains("help: "), "{error}");
        }
        assert_eq!(fs::read_to_string(&good).expect("reads"), "old");
        assert_eq!(fs::read_dir(folder.path()).expect("lists").count(), 1, "no temporary file stays");
    }

    #[test]
    fn both_files_are_written_and_folders_made() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (page, data) = (folder.path().join("a/page.md"), folder.path().join("a/b/page.json"));
        write_with(&[Output { path: &page, bytes: b"1" }], &[Output { path: &data, bytes: b"2" }]).expect("writes");
        assert_eq!(fs::read(&page).expect("reads"), b"1");
        assert_eq!(fs::read(&data).expect("reads"), b"2");
    }

    #[test]
    fn what_killed_runs_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = |name: &str| folder.path().join(name);
        let names =
            [".audit-Ab12Cd.tmp", ".2026-01-01-x.md.lock", ".held.md.lock", "2026-01-01-x.md", ".audit-notes.md"];
        names.iter().for_each(|name| fs::write(path(name), "x").expect("writes"));
        let staged = stage(&Output { path: &path("page.md"), bytes: b"new" }).expect("stages");
        let held = FileLock::take(&path(".held.md.lock"), std::time::Duration::ZERO).expect("opens").expect("free");
        sweep(folder.path());
        assert_eq!(names.map(|name| path(name).exists()), [false, false, true, true, true]);
        staged.file.persist(path("page.md")).expect("is still there");
        drop(held);
    }

    /// A run that sweeps sees files that another one just made.
    #[test]
    fn files_that_are_being_made_are_not_swept() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let done = std::sync::atomic::AtomicBool::new(false);
        let done = &done;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        sweep(folder.path());
                    }
                });
            }
            let write = |at: usize| {
                let page = folder.path().join(format!("{at}.md"));
                (0..400).try_for_each(|_| write_together(&[Output { path: &page, bytes: b"page" }]))
            };
            let writers: Vec<_> = (0..4).map(|at| scope.spawn(move || write(at))).collect();
            let ended: Vec<_> = writers.into_iter().map(|writer| writer.join().expect("ends")).collect();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(ended.iter().all(Result::is_ok), "{ended:?}");
        });
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_links_followed() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("temporary folder");
        let (page, link) = (folder.path().join("page.md"), folder.path().join("latest.md"));
        fs::write(&page, "old").expect("writes");
        fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).expect("sets");
        std::os::unix::fs::symlink(&page, &link).expect("links");
        write_together(&[Output { path: &link, bytes: b"new" }]).expect("writes");
        assert_eq!(fs::read_to_string(&page).expect("reads"), "new");
        assert_eq!(fs::metadata(&page).expect("stats").permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).expect("stats").is_symlink());
    }
}
