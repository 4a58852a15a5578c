//! The kernel's own code with its counts: rows, blocks, loops, and what each row does.

use super::values::Flows;
use crate::analysis::sass::{ControlFlow, NaturalLoop, loops};
use crate::catalog::Counter;
use crate::evidence::{Instruction, MachineWord, Register, SourceView, WarpSync};
use cuda_binary::Op;
use cuda_binary::op::Control;
use cuda_binary::sass::Registers;
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

/// Warp executions of an instruction.
const EXECUTED: Counter = Counter::InstExecuted;
/// Executions by lanes whose guard held.
const LANES: Counter = Counter::ThreadInstExecutedTrue;

/// The kernel's code section with its counts, by row.
pub(in crate::analysis) struct Code<'v> {
    /// The rows of the section, in the order of their offsets.
    pub(in crate::analysis) rows: &'v [Instruction],
    /// What each is: nearly every rule asks for it, and a name is looked up in a table.
    ops: Vec<Op>,
    /// `E`: warp executions.
    pub(in crate::analysis) executed: Vec<u64>,
    /// `T`: executions by lanes whose guard held; `None` where that was not collected.
    pub(in crate::analysis) lanes: Option<Vec<u64>>,
    /// Blocks and the edges between them; a block's instructions are rows.
    pub(in crate::analysis) flow: ControlFlow,
    pub(in crate::analysis) block_of: Vec<usize>,
    /// Blocks that lead to each block.
    pub(in crate::analysis) predecessors: Vec<Vec<usize>>,
    /// Natural loops, and each cycle with several ways in; by header.
    pub(in crate::analysis) loops: Vec<Loop>,
    /// Where its values come from.
    pub(super) flows: Flows,
}

/// A cycle of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct Loop {
    pub(in crate::analysis) header: usize,
    /// Its blocks, inner loops and called functions included.
    pub(in crate::analysis) blocks: BTreeSet<usize>,
}

/// The rows of the kernel's own section; `None` where one lacks its bits.
fn own_rows(view: &SourceView) -> Option<&[Instruction]> {
    let first = view.instructions.first()?;
    let count = view.instructions.iter().take_while(|row| row.function == first.function).count();
    let rows = &view.instructions[..count];
    rows.iter().all(|row| row.word.is_some()).then_some(rows)
}

/// What is reached step by step; that from which it starts only where a step comes back to it.
pub(in crate::analysis) fn reached<I: IntoIterator<Item = usize>>(
    from: impl IntoIterator<Item = usize>,
    next: impl Fn(usize) -> I,
) -> BTreeSet<usize> {
    let (mut open, mut seen) = (Vec::from_iter(from), BTreeSet::new());
    while let Some(at) = open.pop() {
        open.extend(next(at).into_iter().filter(|to| seen.insert(*to)));
    }
    seen
}

