//! Source data of a report: cubins, the source texts that were embedded, and where the functions were loaded.

use super::message::SourcePiece;
use crate::SourceText;
use arcstr::ArcStr;
use bytes::Bytes;
use cuda_binary::text::Texts;
use prost::{DecodeError, Message};
use std::collections::HashMap;

/// Everything that a report holds of one loaded module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceData {
    /// Process id and reference; joins [`Launch::sources`](crate::Launch::sources). Two processes may use
    /// one reference for modules at different addresses.
    pub key: (u32, u64),
    /// The cubin, an ELF file; `None` when the report holds none. A slice of what was read of the file.
    pub cubin: Option<Bytes>,
    /// Compute capability of the device, `(9, 0)`.
    pub compute_capability: Option<(u32, u32)>,
    /// Source files embedded by `--import-source`, in file order, each by its path as the line table of the cubin names it, `..`
    /// resolved.
    pub files: Vec<SourceText>,
    /// Functions and their load addresses, in file order. Absent before ncu 2022.3.
    pub functions: Vec<LoadedFunction>,
}

/// A function of the cubin that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFunction {
    /// Mangled name.
    pub symbol: ArcStr,
    /// Device address of its first instruction: a program counter minus this is the offset in its section.
    pub address: u64,
    /// Position in the cubin's symbol table.
    pub symbol_index: u32,
}

/// Pieces of source data as they come in; pieces with one key merge.
#[derive(Default)]
pub(super) struct SourceCollector {
    positions: HashMap<(u32, u64), usize>,
    merged: Vec<((u32, u64), SourcePiece)>,
}

impl SourceCollector {
    /// Takes one piece whose key is wanted: the last binary wins, files and functions append.
    pub(super) fn take(
        &mut self,
        process: u32,
        message: Bytes,
        wanted: impl Fn((u32, u64)) -> bool,
    ) -> Result<(), DecodeError> {
        let reference = SourcePiece::decode(message.clone())?.reference.unwrap_or(0);
        let key = (process, reference);
        if !wanted(key) {
            return Ok(());
        }
        let next = self.merged.len();
        let position = *self.positions.entry(key).or_insert(next);
        if position == next {
            self.merged.push((key, SourcePiece::default()));
        }
        self.merged[position].1.merge(message)
    }

    /// The modules in the order in which they first came.
    pub(super) fn finish(self) -> Vec<SourceData> {
        let mut texts = Texts::default();
        self.merged.into_iter().map(|(key, piece)| source_data(key, piece, &mut texts)).collect()
    }
}

fn source_data(key: (u32, u64), piece: SourcePiece, texts: &mut Texts) -> SourceData {
    let files = piece.files.iter().flat_map(|files| &files.files);
    let functions = piece.relocation.iter().flat_map(|relocation| &relocation.functions);
    SourceData {
        key,
        cubin: piece.binary.filter(|binary| !binary.is_empty()),
        // The field holds major × 2^16 + minor.
        compute_capability: piece.sm_version.map(|version| (version >> 16, version & 0xffff)),
        files: files
            .map(|file| SourceText {
                file: texts.of_field(file.name.as_ref()),
                text: texts.of_field(file.content.as_ref()),
            })
            .collect(),
        functions: functions
            .map(|symbol| LoadedFunction {
                symbol: texts.of_field(symbol.name.as_ref()),
                address: symbol.address.unwrap_or(0),
                symbol_index: symbol.index.unwrap_or(0),
            })
            .collect(),
    }
}
