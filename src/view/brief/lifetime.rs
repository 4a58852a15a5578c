//! What the time of the kernel is made of, and what of it is healthy.

use super::numbers::tenth;
use super::places::phase_words;
use crate::analysis::Audit;
use crate::analysis::phases::{CycleUnit, Phase, PhaseKind, Phases};
use crate::catalog::Threshold;
use crate::quantity::{format, glance};
use crate::words;
use crate::words::Words;

/// The sentences; none where too little was sampled for shares to mean something.
pub(super) fn sentences(audit: &Audit) -> Vec<Words> {
    let few = audit.limits[Threshold::SamplesFew];
    let Some(phases) = audit.phases.as_ref().filter(|phases| phases.samples as f64 >= few) else { return Vec::new() };
    [tile(phases), split(phases), health(phases)].into_iter().flatten().collect()
}

/// `One tile = 15,387 cycles: main loop 8,334 (tensor 6,147 = 74 %), epilogue 7,004 (tensor 0).`
fn tile(phases: &Phases) -> Option<Words> {
    let (cycles, tensor) = (phases.cycles?, phases.tensor?);
    let whole = match phases.unit? {
        CycleUnit::Tile => "tile",
        CycleUnit::Block => "block",
        CycleUnit::Warp => "warp lifetime",
    };
    let of_drain = phases.phases.iter().filter(|phase| phase.kind == PhaseKind::Drain).filter_map(|phase| phase.cycles);
    let drain: f64 = of_drain.sum();
    let said = |phase: &Phase| {
        // The last products run on in the drain: both have the tensor cycles together.
        let (name, own) = match phase.kind {
            PhaseKind::Drain if phases.in_turn.is_none() => return None,
            PhaseKind::MainLoop if drain > 0.0 && phase.tensor.is_some() => {
                ("main loop and drain".to_owned(), phase.cycles? + drain)
            }
            other => (kind(other), phase.cycles?),
        };
        let of_tensor = match phase.tensor {
            Some(0.0) if phase.kind == PhaseKind::Epilogue => " (tensor 0)".to_owned(),
            Some(busy) if busy > 0.0 => {
                format!(" (tensor {} = {} %)", glance::cycles(busy), format::fixed(100.0 * (tensor / own).min(1.0), 0))
            }
            _ => String::new(),
        };
        let share = phase.share >= 0.005;
        share.then(|| format!("{name} {}{of_tensor}", glance::cycles(own)))
    };
    let parts: Vec<String> = phases.phases.iter().filter_map(said).collect();
    let busy = phases.in_turn.map(|groups| {
        let percent = format::fixed(100.0 * tensor / cycles, 0);
        format!("; tensor {} = {percent} %, by {groups} warpgroups in turn", glance::cycles(tensor))
    });
    let cycles = glance::cycles(cycles);
    Some(words!("One {} = {} cycles: {}{}.", whole, cycles, parts.join(", "), busy.unwrap_or_default()))
}

/// What a phase of a kernel of products is called in a list.
fn kind(kind: PhaseKind) -> String {
    match kind {
        PhaseKind::Loop | PhaseKind::Stretch | PhaseKind::Elsewhere => "other code".to_owned(),
        _ => phase_words(kind).label.to_lowercase(),
    }
}

/// `Elapsed time: 83.9 % tensor busy, 10.8 % block resident and tensor idle, 5.3 % no block on the SM.`
fn split(phases: &Phases) -> Option<Words> {
    let time = &phases.time;
    let (tensor, idle, empty) = (time.tensor?, time.idle?, time.empty?);
    let wave = time.last_wave.filter(|wave| *wave >= 0.005);
    let wave =
        wave.map(|wave| format!(" (at most {} of it the last wave)", share(wave.min(empty)))).unwrap_or_default();
    let wave = if empty >= 0.005 { wave } else { String::new() };
    Some(words!(
        "Elapsed time: {} tensor busy, {} block resident and tensor idle, {} no block on the SM{}.",
        share(tensor),
        share(idle),
        share(empty),
        wave
    ))
}

/// Back-pressure of a full tensor pipe is health.
fn health(phases: &Phases) -> Option<Words> {
    let pressure = phases.pressure.filter(|pressure| pressure.is_healthy == Some(true) && pressure.share >= 0.1)?;
    Some(words!(
        "{} of the samples of the tensor warps are back-pressure of the tensor pipe: healthy, not a stall to fix.",
        share(pressure.share)
    ))
}

/// A share as a sentence has it: `45.5 %`.
fn share(value: f64) -> String {
    format!("{} %", tenth(100.0 * value))
}
