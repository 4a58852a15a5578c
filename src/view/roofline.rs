//! The roofline as tables: ceilings with what was reached, and the kernel's points.

use super::document::{Block, Cell, Section, Table};
use super::tables::{code, left, number, paragraph, right, strong, text};
use crate::analysis::{Audit, Ceiling, CeilingKind, Point};
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit, format};

const CURE: &str = "Collect with `--section SpeedOfLight_RooflineChart --section SpeedOfLight_HierarchicalTensorRooflineChart --section MemoryWorkloadAnalysis_Chart`, or `--set full`.";

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let roofline = &audit.roofline;
    let mut blocks = Vec::new();
    if roofline.ceilings.is_empty() {
        blocks.push(paragraph(format!("No ceiling: the report holds neither peaks nor rates. {CURE}")));
    } else {
        blocks.push(paragraph(
            "Peaks are the report's own, at the clocks that held while it was measured; tensor peaks are dense unless the row says sparse.",
        ));
        blocks.push(Block::Table { table: ceilings(&roofline.ceilings) });
    }
    if !roofline.points.is_empty() {
        blocks.push(Block::Heading { text: "Points".into() });
        blocks.push(paragraph(
            "Intensity is operations per byte of that level. The roof is the lesser of the pipe's peak and intensity × the level's peak.",
        ));
        blocks.push(Block::Table { table: points(&roofline.points, &roofline.ceilings) });
    }
    if !roofline.flags.is_empty() {
        blocks.push(Block::List { ordered: false, items: roofline.flags.clone() });
    }
    if !roofline.not_measured.is_empty() && !roofline.ceilings.is_empty() {
        blocks.push(paragraph(format!("Not measured: {}. {CURE}", roofline.not_measured.join("; "))));
    }
    Section { id: "roofline".into(), title: "Roofline".into(), blocks }
}

fn ceilings(all: &[Ceiling]) -> Table {
    let columns = vec![left("Ceiling"), right("Peak"), right("Reached"), right("Share"), left("Reached from")];
    let line = |ceiling: &Ceiling| {
        let share = ceiling.share().map(|share| format!("{} %", format::fixed(share, 2))).unwrap_or_default();
        vec![
            text(ceiling.label.clone()),
            text(number(&ceiling.peak)),
            text(number(&ceiling.achieved)),
            strong(share),
            source(ceiling),
        ]
    };
    // A pipe that did nothing keeps its ceiling out of the way of those that did.
    let shown = all.iter().filter(|c| c.kind == CeilingKind::Memory || c.achieved.value() != Some(0.0));
    Table { id: "ceilings".into(), caption: String::new(), columns, rows: shown.map(line).collect() }
}

fn source(ceiling: &Ceiling) -> Cell {
    match &ceiling.achieved {
        Reading::Measured(measured) if measured.from.formula.is_empty() => {
            code(measured.from.metrics.first().map(ToString::to_string).unwrap_or_default())
        }
        Reading::Measured(measured) => text(measured.from.formula.to_string()),
        Reading::Missing(_) => text(""),
    }
}

fn points(all: &[Point], ceilings: &[Ceiling]) -> Table {
    let columns = vec![
        left("Work"),
        left("Level"),
        right("Intensity"),
        right("Reached"),
        right("Roof"),
        right("Of the roof"),
        left("Roof set by"),
    ];
    let label = |id: &str| ceilings.iter().find(|c| c.id == id).map(|c| c.label.clone()).unwrap_or_default();
    let rate = |value: f64| Quantity::new(value, Unit::FLOP_PER_SECOND).map(format::quantity).unwrap_or_default();
    let line = |point: &Point| {
        let (compute, memory) = (label(&point.compute), label(&point.memory));
        vec![
            text(compute.clone()),
            text(memory.clone()),
            text(format!("{} FLOP/byte", format::fixed(point.intensity, 2))),
            text(rate(point.rate)),
            text(rate(point.roof)),
            strong(format!("{} %", format::fixed(point.share(), 2))),
            text(if point.is_under_slope { memory } else { compute }),
        ]
    };
    Table { id: "roofline-points".into(), caption: String::new(), columns, rows: all.iter().map(line).collect() }
}
