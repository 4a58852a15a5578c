//! What each role of a kernel does with its time, and which one the others wait for.

use super::places;
use crate::analysis::phases::{Phases, Role};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// Samples of a role below which its shares say too little.
const ENOUGH: u64 = 500;
/// A role that is at barriers for less of its samples hardly waits for another one; from `WAITS` on it does.
const HARDLY: f64 = 0.10;
const WAITS: f64 = 0.25;
/// What a role spends less of its samples on is not told.
const TOLD: f64 = 0.10;

/// What the roles do, which of them the others wait for, and which warps no share of the phases counts; `None` where all warps run
/// the same.
pub(super) fn note(phases: &Phases, parked: Option<f64>) -> Option<Words> {
    if phases.roles.len() < 2 {
        return None;
    }
    let parked = parked
        .map(|share| format!("; warps parked at the last barrier, {} %, idle by design", format::fixed(share, 1)))
        .unwrap_or_default();
    let all = 0..phases.roles.len();
    if phases.roles.iter().all(|role| role.spent.is_some()) {
        let roles: Vec<String> = all.map(|at| role(phases, at)).collect();
        return Some(words!("Load balance: {}{}.{}", roles.join("; "), parked, balance(phases).unwrap_or_default()));
    }
    let others: Vec<String> = all.filter(|at| *at != phases.pacing).map(|at| called(phases, at)).collect();
    Some(words!("Left out of every share: {}{}.", others.join(", "), parked))
}

/// `producer (4 warps, 33.0 % of all samples)`.
fn called(phases: &Phases, at: usize) -> String {
    let role = &phases.roles[at];
    let share = format::fixed(100.0 * role.samples as f64 / phases.samples as f64, 1);
    format!("{} ({}, {share} % of all samples)", places::role_name(phases, at), format::counted(role.warps, "warp"))
}

/// The same with what the warps do, the most first.
fn role(phases: &Phases, at: usize) -> String {
    let role = &phases.roles[at];
    let mut parts: Vec<(&str, u64)> = spent(role).into_iter().collect();
    parts.sort_by_key(|(_, samples)| std::cmp::Reverse(*samples));
    let told = |(what, samples): (&str, u64)| {
        let share = samples as f64 / role.samples.max(1) as f64;
        (share >= TOLD).then(|| format!("{} % {what}", format::fixed(100.0 * share, 0)))
    };
    let told: Vec<String> = parts.into_iter().filter_map(told).collect();
    format!("{} {}", called(phases, at), told.join(", "))
}

/// What the warps of a role do, in samples.
pub(in crate::view) fn spent(role: &Role) -> [(&'static str, u64); 5] {
    let spent = role.spent.unwrap_or_default();
    let rest = role.samples.saturating_sub(spent.issuing + spent.barriers + spent.products + spent.memory);
    [
        ("issuing", spent.issuing),
        ("at barriers", spent.barriers),
        ("for products", spent.products),
        ("for memory", spent.memory),
        ("fixed latencies and other", rest),
    ]
}

/// The role that the others wait for; `None` with too few samples.
fn balance(phases: &Phases) -> Option<String> {
    let at_barriers = |role: &Role| {
        let spent = role.spent.filter(|_| role.samples >= ENOUGH)?;
        Some((spent.barriers as f64 / role.samples as f64, role.tensor > 0))
    };
    let roles: Vec<(f64, bool)> = phases.roles.iter().map(at_barriers).collect::<Option<_>>()?;
    let (least, said) = judged(&roles)?;
    Some(said.replace("{}", &places::role_name(phases, least)))
}

/// What follows from the shares at barriers, each with whether the role multiplies: a role that is hardly there while each of the
/// others is for a good part of its samples is the one that they wait for. Where all roles wait, it is none of them.
fn judged(roles: &[(f64, bool)]) -> Option<(usize, &'static str)> {
    let least = (0..roles.len()).min_by(|a, b| roles[*a].0.total_cmp(&roles[*b].0))?;
    if roles.iter().enumerate().any(|(at, (share, _))| at != least && *share < WAITS) {
        return None;
    }
    match roles[least] {
        (share, false) if share < HARDLY => Some(" The others wait for the {}: it needs more warps, or less work."),
        (share, true) if share < HARDLY => Some(" The copies are ahead: the others wait for the {}."),
        (share, _) if share >= WAITS => {
            Some(" All roles wait at barriers: none is too slow, the copies in flight are too few or too late.")
        }
        _ => None,
    }
    .map(|said| (least, said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_that_hardly_waits_is_waited_for() {
        // A producer, then warps with products.
        let said = |producer, consumers| judged(&[(producer, false), (consumers, true)]);
        assert_eq!(said(0.03, 0.60), Some((0, " The others wait for the {}: it needs more warps, or less work.")));
        assert_eq!(said(0.49, 0.02), Some((1, " The copies are ahead: the others wait for the {}.")));
        assert!(said(0.40, 0.30).is_some_and(|(_, said)| said.starts_with(" All roles wait at barriers")));
        assert_eq!((said(0.49, 0.13), said(0.03, 0.20)), (None, None), "neither one nor the other");
    }
}
