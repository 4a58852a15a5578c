//! Opcodes: counted by the catalog's classes, how wide they access, and where some follow each other.

use super::listed::Listed;
use crate::evidence::Instruction;
use cuda_binary::{Class, Op};
use std::collections::HashMap;

/// How many instructions of a class stand in some code.
///
/// As JSON: `[class, count, those with a guard]`, without guards where there are none.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "ClassCountJson", from = "ClassCountJson")]
pub struct ClassCount {
    /// Id of the class in the catalog; empty for opcodes that the catalog does not know.
    pub class: String,
    /// Instructions in the code.
    pub count: usize,
    /// Those of them with a guard.
    pub predicated: usize,
}

impl ClassCount {
    /// The catalog's name for the class.
    pub fn label(&self) -> &'static str {
        label_of(&self.class)
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum ClassCountJson {
    Row(String, usize),
    Guarded(String, usize, usize),
}

impl From<ClassCount> for ClassCountJson {
    fn from(ClassCount { class, count, predicated }: ClassCount) -> ClassCountJson {
        match predicated {
            0 => ClassCountJson::Row(class, count),
            _ => ClassCountJson::Guarded(class, count, predicated),
        }
    }
}

impl From<ClassCountJson> for ClassCount {
    fn from(json: ClassCountJson) -> ClassCount {
        let (class, count, predicated) = match json {
            ClassCountJson::Row(class, count) => (class, count, 0),
            ClassCountJson::Guarded(class, count, predicated) => (class, count, predicated),
        };
        ClassCount { class, count, predicated }
    }
}

/// The catalog's name for a class.
pub(super) fn label_of(class: &str) -> &'static str {
    Class::of(class).map_or("Unknown opcodes", Class::label)
}

/// What was counted by class, in the catalog's order; opcodes that the catalog does not know come last.
pub(super) fn in_order<T: Copy>(counts: &HashMap<&'static str, T>) -> impl Iterator<Item = (&'static str, T)> {
    let classes = Class::ALL.iter().map(|class| class.id()).chain([""]);
    classes.filter_map(|class| Some((class, *counts.get(class)?)))
}

/// The id of an instruction's class in the catalog; empty for an opcode that it does not know.
pub(in crate::analysis) fn class_of(instruction: &Instruction) -> &'static str {
    instruction.class().map_or("", Class::id)
}

/// Every opcode of some code with its modifiers, and how often it stands there: the most frequent first, then by name.
pub fn opcode_counts(code: &[Instruction]) -> Vec<(&str, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    code.iter().for_each(|instruction| *counts.entry(instruction.named()).or_default() += 1);
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    rows
}

/// Instructions by class, in the catalog's order; those of opcodes that it does not know last, under an empty id.
pub fn class_counts<'a>(instructions: impl Iterator<Item = &'a Instruction>) -> Vec<ClassCount> {
    let mut counts: HashMap<&'static str, (usize, usize)> = HashMap::new();
    for instruction in instructions {
        let (count, predicated) = counts.entry(class_of(instruction)).or_default();
        *count += 1;
        *predicated += usize::from(instruction.guard().is_some());
    }
    let row = |(class, (count, predicated)): (&str, _)| ClassCount { class: class.to_owned(), count, predicated };
    in_order(&counts).map(row).collect()
}

/// Whether an opcode is of a pattern: the same opcode, and the pattern's modifiers occur in the opcode in their order.
/// `LDG.128` matches `LDG.E.128.CONSTANT`; `LDG` matches every `LDG` and no `LDGSTS`.
pub fn opcode_matches(opcode: &str, pattern: &str) -> bool {
    let mut parts = opcode.split('.');
    let mut wanted = pattern.split('.');
    parts.next() == wanted.next() && wanted.all(|modifier| parts.any(|part| part == modifier))
}

/// Bits per lane of a load or store, `128` for `LDG.E.128`; 32 where no modifier says otherwise. `None` for other opcodes.
pub fn access_width(opcode: &str) -> Option<u32> {
    if !Op::of(opcode).is_by_lane() {
        return None;
    }
    let stated = opcode.split('.').skip(1).find_map(|part| match part {
        "U8" | "S8" => Some(8),
        "U16" | "S16" | "16" => Some(16),
        "64" => Some(64),
        "96" => Some(96),
        "128" => Some(128),
        "256" => Some(256),
        _ => None,
    });
    Some(stated.unwrap_or(32))
}

/// Where a sequence was found.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Sequence {
    /// The block that holds it, by position.
    pub block: usize,
    /// Positions of its instructions in the function.
    pub instructions: Vec<usize>,
}

/// Every place where instructions that match `patterns` (see [`opcode_matches`]) stand in this order in one block, with
/// at most `gap` other instructions between two of them. Each instruction is part of one place at most.
pub fn sequences(listed: &Listed<'_>, patterns: &[&str], gap: usize) -> Vec<Sequence> {
    let code = listed.code;
    let mut found = Vec::new();
    for (block, range) in listed.flow.blocks.iter().map(|block| block.instructions.clone()).enumerate() {
        let mut at = range.start;
        while at < range.end {
            let end = range.end;
            let matched = patterns.iter().try_fold(Vec::new(), |mut so_far: Vec<usize>, pattern| {
                let (from, to) = so_far.last().map_or((at, at + 1), |last| (last + 1, (last + 2 + gap).min(end)));
                let next = (from..to.max(from)).find(|position| opcode_matches(code[*position].named(), pattern))?;
                so_far.push(next);
                Some(so_far)
            });
            match matched.filter(|instructions| !instructions.is_empty()) {
                Some(instructions) => {
                    at = instructions.last().map_or(at, |last| *last) + 1;
                    found.push(Sequence { block, instructions });
                }
                None => at += 1,
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{access_width, *};

    #[test]
    fn patterns_match_modifiers_in_order() {
        assert!(opcode_matches("LDG.E.128.CONSTANT", "LDG.128"));
        assert!(opcode_matches("LDG.E", "LDG"));
        assert!(!opcode_matches("LDGSTS.E", "LDG"));
        assert!(!opcode_matches("LDG.128.E", "LDG.E.128"));
    }

    #[test]
    fn classes_are_the_catalogs() {
        assert_eq!(class_of(&Instruction::printed("LDG", "")), "global-load");
        assert_eq!(class_of(&Instruction::printed("NOSUCH", "")), "");
    }

    #[test]
    fn widths_are_modifiers() {
        assert_eq!(access_width("STG.E.ENL2.256"), Some(256));
        assert_eq!(access_width("LDGSTS.E.BYPASS.LTC128B.128"), Some(128));
        assert_eq!(access_width("LDG.E.LTC128B"), Some(32));
        assert_eq!(access_width("LDG.E.U16.CONSTANT"), Some(16));
        assert_eq!(access_width("LDSM.16.M88.4"), None);
    }
}
