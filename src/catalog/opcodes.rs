//! The opcode catalog: which class a SASS opcode belongs to.

use super::row::catalog;
use serde::Deserialize;

/// A class of SASS opcodes that an engineer reads as one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpcodeClass {
    /// The id: `global-load`.
    pub id: &'static str,
    /// A short name for a table row.
    pub label: &'static str,
    /// The base opcodes of the class: the name before the first dot.
    pub opcodes: Vec<&'static str>,
    /// What the class does and how to read its count.
    pub help: &'static str,
    /// The vendor page at which it can be checked.
    pub cite: &'static str,
}

catalog! {
    OpcodeClass, "opcodes.toml", "class", |row| row.opcodes.clone(),
    /// Every class, in reading order of an instruction mix.
    pub fn opcode_classes
}

/// The opcode without predicate and modifiers: `LDG` for `@!P0 LDG.E.128`.
pub fn base_opcode(instruction: &str) -> &str {
    let text = instruction.trim_start();
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start()),
        None => text,
    };
    text.split(|c: char| c == '.' || c == ';' || c.is_whitespace()).next().unwrap_or("")
}

/// The class of an opcode, given with or without modifiers and predicate. `None`: no catalog row names it.
pub fn opcode_class(opcode: &str) -> Option<&'static OpcodeClass> {
    ROWS.get(base_opcode(opcode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_ids_of_their_own() {
        let ids: std::collections::BTreeSet<_> = opcode_classes().iter().map(|class| class.id).collect();
        assert_eq!(ids.len(), opcode_classes().len());
        assert!(opcode_classes().iter().all(|class| !class.opcodes.is_empty()));
    }

    #[test]
    fn predicate_and_modifiers_do_not_matter() {
        assert_eq!(base_opcode("@!UP0 UTMALDG.2D [UR8], [UR4]"), "UTMALDG");
        assert_eq!(base_opcode("EXIT;"), "EXIT");
        assert_eq!(base_opcode("@P0"), "");
        let class = |op| opcode_class(op).map(|row| row.id);
        assert_eq!(class("LDG.E.128.CONSTANT"), Some("global-load"));
        assert_eq!(class("@P0 STL.128 [R1], R4"), Some("local-memory"));
        assert_eq!(class("HGMMA.64x128x16.F32"), Some("tensor-wgmma"));
        assert_eq!(class("LDTM.x8"), Some("tensor-memory"));
        assert_eq!(class("FROBNICATE"), None);
        assert_eq!(class(""), None);
    }
}
