//! Whether the limiter moved, as far as the metrics of both sides can tell: one that a side's metrics could not name has not.

use crate::analysis::diagnose::{self, Diagnosis};
use crate::analysis::version::{Version, measurement};
use crate::analysis::{Bottleneck, Limits, Profile, Work, studied::Studied};
use crate::catalog::Code;
use arcstr::ArcStr;
use std::collections::HashSet;

/// What became of the limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimiterChange {
    Same,
    Moved,
    /// It is another, and on one side the two cannot be told apart.
    Near,
    /// The metrics that both sides were asked for do not tell.
    Unknown,
}

/// What became of the limiter, given what each side's is by itself. Where the sides hold other metrics, each is judged once more by
/// what both hold: a limiter that this takes away from a side is none that can be compared.
pub(in crate::analysis) fn limiter_change(
    (new, is): (Version<'_, '_>, &Bottleneck),
    (old, was): (Version<'_, '_>, &Bottleneck),
    work: &Work,
    limits: &Limits,
) -> LimiterChange {
    let is_told = |one, other, own: &Bottleneck| judged(one, other, work, limits).bottleneck.limiter == own.limiter;
    if !(is_of_one_kind(new, old) || is_told(new, old, is) && is_told(old, new, was)) {
        LimiterChange::Unknown
    } else if is.limiter == was.limiter {
        LimiterChange::Same
    } else if is.near.contains(&was.limiter) || was.near.contains(&is.limiter) {
        LimiterChange::Near
    } else {
        LimiterChange::Moved
    }
}

/// Codes of a side's findings that the other side's metrics do not show: nobody knows whether that side has them.
pub(in crate::analysis) fn unseen(
    found: impl Iterator<Item = Code>,
    by: Version<'_, '_>,
    other: Version<'_, '_>,
    work: &Work,
    limits: &Limits,
) -> Vec<Code> {
    if is_of_one_kind(by, other) {
        return Vec::new();
    }
    let shown: Vec<Code> = judged(by, other, work, limits).codes().collect();
    found.filter(|code| !shown.contains(code)).collect()
}

/// Whether both hold the same metrics, so that neither has to be reduced to what the other one holds.
fn is_of_one_kind(one: Version<'_, '_>, other: Version<'_, '_>) -> bool {
    let names = |version: Version<'_, '_>| -> HashSet<ArcStr> {
        version.profile.readings.metrics.iter().map(|metric| metric.name.clone()).collect()
    };
    let parts = |version: Version<'_, '_>| {
        let (readings, phases) = (&version.profile.readings, &version.studied.phases);
        let launch = version.side.launch();
        (readings.opcodes.is_empty(), readings.with_modifiers.is_none(), phases.is_none(), launch.is_none())
    };
    let breakdowns = |version: Version<'_, '_>| version.profile.readings.breakdowns.keys().cloned().collect::<Vec<_>>();
    parts(one) == parts(other) && breakdowns(one) == breakdowns(other) && names(one) == names(other)
}

/// What a side comes to by what the other one holds as well.
fn judged(one: Version<'_, '_>, other: Version<'_, '_>, work: &Work, limits: &Limits) -> Diagnosis {
    let profile = reduced(one.profile, other.profile);
    let launch = one.side.launch().filter(|_| other.side.launch().is_some());
    let none = Studied::default();
    let studied = if other.studied.phases.is_some() { one.studied } else { &none };
    diagnose::alone(measurement(&profile.summary(), studied, launch), work, limits)
}

/// A profile with no more than the metrics that another one holds as well.
fn reduced(profile: &Profile, to: &Profile) -> Profile {
    let held: HashSet<&str> = to.readings.metrics.iter().map(|metric| &*metric.name).collect();
    let mut reduced = profile.clone();
    let readings = &mut reduced.readings;
    readings.metrics.retain(|metric| held.contains(&*metric.name));
    readings.breakdowns.retain(|name, _| to.readings.breakdowns.contains_key(name));
    if to.readings.opcodes.is_empty() {
        readings.opcodes.clear();
    }
    if to.readings.with_modifiers.is_none() {
        readings.with_modifiers = None;
    }
    reduced
}
