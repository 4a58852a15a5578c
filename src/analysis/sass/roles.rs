//! Roles of warps: code that a choice by thread or warp number sends different warps to.

use super::listed::Listed;
use crate::evidence::Instruction;
use cuda_binary::flow::{ControlFlow, Dominators};
use cuda_binary::op::{Computes, Control};
use cuda_binary::{Class, Op};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RoleCode {
    /// Which warps: `warp 5`, `warp not 4, 5`, or the comparison as it stands where it is no plain number.
    pub who: String,
    /// Blocks that only this role runs, by position, in ascending order.
    pub blocks: Vec<usize>,
}

/// A place where warps part, and where they meet again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Dispatch {
    /// The block that decides first.
    pub block: usize,
    /// The first block that all roles reach; `None` where they never meet.
    pub meet: Option<usize>,
    /// The roles, in the order of their code.
    pub roles: Vec<RoleCode>,
}

/// Every place where warps part by their number into at least two roles, of which at least one has a loop that the other
/// does not run. A choice inside a role is a place of its own only when it parts its own code so again.
pub fn dispatches(listed: &Listed<'_>) -> Vec<Dispatch> {
    let Listed { code, flow, loops, .. } = listed;
    let dominators = Dominators::of(flow);
    let origins = Origins { code, flow, predecessors: flow.predecessors(), dominators: &dominators };
    let has_loop = |blocks: &[usize]| loops.iter().any(|found| blocks.binary_search(&found.header).is_ok());
    let mut found: Vec<Dispatch> = Vec::new();
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for block in (0..flow.blocks.len()).filter(|block| dominators.reaches(*block)) {
        if used.contains(&block) {
            continue;
        }
        let mut chain = BTreeSet::new();
        let Some(sides) = split(&origins, block, &[], &mut chain) else { continue };
        if sides.len() < 2 || sides.iter().filter(|side| has_loop(&side.blocks)).count() < 2 {
            continue;
        }
        let own: BTreeSet<usize> = sides.iter().flat_map(|side| side.blocks.iter().copied()).collect();
        let meet = flow.reach(block, |from, to| origins.is_ahead(from, to)).into_iter().find(|to| {
            !own.contains(to)
                && !chain.contains(to)
                && flow.blocks.iter().enumerate().any(|(from, b)| own.contains(&from) && b.successors.contains(to))
        });
        used.extend(&chain);
        let mut roles = sides;
        roles.sort_by_key(|role| role.blocks.first().copied());
        found.push(Dispatch { block, meet, roles });
    }
    found
}

/// The roles behind a choice by warp number, choices that follow at once flattened into it; `None` where the block makes
/// no such choice. `not` holds the numbers that were turned away before.
fn split(origins: &Origins<'_>, block: usize, not: &[String], chain: &mut BTreeSet<usize>) -> Option<Vec<RoleCode>> {
    let is_ahead = |from: usize, to: usize| origins.is_ahead(from, to);
    let successors = origins.flow.blocks[block].successors.iter().copied();
    let [a, b] = successors.filter(|to| is_ahead(block, *to)).collect::<Vec<_>>()[..] else { return None };
    let choice = origins.choice(block)?;
    let (taken, other) = if origins.target(block) == Some(a) { (a, b) } else { (b, a) };
    chain.insert(block);
    let mut roles = Vec::new();
    let [own_taken, own_other] = origins.flow.apart([taken, other], is_ahead);
    let is_equal = choice.taken_is_equal;
    for (start, own, is_equal) in [(taken, own_taken, is_equal), (other, own_other, !is_equal)] {
        let mut turned_away = not.to_vec();
        if !is_equal {
            turned_away.push(choice.number.clone());
        }
        let inner = if own.contains(&start) && !is_equal { split(origins, start, &turned_away, chain) } else { None };
        match inner {
            Some(inner) => roles.extend(inner.into_iter().filter(|role| own.contains(&role.blocks[0]))),
            None if own.is_empty() => {}
            None => {
                let who = match is_equal {
                    true => format!("{} {}", choice.of, choice.number),
                    false => format!("{} other than {}", choice.of, sorted(turned_away).join(", ")),
                };
                roles.push(RoleCode { who, blocks: own.into_iter().collect() });
            }
        }
    }
    Some(roles)
}

/// Numbers in ascending order.
fn sorted(mut numbers: Vec<String>) -> Vec<String> {
    numbers.sort_by_key(|number| number.parse::<u64>().unwrap_or(u64::MAX));
    numbers
}

/// A comparison of the thread's or the warp's number with a constant.
struct Choice {
    /// `warp`, `thread`, `warpgroup`.
    of: String,
    number: String,
    /// Whether the jump is taken where they are equal.
    taken_is_equal: bool,
}

/// Where values come from.
struct Origins<'a> {
    code: &'a [Instruction],
    flow: &'a ControlFlow,
    /// Blocks that lead to each block.
    predecessors: Vec<Vec<usize>>,
    dominators: &'a Dominators,
}

