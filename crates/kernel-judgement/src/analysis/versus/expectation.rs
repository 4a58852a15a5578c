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
pub(crate) const CHANGE_OF_TIME: &str = "change.time";

/// What units are called, and the reading that a share of their peak is.
const UNITS: [(&str, &str); 3] = [
    ("tensor pipe", BUSY),
    ("L1 data stage", Counter::L1texDataPipeLsuWavefrontsAvgPctElapsed.name()),
    ("DRAM", Counter::GpuDramThroughputAvgPctElapsed.name()),
];

/// What counts are called: the words that a clause has all of, and the counter. The first that fits is meant.
const COUNTS: [(&[&str], Counter); 5] = [
    (&["l2", "read", "sectors"], Counter::LtsTSectorsSrcunitTexOpReadSum),
    (&["l2", "sectors"], Counter::LtsTSectorsSum),
    (&["dram", "bytes", "read"], Counter::DramBytesReadSum),
    (&["dram", "bytes", "written"], Counter::DramBytesWriteSum),
    (&["instructions"], Counter::SmspInstExecutedSum),
];
/// Words in front of `instructions` that mean all of them.
const OF_ALL: [&str; 8] = ["all", "executed", "fewer", "less", "more", "of", "the", "warp"];
/// Parts of a whole, in percent.
const PARTS: [(&str, f64); 5] = [
    ("half", 50.0),
    ("a third", 100.0 / 3.0),
    ("a quarter", 25.0),
    ("two thirds", 200.0 / 3.0),
    ("three quarters", 75.0),
];
/// What a clause begins with that gives a reason, and states nothing.
const REASONS: [&str; 5] = ["for ", "because ", "since ", "as ", "where "];

static LESS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(?:and )?([\d.]+) % (less|more) time\b").ok());
static TIMES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:(?:from )?([\d.]+) to )?about ([\d.]+) (ns|µs|us|ms|s)\b").ok());
static SHARE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:([\d.]+) to about|(above|over|at least|below|under|at most|about)) ([\d.]+) %").ok()
});

/// By how much something falls or rises, or which part of it is left: `falls by a third`, `20 % fewer`, `less than half`.
static PART: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let part = PARTS.map(|(word, _)| word).join("|");
    let left = format!(r"(?:(?P<below>less than|under) )?(?P<left>{part}|[\d.]+ % of)");
    let by = format!(r"(?P<verb>falls?|rises?) by (?:about |at least |more than )?(?P<by>{part}|[\d.]+ %)");
    let size = format!(r"(?P<size>{part}|[\d.]+ %) (?P<than>less|fewer|more)\b");
    Regex::new(&format!(r"\b(?:{by}|{size}|{left})")).ok()
});

static POINTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(at least |at most )?([\d.]+) (?:percentage )?points (less|more)\b").ok());

/// What a page calls a reading that an expectation or a hypothesis names.
pub fn called(reading: &str) -> String {
    let parsed = ReadingName::of(reading);
    let own = parsed.changed().unwrap_or(reading);
    if let Some((unit, _)) = UNITS.iter().find(|(_, known)| *known == own) {
        let is_work = parsed.form == ReadingForm::Change;
        return if is_work { format!("{unit}: busy cycles") } else { (*unit).to_owned() };
    }
    let ReadingName { form, word } = if own == reading { parsed } else { ReadingName::of(own) };
    match form {
        ReadingForm::Stall => catalog::stall(word).map(|row| format!("{} stall", format::uncapital(row.label))),
        ReadingForm::Opcode => Some(word.to_owned()),
        ReadingForm::Change => Some(word.to_owned()),
        ReadingForm::Metric => catalog::metric(own).map(|row| format::uncapital(row.label)),
        ReadingForm::Faults => Some("faults of the outputs".to_owned()),
        ReadingForm::Sanitizer => Some(format!("{} of compute-sanitizer", word)),
        _ => None,
    }
    .unwrap_or_else(|| own.to_owned())
}

/// A reading as it was found: `tensor pipe 87.7 %`, `time −1.9 %`.
pub fn said(reading: &str, found: Quantity) -> String {
    let name = called(reading);
    format!("{name} {}", amount(reading, found))
}

