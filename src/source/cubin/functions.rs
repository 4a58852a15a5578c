//! Where the functions of a cubin lie: what a program counter needs to become an offset.

use super::elf::Elf;
use crate::source::ReadError;
use std::ops::Range;
use std::sync::Arc;

/// The code of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeRange {
    /// Position in the symbol table.
    pub symbol_index: u32,
    /// Mangled name.
    pub symbol: Arc<str>,
    /// Mangled name of the function that the code section is called after; differs for functions that a kernel's
    /// section carries along.
    pub section: Arc<str>,
    /// Byte offset of the function in its section.
    pub offset: u64,
    /// The whole section, padding included, as bytes of the cubin.
    pub code: Range<usize>,
}

/// The functions of a cubin that have code, in the order of the symbol table.
///
/// # Errors
///
/// [`ReadError::WrongKind`] for what is no cubin, [`ReadError::Malformed`] for a cut or damaged one.
pub fn code_ranges(bytes: &[u8], path: &str) -> Result<Vec<CodeRange>, ReadError> {
    let elf = Elf::open(bytes, path)?;
    let ranges = elf.symbols().filter(|symbol| symbol.function.is_some()).filter_map(|symbol| {
        let section = elf.section(symbol.section)?;
        Some(CodeRange {
            symbol_index: u32::try_from(symbol.index).ok()?,
            symbol: symbol.name.into(),
            section: section.name.strip_prefix(".text.")?.into(),
            offset: symbol.value,
            code: within(bytes, section.data),
        })
    });
    Ok(ranges.collect())
}

/// Where a slice lies in the bytes that it was taken from.
fn within(bytes: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(bytes.as_ptr() as usize);
    if start > bytes.len() { 0..0 } else { start..start + part.len() }
}
