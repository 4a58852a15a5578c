//! What stands before an audit in the series of its subject.

use super::failure::Failure;
use super::plan::Plan;
use super::slot::Slot;
use crate::analysis::{Judgement, Limits, Mark, Side, Work};
use crate::catalog::Threshold;
use crate::config::Subject;
use crate::snapshot::{Dated, Entry, Record};

/// What stands before an audit.
pub(super) struct Before<'r> {
    pub(super) record: &'r Record,
    pub(super) after: &'r [Mark],
    pub(super) at: Dated,
}

/// Notes at each hypothesis which earlier audit confirmed it first.
pub(super) fn remember(record: &Record, at: Dated, work: &mut Work) {
    for stated in &mut work.hypotheses {
        let confirms = |entry: &&Entry| {
            let mut concluded = entry.milestone.hypotheses.iter();
            entry.found.at < at && concluded.any(|one| one.name == stated.name && one.judgement == Judgement::Holds)
        };
        let Some(first) = record.entries.iter().find(confirms).map(|entry| &entry.milestone) else { continue };
        let commit = if first.commit.is_empty() { String::new() } else { format!(" ({})", first.commit) };
        stated.confirmed = format!("{}{commit}", first.day());
    }
}

/// The other audits of a subject, and those that this one follows: what it noted when it was made first, else what is there.
pub(super) fn series(
    subject: &Subject,
    plan: &Plan,
    limits: &Limits,
    slot: &Slot,
    new: &Side,
) -> Result<(Record, Vec<Mark>), Failure> {
    let record = Record::read(&plan.series, subject.name.as_str(), limits[Threshold::Regression])?;
    // A page elsewhere stands where the audit of its measurement does.
    let measured = new.mark();
    let same = || record.entries.iter().find(|entry| plan.out != plan.series && entry.milestone.measured == measured);
    let (at, own) = match &slot.own {
        Some(own) => (Some(slot.at), Some(own.milestone.clone())),
        None => same().map_or((None, None), |same| (Some(same.found.at), Some(same.milestone.clone()))),
    };
    let record = match at {
        Some(at) => record.without(at),
        None => record,
    };
    let after = match own {
        Some(own) => own.after.unwrap_or_else(|| record.followed(at)),
        None => record.followed(None),
    };
    Ok((record, after))
}
