//! What a change did, link by link: in the code, in the counters, in the time, and what it cost.

use super::numbers::{NEW, OLD, row};
use super::phases::SMALL;
use super::{build, memory, places};
use crate::analysis::phases::{Phase, PhaseKind, Phases, Stand};
use crate::analysis::{Audit, OpcodeMove, StallBasis, StallRow, Verdict};
use crate::catalog::{self, Counter, Part};
use crate::quantity::glance::amount;
use crate::quantity::{SECTOR, format};
use crate::view::groups::distinct;
use crate::words::{Words, words};
use cuda_binary::Op;
use cuda_binary::op::{Act, Class, ProductBy, Space, Told};

/// Opcodes told of the code, those among them that a reader looks for where others moved as well, and those others.
const OPCODES: usize = 5;
const SOUGHT: usize = 4;
const OTHERS: usize = 3;
/// Points by which the share of a phase must have moved, and phases told.
const POINTS: f64 = 0.02;
const PHASES: usize = 3;
/// A cost is told from this part on.
const COST: f64 = 0.05;
/// The part of shared memory that is worth a word.
const SIZE: f64 = 0.01;
/// Registers of a thread that are given together: a warp takes them by 256.
const REGISTERS: f64 = 8.0;

/// Percent of the old side's cycles that are worth a word.
const LEAST: f64 = 3.0;
/// A reason is told from this part of the change on.
const TELLS: f64 = 0.1;
/// Reasons told.
const SHOWN: usize = 4;

/// `**In the code:** …`; `None` where a side was not counted by instruction.
pub(super) fn code(audit: &Audit) -> Option<Words> {
    let moves = audit.change.as_ref()?.moves.as_ref()?;
    let (sought, others): (Vec<&OpcodeMove>, Vec<&OpcodeMove>) = moves.iter().partition(|one| one.is_sought());
    let first = sought.len().min(OPCODES - others.len().min(OPCODES - SOUGHT));
    let mut shown: Vec<&OpcodeMove> =
        sought[..first].iter().chain(others.iter().take(OTHERS)).take(OPCODES).copied().collect();
    let mut told: Vec<Words> = Vec::new();
    while !shown.is_empty() {
        let one = shown.remove(0);
        shown.retain(|other| !is_twin(one, other));
        told.push(opcode(audit, one));
    }
    if told.is_empty() {
        told.push("the same opcodes, about as often".into());
    } else if is_beside(audit) {
        told[0] =
            words!("the same accesses and floating-point arithmetic, beside them {}", std::mem::take(&mut told[0]));
    }
    let [was, is] = [OLD, NEW].map(|side| build::grid(audit, side));
    if let Some((was, is)) = was.zip(is).filter(|(was, is)| was != is) {
        told.push(words!("grid × block {} → {}", was, is));
    } else {
        // As many blocks in another order.
        let shapes =
            audit.settings.iter().filter(|setting| ["grid", "block"].contains(&&*setting.id) && setting.differs());
        told.extend(shapes.filter_map(|own| {
            Some(words!("{} {} → {}", format::uncapital(&own.label), own.old.as_deref()?, own.new.as_deref()?))
        }));
    }
    Some(words!("**In the code:** {}.", words::join(told, "; ")))
}

/// Whether accesses and arithmetic in floating point are as many as before, and only what goes with them moved: addresses, moves, jumps.
pub(super) fn is_beside(audit: &Audit) -> bool {
    let moves = audit.change.as_ref().and_then(|change| change.moves.as_ref());
    let mut classes = [Class::Fp32, Class::Fp64].into_iter();
    moves.is_some_and(|moves| go_with_others(moves))
        && classes.any(|class| audit.now.mix.has_class(class) == Some(true))
}

fn go_with_others(moves: &[OpcodeMove]) -> bool {
    let computes = |op: Op| matches!(op.class(), Some(Class::Fp32 | Class::Fp16 | Class::Fp64 | Class::FpCompare));
    let goes_along = |one: &OpcodeMove| one.op.told() == Told::No && !one.is_sought() && !computes(one.op);
    !moves.is_empty() && moves.iter().all(goes_along)
}

