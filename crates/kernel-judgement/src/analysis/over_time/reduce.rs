//! From the series of a launch to what is kept of them.

use super::model::{Blocks, Clock, Curve, Idle, OverTime, Part, Period, Regime, Shape};
use super::parts::{LEAST, Samples, parts};
use super::sampled::{Sampled, Series};
use super::{clock, period};
use crate::analysis::Limits;
use crate::catalog::{SeriesKind, Threshold};
use crate::evidence::{Dim3, Launch};
use std::ops::Range;

/// Samples that are looked at: more are averaged, so that a long launch is judged as fast as a short one.
const LOOKED_AT: usize = 2_000;
const POINTS: usize = 96;
/// Curves that are kept, and what a unit's mean must be to have one, as a share of the busiest unit's.
const CURVES: usize = 5;
const DRAWN: f64 = 0.1;

/// What the series of a launch come to; `None` for a launch without any.
pub(in crate::analysis) fn over_time(launch: &Launch, limits: &Limits) -> Option<OverTime> {
    let mut found = of(&Sampled::of(launch)?, limits[Threshold::OverTimeSamples]);
    if let Some(shape) = &mut found.shape {
        shape.idle.iter_mut().for_each(|idle| idle.of = launch.device.sm_count);
        shape.blocks.iter_mut().for_each(|blocks| blocks.of = launch.grid.and_then(Dim3::count));
    }
    Some(found)
}

fn of(sampled: &Sampled, least: f64) -> OverTime {
    let samples = sampled.units().map(|series| series.samples.len()).min().unwrap_or_default();
    let is_enough = samples >= LEAST && samples as f64 >= least;
    let shape = is_enough.then(|| shape(sampled, samples)).flatten();
    let curves = if shape.is_some() { curves(sampled, samples) } else { Vec::new() };
    let Sampled { ns, step, passes, lost, .. } = *sampled;
    OverTime { ns: round(ns, 0), step: round(step, 1), samples, passes, lost, shape, curves }
}

fn shape(sampled: &Sampled, count: usize) -> Option<Shape> {
    let points = count.min(LOOKED_AT);
    let few = |samples: &[f64]| -> Option<Vec<f64>> { Some(averaged(samples.get(..count)?, points)) };
    let units: Vec<(&Series, Vec<f64>)> =
        sampled.units().filter_map(|series| Some((series, few(&series.samples)?))).collect();
    let of_kind = |kind| few(sampled.of_kind(kind)?);
    let active = of_kind(SeriesKind::Active);
    let issue = units.iter().find(|(series, _)| series.row.id == "issue").map(|(_, samples)| samples);
    let rate = of_kind(SeriesKind::IssueRate);
    let shares = issue.zip(rate).zip(active.as_ref());
    let shares = shares.and_then(|((issue, rate), active)| clock::shares(issue, &rate, active));
    let step = sampled.step * count as f64 / points as f64;
    let runs = |n: usize| match &active {
        Some(active) => active[n] > 0.0,
        None => units.iter().any(|(_, samples)| samples[n] >= 1.0),
    };
    let last = (0..points).rev().find(|n| runs(*n))?;
    let samples = Samples {
        names: units.iter().map(|(series, _)| series.row.id).collect(),
        units: units.iter().map(|(_, samples)| samples.as_slice()).collect(),
        shares: shares.as_deref(),
        running: 0..last + 1,
        step,
        ns: sampled.ns,
    };
    let repeats = repeating(&samples, step);
    let turn = repeats.as_ref().map_or(0, |period| (period.ns / step).round() as usize);
    let parts = parts(&samples, turn)?;
    let [middle, tail] = parts.spans.clone();
    let idle = samples.share(&(0..points)).map(|busy| Idle {
        of: None,
        share: round(1.0 - busy, 4),
        in_tail: round(1.0 - samples.share(&tail).unwrap_or(1.0), 4),
        from: round(runs_out(shares.as_deref().unwrap_or_default(), &middle) as f64 * step, 0),
    });
    // Of several samples the mean is kept, so that one of them is as long as it was.
    let clock =
        shares.as_ref().zip(active.as_ref()).and_then(|(shares, active)| clock::clock(shares, active, sampled.step));
    Some(Shape {
        steady: round(parts.steady, 2),
        unit: samples.names[parts.unit].to_owned(),
        mean: round(parts.mean, 2),
        ramp: rounded(parts.ramp),
        middle: rounded(parts.middle),
        tail: rounded(parts.tail),
        drain: rounded(parts.drain),
        regimes: parts.regimes.into_iter().map(rounded_regime).collect(),
        // What a tail or another level makes is no turn.
        period: repeats.filter(|_| !middle.is_empty()),
        idle,
        blocks: blocks(sampled),
        clock: clock.map(|clock| Clock {
            mean: round(clock.mean, 3),
            low: round(clock.low, 3),
            high: round(clock.high, 3),
            ..clock
        }),
    })
}

/// The sample from which on not every multiprocessor that ever held a block holds one.
fn runs_out(shares: &[f64], middle: &Range<usize>) -> usize {
    let full = shares.get(middle.clone()).unwrap_or_default().iter().copied().fold(0.0, f64::max);
    shares.iter().rposition(|share| *share >= 0.99 * full).map_or(0, |last| last + 1)
}

