//! Every stall reason of the kernel by phase, role and cause.

use super::detail::{StallCause, StallGroup, StallPlace};
use super::study::Study;
use super::waits::{groups, is_wait};

/// Reasons below this share of all samples are not told.
const LEAST: f64 = 0.03;
/// Places below this share of a reason are not told.
const LEAST_OF_REASON: f64 = 0.05;
/// Places told of a reason.
const PLACES: usize = 4;

/// The reasons with at least 3 % of the samples, largest first, each by the phase or the role that it is met in.
pub(super) fn stalls(study: &Study<'_>) -> Vec<StallCause> {
    let places = places(study);
    let mut found: Vec<StallCause> = study
        .samples
        .reasons
        .iter()
        .filter(|(reason, _)| is_wait(reason))
        .filter_map(|(reason, counts)| {
            let sum: u64 = counts.iter().sum();
            let share = sum as f64 / study.samples.sum as f64;
            if share < LEAST {
                return None;
            }
            let of_place = |(place, rows): &(StallPlace, Vec<usize>)| {
                let own: u64 = rows.iter().map(|row| counts[*row]).sum();
                let share = own as f64 / sum as f64;
                let groups = || groups(study, reason, counts, rows, 0.25, 2);
                (share >= LEAST_OF_REASON).then(|| StallGroup { place: *place, share, groups: groups() })
            };
            let mut groups: Vec<StallGroup> = places.iter().filter_map(of_place).collect();
            groups.sort_by(|a, b| b.share.total_cmp(&a.share));
            groups.truncate(PLACES);
            Some(StallCause { reason: reason.clone(), share, groups })
        })
        .collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found
}

/// The rows of each phase or part of the pacing role, and of each other role.
fn places(study: &Study<'_>) -> Vec<(StallPlace, Vec<usize>)> {
    let mut found = Vec::new();
    for (phase, cut) in study.cuts.iter().enumerate() {
        let place = |part: Option<usize>| StallPlace::Phase { phase, part };
        if cut.parts.is_empty() {
            found.push((place(None), cut.rows.clone()));
        }
        for (part, (_, rows)) in cut.parts.iter().enumerate() {
            found.push((place(Some(part)), rows.clone()));
        }
    }
    for (role, group) in study.groups.iter().enumerate().filter(|(role, _)| *role != study.pacing) {
        found.push((StallPlace::Role { role }, study.code.rows_of(&group.blocks).collect()));
    }
    found
}
