//! Executions by line, and the lanes that they left idle.

use super::KEPT;
use super::accesses::{EXECUTED, LANES};
use super::spot::{Groups, Spot};
use crate::analysis::Limits;
use crate::catalog::Threshold;
use crate::evidence::SourceView;

const WARP: f64 = 32.0;

/// Warp executions of a line.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LineCount {
    pub spot: Spot,
    /// Warp-level executions of its instructions.
    pub executed: u64,
    /// Over all executions of the kernel, in percent.
    pub share: f64,
}

/// A line whose executions leave lanes idle.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LaneLine {
    pub spot: Spot,
    /// Warp-level executions of its instructions.
    pub executed: u64,
    /// Lanes that ran, of 32, on average.
    pub lanes: f64,
    /// Its idle lane slots over 32 × all warp executions of the kernel, in percent.
    pub share: f64,
}

pub(super) fn executed(view: &SourceView, groups: &Groups<'_>) -> Vec<LineCount> {
    let Some(counts) = view.counts(EXECUTED) else { return Vec::new() };
    let all: u64 = counts.iter().sum();
    let line = |(sum, rows): (u64, &[usize])| LineCount {
        spot: groups.spot(rows, &|row| counts[row]),
        executed: sum,
        share: 100.0 * sum as f64 / all as f64,
    };
    groups.leading(&counts, KEPT).into_iter().map(line).collect()
}

/// The lines below `thread-utilisation-low`, the most idle lane slots first; `None` without lanes by instruction.
pub(super) fn idle_lanes(view: &SourceView, groups: &Groups<'_>, limits: &Limits) -> Option<Vec<LaneLine>> {
    let (executed, lanes) = (view.counts(EXECUTED)?, view.counts(LANES)?);
    // An instruction that no lane ever ran is a guard that was never taken: it costs a slot and splits no warp.
    let ran = |row: &usize| lanes[*row] > 0;
    let idle = |row: usize| if ran(&row) { (32 * executed[row]).saturating_sub(lanes[row]) } else { 0 };
    let all = WARP * executed.iter().sum::<u64>() as f64;
    let mut lines: Vec<(u64, LaneLine)> = Vec::new();
    for group in &groups.all {
        let rows: Vec<usize> = group.iter().copied().filter(ran).collect();
        let sum = |counts: &[u64]| -> u64 { rows.iter().map(|row| counts[*row]).sum() };
        let (count, active) = (sum(&executed), sum(&lanes));
        let average = if count > 0 { active as f64 / count as f64 } else { WARP };
        let lost: u64 = rows.iter().map(|row| idle(*row)).sum();
        let share = 100.0 * lost as f64 / all.max(1.0);
        if average < limits[Threshold::ThreadUtilisationLow] && share >= limits[Threshold::IdleLanesNamed] {
            let spot = groups.spot(&rows, &idle);
            lines.push((lost, LaneLine { spot, executed: count, lanes: average, share }));
        }
    }
    lines.sort_by_key(|(lost, line)| (std::cmp::Reverse(*lost), line.spot.place.line));
    lines.truncate(KEPT);
    Some(lines.into_iter().map(|(_, line)| line).collect())
}
