//! What a change did, link by link: in the code, in the counters, in the time, and what it cost.

use super::numbers::row;
use super::{build, moved, places};
use crate::analysis::phases::{Phase, PhaseKind, Phases, Stand};
use crate::analysis::{Audit, OpcodeMove, Row};
use crate::catalog::Counter;
use crate::quantity::format;
use crate::quantity::glance::amount;
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
    let parts: Vec<Words> = [moved::waits(audit), phases(audit)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| words!("**In the counters:** {}.", words::join(parts, "; ")))
}

/// `wait for the turn 13.7 → 9.9 % of the warps' time`: the phases whose share moved most.
fn phases(audit: &Audit) -> Option<Words> {
    let (new, old) = audit.now.phases.as_ref().zip(audit.before.as_ref().and_then(|old| old.phases.as_ref()))?;
    let top = |phases: &Phases| -> Vec<(PhaseKind, f64)> {
        phases.phases.iter().map(|phase: &Phase| (phase.kind, phase.share)).collect()
    };
    let (was, is) = (top(old), top(new));
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
            let percent = |share: f64| format::fixed(100.0 * share, 1);
            format!("{} {} → {} %", places::phase_words(*kind).label.to_lowercase(), percent(*was), percent(*is))
        })
        .collect();
    let whose = match new.roles.len() {
        0 | 1 => "warps".to_owned(),
        _ => places::role_name(new, new.pacing),
    };
    (!told.is_empty()).then(|| words!("of the {}' time {}", whose, told.join(", ")))
}

/// `**Cost:** …`: what rose that a kernel wants little of, and what the build takes of the SM; `None` without both sides.
pub(super) fn cost(audit: &Audit) -> Option<Words> {
    const TRAFFIC: [Counter; 3] = [Counter::LtsTSectorsSum, Counter::DramBytesReadSum, Counter::DramBytesWriteSum];
    const BUILD: [(Counter, &str); 2] = [
        (Counter::LaunchRegistersPerThread, "registers"),
        (Counter::SassInstExecutedRegisterSpilling, "spills executed"),
    ];
    let sides = |row: &Row| Some((row.old.as_ref()?.value()?, row.new.value()?));
    let mut dear: Vec<String> = Vec::new();
    let mut kept: Vec<String> = Vec::new();
    for counter in TRAFFIC {
        let Some((row, (was, is))) = row(audit, counter).and_then(|row| Some((row, sides(row)?))) else { continue };
        if is > (1.0 + COST) * was {
            dear.push(format!("{} {}", row.label, format::change(was, is)));
        }
    }
    for (counter, name) in BUILD {
        let Some((was, is)) = row(audit, counter).and_then(sides) else { continue };
        match (was == is, is) {
            (true, 0.0) => {}
            (true, _) => kept.push(format!("{name} {}", format::fixed(is, 0))),
            (false, _) => dear.push(format!("{name} {} → {}", format::fixed(was, 0), format::fixed(is, 0))),
        }
    }
    let shared = [Counter::LaunchSharedMemPerBlockStatic, Counter::LaunchSharedMemPerBlockDynamic];
    let shared: Option<Vec<(f64, f64)>> = shared.iter().map(|counter| row(audit, *counter).and_then(sides)).collect();
    if let Some(shared) = shared {
        let (was, is) = shared.into_iter().fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        match was == is {
            true if is == 0.0 => {}
            true => kept.push(format!("shared memory {} B", format::fixed(is, 0))),
            false => dear.push(format!("shared memory {} → {} B", format::fixed(was, 0), format::fixed(is, 0))),
        }
    }
    let grids = row(audit, Counter::LaunchGridSize).and_then(sides);
    if let Some(((was, is), (old, new))) = audit.change.as_ref().and_then(|change| change.mbarriers).zip(grids) {
        let (was, is) = (was as f64 / old, is as f64 / new);
        if was != is {
            let (was, is) = (format::fixed(was, 0), format::fixed(is, 0));
            dear.push(format!("mbarriers of a block {was} → {is} (a stage of a ring takes two)"));
        }
    }
    let kept = (!kept.is_empty()).then(|| format!("{} as before", kept.join(" and ")));
    let parts: Vec<String> = dear.into_iter().chain(kept).collect();
    (!parts.is_empty()).then(|| words!("**Cost:** {}.", parts.join(", ")))
}

/// What moved a counter of work: the largest opcode that it counts and that went its way.
pub(super) fn because(audit: &Audit, counter: Counter, rose: bool) -> Words {
    let is_counted = |one: &&OpcodeMove| {
        let (op, is_local) = (one.op, one.op.is_in(Space::Local));
        let (reads, writes) = (op.reads_global() || op.act() == Some(Act::Prefetch), op.writes_global());
        match counter {
            Counter::SmspInstExecutedSum => true,
            Counter::LtsTSectorsSum => reads || writes || is_local,
            Counter::DramBytesReadSum => reads || is_local,
            Counter::DramBytesWriteSum => writes || is_local,
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
    moves.max_by_key(|one| one.by()).map_or_else(Words::default, |one| opcode(audit, one))
}
