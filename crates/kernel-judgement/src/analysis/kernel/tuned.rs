//! A kernel that an autotuner compiled in several versions, in a report without the ranges of `kernel_audit.bench`: its
//! launches are told apart by what the driver was asked for.

use super::configurations::{Configuration, number, readings};
use super::pick::{Pick, Rows};
use super::{select, summary::DURATION};
use crate::catalog::Counter;
use crate::evidence::{Dim3, Launch, Report, Workload};
use regex::Regex;

/// Launches of each version that are read whole.
const READ: usize = 5;

/// A version of the kernel: compiled for itself, launched in its own shape.
#[derive(Clone, Copy, PartialEq)]
struct Version {
    grid: Option<Dim3>,
    block: Option<Dim3>,
    registers: f64,
    /// Dynamic shared memory of a block in bytes.
    shared: f64,
}

impl Version {
    /// `None` where the report does not say it.
    fn of(launch: &Launch) -> Option<Version> {
        let registers = number(launch, Counter::LaunchRegistersPerThread)?;
        let shared = number(launch, Counter::LaunchSharedMemPerBlockDynamic)?;
        Some(Version { grid: launch.grid, block: launch.block, registers, shared })
    }

    fn name(&self) -> String {
        let said = |size: Option<Dim3>| match size {
            Some(Dim3([x, 1, 1])) => x.to_string(),
            Some(Dim3([x, y, z])) => format!("{x} × {y} × {z}"),
            None => "unknown".to_owned(),
        };
        format!("grid {}, block {}, {} registers", said(self.grid), said(self.block), self.registers)
    }
}

/// What an autotuner tried, and what it settled on.
pub struct Tuned {
    /// The launches without those of the other versions.
    pub pick: Pick,
    /// The versions, the fastest first.
    pub configurations: Vec<Configuration>,
    /// Launches that show them, by their ids.
    pub rows: Vec<u32>,
}

/// The versions of the kernel that a filter takes; `None` where it is one program of one shape or size, which has the same
/// registers however it is launched, where its name is one of C++, whose versions have names of their own, and where
/// launches are picked otherwise.
///
/// What an autotuner settled on runs behind all that it tried: the version of the last launch, where it ran before. In a
/// report that ends while it tunes it is the fastest.
pub fn tuned(report: &Report, filter: Option<&Regex>, stated: &Pick) -> Option<Tuned> {
    let subject = select::choose(report, filter).ok()?.into_iter().next()?.key;
    if *stated != Pick::default() || subject.workload != Workload::Kernel || subject.mangled.starts_with("_Z") {
        return None;
    }
    let own: Vec<(Version, &Launch)> = (report.launches.iter())
        .filter(|launch| launch.name == subject.name && launch.workload == Workload::Kernel)
        .map(|launch| Some((Version::of(launch)?, launch)))
        .collect::<Option<_>>()?;
    let (last, _) = own.last()?;
    if own.iter().all(|(version, _)| version.registers == last.registers) {
        return None;
    }
    let mut versions: Vec<(Version, Configuration, Vec<u32>)> = Vec::new();
    for (version, launch) in &own {
        let at = versions.iter().position(|(known, ..)| known == version).unwrap_or_else(|| {
            let (name, readings) = (version.name(), readings(launch));
            versions.push((*version, Configuration { name, readings, ..Configuration::default() }, Vec::new()));
            versions.len() - 1
        });
        versions[at].1.ns.extend(number(launch, DURATION));
        versions[at].2.push(launch.id);
    }
    versions.sort_by(|(_, one, _), (_, other, _)| one.order(other));
    let before = own.iter().rev().skip_while(|(version, _)| version == last);
    let settled = before.map(|(version, _)| version).any(|version| version == last);
    let at = if settled { versions.iter().position(|(version, ..)| version == last)? } else { 0 };
    versions[at].1.is_chosen = settled;
    let others: Vec<u32> =
        versions.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, (.., ids))| ids.clone()).collect();
    let left = report.launches.iter().map(|launch| launch.id).filter(|id| !others.contains(id));
    Some(Tuned {
        pick: Pick { rows: Some(Rows::of(left)), ..Pick::default() },
        rows: versions.iter().flat_map(|(.., ids)| ids.iter().take(READ).copied()).collect(),
        configurations: versions.into_iter().map(|(_, one, _)| one).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Metric, Value};
    use crate::quantity::Unit;

    /// Launches by registers and time in ns.
    fn report(launches: &[(u64, f64)], mangled: &str) -> Report {
        let metric = |counter: Counter, unit, value| Metric {
            name: counter.into(),
            unit,
            value: Some(Value::F64(value)),
            instances: Box::default(),
        };
        let launch = |(id, (registers, ns)): (usize, &(u64, f64))| Launch {
            id: id as u32,
            metrics: vec![
                metric(DURATION, Unit::NS, *ns),
                metric(Counter::LaunchRegistersPerThread, Unit::NS, *registers as f64),
                metric(Counter::LaunchSharedMemPerBlockDynamic, Unit::NS, 0.0),
            ],
            name: "mm".into(),
            function: "mm".into(),
            mangled: mangled.into(),
            ..Launch::default()
        };
        Report { launches: launches.iter().enumerate().map(launch).collect(), ..Report::default() }
    }

    #[test]
    fn the_version_that_runs_again_at_the_end_is_the_choice() {
        let report = report(&[(64, 9.0), (64, 9.0), (128, 5.0), (255, 7.0), (255, 7.0), (128, 6.0)], "mm");
        let tuned = tuned(&report, None, &Pick::default()).expect("three versions");
        let said: Vec<_> =
            tuned.configurations.iter().map(|one| (one.readings.len(), one.ns.len(), one.is_chosen)).collect();
        assert_eq!(said, [(2, 2, true), (2, 2, false), (2, 2, false)]);
        let mut own = report.clone();
        tuned.pick.leave(&mut own).expect("two launches");
        assert_eq!(own.launches.iter().map(|launch| launch.id).collect::<Vec<_>>(), [2, 5]);
    }

    #[test]
    fn a_report_that_ends_while_it_tunes_has_no_choice() {
        let report = report(&[(128, 5.0), (64, 9.0), (255, 7.0)], "mm");
        let tuned = tuned(&report, None, &Pick::default()).expect("three versions");
        assert!(tuned.configurations.iter().all(|one| !one.is_chosen));
        let mut own = report.clone();
        tuned.pick.leave(&mut own).expect("the fastest");
        assert_eq!(own.launches[0].id, 0);
        assert_eq!(tuned.rows.len(), 3);
    }

    #[test]
    fn other_launches_are_no_versions() {
        let is_tuned = |launches: &[(u64, f64)], mangled: &str, pick: &Pick| {
            tuned(&report(launches, mangled), None, pick).is_some()
        };
        let (two, one) = ([(64, 1.0), (128, 2.0)], [(64, 1.0), (64, 2.0)]);
        assert!(is_tuned(&two, "mm", &Pick::default()));
        assert!(!is_tuned(&one, "mm", &Pick::default()));
        assert!(!is_tuned(&two, "_Z2mmPf", &Pick::default()));
        assert!(!is_tuned(&two, "mm", &Pick { rows: Some(Rows::of([0, 1].into_iter())), ..Pick::default() }));
    }
}
