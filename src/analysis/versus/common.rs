//! Whether the limiter moved, as far as the metrics of both sides can tell: one that a side's metrics could not name has not.

use crate::analysis::diagnose::Bottleneck;
use crate::analysis::kernel::stated::Work;
use crate::analysis::limits::Limits;
use crate::analysis::profile::{Profile, summary};
use crate::analysis::versus::before::{Alone, Before};
use crate::catalog::Code;
use std::collections::HashSet;
use std::sync::Arc;

/// What became of the limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimiterChange {
    /// It is the same.
    Same,
    /// It is another.
    Moved,
    /// The metrics that both sides were asked for do not tell.
    Unknown,
}

/// One side with what limits it by itself.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct Limited<'a> {
    pub(in crate::analysis) profile: &'a Profile,
    pub(in crate::analysis) bottleneck: &'a Bottleneck,
}

/// What became of the limiter. Where the sides hold other metrics, each is judged once more by what both hold: a limiter that this
/// takes away from a side is none that can be compared.
pub(in crate::analysis) fn limiter_change(
    new: Limited<'_>,
    old: Limited<'_>,
    work: &Work,
    limits: &Limits,
) -> LimiterChange {
    let is_told = |one: Limited<'_>, other: Limited<'_>| {
        judged(&reduced(one.profile, other.profile), work, limits).bottleneck.limiter == one.bottleneck.limiter
    };
    if !(is_of_one_kind(new.profile, old.profile) || is_told(new, old) && is_told(old, new)) {
        LimiterChange::Unknown
    } else if new.bottleneck.limiter == old.bottleneck.limiter {
        LimiterChange::Same
    } else {
        LimiterChange::Moved
    }
}

/// Codes of a side's findings that the metrics which the other side holds as well do not show: nobody knows whether that side
/// has them.
pub(in crate::analysis) fn unseen(
    found: impl Iterator<Item = Code>,
    by: &Profile,
    other: &Profile,
    work: &Work,
    limits: &Limits,
) -> Vec<Code> {
    if is_of_one_kind(by, other) {
        return Vec::new();
    }
    let shown = judged(&reduced(by, other), work, limits).findings;
    found.filter(|code| !shown.contains(code)).collect()
}

/// Whether both hold the same metrics, so that neither has to be reduced to what the other one holds.
fn is_of_one_kind(one: &Profile, other: &Profile) -> bool {
    let names = |profile: &Profile| -> HashSet<Arc<str>> {
        profile.readings.metrics.iter().map(|metric| metric.name.clone()).collect()
    };
    let parts = |profile: &Profile| {
        let readings = &profile.readings;
        (readings.opcodes.is_empty(), readings.with_modifiers.is_none(), profile.phases.is_none())
    };
    let breakdowns = |profile: &Profile| profile.readings.breakdowns.keys().cloned().collect::<Vec<_>>();
    parts(one) == parts(other) && breakdowns(one) == breakdowns(other) && names(one) == names(other)
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
    if to.phases.is_none() {
        (reduced.phases, reduced.parked) = (None, None);
    }
    reduced
}

fn judged(profile: &Profile, work: &Work, limits: &Limits) -> Alone {
    let launches = profile.launches();
    Before::of(profile, &summary(&launches), limits, work).judged(limits)
}
