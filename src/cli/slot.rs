//! Where an audit stands in the series of its subject: in the place of the audit that was made from the same measurement,
//! else in the next one of its day.

use super::failure::Failure;
use super::moment;
use crate::analysis::{Hypothesis, Milestone, Nth, Side};
use crate::snapshot::{Dated, Record, Snapshot, earlier, made_from};
use crate::view::Heading;
use chrono::NaiveDate;
use std::path::Path;

/// The day that the user states, and today.
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

    /// The same for several subjects.
    pub(super) fn of_many(self) -> Days {
        Days { is_of_many: true, ..self }
    }

    /// No day is stated of the audit, and today is what was given, else what the clock says.
    pub(super) fn today(given: Option<NaiveDate>) -> Result<Days, Failure> {
        Ok(Days { stated: None, today: moment::date(given)?, is_of_many: false })
    }
}

/// The place of an audit.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) at: Dated,
    /// What the audit that this measurement made before says of itself.
    pub(super) own: Option<Own>,
}

/// What an audit says of itself.
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
            let is_back = |own: &Snapshot| folder == series && is_followed(folder, subject, own);
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

/// Whether another measurement was audited after an audit: the same launches are then what the kernel went back to, and
/// no page that is made again.
fn is_followed(folder: &Path, subject: &str, own: &Snapshot) -> bool {
    let record = Record::read(folder, subject, f64::INFINITY);
    record.is_ok_and(|record| !record.last().contains(&own.milestone.mark()))
}
