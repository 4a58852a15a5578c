//! Values that are looked at bit by bit: checksums, keys along a curve, shift registers.

use super::*;
use crate::evidence::{Arithmetic, OperandFrom};
use cuda_binary::op::{Class, Computes};

/// Instructions of the ALU for each bit up to which a table of several bits replaces them: a look-up of four bits takes a shift, a mask, an
/// address, the load and what it is joined with, and of more for each bit most are other work.
const OF_A_BIT: f64 = 16.0;

/// Tables of `LOP3` that keep the bits which two of its three operands share.
const AND: [u8; 3] = [0xC0, 0xA0, 0x88];

/// A shift that leaves the highest bit of a word, or spreads it over the word.
const TOP: u8 = 31;

/// The part of that work that tables of two bits leave.
const STAYS: f64 = 0.5;

/// Several bits at a time, by a table, where the ALU is what is busiest and its work, all of it by opcode, follows single bits.
pub(super) fn tables(m: &Measures<'_>, unit: &Unit, (most, all): (Vec<(Op, f64)>, f64)) -> Option<Draft> {
    let is_first = m.units.first().is_some_and(|first| first.part == unit.part);
    let study = m.study.filter(|_| is_first && unit.part == Part::ComputeAlu)?;
    let (code, executed) = (&study.code, m.executed()?);
    let is_single = |from: &OperandFrom| matches!(from, OperandFrom::Immediate(value) if value.is_power_of_two());
    let is_bit = |row: &usize| match code.rows[*row].word.unwrap_or_default().arithmetic {
        Arithmetic::Logic(table, operands) => {
            // A flag that was chosen by a predicate is no bit of a value.
            let mut is_flag =
                study.flows.operands_of(code, *row).map(|own| code.op(own).computes() == Some(Computes::Selected));
            AND.contains(&table) && operands.iter().any(|operand| is_single(&operand.from)) && !is_flag.all(|own| own)
        }
        Arithmetic::ShiftRight(_, by) => by == TOP,
        _ => false,
    };
    let tested = (0..code.rows.len()).filter(is_bit).max_by_key(|row| code.executed[*row])?;
    let bits: f64 = (0..code.rows.len()).filter(is_bit).map(|row| code.executed[row] as f64).sum();
    if OF_A_BIT * bits < all {
        return None;
    }
    let of_bits = |op: &Op| op.is_of(&[Class::Logic, Class::Integer, Class::IntegerCompare]);
    let own: f64 = most.iter().filter(|(op, _)| of_bits(op)).map(|(_, executed)| executed).sum();
    let (of_pipe, of_issue) = (own / all, own / executed);
    let draft = Draft::new(Action::FewerInstructions)
        .rewrites()
        .keeps(&[unit.part], 1.0 - (1.0 - STAYS) * of_pipe, 1.0 - of_pipe)
        .keeps(&[Part::Issue], 1.0 - (1.0 - STAYS) * of_issue, 1.0 - of_issue);
    let why = words!(
        "{} at {}; one in {} of its instructions takes a single bit of a value",
        &unit.name,
        share(unit.share),
        fixed(all / bits, 1)
    );
    let how = words!(
        "Several bits at a time: a table in shared memory of what 4 to 8 of them give, or operations on whole words"
    );
    let draft = draft.at(At::point(&point(study, tested))).says(how, why).risks("bank conflicts of the table");
    Some(
        draft.checks(words!("executed instructions {} → {}", count(executed), count(executed - STAYS * own)), EXECUTED),
    )
}
