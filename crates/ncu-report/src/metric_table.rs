//! The table of hardware metrics: base names, what they count, and the chips that have them.
//!
//! `metric_bases.tsv` has one line for each base name, sorted by bytes: name, type (`C` counter, `R` ratio,
//! `T` throughput), unit, class of the counter, and the chips as a hexadecimal bit mask in the order of [`CHIPS`]. It
//! merges what NVIDIA's counter library lists for five chips. Three bases have two units: the line has the one that most
//! of the chips name, and for the two of the double-precision tensor pipe, where the chips are even, the one that fits
//! the name (cycles).

use std::cmp::Ordering;

/// A line for each base, sorted.
const TABLE: &str = include_str!("metric_bases.tsv");

/// The chips of the table, by the lower-case name that NVIDIA's counter library uses.
pub const CHIPS: [&str; 5] = ["ga100", "ad102", "gh100", "gb100", "gb202"];

/// What a hardware metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
pub enum MetricType {
    /// A count per unit of the chip, with rollups over the units.
    #[strum(serialize = "C")]
    Counter,
    /// A ratio of counters.
    #[strum(serialize = "R")]
    Ratio,
    /// The highest of several utilisations.
    #[strum(serialize = "T")]
    Throughput,
}

/// What a counter counts, as far as its rates have different units for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum CounterClass {
    /// Things with a unit.
    Plain,
    /// Cycles: per second it is a frequency.
    Cycle,
    /// Things that are present, counted each cycle: per cycle it is their number.
    Level,
    /// Things without a unit.
    Count,
    /// Present things without a unit.
    CountLevel,
    /// Nothing is known.
    #[default]
    Unknown,
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricBase {
    /// Name without rollup and rate, `dram__bytes`.
    pub name: &'static str,
    /// What it is.
    pub metric_type: MetricType,
    /// Unit of the plain value; empty for none.
    pub unit: &'static str,
    /// What a counter counts; [`CounterClass::Unknown`] for the other types.
    pub class: CounterClass,
    chips: u8,
}

impl MetricBase {
    /// Whether a chip of [`CHIPS`] has the metric; `None` for a chip that the table does not cover.
    pub fn is_on(&self, chip: &str) -> Option<bool> {
        CHIPS.iter().position(|known| *known == chip).map(|bit| self.chips >> bit & 1 == 1)
    }

    fn parse(line: &'static str) -> Option<MetricBase> {
        let mut columns = line.split('\t');
        Some(MetricBase {
            name: columns.next()?,
            metric_type: columns.next()?.parse().ok()?,
            unit: columns.next()?,
            class: columns.next()?.parse().unwrap_or_default(),
            chips: u8::from_str_radix(columns.next()?, 16).ok()?,
        })
    }
}

/// The line of exactly that base name.
fn line_of(name: &str) -> Option<&'static str> {
    // By bytes alone, and without a list of the lines: a report has some hundred names, the table six thousand.
    let bytes = TABLE.as_bytes();
    let (mut from, mut until) = (0, bytes.len());
    while from < until {
        let middle = from.midpoint(until);
        let start = bytes[from..middle].iter().rposition(|byte| *byte == b'\n').map_or(from, |at| from + at + 1);
        let end = bytes[middle..until].iter().position(|byte| *byte == b'\n').map_or(until, |at| middle + at);
        let line = &bytes[start..end];
        let order = line[..line.len().min(name.len())].cmp(name.as_bytes());
        match order.then(line.get(name.len()).cmp(&Some(&b'\t'))) {
            Ordering::Less => from = end + 1,
            Ordering::Equal => return Some(&TABLE[start..end]),
            Ordering::Greater => until = start,
        }
    }
    None
}

/// Splits a metric name into the base that the table has and the suffix behind it (`.sum.per_second`). A base ends at
/// the first dot behind its double underscore; dots before that belong to a group (`CTC.TriageCompute.`).
pub fn split(name: &str) -> Option<(MetricBase, &str)> {
    let unit_end = name.as_bytes().windows(2).position(|pair| pair == b"__")?;
    let end = name[unit_end..].find('.').map_or(name.len(), |at| unit_end + at);
    Some((MetricBase::parse(line_of(&name[..end])?)?, &name[end..]))
}

/// Every line of the table, in order.
pub fn all() -> impl Iterator<Item = MetricBase> {
    TABLE.lines().filter_map(MetricBase::parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_parses_and_is_found_by_its_name() {
        assert_eq!(all().count(), TABLE.lines().count());
        let mut before = "";
        for base in all() {
            assert!(before < base.name, "{} is out of order", base.name);
            assert_eq!(split(base.name), Some((base, "")), "a base ends at the first dot behind its underscores");
            assert_eq!(line_of(base.name).and_then(MetricBase::parse), Some(base));
            assert_ne!(base.chips, 0, "{} is on no chip", base.name);
            before = base.name;
        }
        for absent in ["", "a", "dram__byte", "dram__bytess", "zzz"] {
            assert_eq!(line_of(absent), None, "{absent}");
        }
    }

    #[test]
    fn a_group_belongs_to_the_base_and_chips_are_told_apart() {
        let (base, suffix) = split("CTC.TriageCompute.ctc__rx_bytes.sum").expect("known");
        assert_eq!((base.name, suffix), ("CTC.TriageCompute.ctc__rx_bytes", ".sum"));
        assert_eq!(base.is_on("gh100"), Some(true));
        assert_eq!(base.is_on("ga100"), Some(false));
        assert_eq!(base.is_on("tu102"), None);
        assert_eq!(split("smsp__sass_warp_efficiency.avg"), None);
    }
}
