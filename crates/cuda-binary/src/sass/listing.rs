//! Machine code, instruction by instruction, and what a disassembly holds of it.

use super::machine_word::MachineWord;
use super::operand::Operand;
use crate::{Class, Op, Origin};
use arcstr::ArcStr;
use std::sync::Arc;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct SourceLine {
    /// The file as the compiler recorded it.
    pub file: ArcStr,
    /// Line, from 1.
    pub line: u32,
    /// The function that the line stands in, without scope, arguments and parameters; `None` for the kernel itself, for lambdas,
    /// and where nothing tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<ArcStr>,
}

impl SourceLine {
    /// Whether a file belongs to the CUDA toolkit, by its path in a toolkit, from nvcc's own folder, or in a wheel of one.
    pub fn is_toolkit(file: &str) -> bool {
        const FOLDERS: [&str; 6] = ["/cuda/", "/.cuda/", "/cuda-", "/targets/", "/nvidia/cu", "/bin/../"];
        file.contains("/include/") && FOLDERS.iter().any(|folder| file.contains(folder))
    }

    /// Whether it is the line of another place, whatever function either was told to stand in.
    pub fn is_line(&self, other: &SourceLine) -> bool {
        self.line == other.line && self.file == other.file
    }
}

/// What a disassembler prints around an opcode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The guard, `!P0`; `None` where the instruction always runs.
    pub guard: Option<ArcStr>,
    /// Operands as printed, without scheduling annotations: `R2, desc[UR4][R2.64]`.
    pub operands: Box<str>,
    /// Offsets that the instruction names as targets, in the same code section; a `BRX` has several where the
    /// disassembler lists them. What control does with them depends on the opcode.
    pub targets: Vec<u64>,
}

/// One instruction, as far as its bits, a disassembler and a line table tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Mangled name of the code section's function.
    pub function: ArcStr,
    /// Byte offset in the section.
    pub offset: u64,
    /// What its bits say; `None` where they are not at hand, and before compute capability 7.0.
    pub word: Option<MachineWord>,
    /// Opcode with its modifiers, `LDG.E.CONSTANT`; `None` where no disassembler was at hand.
    pub opcode: Option<ArcStr>,
    /// The rest of its text; `None` where no listing was at hand.
    pub text: Option<Box<Text>>,
    /// Source places, the innermost first, then the calls that it was inlined into; empty where none is known.
    pub places: Arc<[SourceLine]>,
}

impl Instruction {
    /// An instruction as a listing has it, `LDG.E` of `R2, desc[UR4][R2.64]`.
    pub fn printed(opcode: &str, operands: &str) -> Instruction {
        let text = Text { operands: operands.into(), ..Text::default() };
        Instruction { opcode: Some(opcode.into()), text: Some(Box::new(text)), ..Instruction::default() }
    }

    /// What it is, whatever its modifiers: by the listing, or else by the bits.
    pub fn op(&self) -> Op {
        match (&self.opcode, &self.word) {
            (Some(opcode), _) => Op::of(opcode),
            (None, Some(word)) => word.op,
            (None, None) => Op::Unknown,
        }
    }

    /// Whether it computes in half precision and reads no register: compilers make constants so, which is no arithmetic.
    pub fn makes_constant(&self) -> bool {
        let reads = self.word.map(|word| word.registers.reads);
        self.op().class() == Some(Class::Fp16) && reads.is_some_and(|reads| reads.iter().all(|read| read.count == 0))
    }

    /// Its class: what its opcode is for, but for arithmetic on halves that computes nothing.
    pub fn class(&self) -> Option<Class> {
        let word = self.word.filter(|word| word.passes_halves_on());
        match (self.op().class(), word) {
            (Some(Class::Fp16), Some(word)) => Some(if word.leaves_float() { Class::Conversion } else { Class::Move }),
            (own, _) => own,
        }
    }

    /// Its opcode: with modifiers where a disassembler was at hand.
    pub fn named(&self) -> &str {
        self.opcode.as_deref().unwrap_or(self.op().name())
    }

