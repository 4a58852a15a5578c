//! The container: file header, then blocks of a header and a payload of sized entries.
//!
//! The walk reads block headers only and notes where each entry lies; entries are decoded when they are asked for.

use super::bytes::ReportBytes;
use super::fault::{Fault, Stop};
use super::message::{BlockHeader, FileHeader, ProcessInfo};
use crate::bounds::{BLOCK_HEADER, EMPTY_BLOCKS, ENTRY, REPORT_NAMES};
use bytes::Bytes;
use prost::Message;
use std::collections::HashMap;
use std::io;
use std::ops::Range;

/// First bytes of every report.
pub(super) const MAGIC: &[u8; 4] = b"NVR\0";
/// The version of the container in every report from CUDA 10.0 on. NVIDIA's reader refuses lower numbers and accepts
/// higher ones; so does this reader.
const OLDEST_VERSION: u32 = 7;
/// As much is read at once of a walk that looks at a few bytes here and there: most headers have fewer.
const WINDOW: usize = 256;

/// What an entry of a payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    Source,
    Kernel,
    Range,
    Cmdlist,
    Graph,
}

/// One entry of a payload.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    /// Where its message lies in the file.
    pub(super) range: Range<usize>,
    /// Position in [`Index::processes`].
    pub(super) process: usize,
}

/// What the block headers say.
#[derive(Default)]
pub(super) struct Index {
    pub(super) entries: Vec<Entry>,
    /// The string table: the strings of all blocks in file order.
    pub(super) names: Vec<Bytes>,
    /// The pieces of the session in file order, each with where it lies in the file.
    pub(super) session: Vec<(u64, Bytes)>,
    /// Each process once. Reports of CUDA 10 name none: they have the empty one.
    pub(super) processes: Vec<ProcessInfo>,
    process_positions: HashMap<ProcessInfo, usize>,
    /// How many blocks held nothing.
    empty: usize,
    /// Why the walk ended early.
    pub(super) fault: Option<Fault>,
}

/// A position in the file that never passes its end.
struct Cursor<'a> {
    file: &'a ReportBytes,
    at: usize,
    /// What was read last, and where it lies.
    window: (usize, Bytes),
}

impl Cursor<'_> {
    fn left(&self) -> usize {
        self.file.len() - self.at
    }

    /// The next `size` bytes, where they exist.
    fn take(&mut self, size: usize) -> Option<Range<usize>> {
        let range = self.at..self.at.checked_add(size).filter(|end| *end <= self.file.len())?;
        self.at = range.end;
        Some(range)
    }

    /// A little-endian size word and the bytes that it announces.
    fn sized(&mut self, what: &str, lost: &'static str) -> Result<Range<usize>, Stop> {
        let at = self.at as u64;
        let left = self.left();
        let word = self
            .take(4)
            .ok_or_else(|| Fault::new(at, format!("4 bytes with the size of {what}"), format!("{left} bytes"), lost))?;
        let word = self.bytes(word)?;
        let size = word.iter().rev().fold(0, |size, byte| size << 8 | usize::from(*byte));
        let left = self.left();
        let cut = || Fault::new(at, format!("{what} of {size} bytes"), format!("{left} bytes to the end"), lost);
        Ok(self.take(size).ok_or_else(cut)?)
    }

    /// A header, which no report has larger, and where it lies.
    fn header(&mut self, what: &str, lost: &'static str) -> Result<(u64, Bytes), Stop> {
        let range = self.sized(what, lost)?;
        let at = range.start as u64;
        if range.len() > BLOCK_HEADER {
            let expected = format!("{what} of at most {BLOCK_HEADER} bytes");
            return Err(Fault::new(at, expected, range.len().to_string(), lost).into());
        }
        Ok((at, self.bytes(range)?))
    }

    fn bytes(&mut self, range: Range<usize>) -> io::Result<Bytes> {
        let Range { start, end } = range;
        let (from, window) = &self.window;
        if start < *from || end > from + window.len() {
            let until = end.max(start + WINDOW).min(self.file.len());
            self.window = (start, self.file.slice(start..until)?);
        }
        let (from, window) = &self.window;
        Ok(window.slice(start - from..end - from))
    }
}

