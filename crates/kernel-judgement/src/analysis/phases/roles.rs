//! Roles: how the warps of a block part, by the bits of the code and by its counts.

use super::dispatches::{Dispatch, RoleCode, dispatches_by};
use super::{branches::Branches, code::Code};
use std::collections::BTreeSet;

/// How the warps of a block part.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// The roles, in the order of their code, functions that they call included; one where all warps run the same.
    pub(super) roles: Vec<RoleCode>,
    pub(super) front: BTreeSet<usize>,
    /// Blocks behind the place where the roles meet.
    pub(super) behind: BTreeSet<usize>,
}

impl Split {
    /// The roles of a kernel whose grid has `grid` blocks: those that execute the most, where warps part in several places.
    pub(super) fn of(code: &Code<'_>, grid: u64) -> Split {
        let heads = code.loops.iter().map(|cycle| cycle.header).filter(|header| code.entries(*header) > 0);
        let heads: Vec<usize> = heads.collect();
        let executed = |dispatch: &Dispatch| -> u64 {
            dispatch.roles.iter().flat_map(|role| code.rows_of(&role.blocks)).map(|row| code.executed[row]).sum()
        };
        let found = dispatches_by(&heads, &Branches { code, grid });
        let Some(Dispatch { mut roles, mut behind, .. }) = found.into_iter().max_by_key(executed) else {
            let all = RoleCode { blocks: (0..code.flow.blocks.len()).collect(), ..RoleCode::default() };
            return Split { roles: vec![all], front: BTreeSet::new(), behind: BTreeSet::new() };
        };
        for role in &mut roles {
            role.blocks.extend(code.called_by(&role.blocks));
        }
        let owned: BTreeSet<usize> = roles.iter().flat_map(|role| &role.blocks).copied().collect();
        behind.retain(|block| !owned.contains(block));
        let is_front = |block: &usize| !owned.contains(block) && !behind.contains(block);
        let front = (0..code.flow.blocks.len()).filter(is_front).collect();
        Split { roles, front, behind }
    }

    /// Whether all warps run the same.
    pub(super) fn is_one(&self) -> bool {
        self.roles.len() == 1
    }
}
