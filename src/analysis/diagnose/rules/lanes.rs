//! Rules on lanes of a warp that go different ways.

use super::{At, Held, share};
use crate::analysis::diagnose::level::Unit;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::Sits;
use crate::analysis::phases::{Point, Wait};
use crate::catalog::{Code, Counter, Part, Threshold};
use crate::quantity::format;
use crate::words;
use cuda_binary::op::Space;

/// Threads that take part in an instruction of a warp.
pub(in crate::analysis::diagnose) const LANES: Counter = Counter::SmspThreadInstExecutedPerInstExecutedRatio;
/// Requests of the constant cache that the LSU sends.
const CONSTANTS: Counter = Counter::IdcRequestCyclesActiveAvgPctElapsed;

/// `the FMA pipe`, `issue`.
fn the(unit: &Unit) -> String {
    if unit.part == Part::Issue { unit.name.clone() } else { format!("the {}", unit.name) }
}

/// Few lanes in an instruction, while issue or a pipe is busy.
pub(super) fn divergence(m: &Measures<'_, '_>) -> Option<Held> {
    let lanes = m.kernel.value(LANES)?;
    let few = m.limits[Threshold::LanesFew];
    if lanes >= m.limits[Threshold::ThreadUtilisationLow] {
        return None;
    }
    let busiest =
        m.units.iter().filter(|unit| unit.part == Part::Issue || <&str>::from(unit.part).starts_with("compute-"));
    let busiest = busiest.max_by(|a, b| a.resident.total_cmp(&b.resident))?;
    let sentence = words!(
        "Branches diverge: {} of 32 lanes are active in the average instruction, so {} of the lane slots of {} (at {}) are idle.",
        format::fixed(lanes, 1),
        share(1.0 - lanes / 32.0),
        the(busiest),
        share(busiest.share)
    );
    let is_busy = 100.0 * busiest.resident >= m.limits[Threshold::SolLow];
    let idle = |lanes: f64| 100.0 * (1.0 - lanes / 32.0);
    let held = Held::new(Code::Divergence, idle(lanes), idle(few), sentence).only_if(is_busy);
    Some(held.at(At::Line(Sits::IdleLanes)).from(m.readings(&[LANES])))
}

/// Constants at addresses that differ from lane to lane are served one address after the other.
pub(super) fn constants(m: &Measures<'_, '_>) -> Option<Held> {
    let busy = m.kernel.value(CONSTANTS)?;
    let sentence = words!(
        "Lanes read different constant addresses, served one at a time: the constant cache is busy {} % of the time.",
        format::fixed(busy, 1)
    );
    let held = Held::new(Code::ConstantDivergence, busy, m.limits[Threshold::ConstantRequests], sentence);
    let loads = m.kernel_of.phases.and_then(|phases| constant_load(&phases.stalls));
    let held = held.at(loads.map_or(At::Line(Sits::Nowhere), At::point)).from(m.readings(&[CONSTANTS]));
    held.holds.then_some(held)
}

/// The load of a constant that warps wait at or for the most.
fn constant_load(stalls: &[Wait]) -> Option<&Point> {
    let mut found: Vec<(&Point, f64)> = Vec::new();
    for stall in stalls {
        for group in &stall.groups {
            let points = [Some(&group.at), group.cause.as_ref()].into_iter().flatten();
            let samples = stall.samples as f64 * group.share;
            found.extend(points.filter(|point| point.op().is_in(Space::Constant)).map(|point| (point, samples)));
        }
    }
    found.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(point, _)| point)
}
