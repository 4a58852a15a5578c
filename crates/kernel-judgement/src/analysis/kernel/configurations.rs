//! The launches that `kernel_audit.bench` shows a profiler: those of the subject, and one of each configuration that an
//! autotuner chooses among. Each lies in NVTX ranges that name it; what tunes and warms up lies in none.

use super::{pick::Pick, summary::DURATION};
use crate::catalog::Counter;
use crate::evidence::{Launch, Report};
use std::collections::{BTreeMap, HashSet};

/// The range around everything that is shown.
const SHOWN: &str = "audit";
/// What stands between a subject and a configuration in the name of a range.
const OF: &str = ": ";

/// What is read of each configuration beside its time, with what it is called.
pub const CONFIGURATION_READINGS: [(Counter, &str); 6] = [
    (Counter::LaunchRegistersPerThread, "registers"),
    (Counter::LaunchSharedMemPerBlockDynamic, "dynamic shared memory"),
    (Counter::SmWarpsActiveAvgPctActive, "occupancy"),
    (Counter::SmspInstExecutedSum, "instructions"),
    (Counter::LtsTSectorsSum, "L2 sectors"),
    (Counter::DramBytesReadSum, "DRAM read"),
];

/// A configuration of a kernel as it ran under the profiler.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Configuration {
    /// Its values in words, as the autotuner has them.
    pub name: String,
    /// Whether it is the one that the subject ran with.
    pub is_chosen: bool,
    /// Time of each launch in ns.
    pub ns: Vec<f64>,
    /// Readings of its first launch by the names of [`CONFIGURATION_READINGS`], in base units; what was not collected is left out.
    pub readings: BTreeMap<String, f64>,
}

impl Configuration {
    /// Median time in ns; `None` where none was measured.
    pub fn time(&self) -> Option<f64> {
        let mut ns = self.ns.clone();
        ns.sort_by(f64::total_cmp);
        ns.get(ns.len().checked_sub(1)? / 2).copied()
    }

    /// The fastest first.
    pub(super) fn order(&self, other: &Configuration) -> std::cmp::Ordering {
        let time = |one: &Configuration| one.time().unwrap_or(f64::INFINITY);
        time(self).total_cmp(&time(other))
    }
}

/// What of a report is meant of a subject where `kernel_audit.bench` showed it: the launches in the subject's range.
/// `None` for any other report, and where launches were picked otherwise.
pub fn shown(report: &Report, subject: &str, stated: &Pick) -> Option<Pick> {
    let is_shown = report.launches.iter().any(|launch| is_in(launch, SHOWN) && is_in(launch, subject));
    (is_shown && stated.nvtx.is_none()).then(|| Pick { nvtx: Some(subject.to_owned()), ..stated.clone() })
}

/// The ids of the launches of all configurations of a subject.
pub fn configuration_rows(report: &Report, subject: &str) -> Vec<u32> {
    let all = report.launches.iter().filter(|launch| configured(launch, subject).is_some());
    all.map(|launch| launch.id).collect()
}

/// The configurations of a subject's kernel, whose name without parameters is `function`, the fastest first.
pub fn configurations(report: &Report, subject: &str, function: &str) -> Vec<Configuration> {
    let own = || report.launches.iter().filter(|launch| *launch.function == *function);
    let chosen = own().find(|launch| is_in(launch, subject)).and_then(|launch| {
        let at = launch.nvtx.iter().position(|range| *range.name == *subject)?;
        Some(launch.nvtx.get(at + 1)?.name.to_string())
    });
    let mut all: Vec<Configuration> = Vec::new();
    for launch in own() {
        let Some(name) = configured(launch, subject) else { continue };
        let at = all.iter().position(|known| known.name == name).unwrap_or_else(|| {
            let is_chosen = chosen.as_deref() == Some(name);
            all.push(Configuration { name: name.to_owned(), is_chosen, readings: readings(launch), ns: Vec::new() });
            all.len() - 1
        });
        all[at].ns.extend(number(launch, DURATION));
    }
    all.sort_by(Configuration::order);
    all
}

