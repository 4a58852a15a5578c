//! The series of one launch, on one time axis.
//!
//! A sample bears the time at which it begins; a first one with the time 0 lies outside the axis (ncu 2025.3). ncu begins to sample
//! about a hundred samples before the launch. Series of different passes come from different replays, each with its own begin: they
//! are aligned where the launch begins, which the report says since 2024.2, and else at the first sample in which a
//! multiprocessor did anything.

use crate::catalog::{self, SeriesKind, SeriesRow};
use crate::evidence::{Launch, Metric};

/// The series of one launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// How long the launch took, in ns; in the first pass, where passes differ.
    pub ns: f64,
    /// Between two samples, in ns.
    pub step: f64,
    pub passes: usize,
    /// Samples that were dropped or merged.
    pub lost: u64,
    /// The series that the catalog has, in its order.
    pub series: Vec<Series>,
}

/// One series within the launch: its first sample is the one in which the launch begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub row: &'static SeriesRow,
    pub metric: String,
    /// The samples, [`Sampled::step`] apart.
    pub samples: Vec<f64>,
}

/// A pass of the sampler: when its launch began and ended, and the metrics that it wrote.
struct Pass<'a> {
    metrics: Vec<&'a Metric>,
    window: Option<(f64, f64)>,
}

impl Sampled {
    /// The series of a launch; `None` for one without any.
    pub fn of(launch: &Launch) -> Option<Sampled> {
        let is_sampled = |metric: &&Metric| metric.instances.len() > 1 && catalog::sampled_name(&metric.name).is_some();
        let all: Vec<&Metric> = launch.metrics.iter().filter(is_sampled).collect();
        let passes = passes(launch, &all);
        let (mut series, mut ns, mut step) = (Vec::new(), None, None);
        for pass in &passes {
            let Some((from, until)) = pass.window else { continue };
            ns = ns.or(Some(until - from));
            for metric in &pass.metrics {
                let Some(row) = catalog::sampled_name(&metric.name).and_then(catalog::series_named) else { continue };
                let points = points(metric);
                let Some(apart) = apart(&points) else { continue };
                step = step.or(Some(apart));
                let within = |(at, _): &&(f64, f64)| at + apart > from && *at < until;
                let samples: Vec<f64> = points.iter().filter(within).map(|(_, value)| *value).collect();
                if !samples.is_empty() {
                    series.push(Series { row, metric: metric.name.to_string(), samples });
                }
            }
        }
        let spelling = |of: &Series| {
            let name = catalog::sampled_name(&of.metric);
            of.row.names.iter().position(|known| Some(*known) == name)
        };
        let place = |of: &Series| catalog::series().iter().position(|row| row.id == of.row.id);
        series.sort_by_key(|of| (place(of), spelling(of)));
        series.dedup_by_key(|of| of.row.id);
        let count = |name: &&str| launch.metric(name)?.value.as_ref()?.as_u64();
        let lost = catalog::sampler().lost.iter().filter_map(count).sum();
        let is_any = !series.is_empty();
        is_any.then_some(())?;
        Some(Sampled { ns: ns?, step: step?, passes: passes.len(), lost, series })
    }

    pub(super) fn of_kind(&self, kind: SeriesKind) -> Option<&[f64]> {
        self.series.iter().find(|series| series.row.kind == kind).map(|series| series.samples.as_slice())
    }

    pub(super) fn units(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| series.row.kind == SeriesKind::Unit)
    }
}

