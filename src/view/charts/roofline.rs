//! The roofline: slopes of the memory levels, flat lines of the pipes, and the kernel's points.

use super::axis;
use super::model::{Chart, Curve, Figure, Mark, Plot, Shade, Shape};
use crate::analysis::{Audit, Ceiling, CeilingKind, Point};
use crate::quantity::{Quantity, Unit, format, glance};

/// The chart; `None` without a point, or without a level and a pipe.
pub(in crate::view) fn chart(audit: &Audit) -> Option<Chart> {
    let roofline = &audit.now.roofline;
    let ceiling = |id: &str| roofline.ceilings.iter().find(|ceiling| ceiling.id == id);
    let points: Vec<&Point> = roofline.points.iter().filter(|p| p.intensity > 0.0 && p.rate > 0.0).collect();
    // The pipe that did the most; a chart of all of them would hide the points.
    let main = points.iter().max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    let pipe = ceiling(&main.compute)?;
    let peak = pipe.peak.value().filter(|peak| *peak > 0.0)?;
    let shown: Vec<&Point> = points.iter().copied().filter(|point| point.compute == pipe.id).collect();
    // The old side's points of the same pipe, under the roof of the new one.
    let before = audit.before.iter().flat_map(|old| &old.roofline.points);
    let is_shown = |point: &&Point| point.compute == pipe.id && point.intensity > 0.0 && point.rate > 0.0;
    let before: Vec<&Point> = before.filter(is_shown).collect();
    let levels = roofline.ceilings.iter().filter(|ceiling| ceiling.kind == CeilingKind::Memory);
    let levels = levels.filter_map(|level| Some((level, level.peak.value().filter(|peak| *peak > 0.0)?)));
    let levels: Vec<(&Ceiling, f64)> = levels.collect();
    if levels.is_empty() {
        return None;
    }
    let ridges = levels.iter().map(|(_, level)| peak / level);
    let intensities = || shown.iter().chain(&before).map(|point| point.intensity);
    let least = intensities().chain(ridges.clone()).fold(f64::INFINITY, f64::min);
    let most = intensities().chain(ridges).fold(0.0, f64::max);
    let lowest = shown.iter().chain(&before).map(|point| point.rate).fold(f64::INFINITY, f64::min);
    let x = axis::log("FLOP per byte of the level", least / 4.0, most * 2.0, power);
    let y = axis::log("FLOP/s", lowest / 2.0, peak, power);
    let ridge = levels.iter().map(|(_, level)| peak / level).fold(f64::INFINITY, f64::min);
    let (label, points) = (format!("{} peak, {}", pipe.label, rate(peak)), vec![(ridge, peak), (x.until, peak)]);
    let mut curves = vec![Curve { label, points, ..Curve::default() }];
    for (level, bytes) in &levels {
        let start = x.from.max(y.from / bytes);
        let points = vec![(start, start * bytes), (peak / bytes, peak)];
        let (label, is_dashed) = (level.label.clone(), level.id != "dram");
        curves.push(Curve { label, points, is_dashed, ..Curve::default() });
    }
    let shape = |id: &str| match id {
        "dram" => Shape::Disc,
        "l2" => Shape::Square,
        _ => Shape::Triangle,
    };
    let label = |id: &str| ceiling(id).map(|c| c.label.clone()).unwrap_or_default();
    let mark = |shade, point: &Point| Mark {
        shade,
        shape: shape(&point.memory),
        x: point.intensity,
        y: point.rate,
        ..Mark::default()
    };
    let old = before.iter().enumerate().map(|(at, point)| Mark {
        legend: if at == 0 { "old version, in the same shapes".into() } else { String::new() },
        ..mark(Shade::Old, point)
    });
    let new = shown.iter().map(|point| Mark {
        legend: format!(
            "{}: {} FLOP/byte, {} % of its roof",
            label(&point.memory),
            format::fixed(point.intensity, 2),
            format::fixed(point.share(), 2)
        ),
        ..mark(Shade::New, point)
    });
    let said = |point: &&Point| {
        let [intensity, share] = [point.intensity, point.share()].map(|value| format::fixed(value, 2));
        let (level, by) = (label(&point.memory), if point.is_under_slope { "the level" } else { "the pipe" });
        format!("{intensity} FLOP per byte of {level}, {share} % of the roof that {by} sets there")
    };
    let said: Vec<String> = shown.iter().map(said).collect();
    Some(Chart {
        id: "roofline".into(),
        // What its products are made of stands at the roof.
        title: format!("Roofline of {}", pipe.label.split(" (").next().unwrap_or_default()),
        subtitle: "Peaks at the clocks that held while it was measured".into(),
        message: format!(
            "Roofline: {} reaches {} of {}{}; {}.",
            pipe.label,
            rate(main.rate),
            rate(peak),
            before.first().map(|old| format!(", before {}", rate(old.rate))).unwrap_or_default(),
            said.join("; ")
        ),
        file: String::new(),
        figure: Figure::Plot(Plot { x, y, curves, marks: old.chain(new).collect() }),
    })
}

fn rate(value: f64) -> String {
    Quantity::new(value, Unit::FLOP_PER_SECOND).map(format::quantity).unwrap_or_default()
}

/// A mark of an axis over powers of ten.
fn power(value: f64) -> String {
    if value < 1.0 { format::plain(value, 9) } else { glance::short(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_the_axes() {
        assert_eq!([0.001, 0.1, 1.0, 1000.0, 1e10].map(power), ["0.001", "0.1", "1", "1,000", "10.0 G"]);
    }
}
