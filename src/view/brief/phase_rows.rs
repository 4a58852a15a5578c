//! Which phases are rows, and what stands beside each on the old side.

use crate::analysis::phases::{OpcodeRun, Phase, PhaseKind, Phases};

/// The rows that are shown: each phase, a loop with parts followed by them. The smallest are left out where there are too many; one
/// is as large as on the side where it is larger, so that what a change took is seen.
pub(super) fn shown<'p>(phases: &'p [Phase], old: Option<&[Phase]>, least: f64, most: usize) -> Vec<(&'p Phase, bool)> {
    let size =
        |phase: &Phase| old.and_then(|old| twin(phases, old, phase)).map_or(0.0, |old| old.share).max(phase.share);
    let mut leaves: Vec<(&Phase, bool)> = Vec::new();
    for phase in phases {
        if phase.parts.is_empty() {
            leaves.push((phase, false));
        }
        leaves.extend(phase.parts.iter().map(|part| (part, true)));
    }
    leaves.retain(|(phase, _)| size(phase) >= least);
    while leaves.len() > most {
        let least = (0..leaves.len()).min_by(|a, b| size(leaves[*a].0).total_cmp(&size(leaves[*b].0)));
        leaves.remove(least.unwrap_or_default());
    }
    let is_left = |phase: &Phase| leaves.iter().any(|(leaf, _)| std::ptr::eq(*leaf, phase));
    let mut rows = Vec::new();
    for phase in phases {
        if !phase.parts.is_empty() || is_left(phase) {
            rows.push((phase, false));
        }
        rows.extend(phase.parts.iter().filter(|part| is_left(part)).map(|part| (part, true)));
    }
    rows
}

/// The same phase or part on the old side of the same loop.
pub(super) fn twin<'o>(phases: &[Phase], old: &'o [Phase], phase: &Phase) -> Option<&'o Phase> {
    if let Some(at) = phases.iter().position(|own| std::ptr::eq(own, phase)) {
        return old.get(at);
    }
    let place = |own: &Phase| own.parts.iter().position(|part| std::ptr::eq(part, phase));
    phases.iter().zip(old).find_map(|(own, other)| other.parts.get(place(own)?))
}

/// Cycles of a prologue in front of all tiles of a block: one with an instruction that all warps of the role run once in each block.
pub(super) fn once(phases: &Phases, phase: &Phase, blocks: Option<f64>) -> Option<f64> {
    let (blocks, warps) = (blocks.filter(|_| phases.is_persistent)?, phases.roles[phases.pacing].warps as f64);
    let tiles = phases.tiles.filter(|tiles| *tiles > blocks && phase.kind == PhaseKind::Prologue)? / blocks;
    let is_once = |run: &OpcodeRun| (run.executed as f64 / (run.count as f64 * warps * blocks) - 1.0).abs() < 0.01;
    phase.opcodes.iter().any(is_once).then_some(phase.cycles? * tiles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::PhaseKind;

    #[test]
    fn a_part_that_the_change_took_stays_a_row() {
        let part = |kind, share| Phase { kind, share, ..Phase::default() };
        let side = |stage, copies| {
            let parts = vec![part(PhaseKind::StageWait, stage), part(PhaseKind::Copies, copies)];
            [Phase { parts, ..part(PhaseKind::MainLoop, 0.9) }]
        };
        let (new, old) = (side(0.04, 0.06), side(0.10, 0.06));
        let kinds =
            |old: Option<&[Phase]>| shown(&new, old, 0.01, 1).iter().map(|(phase, _)| phase.kind).collect::<Vec<_>>();
        assert_eq!(kinds(Some(&old)), [PhaseKind::MainLoop, PhaseKind::StageWait]);
        assert_eq!(kinds(None), [PhaseKind::MainLoop, PhaseKind::Copies]);
    }
}
