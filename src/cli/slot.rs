//! Where an audit stands in the series of its subject: in the place of the audit that was made from the same measurement,
//! else in the next one of its day.

use super::failure::Failure;
use super::moment;
use crate::analysis::{Nth, Side};
use crate::snapshot::{Dated, earlier, made_from};
use crate::view::Heading;
use chrono::NaiveDate;
use std::path::Path;

/// The day that the user states, and today.
#[derive(Clone, Copy, Debug)]
pub(super) struct Days {
    stated: Option<NaiveDate>,
    today: NaiveDate,
}

impl Days {
    pub(super) fn of(stated: Option<NaiveDate>) -> Result<Days, Failure> {
        Ok(Days { stated, today: moment::date(stated)? })
    }

    /// No day is stated of the audit, and today is what was given, else what the clock says.
    pub(super) fn today(given: Option<NaiveDate>) -> Result<Days, Failure> {
        Ok(Days { stated: None, today: moment::date(given)? })
    }
}

/// The place of an audit.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) at: Dated,
    /// What the audit that this measurement made before says of itself.
    pub(super) own: Option<Heading>,
}

impl Slot {
    /// The place of the audit of `new`, written to `out`, in the series of its subject.
    ///
    /// # Errors
    /// A stated day that is another than that of the audit that the measurement has already.
    pub(super) fn of(series: &Path, out: &Path, subject: &str, new: &Side, days: Days) -> Result<Slot, Failure> {
        for folder in [series, out] {
            let made = made_from(folder, subject, new)?;
            let of_day = |at: &Dated| days.stated.is_none_or(|date| date == at.date);
            if let Some((at, own)) = made.iter().find(|(at, _)| of_day(at)) {
                return Ok(Slot { at: *at, own: Some(own.heading.clone()) });
            }
            // A page elsewhere is nobody's audit of another day.
            if let (Some((at, _)), Some(date), true) = (made.first(), days.stated, folder == out) {
                return Err(Failure::usage(format!(
                    "nothing new was measured: {} was made from the same launches, and --date says {date}\n  help: leave out --date to make that page again, or delete it to date it anew",
                    folder.join(format!("{at}-{subject}.json")).display()
                )));
            }
        }
        let mut number = Nth::default();
        for folder in [series, out] {
            let of_day = earlier(folder, subject, None)?.into_iter().filter(|found| found.at.date == days.today);
            number = of_day.map(|found| found.at.number.next()).fold(number, Nth::max);
        }
        Ok(Slot { at: Dated { date: days.today, number }, own: None })
    }
}
