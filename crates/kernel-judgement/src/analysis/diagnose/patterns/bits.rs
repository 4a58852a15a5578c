//! Values that are looked at bit by bit, or by fields of a few: checksums, keys along a curve, shift registers, packed symbols, bytes.

use super::work::executed_on;
use super::*;
use crate::analysis::phases::reached;
use crate::evidence::{Arithmetic, Operand, OperandFrom};
use cuda_binary::op::{Class, Computes};
use std::collections::BTreeSet;

/// Instructions of the ALU for each bit up to which a table of several bits replaces them: a look-up of four bits takes a shift, a mask, an
/// address, the load and what it is joined with, and of more for each bit most are other work.
const OF_A_BIT: f64 = 16.0;

/// Tables of `LOP3` that keep the bits which two of its three operands share, or all of them.
pub(super) const AND: [u8; 4] = [0xC0, 0xA0, 0x88, 0x80];

/// A shift that leaves the highest bit of a word, or spreads it over the word.
const TOP: u8 = 31;

/// A shift that leaves the highest byte of a word.
const HIGHEST_BYTE: u8 = 24;

/// Bits of the largest field of which a word holds several.
const WIDEST_FIELD: u32 = 8;

/// What a word takes that is compared with as many copies of a value as it has fields, over what one field takes: which are equal, and how
/// many.
const OF_A_WORD: f64 = 2.0;

/// What arithmetic on four bytes of a word takes, over what it takes byte by byte.
const OF_FOUR: f64 = 1.0 / 4.0;

/// Operations on whole words for each bit from which a kernel works on words already, and takes its bits in front of them and behind.
const OF_WORDS: f64 = 2.0;

/// Whether logic joins words that nobody knows when the code is compiled.
fn is_of_words(code: &KernelCode<'_>, row: usize) -> bool {
    let Arithmetic::Logic(_, operands) = code.word(row).arithmetic else { return false };
    operands.iter().filter(|own| matches!(own.from, OperandFrom::Register(..))).count() > 1
        && operands.iter().all(|own| !matches!(own.from, OperandFrom::Immediate(bits) if bits != 0 && bits != u32::MAX))
}

/// The bits that a mask leaves of a value.
fn left(code: &KernelCode<'_>, row: usize) -> Option<u32> {
    let Arithmetic::Logic(table, operands) = code.word(row).arithmetic else { return None };
    let masks = operands.iter().filter_map(|own| match own.from {
        OperandFrom::Immediate(mask) if mask.is_power_of_two() => Some(1),
        OperandFrom::Immediate(mask) if mask & mask.wrapping_add(1) == 0 => Some(mask.count_ones()),
        _ => None,
    });
    masks.filter(|bits| AND.contains(&table) && (1..=WIDEST_FIELD).contains(bits)).min()
}

