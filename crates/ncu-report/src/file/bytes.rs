//! The bytes of a report: a plain one is read in parts, a packed one is what it unpacks to.

use super::fault::Fault;
use crate::bounds::PACKED;
use crate::packed::{self, Broken};
use bytes::Bytes;
use cuda_binary::ReadError;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// What to do about a packed report that is too large.
const UNPACK: &str = "pack the report again from where it was made; one that is so large: \
                      `zstd -d FILE -o REPORT.ncu-rep`, and give that";

/// The bytes of a report.
#[derive(Clone)]
pub(super) enum ReportBytes {
    /// A file of this size.
    Plain(Arc<File>, usize),
    Unpacked(Bytes),
}

/// A place in a file, whoever else reads it.
struct Place<'f>(&'f File, u64);

impl Read for Place<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(self.0, to, self.1)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(self.0, to, self.1)?;
        self.1 += read as u64;
        Ok(read)
    }
}

impl ReportBytes {
    /// Opens a regular file and unpacks it where it is packed; with them, why a packed one was not unpacked to its end.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the system refuses, [`ReadError::WrongKind`] for a directory, a device or an empty file, and
    /// for a packed one that is too large, or unpacks to more than a report of its size can.
    pub(super) fn open(path: &Path) -> Result<(ReportBytes, Option<Fault>), ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        let wrong = |found: &str, cure: &str| ReadError::wrong(path, found, cure);
        let regular = |found: Metadata| match found.len() {
            _ if found.is_dir() => Err(wrong("it is a directory", "name a report file")),
            _ if !found.is_file() => Err(wrong("it is not a regular file", "save the report to a file and name that")),
            0 => Err(wrong("it is empty (0 bytes)", "copy the report again, or profile again")),
            size => usize::try_from(size).map_err(|_| io(ErrorKind::FileTooLarge.into())),
        };
        // Before it is opened, as a pipe waits for who writes it; then of what was opened.
        regular(fs::metadata(path).map_err(io)?)?;
        let file = File::open(path).map_err(io)?;
        let size = regular(file.metadata().map_err(io)?)?;
        let plain = ReportBytes::Plain(Arc::new(file), size);
        let is_packed = packed::begins(|at| plain.slice(at.min(size)..at.saturating_add(8).min(size)));
        if !is_packed.map_err(io)? {
            return Ok((plain, None));
        }
        if size > PACKED {
            let found = format!("it is packed and has more than {PACKED} bytes");
            return Err(wrong(&found, UNPACK));
        }
        let packed = plain.slice(0..size).map_err(io)?;
        let (bytes, fault) = match packed::unpack(&packed) {
            Ok(bytes) => (bytes, None),
            Err(Broken::Damaged { bytes, found }) => {
                let fault = Fault::new(bytes.len() as u64, "the rest of a packed report", found, "all after it");
                (bytes, Some(fault))
            }
            Err(Broken::TooLarge(most)) => {
                let found = format!(
                    "it unpacks to more than {most} bytes, and no report of {} packed bytes does",
                    packed.len()
                );
                return Err(wrong(&found, UNPACK));
            }
        };
        Ok((ReportBytes::Unpacked(bytes.into()), fault))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            ReportBytes::Plain(_, size) => *size,
            ReportBytes::Unpacked(bytes) => bytes.len(),
        }
    }

    /// A part of the report, which lies inside it. Errors: the system refuses, or the file became shorter.
    pub(super) fn slice(&self, range: Range<usize>) -> io::Result<Bytes> {
        match self {
            ReportBytes::Plain(file, _) => {
                let mut part = Vec::new();
                read(file, range, &mut part)?;
                Ok(part.into())
            }
            ReportBytes::Unpacked(bytes) => Ok(bytes.slice(range)),
        }
    }

    /// The same, of a plain report in a buffer that is used again.
    pub(super) fn part<'b>(&'b self, range: Range<usize>, buffer: &'b mut Vec<u8>) -> io::Result<&'b [u8]> {
        match self {
            ReportBytes::Plain(file, _) => read(file, range, buffer).map(|()| buffer.as_slice()),
            ReportBytes::Unpacked(bytes) => Ok(&bytes[range]),
        }
    }

    /// Begins to hash the report beside what its reader does, in a thread of its own.
    pub(super) fn hash_beside(&self) -> ReportHash {
        let own = self.clone();
        let running = std::thread::Builder::new().name("hash".into()).spawn(move || own.hash());
        ReportHash { running: running.ok(), bytes: self.clone() }
    }

    fn hash(&self) -> io::Result<String> {
        let hash = match self {
            ReportBytes::Plain(file, size) => {
                let mut hasher = blake3::Hasher::new();
                hasher.update_reader(Place(file, 0).take(*size as u64))?;
                if hasher.count() < *size as u64 {
                    return Err(shorter(hasher.count()));
                }
                hasher.finalize()
            }
            ReportBytes::Unpacked(bytes) => blake3::hash(bytes),
        };
        Ok(hash.to_hex().to_string())
    }
}

/// The BLAKE3 hash of a report, in the making.
pub(super) struct ReportHash {
    /// `None` where the system gave no thread.
    running: Option<JoinHandle<io::Result<String>>>,
    bytes: ReportBytes,
}

impl ReportHash {
    /// Waits for the hash: lower-case hexadecimal. Errors: the file cannot be read.
    pub(super) fn finish(self) -> io::Result<String> {
        let made = self.running.and_then(|running| running.join().ok());
        made.unwrap_or_else(|| self.bytes.hash())
    }
}

/// A part of a file instead of what a buffer held.
fn read(file: &File, range: Range<usize>, to: &mut Vec<u8>) -> io::Result<()> {
    to.try_reserve(range.len().saturating_sub(to.len()))?;
    to.resize(range.len(), 0);
    let mut place = Place(file, range.start as u64);
    place.read_exact(to).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => shorter(place.1),
        kind => io::Error::new(kind, format!("at byte {}: {error}", place.1)),
    })
}

fn shorter(at: u64) -> io::Error {
    let what = "the file became shorter while it was read";
    io::Error::other(format!("at byte {at}: {what}\n  help: wait until nothing writes it, or copy it first"))
}
