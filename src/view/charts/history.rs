//! The history of a subject: time of one launch at each milestone.

use super::axis;
use super::model::{Axis, Chart, Curve, Figure, Mark, Plot, Shade, Tick};
use crate::analysis::{Audit, Milestone};
use crate::quantity::format::Scale;
use crate::quantity::glance::time as written;
use crate::quantity::{Quantity, Unit, format};
use crate::view::brief::lead::called;
use crate::view::heading::Heading;

/// Milestones from which on the chart says more than its table.
const ENOUGH: usize = 3;
/// Dates written on the axis at most.
const DATES: usize = 4;

/// The chart of a page: the milestones before it, and its own.
pub(in crate::view) fn of_page(heading: &Heading, audit: &Audit) -> Option<Chart> {
    let mut all = heading.shown().to_vec();
    all.push(heading.milestone(audit));
    chart(&all)
}

/// The milestones that have a time, with it in ns: the benchmark's where each of them has one, else the profiler's, so that
/// they compare.
pub(in crate::view) fn times(milestones: &[Milestone]) -> Vec<(&Milestone, f64)> {
    let profiled =
        |milestone: &Milestone| milestone.time.quantity().filter(|time| time.unit() == Unit::NS).map(Quantity::value);
    let all: Vec<&Milestone> =
        milestones.iter().filter(|one| one.timed_ns.or_else(|| profiled(one)).is_some()).collect();
    let is_timed = all.iter().all(|milestone| milestone.timed_ns.is_some());
    let time = |milestone: &Milestone| if is_timed { milestone.timed_ns } else { profiled(milestone) };
    all.into_iter().filter_map(|milestone| Some((milestone, time(milestone)?))).collect()
}

/// The chart of some milestones, the oldest first; `None` for fewer than three with a time.
pub(crate) fn chart(milestones: &[Milestone]) -> Option<Chart> {
    let all = times(milestones);
    if all.len() < ENOUGH {
        return None;
    }
    let reference = Beside::of(&all);
    let theirs = reference.iter().flat_map(|beside| &beside.points).map(|(_, time)| *time);
    let largest = all.iter().map(|(_, time)| *time).chain(theirs).fold(0.0, f64::max);
    let scale = Scale::of(Unit::NS, [largest]);
    let y = axis::linear(&format!("Time of one launch, {}", scale.unit()), 1.05 * largest, |at| {
        let text = scale.write_bare(at);
        text.strip_suffix(".00").map(str::to_owned).unwrap_or(text)
    });
    let end = (all.len() - 1) as f64;
    let every = all.len().div_ceil(DATES);
    let ticks = all.iter().enumerate().map(|(at, (milestone, _))| {
        let is_named = at % every == 0 || at == all.len() - 1 && (all.len() - 1) % every > every / 2;
        Tick { at: at as f64, text: if is_named { milestone.day() } else { String::new() } }
    });
    let x = Axis { title: String::new(), is_log: false, from: -0.3, until: end + 0.3, ticks: ticks.collect() };
    let points: Vec<(f64, f64)> = all.iter().enumerate().map(|(at, (_, time))| (at as f64, *time)).collect();
    let labelled = |(milestone, time): &(&Milestone, f64)| {
        written(*time) + &share(milestone).map(|share| format!(" ({share})")).unwrap_or_default()
    };
    let marks = all.iter().enumerate().map(|(at, one)| Mark {
        shade: if at + 1 == all.len() { Shade::New } else { Shade::Old },
        x: at as f64,
        y: one.1,
        label: if at == 0 || at + 1 == all.len() { labelled(one) } else { String::new() },
        ..Mark::default()
    });
    let beside = reference.as_ref().map(|beside| format!(", dashed: {}", beside.name)).unwrap_or_default();
    let mut curves = vec![Curve { points, ..Curve::default() }];
    let title = match &reference {
        Some(beside) => format!("Time of one launch and of {}, by audit", beside.name),
        None => "Time of one launch, by audit".into(),
    };
    let message = message(&all, reference.as_ref())?;
    let dashed = |points| Curve { shade: Shade::Old, points, is_dashed: true, ..Curve::default() };
    curves.extend(reference.map(|beside| dashed(beside.points)));
    Some(Chart {
        id: "history".into(),
        title,
        subtitle: format!("{} audits, the oldest on the left; lower is faster{beside}", all.len()),
        message,
        file: String::new(),
        figure: Figure::Plot(Plot { x, y, curves, marks: marks.collect() }),
    })
}

/// What the kernel was timed beside, and its times.
struct Beside {
    name: String,
    points: Vec<(f64, f64)>,
}

impl Beside {
    /// `None` where fewer than two audits have the same beside them, and where the times are the profiler's.
    fn of(all: &[(&Milestone, f64)]) -> Option<Beside> {
        let (name, _) = all.last()?.0.beside.as_ref()?;
        let point = |(at, (milestone, time)): (usize, &(&Milestone, f64))| {
            let (_, percent) = milestone.beside.as_ref().filter(|(other, _)| called(other) == called(name))?;
            (milestone.timed_ns == Some(*time)).then_some((at as f64, time * percent / 100.0))
        };
        let points: Vec<(f64, f64)> = all.iter().enumerate().filter_map(point).collect();
        (points.len() > 1).then(|| Beside { name: called(name).into_owned(), points })
    }
}

fn share(milestone: &Milestone) -> Option<String> {
    milestone.beside.as_ref().map(|(_, percent)| format!("{} %", format::fixed(*percent, 0)))
}

fn message(all: &[(&Milestone, f64)], reference: Option<&Beside>) -> Option<String> {
    let (first, last) = (all.first()?, all.last()?);
    let best = all.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let shares = reference.and_then(|beside| {
        let (first, last) = (share(first.0)?, share(last.0)?);
        Some(format!(" Share of {}: {first}, then {last}.", beside.name))
    });
    let shortest = match best.1 == last.1 {
        true => ", the shortest".to_owned(),
        false => format!("; the shortest is {} on {}", written(best.1), best.0.day()),
    };
    Some(format!(
        "Time of one launch over {} audits: {} on {}, {} on {}{shortest}.{}",
        all.len(),
        written(first.1),
        first.0.day(),
        written(last.1),
        last.0.day(),
        shares.unwrap_or_default()
    ))
}
