//! Basic blocks and the edges between them.

use crate::evidence::{SassFunction, SassInstruction};
use cuda_binary::Op;
use cuda_binary::op::Control;
use std::collections::BTreeSet;
use std::ops::Range;

/// A run of instructions that is entered at its first and left at its last.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Block {
    /// Offset of the first instruction.
    pub start: u64,
    /// Positions of its instructions in the function.
    pub instructions: Range<usize>,
    /// Blocks that may run next, by position, in ascending order.
    pub successors: Vec<usize>,
    /// Whether it may also go where the listing does not say: an indirect branch without target list.
    pub leaves_unseen: bool,
}

/// The control flow of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ControlFlow {
    /// Blocks by offset.
    pub blocks: Vec<Block>,
    /// Blocks at which code is entered: the first, and those that a call inside the function names.
    pub entries: Vec<usize>,
}

/// The instructions of a function without the padding behind its end: a branch to itself and `NOP`s.
pub fn body(function: &SassFunction) -> &[SassInstruction] {
    let mut rest = &function.instructions[..];
    let mut stripped = rest;
    while let [before @ .., last] = stripped {
        let trap = last.op() == Op::BRA && last.predicate.is_none() && last.targets == [last.offset];
        if trap {
            rest = before;
        } else if last.op() != Op::NOP {
            break;
        }
        stripped = before;
    }
    rest
}

impl ControlFlow {
    /// Cuts a function into blocks. A block ends before a target and after a branch, a call, a return or an exit.
    ///
    /// A conditional branch has two successors, as has a guarded return or exit the one behind it; a call is followed by
    /// what stands behind it. `BSSY` names where threads meet again, which is a block's start and no edge, and
    /// `BSYNC`, `BREAK` and `WARPSYNC` go on with the next instruction.
    pub fn of(function: &SassFunction) -> ControlFlow {
        let code = body(function);
        let at_offset = |offset: u64| code.binary_search_by_key(&offset, |instruction| instruction.offset).ok();
        let mut starts: BTreeSet<usize> = BTreeSet::from([0]);
        let mut called: BTreeSet<usize> = BTreeSet::from([0]);
        for (at, instruction) in code.iter().enumerate() {
            let targets = instruction.targets.iter().filter_map(|target| at_offset(*target));
            if instruction.op().control() == Some(Control::Call) {
                called.extend(targets.clone());
            }
            starts.extend(targets);
            if ends_block(instruction) && at + 1 < code.len() {
                starts.insert(at + 1);
            }
        }
        starts.extend(function.labels.iter().filter_map(|(_, offset)| at_offset(*offset)));
        if code.is_empty() {
            return ControlFlow::default();
        }
        let starts: Vec<usize> = starts.into_iter().collect();
        let block_at = |instruction: usize| starts.binary_search(&instruction).ok();
        let ends = starts.iter().skip(1).copied().chain([code.len()]);
        let blocks = starts.iter().zip(ends).enumerate().map(|(position, (start, end))| {
            let last = &code[end - 1];
            let named = last.targets.iter().filter_map(|target| block_at(at_offset(*target)?));
            let next = (position + 1 < starts.len()).then_some(position + 1);
            let (jumps, goes_on) = leaves(last);
            let successors: BTreeSet<usize> = named.filter(|_| jumps).chain(next.filter(|_| goes_on)).collect();
            Block {
                start: code[*start].offset,
                instructions: *start..end,
                successors: successors.into_iter().collect(),
                leaves_unseen: jumps && last.targets.iter().all(|target| at_offset(*target).is_none()),
            }
        });
        let blocks = blocks.collect();
        ControlFlow { blocks, entries: called.into_iter().filter_map(block_at).collect() }
    }

    /// The block that holds the instruction at that position.
    pub fn block_of(&self, instruction: usize) -> Option<usize> {
        let after = self.blocks.partition_point(|block| block.instructions.start <= instruction);
        after.checked_sub(1).filter(|at| self.blocks[*at].instructions.contains(&instruction))
    }
}

fn ends_block(instruction: &SassInstruction) -> bool {
    let goes_on = |control| matches!(control, Control::MeetAt | Control::Meet | Control::Trap);
    instruction.op().control().is_some_and(|control| !goes_on(control))
}

/// Whether the last instruction of a block may go to its targets, and whether it may go on with the next block.
fn leaves(last: &SassInstruction) -> (bool, bool) {
    match last.op().control() {
        Some(Control::Branch | Control::Indirect) => (true, is_conditional(last)),
        Some(Control::Exit | Control::Return) => (false, last.predicate.is_some()),
        _ => (false, true),
    }
}

/// A branch depends on its guard, on a predicate among its operands (`BRA P2, ...`), or on divergence (`BRA.DIV`).
fn is_conditional(branch: &SassInstruction) -> bool {
    let operand = branch.operands.split(',').next().unwrap_or_default().trim().trim_start_matches('!');
    let is_predicate = operand.strip_prefix("UP").or(operand.strip_prefix('P'));
    branch.predicate.as_ref().is_some_and(|guard| !matches!(guard.register.as_ref(), "PT" | "UPT") || guard.negated)
        || is_predicate.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty())
        || branch.modifiers().any(|modifier| matches!(modifier, "DIV" | "CONV"))
}
