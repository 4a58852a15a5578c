//! Counting opcodes, by the catalog's classes.

use super::blocks::body;
use crate::catalog;
use crate::evidence::{SassFunction, SassInstruction};
use std::collections::HashMap;
use std::sync::Arc;

/// How often an opcode stands in a function.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OpcodeCount {
    /// Opcode with modifiers.
    pub opcode: Arc<str>,
    /// Id of its class in the catalog; empty for an opcode that the catalog does not know.
    pub class: String,
    /// Instructions in the code.
    pub count: usize,
    /// Those of them with a guard.
    pub predicated: usize,
}

/// How many instructions of a class stand in a function.
///
/// As JSON without the label where it is that of the catalog, and without guards where there are none.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "ClassCountJson", from = "ClassCountJson")]
pub struct ClassCount {
    /// Id of the class in the catalog; empty for opcodes that the catalog does not know.
    pub class: String,
    /// The catalog's name for it.
    pub label: String,
    /// Instructions in the code.
    pub count: usize,
    /// Those of them with a guard.
    pub predicated: usize,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct ClassCountJson {
    class: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    count: usize,
    #[serde(default, skip_serializing_if = "is_none")]
    predicated: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// The catalog's name for a class.
fn label_of(class: &str) -> Option<&'static str> {
    catalog::opcode_classes().iter().find(|known| known.id == class).map(|known| known.label)
}

impl From<ClassCount> for ClassCountJson {
    fn from(row: ClassCount) -> ClassCountJson {
        let label = (label_of(&row.class) != Some(&row.label)).then_some(row.label);
        ClassCountJson { class: row.class, label, count: row.count, predicated: row.predicated }
    }
}

impl From<ClassCountJson> for ClassCount {
    fn from(json: ClassCountJson) -> ClassCount {
        let label = json.label.unwrap_or_else(|| label_of(&json.class).unwrap_or_default().to_owned());
        ClassCount { class: json.class, label, count: json.count, predicated: json.predicated }
    }
}

/// The id of an opcode's class in the catalog; empty for an opcode that it does not know.
pub(in crate::analysis) fn class_of(opcode: &str) -> &'static str {
    catalog::opcode_class(opcode).map_or("", |class| class.id)
}

/// Every opcode of a function's body, the most frequent first, then by name.
pub fn opcode_counts(function: &SassFunction) -> Vec<OpcodeCount> {
    let mut counts: HashMap<&Arc<str>, (usize, usize)> = HashMap::new();
    for instruction in body(function) {
        let (count, predicated) = counts.entry(&instruction.opcode).or_default();
        *count += 1;
        *predicated += usize::from(instruction.predicate.is_some());
    }
    let row = |(opcode, (count, predicated)): (&Arc<str>, (usize, usize))| OpcodeCount {
        opcode: opcode.clone(),
        class: class_of(opcode).to_owned(),
        count,
        predicated,
    };
    let mut rows: Vec<OpcodeCount> = counts.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.opcode.cmp(&b.opcode)));
    rows
}

/// Instructions of a function's body by class, in the catalog's order; classes that do not occur are left out, and
/// opcodes that the catalog does not know come last under an empty id.
pub fn class_counts(function: &SassFunction) -> Vec<ClassCount> {
    count_classes(body(function).iter())
}

/// The same of any instructions.
pub(in crate::analysis) fn count_classes<'a>(
    instructions: impl Iterator<Item = &'a SassInstruction>,
) -> Vec<ClassCount> {
    let mut counts: HashMap<&'static str, (usize, usize)> = HashMap::new();
    for instruction in instructions {
        let (count, predicated) = counts.entry(class_of(&instruction.opcode)).or_default();
        *count += 1;
        *predicated += usize::from(instruction.predicate.is_some());
    }
    let known = catalog::opcode_classes().iter().map(|class| (class.id, class.label));
    let row = |(id, label): (&'static str, &str)| {
        let (count, predicated) = *counts.get(id)?;
        Some(ClassCount { class: id.to_owned(), label: label.to_owned(), count, predicated })
    };
    known.chain([("", "Unknown opcodes")]).filter_map(row).collect()
}

/// Whether an opcode is of a pattern: the same opcode, and the pattern's modifiers occur in the opcode in their order.
/// `LDG.128` matches `LDG.E.128.CONSTANT`; `LDG` matches every `LDG` and no `LDGSTS`.
pub fn opcode_matches(opcode: &str, pattern: &str) -> bool {
    let mut parts = opcode.split('.');
    let mut wanted = pattern.split('.');
    parts.next() == wanted.next() && wanted.all(|modifier| parts.any(|part| part == modifier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_modifiers_in_order() {
        assert!(opcode_matches("LDG.E.128.CONSTANT", "LDG.128"));
        assert!(opcode_matches("LDG.E", "LDG"));
        assert!(!opcode_matches("LDGSTS.E", "LDG"));
        assert!(!opcode_matches("LDG.128.E", "LDG.E.128"));
    }

    #[test]
    fn classes_are_the_catalogs() {
        assert_eq!(class_of("LDG.E.128"), "global-load");
        assert_eq!(class_of("ZORK"), "");
    }
}