/// The number of a reading: with its sign where it is a change, which is of points where it is of a share.
pub fn amount(reading: &str, found: Quantity) -> String {
    match ReadingName::of(reading).form {
        ReadingForm::Points => format!("{} points", format::signed(found.value(), 1)),
        ReadingForm::Change => format!("{} %", format::signed(found.value(), 1)),
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
    let after = clauses(text).iter().filter_map(|clause| conditions(clause)).flatten().collect();
    let named = Hypothesis { name: format!("{EXPECTED}{text}"), after, ..Hypothesis::default() };
    (!text.is_empty()).then_some(named)
}

/// Clauses of an expectation that name no reading, and that nothing was held against.
pub fn not_read(expected: &str) -> Vec<String> {
    let is_reason = |clause: &String| REASONS.iter().any(|word| clause.starts_with(word));
    clauses(expected).into_iter().filter(|clause| !is_reason(clause) && conditions(clause).is_none()).collect()
}

fn conditions(clause: &str) -> Option<Vec<Expectation>> {
    of_time(clause).or_else(|| of_a_unit(clause)).or_else(|| of_a_part(clause))
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
        let (points, change) = (number(&found, 2)?, format!("points.{reading}"));
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

/// Percent of the old side by which a count, or the work of a unit, is to change.
fn of_a_part(clause: &str) -> Option<Vec<Expectation>> {
    let has = |words: &[&str]| words.iter().all(|word| clause.contains(word));
    let count = COUNTS.iter().find(|(words, _)| has(words)).map(|(_, counter)| counter.name());
    // `fewer load instructions` are not all of them.
    let before = clause.split("instructions").next().unwrap_or_default().split_whitespace().next_back();
    let is_all = before.is_none_or(|word| OF_ALL.contains(&word));
    let count = count.filter(|name| is_all || *name != Counter::SmspInstExecutedSum.name());
    let unit = || UNITS.iter().find(|(unit, _)| clause.contains(&unit.to_lowercase())).map(|(_, reading)| *reading);
    let change = format!("change.{}", count.or_else(unit)?);
    let found = PART.as_ref()?.captures(clause)?;
    let word = |name| found.name(name).map(|word| word.as_str());
    let percent = |name| {
        let text = word(name)?;
        let part = PARTS.iter().find(|(part, _)| *part == text).map(|(_, percent)| *percent);
        part.or_else(|| text.split(' ').next()?.parse().ok())
    };
    let (size, is_limit) = match (percent("by").or_else(|| percent("size")), percent("left")) {
        (Some(size), _)
            if word("verb").or_else(|| word("than")).is_some_and(|word| matches!(word, "rise" | "rises" | "more")) =>
        {
            (size, false)
        }
        (Some(size), _) => (-size, false),
        // `by less than a third` and `more than half` state no part that is left.
        (None, left) => {
            let left = left.filter(|_| !clause.contains(" by ") && !clause.contains("more than"))?;
            (left - 100.0, word("below").is_some())
        }
    };
    Some(vec![match (is_limit, size > 0.0) {
        (true, _) => own(&change, Operator::Below, size),
        (false, true) => own(&change, Operator::AtLeast, (1.0 - ABOUT) * size),
        (false, false) => own(&change, Operator::AtMost, (1.0 - ABOUT) * size),
    }])
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
            stated(
                "x. Expected: instructions fall by a third, a quarter more instructions, 10 % fewer load instructions"
            ),
            ["change.smsp__inst_executed.sum <= -30", "change.smsp__inst_executed.sum >= 22.5"]
        );
        assert!(stated("x. Expected: more than half of the L2 sectors stay").is_empty());
        assert_eq!(
            stated("x. Expected: at least 10 points less in DRAM, tensor pipe 20 points more"),
            ["points.gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed <= -10", "points.tensor.busy >= 18"]
        );
        let reads = "change.lts__t_sectors_srcunit_tex_op_read.sum";
        assert_eq!(
            stated(
                "x. Expected: L2 reads less than half of the sectors, half the sectors read in L2, 10 % fewer instructions"
            ),
            [&format!("{reads} < -50"), &format!("{reads} <= -45"), "change.smsp__inst_executed.sum <= -9"]
        );
        assert_eq!(
            stated("x. Expected: the L1 data stage falls by a third, L2 sectors rise; 20 % more instructions"),
            [
                "change.l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed <= -30",
                "change.smsp__inst_executed.sum >= 18"
            ]
        );
        assert_eq!(not_read("L2 sectors rise, 5 % less time, for three of ten stages"), ["l2 sectors rise"]);
        assert_eq!(called("points.tensor.busy"), "tensor pipe");
        assert_eq!(called("change.lts__t_sectors.sum"), "L2 sectors");
        assert_eq!(called("change.tensor.busy"), "tensor pipe: busy cycles");
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
