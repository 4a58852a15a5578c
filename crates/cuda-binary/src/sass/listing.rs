//! Machine code as a disassembler prints it.

use crate::{Op, Origin};
use std::sync::Arc;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct SourceLine {
    /// The file as the compiler recorded it.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// The function that the line stands in, without scope, arguments and parameters; `None` for the kernel itself, for lambdas,
    /// and where nothing tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<Arc<str>>,
}

impl SourceLine {
    /// Whether it is the line of another place, whatever function either was told to stand in.
    pub fn is_line(&self, other: &SourceLine) -> bool {
        self.line == other.line && self.file == other.file
    }
}

/// The guard of an instruction, `@!P0`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Predicate {
    /// `P0`, `UP1`, `PT`.
    pub register: Arc<str>,
    /// Whether the instruction runs where the register is false.
    pub negated: bool,
}

/// One instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SassInstruction {
    /// Byte offset in the function's code section.
    pub offset: u64,
    /// The guard; `None` where the instruction always runs.
    pub predicate: Option<Predicate>,
    /// Opcode with its modifiers, `LDG.E.CONSTANT`.
    pub opcode: Arc<str>,
    /// Operands as printed, without scheduling annotations: `R2, desc[UR4][R2.64]`.
    pub operands: Box<str>,
    /// Offsets that the instruction names as targets, in the same code section; a `BRX` has several where the
    /// disassembler lists them. What control does with them depends on the opcode.
    pub targets: Vec<u64>,
    /// Source line, where the listing has it: the innermost place first, then the calls it was inlined into.
    pub places: Arc<[SourceLine]>,
    /// The instruction's bits, lower word first, where the listing has them.
    pub encoding: Option<[u64; 2]>,
}

impl SassInstruction {
    /// Whether its guard never holds (`@!PT`): what the compiler pads with.
    pub fn never_runs(&self) -> bool {
        self.predicate.as_ref().is_some_and(|guard| guard.negated && &*guard.register == "PT")
    }

    /// What it is, whatever its modifiers.
    pub fn op(&self) -> Op {
        Op::of(&self.opcode)
    }

    /// The opcode without modifiers, `LDG`.
    pub fn base(&self) -> &str {
        self.opcode.split('.').next().unwrap_or(&self.opcode)
    }

    /// The modifiers in order, `E`, `CONSTANT`.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        self.opcode.split('.').skip(1)
    }
}

/// The code of one function, called functions that the compiler put in the same section included.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SassFunction {
    /// Mangled name.
    pub mangled: Arc<str>,
    /// Architecture, `sm_90a`; empty where the listing does not say.
    pub arch: Arc<str>,
    /// Instructions in the order of the listing.
    pub instructions: Vec<SassInstruction>,
    /// Labels and the offsets that they stand for; empty for listings that print plain offsets.
    pub labels: Vec<(Arc<str>, u64)>,
}

/// What a disassembly holds.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SassListing {
    /// The artefact.
    pub origin: Origin,
    /// Functions in the order of the listing; one function of several architectures occurs once for each.
    pub functions: Vec<SassFunction>,
    /// Lines that were not understood, at most the first hundred.
    pub unrecognised_lines: Vec<String>,
    /// How many lines were not understood.
    pub unrecognised_count: u64,
}

impl SassListing {
    /// The function of that mangled name, the first where several architectures have it.
    pub fn function(&self, mangled: &str) -> Option<&SassFunction> {
        self.functions.iter().find(|function| function.mangled.as_ref() == mangled)
    }
}
