//! What PTX instructions and CUDA C++ constructs become in SASS, per chip.

use super::row::catalog;
use crate::nearest::several;
use cuda_binary::Op;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Whose word a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AliasKind {
    Ptx,
    Cuda,
}

/// A name and its instructions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AliasRow {
    /// What an engineer writes: `cp.async.bulk.tensor.2d`, `__syncthreads`.
    pub name: &'static str,
    /// Whose word it is.
    pub kind: AliasKind,
    /// The kernel of the probes in which it was seen.
    pub probe: &'static str,
    /// Opcode patterns by chip (`sm_90`), the telling one first; empty: no instruction of its own; absent: no such construct there.
    #[serde(borrow)]
    pub sass: BTreeMap<&'static str, Vec<&'static str>>,
    /// What a reader of the disassembly would trip over; may be empty.
    pub note: &'static str,
}

catalog! {
    AliasRow, "sass_aliases.toml", "alias", |row| vec![row.name],
    /// Every row, in file order.
    pub fn sass_aliases
}

/// What a name stands for in the machine code of a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// It is an opcode of SASS itself, or an alias: opcode patterns, the telling one first.
    Patterns(Vec<&'static str>),
    /// It is an opcode pattern as it stands.
    Opcode,
    /// The construct exists and has no instruction of its own; the note says why.
    NoInstruction(&'static str),
    /// The construct does not exist on this chip, or nobody looked: chips on which it was seen.
    NotOnChip(Vec<&'static str>),
    /// Nothing known by that name; near names.
    Unknown(Vec<&'static str>),
}

/// Resolves a name of SASS, PTX or CUDA C++ for an architecture such as `sm_90a`.
pub fn resolve(name: &str, arch: &str) -> Resolved {
    let Some(row) = ROWS.get(name) else {
        if Op::of(name).is_known() {
            return Resolved::Opcode;
        }
        let opcodes = Op::ALL.iter().map(|op| op.name());
        return Resolved::Unknown(several(name, opcodes.chain(ROWS.rows().iter().map(|row| row.name)), 3));
    };
    match row.sass.get(arch.trim_end_matches(|c: char| c.is_ascii_lowercase())) {
        None => Resolved::NotOnChip(row.sass.keys().copied().collect()),
        Some(patterns) if patterns.is_empty() => Resolved::NoInstruction(row.note),
        Some(patterns) => Resolved::Patterns(patterns.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_resolve_for_their_chip() {
        assert_eq!(resolve("tcgen05.ld", "sm_100a"), Resolved::Patterns(vec!["LDTM"]));
        assert_eq!(resolve("tcgen05.ld", "sm_90a"), Resolved::NotOnChip(vec!["sm_100"]));
        assert!(matches!(resolve("tcgen05.wait::ld", "sm_100a"), Resolved::NoInstruction(note) if !note.is_empty()));
        assert_eq!(resolve("STG.E.128", "sm_90"), Resolved::Opcode);
        assert_eq!(resolve("ld.globl", "sm_90"), Resolved::Unknown(vec!["ld.global"]));
        assert_eq!(resolve("ld.global.v4.b32", "sm_90a"), Resolved::Patterns(vec!["LDG.E.128"]));
    }
}
