//! The code of a walk, and what is known of the launch.

use super::step::Step;
use crate::analysis::sass::Listed;
use cuda_binary::flow::{ControlFlow, Dominators};
use cuda_binary::op::{Control, Sync};
use std::collections::BTreeSet;

/// The byte of the constant bank at which a kernel asks whether it was launched in clusters.
const CLUSTERED: u32 = 0x140;
/// The bits of an address that name the place in a block; those above name the block of the cluster.
pub(super) const PLACE_BITS: u32 = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::analysis::code) enum Walked {
    /// Every mbarrier that is used again went through so many phases or more.
    Kept(u64),
    Broken(String),
    /// What is not known.
    Open(String),
}

/// What is known of a launch.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) block: [u32; 3],
    pub(super) grid: Option<[u32; 3]>,
    pub(super) cluster: u32,
    /// Compute capability 10.0 and above keeps the launch elsewhere in the constant bank.
    pub(super) is_late: bool,
}

impl Launch {
    pub(super) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// A word of the constant bank: the sides of block and grid, and before 10.0 whether there are clusters, as nvcc 13.0 reads them.
    pub(super) fn bank(&self, byte: u32) -> Option<u32> {
        let (block, grid) = if self.is_late { (0x360, 0x370) } else { (0, 0xc) };
        let side = |from: u32| {
            (byte >= from && byte < from + 12 && byte.is_multiple_of(4)).then(|| (byte - from) as usize / 4)
        };
        if byte == CLUSTERED && !self.is_late {
            return Some(u32::from(self.cluster > 1));
        }
        side(block).map(|at| self.block[at]).or_else(|| Some(self.grid?[side(grid)?]))
    }
}

pub(super) struct Code<'l> {
    pub(super) listed: &'l Listed<'l>,
    pub(super) flow: &'l ControlFlow,
    pub(super) steps: Vec<Step<'l>>,
    pub(super) launch: &'l Launch,
    pub(super) dominators: Dominators,
}

impl Code<'_> {
    pub(super) fn place(&self, at: usize) -> String {
        let own = &self.listed.code[at];
        own.line_in(&self.listed.file).map_or_else(|| format!("0x{:x}", own.offset), |line| format!(":{line}"))
    }

    pub(super) fn is_barrier(&self, at: usize) -> bool {
        let sync = self.steps[at].op.sync();
        matches!(
            sync,
            Some(
                Sync::Block
                    | Sync::ClusterArrive
                    | Sync::ClusterWait
                    | Sync::Mbarrier
                    | Sync::Commit
                    | Sync::CopyArrive
            )
        )
    }

    pub(super) fn target(&self, at: usize) -> Option<usize> {
        let own = &self.listed.code[at];
        let offset = own.targets().first().copied().or(own.word.and_then(|word| word.target))?;
        self.listed.code.binary_search_by_key(&offset, |other| other.offset).ok()
    }

    /// Whether a barrier can come behind an instruction.
    pub(super) fn barrier_ahead(&self, at: usize) -> bool {
        let Some(block) = self.flow.block_of(at) else { return false };
        let own = self.flow.blocks[block].instructions.end;
        let ahead = self.flow.blocks[block].successors.iter().flat_map(|next| self.flow.reach(*next, |_, _| true));
        let rows = ahead
            .collect::<BTreeSet<usize>>()
            .into_iter()
            .flat_map(|block| self.flow.blocks[block].instructions.clone());
        (at + 1..own).chain(rows).any(|row| self.is_barrier(row))
    }

    /// Whether a block ends in a trap, its own or of what it calls.
    pub(super) fn traps(&self, block: usize) -> bool {
        let is_trap = |block: usize| {
            self.flow.blocks[block].instructions.clone().any(|row| self.steps[row].op.control() == Some(Control::Trap))
        };
        is_trap(block) || self.flow.calls.iter().any(|(from, to)| *from == block && is_trap(*to))
    }

    /// The blocks that one of two ways passes before both meet, with the instruction at which they do. Of a way that goes back to the
    /// head of a loop, those of the loop.
    pub(super) fn passed_by(&self, at: usize, ways: [usize; 2]) -> Option<(BTreeSet<usize>, usize)> {
        let from = self.flow.block_of(at)?;
        let is_ahead = |from: usize, to: usize| !self.dominators.retreats(from, to);
        let back = ways.iter().position(|to| !is_ahead(from, *to));
        let (skipped, meet) = match back {
            Some(back) => {
                let own = self.listed.loops.iter().find(|own| own.header == ways[back])?;
                (own.blocks.iter().copied().collect(), ways[1 - back])
            }
            None => {
                let [a, b] = self.flow.apart(ways, is_ahead);
                let own: BTreeSet<usize> = a.union(&b).copied().collect();
                let leave = own.iter().flat_map(|block| self.flow.blocks[*block].successors.clone());
                let meets: BTreeSet<usize> = leave.chain(ways).filter(|to| !own.contains(to)).collect();
                let [meet] = meets.into_iter().collect::<Vec<_>>()[..] else { return None };
                (own, meet)
            }
        };
        Some((skipped, self.flow.blocks[meet].instructions.start))
    }
}

/// An address as a page says it: its place in the block's shared memory.
pub(super) fn said(place: u32) -> String {
    format!("0x{:x} of block {}", place & ((1 << PLACE_BITS) - 1), place >> PLACE_BITS)
}
