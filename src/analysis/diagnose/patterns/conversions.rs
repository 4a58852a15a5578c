//! Values that are converted: to double precision and back, and for divisions of integers.

use super::units::named;
use super::{Ask, At, Draft, Held, Pattern, SOURCE, Stands, WORTH, count, share};
use crate::analysis::diagnose::level::place;
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::measures::{EXECUTED, Measures};
use crate::catalog::{Action, Code, Part, StallReason, Threshold};
use crate::words;
use cuda_binary::Op;
use cuda_binary::op::Pipe;

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks("Are integers divided?", SOURCE, dividing, Stands::For(Action::FewerConversions))
        .cured_by(&[divisions]),
    Pattern::changes(&[conversions]),
];

/// What a division goes through: to a float, its reciprocal, and back.
const OF_A_FLOAT: [Op; 3] = [Op::I2F, Op::MUFU, Op::F2I];

/// Instructions that a division of 32-bit integers takes in all.
const OF_A_DIVISION: f64 = 20.0;

/// Those that stay where the divisor is known when the code is compiled: a wide product and a shift.
const OF_A_PRODUCT: f64 = 3.0;

/// Values that go from single to double precision and back.
fn conversions(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let is_conversion = |op| op == Op::F2F;
    let converted = m.mix.count(is_conversion).filter(|count| *count > 0.0)?;
    let doubles = m.mix.count(|op| op.pipe() == Some(Pipe::Fp64))?;
    let gone = ((converted + doubles) / m.executed()?).min(1.0);
    // Without arithmetic on doubles they convert halves.
    if doubles == 0.0 || gone < WORTH {
        return None;
    }
    let waits = [StallReason::Wait, StallReason::ShortScoreboard, StallReason::MathPipeThrottle];
    Some(
        Draft::of(Action::FewerConversions, Change::default())
            .rewrites()
            .keeps(Part::ComputeFp64, 0.0, 0.0)
            .keeps(Part::Issue, 1.0 - gone, 0.0)
            .keeps(Part::ComputeXu, 0.25, 0.0)
            .frees_of(ask, &waits, 0.5)
            .at(At::most(m, is_conversion))
            .says(
                "Compute in single precision: literals with an `f`, no function or variable of type double".into(),
                words!(
                    "{} conversions between precisions and {} operations on doubles, {} of the instructions",
                    count(converted),
                    count(doubles),
                    share(gone)
                ),
            )
            .risks("fewer digits in long sums".into())
            .checks(words!("F2F {} → 0", count(converted)), EXECUTED),
    )
}

/// Divisions of integers by values that are not known when the code is compiled, by warps, and the part of the instructions, 0 to 1, that
/// goes where they are known.
fn divided(m: &Measures<'_, '_>) -> Option<(f64, f64)> {
    let [to, reciprocal, back] = OF_A_FLOAT.map(|opcode| m.mix.count(|op| op == opcode));
    let divisions = to?.min(reciprocal?).min(back?);
    let gone = divisions * (OF_A_DIVISION - OF_A_PRODUCT) / m.executed()?;
    (WORTH..=1.0).contains(&gone).then_some((divisions, gone))
}

/// Divisions of integers make much of the instructions.
fn dividing(m: &Measures<'_, '_>) -> Option<Held> {
    let (divisions, gone) = divided(m).filter(|(_, gone)| 100.0 * gone >= m.limits[Threshold::CostShare])?;
    let busiest = m.units.iter().find(|unit| place(unit.part) == place(Part::Issue));
    let sentence = words!(
        "{} divisions of integers by warps are about {} of the instructions: a reciprocal, a guess and its correction each{}.",
        count(divisions),
        share(gone),
        busiest.map(|unit| words!("; {} is at {}", named(unit), share(unit.share))).unwrap_or_default()
    );
    let held = Held::new(Code::IntegerDivision, 100.0 * gone, m.limits[Threshold::CauseShare], sentence);
    Some(held.at(At::most(m, |op| op == OF_A_FLOAT[0])).from(m.readings(&[EXECUTED])))
}

/// Integers that are divided by a value that is not known when the code is compiled.
fn divisions(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let (divisions, gone) = divided(m)?;
    let waits = [StallReason::Wait, StallReason::ShortScoreboard];
    let pipes = [Part::Issue, Part::ComputeAlu, Part::ComputeFma];
    let draft = Draft::of(Action::FewerConversions, Change::default()).rewrites().keeps(Part::ComputeXu, 0.1, 0.0);
    Some(
        draft
            .keeps_all(&pipes, 1.0 - gone, 0.0)
            .frees_of(ask, &waits, gone)
            .at(At::most(m, |op| op == OF_A_FLOAT[0]))
            .says(
                "Divide by values that are known when compiled, by a shift, or by a product with the reciprocal".into(),
                words!(
                    "{} divisions of integers by warps, about {} of the instructions",
                    count(divisions),
                    share(gone)
                ),
            )
            .risks("a version for each divisor".into())
            .checks(words!("I2F {} → 0", count(divisions)), EXECUTED),
    )
}
