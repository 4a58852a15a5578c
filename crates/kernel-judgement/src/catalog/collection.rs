//! The metric set that `audit collect` asks ncu for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{metric, row, table};
use crate::nearest::several;
use crate::quantity::metric_table::{self, split};

/// Counters by the beginning and the end of their names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    starts: &'static str,
    #[serde(default)]
    ends: &'static str,
    rollups: Vec<&'static str>,
}

/// A part of the metric set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// What of the page it is collected for.
    fills: &'static str,
    #[serde(default)]
    by_instruction: bool,
    #[serde(default)]
    sections: Vec<&'static str>,
    #[serde(default)]
    tables: Vec<&'static str>,
    #[serde(default)]
    metrics: Vec<&'static str>,
    #[serde(default)]
    families: Vec<Family>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Sections {
    /// Those that there are, with what each brings.
    named: BTreeMap<&'static str, &'static str>,
    /// What is meant by other names.
    meant: BTreeMap<&'static str, &'static str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct File {
    sections: Sections,
    /// How many times longer a program runs under a tool of compute-sanitizer.
    sanitizer: BTreeMap<&'static str, f64>,
    /// Counters by patched instructions that stand for those of the hardware.
    instead: BTreeMap<&'static str, &'static str>,
    part: Vec<Part>,
}

/// Sections that are offered for a name that none has.
const NEAR: usize = 3;

static SET: LazyLock<File> = LazyLock::new(|| row::parse(row::embedded!("collection.toml")));

/// How many times longer a program runs under a tool of compute-sanitizer, as one was measured; 1 for an unknown tool.
pub fn sanitizer_ratio(tool: &str) -> f64 {
    SET.sanitizer.get(tool).copied().unwrap_or(1.0)
}

pub(super) fn section_names() -> impl Iterator<Item = &'static str> {
    SET.sections.named.keys().copied()
}

/// A section by its name in any letters, or by what is looked for under other names: how ncu calls it, and what it brings.
pub(super) fn section(name: &str) -> Option<(&'static str, &'static str)> {
    let Sections { named, meant } = &SET.sections;
    let meant = meant.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, section)| *section);
    let is_it = |own: &&str| own.eq_ignore_ascii_case(meant.unwrap_or(name));
    named.iter().find(|(own, _)| is_it(own)).map(|(own, help)| (*own, *help))
}

/// Why ncu cannot collect a section of this name, with the name that is meant; `None` where it can.
pub fn section_fault(name: &str) -> Option<String> {
    let Sections { named, meant } = &SET.sections;
    if named.contains_key(name) {
        return None;
    }
    let near = || several(name, section_names(), NEAR).join(", ");
    let instead = meant.get(name).map_or_else(near, |section| (*section).to_owned());
    let instead = if instead.is_empty() { section_names().collect::<Vec<_>>().join(", ") } else { instead };
    Some(format!("ncu has no section {name:?}; it has: {instead}"))
}

/// What on the page a metric is collected for beside the tables, in the words of the file.
pub(super) fn filled_by(name: &str) -> impl Iterator<Item = &'static str> {
    let is_named = move |part: &&Part| {
        let is_of = |family: &Family| {
            let counter = split(name).map_or(name, |(base, _)| base.name);
            counter.starts_with(family.starts) && counter.ends_with(family.ends)
        };
        part.metrics.contains(&name) || part.families.iter().any(is_of)
    };
    SET.part.iter().filter(is_named).map(|part| part.fills)
}

/// What ncu is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricSet {
    pub sections: Vec<String>,
    /// Metrics beside those of the sections, each once.
    pub metrics: Vec<String>,
}

impl MetricSet {
    /// The same without what counts by instruction.
    #[must_use]
    pub fn of_whole_kernels(&self) -> MetricSet {
        let parts = || SET.part.iter().filter(|part| part.by_instruction);
        let without = |names: &[String], gone: &dyn Fn(&str) -> bool| -> Vec<String> {
            names.iter().filter(|name| !gone(name)).cloned().collect()
        };
        MetricSet {
            sections: without(&self.sections, &|name| parts().any(|part| part.sections.contains(&name))),
            metrics: without(&self.metrics, &|name| parts().any(|part| part.metrics.contains(&name))),
        }
    }
}

