//! The bytes of a report: of a plain one the mapped file without a copy, pages given back as soon as they have been read;
//! of a packed one what it unpacks to.

use super::fault::Fault;
use crate::packed::{self, Broken};
use bytes::Bytes;
use cuda_binary::ReadError;
use memmap2::Mmap;
#[cfg(target_os = "linux")]
use memmap2::UncheckedAdvice;
use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Pages are given back in steps of this many bytes.
const RELEASE_STEP: usize = 1 << 20;

/// The bytes of a report.
pub(super) struct ReportBytes {
    /// A plain report and its mapping.
    plain: Option<(Arc<File>, Arc<Mmap>)>,
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

impl ReportBytes {
    /// Maps a regular file and unpacks it where it is packed; with them, why a packed one was not unpacked to its end.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the system refuses, [`ReadError::WrongKind`] for a directory, a device or an empty file, and
    /// for a packed one that unpacks to more than a report of its size can.
    pub(super) fn open(path: &Path) -> Result<(ReportBytes, Option<Fault>), ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        let wrong = |found: &str, cure: &str| Err(ReadError::wrong(path, found, cure));
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
        if !packed::is_packed(&map) {
            let bytes = Bytes::from_owner(Owner(map.clone()));
            return Ok((ReportBytes { plain: Some((Arc::new(file), map)), bytes, released: 0 }, None));
        }
        let (bytes, fault) = match packed::unpack(&map) {
            Ok(bytes) => (bytes, None),
            Err(Broken::Damaged { bytes, found }) => {
                let fault = Fault::new(bytes.len() as u64, "the rest of a packed report", found, "all after it");
                (bytes, Some(fault))
            }
            Err(Broken::TooLarge(most)) => {
                let found =
                    format!("it unpacks to more than {most} bytes, and no report of {} packed bytes does", map.len());
                let cure = "pack the report again from where it was made; one that is so large: \
                            `zstd -d FILE -o REPORT.ncu-rep`, and give that";
                return Err(ReadError::wrong(path, found, cure));
            }
        };
        Ok((ReportBytes { plain: None, bytes: bytes.into(), released: 0 }, fault))
    }

    /// The whole report.
    pub(super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The offset in the report of a slice of it.
    pub(super) fn offset_of(&self, slice: &[u8]) -> u64 {
        (slice.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize) as u64
    }

    /// Says that nothing before `end` will be read soon: its pages need not stay in memory.
    pub(super) fn release_to(&mut self, end: usize) {
        if end.saturating_sub(self.released) >= RELEASE_STEP {
            self.release(self.released, end);
            self.released = end;
        }
    }

    /// Gives back every page, and starts over; pages of a small file stay, because they may be read again.
    pub(super) fn release_all(&mut self) {
        if self.bytes.len() >= RELEASE_STEP {
            self.release(0, self.bytes.len());
        }
        self.released = 0;
    }

    fn release(&self, from: usize, to: usize) {
        if let Some((_, map)) = &self.plain {
            release(map, from, to);
        }
    }

    /// Begins to hash the report beside what its reader does, in a thread of its own.
    pub(super) fn hash_beside(&self) -> ReportHash {
        let (bytes, file) = (self.bytes.clone(), self.plain.as_ref().map(|(file, _)| file.clone()));
        // A plain report is read and not looked at where it is mapped: there the pages that one thread gives back are those that
        // another one still reads.
        let running = std::thread::Builder::new().name("hash".into()).spawn(move || {
            let read = file.and_then(|file| hash_of(&file).ok());
            read.unwrap_or_else(|| blake3::hash(&bytes).to_hex().to_string())
        });
        ReportHash { running: running.ok(), bytes: self.bytes.clone() }
    }
}

/// The BLAKE3 hash of a report, in the making.
pub(super) struct ReportHash {
    /// `None` where the system gave no thread.
    running: Option<JoinHandle<String>>,
    bytes: Bytes,
}

impl ReportHash {
    /// Waits for the hash: lower-case hexadecimal.
    pub(super) fn finish(self) -> String {
        let made = self.running.and_then(|running| running.join().ok());
        made.unwrap_or_else(|| blake3::hash(&self.bytes).to_hex().to_string())
    }
}

fn hash_of(mut file: &File) -> io::Result<String> {
    file.rewind()?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
    Ok(hasher.finalize().to_hex().to_string())
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
