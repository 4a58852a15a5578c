//! From the rows of a line program to places in the source.

use super::elf::{Elf, broken};
use super::line_program::{self, Sequence};
use super::model::{LineRow, LineTable};
use crate::ReadError;
use crate::bounds::{INLINE_DEPTH, SOURCE_PLACES};
use crate::sass::SourceLine;
use crate::text::demangle;
use arcstr::ArcStr;
use std::collections::HashMap;
use std::sync::Arc;

/// The source places of a cubin's code; empty for one that was compiled without line information (`-lineinfo`).
///
/// # Errors
///
/// [`ReadError::WrongKind`] for what is no cubin, [`ReadError::Malformed`] for a cut or damaged one.
pub fn line_table(bytes: &[u8], path: &str) -> Result<LineTable, ReadError> {
    line_table_of(bytes, path, |_| true)
}

/// The source places of those functions of a cubin, by mangled name, for which `wanted` holds.
///
/// # Errors
///
/// As [`line_table`].
pub fn line_table_of(bytes: &[u8], path: &str, wanted: impl Fn(&str) -> bool) -> Result<LineTable, ReadError> {
    let elf = Elf::open(bytes, path)?;
    let mut table = LineTable::default();
    let Some(section) = elf.sections().find(|section| section.name == ".debug_line") else { return Ok(table) };
    let units = line_program::units(section.data).map_err(|bad| {
        let mut error = broken(path, bad.expected, "something else, or the end of `.debug_line`");
        if let ReadError::Malformed { position, .. } = &mut error {
            *position = format!("byte {} of `.debug_line`", bad.at);
        }
        error
    })?;
    let relocations: HashMap<u64, (usize, i64)> =
        elf.relocations(section.index).iter().map(|entry| (entry.offset, (entry.symbol, entry.addend))).collect();
    let strings = elf.sections().find(|section| section.name == ".debug_str").map_or(&[][..], |section| section.data);
    let mut names = Names { strings, known: HashMap::new() };
    let mut left = SOURCE_PLACES;
    for unit in &units {
        let files: Vec<ArcStr> = unit.files.iter().map(|(directory, name)| joined(directory, name).into()).collect();
        for sequence in &unit.sequences {
            // A sequence without a relocation is code that was linked out.
            let Some((symbol, addend)) = sequence.address_at.and_then(|at| relocations.get(&(at as u64))) else {
                continue;
            };
            let Some(symbol) = elf.symbol(*symbol) else { continue };
            let Some(name) = elf.section(symbol.section).and_then(|section| section.name.strip_prefix(".text.")) else {
                continue;
            };
            if !wanted(name) {
                continue;
            }
            let base = symbol.value.wrapping_add_signed(*addend);
            table
                .functions
                .entry(name.into())
                .or_default()
                .extend(rows_of(sequence, &files, &mut names, base, &mut left));
        }
    }
    for rows in table.functions.values_mut() {
        // Where one sequence ends and the next begins both have an entry, and the one with places counts.
        rows.sort_by_key(|row| (row.start, row.places.is_empty()));
        rows.dedup_by_key(|row| row.start);
    }
    Ok(table)
}

/// For each address of a sequence the place of its last row, with the calls that its context leads to, and nothing at
/// the sequence's end.
///
/// Rows at one address are an inline stack, the code's own line last. The callers are taken from the contexts, which
/// are there also where only the inner row is repeated. `left` is how many places the cubin may still have.
fn rows_of(sequence: &Sequence, files: &[ArcStr], names: &mut Names<'_>, base: u64, left: &mut usize) -> Vec<LineRow> {
    let rows = &sequence.rows;
    let own = |at: &usize| rows.get(at + 1).is_none_or(|next| next.address != rows[*at].address);
    let mut found: Vec<LineRow> = (0..rows.len())
        .filter(own)
        .map(|at| {
            let mut stack = Vec::new();
            let mut next = Some(at);
            while let Some((at, row)) = next.and_then(|at| Some((at, rows.get(at)?))) {
                let file = usize::try_from(row.file).ok().and_then(|file| files.get(file.checked_sub(1)?));
                stack.extend(file.map(|file| SourceLine {
                    file: file.clone(),
                    line: row.line,
                    function: (row.context > 0).then(|| names.of(row.name)).flatten(),
                }));
                // Contexts name earlier rows; in a damaged table they may go in a circle.
                let context = usize::try_from(row.context).ok().and_then(|context| context.checked_sub(1));
                next = context.filter(|context| *context < at && stack.len() < INLINE_DEPTH && *left > stack.len());
            }
            *left = left.saturating_sub(stack.len());
            LineRow { start: base.wrapping_add(rows[at].address), places: stack.into() }
        })
        .collect();
    found.push(LineRow { start: base.wrapping_add(sequence.end), places: Arc::default() });
    found
}

/// The names of inlined functions, by where they stand in `.debug_str`.
struct Names<'a> {
    strings: &'a [u8],
    known: HashMap<u64, Option<ArcStr>>,
}

impl Names<'_> {
    fn of(&mut self, at: u64) -> Option<ArcStr> {
        let read = || {
            let rest = self.strings.get(usize::try_from(at).ok()?..)?;
            let symbol = std::str::from_utf8(rest.split(|byte| *byte == 0).next()?).ok()?;
            base_name(&demangle(symbol)).map(ArcStr::from)
        };
        self.known.entry(at).or_insert_with(read).clone()
    }
}

/// The name of a function without its result, scope, template arguments and parameters; `None` for a lambda.
fn base_name(demangled: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // Arguments and parameters are what stands in brackets; anonymous scopes are written in such as well.
    let readable = demangled.replace("(anonymous namespace)", "");
    let name = &readable[..readable.find(['<', '(']).unwrap_or(readable.len())];
    let name = name.rsplit(|c| !is_word(c)).next().filter(|name| !name.is_empty())?;
    (!readable.contains("{lambda")).then(|| name.to_owned())
}

/// Directory and name as one path, `.` and `..` resolved as far as it goes.
fn joined(directory: &str, name: &str) -> String {
    let path =
        if directory.is_empty() || name.starts_with('/') { name.to_owned() } else { format!("{directory}/{name}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').enumerate().filter(|(at, part)| *at == 0 || !part.is_empty()).map(|(_, part)| part) {
        match (part, parts.last()) {
            (".", Some(_)) => {}
            ("..", Some(last)) if !matches!(*last, "" | "." | "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::{base_name, joined};

    #[test]
    fn paths_are_resolved() {
        assert_eq!(joined("/opt/devset", "devset.cu"), "/opt/devset/devset.cu");
        assert_eq!(
            joined("/usr/local/cuda/bin/../targets//include", "./x.hpp"),
            "/usr/local/cuda/targets/include/x.hpp"
        );
        assert_eq!(joined("../src", "a.cu"), "../src/a.cu");
        assert_eq!(joined("/opt", "/abs/a.cu"), "/abs/a.cu");
        assert_eq!(joined("", "a.cu"), "a.cu");
    }

    #[test]
    fn functions_are_named_without_what_stands_around_the_name() {
        assert_eq!(
            base_name("void (anonymous namespace)::store_tile<256u>(__nv_bfloat16*, float const (&) [128])"),
            Some("store_tile".into())
        );
        assert_eq!(base_name("cute::SM90::wait(unsigned long*)"), Some("wait".into()));
        assert_eq!(base_name("__syncwarp(unsigned int)"), Some("__syncwarp".into()));
        assert_eq!(base_name("plain"), Some("plain".into()));
        assert_eq!(base_name("f(int)::{lambda(unsigned int)#1}::operator()(unsigned int) const"), None);
    }
}
