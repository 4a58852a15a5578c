//! The author's section: a draft of what follows from the page, for a human to keep, change or throw away.

use super::lead::{called, speed};
use super::numbers::time;
use crate::analysis::{Audit, LeverOrigin, Standing, Verdict};
use crate::quantity::format;
use crate::view::document::{CONCLUSIONS, Section};
use crate::view::heading::Heading;
use crate::view::tables::paragraph;
use crate::words;
use crate::words::Words;

/// The section: what the change did, what to try first, how far the reference is.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let draft = match audit.standing() {
        Standing::Wrong => "The outputs are wrong: mend that first, and profile again.".into(),
        _ => words::join([changed(heading, audit), first(audit), gap(audit)].into_iter().flatten(), " "),
    };
    let draft = if draft.is_empty() { "Nothing stands out in this evidence.".into() } else { draft };
    Section::new(CONCLUSIONS, "Conclusions", vec![paragraph("draft", draft)])
}

/// What the change did to the cycles, in one sentence.
fn changed(heading: &Heading, audit: &Audit) -> Option<Words> {
    let verdict = audit.comparison.as_ref()?.whole.verdict;
    let what = match heading.change.as_str() {
        "" => "The change".to_owned(),
        change => format!("The change, {},", change.trim_end_matches('.')),
    };
    Some(match (verdict, speed(audit)) {
        (Verdict::Faster, Some(factor)) => words!("{} made it {} × as fast.", what, format::fixed(factor, 2)),
        (Verdict::Slower, Some(factor)) => words!("{} made it {} × slower.", what, format::fixed(1.0 / factor, 2)),
        (Verdict::Same, _) => words!("{} made no difference that this evidence shows.", what),
        _ => words!("What the change did is not decided by this evidence."),
    })
}

/// What limits it now, and the action with the largest ceiling.
fn first(audit: &Audit) -> Option<Words> {
    let lever = audit.levers.iter().find(|lever| lever.origin == LeverOrigin::Audit)?;
    Some(words!("The first thing to try: {} ({}).", &lever.sentence, lever.said(|_| None)))
}

/// How far the reference is.
fn gap(audit: &Audit) -> Option<Words> {
    let timing = audit.timing.as_ref()?;
    let (name, theirs) = (called(&timing.benchmark.reference.as_ref()?.name), timing.reference.as_ref()?.time.median);
    let share = 100.0 * theirs / timing.kernel.time.median;
    Some(words!("{} needs {}, {} % of this kernel's time.", name, time(theirs), format::fixed(share, 0)))
}
