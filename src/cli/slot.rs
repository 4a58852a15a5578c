//! Where an audit stands in the series of its subject: in the place of the audit that was made from the same measurement,
//! else in the next one of its day; and what stands before it.

use super::plan::Plan;
use super::{Failure, moment};
use crate::analysis::{Hypothesis, Judgement, Limits, Mark, Milestone, Nth, Side, Work};
use crate::catalog::Threshold;
use crate::config::Subject;
use crate::snapshot::{Dated, Entry, Record, Snapshot, earlier, made_from};
use crate::view::Heading;
use chrono::NaiveDate;
use std::path::Path;

#[derive(Clone, Copy, Debug)]
pub(super) struct Days {
    stated: Option<NaiveDate>,
    today: NaiveDate,
    /// Whether several subjects are audited: the day is that of the ones that are new.
    is_of_many: bool,
}

impl Days {
    pub(super) fn of(stated: Option<NaiveDate>) -> Result<Days, Failure> {
        Ok(Days { stated, today: moment::date(stated)?, is_of_many: false })
    }

    pub(super) fn of_many(self) -> Days {
        Days { is_of_many: true, ..self }
    }

    /// No day is stated of the audit, and today is what was given, else what the clock says.
    pub(super) fn today(given: Option<NaiveDate>) -> Result<Days, Failure> {
        Ok(Days { stated: None, today: moment::date(given)?, is_of_many: false })
    }
}

#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) at: Dated,
    /// What the audit that this measurement made before says of itself.
    pub(super) own: Option<Own>,
}

#[derive(Clone, Debug)]
pub(super) struct Own {
    pub(super) heading: Heading,
    pub(super) milestone: Milestone,
    pub(super) hypotheses: Vec<Hypothesis>,
}

impl Slot {
    /// The place of the audit of `new`, written to `out`, in the series of its subject. Errors: a stated day that is
    /// another than that of the audit that the measurement has already.
    pub(super) fn of(series: &Path, out: &Path, subject: &str, new: &Side, days: Days) -> Result<Slot, Failure> {
        let folders = &[series, out][..if series == out { 1 } else { 2 }];
        for &folder in folders {
            let made = made_from(folder, subject, new)?;
            let is_there = |date: NaiveDate| made.iter().any(|(at, _)| at.date == date);
            let stated = days.stated.filter(|date| !days.is_of_many || is_there(*date));
            let of_day = |at: &Dated| stated.is_none_or(|date| date == at.date);
            // Where another measurement was audited since, the same launches are what the kernel went back to, and no page that
            // is made again.
            let is_last = |own: &Snapshot, record: &Record| record.series.last().contains(&own.milestone.mark());
            let record = || Record::read(folder, subject, f64::INFINITY);
            let is_back = |own: &Snapshot| folder == series && record().is_ok_and(|record| !is_last(own, &record));
            let same = made.iter().find(|(at, _)| of_day(at));
            if let Some((at, own)) = same.filter(|(_, own)| days.stated.is_some() || !is_back(own)) {
                let hypotheses = own.evidence.new.work.hypotheses.clone();
                let own = Own { heading: own.heading.clone(), milestone: own.milestone.clone(), hypotheses };
                return Ok(Slot { at: *at, own: Some(own) });
            }
            // A page elsewhere is nobody's audit of another day, and a kernel that went back is measured anew on that day.
            let other = made.first().filter(|(_, own)| folder == out && !is_back(own));
            if let (Some((at, _)), Some(date)) = (other, stated) {
                return Err(Failure::usage(format!(
                    "nothing new was measured: {} was made from the same launches, and --date says {date}\n  help: leave out --date to make that page again, or delete it to date it anew",
                    folder.join(format!("{at}-{subject}.json")).display()
                )));
            }
        }
        let mut number = Nth::default();
        for folder in folders {
            let of_day = earlier(folder, subject, None)?.into_iter().filter(|found| found.at.date == days.today);
            number = of_day.map(|found| found.at.number.next()).fold(number, Nth::max);
        }
        Ok(Slot { at: Dated { date: days.today, number }, own: None })
    }
}

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
