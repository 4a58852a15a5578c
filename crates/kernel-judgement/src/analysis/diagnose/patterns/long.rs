//! Integers of several words: those of 64 bits that are divided by constants, which in 32 bits take one product, and carries that comparisons
//! find.

use super::*;
use cuda_binary::op::Computes;
use std::collections::BTreeSet;

/// What a quotient of 64 bits by a constant takes beyond one of 32: of four wide products three, their two carries with two sums and a
/// move, and the upper halves of shift and sign. nvcc 12 and 13 make it so for sm_80 to sm_120.
const BEYOND: f64 = 8.0;

/// Instructions that go at most for each that is counted here: a product or a move of an upper half has no carry to be known by.
const AT_MOST: f64 = 2.0;

/// Whether an instruction takes a carry: a predicate that is no guard, which is the first that it reads where it has one.
fn takes_carry(code: &KernelCode<'_>, row: usize) -> bool {
    let guard = usize::from(!code.word(row).is_unconditional);
    let is_flag = |own: Register| own.count > 0 && own.file == RegisterFile::Predicate;
    code.op(row).is_of(&[Class::Integer]) && code.registers(row).read().skip(guard).any(is_flag)
}

/// The upper product of a quotient: two words wide, by a number in the code, with the carry of the products below.
fn is_quotient(code: &KernelCode<'_>, row: usize) -> bool {
    let is_wide = code.registers(row).written().any(|own| own.file == RegisterFile::General && own.count == 2);
    let is_product = code.op(row).computes() == Some(Computes::MultiplyAdd) && code.word(row).literal().is_some();
    is_product && is_wide && takes_carry(code, row)
}

/// What divides: upper products by a number whose halves no logic joins, as a hash does, and the other instructions that take a carry and
/// make no address.
fn quotients_and_sums(code: &KernelCode<'_>) -> [BTreeSet<usize>; 2] {
    let joined: BTreeSet<usize> = code
        .run()
        .filter(|row| code.op(*row).computes() == Some(Computes::Logic))
        .flat_map(|row| code.operands_of(row))
        .collect();
    let of_addresses: BTreeSet<usize> = code.behind_any_address().into_iter().collect();
    let (quotients, others): (BTreeSet<usize>, BTreeSet<usize>) =
        code.run().filter(|row| takes_carry(code, *row)).partition(|row| is_quotient(code, *row));
    [quotients.difference(&joined).copied().collect(), others.difference(&of_addresses).copied().collect()]
}

/// Whether a quotient is taken of what an earlier one left: of a product of its remainder, which is none of those that divide.
fn is_of_remainder(code: &KernelCode<'_>, row: usize, quotients: &BTreeSet<usize>) -> bool {
    let carry = code.operands_of(row).filter(|from| code.registers(*from).written().any(|own| !own.is_value()));
    let divides: Vec<u32> =
        carry.flat_map(|from| code.operands_of(from)).filter_map(|from| code.word(from).literal()).collect();
    let is_other = |from: &usize| {
        let by = code.word(*from).literal().filter(|_| code.op(*from).computes() == Some(Computes::MultiplyAdd));
        by.is_some_and(|by| !divides.contains(&by)) && !code.behind_row(*from).is_disjoint(quotients)
    };
    code.behind_row(row).iter().any(is_other)
}

/// Numbers of 32 bits where the values fit: of each quotient one product stays, and of each sum the lower half. What is multiplied and
/// divided again in turn needs 64 bits, and goes as far where it is divided once.
pub(super) fn long(m: &Measures<'_>) -> Option<Draft> {
    let code = &m.sampled_code()?.code;
    let [quotients, sums] = quotients_and_sums(code);
    let at = At::heaviest(m, |study, row| if quotients.contains(&row) { study.code.executed[row] } else { 0 });
    let of_remainders = code.sum(quotients.iter().filter(|row| is_of_remainder(code, **row, &quotients))) as f64;
    let [quotients, sums] = [&quotients, &sums].map(|rows| code.sum(rows) as f64);
    let all = m.executed()?;
    let gone = Some((BEYOND * quotients + sums) / all).filter(|_| BEYOND * quotients >= WORTH_A_TRY * all)?;
    let least = (1.0 - AT_MOST * gone).max(0.0);
    let draft = Draft::new(Action::FewerInstructions).rewrites().frees_of(m, &OF_EACH, gone);
    let parts = [Part::Issue, Part::ComputeAlu, Part::ComputeFma];
    let draft = draft.keeps(&parts, (1.0 - gone).max(0.0), least).at(at);
    let (how, risk) = match of_remainders > MOST * quotients {
        true => (
            words!(
                "Divide less often: one sum of products by powers from a table; or Montgomery's form (`{}`)",
                "__umulhi"
            ),
            "room for the sum in 64 bits",
        ),
        false => (
            words!(
                "Integers of 32 bits where the values fit: a division by a constant is one product then, in place of four"
            ),
            "the range of the values",
        ),
    };
    let why = words!(
        "{} divisions of 64-bit integers by constants, about {} of the instructions",
        count(quotients),
        share(gone)
    );
    let draft = draft.says(how, why).risks(risk);
    Some(draft.falls("executed instructions", [all, all * (1.0 - gone)], EXECUTED))
}

