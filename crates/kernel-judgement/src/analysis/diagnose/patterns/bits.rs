//! Values that are looked at bit by bit, or by fields of a few: checksums, keys along a curve, shift registers, packed symbols.

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

/// Bits of the largest field of which a word holds several.
const WIDEST_FIELD: u32 = 8;

/// What a word takes that is compared with as many copies of a value as it has fields, over what one field takes: which are equal, and how
/// many.
const OF_A_WORD: f64 = 2.0;

/// Several bits at a time, by a table or on whole words, where the ALU is what is busiest and its work, all of it by opcode, follows single
/// bits, or fields of a few that a mask leaves of a shifted word.
pub(super) fn tables(m: &Measures<'_>, unit: &Unit, (most, all): (Vec<(Op, f64)>, f64)) -> Option<Draft> {
    let is_first = m.units.first().is_some_and(|first| first.part == unit.part);
    let study = m.study.filter(|_| is_first && unit.part == Part::ComputeAlu)?;
    let (code, executed) = (&study.code, m.executed()?);
    let word = |row: usize| code.word(row).arithmetic;
    let made_of = |row: usize, computes: Computes| {
        let mut of = code.operands_of(row).map(|own| code.op(own).computes() == Some(computes)).peekable();
        of.peek().is_some() && of.all(|own| own)
    };
    // The bits that a mask leaves. A flag that was chosen by a predicate is no bit of a value, nor is a field anything but what was shifted.
    let left = |row: usize| {
        let Arithmetic::Logic(table, operands) = word(row) else { return None };
        let masks = operands.iter().filter_map(|own| match own.from {
            OperandFrom::Immediate(mask) if mask.is_power_of_two() => Some(1),
            OperandFrom::Immediate(mask) if mask & mask.wrapping_add(1) == 0 => Some(mask.count_ones()),
            _ => None,
        });
        masks.filter(|bits| AND.contains(&table) && (1..=WIDEST_FIELD).contains(bits)).min()
    };
    let is_bit = |row: usize| match word(row) {
        Arithmetic::ShiftRight(_, by) => by == TOP,
        _ => left(row) == Some(1) && !made_of(row, Computes::Selected),
    };
    // One of several in a word: what shifts it by a number of the code takes one and the same.
    let is_moved = |row: usize| word(row) == Arithmetic::Other && code.op(row).computes() == Some(Computes::Shift);
    let field = |row: usize| left(row).filter(|bits| *bits > 1 && code.operands_of(row).any(is_moved));
    let compared = |row: usize| {
        let is_equal = code.word(row).asks_for_equal();
        let is_own = code.op(row).computes() == Some(Computes::Compared) && is_equal;
        let of = code.operands_of(row).filter(|_| is_own);
        of.filter_map(field).max()
    };
    let rows = |is_own: &dyn Fn(usize) -> bool| -> Vec<usize> { code.run().filter(|row| is_own(*row)).collect() };
    let of_all = |rows: &[usize]| code.sum(rows) as f64;
    let bits = rows(&is_bit);
    let fields = rows(&|row| compared(row).is_some());
    let (tested, is_bits) = if of_all(&bits) >= of_all(&fields) { (bits, true) } else { (fields, false) };
    let most_tested = *tested.iter().max_by_key(|row| code.executed[**row])?;
    let tested = of_all(&tested);
    if OF_A_BIT * tested < all {
        return None;
    }
    let of_bits = |op: &Op| op.is_of(&[Class::Logic, Class::Integer, Class::IntegerCompare]);
    let own: f64 = most.iter().filter(|(op, _)| of_bits(op)).map(|(_, executed)| executed).sum();
    let (of_pipe, of_issue) = (own / all, own / executed);
    let (stays, what) = match compared(most_tested).filter(|_| !is_bits) {
        Some(bits) => {
            (OF_A_WORD * f64::from(bits) / f64::from(u32::BITS), words!("a field of {} bits", bits.to_string()))
        }
        None => (UNTOLD, "a single bit".into()),
    };
    let draft = Draft::new(Action::FewerInstructions)
        .rewrites()
        .keeps(&[unit.part], 1.0 - (1.0 - stays) * of_pipe, 1.0 - of_pipe)
        .keeps(&[Part::Issue], 1.0 - (1.0 - stays) * of_issue, 1.0 - of_issue)
        .frees_of(m, &OF_EACH, (1.0 - stays) * of_issue);
    let why = words!(
        "{} at {}; one in {} of its instructions takes {} of a value",
        &unit.name,
        share(unit.share),
        fixed(all / tested, 1),
        what
    );
    let (how, risk) = match is_bits {
        true => (
            "Several bits at a time: a table in shared memory of what 4 to 8 of them give, or operations on whole words",
            "bank conflicts of the table",
        ),
        false => (
            "Whole words at a time: xor with copies of the value, and a count of the bits of what is equal",
            "masks at the ends",
        ),
    };
    let draft = draft.at(At::row(study, most_tested)).says(how, why).risks(risk);
    Some(draft.falls("executed instructions", [executed, executed - (1.0 - stays) * own], EXECUTED))
}
