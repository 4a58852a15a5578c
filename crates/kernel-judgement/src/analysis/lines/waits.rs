//! Where the warps wait: the sampler's samples by line, with the reasons that explain them.

use super::KEPT;
use super::attribution::{Attribution, is_wait};
use super::spot::{Groups, Spot};
use crate::analysis::Limits;
use crate::catalog::Threshold;

/// Lines kept of one reason.
const LINES_OF_REASON: usize = 3;

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LineWaits {
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

impl Waits {
    /// The lines that warps wait for: first those of loads that they wait for, then those with the most samples.
    pub(super) fn by_need(&self) -> Vec<&Spot> {
        let loads =
            self.reasons.iter().filter(|lines| lines.reason == "long_scoreboard").flat_map(|lines| &lines.causes);
        loads.map(|(spot, _)| spot).chain(self.lines.iter().map(|line| &line.spot)).collect()
    }

    pub(super) fn of(attribution: &Attribution<'_>, groups: &Groups<'_>, limits: &Limits) -> Waits {
        let Attribution { reasons, all, sum: samples, .. } = attribution;
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let waits = |rows: &[usize]| {
            let own = attribution.at(rows);
            let named = reasons.keys().filter(|reason| *reason != "selected");
            let mut shares: Vec<(String, f64)> = named
                .map(|reason| (reason.clone(), percent(attribution.of_reason(reason, rows), own)))
                .filter(|(_, share)| *share > 0.0)
                .collect();
            shares.sort_by(|a, b| b.1.total_cmp(&a.1));
            let large = shares.iter().take_while(|(_, share)| *share > limits[Threshold::SampleOwnShare]).count();
            shares.truncate(large.max(1));
            let spot = groups.spot(rows, &|row| all[row]);
            LineWaits { spot, samples: own, share: percent(own, *samples), reasons: shares }
        };
        let lines = groups.leading(all, KEPT).into_iter().map(|(_, rows)| waits(rows)).collect();
        let is_hot = |count: u64| percent(count, *samples) > limits[Threshold::SampleHotspot];
        let mut hot: Vec<usize> = (0..all.len()).filter(|row| is_hot(all[*row])).collect();
        hot.sort_by_key(|row| std::cmp::Reverse(all[*row]));
        let by_reason = |(reason, counts): (&String, &Vec<u64>)| {
            let sum: u64 = counts.iter().sum();
            let spots = |counts: &[u64]| groups.shares(counts, sum, LINES_OF_REASON);
            (is_wait(reason) && is_hot(sum)).then(|| ReasonLines {
                reason: reason.clone(),
                share: percent(sum, *samples),
                lines: spots(counts),
                causes: spots(&attribution.at_causes(reason)),
            })
        };
        let mut reasons: Vec<ReasonLines> = reasons.iter().filter_map(by_reason).collect();
        reasons.sort_by(|a, b| b.share.total_cmp(&a.share));
        let hotspots = hot.into_iter().map(|row| waits(&[row])).collect();
        Waits { samples: *samples, lines, hotspots, reasons }
    }
}
