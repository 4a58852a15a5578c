//! Whom the roles of a launch wait for.

use super::model::{Pace, PhaseKind, Phases, Role};
use super::{role_lines::lines, study::Study};
use crate::evidence::WarpSync;
use cuda_binary::op::Sync;

/// The roles of a launch, each with its samples at barriers where there are several.
pub(super) fn roles(study: &Study<'_>) -> Vec<Role> {
    let mut roles = study.roles.clone();
    if roles.len() > 1 {
        for (at, (role, group)) in roles.iter_mut().zip(&study.split.roles).enumerate() {
            let rows: Vec<usize> = study.code.rows_of(&group.blocks).collect();
            if at != study.pacing {
                role.lines = lines(study, &rows);
            }
            role.at_barriers = Some(at_barriers(study, &rows));
        }
    }
    roles
}

/// Samples of a role below which its shares say too little.
const ENOUGH: u64 = 500;
/// A role that is at barriers for less of its samples hardly waits for another one; from `WAITS` on it does.
const HARDLY: f64 = 0.10;
const WAITS: f64 = 0.25;

/// Whom the roles wait for, by their shares at barriers; waits for the turn among warps of one role are for no other one.
pub(super) fn pace(phases: &Phases) -> Option<Pace> {
    let turns: u64 =
        phases.phases.iter().filter(|phase| phase.kind == PhaseKind::TurnWait).map(|phase| phase.samples).sum();
    let share = |(at, role): (usize, &Role)| {
        let at_barriers = role.at_barriers.filter(|_| role.samples >= ENOUGH)?;
        let turns = if at == phases.pacing { turns } else { 0 };
        Some(at_barriers.saturating_sub(turns) as f64 / role.samples as f64)
    };
    judged(&phases.roles.iter().enumerate().map(share).collect::<Option<Vec<f64>>>()?)
}

/// What follows from the shares at barriers: a role that is hardly there while each of the others is for a good part of its samples is
/// the one that they wait for. Where all roles wait, it is none of them.
fn judged(roles: &[f64]) -> Option<Pace> {
    let least = (0..roles.len()).min_by(|a, b| roles[*a].total_cmp(&roles[*b])).filter(|_| roles.len() > 1)?;
    if roles.iter().enumerate().any(|(at, share)| at != least && *share < WAITS) {
        return None;
    }
    match roles[least] {
        share if share < HARDLY => Some(Pace::Role(least)),
        share if share >= WAITS => Some(Pace::Copies),
        _ => None,
    }
}

/// Samples at an mbarrier, or a barrier of block or cluster: for another role or bulk copies, not for the warps' own products.
fn at_barriers(study: &Study<'_>, rows: &[usize]) -> u64 {
    let code = &study.code;
    let asks = |row: usize| {
        let cause = study.samples.cause("long_scoreboard", row);
        cause.is_some_and(|cause| code.op(cause).sync() == Some(Sync::Mbarrier))
    };
    let is_meant = |reason: &str, row: usize| match reason {
        "barrier" => !matches!(code.sync(row), WarpSync::ProductsWait { .. }),
        "long_scoreboard" => asks(row),
        _ => false,
    };
    let of = |(reason, counts): (&String, &Vec<u64>)| {
        let own = rows.iter().filter(|row| study.spins.contains(row) || is_meant(reason, **row));
        own.map(|row| counts[*row]).sum::<u64>()
    };
    study.samples.reasons.iter().map(|(reason, counts)| of((reason, counts))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_that_hardly_waits_is_waited_for() {
        // A producer, then warps with products.
        let paces = |producer, consumers| judged(&[producer, consumers]);
        assert_eq!((paces(0.03, 0.60), paces(0.49, 0.02)), (Some(Pace::Role(0)), Some(Pace::Role(1))));
        assert_eq!(paces(0.40, 0.30), Some(Pace::Copies));
        assert_eq!((paces(0.49, 0.13), paces(0.03, 0.20)), (None, None), "neither one nor the other");
        assert_eq!(judged(&[0.03]), None, "one role waits for nobody");
    }
}
