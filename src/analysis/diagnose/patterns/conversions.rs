//! Values that are converted: to double precision and back, and for divisions of integers.

use super::*;

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
fn conversions(m: &Ask<'_>) -> Option<Draft> {
    let is_conversion = |op| op == Op::F2F;
    let converted = m.mix.count(is_conversion).filter(|count| *count > 0.0)?;
    // Without arithmetic on doubles they convert halves.
    let doubles = m.mix.count(|op| op.pipe() == Some(Pipe::Fp64)).filter(|doubles| *doubles > 0.0)?;
    let gone = Some(((converted + doubles) / m.executed()?).min(1.0)).filter(|gone| *gone >= WORTH)?;
    let waits = [StallReason::Wait, StallReason::ShortScoreboard, StallReason::MathPipeThrottle];
    Some(
        Draft::new(Action::FewerConversions)
            .rewrites()
            .keeps(&[Part::ComputeFp64], 0.0, 0.0)
            .keeps(&[Part::Issue], 1.0 - gone, 0.0)
            .keeps(&[Part::ComputeXu], 0.25, 0.0)
            .frees_of(m, &waits, 0.5)
            .at(At::most(m, is_conversion))
            .says(
                "Compute in single precision: literals with an `f`, no function or variable of type double",
                words!(
                    "{} conversions between precisions and {} operations on doubles, {} of the instructions",
                    count(converted),
                    count(doubles),
                    share(gone)
                ),
            )
            .risks("fewer digits in long sums")
            .checks(words!("F2F {} → 0", count(converted)), EXECUTED),
    )
}

/// Divisions of integers by values that are not known when the code is compiled, by warps, and the part of the instructions, 0 to 1, that
/// goes where they are known.
fn divided(m: &Measures<'_>) -> Option<(f64, f64)> {
    let [to, reciprocal, back] = OF_A_FLOAT.map(|opcode| m.mix.count(|op| op == opcode));
    let divisions = to?.min(reciprocal?).min(back?);
    let gone = divisions * (OF_A_DIVISION - OF_A_PRODUCT) / m.executed()?;
    (WORTH..=1.0).contains(&gone).then_some((divisions, gone))
}

/// Divisions of integers make much of the instructions.
fn dividing(m: &Measures<'_>) -> Option<Held> {
    let (divisions, gone) = divided(m).filter(|(_, gone)| 100.0 * gone >= m.limits[Threshold::CostShare])?;
    let sentence = words!(
        "{} divisions of integers by warps are about {} of the instructions: a reciprocal, a guess and its correction each.",
        count(divisions),
        share(gone)
    );
    let held = Held::new(Code::IntegerDivision, 100.0 * gone, m.limits[Threshold::CauseShare], sentence);
    Some(held.at(At::most(m, |op| op == OF_A_FLOAT[0])).from(m.readings(&[EXECUTED])))
}

/// Integers that are divided by a value that is not known when the code is compiled.
fn divisions(m: &Ask<'_>) -> Option<Draft> {
    let (divisions, gone) = divided(m)?;
    let pipes = [Part::Issue, Part::ComputeAlu, Part::ComputeFma];
    let draft = Draft::new(Action::FewerConversions).rewrites().keeps(&[Part::ComputeXu], 0.1, 0.0);
    let draft =
        draft.keeps(&pipes, 1.0 - gone, 0.0).frees_of(m, &[StallReason::Wait, StallReason::ShortScoreboard], gone);
    let how = "Divide by values that are known when compiled, by a shift, or by a product with the reciprocal";
    let why = words!("{} divisions of integers by warps, about {} of the instructions", count(divisions), share(gone));
    let draft = draft.at(At::most(m, |op| op == OF_A_FLOAT[0])).says(how, why).risks("a version for each divisor");
    Some(draft.checks(words!("I2F {} → 0", count(divisions)), EXECUTED))
}
