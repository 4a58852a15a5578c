//! Instructions that follow each other.

use super::blocks::{ControlFlow, body};
use super::opcodes::opcode_matches;
use crate::evidence::SassFunction;

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
pub fn sequences(function: &SassFunction, flow: &ControlFlow, patterns: &[&str], gap: usize) -> Vec<Sequence> {
    let code = body(function);
    let mut found = Vec::new();
    for (block, range) in flow.blocks.iter().map(|block| block.instructions.clone()).enumerate() {
        let mut at = range.start;
        while at < range.end {
            let end = range.end;
            let matched = patterns.iter().try_fold(Vec::new(), |mut so_far: Vec<usize>, pattern| {
                let (from, to) = so_far.last().map_or((at, at + 1), |last| (last + 1, (last + 2 + gap).min(end)));
                let next = (from..to.max(from)).find(|position| opcode_matches(&code[*position].opcode, pattern))?;
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
