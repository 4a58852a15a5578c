//! Arithmetic of indices: what only makes addresses, and integers that are divided.

use super::work::{IMAD_CYCLES, executed_on};
use super::*;
use crate::analysis::diagnose::level::place;
use crate::analysis::phases::{DIVISION, OF_A_FLOAT, PIPES};

/// Cycles that an instruction takes at most of the pipes of index arithmetic: 32 lanes, of which a scheduler's XU takes 4 a cycle.
const MOST_CYCLES: f64 = 8.0;

/// What index arithmetic is work of.
pub(super) const INDEXED: [Part; 5] = [Part::Issue, PIPES[0], PIPES[1], PIPES[2], PIPES[3]];

/// Issue and the pipes of index arithmetic without a part of that, 0 to 1: at least what is left of each; `None` where it was not
/// counted.
pub(super) fn without_index(m: &Measures<'_>, gone: f64) -> Option<Vec<(Part, f64)>> {
    let (study, total) = m.sampled_code().zip(m.executed())?;
    let index = study.index_arithmetic();
    let left = |part: Part| {
        let all = executed_on(m, part)?;
        let own = index.on(part) as f64;
        let rest = (all - own).max(0.0);
        let own = own * if part == Part::ComputeFma { IMAD_CYCLES } else { 1.0 };
        (own > 0.0).then(|| 1.0 - gone * own / (own + rest))
    };
    let parts = PIPES.into_iter().map(|part| (part, left(part)));
    let all = parts.chain([(Part::Issue, Some(1.0 - gone * index.executed as f64 / total))]);
    Some(all.filter_map(|(part, left)| Some((part, m.unit(part)?.share * left?))).collect())
}

/// The part of the index arithmetic that accesses of 16 bytes a lane take away: of each as much as it is narrower; `None` where none were
/// counted.
pub(super) fn narrow(m: &Measures<'_>) -> Option<f64> {
    let requests = |access: &SectorAccess| access.requests as f64;
    let narrower = |access: &SectorAccess| 1.0 - access.width_bits.unwrap_or(8) as f64 / WIDEST as f64;
    let accesses = &m.sampled()?.accesses;
    let all: f64 = accesses.iter().map(requests).sum();
    (all > 0.0).then(|| accesses.iter().map(|access| requests(access) * narrower(access)).sum::<f64>() / all)
}

/// The part of the instructions that only make addresses: of all of them, or of those of a pipe; `None` where the pipe is busier than
/// the instructions that are known to run on it can make it.
pub(super) fn of_index(m: &Measures<'_>, part: Part) -> Option<f64> {
    let (index, total) = (m.sampled_code()?.index_arithmetic(), m.executed()?);
    if part == Part::Issue {
        return (total > 0.0).then_some(index.executed as f64 / total);
    }
    let all = executed_on(m, part).filter(|all| *all > 0.0)?;
    let most = |issue: f64| MOST_CYCLES * issue * all / total;
    let is_explained = m.unit(Part::Issue).zip(m.unit(part)).is_none_or(|(issue, own)| own.share <= most(issue.share));
    is_explained.then_some(index.on(part) as f64 / all)
}

/// Those that stay where the divisor is known when the code is compiled: wide products and shifts.
const OF_A_PRODUCT: [f64; 2] = [3.0, 15.0];

/// Divisions of integers, with parts of the instructions, 0 to 1.
pub(super) struct Divisions {
    count: f64,
    /// What they take.
    all: f64,
    /// What of it goes where the divisors are known.
    pub(super) gone: f64,
}

pub(super) fn divided(m: &Measures<'_>) -> Option<Divisions> {
    // Without the code as many as there can be.
    let at_most = || {
        let [to, reciprocal, back] = OF_A_FLOAT.map(|opcode| m.executions(|op| op == opcode));
        Some([to?.min(reciprocal?).min(back?), 0.0])
    };
    let (own, executed) = (m.study.map(Study::divisions).or_else(at_most)?, m.executed()?);
    let of = |each: [f64; 2]| (own[0] * each[0] + own[1] * each[1]) / executed;
    let all = of(DIVISION);
    let gone = all - of(OF_A_PRODUCT);
    (WORTH..=1.0).contains(&gone).then_some(Divisions { count: own.iter().sum(), all, gone })
}

