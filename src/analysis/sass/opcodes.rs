//! Counting and classifying opcodes.

use super::blocks::body;
use crate::evidence::SassFunction;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

/// What kind of work an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpcodeClass {
    /// Loads and stores of global memory, asynchronous copies from it included.
    Global,
    /// Loads and stores of shared memory.
    Shared,
    /// Loads and stores of local memory: spills, local arrays, callee frames.
    Local,
    /// Loads through a generic address.
    Generic,
    /// Loads of constant memory.
    Constant,
    /// Copies by the tensor memory accelerator and its bookkeeping.
    BulkCopy,
    /// Atomic operations and reductions, in any memory.
    Atomic,
    /// Texture and surface accesses.
    Texture,
    /// Matrix multiply-accumulate.
    Matrix,
    /// Tensor memory accesses.
    TensorMemory,
    /// Half-precision arithmetic.
    Half,
    /// Single-precision arithmetic.
    Single,
    /// Double-precision arithmetic.
    Double,
    /// Integer arithmetic and logic.
    Integer,
    /// Conversions between types.
    Conversion,
    /// Special functions.
    Special,
    /// Moves, selects, permutes and shuffles.
    Move,
    /// Predicate logic.
    Predicate,
    /// Uniform-datapath work.
    Uniform,
    /// Branches, calls, returns, exits and reconvergence.
    Control,
    /// Barriers, fences and waits.
    Synchronization,
    /// Anything else.
    Other,
}

static CLASSES: LazyLock<HashMap<&'static str, OpcodeClass>> = LazyLock::new(|| {
    let rows = include_str!("../../catalog/opcode_classes.tsv").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let (name, opcodes) = line.split_once('\t')?;
        Some((class_named(name)?, opcodes.split(' ')))
    };
    rows.filter_map(row).flat_map(|(class, opcodes)| opcodes.map(move |opcode| (opcode, class))).collect()
});

fn class_named(name: &str) -> Option<OpcodeClass> {
    use OpcodeClass as C;
    Some(match name {
        "global" => C::Global,
        "shared" => C::Shared,
        "local" => C::Local,
        "generic" => C::Generic,
        "constant" => C::Constant,
        "bulk-copy" => C::BulkCopy,
        "atomic" => C::Atomic,
        "texture" => C::Texture,
        "matrix" => C::Matrix,
        "tensor-memory" => C::TensorMemory,
        "half" => C::Half,
        "single" => C::Single,
        "double" => C::Double,
        "integer" => C::Integer,
        "conversion" => C::Conversion,
        "special" => C::Special,
        "move" => C::Move,
        "predicate" => C::Predicate,
        "uniform" => C::Uniform,
        "control" => C::Control,
        "synchronization" => C::Synchronization,
        _ => return None,
    })
}

impl OpcodeClass {
    /// The class of an opcode, with or without modifiers.
    pub fn of(opcode: &str) -> OpcodeClass {
        CLASSES.get(opcode.split('.').next().unwrap_or(opcode)).copied().unwrap_or(OpcodeClass::Other)
    }
}

/// How often an opcode stands in a function.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct OpcodeCount {
    /// Opcode with modifiers.
    pub opcode: Arc<str>,
    /// Its class.
    pub class: OpcodeClass,
    /// Instructions in the code.
    pub count: usize,
    /// Those of them with a guard.
    pub predicated: usize,
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
        class: OpcodeClass::of(opcode),
        count,
        predicated,
    };
    let mut rows: Vec<OpcodeCount> = counts.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.opcode.cmp(&b.opcode)));
    rows
}

/// Instructions of a function's body by class; classes that do not occur are left out.
pub fn class_counts(function: &SassFunction) -> BTreeMap<OpcodeClass, usize> {
    let mut counts = BTreeMap::new();
    for instruction in body(function) {
        *counts.entry(OpcodeClass::of(&instruction.opcode)).or_default() += 1;
    }
    counts
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
    fn the_class_table_is_whole() {
        let rows = include_str!("../../catalog/opcode_classes.tsv").lines().filter(|line| !line.starts_with('#'));
        let mut seen = std::collections::HashSet::new();
        for line in rows {
            let (name, opcodes) = line.split_once('\t').expect("two columns");
            assert!(class_named(name).is_some(), "{name}");
            for opcode in opcodes.split(' ') {
                assert!(
                    opcode.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'),
                    "{opcode:?}"
                );
                assert!(seen.insert(opcode), "{opcode} twice");
            }
        }
        assert_eq!(seen.len(), CLASSES.len());
        assert_eq!(OpcodeClass::of("LDG.E.128"), OpcodeClass::Global);
        assert_eq!(OpcodeClass::of("ZORK"), OpcodeClass::Other);
    }

    #[test]
    fn patterns_match_modifiers_in_order() {
        assert!(opcode_matches("LDG.E.128.CONSTANT", "LDG.128"));
        assert!(opcode_matches("LDG.E", "LDG"));
        assert!(!opcode_matches("LDGSTS.E", "LDG"));
        assert!(!opcode_matches("LDG.128.E", "LDG.E.128"));
    }
}
