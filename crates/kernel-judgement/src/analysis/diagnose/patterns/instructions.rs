//! The number of instructions: what of them only makes addresses or converts values.

use super::beside::named;
use super::bits::{bytes, tables};
use super::functions::{Exact, cheaper};
use super::indices::{INDEXED, divided, dividing, divisions, of_index, without_index};
use super::work::*;
use super::*;
use crate::analysis::derive::units;
use crate::analysis::phases::PIPES;
use cuda_binary::op::Control;

pub(super) const PATTERNS: [Pattern; 1] =
    [Pattern::asks("Are integers divided?", dividing, Stands::Work(Action::FewerConversions))
        .needs(OPCODES)
        .cured_by(&[fewer, of_sms, divisions, conversions])];

/// The part of all instructions from which index arithmetic is what to cut.
const INDEX: f64 = 0.25;

/// What is told at most of what may go.
const MOST_TOLD: usize = 2;

/// What is said where nobody knows which instructions there are.
const WHICH: &str = "Fewer instructions for the same result (which: a report with --set full)";

/// The part of all instructions from which one line is where to look.
const ON_A_LINE: f64 = 0.25;

/// The share of peak from which a pipe, or issue, has work worth taking away.
const WORKING: f64 = 0.4;

/// The part of the arithmetic on values that another way to the same result keeps at least: `powf` and `expf` by their fast forms kept a
/// third of all instructions (`lens`), a series of half the terms three quarters (`clenshaw`).
const STAYS: f64 = 0.5;

/// The part of the instructions that are special functions from which arithmetic is mostly theirs: twenty to fifty instructions go with
/// one of a sine, a logarithm or a root.
const FUNCTIONS: f64 = 0.01;

/// The part of the instructions that another way to the same result is expected to do without, where nobody knows what they are.
const GONE: f64 = 0.25;

/// Where a pipe has more to do than the tensor pipe whose products it serves: what fills it unpacks, converts or addresses, and a larger
/// tile needs less of it for each product.
fn beside_products(m: &Measures<'_>, unit: &Unit) -> Option<Draft> {
    let tensor = m.unit(Part::ComputeTensor).filter(|tensor| m.has_tensor && tensor.share < unit.share)?;
    let (most, all) = runs_on(m, unit.part)?;
    let (op, executed) = most[0];
    let kept = 1.0 - UNTOLD;
    let draft = Draft::new(Action::FewerInstructions).rewrites().keeps(&[unit.part], kept, 0.0);
    let draft = draft.stays(&[Part::Issue, Part::ComputeTensor], 1.0);
    let (own, of_tensor) = (share(unit.share), share(tensor.share));
    let why = words!("{} at {}, tensor pipe at {}; {}", &unit.name, own, of_tensor, leading(&most, all));
    let how = "Less work beside each product: unpack, convert and address once for a larger tile";
    let draft = draft.at(At::most(m, |own| own == op)).says(how, why).risks("registers");
    Some(draft.falls(op.name(), [executed, kept * executed], EXECUTED))
}

/// What is less work with integers.
const PACKED: &str =
    "Less integer work: packed forms of 8 and 16 bits, several steps in one instruction, part of it on the FMA pipe";

/// What gives the same result with fewer instructions of a class on a pipe. Arithmetic on values, special
/// functions among it, is the result's own.
fn lighter(class: Class, pipe: Pipe) -> Option<&'static str> {
    match (class, pipe) {
        (Class::Conversion, _) => {
            Some("Fewer conversions: values kept in one type, packed forms, offsets in the mantissa")
        }
        (Class::Logic, Pipe::Xu) => Some(
            "Count bits less often: several words through carry-save adders first, or products of bits on the tensor pipe",
        ),
        (Class::Integer, Pipe::Fma) => Some("Fewer products of integers: shifts and sums, packed 8-bit products"),
        // A logic operation takes three words already, and has no packed form.
        (Class::FpCompare, _) => {
            Some("Fewer comparisons: once for what neighbouring outputs share, two at a time where halves are enough")
        }
        (Class::Integer | Class::IntegerCompare, _) => Some(PACKED),
        _ => None,
    }
}

