//! The entry points of the reader.

use super::assemble::Assembler;
use super::statement;
use crate::evidence::{BuildLog, Origin};
use crate::source::{ReadError, text};

/// Whether the beginning of a file, or the whole of it, holds a statement of the assembler.
pub fn looks_like(head: &[u8]) -> bool {
    statement::PREFIX.is_match(&text::decode(head))
}

/// Reads a build log: one record per (kernel, architecture), the assembler's warnings, and its lines that were not
/// understood. Lines of other programs are passed over.
///
/// # Errors
///
/// [`ReadError::Empty`] when no kernel is in it.
pub fn read(bytes: &[u8], origin: Origin) -> Result<BuildLog, ReadError> {
    let text = statement::flatten(&text::decode(bytes));
    let mut assembler = Assembler::default();
    for statement in statement::statements(&text) {
        assembler.take(statement);
    }
    let path = origin.path.clone();
    let log = assembler.finish(Origin { format: "ptxas-log".into(), ..origin });
    if log.records.is_empty() {
        let cure = if statement::PREFIX.is_match(&text) {
            "this is ptxas output that names no kernel; compile with `-Xptxas -v` and keep everything it prints"
        } else {
            "compile with `-Xptxas -v` and keep what the compiler prints: `nvcc -Xptxas -v ... 2> build.log`"
        };
        return Err(ReadError::empty(path, "kernels", cure));
    }
    Ok(log)
}
