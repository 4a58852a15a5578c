//! Where the warps wait: the sampler's samples by line, with the reasons that explain them.

use super::KEPT;
use super::cause::{Causes, Trace};
use super::spot::{Groups, Spot};
use crate::analysis::derive::stalls::sampled_reason;
use crate::analysis::limits::Limits;
use crate::catalog::Threshold;
use crate::evidence::SourceView;
use std::collections::BTreeMap;

/// Lines kept of one reason.
const LINES_OF_REASON: usize = 3;

/// One line and what its samples say.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LineWaits {
    /// The line.
    pub spot: Spot,
    /// Samples, issuing ones included.
    pub samples: u64,
    /// Over all samples of the kernel, in percent.
    pub share: f64,
    /// Reasons that explain the line: (the catalog's id, samples over the line's samples in percent), largest first.
    /// Those above the threshold `sample-own-share`, else the largest alone; issuing is none.
    pub reasons: Vec<(String, f64)>,
}

/// One stall reason and the lines where it is met.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ReasonLines {
    /// The catalog's id.
    pub reason: String,
    /// Over all samples of the kernel, in percent.
    pub share: f64,
    /// (line, samples over the reason's samples in percent), largest first.
    pub lines: Vec<(Spot, f64)>,
    /// The same by what is waited for: the barrier, or the access whose scoreboard is held. Empty where the reason cannot
    /// be traced, or the report lacks the machine code.
    pub causes: Vec<(Spot, f64)>,
}

/// Samples by line.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Waits {
    /// All samples of the kernel.
    pub samples: u64,
    /// The lines with the most samples.
    pub lines: Vec<LineWaits>,
    /// Single instructions above the threshold `sample-hotspot`.
    pub hotspots: Vec<LineWaits>,
    /// Reasons above the threshold `sample-hotspot`, largest first.
    pub reasons: Vec<ReasonLines>,
}

/// Whether a reason is a wait: an issuing warp waits for nothing.
fn is_wait(reason: &str) -> bool {
    reason != "selected"
}

/// Whether a reason can be cured at a line: a warp that was not selected was ready.
fn is_cause(reason: &str) -> bool {
    is_wait(reason) && reason != "not_selected"
}

impl Waits {
    /// The lines that warps wait for: first those of loads that they wait for, then those with the most samples.
    pub(super) fn by_need(&self) -> Vec<&Spot> {
        let loads =
            self.reasons.iter().filter(|lines| lines.reason == "long_scoreboard").flat_map(|lines| &lines.causes);
        loads.map(|(spot, _)| spot).chain(self.lines.iter().map(|line| &line.spot)).collect()
    }

    /// `None` where the report has no samples by instruction.
    pub(super) fn of(view: &SourceView, groups: &Groups<'_>, limits: &Limits) -> Option<Waits> {
        let mut reasons: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for column in &view.columns {
            if let Some(reason) = sampled_reason(&column.metric) {
                reasons.insert(reason.to_owned(), view.counts(&column.metric)?);
            }
        }
        let mut all = vec![0_u64; view.instructions.len()];
        for counts in reasons.values() {
            all.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        let samples: u64 = all.iter().sum();
        if samples == 0 {
            return None;
        }
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let waits = |rows: &[usize]| {
            let own: u64 = rows.iter().map(|row| all[*row]).sum();
            let mut shares: Vec<(String, f64)> = reasons
                .iter()
                .filter(|(reason, _)| is_wait(reason))
                .map(|(reason, counts)| (reason.clone(), percent(rows.iter().map(|row| counts[*row]).sum(), own)))
                .filter(|(_, share)| *share > 0.0)
                .collect();
            shares.sort_by(|a, b| b.1.total_cmp(&a.1));
            let large = shares.iter().take_while(|(_, share)| *share > limits[Threshold::SampleOwnShare]).count();
            shares.truncate(large.max(1));
            let spot = groups.spot(rows, |row| all[row]);
            LineWaits { spot, samples: own, share: percent(own, samples), reasons: shares }
        };
        let lines = groups.leading(&all, KEPT).into_iter().map(|(_, rows)| waits(rows)).collect();
        let mut hot: Vec<usize> =
            (0..all.len()).filter(|row| percent(all[*row], samples) > limits[Threshold::SampleHotspot]).collect();
        hot.sort_by_key(|row| std::cmp::Reverse(all[*row]));
        let causes = Causes::of(view);
        let traced = |reason: &str, counts: &[u64]| {
            let (Some(causes), Some(trace)) = (&causes, Trace::of(reason)) else { return Vec::new() };
            let mut at_cause = vec![0_u64; counts.len()];
            for (row, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                if let Some(cause) = causes.cause(trace, row) {
                    at_cause[cause] += count;
                }
            }
            at_cause
        };
        let mut by_reason: Vec<ReasonLines> = reasons
            .iter()
            .filter(|(reason, _)| is_cause(reason))
            .filter_map(|(reason, counts)| {
                let sum: u64 = counts.iter().sum();
                let share = percent(sum, samples);
                (share > limits[Threshold::SampleHotspot]).then(|| {
                    let spots = |counts: &[u64]| -> Vec<(Spot, f64)> {
                        let lines = groups.leading(counts, LINES_OF_REASON).into_iter();
                        lines.map(|(own, rows)| (groups.spot(rows, |row| counts[row]), percent(own, sum))).collect()
                    };
                    let at_cause = traced(reason, counts);
                    let causes = if at_cause.is_empty() { Vec::new() } else { spots(&at_cause) };
                    ReasonLines { reason: reason.clone(), share, lines: spots(counts), causes }
                })
            })
            .collect();
        by_reason.sort_by(|a, b| b.share.total_cmp(&a.share));
        let hotspots = hot.into_iter().map(|row| waits(&[row])).collect();
        Some(Waits { samples, lines, hotspots, reasons: by_reason })
    }
}
