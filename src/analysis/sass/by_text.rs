//! What the text of a listing tells of the warps that a branch parts.

use super::listed::Listed;
use super::roles::{Dispatch, Evidence, Made, OnWays, dispatches_by};
use crate::evidence::{Instruction, Register, RegisterFile};
use cuda_binary::op::{Computes, Control};
use cuda_binary::{Class, Op};
use std::collections::BTreeSet;

/// Every place of a listing where warps part into roles.
pub fn dispatches(listed: &Listed<'_>) -> Vec<Dispatch> {
    let heads: Vec<usize> = listed.loops.iter().map(|own| own.header).collect();
    dispatches_by(&listed.flow, &heads, listed)
}

impl Evidence for Listed<'_> {
    fn condition(&self, row: usize) -> Option<(Register, bool)> {
        let jump = &self.code[row];
        let operand = operands(jump).next().unwrap_or_default();
        let of_operand = named(operand.trim_start_matches('!')).map(|flag| (flag, operand.starts_with('!')));
        match jump.predicate() {
            _ if jump.op().control() != Some(Control::Branch) => None,
            None => of_operand,
            Some(guard) => Some((named(&guard.register)?, guard.negated)).filter(|_| of_operand.is_none()),
        }
    }

    fn definition(&self, row: usize, register: Register) -> Option<usize> {
        let blocks = &self.flow.blocks;
        let (mut open, mut seen) = (vec![(self.flow.block_of(row)?, row)], BTreeSet::new());
        let mut found = BTreeSet::new();
        while let Some((block, end)) = open.pop() {
            match (blocks[block].instructions.start..end).rev().find(|at| writes(&self.code[*at], register)) {
                Some(at) => drop(found.insert(at)),
                // It comes with the call, or from nowhere.
                None if self.flow.entries.contains(&block) => return None,
                None => {
                    let before = (0..blocks.len()).filter(|from| blocks[*from].successors.contains(&block));
                    open.extend(
                        before.filter(|from| seen.insert(*from)).map(|from| (from, blocks[from].instructions.end)),
                    );
                }
            }
        }
        let only = found.pop_first().filter(|_| found.is_empty())?;
        self.code[only].predicate().is_none().then_some(only)
    }

    fn made(&self, row: usize) -> Option<Made> {
        let own = &self.code[row];
        let operands: Vec<&str> = operands(own).collect();
        let value = |at: usize| named(operands.get(at)?);
        let has = |by: &str| own.modifiers().any(|modifier| modifier == by);
        if operands.get(1) == Some(&"SR_TID.X") {
            return Some(Made::Thread);
        }
        match own.op().computes() {
            Some(Computes::Copied | Computes::CopiedToWarp) => Some(Made::Same(value(1)?)),
            Some(Computes::Exchanged) => Some(Made::OfLane(value(2)?)),
            Some(Computes::Shift | Computes::ShiftOfWarp) if has("R") && number(operands.get(1)?) == Some(0) => {
                Some(Made::Shifted(value(3)?, number(operands.get(2)?)?))
            }
            _ if own.op().class() == Some(Class::IntegerCompare) && has("AND") => {
                // `ISETP.NE.AND P0, PT, R2, 0x4, PT`: two results, two compared, one joined.
                let [_, "PT" | "UPT", left, right, "PT" | "UPT"] = operands[..] else { return None };
                let orders = ["LT", "EQ", "LE", "GT", "NE", "GE"].iter().position(|order| has(order))?;
                Some(Made::Compared(named(left)?, orders as u8 + 1, number(right)?))
            }
            _ => None,
        }
    }

    fn counted(&self, _: usize, _: [usize; 2]) -> OnWays {
        OnWays::Nothing
    }
}

fn operands(instruction: &Instruction) -> impl Iterator<Item = &str> {
    instruction.operands().split(',').map(|operand| operand.trim().trim_end_matches(".reuse"))
}

/// A number as the listing spells it.
fn number(operand: &str) -> Option<u32> {
    match operand {
        "RZ" | "URZ" => Some(0),
        hex => u32::from_str_radix(hex.strip_prefix("0x")?, 16).ok(),
    }
}

/// The register of a name, `UR4`; `None` for those that hold a constant.
fn named(name: &str) -> Option<Register> {
    use RegisterFile::{General, Predicate, Uniform, UniformPredicate};
    let files = [("UR", Uniform), ("UP", UniformPredicate), ("R", General), ("P", Predicate)];
    files
        .into_iter()
        .find_map(|(prefix, file)| Some(Register { file, number: name.strip_prefix(prefix)?.parse().ok()?, count: 1 }))
}

/// Whether an instruction writes a register.
fn writes(instruction: &Instruction, register: Register) -> bool {
    let op = instruction.op();
    let has_two = op.class() == Some(Class::IntegerCompare) || op.is_shuffle() || op == Op::ELECT;
    operands(instruction).take(if has_two { 2 } else { 1 }).any(|operand| named(operand) == Some(register))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::SassFunction;
    use cuda_binary::sass::Text;

    /// Code without bits in which warps part by `compare` of the thread's number, each side with a loop, and in front of the second one a
    /// guarded jump past both.
    fn parted(compare: &str) -> SassFunction {
        let text = "S2R R0, SR_TID.X|ISETP P0, PT, R0|@P0 BRA 0x60|FADD R1|@P1 BRA 0x30|BRA 0x90|FMUL R1|@P1 BRA 0x60|BRA 0x90|EXIT";
        let text = text.replace("ISETP P0, PT, R0", compare);
        let row = |(at, line): (usize, &str)| {
            let (predicate, rest) = line.strip_prefix('@').and_then(|rest| rest.split_once(' ')).unzip();
            let (opcode, operands) = rest.unwrap_or(line).split_once(' ').unwrap_or((line, ""));
            let guard = |register: &str| cuda_binary::sass::Predicate { register: register.into(), negated: false };
            let target = number(operands).filter(|_| opcode == "BRA");
            let text = Text {
                predicate: predicate.map(guard),
                operands: operands.into(),
                targets: target.into_iter().map(u64::from).collect(),
            };
            let text = Some(Box::new(text));
            Instruction { offset: 16 * at as u64, opcode: Some(opcode.into()), text, ..Instruction::default() }
        };
        SassFunction { instructions: text.split('|').enumerate().map(row).collect(), ..SassFunction::default() }
    }

    #[test]
    fn whole_warps_part_by_any_order_and_lanes_do_not() {
        let who = |compare: &str| -> Vec<String> {
            let function = parted(compare);
            let roles = dispatches(&Listed::of(&function)).into_iter().flat_map(|one| one.roles);
            roles.map(|role| role.who.unwrap().to_string()).collect()
        };
        assert_eq!(who("ISETP.GE.U32.AND P0, PT, R0, 0x80, PT"), ["warps 0–3", "warp other than 0–3"]);
        assert_eq!(who("ISETP.LT.AND P0, PT, R0, 0x20, PT"), ["warp other than 0", "warp 0"]);
        // One thread, half a warp, warps that no block has, and a condition joined with another one.
        for compare in ["NE.AND P0, PT, R0, RZ, PT", "LT.AND P0, PT, R0, 0x10, PT"] {
            assert!(who(&format!("ISETP.{compare}")).is_empty(), "{compare}");
        }
        for compare in ["LT.AND P0, PT, R0, 0x400, PT", "LT.AND P0, PT, R0, 0x20, P1"] {
            assert!(who(&format!("ISETP.{compare}")).is_empty(), "{compare}");
        }
    }
}