/// What goes with a comparison that finds a carry, and at most: itself, the sum with one, and what chooses between the two; of a product the
/// upper half that is made a second time. By the code of both ways, a sum of 512 bits does without 1.5, a product of 256 bits without 3.6.
const OF_A_CARRY: [f64; 2] = [2.0, 4.0];

/// Unsigned comparisons of a sum, or of a product that was added to something, with what went into it.
fn carries(code: &KernelCode<'_>) -> Vec<usize> {
    let is_tested = |row: usize| {
        let mut branches = code.run().filter(|own| code.op(*own).control().is_some());
        branches.any(|own| code.operands_of(own).any(|from| from == row))
    };
    let is_carry = |row: &usize| {
        let is_asked = code.op(*row).computes() == Some(Computes::Compared) && code.word(*row).orders_unsigned();
        is_asked && code.compares_with_part(*row) && !is_tested(*row)
    };
    code.run().filter(is_carry).collect()
}

/// Carries from one word to the next by the chip's own flag.
pub(super) fn carried(m: &Measures<'_>) -> Option<Draft> {
    let code = &m.sampled_code()?.code;
    let found = carries(code);
    let at = At::heaviest(m, |study, row| if found.contains(&row) { study.code.executed[row] } else { 0 });
    let (all, own) = (m.executed()?, code.sum(&found) as f64);
    let [gone, most] = OF_A_CARRY.map(|each| (each * own / all).min(1.0));
    if gone < WORTH_A_TRY {
        return None;
    }
    let draft = Draft::new(Action::FewerInstructions).rewrites().frees_of(m, &OF_EACH, gone);
    let draft = draft.keeps(&[Part::Issue, Part::ComputeAlu, Part::ComputeFma], 1.0 - gone, 1.0 - most).at(at);
    let how =
        "Let the chip carry: sums and products of 64 bits, whose upper half goes on, or `add.cc`, `addc` and `madc`";
    let why = words!(
        "{} comparisons of a sum with what went into it find a carry, {} of the instructions",
        count(own),
        share(own / all)
    );
    let draft = draft.says(how, why).risks("inline assembly, if the compiler makes comparisons of it again");
    Some(draft.falls("executed instructions", [all, all * (1.0 - gone)], EXECUTED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, word};
    use crate::evidence::{Arithmetic, MachineWord, Operand, OperandFrom};

    /// An upper product by a number in the code, a sum with a carry, and what takes the product.
    fn of(number: u128, taken: Op) -> [usize; 2] {
        let pair = Register { count: 2, ..r(4) };
        let product = MachineWord { bits: number, ..word(Op::IMAD, &[pair], &[r(2), P]) };
        let rows = ended(&[product, word(Op::IADD3, &[r(6)], &[r(3), P]), word(taken, &[r(7)], &[r(5)])]);
        let code = KernelCode::counted(&rows, vec![1; rows.len()], None);
        quotients_and_sums(&code).map(|rows| rows.len())
    }

    /// Whether a sum of R2 and R3 is compared with what went into it, or something that is made in its place.
    fn finds_carry(between: &[MachineWord], other: Register) -> bool {
        let own = |number| OperandFrom::Register(RegisterFile::General, number).into();
        let sum = MachineWord {
            arithmetic: Arithmetic::Sum([own(2), own(3), Operand::default()]),
            ..word(Op::IADD3, &[r(4)], &[r(2), r(3)])
        };
        // `.GE` without a sign: bits 76 to 78 are 6.
        let asks = MachineWord { bits: 6 << 76, ..word(Op::ISETP, &[P], &[r(4), other]) };
        let rows = ended(&[&[word(Op::MOV, &[r(2)], &[]), sum][..], between, &[asks]].concat());
        !carries(&KernelCode::counted(&rows, vec![1; rows.len()], None)).is_empty()
    }

    #[test]
    fn what_is_multiplied_and_divided_in_turn_is_divided_of_a_remainder() {
        let of = |by: u128| {
            let product = |write: Register, reads: &[Register], by: u128| MachineWord {
                bits: 4 << 9 | by << 32,
                ..word(Op::IMAD, &[write], reads)
            };
            let low = [product(r(3), &[r(2)], 7), word(Op::IADD3, &[P], &[r(3)])];
            let quotient = product(Register { count: 2, ..r(4) }, &[r(2), P], 7);
            let rows = ended(&[&low[..], &[quotient, product(r(2), &[r(4)], by), back(0)]].concat());
            let code = KernelCode::counted(&rows, vec![9; rows.len()], None);
            is_of_remainder(&code, 2, &BTreeSet::from([2]))
        };
        assert!(of(5) && !of(7));
    }

    #[test]
    fn a_sum_that_is_compared_with_its_part_finds_a_carry() {
        assert!(finds_carry(&[], r(2)), "s = x + y; s < x");
        assert!(!finds_carry(&[], r(5)), "s < bound");
        assert!(!finds_carry(&[word(Op::MOV, &[r(2)], &[])], r(2)), "another x");
    }

    #[test]
    fn an_upper_product_by_a_number_divides_and_a_hash_joins_its_halves() {
        // Bits 9 to 11: a number in the code, or registers alone.
        let [number, register] = [4 << 9, 1 << 9];
        assert_eq!(of(number, Op::SHF), [1, 1]);
        assert_eq!(of(number, Op::LOP3), [0, 1], "a hash");
        assert_eq!(of(register, Op::SHF), [0, 2], "by a value");
    }
}
