//! A metric by the parts of its name: the part of the chip, what is counted, rollup and rate, unit, chips, and what of a page
//! rests on it.

use super::{
    check_metric_name,
    collection::filled_by,
    explanation::Explanation,
    metric,
    metric_names::ROLLUPS,
    row::{Catalog, embedded},
    subsystem_of, tables,
};
use crate::quantity::metric_table::{CHIPS, MetricBase, MetricType, split};
use crate::quantity::ncu_units::unit_of;
use crate::quantity::{Unit, format};
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MetricPart {
    /// As names have it: a part of the chip ends in `__`, a rollup or a rate begins with `.`.
    name: &'static str,
    /// What it says of the metric, behind a colon.
    help: &'static str,
}

static ROWS: LazyLock<Catalog<MetricPart>> =
    LazyLock::new(|| Catalog::load(embedded!("metric_parts.toml"), "part", |row| vec![row.name]));

fn part(name: &str) -> Option<&'static MetricPart> {
    ROWS.get(name)
}

/// A metric without a row, by its name; `None` for a name that no chip has and no family of values begins with.
pub(super) fn by_name(name: &str) -> Option<Explanation> {
    // Names near to one that is none are looked for among thousands.
    if !name.contains("__") || check_metric_name(name, None).is_fault() {
        return None;
    }
    let base = split(name);
    let whole = base.as_ref().map_or(name, |(base, _)| base.name);
    let whole = whole.rsplit_once(".TriageCompute.").map_or(whole, |(_, own)| own);
    let at = whole.find("__")? + "__".len();
    let unit = part(&whole[..at])?;
    let of_metric = match &base {
        Some((MetricBase { metric_type: MetricType::Counter, .. }, _)) => format!("Counted in {}.", unit.help),
        Some((MetricBase { metric_type: MetricType::Ratio, .. }, _)) => {
            format!("A quotient of what is counted in {}.", unit.help)
        }
        Some((MetricBase { metric_type: MetricType::Throughput, .. }, _)) => {
            format!("The highest of several utilisations in {}.", unit.help)
        }
        None => format!("{}.", format::capital(unit.help)),
    };
    let mut facts = if base.is_some() { words(&whole[at..]) } else { Vec::new() };
    facts.extend(reading(name));
    Some(Explanation { facts, ..Explanation::of("metric", name, of_metric) })
}

/// What the words of a counter say, the longest that are known first, and which ones say nothing here.
fn words(counter: &str) -> Vec<String> {
    let all: Vec<&str> = counter.split('_').filter(|word| !word.is_empty()).collect();
    let (mut facts, mut unknown, mut at) = (Vec::new(), Vec::new(), 0);
    while at < all.len() {
        let longest = (at + 1..=all.len()).rev().find_map(|end| Some((end, part(&all[at..end].join("_"))?)));
        match longest {
            Some((end, part)) => {
                facts.push(told(part));
                at = end;
            }
            None => {
                unknown.push(all[at]);
                at += 1;
            }
        }
    }
    if !unknown.is_empty() {
        facts.push(format!("Not in the catalog: {}.", unknown.join(", ")));
    }
    facts
}

fn told(part: &MetricPart) -> String {
    format!("{}: {}.", part.name, part.help)
}

/// How the number of a metric reads: what stands behind the counter, the unit, the chips that have it, and what of a page
/// rests on it. A counter with nothing behind it takes every ending.
pub(super) fn reading(name: &str) -> Vec<String> {
    let mut facts = Vec::new();
    let listed = split(name);
    if let Some((base, suffix)) = &listed {
        facts.extend(endings(base, suffix));
    }
    let unit = unit_of(name);
    if unit != Unit::NONE {
        facts.push(format!("Unit: {unit}."));
    }
    if let Some((base, _)) = &listed {
        let chips = |has: bool| {
            let some = CHIPS.iter().filter(|chip| (base.is_on(chip) == Some(true)) == has);
            some.map(|chip| chip.to_uppercase()).collect::<Vec<_>>().join(", ")
        };
        let (with, without) = (chips(true), chips(false));
        let lacking = if without.is_empty() { String::new() } else { format!("; not on {without}") };
        facts.push(format!("On {with}{lacking}."));
    }
    facts.extend(used(name));
    facts
}

