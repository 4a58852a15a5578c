//! Machine code by hand, for tests.

use crate::evidence::{Instruction, MachineWord, Register, RegisterFile};
use cuda_binary::Op;
use cuda_binary::sass::Flow;

pub(in crate::analysis) const fn r(number: u8) -> Register {
    Register { file: RegisterFile::General, number, count: 1 }
}

pub(in crate::analysis) const P: Register = Register { file: RegisterFile::Predicate, number: 0, count: 1 };

pub(in crate::analysis) fn word(op: Op, writes: &[Register], reads: &[Register]) -> MachineWord {
    let mut word = MachineWord { op, is_unconditional: true, ..MachineWord::default() };
    word.registers.writes[..writes.len()].copy_from_slice(writes);
    word.registers.reads[..reads.len()].copy_from_slice(reads);
    word
}

/// What reads a special register.
pub(in crate::analysis) fn special(writes: u8, number: u8) -> MachineWord {
    let mut word = word(Op::S2R, &[r(writes)], &[]);
    word.registers.special = Some(number);
    word
}

/// A jump back to a row by the predicate.
pub(in crate::analysis) fn back(row: u64) -> MachineWord {
    let flow = Flow::Jump { conditional: true };
    MachineWord { flow, target: Some(16 * row), is_unconditional: false, ..word(Op::BRA, &[], &[P]) }
}

pub(in crate::analysis) fn rows(words: &[MachineWord]) -> Vec<Instruction> {
    let row = |(at, word): (usize, &MachineWord)| Instruction {
        function: "k".into(),
        offset: 16 * at as u64,
        word: Some(*word),
        ..Instruction::default()
    };
    words.iter().enumerate().map(row).collect()
}

/// The same with an end behind it.
pub(in crate::analysis) fn ended(words: &[MachineWord]) -> Vec<Instruction> {
    let end = MachineWord { flow: Flow::End { conditional: false }, ..word(Op::EXIT, &[], &[]) };
    rows(&[words, &[end]].concat())
}