/// The passes of the sampler. Without the list of their metrics, series that begin at the same time are of one pass.
fn passes<'a>(launch: &'a Launch, all: &[&'a Metric]) -> Vec<Pass<'a>> {
    let sampler = catalog::sampler();
    let groups = launch.metric(sampler.groups).map(|metric| &*metric.instances).unwrap_or_default();
    let time = |name: String| launch.metric(&name)?.instances.first()?.id.as_f64().filter(|at| *at > 0.0);
    let listed = |(names, number): (&str, u64)| {
        let metrics: Vec<&Metric> =
            all.iter().copied().filter(|m| names.split(',').any(|name| name == &*m.name)).collect();
        let told = time(format!("{}{number}", sampler.start)).zip(time(format!("{}{number}", sampler.end)));
        Pass { window: told.filter(|(from, until)| from < until).or_else(|| seen(&metrics)), metrics }
    };
    if !groups.is_empty() {
        return groups
            .iter()
            .filter_map(|group| Some((group.value.as_text()?, group.id.as_u64()?)))
            .map(listed)
            .collect();
    }
    let begin = |metric: &Metric| points(metric).first().map(|(at, _)| *at as u64);
    let mut begins: Vec<u64> = all.iter().filter_map(|metric| begin(metric)).collect();
    begins.sort_unstable();
    begins.dedup();
    let of = |at: &u64| {
        let metrics: Vec<&Metric> = all.iter().copied().filter(|metric| begin(metric) == Some(*at)).collect();
        Pass { window: seen(&metrics), metrics }
    };
    begins.iter().map(of).collect()
}

/// From the first to behind the last sample in which a multiprocessor did anything.
fn seen(metrics: &[&Metric]) -> Option<(f64, f64)> {
    let mut window: Option<(f64, f64)> = None;
    for metric in metrics {
        let name = catalog::sampled_name(&metric.name).unwrap_or_default();
        let points = points(metric);
        let Some(apart) =
            apart(&points).filter(|_| catalog::sampler().of_kernel.iter().any(|prefix| name.starts_with(prefix)))
        else {
            continue;
        };
        let mut busy = points.iter().filter(|(_, value)| *value > 0.0).map(|(at, _)| *at);
        let Some(first) = busy.next() else { continue };
        let last = busy.next_back().unwrap_or(first) + apart;
        let (from, until) = window.unwrap_or((first, last));
        window = Some((from.min(first), until.max(last)));
    }
    window
}

/// The samples of a series with their times, without what is no number and what lies outside the axis.
fn points(metric: &Metric) -> Vec<(f64, f64)> {
    let point = |instance: &crate::evidence::Instance| {
        let (at, value) = (instance.id.as_f64()?, instance.value.as_f64()?);
        (at > 0.0 && at.is_finite() && value.is_finite()).then_some((at, value))
    };
    let mut points: Vec<(f64, f64)> = metric.instances.iter().filter_map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// The mean time between two samples; `None` where there are not two.
fn apart(points: &[(f64, f64)]) -> Option<f64> {
    let ((first, _), (last, _)) = (points.first()?, points.last()?);
    let apart = (last - first) / (points.len() as f64 - 1.0);
    (apart.is_finite() && apart > 0.0).then_some(apart)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Instance, Value};
    use crate::quantity::Unit;

    fn metric(name: &str, points: &[(u64, f64)]) -> Metric {
        let instance = |(at, value): &(u64, f64)| Instance { id: Value::U64(*at), value: Value::F64(*value) };
        Metric {
            name: name.into(),
            unit: Unit::NONE,
            value: Some(Value::F64(0.0)),
            instances: points.iter().map(instance).collect(),
        }
    }

    fn launch(mut metrics: Vec<Metric>) -> Launch {
        metrics.sort_by(|a, b| a.name.cmp(&b.name));
        Launch { metrics, ..Launch::default() }
    }

    fn samples<'s>(sampled: &'s Sampled, id: &str) -> Option<&'s [f64]> {
        sampled.series.iter().find(|series| series.row.id == id).map(|series| series.samples.as_slice())
    }

    const ISSUE: &str = "TPC.TriageCompute.sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed";
    const DRAM: &str = "FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed";

    #[test]
    fn what_lies_outside_the_launch_is_left_out() {
        let mut groups = metric(catalog::sampler().groups, &[]);
        groups.instances =
            Box::new([Instance { id: Value::U64(0), value: Value::Text(format!("{ISSUE},{DRAM}").into()) }]);
        let launch = launch(vec![
            groups,
            metric(&format!("{}0", catalog::sampler().start), &[(1_250, 0.0)]),
            metric(&format!("{}0", catalog::sampler().end), &[(1_560, 0.0)]),
            metric(
                ISSUE,
                &[
                    (0, 9.0),
                    (1_000, 0.0),
                    (1_100, 1.0),
                    (1_200, 50.0),
                    (1_300, 80.0),
                    (1_400, 70.0),
                    (1_500, 20.0),
                    (1_600, 3.0),
                ],
            ),
            metric(
                DRAM,
                &[
                    (0, 9.0),
                    (1_000, 4.0),
                    (1_100, 4.0),
                    (1_200, 5.0),
                    (1_300, 6.0),
                    (1_400, 7.0),
                    (1_500, 8.0),
                    (1_600, 9.0),
                ],
            ),
        ]);
        let sampled = Sampled::of(&launch).expect("series");
        assert_eq!((sampled.ns, sampled.step, sampled.passes), (310.0, 100.0, 1));
        assert_eq!(samples(&sampled, "issue"), Some(&[50.0, 80.0, 70.0, 20.0][..]));
        assert_eq!(samples(&sampled, "dram"), Some(&[5.0, 6.0, 7.0, 8.0][..]));
    }

    #[test]
    fn passes_without_times_are_aligned_at_their_first_active_sample() {
        let cycles = "SM_A.TriageAC.sm__cycles_active.avg";
        let l1 = "SM_A.TriageSCG.l1tex__throughput.avg.pct_of_peak_sustained_elapsed";
        let l2 = "LTS.TriageSCG.lts__throughput.avg.pct_of_peak_sustained_elapsed";
        let launch = launch(vec![
            metric(cycles, &[(1_000, 0.0), (1_010, 0.0), (1_020, 6.0), (1_030, 7.0), (1_040, 0.0)]),
            metric(l1, &[(5_000, 0.0), (5_010, 30.0), (5_020, 40.0), (5_030, 0.0)]),
            metric(l2, &[(5_000, 2.0), (5_010, 31.0), (5_020, 41.0), (5_030, 2.0)]),
        ]);
        let sampled = Sampled::of(&launch).expect("series");
        assert_eq!((sampled.ns, sampled.step, sampled.passes), (20.0, 10.0, 2));
        assert_eq!(samples(&sampled, "active"), Some(&[6.0, 7.0][..]));
        assert_eq!(samples(&sampled, "l2"), Some(&[31.0, 41.0][..]));
    }

    #[test]
    fn bad_series_are_none() {
        assert_eq!(Sampled::of(&Launch::default()), None);
        let idle = metric(ISSUE, &[(1_000, 0.0), (1_010, 0.0)]);
        assert_eq!(Sampled::of(&launch(vec![idle])), None, "nothing ran");
        let one_time = metric(ISSUE, &[(1_000, 5.0), (1_000, 6.0)]);
        assert_eq!(Sampled::of(&launch(vec![one_time])), None, "no time passes");
        let no_number = metric(ISSUE, &[(1_000, f64::NAN), (1_010, f64::INFINITY)]);
        assert_eq!(Sampled::of(&launch(vec![no_number])), None);
        let plain = metric("sm__cycles_active.avg", &[(1, 1.0), (2, 2.0)]);
        assert_eq!(Sampled::of(&launch(vec![plain])), None, "no series by its name");
    }
}
