//! What is said where nothing is left to do, and what is ruled out.

use super::level::Level;
use super::lever::LeverCode;
use super::machine::{Change, Machine, ROOF};
use super::measures::Measures;
use super::next::Levers;
use super::patterns::{Draft, WORTH, WORTH_A_TRY, count, excess, packable, share, wavefronts};
use crate::catalog::{Action, Code, Counter, Part, Threshold};
use crate::quantity::glance;
use crate::words;
use crate::words::Words;

impl Levers {
    /// Whether one of these actions has a row.
    fn names(&self, actions: &[Action]) -> bool {
        self.rows.iter().any(|lever| matches!(&lever.code, LeverCode::Ours(action) if actions.contains(action)))
    }

    /// What an action is expected to save, where it was computed.
    fn saves(&self, action: Action) -> Option<f64> {
        self.computed.iter().find(|(other, _)| *other == action).map(|(_, saves)| *saves)
    }
}

/// The part that needs most of the time is nearly full, and nothing that was computed takes off what is worth a row: what is left, and
/// that only less work helps.
pub(super) fn at_the_roof(m: &Measures<'_, '_>, limiter: Code, levers: &Levers) -> Option<Words> {
    let Code::Unit(part) = limiter else { return None };
    let is_pipe = <&str>::from(part).starts_with("compute-") && part != Part::ComputeControl;
    let unit = m.unit(part).filter(|_| part == Part::MemoryDram || is_pipe)?;
    let is_full = Machine::of(m).need(part).is_some_and(|need| need >= ROOF);
    if !is_full || levers.names(&[Action::Rebuild]) || levers.computed.iter().any(|(_, saves)| *saves >= WORTH_A_TRY) {
        return None;
    }
    let most = m.units.iter().map(|unit| unit.share).fold(0.0, f64::max);
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
        None if part == Part::ComputeFma => {
            words!("another algorithm, a narrower type, or tensor instructions for products")
        }
        None => words!("another algorithm, or a narrower type"),
    };
    let name = if part == Part::MemoryDram { unit.name.clone() } else { format!("the {}", unit.name) };
    let left = share(1.0 - most);
    // DRAM does not reach its peak: saturated, it is at its roof.
    if 1.0 - most >= WORTH_A_TRY && !(part == Part::MemoryDram && unit.level == Level::Saturated) {
        return Some(words!("≤ {} is left beside the work of {}. Sure to help is less of it: {}.", left, name, less));
    }
    Some(match unit.level {
        Level::Saturated => {
            words!("At the roof of {}: ≤ {} is left in this kernel. Only less work helps: {}.", name, left, less)
        }
        _ => words!("Near the roof of {}: ≤ {} is left in this kernel. Only less work helps: {}.", name, left, less),
    })
}

/// What no lever names, each with its number, and what would be a first row and cannot be done here.
pub(super) fn ruled_out(m: &Measures<'_, '_>, levers: &Levers, is_found: impl Fn(Code) -> bool) -> Option<Words> {
    let mut found: Vec<String> = Vec::new();
    if let Some(wave) = wavefronts(m).filter(|_| !levers.names(&[Action::Unconflict])) {
        let excess = wave.all - wave.ideal;
        // Most of few wavefronts is no reason to rule them out.
        if excess <= WORTH * wave.all && wave.excess < WORTH {
            found.push(format!("bank conflicts ({} excess wavefronts)", count(excess)));
        }
    }
    let coalescing = levers.saves(Action::Coalesce);
    let has_lever = coalescing.is_some_and(|saves| saves >= WORTH_A_TRY) || levers.names(&[Action::Coalesce]);
    if let Some(phases) = m.kernel_of.phases.filter(|phases| !phases.accesses.is_empty() && !has_lever) {
        let inherent: u64 =
            phases.accesses.iter().filter(|access| access.is_inherent).map(|access| access.excess()).sum();
        let is_shifted = phases.accesses.iter().any(|access| access.is_shifted() && !access.is_inherent);
        found.extend(match (packable(m).is_empty(), inherent, coalescing) {
            (true, 0, _) if is_shifted => Some("coalescing (contiguous, off the boundary of a sector)".to_owned()),
            (true, 0, _) => Some("coalescing (0 excess sectors)".to_owned()),
            (true, ..) => Some("coalescing by layout (the addresses are loaded values)".to_owned()),
            (false, _, Some(saves)) => {
                let excess = excess(m).map(|excess| format!("{} excess sectors, ", count(excess))).unwrap_or_default();
                Some(format!("coalescing ({excess}about {} of the time)", share(saves)))
            }
            (false, _, None) => None,
        });
    }
    if let Some(room) = m.theoretical.filter(|_| !levers.names(&[Action::MoreWarps])) {
        let all_slots = Change { warps: (room, room), ..Change::default() };
        if m.is_by_design() == Some(true) {
            found.push("occupancy (1 block/SM by design)".to_owned());
        } else if room >= 1.0 || Machine::of(m).after(&all_slots).expected < WORTH_A_TRY {
            let sizes = m.block_sizes();
            let fuller = sizes.as_ref().and_then(|sizes| Some((sizes.fuller()?, f64::from(sizes.most_warps()))));
            let fuller = fuller.map(|(size, most)| {
                format!("; blocks of {} threads: {}", size.threads, share(f64::from(size.warps) / most))
            });
            found.push(format!("occupancy limits ({} theoretical{})", share(room), fuller.unwrap_or_default()));
        }
    }
    let wave = m.kernel_of.phases.and_then(|phases| Some((phases.time.last_wave?, phases.is_persistent)));
    if let Some((wave, is_persistent)) = wave.filter(|(wave, _)| *wave < 0.02 && !levers.names(&[Action::WholeWaves])) {
        let kind = if is_persistent { "persistent, " } else { "" };
        found.push(format!("wave quantisation ({kind}{})", share(wave)));
    }
    let is_low = |share: f64| 100.0 * share < m.limits[Threshold::SolLow] && !is_found(Code::Unit(Part::MemoryDram));
    let dram = m.unit(Part::MemoryDram).filter(|dram| is_low(m.highest(dram).0));
    found.extend(
        dram.filter(|_| !levers.names(&[Action::FewerBytes])).map(|dram| format!("DRAM ({})", share(dram.share))),
    );
    let of_refused = |(draft, saves): &(Draft, f64)| {
        Some(words!("`{}`, worth about {}: {}", draft.action.to_string(), share(*saves), draft.refused()?))
    };
    let refused: Vec<Words> = levers.refused.iter().filter_map(of_refused).collect();
    let ruled = (!found.is_empty()).then(|| words!("Ruled out: {}.", found.join(", ")));
    let refused = (!refused.is_empty()).then(|| words!("Not here: {}.", words::join(refused, "; ")));
    let said: Vec<Words> = ruled.into_iter().chain(refused).collect();
    (!said.is_empty()).then(|| words::join(said, " "))
}
