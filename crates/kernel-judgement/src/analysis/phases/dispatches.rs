//! Roles of warps: code that a branch by the number of the warp sends different warps to, of a launch as of a listing.
//!
//! The bits of a condition say which warps go which way; counts say that whole warps do, and on which ways none goes. What neither
//! tells is no role.

use super::branches::{Branches, Made, OnWays};
use super::{code::Code, warps::Warps};
use crate::analysis::sass::Listed;
use cuda_binary::flow::Dominators;
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleCode {
    /// Which warps of a block, where the code says it.
    pub who: Option<Warps>,
    /// How many warps of a block, where they were counted.
    pub(in crate::analysis) counted: Option<u64>,
    /// Blocks that only this role runs, by position.
    pub blocks: BTreeSet<usize>,
}

/// A place where warps part, and where they meet again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dispatch {
    /// The block that decides first.
    pub(crate) block: usize,
    /// The roles, in the order of their code.
    pub roles: Vec<RoleCode>,
    /// Blocks behind the place where roles meet.
    pub(in crate::analysis) behind: BTreeSet<usize>,
    /// The first block that a role leads to and that is no role's; `None` where they never meet.
    pub meet: Option<usize>,
}

/// Moves that are followed from a comparison back to the number of the thread.
const LONGEST: usize = 8;

/// Every place of a listing where warps part into roles; none where it has no bits.
pub fn dispatches(listed: &Listed<'_>) -> Vec<Dispatch> {
    if listed.code.iter().any(|own| own.word.is_none()) {
        return Vec::new();
    }
    let code = Code::counted(listed.code, vec![1; listed.code.len()], None);
    let heads: Vec<usize> = listed.loops.iter().map(|own| own.header).collect();
    dispatches_by(&heads, &Branches { code: &code, grid: 0 })
}

/// Every place where warps part into at least two roles that each have a loop of their own. Choices that follow at once, and those
/// inside a role that part its code so again, belong to it. `heads` are the headers of the loops that run.
pub(super) fn dispatches_by(heads: &[usize], by: &Branches<'_, '_>) -> Vec<Dispatch> {
    let flow = &by.code.flow;
    let finder = Finder { heads, by, dominators: Dominators::of(flow) };
    let mut rest: BTreeSet<usize> = (0..flow.blocks.len()).filter(|block| finder.dominators.reaches(*block)).collect();
    let mut found = Vec::new();
    while let Some((block, roles)) = finder.part(&rest) {
        let dispatch = finder.dispatch(block, roles);
        rest.retain(|other| *other > block && dispatch.roles.iter().all(|role| !role.blocks.contains(other)));
        found.push(dispatch);
    }
    found
}

struct Finder<'a, 'v> {
    heads: &'a [usize],
    by: &'a Branches<'a, 'v>,
    dominators: Dominators,
}

impl Finder<'_, '_> {
    /// Whether an edge is no back jump.
    fn is_ahead(&self, from: usize, to: usize) -> bool {
        !self.dominators.retreats(from, to)
    }

    /// The first block of a region that parts warps, with the roles behind it.
    fn part(&self, region: &BTreeSet<usize>) -> Option<(usize, Vec<RoleCode>)> {
        let has_loop = |role: &&RoleCode| self.heads.iter().any(|head| role.blocks.contains(head));
        let (block, roles) = region.iter().find_map(|block| {
            let roles = within(self.sides(*block)?, region, None);
            (roles.iter().filter(has_loop).count() > 1).then_some((*block, roles))
        })?;
        // A choice that all warps of a role make alike parts none of them.
        let parts = |inner: &Vec<RoleCode>| inner.iter().all(|own| own.who.is_none_or(|who| !who.is_empty()));
        let inner = |role: RoleCode| {
            let inner = self.part(&role.blocks).map(|(_, inner)| within(inner, &role.blocks, role.who));
            inner.filter(parts).unwrap_or_else(|| vec![role])
        };
        Some((block, roles.into_iter().flat_map(inner).collect()))
    }

    /// The two sides of a branch between warps, each with code of its own; a side that begins with such a branch gives its sides.
    fn sides(&self, block: usize) -> Option<Vec<RoleCode>> {
        let ahead = self.by.code.flow.blocks[block].successors.iter().copied().filter(|to| self.is_ahead(block, *to));
        let ways: [usize; 2] = ahead.collect::<Vec<_>>().try_into().ok()?;
        let choices = self.choices(block, ways)?;
        let own = self.by.code.flow.apart(ways, |from, to| self.is_ahead(from, to));
        if own.iter().any(BTreeSet::is_empty) {
            return None;
        }
        let sides = ways.into_iter().zip(choices).zip(own).flat_map(|((start, (who, counted)), blocks)| {
            match self.sides(start).filter(|_| blocks.contains(&start)) {
                Some(inner) => within(inner, &blocks, who),
                None => vec![RoleCode { who, counted, blocks }],
            }
        });
        Some(sides.collect())
    }

    /// The warps that go each way of a branch, as the code says, and as they were counted; `None` where it does not part warps.
    fn choices(&self, block: usize, ways: [usize; 2]) -> Option<[(Option<Warps>, Option<u64>); 2]> {
        let counted = self.by.counted(block, ways);
        if counted == OnWays::Unused {
            return None;
        }
        let row = self.by.code.flow.blocks[block].instructions.end - 1;
        // The block behind it runs where the branch is not taken.
        let who = self.taken_by(row);
        let who = who.map(|taken| ways.map(|way| Some(if way == block + 1 { taken.others() } else { taken })));
        let counts = match counted {
            OnWays::Warps(counts) => Some(counts.map(Some)),
            _ => None,
        };
        let ([a, b], [c, d]) = (who.or(counts.map(|_| [None; 2]))?, counts.unwrap_or_default());
        Some([(a, c), (b, d)])
    }

