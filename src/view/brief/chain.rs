//! What a change did, link by link: in the code, in the counters, in the time, and what it cost.

use super::numbers::row;
use super::{build, places};
use crate::analysis::phases::{Phase, PhaseKind, Phases, Stand};
use crate::analysis::{Audit, OpcodeMove, StallBasis, StallRow};
use crate::catalog::{self, Counter};
use crate::quantity::format;
use crate::quantity::glance::{amount, digits};
use crate::words;
use crate::words::Words;
use cuda_binary::op::{Act, Space};

/// Opcodes told of the code, and those among them that a reader looks for where others moved as well.
const OPCODES: usize = 5;
const SOUGHT: usize = 3;
/// Points by which the share of a phase must have moved, and phases told.
const POINTS: f64 = 0.02;
const PHASES: usize = 3;
/// A cost is told from this part on.
const COST: f64 = 0.05;
/// The part of registers or shared memory that is worth a word.
const SIZE: f64 = 0.01;

/// The part of the old cycles of an instruction that is worth a word.
const LEAST: f64 = 0.05;
/// A reason is told from this part of the change on.
const TELLS: f64 = 0.1;
/// Reasons told.
const SHOWN: usize = 4;
/// Executed instructions that changed by this part make the average one of other work.
const WORK: f64 = 0.05;

/// `**In the code:** …`; `None` where a side was not counted by instruction.
pub(super) fn code(audit: &Audit) -> Option<Words> {
    let moves = audit.change.as_ref()?.moves.as_ref()?;
    let (sought, others): (Vec<&OpcodeMove>, Vec<&OpcodeMove>) = moves.iter().partition(|one| one.is_sought());
    let first = sought.len().min(OPCODES - others.len().min(OPCODES - SOUGHT));
    let shown = sought[..first].iter().chain(&others).take(OPCODES);
    let mut told: Vec<Words> = shown.map(|one| opcode(audit, one)).collect();
    if told.is_empty() {
        told.push("no opcode came, went, or runs a tenth more or less often".into());
    }
    let (was, is) = build::launched(audit);
    if let Some((was, is)) = was.zip(is).filter(|(was, is)| was != is) {
        told.push(words!("grid × block {} → {}", was, is));
    }
    Some(words!("**In the code:** {}.", words::join(told, "; ")))
}

