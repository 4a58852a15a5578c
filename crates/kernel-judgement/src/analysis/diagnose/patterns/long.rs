//! Integers of 64 bits that are divided by constants: in 32 bits each is one product.

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

/// Numbers of 32 bits where the values fit: of each quotient one product stays, and of each sum the lower half.
pub(super) fn long(m: &Measures<'_>) -> Option<Draft> {
    let code = &m.sampled_code()?.code;
    let [quotients, sums] = quotients_and_sums(code);
    let at = At::heaviest(m, |study, row| if quotients.contains(&row) { study.code.executed[row] } else { 0 });
    let [quotients, sums] = [&quotients, &sums].map(|rows| code.sum(rows) as f64);
    let all = m.executed()?;
    let gone = Some((BEYOND * quotients + sums) / all).filter(|_| BEYOND * quotients >= WORTH_A_TRY * all)?;
    let least = (1.0 - AT_MOST * gone).max(0.0);
    let draft = Draft::new(Action::FewerInstructions).rewrites().frees_of(m, &OF_EACH, gone);
    let parts = [Part::Issue, Part::ComputeAlu, Part::ComputeFma];
    let draft = draft.keeps(&parts, (1.0 - gone).max(0.0), least).at(at);
    let how =
        "Integers of 32 bits where the values fit: a division by a constant is one product then, in place of four";
    let why = words!(
        "{} divisions of 64-bit integers by constants, about {} of the instructions",
        count(quotients),
        share(gone)
    );
    let draft = draft.says(how, why).risks("the range of the values");
    Some(draft.falls("executed instructions", [all, all * (1.0 - gone)], EXECUTED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, ended, r, word};
    use crate::evidence::MachineWord;

    /// An upper product by a number in the code, a sum with a carry, and what takes the product.
    fn of(number: u128, taken: Op) -> [usize; 2] {
        let pair = Register { count: 2, ..r(4) };
        let product = MachineWord { bits: number, ..word(Op::IMAD, &[pair], &[r(2), P]) };
        let rows = ended(&[product, word(Op::IADD3, &[r(6)], &[r(3), P]), word(taken, &[r(7)], &[r(5)])]);
        let code = KernelCode::counted(&rows, vec![1; rows.len()], None);
        quotients_and_sums(&code).map(|rows| rows.len())
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
