//! Where the functions of a cubin lie: what a program counter needs to become an offset.

use super::elf::Elf;
use crate::source::ReadError;
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
    /// Size of the whole section in bytes, padding included.
    pub section_bytes: u64,
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
            section_bytes: section.data.len() as u64,
        })
    });
    Ok(ranges.collect())
}