/// `UTMAPF came, 348,096 in the producer`; `LDG.32 16.7 M → 301,056 in the epilogue`.
fn opcode(audit: &Audit, one: &OpcodeMove) -> Words {
    let phases = if one.rose() { Some(&audit.now) } else { audit.before.as_ref() };
    let place = one
        .stand
        .zip(phases.and_then(|side| side.phases.as_ref()))
        .map(|(stand, phases)| format!(" {}", noun(phases, stand)))
        .unwrap_or_default();
    let (was, is) = (amount(one.executed.0 as f64), amount(one.executed.1 as f64));
    match one.executed {
        (0, _) => words!("`{}` came, {}{}", one.opcode.as_str(), is, place),
        (_, 0) => words!("`{}` went, {}{}", one.opcode.as_str(), was, place),
        _ => words!("`{}` {} → {}{}", one.opcode.as_str(), was, is, place),
    }
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

/// `cycles per instruction 11.7 → 10.7 (−0.97): long scoreboard −1.15`; `None` without an old side, within the noise, and where nothing
/// moved.
fn waits(audit: &Audit) -> Option<Words> {
    let is_decided = audit.comparison().is_some_and(|comparison| comparison.whole.verdict.is_decided());
    let table = audit.now.stalls.table(StallBasis::PerIssue).filter(|_| is_decided);
    let (change, table) = audit.now.stalls.latency.change().zip(table)?;
    let moved = moved(&table.rows, change.old, change.new);
    (!moved.is_empty()).then(|| {
        words!(
            "cycles per instruction {} → {} ({}): {}{}",
            digits(change.old),
            digits(change.new),
            signed(change.new - change.old),
            moved.join(", "),
            work(audit)
        )
    })
}

/// `long scoreboard −4.56`: the reasons of their own that moved most. A warp that issues waits for nothing.
fn moved(rows: &[StallRow], was: f64, is: f64) -> Vec<String> {
    let is_own = |row: &&StallRow| {
        row.reason != "selected" && catalog::stall(&row.reason).is_none_or(|known| known.part_of.is_none())
    };
    let by = |row: &StallRow| Some(row.row.new.value()? - row.row.old.as_ref()?.value()?);
    let least = (TELLS * (is - was).abs()).max(LEAST * was.min(is));
    let mut found: Vec<(&StallRow, f64)> =
        rows.iter().filter(is_own).filter_map(|row| Some((row, by(row).filter(|by| by.abs() >= least)?))).collect();
    found.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    found
        .into_iter()
        .take(SHOWN)
        .map(|(row, by)| format!("{} {}", format::uncapital(&row.row.label), signed(by)))
        .collect()
}

fn signed(by: f64) -> String {
    format!("{}{}", if by < 0.0 { "−" } else { "+" }, digits(by.abs()))
}

/// ` on 13.3 % fewer instructions`: where the average is one of other work.
fn work(audit: &Audit) -> String {
    let executed = row(audit, Counter::SmspInstExecutedSum).and_then(|row| row.change());
    let Some(part) = executed.map(|change| change.new / change.old - 1.0).filter(|part| part.abs() >= WORK) else {
        return String::new();
    };
    let word = if part < 0.0 { "fewer" } else { "more" };
    format!(" on {} % {word} instructions", format::fixed(100.0 * part.abs(), 1))
}

/// `of the consumers' time wait for the turn 13.7 → 9.9 %`: the phases whose share moved most.
fn phases(audit: &Audit) -> Option<Words> {
    let (new, old) = audit.now.phases.as_ref().zip(audit.before.as_ref().and_then(|old| old.phases.as_ref()))?;
    let (was, is) = (side_by_side(old, new), side_by_side(new, old));
    let share = |all: &[(PhaseKind, f64)], kind| {
        all.iter().filter(|(own, _)| *own == kind).map(|(_, share)| share).sum::<f64>()
    };
    let mut kinds: Vec<PhaseKind> = Vec::new();
    for (kind, _) in was.iter().chain(&is) {
        // Loops and stretches are told by their lines alone, which another version moves.
        let is_known = !matches!(kind, PhaseKind::Loop | PhaseKind::Stretch | PhaseKind::Elsewhere);
        if is_known && !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    let mut found: Vec<(PhaseKind, f64, f64)> =
        kinds.into_iter().map(|kind| (kind, share(&was, kind), share(&is, kind))).collect();
    found.retain(|(_, was, is)| (was - is).abs() >= POINTS);
    found.sort_by(|a, b| (b.1 - b.2).abs().total_cmp(&(a.1 - a.2).abs()));
    found.truncate(PHASES);
    let told: Vec<String> = found
        .iter()
        .map(|(kind, was, is)| {
            // A phase that a side does not have is none, and not one of no length.
            let share = |share: f64, unit: &str| match share > 0.0 {
                true => format!("{}{unit}", format::fixed(100.0 * share, 1)),
                false => "none".to_owned(),
            };
            let name = format::uncapital(places::phase_words(*kind).own);
            let unit = if *is > 0.0 { "" } else { " %" };
            format!("{name} {} → {}", share(*was, unit), share(*is, " %"))
        })
        .collect();
    (!told.is_empty()).then(|| words!("of the {}' time {}", places::whose(new), told.join(", ")))
}

/// The shares of the phases that both sides have: those of their parts where both have parts of the phase.
fn side_by_side(own: &Phases, other: &Phases) -> Vec<(PhaseKind, f64)> {
    let twin = |own: &Phase| other.phases.iter().find(|phase| phase.kind == own.kind);
    let paired = own.phases.iter().filter_map(|phase| Some((phase, twin(phase)?)));
    let rows = paired.flat_map(|(phase, twin)| match phase.parts.is_empty() || twin.parts.is_empty() {
        true => std::slice::from_ref(phase),
        false => &phase.parts,
    });
    rows.map(|phase| (phase.kind, phase.share)).collect()
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
        let by = counted(audit, counter, true).map(|one| words!(" (`{}`)", one.opcode.as_str())).unwrap_or_default();
        Some(words!("{} {}{}", row.label.as_str(), format::change(was, is), by))
    };
    let mut dear: Vec<Words> = TRAFFIC.into_iter().filter_map(rose).collect();
    let mut less: Vec<Words> = Vec::new();
    let known = || build.iter().filter_map(|(.., sides)| *sides);
    let takes_no_more = known().next().is_some() && known().all(|(was, is)| is <= was);
    for (name, unit, (was, is)) in build.into_iter().filter_map(|(name, unit, sides)| Some((name, unit, sides?))) {
        // A word more of shared memory costs nothing.
        if (is - was).abs() > SIZE * was {
            let list = if is > was { &mut dear } else { &mut less };
            list.push(words!("{} {} → {}{}", name, amount(was), amount(is), unit));
        }
    }
    if let Some(((was, is), (old, new))) =
        audit.change.as_ref().and_then(|change| change.mbarriers).zip(sides(Counter::LaunchGridSize))
    {
        let (was, is) = (was as f64 / old, is as f64 / new);
        // Fewer mbarriers are fewer stages.
        if was != is {
            let (was, is) = (format::fixed(was, 0), format::fixed(is, 0));
            dear.push(words!("mbarriers of a block {} → {} (a stage of a ring takes two)", was, is));
        }
    }
    if dear.is_empty() && takes_no_more {
        dear.push("nothing: no more traffic, registers or shared memory".into());
    }
    let less = if less.is_empty() { Words::default() } else { words!("; given back: {}", words::join(less, ", ")) };
    (!dear.is_empty()).then(|| words!("**Cost:** {}{}.", words::join(dear, ", "), less))
}

/// What moved a counter of work: the largest opcode that it counts and that went its way.
pub(super) fn because(audit: &Audit, counter: Counter, rose: bool) -> Words {
    counted(audit, counter, rose).map_or_else(Words::default, |one| opcode(audit, one))
}

/// The largest opcode that a counter counts and that went its way.
fn counted(audit: &Audit, counter: Counter, rose: bool) -> Option<&OpcodeMove> {
    let is_counted = |one: &&OpcodeMove| {
        let (op, is_local) = (one.op, one.op.is_in(Space::Local));
        let (reads, writes) = (op.reads_global() || op.act() == Some(Act::Prefetch), op.writes_global());
        match counter {
            Counter::SmspInstExecutedSum => true,
            Counter::LtsTSectorsSum => reads || writes || is_local,
            Counter::DramBytesReadSum => reads || is_local && op.act() == Some(Act::Load),
            Counter::DramBytesWriteSum => writes || is_local && op.act() == Some(Act::Store),
            Counter::MemoryL2TheoreticalSectorsGlobal => (reads || writes) && op.is_by_lane(),
            Counter::L1texTRequestsPipeLsuMemGlobalOpLdSum => op.loads_global(),
            Counter::MemoryL1WavefrontsShared => op.is_in(Space::Shared),
            _ => false,
        }
    };
    let moves = audit
        .change
        .iter()
        .filter_map(|change| change.moves.as_ref())
        .flatten()
        .filter(|one| one.rose() == rose)
        .filter(is_counted);
    moves.max_by_key(|one| one.by())
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
    fn the_reasons_that_moved_most_are_told_both_ways() {
        let rows = [
            stall("barrier", "Barrier", 7.0, 0.8),
            stall("long_scoreboard", "Long scoreboard", 5.0, 2.6),
            stall("mio_throttle", "MIO throttle", 0.5, 1.5),
            stall("wait", "Wait", 3.0, 2.9),
            stall("selected", "Selected", 1.0, 5.0),
        ];
        // −6.2 − 2.4 + 1.0 − 0.1: a tenth of 7.7 is told.
        assert_eq!(moved(&rows, 15.5, 7.8), ["barrier −6.20", "long scoreboard −2.40", "MIO throttle +1.00"]);
        // Where the sum stays, a twentieth of the cycles is.
        assert_eq!(moved(&rows[2..4], 20.0, 20.0), ["MIO throttle +1.00"]);
        assert!(moved(&rows[3..], 20.0, 20.1).is_empty());
    }
}
