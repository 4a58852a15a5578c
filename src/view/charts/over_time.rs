//! The units of the chip over one launch, the old side above the new one.

use super::axis;
use super::model::{Chart, Figure, Panel, Series};
use crate::analysis::Audit;
use crate::analysis::over_time::{OverTime, Shape};
use crate::quantity::Unit;
use crate::quantity::format::{self, Scale};
use crate::view::groups::distinct;
use crate::view::over_time;

/// Stretches narrower than this share of the launch are not set off.
const NARROW: f64 = 0.01;

/// The chart; `None` without a shape.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
    let (new, shape) = shaped(audit.now.over_time.as_ref())?;
    let old = shaped(audit.before.as_ref().and_then(|old| old.over_time.as_ref()));
    let longest = old.as_ref().map_or(new.ns, |(old, _)| new.ns.max(old.ns));
    let scale = Scale::of(Unit::NS, [longest]);
    let in_unit = match scale.unit() {
        "s" => 1e9,
        "ms" => 1e6,
        "µs" => 1e3,
        _ => 1.0,
    };
    let sides: Vec<(&str, &OverTime, &Shape)> = match old {
        Some((old, was)) => vec![("old", old, was), ("new", new, shape)],
        None => vec![("", new, shape)],
    };
    let curves = sides.iter().rev().flat_map(|(_, over, _)| &over.curves);
    let mut names = distinct(curves.map(|curve| curve.unit.as_str()));
    names.truncate(LEVELS);
    let panel = |(title, over, shape): &(&str, &OverTime, &Shape)| Panel {
        title: (*title).to_owned(),
        end: over.ns / in_unit,
        stretches: stretches(over, shape)
            .into_iter()
            .map(|(from, until, what)| (from / in_unit, until / in_unit, what))
            .collect(),
        levels: over
            .curves
            .iter()
            .filter_map(|curve| Some((names.iter().position(|name| *name == curve.unit)?, curve.points.clone())))
            .collect(),
    };
    let messages = sides.iter().map(|(title, over, shape)| {
        let message = over_time::message(over, shape);
        // The means of both sides would be more than a line.
        let brief = || message.split(" Means").next().unwrap_or_default();
        if title.is_empty() { message } else { format!("{}: {}", format::capital(title), brief()) }
    });
    let messages: Vec<String> = messages.collect();
    let until = longest / in_unit;
    let mut ticks = axis::from_zero(until, |at| format::plain(at, 2));
    ticks.retain(|tick| tick.at <= until);
    Some(Chart {
        id: "over-time".into(),
        title: if old.is_some() { "Over the launch, old above new".into() } else { "Over the launch".into() },
        subtitle: format!("Percent of each unit's peak; time in {}", scale.unit()),
        message: messages.join(" "),
        file: String::new(),
        figure: Figure::Series(Series {
            legend: names.iter().map(|name| over_time::called(name).to_owned()).collect(),
            ticks,
            until,
            unit: scale.unit().to_owned(),
            panels: sides.iter().map(panel).collect(),
        }),
    })
}

fn shaped(side: Option<&OverTime>) -> Option<(&OverTime, &Shape)> {
    let over = side?;
    Some((over, over.shape.as_ref()?))
}

/// Looks that levels can have.
const LEVELS: usize = 5;

/// Ramp and tail.
fn stretches(over: &OverTime, shape: &Shape) -> Vec<(f64, f64, String)> {
    let tail = shape.ramp.ns + shape.middle.ns;
    let all = [(0.0, shape.ramp.ns, "ramp"), (tail, tail + shape.tail.ns, "tail")];
    let is_wide = |(from, until, _): &(f64, f64, &str)| over.share(until - from) >= NARROW;
    all.into_iter().filter(is_wide).map(|(from, until, what)| (from, until, what.to_owned())).collect()
}