    /// The modifiers in order, `E`, `CONSTANT`; none where no disassembler was at hand.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        self.named().split('.').skip(1)
    }

    /// The line that it belongs to, the innermost one outside of the headers of the CUDA toolkit, then the calls that this was inlined
    /// into; empty where no line is known.
    pub fn lines(&self) -> &[SourceLine] {
        let outside = self.places.iter().position(|place| !SourceLine::is_toolkit(&place.file));
        &self.places[outside.unwrap_or_default()..]
    }

    /// The line that it belongs to.
    pub fn line(&self) -> Option<&SourceLine> {
        self.lines().first()
    }

    /// The same in a file: code that was inlined from another one counts for its caller.
    pub fn line_in(&self, file: &str) -> Option<u32> {
        self.lines().iter().find(|place| *place.file == *file).map(|place| place.line)
    }

    /// Whether that is among its modifiers.
    pub fn is(&self, modifier: &str) -> bool {
        self.modifiers().any(|own| own == modifier)
    }

    /// The guard in its text.
    pub fn guard(&self) -> Option<Operand> {
        self.text.as_ref()?.guard.as_deref().map(Operand::read)
    }

    /// The operands in its text, as they are printed; empty without.
    pub fn spelt(&self) -> &str {
        self.text.as_ref().map_or("", |text| &text.operands)
    }

    /// The operands in its text; none without.
    pub fn operands(&self) -> impl Iterator<Item = Operand> {
        self.spelt().split(", ").filter(|part| !part.is_empty()).map(Operand::read)
    }

    /// The targets in its text; none without.
    pub fn targets(&self) -> &[u64] {
        self.text.as_ref().map_or(&[], |text| &text.targets)
    }

    /// Whether its guard never holds (`@!PT`): what the compiler pads with.
    pub fn never_runs(&self) -> bool {
        self.guard().is_some_and(|guard| Operand { is_inverted: !guard.is_inverted, ..guard }.always_holds())
    }

    /// Its guard and opcode with some operands: `@!P0 LDG.E R0, desc[UR4][R2.64]`.
    pub fn with_operands(&self, operands: &str) -> String {
        let guard = self.text.as_ref().and_then(|text| text.guard.as_ref());
        let guard = guard.map_or_else(String::new, |guard| format!("@{guard} "));
        let gap = if operands.is_empty() { "" } else { " " };
        format!("{guard}{}{gap}{operands}", self.named())
    }
}

/// The code of one function, called functions that the compiler put in the same section included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SassFunction {
    /// Mangled name.
    pub mangled: ArcStr,
    /// Architecture, `sm_90a`; empty where nothing tells.
    pub arch: ArcStr,
    /// Instructions in the order of the listing.
    pub instructions: Vec<Instruction>,
}

/// What a disassembly holds.
#[derive(Clone, Debug, Default, PartialEq)]
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

impl SassFunction {
    /// The instructions without the padding behind their end: a branch to itself and `NOP`s.
    pub fn body(&self) -> &[Instruction] {
        let mut rest = &self.instructions[..];
        let mut stripped = rest;
        while let [before @ .., last] = stripped {
            let trap = last.op() == Op::BRA && last.guard().is_none() && last.targets() == [last.offset];
            if trap {
                rest = before;
            } else if last.op() != Op::NOP {
                break;
            }
            stripped = before;
        }
        rest
    }
}

impl SassListing {
    /// The function of that mangled name, the first where several architectures have it.
    pub fn function(&self, mangled: &str) -> Option<&SassFunction> {
        self.functions.iter().find(|function| *function.mangled == *mangled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolkit_headers_are_told_from_the_project() {
        for toolkit in [
            "/usr/local/cuda/targets/x86_64-linux/include/cuda_bf16.hpp",
            "/usr/local/cuda-12.4/include/crt/mma.hpp",
            "/env/lib/python3.11/site-packages/nvidia/cu13/include/cub/cub.cuh",
            "/toolkit/bin/../include/sm_20_atomic_functions.hpp",
        ] {
            assert!(SourceLine::is_toolkit(toolkit), "{toolkit}");
        }
        for project in ["/opt/audit/kernels/a.cu", "include/tile.h", "/src/cutlass/include/cute/atom.hpp"] {
            assert!(!SourceLine::is_toolkit(project), "{project}");
        }
    }
}
