//! The registry of levers: which there are, what caps them, which say the same, and their order.

use super::lever::Lever;
use super::relief::{HEADROOM, is_spent};
use super::{access, grid, lanes, nvidia, relief, wait};
use crate::analysis::diagnose::bottleneck::percent;
use crate::analysis::diagnose::ground::Ground;
use crate::catalog::Threshold;

type Rule = fn(&Ground<'_, '_>) -> Option<Lever>;

/// Our levers. Each is silent where its evidence is missing or the bound is under one percent.
const RULES: [Rule; 13] = [
    grid::small_grid,
    access::atomics,
    access::spills,
    wait::fetch,
    wait::fences,
    access::uncoalesced,
    access::shared_conflicts,
    relief::relief,
    wait::stall,
    wait::occupancy_limit,
    grid::tail,
    lanes::divergence,
    relief::unit_headroom,
];

/// Bounds closer than this read the same on the page, in percentage points.
const SAME_BOUND: f64 = 0.05;

/// All levers, ours by bound, then NVIDIA's by bound.
pub(in crate::analysis) fn levers(ground: &Ground<'_, '_>) -> Vec<Lever> {
    let floor = ground.floor();
    let capped = |lever: Lever| match &floor {
        Some(floor) if floor.most < lever.bound => Lever {
            bound: floor.most,
            is_rough: false,
            formula: format!(
                "{}, and no more than {}: the bytes that {} at DRAM's peak",
                lever.formula,
                percent(floor.most),
                if floor.moved < floor.stated { "it moved" } else { "the work needs" }
            ),
            ..lever
        },
        _ => lever,
    };
    let mut ours: Vec<Lever> = RULES
        .iter()
        .filter_map(|rule| rule(ground))
        .map(capped)
        .filter(|lever| lever.bound >= ground.limits[Threshold::LeverLeast])
        .collect();
    if !is_spent(ground) {
        let bounds: Vec<f64> = ours.iter().filter(|lever| lever.code != HEADROOM).map(|lever| lever.bound).collect();
        let is_said = |lever: &Lever| bounds.iter().any(|bound| (bound - lever.bound).abs() < SAME_BOUND);
        ours.retain(|lever| lever.code != HEADROOM || !is_said(lever));
    }
    ours.sort_by(|a, b| b.bound.total_cmp(&a.bound));
    ours.extend(nvidia::nvidia(ground.kernel, ground.limits));
    ours
}
