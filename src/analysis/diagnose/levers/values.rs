//! Levers on what is computed or read more often than the result needs: conversions, tables that all lanes read at one address,
//! several passes over one input.

use super::{Ask, Draft, WORTH};
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::rules::{count, share};
use crate::analysis::phases::{Phases, SectorAccess};
use crate::catalog::{Action, Counter, Part, StallReason};
use crate::quantity::format;
use crate::words;
use cuda_binary::Op;
use cuda_binary::op::Pipe;

/// Instructions that a division of 32-bit integers takes in all.
const OF_A_DIVISION: f64 = 20.0;
/// Those that stay where the divisor is known when the code is compiled: a wide product and a shift.
const OF_A_PRODUCT: f64 = 3.0;
/// What an inexact count of sectors may lie beside one a request.
const ONE_SECTOR: f64 = 1.05;
/// What a load through the constant cache keeps of a load through L1, in waiting.
const CONSTANT: f64 = 0.25;

pub(super) fn drafts(ask: &Ask<'_, '_, '_>) -> Vec<Draft> {
    [conversions(ask), divisions(ask), broadcasts(ask), passes(ask)].into_iter().flatten().collect()
}

const EXECUTED: Counter = Counter::SmspInstExecutedSum;

fn executed(ask: &Ask<'_, '_, '_>) -> Option<f64> {
    ask.m.kernel.value(EXECUTED).filter(|executed| *executed > 0.0)
}

/// Values that go from single to double precision and back.
fn conversions(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let converted = m.mix.count(|op| op == Op::F2F).filter(|count| *count > 0.0)?;
    let doubles = m.mix.count(|op| op.pipe() == Some(Pipe::Fp64))?;
    let gone = ((converted + doubles) / executed(ask)?).min(1.0);
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

/// Integers that are divided by a value that is not known when the code is compiled.
fn divisions(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    // To a float, its reciprocal, and back.
    let [to, reciprocal, back] = [Op::I2F, Op::MUFU, Op::F2I].map(|opcode| m.mix.count(|op| op == opcode));
    let divisions = to?.min(reciprocal?).min(back?);
    let executed = executed(ask)?;
    let gone = divisions * (OF_A_DIVISION - OF_A_PRODUCT) / executed;
    if !(WORTH..=1.0).contains(&gone) {
        return None;
    }
    let waits = [StallReason::Wait, StallReason::ShortScoreboard];
    let pipes = [Part::Issue, Part::ComputeAlu, Part::ComputeFma];
    let draft = Draft::of(Action::FewerConversions, Change::default()).rewrites().keeps(Part::ComputeXu, 0.1, 0.0);
    Some(
        pipes
            .into_iter()
            .fold(draft, |draft, part| draft.keeps(part, 1.0 - gone, 0.0))
            .frees_of(ask, &waits, gone)
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

/// Loads through L1 of one address for all lanes.
fn broadcasts(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let all = &m.kernel_of.phases?.accesses;
    let is_one = |access: &&SectorAccess| {
        access.at.opcode.starts_with("LDG")
            && access.sectors as f64 <= ONE_SECTOR * access.requests as f64
            && access.width_bits.is_some_and(|bits| bits >= 32)
            && !access.is_inherent
    };
    let own: u64 = all.iter().filter(is_one).map(|access| access.requests).sum();
    let requests: u64 = all.iter().map(|access| access.requests).sum();
    let part = own as f64 / requests.max(1) as f64;
    // Of the stage, global accesses take what shared memory does not.
    let stage = DataStage::of(m.kernel).filter(|stage| stage.whole > 0.0)?;
    let of_stage = part * stage.other() / stage.whole;
    let waits = m.waits_for_loads()? + m.wait(StallReason::LgThrottle).unwrap_or_default();
    let first = all.iter().filter(is_one).max_by_key(|access| access.requests)?;
    let draft = Draft::of(Action::MoveConstants, Change::default());
    let inside = [Part::MemoryL1tex, Part::MemoryShared, Part::MemoryLsu];
    Some(
        inside
            .into_iter()
            .fold(draft, |draft, at| draft.keeps(at, 1.0 - of_stage, 1.0 - of_stage))
            .keeps(Part::Issue, 1.0 - 0.5 * own as f64 / executed(ask)?, 0.0)
            .frees(part * (1.0 - CONSTANT) * waits, part * waits)
            .says(
                words!("Keep the table of `:{}` in constant memory or in registers", first.at.line.to_string()),
                words!("{} of the requests bring one value to all lanes through L1", share(part)),
            )
            .risks("64 KB of constants; one address a warp".into())
            .checks(
                words!("requests of global loads −{}", count(own as f64)),
                Counter::L1texTRequestsPipeLsuMemGlobalOpLdSum,
            ),
    )
}

/// Loads of two loops or more that bring the same sectors: as many requests of one width, and fewer bytes from DRAM than they ask for
/// together.
fn repeated(phases: &Phases, read: f64) -> Option<(usize, Vec<&SectorAccess>)> {
    let loads = || phases.accesses.iter().filter(|access| access.at.opcode.starts_with("LDG") && !access.is_inherent);
    let alike = |a: &SectorAccess, b: &SectorAccess| {
        (a.requests, a.sectors, a.width_bits) == (b.requests, b.sectors, b.width_bits)
    };
    let first = loads().max_by_key(|access| access.sectors)?;
    let mut group: Vec<&SectorAccess> = Vec::new();
    for access in loads().filter(|access| alike(access, first)) {
        // Loads of one loop, or of code without one, bring different inputs.
        if group.iter().all(|other| phases.loop_of(other.at.offset) != phases.loop_of(access.at.offset)) {
            group.push(access);
        }
    }
    let bytes = 32.0 * first.sectors as f64;
    let passes = group.len();
    let has_loops = group.iter().any(|access| phases.loop_of(access.at.offset).is_some());
    (passes > 1 && has_loops && read < (passes as f64 - 0.5) * bytes).then_some((passes, group))
}

fn passes(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let phases = m.sampled()?;
    let (passes, group) = repeated(phases, m.kernel.value(Counter::DramBytesReadSum)?)?;
    let all: u64 = phases.accesses.iter().map(|access| access.sectors).sum();
    let gone = group[1..].iter().map(|access| access.sectors).sum::<u64>() as f64 / all.max(1) as f64;
    let lines = words::join(group.iter().map(|access| words!("`:{}`", access.at.line.to_string())), ", ");
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    let parts = [Part::MemoryL1tex, Part::MemoryLsu, Part::MemoryL2];
    let draft = Draft::of(Action::FewerPasses, Change::default()).rewrites();
    Some(
        parts
            .into_iter()
            .fold(draft, |draft, part| draft.keeps(part, 1.0 - gone, 0.0))
            .frees_of(ask, &waits, 1.0 - 1.0 / passes as f64)
            .says(
                words!("Read the input once: keep it in registers or shared memory between the passes ({})", lines),
                words!(
                    "{} loops load the same {} sectors; {} of all sectors are loaded again",
                    format::plain(passes as f64, 0),
                    count(group[0].sectors as f64),
                    share(gone)
                ),
            )
            .risks("registers or shared memory for a row".into())
            .checks(
                words!("sectors of global accesses {} → {}", count(all as f64), count(all as f64 * (1.0 - gone))),
                Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum,
            ),
    )
}
