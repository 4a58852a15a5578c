//! The author's section: a draft of what follows from the page, for a human to keep, change or throw away.

use super::lead::{called, speed};
use crate::analysis::{Audit, LeverOrigin, Standing, Verdict};
use crate::catalog::Code;
use crate::quantity::format;
use crate::view::document::{CONCLUSIONS, Section};
use crate::view::tables::paragraph;
use crate::words;
use crate::words::Words;

/// The section: what the change did, what to try first, how far the reference is.
pub(super) fn section(audit: &Audit) -> Section {
    let draft = match audit.standing() {
        Standing::Wrong => "The outputs are wrong: fix that first, then profile again.".into(),
        _ => words::join([changed(audit), first(audit), gap(audit)].into_iter().flatten(), " "),
    };
    let draft = if draft.is_empty() { "This evidence does not tell what limits the kernel.".into() } else { draft };
    Section::new(CONCLUSIONS, "Conclusions", vec![paragraph("draft", draft)])
}

/// What the change did, in one sentence.
fn changed(audit: &Audit) -> Option<Words> {
    let verdict = audit.comparison.as_ref()?.whole.verdict;
    Some(match (verdict, speed(audit)) {
        (Verdict::Faster, Some(factor)) => words!("The change made it {}× as fast.", format::fixed(factor, 2)),
        (Verdict::Slower, Some(factor)) => words!("The change made it {}× as slow.", format::fixed(1.0 / factor, 2)),
        (Verdict::Same, _) => words!("The change made no difference that this evidence shows."),
        _ => words!("This evidence does not decide what the change did."),
    })
}

/// What limits it now, and the first action.
fn first(audit: &Audit) -> Option<Words> {
    let bottleneck = &audit.bottleneck;
    if bottleneck.limiter == Code::NotMeasured {
        return None;
    }
    let limiter = bottleneck.limiter.to_string();
    if bottleneck.roof.is_some() {
        return Some(words!("Limiter: `{}`, at its roof: only less work helps.", limiter));
    }
    Some(match audit.levers.iter().find(|lever| lever.origin == LeverOrigin::Audit) {
        Some(lever) => words!("Limiter: `{}`. First lever: {}, {}.", limiter, &lever.sentence, lever.said(|_| None)),
        None => words!("Limiter: `{}`.", limiter),
    })
}

/// How far the reference is.
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
