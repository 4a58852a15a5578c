//! What the bits of one instruction say without a disassembler.

/// The parts of an instruction's encoding that tell what it is and what it waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineWord {
    /// The opcode without modifiers; empty for one that the decoder does not know.
    pub base: &'static str,
    /// Whether it runs whatever its guard holds.
    pub is_unconditional: bool,
    /// Scoreboards that it holds until its operands are read or its result is there, one bit each.
    pub sets: u8,
    /// Scoreboards that must be free before it issues, one bit each.
    pub waits: u8,
    /// Byte offset of a branch's target in the code section.
    pub target: Option<u64>,
}