/// The busiest unit is a pipe, and what fills most of it can be had with less: down to what needs most beside it.
fn on_pipe(m: &Measures<'_>, unit: &Unit) -> Option<Draft> {
    let pipe = m.units.first().filter(|first| first.part == unit.part).map(|_| unit.part)?;
    let (most, all) = runs_on(m, pipe)?;
    let (op, executed) = most[0];
    let (class, how) = op.class().zip(op.pipe()).and_then(|(class, pipe)| Some((class, lighter(class, pipe)?)))?;
    // What is done in one way is done less in one way.
    let is_own =
        |other: &Op| other.class().is_some_and(|class| op.pipe().and_then(|pipe| lighter(class, pipe)) == Some(how));
    let own = most.iter().filter(|(other, _)| is_own(other)).map(|(_, executed)| executed).sum::<f64>() / all;
    let draft = Draft::new(Action::FewerInstructions).keeps(&[pipe], 1.0 - (1.0 - STAYS) * own, 1.0 - own);
    let draft = match class {
        // Products of bits are other instructions, on fragments.
        Class::Logic => draft.rewrites().moves_work(),
        // What goes issues no more.
        _ => {
            let of_issue = (own * all / m.executed()?).min(1.0);
            draft.keeps(&[Part::Issue], 1.0 - (1.0 - STAYS) * of_issue, 1.0 - of_issue)
        }
    };
    // Of values that differ little from their neighbours a word holds two, at best as many differences as it has room for.
    let step = m.study.filter(|_| how == PACKED).and_then(|study| study.code.step());
    let (draft, how) = match step.filter(|(_, part)| *part >= MOST) {
        Some((step, part)) => {
            let least = f64::from(u32::BITS - step.leading_zeros() + 1) / f64::from(u32::BITS);
            let [half, least] = [1.0 / 2.0, least].map(|left| 1.0 - (1.0 - left) * part);
            let draft = draft.rewrites().keeps(&[&PIPES[..], &[Part::Issue]].concat(), half, least);
            let how = words!(
                "Several values a word: halves (`{}`), or bits of what neighbouring ones differ by, at most {}",
                "__viaddmin_s16x2",
                step.to_string()
            );
            (draft.frees_of(m, &OF_EACH, 1.0 - half), how)
        }
        None => (draft, how.into()),
    };
    let why = words!("{} at {}; {}", &unit.name, share(unit.share), leading(&most, all));
    let draft = draft.at(At::most(m, |own| own == op)).says(how, why).risks("more instructions on other pipes");
    Some(draft.falls(op.name(), [executed, STAYS * executed], EXECUTED))
}