/// The metric set for a chip of the metric table (`gh100`), or for a chip that it does not cover: then every counter that
/// any chip has is asked for under its first spelling.
pub fn collection(chip: Option<&str>) -> MetricSet {
    let mut set = MetricSet::default();
    let mut add = |name: String| {
        if !set.metrics.contains(&name) {
            set.metrics.push(name);
        }
    };
    for part in &SET.part {
        set.sections.extend(part.sections.iter().map(|name| (*name).to_owned()));
        let of_tables = part.tables.iter().filter_map(|id| table(id)).flat_map(|table| table.rows.iter().copied());
        for name in of_tables.chain(part.metrics.iter().copied()) {
            if let Some(name) = spelling(name, chip) {
                add(name.to_owned());
            }
        }
        for family in &part.families {
            for base in metric_table::all() {
                let is_member = base.name.starts_with(family.starts) && base.name.ends_with(family.ends);
                if is_member && chip.is_none_or(|chip| base.is_on(chip) == Some(true)) {
                    family.rollups.iter().for_each(|rollup| add(format!("{}{rollup}", base.name)));
                }
            }
        }
    }
    set
}

/// What is asked for in place of a metric, else its first spelling, that the chip has.
fn spelling(name: &'static str, chip: Option<&str>) -> Option<&'static str> {
    // These come with every section and cannot be asked for, or are made by a section from other metrics.
    const FREE: [&str; 4] = ["launch__", "device__", "profiler__", "derived__"];
    if FREE.iter().any(|family| name.starts_with(family)) {
        return None;
    }
    let is_there = |name: &str| match split(name) {
        Some((base, _)) => chip.is_none_or(|chip| base.is_on(chip) == Some(true)),
        // Metrics by instruction and groups stand in no table of counters; a misspelt counter is no such name.
        None => !name.contains("__") || name.starts_with("sass__") || name.contains(':') || name.contains("pcsamp"),
    };
    let instead = SET.instead.get(name).copied();
    let instead = instead.filter(|name| is_there(name));
    let others = metric(name).into_iter().flat_map(|row| row.spellings());
    instead.into_iter().chain(std::iter::once(name)).chain(others).find(|name| is_there(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_gets_its_own_spellings_and_nothing_that_it_lacks() {
        for chip in metric_table::CHIPS {
            let set = collection(Some(chip));
            for name in &set.metrics {
                if let Some((base, _)) = split(name) {
                    assert_eq!(base.is_on(chip), Some(true), "{name} on {chip}");
                }
            }
            assert!(set.metrics.len() > 100, "{chip} gets {} metrics", set.metrics.len());
            assert!(set.metrics.iter().any(|name| name.starts_with("dram__bytes")), "{chip}");
        }
        let (hopper, blackwell) = (collection(Some("gh100")), collection(Some("gb202")));
        assert!(hopper.metrics.iter().any(|name| name == "dram__bytes_read.sum"));
        assert!(blackwell.metrics.iter().any(|name| name == "dram__bytes_op_read.sum"));
    }

    #[test]
    fn patched_counters_stand_for_those_that_cost_a_pass() {
        let of = |chip| collection(Some(chip)).metrics;
        for chip in metric_table::CHIPS {
            for (hardware, patched) in &SET.instead {
                let there = split(patched).is_some_and(|(base, _)| base.is_on(chip) == Some(true));
                assert!(
                    !(there || patched.is_empty()) || !of(chip).iter().any(|name| name == hardware),
                    "{hardware} on {chip}"
                );
            }
        }
        assert!(of("gh100").iter().any(|name| name == "smsp__sass_thread_inst_executed.sum"));
    }

    #[test]
    fn without_counts_by_instruction_the_rest_stays() {
        let all = collection(Some("gh100"));
        let whole = all.of_whole_kernels();
        assert!(all.sections.iter().any(|name| name == "SourceCounters"));
        assert!(!whole.sections.iter().any(|name| name == "SourceCounters"));
        assert!(!whole.metrics.iter().any(|name| name == "inst_executed"));
        assert!(whole.metrics.iter().any(|name| name == "gpu__time_duration.sum"));
    }

    #[test]
    fn every_part_asks_for_something_that_is_there() {
        for part in &SET.part {
            assert!(part.tables.iter().all(|id| table(id).is_some()), "{:?}", part.tables);
            assert!([part.sections.len(), part.tables.len(), part.metrics.len(), part.families.len()] != [0; 4]);
        }
    }

    #[test]
    fn each_name_is_asked_for_once() {
        let mut names = collection(None).metrics;
        let before = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), before);
    }
}
