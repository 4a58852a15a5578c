//! The mapped file: bytes without a copy, and pages given back as soon as they have been read.

use crate::source::ReadError;
use bytes::Bytes;
use memmap2::Mmap;
#[cfg(target_os = "linux")]
use memmap2::UncheckedAdvice;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Pages are given back in steps of this many bytes.
const RELEASE_STEP: usize = 4 << 20;

/// A file mapped for reading.
pub(super) struct MappedFile {
    map: Arc<Mmap>,
    bytes: Bytes,
    released: usize,
}

/// Keeps the mapping alive for as long as any slice of it.
struct Owner(Arc<Mmap>);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl MappedFile {
    /// Maps a regular file.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the system refuses, [`ReadError::WrongKind`] for a directory, a device or an empty file.
    pub(super) fn open(path: &Path) -> Result<MappedFile, ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        let wrong = |found: &str, cure: &str| {
            Err(ReadError::WrongKind { path: path.to_owned(), found: found.into(), cure: cure.into() })
        };
        let kind = std::fs::metadata(path).map_err(io)?;
        if kind.is_dir() {
            return wrong("it is a directory", "name a report file");
        }
        if !kind.is_file() {
            return wrong("it is not a regular file", "save the report to a file and name that");
        }
        if kind.len() == 0 {
            return wrong("it is empty (0 bytes)", "copy the report again, or profile again");
        }
        let file = File::open(path).map_err(io)?;
        // SAFETY: the map is read only, and nothing here writes the file. Should another program shorten it, the
        // system ends the process (SIGBUS); should it change bytes, every check of this reader still holds, because
        // lengths are checked where they are used and nothing is trusted across two looks.
        let map = Arc::new(unsafe { Mmap::map(&file) }.map_err(io)?);
        let bytes = Bytes::from_owner(Owner(map.clone()));
        Ok(MappedFile { map, bytes, released: 0 })
    }

    /// The whole file.
    pub(super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The offset in the file of a slice of it.
    pub(super) fn offset_of(&self, slice: &[u8]) -> u64 {
        (slice.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize) as u64
    }

    /// Says that nothing before `end` will be read soon: its pages need not stay in memory.
    pub(super) fn release_to(&mut self, end: usize) {
        if end.saturating_sub(self.released) >= RELEASE_STEP {
            release(&self.map, self.released, end);
            self.released = end;
        }
    }

    /// Gives back every page, and starts over; pages of a small file stay, because they may be read again.
    pub(super) fn release_all(&mut self) {
        if self.bytes.len() >= RELEASE_STEP {
            release(&self.map, 0, self.bytes.len());
        }
        self.released = 0;
    }

    /// Begins to hash the file beside what its reader does, in a thread of its own.
    pub(super) fn hash_beside(&self) -> FileHash {
        let map = self.map.clone();
        match std::thread::Builder::new().name("hash".into()).spawn(move || hash(&map)) {
            Ok(running) => FileHash::Running(running, self.map.clone()),
            Err(_) => FileHash::Later(self.map.clone()),
        }
    }
}

/// The BLAKE3 hash of a mapped file, in the making.
pub(super) enum FileHash {
    Running(JoinHandle<String>, Arc<Mmap>),
    /// The system gave no thread.
    Later(Arc<Mmap>),
}

impl FileHash {
    /// Waits for the hash: lower-case hexadecimal.
    pub(super) fn finish(self) -> String {
        match self {
            FileHash::Running(running, map) => running.join().unwrap_or_else(|_| hash(&map)),
            FileHash::Later(map) => hash(&map),
        }
    }
}

fn hash(map: &Mmap) -> String {
    const STEP: usize = 1 << 20;
    let mut hasher = blake3::Hasher::new();
    for (number, chunk) in map.chunks(STEP).enumerate() {
        hasher.update(chunk);
        if map.len() >= RELEASE_STEP {
            release(map, number * STEP, number * STEP + chunk.len());
        }
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(target_os = "linux")]
fn release(map: &Mmap, from: usize, to: usize) {
    // SAFETY: the map is shared, read only and backed by the file, so a page that is dropped comes back with the same
    // bytes when it is touched again.
    let advised = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, from, to - from) };
    // Advice that the system does not take costs memory and nothing else.
    drop(advised);
}

#[cfg(not(target_os = "linux"))]
fn release(_map: &Mmap, _from: usize, _to: usize) {}