/// Several bits at a time, by a table or on whole words, where the ALU is what is busiest and its work, all of it by opcode, follows single
/// bits, or fields of a few that a mask leaves of a shifted word.
pub(super) fn tables(m: &Measures<'_>, unit: &Unit, (most, all): (Vec<(Op, f64)>, f64)) -> Option<Draft> {
    let is_first = m.units.first().is_some_and(|first| first.part == unit.part);
    let study = m.study.filter(|_| is_first && unit.part == Part::ComputeAlu)?;
    let (code, executed) = (&study.code, m.executed()?);
    let made_of = |row: usize, computes: Computes| {
        let mut of = code.operands_of(row).map(|own| code.op(own).computes() == Some(computes)).peekable();
        of.peek().is_some() && of.all(|own| own)
    };
    // A flag that was chosen by a predicate is no bit of a value, nor is a field anything but what was shifted.
    let is_bit = |row: usize| match code.word(row).arithmetic {
        Arithmetic::ShiftRight(_, by) => by == TOP,
        _ => left(code, row) == Some(1) && !made_of(row, Computes::Selected),
    };
    // One of several in a word: what shifts it by a number of the code takes one and the same.
    let is_moved =
        |row: usize| code.word(row).arithmetic == Arithmetic::Other && code.op(row).computes() == Some(Computes::Shift);
    let field = |row: usize| left(code, row).filter(|bits| *bits > 1 && code.operands_of(row).any(is_moved));
    let compared = |row: usize| {
        let is_equal = code.word(row).asks_for_equal();
        let is_own = code.op(row).computes() == Some(Computes::Compared) && is_equal;
        let of = code.operands_of(row).filter(|_| is_own);
        of.filter_map(field).max()
    };
    // What lanes vote for is a bit of each, which makes a word of them.
    let voted: BTreeSet<usize> = code
        .run()
        .filter(|row| code.op(*row).computes() == Some(Computes::Voted))
        .flat_map(|row| code.behind_row(row))
        .collect();
    let rows = |is_own: &dyn Fn(usize) -> bool| -> Vec<usize> {
        code.run().filter(|row| is_own(*row) && !voted.contains(row)).collect()
    };
    let of_all = |rows: &[usize]| code.sum(rows) as f64;
    let bits = rows(&is_bit);
    let fields = rows(&|row| compared(row).is_some());
    let (tested, is_bits) = if of_all(&bits) >= of_all(&fields) { (bits, true) } else { (fields, false) };
    let most_tested = *tested.iter().max_by_key(|row| code.executed[**row])?;
    let tested = of_all(&tested);
    let words = of_all(&rows(&|row| is_of_words(code, row)));
    if OF_A_BIT * tested < all || is_bits && words >= OF_WORDS * tested {
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

/// What takes single bytes of a word for arithmetic on integers, shifts first, and the arithmetic that is made of them. A byte beside which no
/// other of its word is taken is a letter, one that makes an address is an index, and one that is added to a product goes on in a chain.
fn bytes_and_arithmetic(code: &KernelCode<'_>) -> [Vec<usize>; 2] {
    let behind: BTreeSet<usize> = code.behind_any_address().into_iter().collect();
    let is_integer = |row: &usize| code.op(*row).is_of(&[Class::Integer]) && !behind.contains(row);
    let readers = code.readers();
    let is_byte = |row: &usize| {
        // The highest byte needs no mask.
        let is_highest = matches!(code.word(*row).arithmetic, Arithmetic::ShiftRight(_, HIGHEST_BYTE));
        let is_value = (is_highest || left(code, *row) == Some(WIDEST_FIELD)) && !behind.contains(row);
        let written = |own: &Operand| {
            let of = |register: Register| own.from == OperandFrom::Register(register.file, register.number);
            code.registers(*row).written().any(of)
        };
        let is_chained = |own: &usize| match code.word(*own).arithmetic {
            Arithmetic::MultiplyAdd([a, times, added]) => {
                times.from != OperandFrom::Immediate(1) && written(&added) && !written(&a) && !written(&times)
            }
            _ => false,
        };
        is_value && readers[*row].iter().any(is_integer) && !readers[*row].iter().any(is_chained)
    };
    let masked: BTreeSet<usize> = code.run().filter(is_byte).collect();
    let is_shift = |row: &usize| {
        let is_shift = code.op(*row).computes() == Some(Computes::Shift) && !readers[*row].is_empty();
        is_shift && readers[*row].iter().all(|own| masked.contains(own))
    };
    let shifts: Vec<usize> = code.run().filter(is_shift).collect();
    let blocks: BTreeSet<usize> = shifts.iter().map(|row| code.block_of[*row]).collect();
    let made = reached(masked.iter().copied(), |row| readers[row].iter().copied().filter(is_integer));
    let arithmetic = code.rows_of(&blocks).filter(|row| made.contains(row)).collect();
    [if shifts.is_empty() { shifts } else { shifts.into_iter().chain(masked).collect() }, arithmetic]
}

/// Four bytes an instruction where arithmetic takes them of a word one by one: what takes them goes, and of the arithmetic a quarter stays,
/// at best nothing.
pub(super) fn bytes(m: &Measures<'_>, unit: &Unit) -> Option<Draft> {
    let study = m.study.filter(|_| m.units.first().is_some_and(|first| first.part == unit.part))?;
    let code = &study.code;
    let both = bytes_and_arithmetic(code);
    let most = *both[0].iter().max_by_key(|row| code.executed[**row])?;
    let runs = m.runs(unit.part)?;
    let own = code.sum(both[0].iter().chain(&both[1]).filter(|row| runs(code.op(**row)))) as f64;
    if own < WORTH_A_TRY * executed_on(m, unit.part)? {
        return None;
    }
    let gone = |all: f64, is_own: &dyn Fn(Op) -> bool| {
        let is_own = |row: &usize| is_own(code.op(*row));
        let [taken, on_them] = both.each_ref().map(|rows| code.sum(rows.iter().filter(|row| is_own(row))) as f64);
        [OF_FOUR, 0.0].map(|stays| ((taken + (1.0 - stays) * on_them) / all).min(1.0))
    };
    let of_pipe = |part: Part| Some((part, gone(executed_on(m, part).filter(|all| *all > 0.0)?, &m.runs(part)?)));
    let (all, taken) = (m.executed()?, code.sum(&both[0]) as f64);
    let of_issue = gone(all, &|_| true);
    let parts = [Part::ComputeAlu, Part::ComputeFma].into_iter().filter_map(of_pipe);
    let draft = Draft::new(Action::FewerInstructions).rewrites().frees_of(m, &OF_EACH, of_issue[0]);
    let draft = parts
        .chain([(Part::Issue, of_issue)])
        .fold(draft, |draft, (part, [expected, most])| draft.keeps(&[part], 1.0 - expected, 1.0 - most));
    let why = words!(
        "{} at {}; {} of the instructions take single bytes of a word for arithmetic",
        &unit.name,
        share(unit.share),
        share(taken / all)
    );
    let how = words!(
        "Four bytes an instruction: `{}` for products and sums, `{}` for differences, sums of two in the halves of a word",
        "__dp4a",
        "__vabsdiffu4"
    );
    let draft = draft.at(At::row(study, most)).says(how, why).risks("sums that leave a byte or a half");
    Some(draft.falls("executed instructions", [all, all * (1.0 - of_issue[0])], EXECUTED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{ended, r, word};
    use crate::evidence::{MachineWord, RegisterFile};

    #[test]
    fn words_that_meet_words_are_no_single_bits() {
        let of = |number| OperandFrom::Register(RegisterFile::General, number).into();
        let joins = |third: Operand| {
            let arithmetic = Arithmetic::Logic(AND[0], [of(2), of(3), third]);
            let rows = ended(&[MachineWord { arithmetic, ..word(Op::LOP3, &[r(4)], &[r(2), r(3)]) }]);
            is_of_words(&KernelCode::counted(&rows, vec![1; rows.len()], None), 0)
        };
        assert!(joins(of(5)) && joins(Operand::default()), "words alone");
        assert!(!joins(OperandFrom::Immediate(0xEDB8_8320).into()), "a polynomial that the code knows");
    }

    #[test]
    fn bytes_of_a_word_for_arithmetic_are_no_letters_and_no_places_of_a_table() {
        let of = |number| OperandFrom::Register(RegisterFile::General, number).into();
        let operands = [of(2), OperandFrom::Immediate(255).into(), Operand::default()];
        let mask = MachineWord { arithmetic: Arithmetic::Logic(AND[0], operands), ..word(Op::LOP3, &[r(3)], &[r(2)]) };
        let shift = |from| word(Op::SHF, &[r(2)], &[r(from)]);
        let found = |words: &[MachineWord]| {
            let rows = ended(words);
            bytes_and_arithmetic(&KernelCode::counted(&rows, vec![1; rows.len()], None)).map(|rows| rows.len())
        };
        let square = word(Op::IMAD, &[r(4)], &[r(3), r(4)]);
        assert_eq!(found(&[shift(1), mask, square]), [2, 1]);
        assert_eq!(found(&[mask, square])[0], 0, "a letter");
        assert_eq!(found(&[shift(1), mask, word(Op::LDS, &[r(4)], &[r(3)]), square])[0], 0, "a place of a table");
    }
}
