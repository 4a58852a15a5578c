//! One process at a time: a locked file. The system gives a lock back when its process ends, however it ends.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a lock of another process is tried.
const TICK: Duration = Duration::from_millis(20);

/// A right that one process has at a time; given back when dropped.
#[derive(Debug)]
pub(crate) struct FileLock {
    path: PathBuf,
    /// Locked as long as it is open.
    _file: File,
}

impl FileLock {
    /// Locks the file at `path`, which is made for it; `None` when another process still has it after `patience`.
    pub(crate) fn take(path: &Path, patience: Duration) -> io::Result<Option<FileLock>> {
        #[allow(clippy::disallowed_methods, reason = "how long somebody waited is no part of what is written")]
        let begun = Instant::now();
        loop {
            let file = File::options().create(true).truncate(false).write(true).open(path)?;
            match file.try_lock() {
                // Whoever had it before has removed the file: another process may lock a new one of that name.
                Ok(()) if !is_at(&file, path) => {}
                Ok(()) => return Ok(Some(FileLock { path: path.to_owned(), _file: file })),
                Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(TICK),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Removes a file that a process locked and that no process has any more.
    pub(crate) fn sweep(path: &Path) {
        let Ok(file) = File::options().write(true).open(path) else { return };
        // Whoever opened it meanwhile sees that the file is gone, and makes another.
        if file.try_lock().is_ok() && is_at(&file, path) {
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // A file that stays is locked by nobody.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    file.metadata().map(place).ok() == fs::metadata(path).map(place).ok()
}

#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_it_at_a_time_and_a_file_left_behind_locks_nobody_out() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("lock");
        fs::write(&path, "").expect("left by a killed run");
        let take = || FileLock::take(&path, Duration::ZERO).expect("opens");
        let held = take().expect("free");
        assert!(take().is_none());
        drop(held);
        assert!(!path.exists() && take().is_some());
        assert!(FileLock::take(&folder.path().join("no/lock"), Duration::ZERO).is_err());
    }

    #[test]
    fn many_threads_take_turns() {
        let folder = tempfile::tempdir().expect("folder");
        let (path, count) = (folder.path().join("lock"), folder.path().join("count"));
        fs::write(&count, "0").expect("writes");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        let _held = FileLock::take(&path, Duration::from_secs(60)).expect("opens").expect("in time");
                        let before: u32 = fs::read_to_string(&count).expect("reads").parse().expect("a number");
                        fs::write(&count, (before + 1).to_string()).expect("writes");
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&count).expect("reads"), "40");
    }
}
