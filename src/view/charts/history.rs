//! The history of a subject: time of one launch at each milestone.

use super::axis;
use super::model::{Axis, Chart, Curve, Figure, Mark, Plot, Shade, Shape, Tick};
use crate::analysis::{Audit, Milestone};
use crate::quantity::format::Scale;
use crate::quantity::{Quantity, Unit, format};
use crate::view::heading::Heading;

/// Milestones from which on the chart says more than its table.
const ENOUGH: usize = 3;
/// Dates written on the axis at most.
const DATES: usize = 4;

/// The chart of a page: the milestones before it, and its own.
pub(in crate::view) fn of_page(heading: &Heading, audit: &Audit) -> Option<Chart> {
    let mut all = heading.history.clone();
    all.push(heading.milestone(audit));
    chart(&all)
}

/// The chart of some milestones, the oldest first; `None` for fewer than three with a time.
pub fn chart(milestones: &[Milestone]) -> Option<Chart> {
    let timed = |milestone: &&Milestone| milestone.time.quantity().is_some_and(|time| time.unit() == Unit::NS);
    let all: Vec<(&Milestone, f64)> =
        milestones.iter().filter(timed).filter_map(|m| Some((m, m.time.value()?))).collect();
    if all.len() < ENOUGH {
        return None;
    }
    let (first, last) = (all.first()?, all.last()?);
    let largest = all.iter().map(|(_, time)| *time).fold(0.0, f64::max);
    let scale = Scale::of(Unit::NS, [largest]);
    let unit = scale.write(largest).rsplit(' ').next().unwrap_or_default().to_owned();
    let y = axis::linear(&format!("Time of one launch, {unit}"), 1.05 * largest, |at| {
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
    let text = |time: f64| Quantity::new(time, Unit::NS).map(format::quantity).unwrap_or_default();
    let marks = all.iter().enumerate().map(|(at, (_, time))| Mark {
        shade: if at + 1 == all.len() { Shade::New } else { Shade::Old },
        shape: Shape::Disc,
        x: at as f64,
        y: *time,
        label: if at == 0 || at + 1 == all.len() { text(*time) } else { String::new() },
        legend: String::new(),
    });
    let best = all.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Chart {
        id: "history".into(),
        title: "Time of one launch, by audit".into(),
        subtitle: format!("{} audits, the oldest on the left; lower is faster", all.len()),
        message: format!(
            "Time of one launch over {} audits: {} on {}, {} on {}; the shortest is {} on {}.",
            all.len(),
            text(first.1),
            first.0.day(),
            text(last.1),
            last.0.day(),
            text(best.1),
            best.0.day()
        ),
        file: String::new(),
        figure: Figure::Plot(Plot {
            x,
            y,
            curves: vec![Curve { shade: Shade::Bound, label: String::new(), points, is_dashed: false }],
            marks: marks.collect(),
        }),
    })
}
