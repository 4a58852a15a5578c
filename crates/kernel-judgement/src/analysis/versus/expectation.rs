//! What the author of a change expected of it, in the words of the change: `…. Expected: tensor pipe above 90 %, 6 % less time`.

use crate::analysis::{Expectation, Hypothesis};
use crate::catalog::{self, Counter, Operator, ReadingForm, ReadingName};
use crate::quantity::ncu_units::unit_of;
use crate::quantity::{Quantity, Unit, format, glance};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What stands in front of an expectation.
const WORD: &str = "expected:";
/// What the name of the hypothesis begins with that such an expectation makes.
pub const EXPECTED: &str = "Expected: ";
/// The part of a number by which what comes may fall short of it, for `about`, and for sizes of changes.
const ABOUT: f64 = 0.1;
const BUSY: &str = "tensor.busy";
const TIME: &str = "time";
/// What the name of a change begins with: in percent of the old side of `change.time` and `change.cycles`, in points of a unit's share.
pub(crate) const CHANGE: &str = "change.";
pub(crate) const CHANGE_OF_TIME: &str = "change.time";

/// What units are called, and the reading that a share of their peak is.
const UNITS: [(&str, &str); 3] = [
    ("tensor pipe", BUSY),
    ("L1 data stage", Counter::L1texDataPipeLsuWavefrontsAvgPctElapsed.name()),
    ("DRAM", Counter::GpuDramThroughputAvgPctElapsed.name()),
];

static LESS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(?:and )?([\d.]+) % (less|more) time\b").ok());
static TIMES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:(?:from )?([\d.]+) to )?about ([\d.]+) (ns|µs|us|ms|s)\b").ok());
static SHARE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:([\d.]+) to about|(above|over|at least|below|under|at most|about)) ([\d.]+) %").ok()
});

static POINTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(at least |at most )?([\d.]+) (?:percentage )?points (less|more)\b").ok());

/// What a page calls a reading that an expectation or a hypothesis names.
pub fn called(reading: &str) -> String {
    let own = of_points(reading).unwrap_or(reading);
    if let Some((unit, _)) = UNITS.iter().find(|(_, known)| *known == own) {
        return (*unit).to_owned();
    }
    let ReadingName { form, word } = ReadingName::of(reading);
    match form {
        ReadingForm::Stall => catalog::stall(word).map(|row| format!("{} stall", format::uncapital(row.label))),
        ReadingForm::Opcode => Some(word.to_owned()),
        ReadingForm::Change => Some(word.to_owned()),
        ReadingForm::Metric => catalog::metric(reading).map(|row| format::uncapital(row.label)),
        ReadingForm::Faults => Some("faults of the outputs".to_owned()),
        ReadingForm::Sanitizer => Some(format!("{} of compute-sanitizer", word)),
        _ => None,
    }
    .unwrap_or_else(|| reading.to_owned())
}

/// A reading as it was found: `tensor pipe 87.7 %`, `time −1.9 %`.
pub fn said(reading: &str, found: Quantity) -> String {
    let name = called(reading);
    format!("{name} {}", amount(reading, found))
}

/// The number of a reading: with its sign where it is a change, which is of points where it is of a share.
pub fn amount(reading: &str, found: Quantity) -> String {
    match found.value() {
        points if of_points(reading).is_some() => format!("{} points", format::signed(points, 1)),
        percent if reading.starts_with(CHANGE) => format!("{} %", format::signed(percent, 1)),
        _ => glance::quantity(found),
    }
}

/// The unit of a reading that nobody measured.
pub fn unit(reading: &str) -> Unit {
    match ReadingName::of(reading).form {
        ReadingForm::Metric => unit_of(reading),
        form => form.row().1,
    }
}

/// The share of a unit whose change in points a reading is: `change.tensor.busy`.
pub(crate) fn of_points(reading: &str) -> Option<&str> {
    reading.strip_prefix(CHANGE).filter(|share| UNITS.iter().any(|(_, known)| known == share))
}

/// Where the word stands.
fn place(change: &str) -> Option<usize> {
    // Of the same length, so that the place holds in the text itself.
    change.to_ascii_lowercase().find(WORD)
}

/// What a change did, without what was expected of it.
pub fn done(change: &str) -> &str {
    let end = place(change).unwrap_or(change.len());
    change[..end].trim().trim_end_matches(['.', ';', ','])
}

/// The expectation as a hypothesis; one without a condition where its words name no reading. `None` where nothing is stated.
pub fn hypothesis(change: &str) -> Option<Hypothesis> {
    let text = change[place(change)? + WORD.len()..].trim().trim_end_matches('.');
    let after =
        clauses(text).iter().filter_map(|clause| of_time(clause).or_else(|| of_a_unit(clause))).flatten().collect();
    let named = Hypothesis { name: format!("{EXPECTED}{text}"), after, ..Hypothesis::default() };
    (!text.is_empty()).then_some(named)
}

/// The parts between commas, in small letters; a comma that separates thousands goes.
fn clauses(text: &str) -> Vec<String> {
    let joined: Vec<char> = text.to_lowercase().chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| joined.get(at)).is_some_and(char::is_ascii_digit);
    let kept = joined
        .iter()
        .enumerate()
        .filter(|(at, letter)| **letter != ',' || !(digit(at.checked_sub(1)) && digit(Some(at + 1))));
    let text: String = kept.map(|(_, letter)| *letter).collect();
    text.split([',', ';']).map(|clause| clause.trim().to_owned()).collect()
}

