//! What each role of a kernel does with its time, and which one the others wait for.

use super::places;
use crate::analysis::phases::{Pace, Phases, Role};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

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
        ("at mbarriers and barriers", spent.barriers),
        ("for products", spent.products),
        ("for memory", spent.memory),
        ("fixed latencies and other", rest),
    ]
}

/// What follows from whom the roles wait for.
fn balance(phases: &Phases) -> Option<String> {
    Some(match phases.pace? {
        Pace::Role(at) if phases.roles[at].tensor == 0 => {
            format!(" The others wait for the {}.", places::role_name(phases, at))
        }
        Pace::Role(at) => format!(" The copies are ahead: the others wait for the {}.", places::role_name(phases, at)),
        Pace::Copies => " All roles wait at barriers: the copies in flight are too few or too late.".to_owned(),
    })
}