fn endings(base: &MetricBase, suffix: &str) -> Vec<String> {
    const RATES: [&str; 4] =
        [".per_second", ".per_cycle_active", ".pct_of_peak_sustained_active", ".pct_of_peak_sustained_elapsed"];
    let behind: Vec<String> = match (suffix, base.metric_type) {
        ("", MetricType::Ratio) => [".ratio", ".pct", ".max_rate"].map(str::to_owned).to_vec(),
        ("", MetricType::Counter) => [ROLLUPS, RATES].concat().into_iter().map(str::to_owned).collect(),
        ("", MetricType::Throughput) => [".avg", ".pct_of_peak_sustained_elapsed"].map(str::to_owned).to_vec(),
        (some, _) => some.split('.').filter(|part| !part.is_empty()).map(|part| format!(".{part}")).collect(),
    };
    behind.iter().filter_map(|ending| part(ending)).map(told).collect()
}

/// Which tables of a page have it, as a level of what it counts, and what `audit collect` asks for it.
fn used(name: &str) -> Vec<String> {
    let mut facts = Vec::new();
    let id = metric(name).map_or(name, |row| row.id);
    let titles: Vec<&str> = tables().iter().filter(|table| table.rows.contains(&id)).map(|table| table.title).collect();
    if !titles.is_empty() {
        facts.push(format!("On pages in: {}.", titles.join(", ")));
    }
    let level = subsystem_of(name).filter(|_| unit_of(name) == Unit::PERCENT && name.contains(".pct_of_peak"));
    facts.extend(level.map(|part| format!("On pages as a level of {} (`{}`).", part.label, part.code)));
    facts.extend(filled_by(name).map(|fills| format!("Collected for: {fills}.")));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(name: &str) -> String {
        by_name(name).map(|told| format!("{} {}", told.text, told.facts.join(" "))).unwrap_or_default()
    }

    #[test]
    fn a_name_without_a_row_is_read_by_its_parts() {
        let told = facts("lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed");
        for says in [
            "Counted in a slice of the L2 cache.",
            "xbar2lts: from the crossbar",
            "cycles_active: cycles in which it had work.",
            ".avg: the mean",
            ".pct_of_peak_sustained_elapsed: in percent",
            "Unit: %.",
            "(`memory-l2`)",
        ] {
            assert!(told.contains(says), "{says}: {told}");
        }
        let bare = facts("lts__xbar2lts_cycles_active");
        assert!(bare.contains(".sum: ") && bare.contains(".per_second: ") && bare.contains("Unit: cycle."), "{bare}");
        assert!(facts("lts__t_sectors_op_read.sum.per_second").contains("Unit: sector/s."));
        assert!(facts("lts__t_request_hit_rate.pct").contains(".pct: the quotient"));
    }

    #[test]
    fn the_longest_words_go_first_and_what_is_not_known_is_said() {
        assert!(words("inst_executed_pipe_lsu")[0].starts_with("inst_executed: "));
        assert_eq!(words("bytes_zzz_yyy").last().map(String::as_str), Some("Not in the catalog: zzz, yyy."));
    }

    #[test]
    fn a_name_that_no_chip_has_is_no_metric() {
        for name in ["lts__nothing.sum", "lts__t_sectors.sun", "foo__bar", "launch", "memory_bound", "", "__"] {
            assert_eq!(by_name(name), None, "{name}");
        }
    }

    #[test]
    fn every_rollup_and_rate_of_the_catalog_reads() {
        let mut read = 0;
        for row in crate::catalog::metrics() {
            let Some((base, suffix)) = split(row.id).filter(|(_, suffix)| !suffix.is_empty()) else { continue };
            let parts = suffix.split('.').filter(|part| !part.is_empty()).count();
            assert_eq!(endings(&base, suffix).len(), parts, "{}", row.id);
            read += 1;
        }
        assert!(read > 100, "{read}");
    }
}