fn number(found: &Captures<'_>, at: usize) -> Option<f64> {
    found.get(at)?.as_str().trim_end_matches('.').parse().ok()
}

fn own(reading: &str, op: Operator, value: f64) -> Expectation {
    // As many digits as anybody states.
    Expectation::own(reading, op, (value * 1e3).round() / 1e3, None)
}

fn of_time(clause: &str) -> Option<Vec<Expectation>> {
    if let Some(found) = LESS.as_ref()?.captures(clause) {
        let size = (1.0 - ABOUT) * number(&found, 1)?;
        return Some(vec![match &found[2] {
            "less" => own(CHANGE_OF_TIME, Operator::AtMost, -size),
            _ => own(CHANGE_OF_TIME, Operator::AtLeast, size),
        }]);
    }
    let found = TIMES.as_ref()?.captures(clause)?;
    let scale = match &found[3] {
        "ns" => 1.0,
        "ms" => 1e6,
        "s" => 1e9,
        _ => 1e3,
    };
    Some(vec![own(TIME, Operator::AtMost, (1.0 + ABOUT) * scale * number(&found, 2)?)])
}

fn of_a_unit(clause: &str) -> Option<Vec<Expectation>> {
    let (_, reading) = UNITS.iter().find(|(unit, _)| clause.contains(&unit.to_lowercase()))?;
    if let Some(found) = POINTS.as_ref()?.captures(clause) {
        let (points, change) = (number(&found, 2)?, format!("{CHANGE}{reading}"));
        let (sign, falls) = if &found[3] == "less" { (-1.0, true) } else { (1.0, false) };
        return Some(vec![match found.get(1).map(|word| word.as_str().trim()) {
            Some("at most") => own(&change, if falls { Operator::AtLeast } else { Operator::AtMost }, sign * points),
            word => {
                let least = if word.is_some() { points } else { (1.0 - ABOUT) * points };
                own(&change, if falls { Operator::AtMost } else { Operator::AtLeast }, sign * least)
            }
        }]);
    }
    let found = SHARE.as_ref()?.captures(clause)?;
    let value = number(&found, 3)?;
    let (low, high) = ((1.0 - ABOUT) * value, (1.0 + ABOUT) * value);
    Some(match (number(&found, 1), found.get(2).map(|word| word.as_str())) {
        (Some(from), _) if from > value => vec![own(reading, Operator::AtMost, high)],
        (Some(_), _) => vec![own(reading, Operator::AtLeast, low)],
        (None, Some("above" | "over")) => vec![own(reading, Operator::Above, value)],
        (None, Some("at least")) => vec![own(reading, Operator::AtLeast, value)],
        (None, Some("about")) => vec![own(reading, Operator::AtLeast, low), own(reading, Operator::AtMost, high)],
        (None, Some("at most")) => vec![own(reading, Operator::AtMost, value)],
        (None, _) => vec![own(reading, Operator::Below, value)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(change: &str) -> Vec<String> {
        hypothesis(change).map(|one| one.after.iter().map(Expectation::text).collect()).unwrap_or_default()
    }

    #[test]
    fn words_of_the_field_are_conditions() {
        // Sizes of changes may fall short by a tenth: 6 % by 0.6, 1,300 µs by 130.
        assert_eq!(
            stated("each lane walks a run. Expected: the wait goes, tensor pipe above 90 %, 6 % less time"),
            ["tensor.busy > 90", "change.time <= -5.4"]
        );
        assert_eq!(
            stated("TMA. Expected: the copies leave the L1 data stage (66 to about 45 %), 1,680 to about 1,300 µs."),
            ["l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed <= 49.5", "time <= 1430000"]
        );
        assert_eq!(
            stated("x. expected: tensor pipe about 70 %, about 0.5 ms"),
            ["tensor.busy >= 63", "tensor.busy <= 77", "time <= 550000"]
        );
        assert_eq!(stated("x. Expected: 3 % more time"), ["change.time >= 2.7"]);
        assert_eq!(
            stated("x. Expected: at least 10 points less in DRAM, tensor pipe 20 points more"),
            ["change.gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed <= -10", "change.tensor.busy >= 18"]
        );
        assert_eq!(called("change.tensor.busy"), "tensor pipe");
        assert_eq!(called("stall.membar"), "memory barrier stall");
        assert_eq!(called("stall.mio_throttle"), "MIO throttle stall");
        assert_eq!(called("smsp__inst_executed.sum"), "warp instructions executed");
    }

    #[test]
    fn what_names_no_reading_is_kept_in_words() {
        let one = hypothesis("a tile. Expected: loads of pos_embed disappear").unwrap();
        assert_eq!((one.name.as_str(), one.after.len()), ("Expected: loads of pos_embed disappear", 0));
        assert!(hypothesis("no word of it").is_none() && hypothesis("x. Expected: ").is_none());
        assert_eq!(done("a tile, wider. Expected: 1 % less"), "a tile, wider");
    }
}