/// Whether one width of an opcode took the place of another: a wider one, or as many.
fn is_twin(one: &OpcodeMove, other: &OpcodeMove) -> bool {
    let has_gone = |one: &OpcodeMove| 100 * one.executed.0.min(one.executed.1) <= one.executed.0.max(one.executed.1);
    let is_other = one.op == other.op && one.rose() != other.rose() && has_gone(one) && has_gone(other);
    let (went, came) = if one.rose() { (other, one) } else { (one, other) };
    is_other && (came.width > went.width || 2 * came.by().min(went.by()) >= came.by().max(went.by()))
}

/// `UTMAPF came, 348,096 in the producer`; `LDG.32 16.7 M → LDG.128 4.19 M in the epilogue`; `LOP3 17.3 M in the main loop → 11.5 M`.
fn opcode(audit: &Audit, one: &OpcodeMove) -> Words {
    let mut moves = audit.change.iter().filter_map(|change| change.moves.as_ref()).flatten();
    if let Some(twin) = moves.find(|other| is_twin(one, other)) {
        let (went, came) = if one.rose() { (twin, one) } else { (one, twin) };
        let (was, is) = (amount(went.executed.0 as f64), amount(came.executed.1 as f64));
        return words!("`{}` {} → `{}` {}{}", went.opcode.as_str(), was, came.opcode.as_str(), is, place(audit, came));
    }
    let place = place(audit, one);
    let (was, is) = (amount(one.executed.0 as f64), amount(one.executed.1 as f64));
    match one.executed {
        (0, _) => words!("`{}` came, {}{}", one.opcode.as_str(), is, place),
        (_, 0) => words!("`{}` went, {}{}", one.opcode.as_str(), was, place),
        // The place is that of the side with more of them.
        _ if one.rose() => words!("`{}` {} → {}{}", one.opcode.as_str(), was, is, place),
        _ => words!("`{}` {}{} → {}", one.opcode.as_str(), was, place, is),
    }
}

/// ` in the main loop`; a kernel without one has no place worth a word.
fn place(audit: &Audit, one: &OpcodeMove) -> String {
    let phases = if one.rose() { Some(&audit.now) } else { audit.before.as_ref() };
    let stand = one.stand.filter(|stand| !matches!(stand, Stand::Phase(PhaseKind::Stretch | PhaseKind::Loop)));
    let stood = stand.zip(phases.and_then(|side| side.phases.as_ref()));
    stood.map(|(stand, phases)| format!(" {}", noun(phases, stand))).unwrap_or_default()
}

fn noun(phases: &Phases, stand: Stand) -> String {
    match stand {
        Stand::Phase(kind) => places::phase_words(kind).noun.to_owned(),
        Stand::Role(at) => format!("in the {}", places::role_name(phases, at)),
    }
}

/// `**In the counters:** …`: the waits of an instruction and the phases whose share moved; `None` where nothing did.
pub(super) fn counters(audit: &Audit) -> Option<Words> {
    let parts: Vec<Words> = [waits(audit), phases(audit)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| words!("**In the counters:** {}.", words::join(parts, "; ")))
}

/// `the warps' cycles −55.9 %; of the old ones long scoreboard −41.2, barrier −6.3 %`: what an instruction waits times the instructions, in percent
/// of the old side's. `None` without an old side, and where they did not go the way of the time: warps beside each other wait longer.
fn waits(audit: &Audit) -> Option<Words> {
    let story = audit.change.as_ref()?.story.as_ref()?;
    let is_decided = audit.comparison().is_some_and(|comparison| comparison.whole.verdict.is_decided());
    let table = audit.now.stalls.table(StallBasis::PerIssue).filter(|_| is_decided)?;
    let (latency, executed) = (audit.now.stalls.latency.change()?, row(audit, Counter::SmspInstExecutedSum)?.change()?);
    let was = latency.old * executed.old;
    let points = |(old, new): (f64, f64)| 100.0 * (new * executed.new - old * executed.old) / was;
    let change = points((latency.old, latency.new));
    let moved = moved(&table.rows, change, points);
    ((change < 0.0) == story.is_faster() && !moved.is_empty()).then(|| {
        words!(
            "the warps' cycles {}; of the old ones {} %",
            format::change(was, was * (1.0 + change / 100.0)),
            moved.join(", ")
        )
    })
}

