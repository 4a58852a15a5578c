//! The author's section: what refuted expectations of the series taught, for a human to keep, change or add to.

use crate::analysis::{Audit, Concluded, Judgement, decided, expectation};
use crate::view::document::{CONCLUSIONS, Section};
use crate::view::heading::Heading;
use crate::view::tables::list;
use crate::words;
use crate::words::Words;

/// Lessons told, the newest.
const SHOWN: usize = 5;

/// The section: a line for each expectation that was not met, with its day and what was found. Empty is for the author.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let mut all = heading.history.clone();
    all.push(heading.milestone(audit));
    let missed: Vec<(usize, &Concluded)> =
        decided(&all).into_iter().filter(|(_, one)| one.judgement == Judgement::Fails).collect();
    let lesson = |(at, one): &(usize, &Concluded)| -> Words {
        let stated = one.name.strip_prefix(expectation::EXPECTED).unwrap_or(&one.name);
        let found = one.reason.rsplit_once("Found: ").map_or(one.reason.as_str(), |(_, found)| found);
        words!("{}, missed: {}. Found: {}.", all[*at].day(), stated, found.trim_end_matches('.'))
    };
    let told: Vec<Words> = missed.iter().skip(missed.len().saturating_sub(SHOWN)).map(lesson).collect();
    let lessons = (!told.is_empty()).then(|| list("lessons", told));
    Section::new(CONCLUSIONS, "Conclusions", lessons.into_iter().collect())
}
