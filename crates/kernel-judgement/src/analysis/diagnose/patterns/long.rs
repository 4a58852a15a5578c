//! Integers of 64 bits that are divided by constants: in 32 bits each is one product.

use super::*;
use cuda_binary::op::Computes;

/// What a quotient of 64 bits by a constant takes beyond one of 32: of four wide products three, their two carries with two sums and a
/// move, and the upper halves of shift and sign. nvcc 12 and 13 make it so for sm_80 to sm_120.
const BEYOND: f64 = 8.0;

/// Instructions that go at most for each that is counted here: a product or a move of an upper half has no carry to be known by.
const AT_MOST: f64 = 2.0;

/// Whether an instruction takes a carry: a predicate that is no guard.
fn takes_carry(code: &KernelCode<'_>, row: usize) -> bool {
    let is_flag = |own: &Register| own.count > 0 && own.file == RegisterFile::Predicate;
    // The guard is the first that is read.
    code.op(row).is_of(&[Class::Integer]) && code.registers(row).read().skip(1).any(|own| is_flag(&own))
}

/// The upper product of a quotient: two words wide, by a number of the code, with the carry of the products below.
fn is_quotient(code: &KernelCode<'_>, row: usize) -> bool {
    let is_wide = code.registers(row).written().any(|own| own.file == RegisterFile::General && own.count == 2);
    let is_number = code.rows[row].word.is_some_and(|word| word.literal().is_some() || word.has_constant());
    code.op(row).computes() == Some(Computes::MultiplyAdd) && is_wide && is_number && takes_carry(code, row)
}

/// Numbers of 32 bits where the values fit: of each quotient one product stays, and of each sum the lower half.
pub(super) fn long(m: &Measures<'_>) -> Option<Draft> {
    let code = &m.sampled_code()?.code;
    let executed = |is_meant: fn(&KernelCode<'_>, usize) -> bool| -> f64 {
        (0..code.rows.len()).filter(|row| is_meant(code, *row)).map(|row| code.executed[row] as f64).sum()
    };
    let (quotients, sums) = (executed(is_quotient), executed(takes_carry));
    let all = m.executed()?;
    let gone = Some((BEYOND * quotients + sums) / all).filter(|_| BEYOND * quotients >= WORTH_A_TRY * all)?;
    let least = (1.0 - AT_MOST * gone).max(0.0);
    let draft = Draft::new(Action::FewerInstructions).rewrites().frees_of(m, &OF_EACH, gone);
    let parts = [Part::Issue, Part::ComputeAlu, Part::ComputeFma];
    let at = At::heaviest(m, |study, row| if is_quotient(&study.code, row) { study.code.executed[row] } else { 0 });
    let draft = draft.keeps(&parts, (1.0 - gone).max(0.0), least).at(at);
    let how =
        "Integers of 32 bits where the values fit: a division by a constant is one product then, in place of four";
    let why = words!(
        "{} divisions of 64-bit integers by constants, about {} of the instructions",
        count(quotients),
        share(gone)
    );
    let check = words!("executed instructions {} → {}", count(all), count(all * (1.0 - gone)));
    Some(draft.says(how, why).risks("the range of the values").checks(check, EXECUTED))
}