/// Fewer instructions. Where issue limits, arithmetic on values stays; issue, the ALU and the index arithmetic on other pipes fall.
/// Where a pipe does, and much of its work is index arithmetic, that falls.
fn fewer(m: &Measures<'_>) -> Option<Draft> {
    let of_work = m.units.iter().filter(|unit| unit.part == Part::Issue || PIPES.contains(&unit.part));
    let unit = of_work.max_by(|a, b| a.share.total_cmp(&b.share)).filter(|unit| unit.share >= WORKING)?;
    let part = unit.part;
    let index = of_index(m, part);
    let is_index = index.is_some_and(|own| own >= INDEX);
    // What divides is most of the arithmetic of indices: that is what to change.
    if is_index && divided(m).is_some_and(|own| 2.0 * own.gone >= index.unwrap_or_default()) {
        return None;
    }
    if part != Part::Issue && !is_index {
        let by_bits = || tables(m, unit, runs_on(m, part)?);
        return beside_products(m, unit).or_else(by_bits).or_else(|| bytes(m, unit)).or_else(|| on_pipe(m, unit));
    }
    let is_counted = part == Part::Issue || without_index(m, 1.0).is_some();
    let unknown = if is_counted { &[] } else { &INDEXED[..] };
    let own = index.unwrap_or_default();
    // Of arithmetic on values half stays, as far as it is of no functions: what these are of may be known before the loop, or need none.
    // And what is stated stays, as do products of two values from memory where there are no functions of them.
    let stated = m.work.flop.zip(m.roofline.operations.filter(|executed| *executed > 0.0));
    let stated = stated.map_or(0.0, |(stated, executed)| (stated as f64 / executed).min(1.0));
    let executed = m.executed().filter(|all| *all > 0.0);
    let part_of = |own: f64| executed.map_or(0.0, |all| (own / all).min(1.0));
    let exact = m.study.zip(executed).map(|(study, all)| Exact::of(&study.code, all));
    let exact = exact.filter(|exact| exact.gone >= WORTH_A_TRY);
    let of_functions = m.executions(|op| op.is_of(&[Class::SpecialFunction])).map_or(0.0, part_of);
    let is_function = of_functions >= FUNCTIONS || exact.is_some();
    let half = if is_function { 0.0 } else { STAYS };
    let paired = if is_function { 0.0 } else { paired(m) };
    let stays = if is_index { 0.0 } else { half.max(stated) * arithmetic(m).unwrap_or_default() };
    let stays = stays.max(paired);
    let aside = aside(m).filter(|_| !is_index);
    let of_aside = aside.as_ref().map_or(0.0, |(_, part)| part.min(1.0 - stays));
    // What is named goes, of functions and of what stands beside all else. What special functions are of whose code is not known is untold.
    let is_named = !is_index && aside.is_none() && !calls(m) && (exact.is_some() || !is_function);
    let beside = m.study.filter(|_| is_named).zip(executed).map(|(study, all)| named(study, all));
    let exact = exact.filter(|_| is_named);
    let [of_exact, gone] = exact.as_ref().map_or([0.0; 2], |own| [own.part, own.gone].map(|part| part.min(1.0)));
    let named = beside.as_ref().map_or(GONE, |own| (gone + (1.0 - of_exact) * own.gone).min(1.0));
    let gone = if is_index { 0.75 * own } else { (1.0 - stays).min(named).max(of_aside) };
    // A bound takes nothing for granted but what is stated: of sums over several indices, one after the other instead of one in all leaves a
    // tenth of the products (`element_interp`).
    let bound = if is_index { 0.0 } else { stated * arithmetic(m).unwrap_or_default() };
    let least = |part: Part| if matches!(part, Part::Issue | Part::ComputeFma) { bound } else { 0.0 };
    let draft = Draft::new(Action::FewerInstructions).frees_of(m, &OF_EACH, gone);
    // Beside arithmetic that stays there is little to write anew.
    let draft = if stays < STAYS { draft.rewrites() } else { draft };
    let draft = INDEXED.into_iter().fold(draft, |draft, part| draft.keeps(&[part], 1.0 - gone, least(part)));
    // A thread with several neighbouring elements loads what they share once.
    let draft = if is_index { draft.keeps(&[Part::MemoryL2], 1.0, 1.0 - asked_again(m)) } else { draft };
    // No access goes with the arithmetic of its address. With turns goes what they read, if no operand of a product or word of an exchange.
    let reads_in_turns = m.study.is_none_or(|study| study.code.turns(|op| op.loads_global() || op.loads_shared()));
    let is_of_turns =
        reads_in_turns && aside.is_none() && !m.has_tensor && paired < WORTH && exchanges(m) != Some(true);
    let draft = match is_index {
        true if m.need_of(&L1) >= ROOF => draft.stays(&L1, 1.0),
        false if is_of_turns => draft.keeps(&L1, 1.0 - gone, 0.0),
        _ => draft,
    };
    let draft = draft.keeps(&[Part::ComputeFp64], 1.0, bound).stays(&[Part::ComputeTensor], 1.0);
    let draft = draft.unknown(m, unknown);
    // Issued at the same rate, they are as many as the time that is forecast.
    let all = [draft.expected(m), draft.saves(m)].map(|saved| 100.0 * saved);
    let [from, to] = draft.forecast(m).unwrap_or(all).map(|saved| (saved / 100.0).min(1.0 - least(Part::Issue)));
    let check = match (m.value(EXECUTED), draft.is_rough()) {
        (Some(now), false) => {
            words!(
                "executed instructions {} → {} to {}",
                count(now),
                count(now * (1.0 - from)),
                count(now * (1.0 - to))
            )
        }
        (Some(now), true) => words!("executed instructions below {}", count(now)),
        (None, false) => words!("executed instructions −{} to −{}", share(from), share(to)),
        (None, true) => words!("fewer executed instructions"),
    };
    // It stands where those are that are to go.
    let (at, of_lines) = At::executed(m, |study, row| match is_index {
        true => study.index_arithmetic().rows.contains(&row),
        false => match (&exact, &beside) {
            (Some(exact), _) => exact.rows.contains(&row),
            (_, Some(beside)) => beside.rows.contains(&row),
            _ => stays < STAYS || !is_on_values(study.code.op(row)),
        },
    })
    .unzip();
    let cheaper = at.as_ref().filter(|_| is_function).and_then(|at| cheaper(m.study?, at));
    let sentence: Words = match index {
        _ if calls(m) => {
            "Inline what is called for each element: no pointers to functions, and choices outside of the loop".into()
        }
        _ if is_index => {
            "Less index arithmetic: several neighbouring elements a thread, offsets out of the loop, divisors known when compiled".into()
        }
        _ if aside.is_some() => {
            "Divide by the fast intrinsic (`__fdividef`, `-prec-div=false`) or by a product with the reciprocal; roots alike".into()
        }
        _ if exact.is_some() => exact.as_ref().map(Exact::how).unwrap_or_default(),
        _ if beside.is_some() => {
            let how = beside.as_ref().map(|own| own.how.clone()).unwrap_or_default();
            words!("Fewer instructions beside the arithmetic: {}", how)
        }
        _ if cheaper.is_some() => cheaper.unwrap_or_default(),
        _ => WHICH.into(),
    };
    let of_pipe = if part == Part::Issue { "the instructions" } else { "its instructions" };
    let addresses = index.filter(|_| is_index).map(|own| words!("; {} of {} only make addresses", share(own), of_pipe));
    let of_line = of_lines.filter(|_| !is_index && stays < STAYS).and_then(|parts| on_lines(&parts, to));
    let ends =
        |part: f64| words!("; {} of the instructions are for zero and numbers near the ends of the range", share(part));
    let told = exact.iter().flat_map(Exact::told).chain(beside.iter().flat_map(|own| own.told.clone()));
    let told: Vec<Words> = told.take(MOST_TOLD).collect();
    let of_named = (!told.is_empty()).then(|| words!("; of the instructions {}", words::join(told, ", ")));
    let (at, of_line) = aside.map_or((at, of_named.or(of_line)), |(at, part)| (Some(at), Some(ends(part))));
    let why = words!("{} at {}{}{}", &unit.name, share(unit.share), words::maybe(addresses), words::maybe(of_line));
    let draft = draft.at(at.unwrap_or(At::Nowhere)).says(sentence, why).checks(check, EXECUTED);
    // Where nothing stands beside it the arithmetic is what there is.
    let is_bare = exact.is_none() && beside.is_some_and(|own| own.part < WORTH_A_TRY);
    Some(if is_bare { draft.not_here("its instructions are the work itself") } else { draft })
}