impl<'v> Code<'v> {
    /// `None` where the report lacks the code's bits or the executions by instruction.
    pub(in crate::analysis) fn of(view: &'v SourceView) -> Option<Code<'v>> {
        let rows = own_rows(view)?;
        let own = |counts: Vec<u64>| counts[..rows.len()].to_vec();
        Some(Code::counted(rows, view.counts(EXECUTED).map(own)?, view.counts(LANES).map(own)))
    }

    /// The code as it stands, each row as if it ran once; `None` where the report lacks its bits.
    pub(in crate::analysis) fn as_it_stands(view: &'v SourceView) -> Option<Code<'v>> {
        let rows = own_rows(view)?;
        Some(Code::counted(rows, vec![1; rows.len()], None))
    }

    /// The same without where values come from.
    pub(super) fn bare(rows: &'v [Instruction], executed: Vec<u64>, lanes: Option<Vec<u64>>) -> Code<'v> {
        let flow = ControlFlow::of(rows);
        let predecessors = flow.predecessors();
        let mut block_of = vec![0; rows.len()];
        flow.blocks.iter().enumerate().for_each(|(at, block)| block_of[block.instructions.clone()].fill(at));
        let ops = rows.iter().map(Instruction::op).collect();
        let (loops, flows) = Default::default();
        let mut code = Code { rows, ops, executed, lanes, flow, block_of, predecessors, loops, flows };
        code.loops = code.cycles();
        code
    }

    /// `E` of a block: the executions of its first row.
    pub(in crate::analysis) fn entries(&self, block: usize) -> u64 {
        self.executed[self.flow.blocks[block].instructions.start]
    }

    /// The row of the instruction at an offset.
    pub(in crate::analysis) fn row_at(&self, offset: u64) -> Option<usize> {
        self.rows.iter().position(|row| row.offset == offset)
    }

    pub(in crate::analysis) fn op(&self, row: usize) -> Op {
        self.ops[row]
    }

    /// The bits of a row; of one without them those of nothing.
    pub(in crate::analysis) fn word(&self, row: usize) -> MachineWord {
        self.rows[row].word.unwrap_or_default()
    }

    pub(in crate::analysis) fn registers(&self, row: usize) -> Registers {
        self.word(row).registers
    }

    /// Blocks of a set that hang together.
    pub(in crate::analysis) fn components(&self, blocks: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let (mut rest, mut found) = (blocks.clone(), Vec::new());
        while let Some(start) = rest.pop_first() {
            let near =
                |block: usize| self.flow.blocks[block].successors.iter().chain(&self.predecessors[block]).copied();
            let mut component = reached([start], |block| near(block).filter(|near| blocks.contains(near)));
            component.insert(start);
            rest = rest.difference(&component).copied().collect();
            found.push(component);
        }
        found
    }

    /// What a row does between warps.
    pub(in crate::analysis) fn sync(&self, row: usize) -> WarpSync {
        self.word(row).sync
    }

    /// The rows that are executed, in the order of the code.
    pub(in crate::analysis) fn run(&self) -> impl DoubleEndedIterator<Item = usize> + Clone + '_ {
        (0..self.rows.len()).filter(|row| self.executed[*row] > 0)
    }

    /// Those of a loop.
    pub(in crate::analysis) fn run_in(&self, cycle: &Loop) -> Vec<usize> {
        self.rows_of(&cycle.blocks).filter(|row| self.executed[*row] > 0).collect()
    }

    /// Executions of a row by lanes; by warps where lanes were not counted.
    pub(in crate::analysis) fn lanes_of(&self, row: usize) -> u64 {
        self.lanes.as_ref().unwrap_or(&self.executed)[row]
    }

    /// Executions of some rows.
    pub(in crate::analysis) fn sum<R: Borrow<usize>>(&self, rows: impl IntoIterator<Item = R>) -> u64 {
        rows.into_iter().map(|row| self.executed[*row.borrow()]).sum()
    }

    /// Rows of some blocks, in the order of the code.
    pub(in crate::analysis) fn rows_of<'b>(
        &'b self,
        blocks: impl IntoIterator<Item = &'b usize>,
    ) -> impl Iterator<Item = usize> {
        blocks.into_iter().flat_map(|block| self.flow.blocks[*block].instructions.clone())
    }

    /// Whether an executed row of this kind stands in a loop.
    pub(in crate::analysis) fn turns(&self, is_meant: impl Fn(Op) -> bool) -> bool {
        let mut rows = self.loops.iter().flat_map(|cycle| self.rows_of(&cycle.blocks));
        rows.any(|row| self.executed[row] > 0 && is_meant(self.op(row)))
    }

    pub(in crate::analysis) fn is_in(&self, row: usize, cycle: &Loop) -> bool {
        cycle.blocks.contains(&self.block_of[row])
    }

    /// The loops that a row is in.
    pub(in crate::analysis) fn around(&self, row: usize) -> impl Iterator<Item = &Loop> {
        self.loops.iter().filter(move |cycle| self.is_in(row, cycle))
    }

    pub(in crate::analysis) fn innermost(&self, row: usize) -> Option<&Loop> {
        self.around(row).min_by_key(|cycle| cycle.blocks.len())
    }

    /// Whether a row multiplies matrices.
    pub(in crate::analysis) fn is_tensor(&self, row: usize) -> bool {
        self.op(row).is_product()
    }

    pub(in crate::analysis) fn is_block_barrier(&self, row: usize) -> bool {
        matches!(self.sync(row), WarpSync::BlockBarrier { .. })
    }

    /// The question to an mbarrier whose answer a row takes as its guard, in the same block.
    pub(super) fn question_of(&self, row: usize) -> Option<usize> {
        let flags: Vec<Register> = self.registers(row).read().filter(|read| !read.is_value()).collect();
        let writes =
            |other: &usize| self.registers(*other).written().any(|own| flags.iter().any(|read| own.meets(read)));
        let start = self.flow.blocks[self.block_of[row]].instructions.start;
        (start..row).rev().find(writes).filter(|other| self.sync(*other) == WarpSync::MbarrierTest)
    }

    /// The functions that some blocks call, as blocks: a called function belongs to its caller.
    pub(in crate::analysis) fn called_by(&self, blocks: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut rest: Vec<usize> =
            self.flow.calls.iter().filter(|(from, _)| blocks.contains(from)).map(|(_, to)| *to).collect();
        while let Some(entry) = rest.pop() {
            if found.contains(&entry) || blocks.contains(&entry) {
                continue;
            }
            let body = self.flow.reach(entry, |_, _| true);
            rest.extend(self.flow.calls.iter().filter(|(from, _)| body.contains(from)).map(|(_, to)| *to));
            found.extend(body.difference(blocks));
        }
        found
    }

    /// Whether an executed call leads out of the section.
    pub(super) fn calls_out(&self) -> bool {
        let leads_on = |row: usize| self.flow.calls.iter().any(|(from, _)| *from == self.block_of[row]);
        self.run().any(|row| self.op(row).control() == Some(Control::Call) && !leads_on(row))
    }

    /// Rows of called functions that have no lines of their own and touch no memory: what the compiler puts aside for values that its short
    /// way to a quotient or a root does not serve, as zero and those near the ends of the range.
    pub(in crate::analysis) fn asides(&self) -> BTreeSet<usize> {
        let straight = self.flow.reach(0, |_, _| true);
        let body = |to: usize| {
            let own: Vec<usize> = self.rows_of(self.flow.reach(to, |_, _| true).difference(&straight)).collect();
            let is_aside = own
                .iter()
                .all(|row| self.op(*row).act().is_none() && self.rows[*row].line() == self.rows[own[0]].line());
            is_aside.then_some(own)
        };
        self.flow.calls.iter().filter_map(|(_, to)| body(*to)).flatten().collect()
    }

    /// Whether an edge closes a cycle: it leads to the header of a loop that holds its start.
    pub(in crate::analysis) fn is_back(&self, from: usize, to: usize) -> bool {
        self.loops.iter().any(|cycle| cycle.header == to && cycle.blocks.contains(&from))
    }

    /// Turns of a loop, in the mean of those who enter it; `None` where nobody counted these.
    pub(in crate::analysis) fn turns_of(&self, cycle: &Loop) -> Option<f64> {
        Some(self.entries(cycle.header) as f64 / self.entered(cycle)? as f64)
    }

    /// Whether a loop takes more than a turn; `None` where nobody counted who enters it.
    pub(in crate::analysis) fn repeats(&self, cycle: &Loop) -> Option<bool> {
        Some(self.entered(cycle)? < self.entries(cycle.header))
    }

    /// Executions that enter a loop: those of the blocks outside that lead to its header, by their last row, where each leads
    /// to nothing else that is executed; what the header executes beyond its back jumps otherwise.
    pub(in crate::analysis) fn entered(&self, cycle: &Loop) -> Option<u64> {
        let outside = || self.predecessors[cycle.header].iter().filter(|from| !cycle.blocks.contains(from));
        let certain = |from: &usize| {
            let block = &self.flow.blocks[*from];
            let others = block.successors.iter().filter(|to| **to != cycle.header);
            let last = self.executed[block.instructions.end - 1];
            let elsewhere: u64 = others.map(|to| self.way(*from, *to)).sum();
            last.saturating_sub(elsewhere)
        };
        let sum: u64 = outside().map(certain).sum();
        (sum > 0).then_some(sum)
    }

    /// Executions that go from a block to a successor: all of the successor's where nothing else leads there, else what the
    /// guard's lanes tell for a branch, in warps.
    pub(in crate::analysis) fn way(&self, from: usize, to: usize) -> u64 {
        if self.predecessors[to].len() == 1 {
            return self.entries(to);
        }
        let block = &self.flow.blocks[from];
        let last = block.instructions.end - 1;
        let all = self.executed[last];
        let [a, b] = block.successors[..] else { return all };
        let other = if a == to { b } else { a };
        if self.predecessors[other].len() == 1 {
            return all.saturating_sub(self.entries(other));
        }
        let is_target = self.rows[last]
            .word
            .and_then(|word| word.target)
            .is_some_and(|offset| offset == self.flow.blocks[to].start);
        let Some(lanes) = &self.lanes else { return 0 };
        let before = block.instructions.clone().rev().nth(1).map_or(all * 32, |row| lanes[row].max(lanes[last]));
        let taken =
            if before == 0 { 0 } else { (u128::from(all) * u128::from(lanes[last]) / u128::from(before)) as u64 };
        if is_target { taken.min(all) } else { all.saturating_sub(taken) }
    }

    fn cycles(&self) -> Vec<Loop> {
        let (natural, irreducible) = loops(&self.flow);
        let with_calls = |header: usize, blocks: BTreeSet<usize>| {
            let called = self.called_by(&blocks);
            Loop { header, blocks: blocks.into_iter().chain(called).collect() }
        };
        let mut found: BTreeMap<usize, Loop> = natural
            .into_iter()
            .map(|NaturalLoop { header, blocks, .. }| (header, with_calls(header, blocks.into_iter().collect())))
            .collect();
        for (_, to) in irreducible {
            let ahead = self.flow.reach(to, |_, _| true);
            let component: BTreeSet<usize> =
                ahead.into_iter().filter(|block| self.flow.reach(*block, |_, _| true).contains(&to)).collect();
            found.entry(to).or_insert_with(|| with_calls(to, component));
        }
        found.into_values().collect()
    }
}