/// Where a slice of some bytes lies in the file, of which they are those at a place.
pub(super) fn offset(whole: &[u8], at: u64, slice: &[u8]) -> u64 {
    at.wrapping_add((slice.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize) as u64)
}

/// Reads the file header.
///
/// # Errors
/// A fault when the header is cut, is no message, or states a version that was never written.
fn file_header(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    const LOST: &str = "the whole report";
    cursor.at = MAGIC.len();
    let (at, header) = cursor.header("the file header", LOST)?;
    let header =
        FileHeader::decode(header).map_err(|error| Fault::new(at, "a file header", error.to_string(), LOST))?;
    let found = match header.version {
        Some(version) if version >= OLDEST_VERSION => return Ok(()),
        Some(version) => format!("version {version}"),
        None => "no version".to_owned(),
    };
    Err(Fault::new(at, format!("report version {OLDEST_VERSION} or later"), found, LOST).into())
}

/// Walks the blocks. A fault in the file header is an error, and so is what the system says; a later fault ends the walk
/// and is kept in the index.
pub(super) fn index(file: &ReportBytes) -> Result<Index, Stop> {
    let mut cursor = Cursor { file, at: 0, window: (0, Bytes::new()) };
    file_header(&mut cursor)?;
    let mut index = Index::default();
    while cursor.left() > 0 {
        match block(&mut cursor, &mut index) {
            Ok(()) => {}
            Err(Stop::Damaged(fault)) => {
                index.fault = Some(fault);
                break;
            }
            Err(unreadable) => return Err(unreadable),
        }
    }
    Ok(index)
}

/// Reads one block header and notes the entries of its payload.
fn block(cursor: &mut Cursor<'_>, index: &mut Index) -> Result<(), Stop> {
    const LOST: &str = "this block and all after it";
    const LOST_ENTRY: &str = "this entry and all after it";
    let (at, bytes) = cursor.header("a block header", LOST)?;
    if bytes.is_empty() {
        index.empty += 1;
        if index.empty > EMPTY_BLOCKS {
            return Err(Fault::new(at, format!("at most {EMPTY_BLOCKS} empty blocks"), "more", LOST).into());
        }
        return Ok(());
    }
    let header = BlockHeader::decode(bytes.clone())
        .map_err(|error| Fault::new(at, "a block header", error.to_string(), LOST))?;
    index.session.extend(header.session.map(|piece| (offset(&bytes, at, &piece), piece)));
    index.names.extend(header.names.into_iter().flat_map(|table| table.strings));
    if index.names.len() > REPORT_NAMES {
        let (expected, found) = (format!("at most {REPORT_NAMES} names"), format!("{}", index.names.len()));
        return Err(Fault::new(at, expected, found, LOST).into());
    }
    let process = header.process.unwrap_or_default();
    let next = index.processes.len();
    let process = *index.process_positions.entry(process).or_insert_with_key(|process| {
        index.processes.push(process.clone());
        next
    });

    let payload_size = header.payload_size.unwrap_or(0) as usize;
    let payload_start = cursor.at as u64;
    let payload_end = cursor.at.saturating_add(payload_size);
    let announced = [
        (EntryKind::Source, header.sources),
        (EntryKind::Kernel, header.kernels),
        (EntryKind::Range, header.ranges),
        (EntryKind::Cmdlist, header.cmdlists),
        (EntryKind::Graph, header.graphs),
    ];
    for (kind, count) in announced {
        for _ in 0..count.unwrap_or(0) {
            let range = cursor.sized("an entry", LOST_ENTRY)?;
            let (expected, found) = if range.end > payload_end {
                let expected = format!("entries that end by byte {payload_end}, the end of their block");
                (expected, format!("an entry that ends at byte {}", range.end))
            } else if range.is_empty() {
                ("a message".to_owned(), "0 bytes".to_owned())
            } else if range.len() > ENTRY {
                (format!("an entry of at most {ENTRY} bytes"), range.len().to_string())
            } else {
                index.entries.push(Entry { kind, range, process });
                continue;
            };
            return Err(Fault::new(range.start as u64, expected, found, LOST_ENTRY).into());
        }
    }
    if cursor.at != payload_end {
        let found = format!("entries of {} bytes", cursor.at as u64 - payload_start);
        return Err(
            Fault::new(payload_start, format!("a payload of {payload_size} bytes"), found, "all after it").into()
        );
    }
    Ok(())
}