/// What repeats most clearly, of any unit: in the samples without the first and the last tenth, where ramp and tail are.
fn repeating(samples: &Samples<'_>, step: f64) -> Option<Period> {
    let tenth = samples.running.len() / 10;
    let inside = samples.running.start + tenth..samples.running.end - tenth;
    let of = |(name, unit): (&&str, &&[f64])| {
        let (length, swing, alike) = period::period(&unit[inside.clone()])?;
        let turns = inside.len() as f64 / length;
        Some((
            alike,
            Period {
                unit: (*name).to_owned(),
                ns: round(length * step, 0),
                turns: round(turns, 1),
                swing: round(swing, 1),
            },
        ))
    };
    let found = samples.names.iter().zip(&samples.units).filter_map(of);
    found.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, period)| period)
}

fn blocks(sampled: &Sampled) -> Option<Blocks> {
    let began = sampled.of_kind(SeriesKind::Blocks)?;
    let last = began.iter().rposition(|count| *count > 0.0)?;
    let seen = began.iter().sum::<f64>();
    Some(Blocks { seen: seen.round() as u64, of: None, last: round(last as f64 * sampled.step, 0) })
}

/// The curves of the units that are busy, the busiest first.
fn curves(sampled: &Sampled, count: usize) -> Vec<Curve> {
    let mean = |series: &Series| series.samples.iter().take(count).sum::<f64>() / count as f64;
    let mut units: Vec<(&Series, f64)> = sampled.units().map(|series| (series, mean(series))).collect();
    units.sort_by(|a, b| b.1.total_cmp(&a.1));
    let most = units.first().map_or(0.0, |(_, mean)| *mean);
    let highest = |series: &Series| series.samples.iter().copied().fold(0.0, f64::max);
    units.retain(|(series, mean)| *mean >= DRAWN * most || highest(series) >= 50.0);
    units.truncate(CURVES);
    let curve = |(series, mean): &(&Series, f64)| Curve {
        unit: series.row.id.to_owned(),
        metric: series.metric.clone(),
        mean: round(*mean, 2),
        points: averaged(&series.samples[..count], POINTS.min(count))
            .iter()
            .map(|level| level.round().clamp(0.0, 255.0) as u8)
            .collect(),
    };
    units.iter().map(curve).collect()
}

/// So many means of neighbours.
fn averaged(samples: &[f64], points: usize) -> Vec<f64> {
    let place = |n: usize| n * samples.len() / points.max(1);
    let mean = |n: usize| {
        let part = &samples[place(n)..place(n + 1)];
        part.iter().sum::<f64>() / (part.len() as f64).max(1.0)
    };
    (0..points).map(mean).collect()
}

fn round(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    // Adding 0 makes 0 of -0.
    (value * scale).round() / scale + 0.0
}

fn rounded(part: Part) -> Part {
    Part { ns: round(part.ns, 0), level: round(part.level, 2), cost: round(part.cost, 0) }
}

fn rounded_regime(regime: Regime) -> Regime {
    let units = regime.units.into_iter().map(|(unit, mean)| (unit, round(mean, 1))).collect();
    Regime { from: round(regime.from, 0), until: round(regime.until, 0), units }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(id: &str, samples: &[f64]) -> Series {
        let row = crate::catalog::series().iter().find(|row| row.id == id).expect("a row");
        Series { row, metric: row.names[0].to_owned(), samples: samples.to_vec() }
    }

    fn sampled(series: Vec<Series>) -> Sampled {
        let ns = 100.0 * series[0].samples.len() as f64;
        Sampled { ns, step: 100.0, passes: 1, lost: 0, series }
    }

    #[test]
    fn fourteen_samples_are_no_shape() {
        let found = of(&sampled(vec![series("issue", &[50.0; 14])]), 15.0);
        assert_eq!((found.samples, found.shape, found.curves.len()), (14, None, 0));
        assert!(of(&sampled(vec![series("issue", &[50.0; 15])]), 15.0).shape.is_some());
    }

    #[test]
    fn a_long_launch_is_kept_in_few_points() {
        let level: Vec<f64> = (0..96_000).map(|n| if n < 48_000 { 80.0 } else { 8.0 }).collect();
        let found = of(
            &sampled(vec![
                series("issue", &level),
                series("blocks", &[&[7.0][..], &vec![0.0; 95_998], &[1.0]].concat()),
            ]),
            15.0,
        );
        let shape = found.shape.expect("a shape");
        assert_eq!((shape.tail.ns, shape.tail.cost), (4_800_000.0, 4_320_000.0));
        assert_eq!(shape.blocks, Some(Blocks { seen: 8, of: None, last: 9_599_900.0 }));
        let curve = &found.curves[0];
        assert_eq!((curve.points.len(), curve.points[0], curve.points[95], curve.mean), (96, 80, 8, 44.0));
        let text = serde_json::to_string(&found.curves).expect("JSON");
        assert!(text.len() < 600, "{}", text.len());
    }

    #[test]
    fn means_of_neighbours_keep_the_sum() {
        assert_eq!(averaged(&[1.0, 3.0, 5.0, 7.0], 2), [2.0, 6.0]);
        assert_eq!(averaged(&[1.0, 2.0, 3.0], 2), [1.0, 2.5]);
        assert_eq!(averaged(&[4.0], 1), [4.0]);
    }
}