/// Divisions of integers make much of the instructions.
pub(super) fn dividing(m: &Measures<'_>) -> Option<Held> {
    let Divisions { count: divisions, gone, .. } =
        divided(m).filter(|own| 100.0 * own.gone >= m.limits[Threshold::CostShare])?;
    let busiest = m.units.iter().find(|unit| place(unit.part) == place(Part::Issue));
    let sentence = words!(
        "{} divisions of integers by warps are about {} of the instructions: a reciprocal, a guess and its correction each{}.",
        count(divisions),
        share(gone),
        words::maybe(busiest.map(|unit| words!("; {} at {}", unit.is(), share(unit.share))))
    );
    let held = Held::new(Code::IntegerDivision, 100.0 * gone, m.limits[Threshold::CauseShare], sentence);
    Some(held.at(At::most(m, |op| op == OF_A_FLOAT[0])).from(m.readings(&[EXECUTED])))
}

/// Integers that are divided by a value that is not known when the code is compiled.
pub(super) fn divisions(m: &Measures<'_>) -> Option<Draft> {
    let Divisions { count: divisions, all, gone } = divided(m)?;
    let pipes = [Part::Issue, Part::ComputeAlu, Part::ComputeFma];
    let draft = Draft::new(Action::FewerConversions).rewrites().keeps(&[Part::ComputeXu], 0.1, 0.0);
    let waits = [&OF_EACH[..], &[StallReason::ShortScoreboard]].concat();
    let draft = draft.keeps(&pipes, 1.0 - gone, 0.0).frees_of(m, &waits, gone);
    // Of issue they take their part; of the warps' time what is waited for the conversions of their chain, of three steps. Where XU is
    // the busiest unit nobody knows what its other work is.
    let is_of_xu = m.units.first().is_some_and(|unit| unit.part == Part::ComputeXu);
    // The two that convert are waited for two thirds of that.
    let of_chain = |study: &Study<'_>| {
        let waits = study.samples.at_causes(StallReason::ShortScoreboard.into());
        let converts = |row: &usize| [OF_A_FLOAT[0], OF_A_FLOAT[2]].contains(&study.code.op(*row));
        let own: u64 = (0..study.code.rows.len()).filter(converts).map(|row| waits[row]).sum();
        1.5 * own as f64 / study.samples.sum as f64
    };
    let of_time = m.study.filter(|study| study.samples.sum > 0 && !is_of_xu).map(of_chain);
    let draft = draft.takes(of_time.map_or(1.0, |of_time| (of_time + all).min(1.0)));
    // An index that is taken apart once a thread is what a grid of more dimensions has apart.
    let is_once = m.study.is_some_and(|study| !study.code.turns(|op| op == OF_A_FLOAT[0]));
    let is_place = is_once && of_index(m, Part::ComputeXu).is_some_and(|own| 2.0 * own >= 1.0);
    let known = "ivide by values known when compiled, by a shift, or by a product with the reciprocal";
    // In front of each division of 64 bits the compiler asks whether both values fit in 32 bits, and divides those: it runs none of them.
    let fits = m.study.is_some_and(|study| {
        let code = &study.code;
        let is_long = |row: &usize| code.op(*row) == OF_A_FLOAT[2] && code.word(*row).is_long_integer();
        let mut rows = (0..code.rows.len()).filter(is_long).peekable();
        rows.peek().is_some() && rows.all(|row| code.executed[row] == 0)
    });
    let how = match (is_place, fits) {
        (true, _) => words!("Take places from the grid (`blockIdx.y`, `.z`), not from one index; or d{}", known),
        (false, true) => words!("Indexes of 32 bits, which all values fit in; or d{}", known),
        (false, false) => words!("D{}", known),
    };
    let of = if fits { ", of 64 bits with values that fit in 32" } else { "" };
    let all = words!("{} divisions of integers by warps{}", count(divisions), of);
    let why = words!("{}, about {} of the instructions", all, share(gone));
    let draft = draft.at(At::most(m, |op| op == OF_A_FLOAT[0])).says(how, why).risks("a version for each divisor");
    Some(draft.checks(words!("I2F {} → 0", count(divisions)), EXECUTED))
}