impl Origins<'_> {
    /// Whether an edge is no back jump.
    fn is_ahead(&self, from: usize, to: usize) -> bool {
        !self.dominators.retreats(from, to)
    }

    fn last(&self, block: usize) -> &Instruction {
        &self.code[self.flow.blocks[block].instructions.end - 1]
    }

    /// The block that the jump at the end of `block` names.
    fn target(&self, block: usize) -> Option<usize> {
        let offset = *self.last(block).targets().first()?;
        self.flow.blocks.iter().position(|b| b.start == offset)
    }

    fn choice(&self, block: usize) -> Option<Choice> {
        let jump = self.last(block);
        if jump.op().control() != Some(Control::Branch) {
            return None;
        }
        let operand = jump.operands().split(',').next().unwrap_or_default().trim();
        let (register, is_negated) = match jump.predicate() {
            Some(guard) => (guard.register.to_string(), guard.negated),
            None => (operand.trim_start_matches('!').to_owned(), operand.starts_with('!')),
        };
        let at = self.flow.blocks[block].instructions.end - 1;
        let compare = self.definition(&register, at)?;
        let test = &self.code[compare];
        if test.op().class() != Some(Class::IntegerCompare) {
            return None;
        }
        let is_equality = match test.modifiers().next()? {
            "EQ" => true,
            "NE" => false,
            _ => return None,
        };
        // `ISETP.NE.AND P0, PT, R2, 0x4, PT`: two results, two compared, one joined.
        let operands: Vec<&str> = test.operands().split(',').map(str::trim).collect();
        let [result, _, left, right, joined] = operands[..] else { return None };
        if !matches!(joined, "PT" | "UPT") || result != register {
            return None;
        }
        let number = match right {
            "RZ" | "URZ" => 0,
            hex => u64::from_str_radix(hex.strip_prefix("0x")?, 16).ok()?,
        };
        let shift = self.thread_shift(left, compare, 0)?;
        let of = match shift {
            0 => "thread",
            5 => "warp",
            7 => "warpgroup",
            _ => return None,
        };
        // The jump is taken where the predicate is true, or false when negated.
        Some(Choice { of: of.to_owned(), number: number.to_string(), taken_is_equal: is_equality != is_negated })
    }

    /// By how many bits a register is the thread's number shifted to the right; `None` where it is something else.
    fn thread_shift(&self, register: &str, before: usize, depth: usize) -> Option<u32> {
        let at = self.definition(register, before)?;
        let from = &self.code[at];
        let operands: Vec<&str> = from.operands().split(',').map(str::trim).collect();
        let source = |position: usize| {
            let name = operands.get(position)?;
            if depth < 8 { self.thread_shift(name, at, depth + 1) } else { None }
        };
        if *operands.get(1)? == "SR_TID.X" {
            return Some(0);
        }
        match from.op().computes() {
            Some(Computes::Copied | Computes::CopiedToWarp) => source(1),
            // A broadcast of one lane's value to the warp keeps the warp's number.
            Some(Computes::Exchanged) => source(2).filter(|shift| *shift >= 5),
            Some(Computes::Shift | Computes::ShiftOfWarp)
                if from.modifiers().any(|m| m == "R") && operands.get(1).is_some_and(|o| *o == "RZ" || *o == "URZ") =>
            {
                let shift = u32::from_str_radix(operands.get(2)?.strip_prefix("0x")?, 16).ok()?;
                Some(source(3)? + shift)
            }
            _ => None,
        }
    }

    /// The one instruction that defines a register for the instruction at `before`; `None` where several may.
    fn definition(&self, register: &str, before: usize) -> Option<usize> {
        let blocks = &self.flow.blocks;
        let (mut open, mut seen) = (vec![(self.flow.block_of(before)?, before)], BTreeSet::new());
        let mut found = BTreeSet::new();
        while let Some((block, end)) = open.pop() {
            match (blocks[block].instructions.start..end).rev().find(|at| defines(&self.code[*at], register)) {
                Some(at) => drop(found.insert(at)),
                // It comes with the call, or from nowhere.
                None if self.flow.entries.contains(&block) => return None,
                None => {
                    let before = self.predecessors[block].iter().filter(|from| seen.insert(**from));
                    open.extend(before.map(|from| (*from, blocks[*from].instructions.end)));
                }
            }
        }
        let only = found.pop_first().filter(|_| found.is_empty())?;
        self.code[only].predicate().is_none().then_some(only)
    }
}

/// Whether an instruction writes a register.
fn defines(instruction: &Instruction, register: &str) -> bool {
    let op = instruction.op();
    let has_two = op.class() == Some(Class::IntegerCompare) || op.is_shuffle() || op == Op::ELECT;
    let results = if has_two { 2 } else { 1 };
    instruction.operands().split(',').map(str::trim).take(results).any(|operand| operand == register)
}