    /// The warps that take a branch, where its condition is a comparison of the thread's number that no warp is of two minds about.
    fn taken_by(&self, row: usize) -> Option<Warps> {
        let (condition, is_negated) = self.by.condition(row)?;
        let compare = self.by.definition(row, condition)?;
        let Some(Made::Compared(mut value, orders, number)) = self.by.made(compare) else { return None };
        let (mut at, mut shift, mut of_lane) = (compare, 0, false);
        for _ in 0..LONGEST {
            at = self.by.definition(at, value)?;
            (value, shift) = match self.by.made(at)? {
                Made::Same(from) => (from, shift),
                Made::Shifted(from, by) => (from, shift + by),
                Made::OfLane(from) => {
                    of_lane = true;
                    (from, shift)
                }
                // What a lane hands to the others is theirs as well only where it is the warp's.
                Made::Thread if of_lane && shift < Warps::BITS_OF_LANES => return None,
                Made::Thread => {
                    return Warps::where_threads(|thread| {
                        let order = (thread >> shift).cmp(&number) as i8 + 1;
                        (orders >> order & 1 == 1) != is_negated
                    });
                }
                Made::Compared(..) => return None,
            };
        }
        None
    }

    fn dispatch(&self, block: usize, mut roles: Vec<RoleCode>) -> Dispatch {
        roles.sort_by_key(|role| role.blocks.first().copied());
        let owned: BTreeSet<usize> = roles.iter().flat_map(|role| &role.blocks).copied().collect();
        let next =
            |from: &usize| self.by.code.flow.blocks[*from].successors.iter().map(|to| (*from, *to)).collect::<Vec<_>>();
        let leaves = |(from, to): &(usize, usize)| self.is_ahead(*from, *to) && !owned.contains(to);
        let meets: BTreeSet<usize> = owned.iter().flat_map(next).filter(leaves).map(|(_, to)| to).collect();
        let reach = |from: &usize| self.by.code.flow.reach(*from, |from, to| self.is_ahead(from, to));
        let behind = meets.iter().flat_map(reach).filter(|block| !owned.contains(block)).collect();
        Dispatch { block, meet: meets.first().copied(), behind, roles }
    }
}

/// What some roles have in a region that only some warps run.
fn within(mut roles: Vec<RoleCode>, region: &BTreeSet<usize>, warps: Option<Warps>) -> Vec<RoleCode> {
    for role in &mut roles {
        role.blocks.retain(|block| region.contains(block));
        role.who = role.who.zip(warps).map(|(own, outer)| own.and(outer)).or(role.who);
    }
    roles.retain(|role| !role.blocks.is_empty());
    roles
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Instruction, SassFunction};
    use cuda_binary::Op;
    use cuda_binary::sass::{Flow, MachineWord, decode};

    /// Code in which warps part by a comparison of the thread's number with `number`, each side with a loop, and in front of the second
    /// one a guarded jump past both. The words are those of `S2R R7, SR_TID.X` and `ISETP.GE.U32.AND P0, PT, R7, 0x10, PT`, with
    /// another order in bits 76 to 78 and another number.
    fn parted(order: u128, number: u128) -> SassFunction {
        const COMPARE: u128 = 0x041f_e200_03f0_0070 << 64 | 0x0700_780c;
        let jump = |guard: Option<u128>, target| {
            let flow = Flow::Jump { conditional: guard.is_some() };
            let bits = 0x947 | guard.unwrap_or(7) << 12 | 7 << 87;
            MachineWord { op: Op::BRA, bits, flow, target: Some(target), ..MachineWord::default() }
        };
        let plain = MachineWord { op: Op::FADD, is_unconditional: true, ..MachineWord::default() };
        let words = [
            decode(0x000e_2e00_0000_2100 << 64 | 0x0007_7919, 0, (9, 0)),
            decode(COMPARE | order << 76 | number << 32, 16, (9, 0)),
            jump(Some(0), 0x60),
            plain,
            jump(Some(1), 0x30),
            jump(None, 0x90),
            plain,
            jump(Some(1), 0x60),
            jump(None, 0x90),
            MachineWord { op: Op::EXIT, flow: Flow::End { conditional: false }, ..plain },
        ];
        let row = |(at, word): (usize, MachineWord)| Instruction {
            offset: 16 * at as u64,
            word: Some(word),
            ..Instruction::default()
        };
        SassFunction { instructions: words.into_iter().enumerate().map(row).collect(), ..SassFunction::default() }
    }

    #[test]
    fn whole_warps_part_by_any_order_and_lanes_do_not() {
        let who = |order, number| -> Vec<String> {
            let function = parted(order, number);
            let roles = dispatches(&Listed::of(&function)).into_iter().flat_map(|one| one.roles);
            roles.map(|role| role.who.unwrap().to_string()).collect()
        };
        let (less, differs, at_least) = (1, 5, 6);
        assert_eq!(who(at_least, 0x80), ["warps 0–3", "warp other than 0–3"]);
        assert_eq!(who(less, 0x20), ["warp other than 0", "warp 0"]);
        // One thread, half a warp, and warps that no block has.
        for (order, number) in [(differs, 0), (less, 0x10), (less, 0x400)] {
            assert!(who(order, number).is_empty(), "{order} {number}");
        }
    }
}