/// Leaves the launches out that show a configuration of a subject beside the subject's own, where `kernel_audit.bench`
/// showed both: kernels of one name, grid and block that are compiled otherwise are not one kernel.
pub fn leave_configurations(report: &mut Report) {
    let told = |launch: &Launch| {
        let at = launch.nvtx.iter().position(|range| *range.name == *SHOWN)?;
        Some(launch.nvtx.get(at + 1)?.name.clone())
    };
    let subjects: HashSet<_> = report.launches.iter().filter_map(told).collect();
    let is_one = |name: &str| name.split_once(OF).is_some_and(|(subject, _)| subjects.contains(subject));
    report.launches.retain(|launch| !told(launch).is_some_and(|name| is_one(&name)));
}

fn is_in(launch: &Launch, range: &str) -> bool {
    launch.nvtx.iter().any(|open| *open.name == *range)
}

/// The configuration of a subject that a launch shows.
fn configured<'l>(launch: &'l Launch, subject: &str) -> Option<&'l str> {
    let of = |name: &'l str| name.strip_prefix(subject)?.strip_prefix(OF);
    is_in(launch, SHOWN).then(|| launch.nvtx.iter().find_map(|open| of(&open.name))).flatten()
}

pub(super) fn number(launch: &Launch, metric: Counter) -> Option<f64> {
    metric.spellings().find_map(|name| launch.metric(name)?.quantity()).map(|quantity| quantity.value())
}

pub(super) fn readings(launch: &Launch) -> BTreeMap<String, f64> {
    let one = |(metric, _): &(Counter, &str)| Some((metric.name().to_owned(), number(launch, *metric)?));
    CONFIGURATION_READINGS.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Metric, NvtxRange, Value};
    use crate::quantity::Unit;

    fn launch(id: u32, ranges: &[&str], ns: f64) -> Launch {
        let nvtx = ranges.iter().map(|name| NvtxRange { domain: "".into(), name: (*name).into() }).collect();
        let metric = |counter: Counter, value| Metric {
            name: counter.into(),
            unit: Unit::NS,
            value: Some(Value::F64(value)),
            instances: Box::default(),
        };
        let metrics = vec![metric(DURATION, ns), metric(Counter::LaunchSharedMemPerBlockDynamic, 1024.0)];
        Launch { id, nvtx, metrics, function: "mm".into(), ..Launch::default() }
    }

    #[test]
    fn configurations_are_told_from_the_launch_that_counts_and_from_tuning() {
        let launches = vec![
            launch(0, &[], 9.0),
            launch(1, &["audit", "mm", "B = 64"], 40.0),
            launch(2, &["audit", "mm: B = 64"], 41.0),
            launch(3, &["audit", "mm: B = 128"], 30.0),
            launch(4, &["audit", "mm: B = 128"], 34.0),
            launch(5, &["audit", "mm2"], 5.0),
        ];
        let report = Report { launches, ..Report::default() };
        let pick = shown(&report, "mm", &Pick::default()).expect("it was shown");
        let mut own = report.clone();
        pick.leave(&mut own).expect("a launch");
        assert_eq!(own.launches.iter().map(|launch| launch.id).collect::<Vec<_>>(), [1]);
        assert_eq!(configuration_rows(&report, "mm"), [2, 3, 4]);
        let all = configurations(&report, "mm", "mm");
        let said: Vec<_> = all.iter().map(|one| (one.name.as_str(), one.is_chosen, one.time())).collect();
        assert_eq!(said, [("B = 128", false, Some(30.0)), ("B = 64", true, Some(41.0))]);
        let mut rest = report.clone();
        leave_configurations(&mut rest);
        assert_eq!(rest.launches.iter().map(|launch| launch.id).collect::<Vec<_>>(), [0, 1, 5]);
        assert_eq!(all[0].readings.get(Counter::LaunchSharedMemPerBlockDynamic.name()), Some(&1024.0));
        assert_eq!(shown(&report, "other", &Pick::default()), None);
        assert_eq!(shown(&report, "mm", &Pick { nvtx: Some("mm2".into()), ..Pick::default() }), None);
    }
}