/// `long scoreboard −4.56`: the reasons of their own that moved most. A warp that issues, or could while another one does, waits for nothing.
fn moved(rows: &[StallRow], change: f64, points: impl Fn((f64, f64)) -> f64) -> Vec<String> {
    let is_own = |row: &&StallRow| {
        let waits = !["selected", super::stalls::NOT_SELECTED].contains(&&*row.reason);
        waits && catalog::stall(&row.reason).is_none_or(|known| known.part_of.is_none())
    };
    let by = |row: &StallRow| Some(points((row.row.old.as_ref()?.value()?, row.row.new.value()?)));
    let least = (TELLS * change.abs()).max(LEAST);
    let mut found: Vec<(&StallRow, f64)> =
        rows.iter().filter(is_own).filter_map(|row| Some((row, by(row).filter(|by| by.abs() >= least)?))).collect();
    found.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    let told = |(row, by): (&StallRow, f64)| format!("{} {}", format::uncapital(&row.row.label), format::signed(by, 1));
    found.into_iter().take(SHOWN).map(told).collect()
}

/// `of the consumers' old time wait for the turn 13.7 → 9.9 %`: the phases whose time moved most, in percent of the old side's: a share of
/// each side's own rises with whatever else is gone.
fn phases(audit: &Audit) -> Option<Words> {
    let (new, old) = audit.now.phases.as_ref().zip(audit.before.as_ref().and_then(|old| old.phases.as_ref()))?;
    let cycles = audit.performance.cycles.change()?;
    let (was, mut is) = (side_by_side(old, new), side_by_side(new, old));
    is.iter_mut().for_each(|(_, share)| *share *= cycles.new / cycles.old);
    let share = |all: &[(PhaseKind, f64)], kind| {
        all.iter().filter(|(own, _)| *own == kind).map(|(_, share)| share).sum::<f64>()
    };
    // Loops and stretches are told by their lines alone, which another version moves.
    let is_known = |kind: &PhaseKind| !matches!(kind, PhaseKind::Loop | PhaseKind::Stretch | PhaseKind::Elsewhere);
    let kinds = distinct(was.iter().chain(&is).map(|(kind, _)| *kind).filter(is_known));
    let mut found: Vec<(PhaseKind, f64, f64)> =
        kinds.into_iter().map(|kind| (kind, share(&was, kind), share(&is, kind))).collect();
    // What takes as much less as the launch is told by its time.
    let whole = cycles.new / cycles.old;
    found.retain(|(_, was, is)| (was - is).abs() >= POINTS && (was * whole - is).abs() >= POINTS);
    found.sort_by(|a, b| (b.1 - b.2).abs().total_cmp(&(a.1 - a.2).abs()));
    found.truncate(PHASES);
    // A phase that a side does not have is none, and not one of no length.
    let share = |share: f64, unit: &str| match share > 0.0 {
        true => format!("{}{unit}", format::fixed(100.0 * share, 1)),
        false => "none".to_owned(),
    };
    let told = found.iter().map(|(kind, was, is)| {
        let name = format::uncapital(places::phase_words(*kind).own);
        let unit = if *is > 0.0 { "" } else { " %" };
        format!("{name} {} → {}", share(*was, unit), share(*is, " %"))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| words!("of the {}' old time {}", places::whose(new), told.join(", ")))
}

/// The shares of the phases that both sides have: those of their parts where both have parts of the phase. A part that has no row among
/// the phases is in no sum of larger ones of its kind either.
fn side_by_side(own: &Phases, other: &Phases) -> Vec<(PhaseKind, f64)> {
    let twin = |own: &Phase| other.phases.iter().find(|phase| phase.kind == own.kind);
    let paired = own.phases.iter().filter_map(|phase| Some((phase, twin(phase)?)));
    let rows = paired.flat_map(|(phase, twin)| match phase.parts.is_empty() || twin.parts.is_empty() {
        true => std::slice::from_ref(phase),
        false => &phase.parts,
    });
    let rows: Vec<&Phase> = rows.collect();
    let is_large = |phase: &Phase| phase.share >= SMALL;
    let is_told = |own: &&&Phase| is_large(own) || !rows.iter().any(|one| one.kind == own.kind && is_large(one));
    rows.iter().filter(is_told).map(|phase| (phase.kind, phase.share)).collect()
}

/// What the change of a count is in time, of the old side's elapsed time, where it is worth a word: an SM issues four instructions a cycle,
/// passes one wavefront or one sector, and has 3 to 18 bytes of DRAM, from a card for games to an H200.
pub(super) fn weight(audit: &Audit, counter: Counter, was: f64, is: f64) -> Option<f64> {
    const TELLS: f64 = 0.01;
    let a_cycle = match counter {
        Counter::SmspInstExecutedSum => 4.0,
        Counter::DramBytesReadSum | Counter::DramBytesWriteSum => 10.0,
        _ => 1.0,
    };
    let weight = audit.change.as_ref()?.sm_cycles.map_or(1.0, |cycles| (is - was).abs() / (a_cycle * cycles));
    (weight >= TELLS).then_some(weight)
}

/// `**Cost:** …`: what rose that a kernel wants little of, and what the build takes more or less of; `None` without both sides.
pub(super) fn cost(audit: &Audit) -> Option<Words> {
    const TRAFFIC: [Counter; 3] = [Counter::LtsTSectorsSum, Counter::DramBytesReadSum, Counter::DramBytesWriteSum];
    const SHARED: [Counter; 2] = [Counter::LaunchSharedMemPerBlockStatic, Counter::LaunchSharedMemPerBlockDynamic];
    let sides = |counter: Counter| {
        let row = row(audit, counter)?;
        Some((row.old.as_ref()?.value()?, row.new.value()?))
    };
    let build = [
        ("registers", "", sides(Counter::LaunchRegistersPerThread)),
        ("spills executed", "", sides(Counter::SassInstExecutedRegisterSpilling)),
        ("shared memory", " B", sides(SHARED[0]).zip(sides(SHARED[1])).map(|(a, b)| (a.0 + b.0, a.1 + b.1))),
    ];
    let rose = |counter: Counter| {
        let row = row(audit, counter)?;
        let (was, is) = sides(counter).filter(|(was, is)| *is > (1.0 + COST) * was)?;
        weight(audit, counter, was, is)?;
        let one = asked(audit, counter, true).or_else(|| counted(audit, counter, true));
        let by = one.map(|one| words!(" (`{}`)", one.opcode.as_str()));
        Some(words!("{} {}{}", row.label.as_str(), format::change(was, is), words::maybe(by)))
    };
    let mut dear: Vec<Words> = TRAFFIC.into_iter().filter_map(rose).collect();
    let mut less: Vec<Words> = Vec::new();
    let known = || build.iter().filter_map(|(.., sides)| *sides);
    let takes_no_more = known().next().is_some() && known().all(|(was, is)| is <= was);
    for (name, unit, (was, is)) in build.into_iter().filter_map(|(name, unit, sides)| Some((name, unit, sides?))) {
        // A word more of shared memory costs nothing, and registers are given to a warp eight a thread at a time.
        let is_told = match name {
            "registers" => (is / REGISTERS).ceil() != (was / REGISTERS).ceil(),
            "spills executed" => weight(audit, Counter::SassInstExecutedRegisterSpilling, was, is).is_some(),
            _ => (is - was).abs() > SIZE * was,
        };
        if is_told {
            let list = if is > was { &mut dear } else { &mut less };
            list.push(words!("{} {} → {}{}", name, amount(was), amount(is), unit));
        }
    }
    if let Some(((was, is), (old, new))) =
        audit.change.as_ref().and_then(|change| change.mbarriers).zip(sides(Counter::LaunchGridSize))
    {
        let (was, is) = (was as f64 / old, is as f64 / new);
        if was != is {
            let stages = if is < was { ": fewer stages" } else { "" };
            dear.push(words!("mbarriers of a block {} → {}{}", format::fixed(was, 0), format::fixed(is, 0), stages));
        }
    }
    let is_faster = audit.comparison().is_some_and(|comparison| comparison.whole.verdict == Verdict::Faster);
    if dear.is_empty() && takes_no_more && is_faster {
        dear.push("nothing: no more traffic, registers or shared memory".into());
    }
    let less = if less.is_empty() { Words::default() } else { words!("; given back: {}", words::join(less, ", ")) };
    (!dear.is_empty()).then(|| words!("**Cost:** {}{}.", words::join(dear, ", "), less))
}

/// What moved a counter: bank conflicts, the access that asks for the sectors, else the largest opcode that it counts and that went its way.
pub(super) fn because(audit: &Audit, counter: Counter, rose: bool) -> Words {
    let conflicts = memory::conflicts(audit).filter(|_| counter == Counter::MemoryL1WavefrontsShared);
    if let Some((was, is)) = conflicts.filter(|(was, is)| (is > was) == rose) {
        return words!("bank conflicts {} → {}", amount(was), amount(is));
    }
    match asked(audit, counter, rose) {
        Some(OpcodeMove { opcode, executed, .. }) => {
            let [was, is] = [executed.0, executed.1].map(|sectors| amount(sectors as f64));
            match executed {
                (0, _) => words!("`{}` came, {} sectors", opcode.as_str(), is),
                (_, 0) => words!("`{}` went, {} sectors", opcode.as_str(), was),
                _ => words!("sectors of `{}` {} → {}", opcode.as_str(), was, is),
            }
        }
        None => counted(audit, counter, rose).map_or_else(Words::default, |one| opcode(audit, one)),
    }
}

/// The access whose sectors are most of what a counter of traffic changed by, where they were counted by instruction.
fn asked(audit: &Audit, counter: Counter, rose: bool) -> Option<&OpcodeMove> {
    let each = match counter {
        Counter::LtsTSectorsSum | Counter::MemoryL2TheoreticalSectorsGlobal => 1.0,
        Counter::DramBytesReadSum | Counter::DramBytesWriteSum => SECTOR,
        _ => return None,
    };
    let change = row(audit, counter)?.change()?;
    let all = audit.change.as_ref()?.sectors.as_ref()?.iter();
    let own = all.filter(|one| one.rose() == rose && is_counted(counter, one));
    own.max_by_key(|one| one.by()).filter(|one| 2.0 * each * one.by() as f64 >= (change.new - change.old).abs())
}

/// What moved the work of a pipe: the opcode of it.
pub(super) fn of_pipe(audit: &Audit, part: Part, rose: bool) -> Words {
    let runs = |one: &OpcodeMove| part.row().is_some_and(|row| row.runs(one.op, None));
    most(audit, rose, runs).map_or_else(Words::default, |one| opcode(audit, one))
}

fn is_counted(counter: Counter, one: &OpcodeMove) -> bool {
    let (op, is_local) = (one.op, one.op.is_in(Space::Local));
    let (reads, writes) = (op.reads_global() || op.act() == Some(Act::Prefetch), op.writes_global());
    match counter {
        Counter::SmspInstExecutedSum => true,
        Counter::LtsTSectorsSum => reads || writes || is_local,
        Counter::DramBytesReadSum => reads || is_local && op.act() == Some(Act::Load),
        Counter::DramBytesWriteSum => writes || is_local && op.act() == Some(Act::Store),
        Counter::MemoryL2TheoreticalSectorsGlobal => (reads || writes) && op.is_by_lane(),
        Counter::MemoryL1WavefrontsShared => op.is_in(Space::Shared) || op.product_by() == Some(ProductBy::Warpgroup),
        _ => false,
    }
}

/// The opcode that a counter counts and that moved it: of accesses by lane only where nothing tells their sectors.
fn counted(audit: &Audit, counter: Counter, rose: bool) -> Option<&OpcodeMove> {
    let has_sectors = audit.change.as_ref().is_some_and(|change| change.sectors.is_some());
    let is_told = |one: &OpcodeMove| {
        let is_of_global = one.op.reads_global() || one.op.writes_global();
        let is_of_sectors = is_of_global && one.op.is_by_lane() && counter != Counter::SmspInstExecutedSum;
        is_counted(counter, one) && !(has_sectors && is_of_sectors)
    };
    // Of all instructions one opcode in ten is named.
    let least = row(audit, counter).and_then(|row| row.change()).filter(|_| counter == Counter::SmspInstExecutedSum);
    let least = least.map_or(0.0, |change| 0.1 * (change.new - change.old).abs());
    most(audit, rose, is_told).filter(|one| one.by() as f64 >= least)
}

/// Of the opcodes that went a way, the nearest to the source among those that moved at least half as much as the one that moved most:
/// addresses and jumps go with what they are for.
fn most(audit: &Audit, rose: bool, is_own: impl Fn(&OpcodeMove) -> bool) -> Option<&OpcodeMove> {
    let moves = audit.change.as_ref()?.moves.as_ref()?;
    let own = || moves.iter().filter(|one| one.rose() == rose && is_own(one));
    let largest = own().map(OpcodeMove::by).max()?;
    own().filter(|one| 2 * one.by() >= largest).min_by_key(|one| (one.rank(), std::cmp::Reverse(one.by())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Row;
    use crate::evidence::Reading;
    use crate::quantity::{Quantity, Unit};

    fn stall(reason: &str, label: &str, was: f64, is: f64) -> StallRow {
        let reading = |value| Reading::measured(Quantity::new(value, Unit::NONE).expect("finite"), &"x".into());
        let row = Row { label: label.into(), old: Some(reading(was)), new: reading(is), ..Row::default() };
        StallRow { reason: reason.to_owned(), row }
    }

    #[test]
    fn addresses_go_with_accesses_and_sums_do_not() {
        let moved = |op: Op| OpcodeMove { opcode: op.name().into(), op, width: None, executed: (8, 80), stand: None };
        assert!(go_with_others(&[Op::LEA, Op::SHF, Op::UIADD3, Op::BRA].map(moved)));
        assert!(
            ![Op::FFMA, Op::DMUL, Op::HADD2, Op::LDG, Op::HGMMA, Op::BAR]
                .iter()
                .any(|op| go_with_others(&[moved(Op::LEA), moved(*op)]))
        );
    }

    #[test]
    fn the_reasons_that_moved_most_are_told_both_ways() {
        let rows = [
            stall("barrier", "Barrier", 7.0, 0.8),
            stall("long_scoreboard", "Long scoreboard", 5.0, 2.6),
            stall("mio_throttle", "MIO throttle", 0.5, 1.5),
            stall("wait", "Wait", 3.0, 2.9),
            stall("selected", "Selected", 1.0, 5.0),
        ];
        // Instructions that stay the same, of 20 cycles each.
        let points = |(was, is): (f64, f64)| 100.0 * (is - was) / 20.0;
        assert_eq!(moved(&rows, -38.5, points), ["barrier −31.0", "long scoreboard −12.0", "MIO throttle +5.0"]);
        // Half as many of them: what each waits longer is less all the same.
        let halved = |(was, is): (f64, f64)| 100.0 * (0.5 * is - was) / 20.0;
        assert_eq!(moved(&rows[3..], -8.0, halved), ["wait −7.8"]);
        assert!(moved(&rows[3..], 0.5, points).is_empty());
    }
}
