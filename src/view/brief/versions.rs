//! The versions of the kernel in order, the reference as the last row.

use super::lead::{self, called};
use crate::analysis::{Audit, Milestone, expectation};
use crate::evidence::Reading;
use crate::quantity::glance::{rate, time};
use crate::quantity::{Quantity, format};
use crate::view::document::{Cell, Section, Table};
use crate::view::heading::Heading;
use crate::view::tables::{columns_of, filled, paragraph, right, text};
use crate::view::{charts, clock_steps, floor};
use crate::words::{Words, words};

/// From this many versions on a picture says more than the table.
const PICTURE: usize = 3;

/// Words of a change.
const WORDS: usize = 6;

/// The section; `None` for a first audit whose times are of one state of the clocks.
pub(in crate::view) fn section(heading: &Heading, audit: &Audit) -> Option<Section> {
    let timing = audit.trials.timing.as_ref();
    let reference = timing.and_then(|timing| Some((timing.benchmark.reference.as_ref()?, timing.reference.as_ref()?)));
    let reference = reference.map(|(reference, timed)| (called(&reference.name), timed));
    let step = timing.and_then(clock_steps::sentence);
    // The lead has the time of a first audit, and that of the reference beside it.
    if heading.history.is_empty() && audit.before.is_none() && step.is_none() {
        return None;
    }
    let mut blocks = Vec::new();
    if heading.history.len() + 1 >= PICTURE {
        blocks.extend(charts::placed(heading, charts::history(heading, audit)));
    }
    let mut rows: Vec<Version> =
        heading.history.is_empty().then(|| baseline(heading, audit)).flatten().into_iter().collect();
    rows.extend(versions(heading, audit));
    rows.extend(reference.as_ref().map(|(name, timed)| Version {
        name: (&**name).into(),
        ns: Some(timed.time.median),
        per_second: timed.flop_rate.as_ref().and_then(Reading::value),
        percent: Some(100.0),
        ..Version::default()
    }));
    let beside = || heading.history.iter().rev().find_map(|one| Some(called(&one.beside.as_ref()?.0)));
    let name = reference.map(|(name, _)| name).or_else(beside);
    blocks.push(versions_table(&rows, &name.unwrap_or_default()).into());
    blocks.extend(step.map(|words| paragraph("step", words)));
    Some(Section::new("history", "History", blocks))
}

/// A row of the table; empty where there is nothing to say.
#[derive(Default)]
struct Version {
    /// Its day and commit, or the name of what stands beside the kernel.
    name: Words,
    /// What it changed, in a few words.
    change: String,
    /// Registers of a thread, where nothing was run and they are all there is to compare.
    registers: Option<f64>,
    ns: Option<f64>,
    /// What the time is of, where the rows differ in that.
    basis: &'static str,
    per_second: Option<f64>,
    /// The time of the reference in the same run, in percent of its own.
    percent: Option<f64>,
    /// Its floor in percent of its time, and what of the gap is closed.
    of_floor: String,
    verdict: String,
    /// Whether it is the audit's own.
    is_own: bool,
}

/// The old side of an audit without earlier ones.
fn baseline(heading: &Heading, audit: &Audit) -> Option<Version> {
    let name = words!("baseline {}", lead::old_name(heading, audit)?);
    let change = audit.trials.timing.as_ref().and_then(|timing| timing.change.as_ref());
    let ns = change.map(|change| change.old.time.median).or_else(|| audit.performance.time.old.as_ref()?.value());
    let flop = audit.work.flop.filter(|_| audit.stated.impossible.is_empty());
    let per_second = flop.zip(ns).map(|(flop, ns)| flop as f64 * 1e9 / ns);
    let of_floor = audit.stated.floor.as_ref().zip(ns).map(|(floor, ns)| floor::share(100.0 * floor.ns() / ns));
    Some(Version { name, ns, per_second, of_floor: of_floor.unwrap_or_default(), ..Version::default() })
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
        let code_alone = Some("code alone").filter(|_| milestone.is_code_alone);
        let is_profiled = is_mixed && milestone.timed_ns.is_none() && milestone.ns().is_some();
        Version {
            name: words.join(" ").into(),
            change: in_short(&milestone.change),
            registers: milestone.registers.value().filter(|_| own.is_code_alone),
            ns: milestone.ns(),
            basis: if is_profiled { " (ncu)" } else { "" },
            per_second: milestone.rate().map(Quantity::value),
            percent: milestone.beside.as_ref().map(|(_, percent)| *percent),
            of_floor: floor::standing(milestone, heading.history.first().unwrap_or(&own)),
            verdict: milestone.outcome().or_else(|| code_alone.map(str::to_owned)).unwrap_or_default(),
            is_own: std::ptr::eq(*milestone, &raw const own),
        }
    };
    shown.iter().enumerate().map(version).collect()
}

/// The first words of a change, without what was expected of it.
pub(in crate::view) fn in_short(change: &str) -> String {
    let change = expectation::done(change);
    let words: Vec<&str> = change.split_whitespace().collect();
    match words.get(..WORDS).filter(|_| words.len() > WORDS) {
        Some(first) => format!("{} …", first.join(" ").trim_end_matches([',', ';', ':'])),
        None => change.to_owned(),
    }
}

fn versions_table(rows: &[Version], reference: &str) -> Table {
    let number =
        |value: Option<f64>, write: &dyn Fn(f64) -> String| text(value.map(write).unwrap_or_default()).sorted(value);
    let line = |version: &Version| {
        let cells = vec![
            text(version.name.clone()),
            text(version.change.as_str()),
            number(version.registers, &|registers| format::fixed(registers, 0)),
            number(version.ns, &|ns| time(ns) + version.basis),
            number(version.per_second, &|per_second| rate(per_second, "FLOP/s")),
            number(version.percent, &|percent| format!("{} %", format::fixed(percent, 0))),
            text(version.of_floor.as_str()),
            text(version.verdict.as_str()),
        ];
        if version.is_own { cells.into_iter().map(Cell::strong).collect() } else { cells }
    };
    let mut columns = columns_of("Version | Change | Registers: | Time: | Rate: | % | Of the floor: | Verdict");
    columns[5] = right(&format!("% of {reference}"));
    filled("history", columns, rows.iter().map(line))
}
