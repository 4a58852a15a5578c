//! What is said where nothing is left to do, and what is ruled out.

use crate::analysis::derive::coalescing::{IDEAL, SECTORS};
use crate::analysis::diagnose::level::Level;
use crate::analysis::diagnose::lever::{Lever, LeverCode, LeverOrigin};
use crate::analysis::diagnose::levers::WORTH;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::diagnose::rules::memory::{packable, wavefronts};
use crate::analysis::diagnose::rules::{count, share};
use crate::catalog::{Action, Code, Counter, Part, Threshold};
use crate::quantity::glance;
use crate::words;
use crate::words::Words;

/// Levers that take work away.
const REMOVES_WORK: [Action; 13] = [
    Action::FewerInstructions,
    Action::WideShared,
    Action::SkipAccesses,
    Action::TensorGeneration,
    Action::Coalesce,
    Action::Unconflict,
    Action::KeepInRegisters,
    Action::RegisterTile,
    Action::FewerBytes,
    Action::BulkCopies,
    Action::FewerAtomics,
    Action::Regroup,
    Action::MoveConstants,
];

/// The part of the time in which a pipe idles that a lever may fill: with more the pipe is at no roof.
const LARGEST: f64 = 0.5;

fn names(levers: &[Lever], actions: &[Action]) -> bool {
    levers.iter().any(|lever| matches!(&lever.code, LeverCode::Ours(action) if actions.contains(action)))
}

/// DRAM, or a pipe, or its queue, is full, and no lever removes work, brings more bytes into flight or fills most of the time in which a pipe idles:
/// what is left, and that only less work helps.
pub(in crate::analysis::diagnose) fn at_the_roof(
    m: &Measures<'_, '_>,
    limiter: Code,
    levers: &[Lever],
) -> Option<Words> {
    let Code::Unit(part) = limiter else { return None };
    let is_pipe = <&str>::from(part).starts_with("compute-") && part != Part::ComputeControl;
    let unit = m.unit(part).filter(|_| part == Part::MemoryDram || is_pipe)?;
    if names(levers, &REMOVES_WORK) || names(levers, &[Action::MoreInFlight]) {
        return None;
    }
    let most = m.units.iter().map(|unit| unit.share).fold(0.0, f64::max);
    let own = levers.iter().filter(|lever| lever.origin == LeverOrigin::Audit);
    if is_pipe && own.filter_map(|lever| lever.bound).fold(0.0, f64::max) >= 100.0 * LARGEST * (1.0 - most) {
        return None;
    }
    let bytes = |name: Counter| m.kernel.value(name).map(|bytes| format!("{}B", glance::short(bytes)));
    let neighbour =
        bytes(Counter::DramBytesReadSum).zip(bytes(Counter::DramBytesWriteSum)).filter(|_| part == Part::MemoryDram);
    let less = match neighbour {
        Some((read, written)) => words!(
            "fuse with a neighbour (saves its read or write: {} read, {} written here), a narrower type, no intermediate",
            read,
            written
        ),
        None if part == Part::MemoryDram => words!("fuse with a neighbour, a narrower type, no intermediate"),
        None if part == Part::ComputeTensor => words!("fewer products, a narrower type, or structured sparsity"),
        None => words!("another algorithm, a narrower type, or tensor instructions for products"),
    };
    let name = if part == Part::MemoryDram { unit.name.clone() } else { format!("the {}", unit.name) };
    let left = share(1.0 - most);
    Some(match unit.level {
        Level::Saturated => {
            words!("At the roof of {}: ≤ {} is left in this kernel. Only less work helps: {}.", name, left, less)
        }
        _ if is_pipe && 100.0 * unit.resident < m.limits[Threshold::SolHigh] => {
            words!("≤ {} is left beside the work of {}; less of that helps: {}.", left, name, less)
        }
        _ => words!("Near the roof of {}: ≤ {} is left in this kernel. Only less work helps: {}.", name, left, less),
    })
}

/// What no lever names, each with its number.
pub(in crate::analysis::diagnose) fn ruled_out(m: &Measures<'_, '_>, levers: &[Lever]) -> Option<Words> {
    let mut found: Vec<String> = Vec::new();
    if let Some(wave) = wavefronts(m).filter(|_| !names(levers, &[Action::Unconflict])) {
        let excess = wave.all - wave.ideal;
        // Most of few wavefronts is no reason to rule them out.
        if excess <= WORTH * wave.all && wave.excess < WORTH {
            found.push(format!("bank conflicts ({} excess wavefronts)", count(excess)));
        }
    }
    // Excess in front of a busy memory unit is not ruled out, whatever else limits.
    let is_open =
        !packable(m).is_empty() && m.memory().is_none_or(|unit| 100.0 * unit.share >= m.limits[Threshold::SolLow]);
    let has_lever = names(levers, &[Action::Coalesce]);
    if let Some(phases) = m.kernel_of.phases.filter(|phases| !phases.accesses.is_empty() && !has_lever && !is_open) {
        let inherent: u64 =
            phases.accesses.iter().filter(|access| access.is_inherent).map(|access| access.excess()).sum();
        let all = m.kernel.value(SECTORS).zip(m.kernel.value(IDEAL)).map(|(all, ideal)| all - ideal);
        let is_shifted = phases.accesses.iter().any(|access| access.is_shifted() && !access.is_inherent);
        found.push(match (packable(m).is_empty(), inherent) {
            (true, 0) if is_shifted => "coalescing (contiguous, off the boundary of a sector)".to_owned(),
            (true, 0) => "coalescing (0 excess sectors)".to_owned(),
            (true, _) => "coalescing (the addresses are loaded values)".to_owned(),
            (false, _) => {
                let excess = all.map(|all| format!("{} excess sectors, but ", count(all - inherent as f64)));
                format!("coalescing ({}no memory unit is busy)", excess.unwrap_or_default())
            }
        });
    }
    if let Some(room) = m.theoretical.filter(|_| !names(levers, &[Action::MoreWarps])) {
        if m.is_by_design() == Some(true) {
            found.push("occupancy (1 block/SM by design)".to_owned());
        } else if room >= 0.5 {
            let sizes = m.block_sizes();
            let fuller = sizes.as_ref().and_then(|sizes| Some((sizes.fuller()?, f64::from(sizes.most_warps()))));
            let fuller = fuller.map(|(size, most)| {
                format!("; blocks of {} threads: {}", size.threads, share(f64::from(size.warps) / most))
            });
            found.push(format!("occupancy limits ({} theoretical{})", share(room), fuller.unwrap_or_default()));
        }
    }
    let wave = m.kernel_of.phases.and_then(|phases| Some((phases.time.last_wave?, phases.is_persistent)));
    if let Some((wave, is_persistent)) = wave.filter(|(wave, _)| *wave < 0.02 && !names(levers, &[Action::WholeWaves]))
    {
        let kind = if is_persistent { "persistent, " } else { "" };
        found.push(format!("wave quantisation ({kind}{})", share(wave)));
    }
    let dram = m.unit(Part::MemoryDram).filter(|dram| 100.0 * dram.share < m.limits[Threshold::SolLow]);
    found.extend(
        dram.filter(|_| !names(levers, &[Action::FewerBytes])).map(|dram| format!("DRAM ({})", share(dram.share))),
    );
    (!found.is_empty()).then(|| words!("Ruled out: {}.", found.join(", ")))
}