/// What of the instructions the fewest lines hold that have as much as may go, where one stands out.
fn on_lines(parts: &[f64], goes: f64) -> Option<Words> {
    let first = parts.first().filter(|first| **first >= ON_A_LINE)?;
    let mut held = 0.0;
    let lines = parts.iter().position(|part| {
        held += part;
        held >= goes
    });
    Some(match lines? {
        0 => words!("; {} of the instructions are on this line", share(*first)),
        more => words!(
            "; {} of the instructions are on {} lines, the most on this one",
            share(held),
            (more + 1).to_string()
        ),
    })
}

/// Fewer instructions where the busiest part of the SMs has no name: whichever it is, it takes as much less.
fn of_sms(m: &Measures<'_>) -> Option<Draft> {
    let unit = m.units.first().filter(|unit| unit.is_of_instructions() && unit.share >= WORKING)?;
    let draft = Draft::new(Action::FewerInstructions).rewrites().frees_of(m, &OF_EACH, GONE).expects(GONE);
    let draft = draft.keeps(&[unit.part, Part::Issue], 1.0 - GONE, 0.0).at(At::Nowhere);
    let why = words!("{} at {}, of which this report names no part", &unit.name, share(unit.share));
    let draft = draft.says(WHICH, why);
    let check = words!("{} {} → {}", &unit.name, share(unit.share), share((1.0 - GONE) * unit.share));
    Some(draft.checks(check, units::SM))
}

/// Whether calls, beside those of the compiler's own functions, are worth taking away: each costs what stands around it as well.
fn calls(m: &Measures<'_>) -> bool {
    let own = m.executions(|op| op.control() == Some(Control::Call)).zip(m.executed());
    own.is_some_and(|(calls, all)| calls >= WORTH * all) && aside(m).is_none()
}

/// Where most go to the compiler's functions for rare values, and the part of the instructions that these are, where it is worth a try.
fn aside(m: &Measures<'_>) -> Option<(At, f64)> {
    let part = asides(m.study?)[0] / m.executed()?;
    (part >= WORTH_A_TRY).then(|| (At::most(m, |op| op.control() == Some(Control::Call)), part))
}

/// Values that go from single to double precision and back.
fn conversions(m: &Measures<'_>) -> Option<Draft> {
    let is_conversion = |op| op == Op::F2F;
    let converted = m.executions(is_conversion).filter(|count| *count > 0.0)?;
    // Without arithmetic on doubles they convert halves.
    let doubles = m.executions(|op| op.pipe() == Some(Pipe::Fp64)).filter(|doubles| *doubles > 0.0)?;
    let gone = Some(((converted + doubles) / m.executed()?).min(1.0)).filter(|gone| *gone >= WORTH)?;
    // Operations on floats stay as many. What brings them the numbers of the code goes: those of floats stand in the instruction.
    let kept = m.study.map_or(0.0, |study| doubles - study.code.sum(study.code.numbers_of_doubles()) as f64);
    let left = 1.0 - (gone - kept / m.executed()?).clamp(0.0, 1.0);
    let waits = [StallReason::Wait, StallReason::ShortScoreboard, StallReason::MathPipeThrottle];
    let draft = Draft::new(Action::FewerConversions)
        .rewrites()
        .stays(&[Part::ComputeFp64], 0.0)
        .keeps(&[Part::Issue], left, 0.0)
        .keeps(&[Part::ComputeXu], 0.25, 0.0)
        .frees_of(m, &waits, 0.5);
    let (converted, doubles) = (count(converted), count(doubles));
    let why = words!(
        "{} conversions between precisions and {} operations on doubles, {} of the instructions",
        &converted,
        doubles,
        share(gone)
    );
    let draft = draft.at(At::most(m, is_conversion)).because(why);
    Some(draft.checks(words!("F2F {} → 0", converted), EXECUTED))
}
