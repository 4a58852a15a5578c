//! How sure a verdict is, and why.

use super::account::{ERROR, queues_agree};
use super::held::Held;
use super::level::Unit;
use super::measures::Measures;
use crate::analysis::lines::Attribution;
use crate::catalog::{Code, Threshold};

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Confidence {
    /// Few samples, or none by instruction.
    #[default]
    Low,
    /// Near what comes second, or with one kind of evidence.
    Medium,
    /// Many samples, well ahead of what comes second, and kinds of evidence that agree.
    High,
}

/// Why it is as sure as that. Samples by instruction are counted, where there are any.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// It is a fact of the launch, whatever was sampled.
    Launch,
    /// There are no samples by instruction.
    Unsampled,
    /// There are, of code that is not read: of an architecture or a report without its bits.
    Unread,
    /// There are so many samples, and nothing else to say.
    Samples(f64),
    /// So many samples, and so many points ahead of what comes second.
    Near(f64, f64),
    /// The counter is high, and the top stall points elsewhere.
    Apart(f64),
    /// Counter and top stall agree.
    Agree(f64),
}

/// How sure a verdict is, and why. A launch without blocks, or too few, is a fact of it; a unit at its roof is told by its counter.
pub(super) fn confidence(m: &Measures<'_>, held: &Held, is_before: bool, ahead: f64) -> (Confidence, Because) {
    if is_before && held.code == Code::LaunchFailed || matches!(held.code, Code::LaunchSmallGrid | Code::LaunchShort) {
        return (Confidence::High, Because::Launch);
    }
    let is_told = held.unit.as_ref().is_some_and(Unit::is_saturated) && ahead >= 100.0 * ERROR;
    let least = [Confidence::Low, Confidence::Medium][usize::from(is_told)];
    let Some(samples) = m.phases.map(|phases| phases.samples as f64) else {
        let is_sampled = m.view.and_then(Attribution::of).is_some();
        return (least, if is_sampled { Because::Unread } else { Because::Unsampled });
    };
    match &held.unit {
        _ if samples < m.limits[Threshold::SamplesFew] => (least, Because::Samples(samples)),
        _ if samples < m.limits[Threshold::SamplesMany] => (Confidence::Medium, Because::Samples(samples)),
        _ if ahead < 100.0 * ERROR => (Confidence::Medium, Because::Near(samples, ahead.max(0.0))),
        Some(unit) if !queues_agree(m, unit.part) => (Confidence::Medium, Because::Apart(samples)),
        Some(_) => (Confidence::High, Because::Agree(samples)),
        None => (Confidence::High, Because::Samples(samples)),
    }
}
