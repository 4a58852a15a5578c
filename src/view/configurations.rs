//! The configurations that an autotuner chooses among: times, resources, and what parts the best from the next.

use super::document::{Block, Cell, Section};
use super::tables::{filled, left, paragraph, right, text};
use crate::analysis::{Audit, CONFIGURATION_READINGS, Configuration};
use crate::catalog::Counter;
use crate::quantity::{format, glance};
use crate::words::{Words, words};

/// How far a reading of the second goes from the best one's before it says why.
const APART: f64 = 1.1;
/// Readings that are named at most.
const NAMED: usize = 3;

/// The section; `None` where the kernel has fewer than two configurations.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let all = audit.trials.configurations.as_slice();
    let (best, next) = (all.first()?, all.get(1)?);
    let fastest = best.time()?;
    let mut columns = vec![left("Configuration"), right("Duration under ncu"), right("Beside the best")];
    columns.extend(CONFIGURATION_READINGS.iter().map(|(_, label)| right(&format::capital(label))));
    let row = |one: &Configuration| {
        let name = if one.is_chosen { words::strong(one.name.as_str()).into() } else { Words::from(one.name.as_str()) };
        let time = one.time();
        let mut cells = vec![text(name)];
        cells.push(text(time.map_or("NOT MEASURED".to_owned(), glance::time)).sorted(time));
        let beside = time.filter(|_| one.name != best.name).map(|ns| format::change(fastest, ns));
        cells.push(text(beside.unwrap_or_else(|| "—".to_owned())).sorted(time));
        cells.extend(CONFIGURATION_READINGS.iter().map(|(metric, _)| reading(*metric, one)));
        cells
    };
    let mut blocks: Vec<Block> =
        vec![paragraph("basis", basis(all)), filled("configurations", columns, all.iter().map(row)).into()];
    blocks.extend(why(best, next).map(|words| paragraph("why", words)));
    Some(Section::new("configurations", "Configurations of the autotuner", blocks))
}

fn basis(all: &[Configuration]) -> Words {
    let launches = || all.iter().map(|one| one.ns.len());
    let said = match all.iter().position(|one| one.is_chosen) {
        Some(0) => " The autotuner chose the fastest.".to_owned(),
        Some(at) => {
            let times = all[at].time().zip(all[0].time());
            let more = times.map_or(String::new(), |(own, best)| format!(", which takes {} here", longer(best, own)));
            format!(" The autotuner chose the one in bold{more}: tune without a profiler, and keep the choice.")
        }
        None => String::new(),
    };
    let each = match (launches().min().unwrap_or_default(), launches().max().unwrap_or_default()) {
        (1, 1) => "1 launch".to_owned(),
        (least, most) if least == most => format!("{most} launches"),
        (least, most) => format!("{least} to {most} launches"),
    };
    words!("{} configurations of one kernel, {} of each under ncu, the fastest first.{}", all.len(), each, said)
}

fn reading(metric: Counter, one: &Configuration) -> Cell {
    let Some(value) = one.readings.get(metric.name()).copied() else { return Cell::default() };
    let metrics = vec![metric.name().to_owned()];
    Cell { metrics, ..text(written(metric, value)).sorted(value) }
}

fn written(metric: Counter, value: f64) -> String {
    match metric {
        Counter::SmWarpsActiveAvgPctActive => format!("{} %", glance::digits(value)),
        Counter::LaunchSharedMemPerBlockDynamic | Counter::DramBytesReadSum => glance::bytes(value),
        Counter::LaunchRegistersPerThread => format::integer(value as u64),
        _ => glance::amount(value),
    }
}

/// `10.4 % longer`: a time beside a shorter one.
fn longer(short: f64, long: f64) -> String {
    format!("{} longer", format::change(short, long).trim_start_matches('+'))
}

/// What the second does more or less than the best, the largest difference first.
fn why(best: &Configuration, next: &Configuration) -> Option<Words> {
    let (first, second) = (best.time()?, next.time()?);
    let apart = CONFIGURATION_READINGS.iter().filter_map(|(metric, label)| {
        let (a, b) = (*best.readings.get(metric.name())?, *next.readings.get(metric.name())?);
        let factor = (a > 0.0 && b > 0.0).then(|| (a / b).max(b / a)).filter(|factor| *factor >= APART)?;
        Some((factor, format!("{label} {} instead of {}", written(*metric, b), written(*metric, a))))
    });
    let mut apart: Vec<(f64, String)> = apart.collect();
    apart.sort_by(|a, b| b.0.total_cmp(&a.0));
    let named: Vec<String> = apart.into_iter().take(NAMED).map(|(_, said)| said).collect();
    let more = longer(first, second);
    Some(match named.is_empty() {
        true => words!("The second takes {}; no reading above parts the two by a tenth.", more),
        false => words!("The second takes {}: {}.", more, named.join(", ")),
    })
}
