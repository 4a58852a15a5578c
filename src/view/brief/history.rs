//! The versions of the kernel in order, the reference as the last row.

use super::lead::{self, called};
use super::numbers::row;
use crate::analysis::{Audit, Milestone, StallBasis};
use crate::catalog::Counter;
use crate::evidence::Reading;
use crate::quantity::glance::{rate, time};
use crate::quantity::{Quantity, format};
use crate::view::document::{Cell, Section, Table};
use crate::view::heading::Heading;
use crate::view::tables::{columns_of, filled, paragraph, right, text};
use crate::view::{charts, clock_steps};
use crate::words;
use crate::words::Words;

/// From this many versions on a picture says more than the table.
const PICTURE: usize = 3;

const REGISTERS: Counter = Counter::LaunchRegistersPerThread;

/// The section; `None` for a first audit without a reference.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Option<Section> {
    let reference = audit
        .timing
        .as_ref()
        .and_then(|timing| Some((called(&timing.benchmark.reference.as_ref()?.name), timing.reference.as_ref()?)));
    if heading.history.is_empty() && audit.old.is_none() && reference.is_none() {
        return None;
    }
    let mut blocks = Vec::new();
    if heading.history.len() + 1 >= PICTURE {
        blocks.extend(charts::placed(heading, charts::history(heading, audit)));
    }
    let mut rows: Vec<Version> =
        heading.history.is_empty().then(|| baseline(heading, audit)).flatten().into_iter().collect();
    rows.extend(versions(heading, audit));
    rows.extend(reference.map(|(name, timed)| Version {
        name: name.into(),
        ns: Some(timed.time.median),
        per_second: timed.flop_rate.as_ref().and_then(Reading::value),
        percent: Some(100.0),
        ..Version::default()
    }));
    // Registers that no version changed tell nothing.
    let registers: Vec<f64> = rows.iter().filter_map(|version| version.registers).collect();
    if registers.len() > 1 && registers.iter().all(|count| *count == registers[0]) {
        rows.iter_mut().for_each(|version| version.registers = None);
    }
    let name = reference.map(|(name, _)| name).or_else(|| heading.history.iter().rev().find_map(beside));
    blocks.push(versions_table(&rows, name.unwrap_or_default()).into());
    let step = audit.timing.as_ref().and_then(clock_steps::sentence);
    blocks.extend(step.map(|words| paragraph("step", words)));
    Some(Section::new("history", "History", blocks))
}

/// What a version was timed beside.
fn beside(milestone: &Milestone) -> Option<&str> {
    milestone.beside.as_ref().map(|(name, _)| called(name))
}

/// A row of the table; empty where there is nothing to say.
#[derive(Default)]
struct Version {
    /// Its day, commit and change, or the name of what stands beside the kernel.
    name: Words,
    ns: Option<f64>,
    /// What the time is of, where the rows differ in that.
    basis: &'static str,
    per_second: Option<f64>,
    /// The time of the reference in the same run, in percent of its own.
    percent: Option<f64>,
    registers: Option<f64>,
    stall: String,
    verdict: String,
    /// Whether it is the audit's own.
    is_own: bool,
}

/// The old side of an audit without earlier ones.
fn baseline(heading: &Heading, audit: &Audit) -> Option<Version> {
    let name = words!("baseline {}", lead::old_name(heading, audit)?);
    let change = audit.timing.as_ref().and_then(|timing| timing.change.as_ref());
    let ns = change.map(|change| change.old.time.median).or_else(|| audit.performance.time.old.as_ref()?.value());
    let per_second = audit.work.flop.zip(ns).map(|(flop, ns)| flop as f64 * 1e9 / ns);
    let registers = row(audit, REGISTERS).and_then(|row| row.old.as_ref()?.value());
    let top = audit.stalls.top_before();
    let stall = top.map(|(basis, row)| stall(&row.row.label, basis, row.row.old.as_ref())).unwrap_or_default();
    Some(Version { name, ns, per_second, registers, stall, ..Version::default() })
}

/// The last versions and the audit's own. A GPU is named where it is another than before.
fn versions(heading: &Heading, audit: &Audit) -> Vec<Version> {
    let own = heading.milestone(audit);
    let shown: Vec<&Milestone> = heading.shown().iter().chain([&own]).collect();
    // Wrong results are held beside nothing.
    let is_mixed = shown.iter().any(|one| one.timed_ns.is_some()) && shown.iter().any(|one| one.timed_ns.is_none());
    let gpus = shown.iter().map(|one| one.gpu.as_str()).filter(|gpu| !gpu.is_empty());
    let has_other_gpus = gpus.clone().any(|gpu| gpus.clone().next() != Some(gpu));
    let version = |(at, milestone): (usize, &&Milestone)| {
        let commit = milestone.commit.chars().take(8).collect::<String>();
        let is_other = has_other_gpus && (at == 0 || shown[at - 1].gpu != milestone.gpu);
        let gpu = Some(milestone.gpu.trim_start_matches("NVIDIA ")).filter(|gpu| is_other && !gpu.is_empty());
        let on = gpu.map(|gpu| format!("on {gpu}")).unwrap_or_default();
        let words: Vec<String> = [milestone.day(), commit, on].into_iter().filter(|word| !word.is_empty()).collect();
        let change = if milestone.change.is_empty() { String::new() } else { format!(": {}", milestone.change) };
        let is_profiled = is_mixed && milestone.timed_ns.is_none() && milestone.ns().is_some();
        Version {
            name: (words.join(" ") + &change).into(),
            ns: milestone.ns(),
            basis: if is_profiled { " (ncu)" } else { "" },
            per_second: milestone.rate().map(Quantity::value),
            percent: milestone.beside.as_ref().map(|(_, percent)| *percent),
            registers: milestone.registers.value(),
            stall: milestone
                .stall
                .as_ref()
                .map_or_else(String::new, |(label, basis, reading)| stall(label, *basis, Some(reading))),
            verdict: milestone.outcome().unwrap_or_default(),
            is_own: std::ptr::eq(*milestone, &raw const own),
        }
    };
    shown.iter().enumerate().map(version).collect()
}

/// `Long scoreboard 46 %`.
fn stall(label: &str, basis: StallBasis, reading: Option<&Reading>) -> String {
    match (reading.and_then(Reading::value), basis) {
        (None, _) => label.to_owned(),
        (Some(cycles), StallBasis::PerIssue) => format!("{label} {} per issue", format::fixed(cycles, 2)),
        (Some(percent), _) => format!("{label} {} %", format::fixed(percent, 0)),
    }
}

fn versions_table(rows: &[Version], reference: &str) -> Table {
    let number =
        |value: Option<f64>, write: &dyn Fn(f64) -> String| text(value.map(write).unwrap_or_default()).sorted(value);
    let line = |version: &Version| {
        let cells = vec![
            text(version.name.clone()),
            number(version.ns, &|ns| time(ns) + version.basis),
            number(version.per_second, &|per_second| rate(per_second, "FLOP/s")),
            number(version.percent, &|percent| format!("{} %", format::fixed(percent, 0))),
            number(version.registers, &|count| format::fixed(count, 0)),
            text(version.stall.as_str()),
            text(version.verdict.as_str()),
        ];
        if version.is_own { cells.into_iter().map(Cell::strong).collect() } else { cells }
    };
    let mut columns = columns_of("Version | Time: | Rate: | % | Registers: | Top stall | Verdict");
    columns[3] = right(&format!("% of {reference}"));
    filled("history", columns, rows.iter().map(line).collect())
}
