//! Basic blocks and the edges between them.

use super::step::Step;
use crate::sass::{Flow, Instruction};
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
    /// Whether it may also go where the listing does not say: an indirect branch without target list, or one to another section.
    pub leaves_unseen: bool,
}

/// The control flow of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ControlFlow {
    /// Blocks by offset.
    pub blocks: Vec<Block>,
    /// Blocks at which code is entered: the first, and those that a call inside the function names.
    pub entries: Vec<usize>,
    /// Calls inside the function: (block that calls, block that is called).
    #[serde(skip)]
    pub calls: Vec<(usize, usize)>,
}

impl ControlFlow {
    /// The blocks that lead to each block, in ascending order.
    pub fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); self.blocks.len()];
        for (from, block) in self.blocks.iter().enumerate() {
            block.successors.iter().for_each(|to| found[*to].push(from));
        }
        found
    }

    /// The blocks that a walk from `start` reaches, itself included, along edges (from, to) that `keep` admits.
    pub fn reach(&self, start: usize, keep: impl Fn(usize, usize) -> bool) -> BTreeSet<usize> {
        let mut seen = BTreeSet::from([start]);
        let mut rest = vec![start];
        while let Some(block) = rest.pop() {
            let ahead = self.blocks[block].successors.iter().filter(|next| keep(block, **next));
            rest.extend(ahead.filter(|next| seen.insert(**next)));
        }
        seen
    }

    /// Of two ways, the blocks that only one of them reaches along edges that `keep` admits.
    pub fn apart(&self, ways: [usize; 2], keep: impl Fn(usize, usize) -> bool) -> [BTreeSet<usize>; 2] {
        let [a, b] = ways.map(|start| self.reach(start, &keep));
        [a.difference(&b).copied().collect(), b.difference(&a).copied().collect()]
    }

    /// Cuts code into blocks. A block ends before a target, and after a branch, a call, a return or an exit.
    ///
    /// A conditional branch has two successors, as has a guarded return or exit the one behind it; a call is followed by
    /// what stands behind it. `BSSY` names where threads meet again, which is a block's start and no edge, and
    /// `BSYNC`, `BREAK` and `WARPSYNC` go on with the next instruction.
    pub fn of(code: &[Instruction]) -> ControlFlow {
        if code.is_empty() {
            return ControlFlow::default();
        }
        let code: Vec<Step> = code.iter().map(Step::of).collect();
        let at_offset = |offset: u64| code.binary_search_by_key(&offset, |step| step.offset).ok();
        let mut starts: BTreeSet<usize> = BTreeSet::from([0]);
        for (at, step) in code.iter().enumerate() {
            starts.extend(step.targets.iter().filter_map(|target| at_offset(*target)));
            if step.flow != Flow::Next && at + 1 < code.len() {
                starts.insert(at + 1);
            }
        }
        let starts: Vec<usize> = starts.into_iter().collect();
        let block_at = |offset: u64| starts.binary_search(&at_offset(offset)?).ok();
        let (mut blocks, mut calls) = (Vec::with_capacity(starts.len()), Vec::new());
        for (at, start) in starts.iter().enumerate() {
            let end = starts.get(at + 1).copied().unwrap_or(code.len());
            let last = &code[end - 1];
            let named: Vec<usize> = last.targets.iter().filter_map(|target| block_at(*target)).collect();
            let next = (last.goes_on() && at + 1 < starts.len()).then_some(at + 1);
            if matches!(last.flow, Flow::Call(_)) {
                calls.extend(named.iter().map(|to| (at, *to)));
            }
            let successors: BTreeSet<usize> = named.iter().copied().filter(|_| last.jumps()).chain(next).collect();
            blocks.push(Block {
                start: code[*start].offset,
                instructions: *start..end,
                successors: successors.into_iter().collect(),
                leaves_unseen: last.jumps() && named.is_empty(),
            });
        }
        let entries: BTreeSet<usize> = calls.iter().map(|(_, to)| *to).chain([0]).collect();
        ControlFlow { blocks, entries: entries.into_iter().collect(), calls }
    }

    /// The block that holds the instruction at that position.
    pub fn block_of(&self, instruction: usize) -> Option<usize> {
        let after = self.blocks.partition_point(|block| block.instructions.start <= instruction);
        after.checked_sub(1).filter(|at| self.blocks[*at].instructions.contains(&instruction))
    }
}
