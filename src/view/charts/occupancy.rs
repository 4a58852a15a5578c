//! Occupancy against a resource of the launch, with the launch and the next steps marked.

use super::axis;
use super::model::{Axis, Chart, Curve, Figure, Mark, Plot, Shade, Shape, Tick};
use crate::analysis::{Audit, Cliff};
use crate::quantity::format;

pub(in crate::view) fn charts(audit: &Audit) -> Vec<Chart> {
    audit.now.occupancy.cliffs.iter().filter_map(chart).collect()
}

/// `None` where the report holds no curve, or one without steps.
fn chart(cliff: &Cliff) -> Option<Chart> {
    let (id, title, axis_title) = match cliff.unit.as_str() {
        "register" => ("occupancy-registers", "Occupancy against registers", "Registers per thread"),
        "byte of shared memory" => {
            ("occupancy-shared-memory", "Occupancy against shared memory", "Shared memory per block")
        }
        _ => return None,
    };
    let is_bytes = cliff.unit.starts_with("byte");
    let (last, highest) = (cliff.steps.last()?.0 as f64, cliff.steps.iter().map(|(_, w)| *w).fold(0.0, f64::max));
    if cliff.steps.windows(2).all(|pair| pair[0].1 == pair[1].1) || last <= 0.0 {
        return None;
    }
    let amount = |value: f64| match is_bytes {
        true => format!("{} KiB", format::plain(value / 1024.0, 1)),
        false => format::fixed(value, 0),
    };
    let x = if is_bytes {
        let until = last / 1024.0;
        let kib = axis::up_to(axis_title, until, 50.0, |at| format!("{} KiB", format::plain(at, 1)));
        let ticks = kib.ticks.into_iter().map(|tick| Tick { at: tick.at * 1024.0, ..tick });
        Axis { until: last, ticks: ticks.collect(), ..kib }
    } else {
        axis::up_to(axis_title, last, 32.0, |at| format::fixed(at, 0))
    };
    let y = axis::up_to("Warps per SM", highest, 16.0, |at| format::fixed(at, 0));
    let at = cliff.at as f64;
    let here = format!("this launch: {}, {} warps", amount(at), format::fixed(cliff.warps, 0));
    let mut marks = Vec::new();
    let mut steps = Vec::new();
    if let Some(room) = cliff.room {
        let below = cliff.steps.iter().find(|(x, _)| *x > room).map_or(cliff.warps, |(_, warps)| *warps);
        steps.push(format!("above {} only {}", amount(room as f64), format::fixed(below, 0)));
        marks.push(mark(Shape::Triangle, room as f64, cliff.warps, &format!("cliff: above {}", amount(room as f64))));
    }
    if let Some((to, more)) = cliff.gain {
        steps.push(format!("from {} down {}", amount(to as f64), format::fixed(more, 0)));
        marks.push(mark(
            Shape::Diamond,
            to as f64,
            more,
            &format!("next gain: {} warps at {}", format::fixed(more, 0), amount(to as f64)),
        ));
    }
    marks.push(Mark { shade: Shade::New, ..mark(Shape::Disc, at, cliff.warps, &here) });
    let steps = if steps.is_empty() { String::new() } else { format!("; {}", steps.join("; ")) };
    Some(Chart {
        id: id.into(),
        title: title.into(),
        subtitle: format!("Warps per SM by {}", axis_title.to_lowercase()),
        message: format!(
            "{title}: at {} an SM holds {} warps{steps}.",
            if is_bytes { amount(at) } else { format!("{} registers", amount(at)) },
            format::fixed(cliff.warps, 0)
        ),
        file: String::new(),
        figure: Figure::Plot(Plot {
            x,
            y,
            curves: vec![Curve { points: staircase(&cliff.steps), ..Curve::default() }],
            marks,
        }),
    })
}

fn mark(shape: Shape, x: f64, y: f64, legend: &str) -> Mark {
    Mark { shade: Shade::Excess, shape, x, y, legend: legend.into(), ..Mark::default() }
}

/// The corners of a curve that keeps each value up to the next point.
fn staircase(steps: &[(u64, f64)]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (x, warps) in steps {
        let x = *x as f64;
        if let Some((_, before)) = points.last().copied()
            && before != *warps
        {
            points.push((x, before));
        }
        points.push((x, *warps));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staircase_has_corners() {
        assert_eq!(
            staircase(&[(0, 64.0), (33, 32.0), (255, 32.0)]),
            [(0.0, 64.0), (33.0, 64.0), (33.0, 32.0), (255.0, 32.0)]
        );
    }
}
