//! Roles: where the control flow parts the warps of a block until they meet again.

use super::code::Code;
use super::flows::Flows;
use std::collections::BTreeSet;

/// The code of one role.
#[derive(Clone, Debug)]
pub(super) struct RoleBlocks {
    /// Blocks that only this role runs, functions that it calls included.
    pub(super) blocks: BTreeSet<usize>,
    /// `w`: warps of a block that run it.
    pub(super) warps: u64,
}

/// How the warps of a block part.
#[derive(Clone, Debug, Default)]
pub(super) struct Split {
    /// The roles, in the order of their code; empty where all warps run the same.
    pub(super) roles: Vec<RoleBlocks>,
    /// Blocks in front of the split.
    pub(super) front: BTreeSet<usize>,
    /// Blocks behind the place where the roles meet.
    pub(super) behind: BTreeSet<usize>,
}

impl Split {
    /// The roles of a kernel whose grid has `grid` blocks. A branch parts warps if it depends on the number of the thread and
    /// stands in no loop, the executions on both ways are a whole number of warps for each block of the grid, and both ways have a
    /// loop of their own.
    pub(super) fn of(code: &Code<'_>, flows: &Flows, grid: u64) -> Split {
        let all: BTreeSet<usize> = (0..code.flow.blocks.len()).collect();
        let mut split = Split::default();
        split.part(code, flows, grid, &all);
        for role in &mut split.roles {
            let called = code.called_by(&role.blocks);
            role.blocks.extend(called);
        }
        split.roles.sort_by_key(|role| role.blocks.first().copied());
        let owned: BTreeSet<usize> = split.roles.iter().flat_map(|role| &role.blocks).copied().collect();
        split.front.retain(|block| !owned.contains(block));
        split.behind.retain(|block| !owned.contains(block));
        split
    }

    /// Parts the blocks of a region; `false` where no branch in it does.
    fn part(&mut self, code: &Code<'_>, flows: &Flows, grid: u64, region: &BTreeSet<usize>) -> bool {
        let found = region.iter().find_map(|block| Some((*block, sides(code, flows, grid, *block)?)));
        let Some((block, sides)) = found else { return false };
        let owned: BTreeSet<usize> = sides.iter().flat_map(|side| &side.blocks).copied().collect();
        let ahead = code.flow.reach(block, |_, _| true);
        for other in region.difference(&owned) {
            let set = if ahead.contains(other) && *other != block { &mut self.behind } else { &mut self.front };
            set.insert(*other);
        }
        for side in sides {
            let inner = side.blocks.clone();
            if !self.part(code, flows, grid, &inner) {
                self.roles.push(side);
            }
        }
        true
    }
}

/// The two ways of a branch that parts warps.
fn sides(code: &Code<'_>, flows: &Flows, grid: u64, block: usize) -> Option<[RoleBlocks; 2]> {
    let [a, b] = code.flow.blocks[block].successors[..] else { return None };
    let all = code.executed[code.flow.blocks[block].instructions.end - 1];
    if grid == 0 || all == 0 || code.loops.iter().any(|cycle| cycle.blocks.contains(&block)) {
        return None;
    }
    let warps = |to: usize| {
        let ways = code.way(block, to);
        (ways > 0 && ways.is_multiple_of(grid)).then_some(ways / grid)
    };
    let (warps_a, warps_b) = (warps(a)?, warps(b)?);
    if (warps_a + warps_b) * grid != all {
        return None;
    }
    let origin = flows.origin_of_guard(code, code.flow.blocks[block].instructions.end - 1);
    if !origin.thread && !origin.unknown {
        return None;
    }
    let [own_a, own_b] = code.flow.apart([a, b], |_, _| true);
    let has_loop = |blocks: &BTreeSet<usize>| {
        code.loops.iter().any(|cycle| blocks.contains(&cycle.header) && code.entries(cycle.header) > 0)
    };
    (has_loop(&own_a) && has_loop(&own_b))
        .then_some([RoleBlocks { blocks: own_a, warps: warps_a }, RoleBlocks { blocks: own_b, warps: warps_b }])
}
