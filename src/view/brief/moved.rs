//! Where the cycles of an instruction went since the old side: the stalls that moved.

use super::numbers::row;
use crate::analysis::{Audit, StallBasis, StallRow};
use crate::catalog::{self, Counter};
use crate::quantity::format;
use crate::quantity::glance::digits;
use crate::words;
use crate::words::Words;

/// The part of the old cycles of an instruction that is worth a word.
const LEAST: f64 = 0.05;
/// A reason is told from this part of the change on.
const TELLS: f64 = 0.1;
/// Reasons told.
const SHOWN: usize = 4;
/// Executed instructions that changed by this part make the average one of other work.
const WORK: f64 = 0.05;
const EXECUTED: Counter = Counter::SmspInstExecutedSum;

/// `cycles per instruction 11.7 → 10.7 (−0.97): long scoreboard −1.15`; `None` without an old side, within the noise, and where nothing
/// moved.
pub(super) fn waits(audit: &Audit) -> Option<Words> {
    let is_decided = audit.comparison().is_some_and(|comparison| comparison.whole.verdict.is_decided());
    let table = audit.now.stalls.table(StallBasis::PerIssue).filter(|_| is_decided);
    let (change, table) = audit.now.stalls.latency.change().zip(table)?;
    let moved = moved(&table.rows, change.old, change.new);
    (!moved.is_empty()).then(|| {
        words!(
            "cycles per instruction {} → {} ({}): {}{}",
            digits(change.old),
            digits(change.new),
            signed(change.new - change.old),
            moved.join(", "),
            work(audit)
        )
    })
}

/// `long scoreboard −4.56`: the reasons of their own that moved most. A warp that issues waits for nothing.
fn moved(rows: &[StallRow], was: f64, is: f64) -> Vec<String> {
    let is_own = |row: &&StallRow| {
        row.reason != "selected" && catalog::stall(&row.reason).is_none_or(|known| known.part_of.is_none())
    };
    let by = |row: &StallRow| Some(row.row.new.value()? - row.row.old.as_ref()?.value()?);
    let least = (TELLS * (is - was).abs()).max(LEAST * was.min(is));
    let mut found: Vec<(&StallRow, f64)> =
        rows.iter().filter(is_own).filter_map(|row| Some((row, by(row).filter(|by| by.abs() >= least)?))).collect();
    found.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    found
        .into_iter()
        .take(SHOWN)
        .map(|(row, by)| format!("{} {}", format::uncapital(&row.row.label), signed(by)))
        .collect()
}

fn signed(by: f64) -> String {
    format!("{}{}", if by < 0.0 { "−" } else { "+" }, digits(by.abs()))
}

/// ` on 13.3 % fewer instructions`: where the average is one of other work.
fn work(audit: &Audit) -> String {
    let executed = row(audit, EXECUTED).and_then(|row| row.change());
    let Some(part) = executed.map(|change| change.new / change.old - 1.0).filter(|part| part.abs() >= WORK) else {
        return String::new();
    };
    let word = if part < 0.0 { "fewer" } else { "more" };
    format!(" on {} % {word} instructions", format::fixed(100.0 * part.abs(), 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Row;
    use crate::evidence::Reading;
    use crate::quantity::{Quantity, Unit};

    fn stall(reason: &str, label: &str, was: f64, is: f64) -> StallRow {
        let reading = |value| Reading::measured(Quantity::new(value, Unit::NONE).expect("finite"), &"x".into());
        let row = Row { label: label.into(), old: Some(reading(was)), new: reading(is), ..Row::default() };
        StallRow { reason: reason.to_owned(), row }
    }

    #[test]
    fn the_reasons_that_moved_most_are_told_both_ways() {
        let rows = [
            stall("barrier", "Barrier", 7.0, 0.8),
            stall("long_scoreboard", "Long scoreboard", 5.0, 2.6),
            stall("mio_throttle", "MIO throttle", 0.5, 1.5),
            stall("wait", "Wait", 3.0, 2.9),
            stall("selected", "Selected", 1.0, 5.0),
        ];
        // −6.2 − 2.4 + 1.0 − 0.1: a tenth of 7.7 is told.
        assert_eq!(moved(&rows, 15.5, 7.8), ["barrier −6.20", "long scoreboard −2.40", "MIO throttle +1.00"]);
        // Where the sum stays, a twentieth of the cycles is.
        assert_eq!(moved(&rows[2..4], 20.0, 20.0), ["MIO throttle +1.00"]);
        assert!(moved(&rows[3..], 20.0, 20.1).is_empty());
    }
}
