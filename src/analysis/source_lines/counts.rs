//! Executions by line, and the lanes that they left idle.

use super::KEPT;
use super::accesses::{EXECUTED, LANES};
use super::spot::{Groups, Spot};
use crate::analysis::limits::Limits;
use crate::evidence::SourceView;

/// Lanes of a warp.
const WARP: f64 = 32.0;

/// Warp executions of a line.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LineCount {
    /// The line.
    pub spot: Spot,
    /// Warp-level executions of its instructions.
    pub executed: u64,
    /// Over all executions of the kernel, in percent.
    pub share: f64,
}

/// A line whose executions leave lanes idle.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LaneLine {
    /// The line.
    pub spot: Spot,
    /// Warp-level executions of its instructions.
    pub executed: u64,
    /// Lanes that ran, of 32, on average.
    pub lanes: f64,
    /// Idle lane slots over all idle lane slots of the kernel, in percent.
    pub share: f64,
}

/// The lines that execute the most.
pub(super) fn executed(view: &SourceView, groups: &Groups<'_>) -> Vec<LineCount> {
    let Some(counts) = view.counts(EXECUTED) else { return Vec::new() };
    let all: u64 = counts.iter().sum();
    let mut lines: Vec<(u64, &[usize])> =
        groups.all.iter().map(|g| (g.rows.iter().map(|row| counts[*row]).sum(), &g.rows[..])).collect();
    lines.retain(|(sum, _)| *sum > 0);
    lines.sort_by_key(|(sum, rows)| (std::cmp::Reverse(*sum), rows[0]));
    lines.truncate(KEPT);
    let line = |(sum, rows): (u64, &[usize])| LineCount {
        spot: groups.spot(rows, |row| counts[row]),
        executed: sum,
        share: 100.0 * sum as f64 / all as f64,
    };
    lines.into_iter().map(line).collect()
}

/// The lines below the threshold `thread-utilisation-low`, those that leave the most lane slots idle first; `None`
/// where the report does not count lanes by instruction.
pub(super) fn idle_lanes(view: &SourceView, groups: &Groups<'_>, limits: &Limits) -> Option<Vec<LaneLine>> {
    let (executed, lanes) = (view.counts(EXECUTED)?, view.counts(LANES)?);
    let idle = |row: usize| (32 * executed[row]).saturating_sub(lanes[row]);
    let all: u64 = (0..executed.len()).map(idle).sum();
    let mut lines: Vec<(u64, LaneLine)> = Vec::new();
    for group in &groups.all {
        let sum = |counts: &[u64]| -> u64 { group.rows.iter().map(|row| counts[*row]).sum() };
        let (count, active) = (sum(&executed), sum(&lanes));
        let average = if count > 0 { active as f64 / count as f64 } else { WARP };
        if average < limits.get("thread-utilisation-low") {
            let lost: u64 = group.rows.iter().map(|row| idle(*row)).sum();
            let spot = groups.spot(&group.rows, idle);
            let share = 100.0 * lost as f64 / all.max(1) as f64;
            lines.push((lost, LaneLine { spot, executed: count, lanes: average, share }));
        }
    }
    lines.sort_by_key(|(lost, line)| (std::cmp::Reverse(*lost), line.spot.line));
    lines.truncate(KEPT);
    Some(lines.into_iter().map(|(_, line)| line).collect())
}
