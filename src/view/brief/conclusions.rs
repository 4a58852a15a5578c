//! The author's section: a draft of what follows from the page, for a human to keep, change or throw away.

use super::lead::{called, speed};
use super::{actions, wanted};
use crate::analysis::{Audit, Standing, Verdict};
use crate::quantity::format;
use crate::view::ceiling;
use crate::view::document::{CONCLUSIONS, Section};
use crate::view::tables::paragraph;
use crate::words;
use crate::words::Words;

/// From this factor on a speed-up is said as a factor; below it the percentage says more.
const WORTH_A_FACTOR: f64 = 1.1;

/// The section: what the change did, what to try first, how far the reference is.
pub(super) fn section(audit: &Audit) -> Section {
    let draft = match audit.standing() {
        Standing::Wrong => "The outputs are wrong: fix that first, then profile again.".into(),
        _ => words::join([changed(audit), first(audit), gap(audit)].into_iter().flatten(), " "),
    };
    let draft = if draft.is_empty() { "No action follows from this evidence.".into() } else { draft };
    Section::new(CONCLUSIONS, "Conclusions", vec![paragraph("draft", draft)])
}

/// What the change did, in one sentence.
fn changed(audit: &Audit) -> Option<Words> {
    let verdict = audit.comparison.as_ref()?.whole.verdict;
    let percent = |factor: f64| format::fixed(100.0 * (1.0 / factor - 1.0).abs(), 1);
    Some(match (verdict, speed(audit)) {
        (Verdict::Faster, Some(factor)) if factor < WORTH_A_FACTOR => {
            words!("The change takes {} % off the time.", percent(factor))
        }
        (Verdict::Faster, Some(factor)) => words!("The change is a {}× speedup.", format::fixed(factor, 2)),
        (Verdict::Slower, Some(factor)) => words!("The change adds {} % to the time.", percent(factor)),
        (Verdict::Same, _) => words!("The change made no measurable difference."),
        _ => words!("The evidence does not decide whether the change helped."),
    })
}

/// What to collect or to try first; at a roof, that only less work helps.
fn first(audit: &Audit) -> Option<Words> {
    if let Some(sections) = wanted::named(audit).filter(|_| wanted::is_first(audit)) {
        return Some(words!("Collect {} with ncu first.", sections));
    }
    let bottleneck = &audit.bottleneck;
    if let Some(unit) = bottleneck.roof.as_ref().and(bottleneck.unit.as_ref()) {
        return Some(words!(
            "Only less work would make it much faster: `{}` is at {} % of peak.",
            unit.code.to_string(),
            format::fixed(unit.percent, 1)
        ));
    }
    let levers = actions::shown(audit);
    let lever = levers.first()?;
    Some(words!("Try first: {}. Ceiling: {}.", &lever.sentence, ceiling::bound(lever, |_| None)))
}

fn gap(audit: &Audit) -> Option<Words> {
    let timing = audit.timing.as_ref()?;
    let (name, theirs) = (called(&timing.benchmark.reference.as_ref()?.name), timing.reference.as_ref()?.time.median);
    let share = 100.0 * theirs / timing.kernel.time.median;
    let gap = audit.reference.as_ref().and_then(|reference| reference.gap());
    let why = match gap.filter(|gap| gap.is_idle_time() && share < 100.0) {
        Some(_) => "; the gap is idle tensor time",
        None => "",
    };
    Some(words!("{} takes {} % of this kernel's time{}.", name, format::fixed(share, 0), why))
}
