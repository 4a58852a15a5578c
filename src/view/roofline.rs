//! The roofline as tables: ceilings with what was reached, and the kernel's points.

use super::charts;
use super::document::{Cell, Section, Table};
use super::heading::Heading;
use super::tables::{self, code, filled, list, number, paragraph, quantity, reading, text};
use crate::analysis::{Audit, Ceiling, CeilingKind, Flag, Point, Roofline};
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit, format};
use crate::words::{Words, words};

fn cure() -> Words {
    words!(
        "Collect with `--section SpeedOfLight_RooflineChart --section SpeedOfLight_HierarchicalTensorRooflineChart --section MemoryWorkloadAnalysis_Chart`, or `--set full`."
    )
}

pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let roofline = &audit.now.roofline;
    let mut blocks = Vec::new();
    if roofline.ceilings.is_empty() {
        let words = words!("No ceiling: the report holds neither peaks nor rates. {}", cure());
        blocks.push(paragraph("ceilings", words));
    } else {
        blocks.push(paragraph(
            "ceilings",
            "Peaks are the report's own, at the clocks that held while it was measured, and shares are of the peaks of their side; tensor peaks are dense unless the row says sparse.",
        ));
        blocks.extend(charts::placed(heading, charts::roofline(audit)));
        blocks.push(ceilings(&roofline.ceilings, audit.before.as_ref().map(|old| &old.roofline)).into());
    }
    if !roofline.points.is_empty() {
        blocks.push(tables::heading("points", "Points"));
        blocks.push(paragraph(
            "points",
            "Intensity is operations per byte of that level. The roof is the lesser of the pipe's peak and intensity × the level's peak.",
        ));
        blocks.push(points(roofline, audit.before.as_ref().map(|old| &old.roofline)).into());
    }
    let words: Vec<Words> = limiter(audit).into_iter().chain(roofline.flags.iter().map(flag)).collect();
    if !words.is_empty() && !roofline.ceilings.is_empty() {
        blocks.push(list("flags", words));
    }
    let missing: Vec<String> = roofline.not_measured.iter().cloned().chain(uncounted(roofline)).collect();
    if !missing.is_empty() && !roofline.ceilings.is_empty() {
        blocks.push(paragraph("not-measured", words!("Not measured: {}. {}", missing.join("; "), cure())));
    }
    Section::new("roofline", "Roofline", blocks)
}

fn uncounted(roofline: &Roofline) -> Option<String> {
    let listed: Vec<String> = roofline.uncounted.iter().map(|(opcode, count)| format!("{opcode} {count}")).collect();
    (!listed.is_empty()).then(|| {
        format!(
            "tensor work: NOT MEASURED. The kernel executed matrix instructions ({}), and neither the report's counters nor the opcodes give their operation count",
            listed.join(", ")
        )
    })
}

/// How the unit that the verdict names stands to this roofline, which counts bytes and operations: units also serve lookups,
/// wavefronts and instructions.
fn limiter(audit: &Audit) -> Option<Words> {
    let unit = audit.now.bottleneck.unit.as_ref()?;
    let own = audit.now.bottleneck.units.iter().find(|own| own.part == unit.code)?;
    Some(words!(
        "The verdict is on the {}, at {} % of its peak by `{}`; the ceilings here are of bytes or operations alone.",
        &own.name,
        format::fixed(100.0 * own.share, 2),
        &own.counter
    ))
}

/// What a number means beside the others.
fn flag(flag: &Flag) -> Words {
    let bytes = |value: f64| Quantity::new(value, Unit::BYTE).map(format::quantity).unwrap_or_default();
    match flag {
        Flag::AbovePeak { ceiling, percent } => words!(
            "{} reads {} % of its peak: the peak, the clock or the counter does not mean what its name says.",
            ceiling,
            format::fixed(*percent, 2)
        ),
        Flag::AboveRoof { compute, memory, percent } => {
            words!("The point {} over {} lies above its roof, at {} %.", compute, memory, format::fixed(*percent, 2))
        }
        Flag::Traffic { moved, stated } if moved < stated => words!(
            "DRAM moved {}, the stated work is {}: {} of it. The rest stayed in L2.",
            bytes(*moved),
            bytes(*stated),
            format::percent(100.0 * moved / stated)
        ),
        Flag::Traffic { moved, stated } => words!(
            "DRAM moved {}, the stated work is {}: {} times as much.",
            bytes(*moved),
            bytes(*stated),
            format::fixed(moved / stated, 2)
        ),
        Flag::Operations { counted, stated } => words!(
            "The profile counts {} G operations, the stated work is {} G: {} of it.",
            format::fixed(counted / 1e9, 3),
            format::fixed(stated / 1e9, 3),
            format::percent(100.0 * counted / stated)
        ),
        Flag::FitsInL2 { footprint, size } => words!(
            "All buffers of the launch, {}, fit in L2 ({}): a kernel that hits there is not bound by DRAM.",
            bytes(*footprint),
            bytes(*size)
        ),
    }
}

fn share(value: Option<f64>) -> Cell {
    value.map(|share| tables::percent(share, 2)).unwrap_or_default()
}

/// The ceilings; with an old side its rates and shares beside the new ones.
fn ceilings(all: &[Ceiling], old: Option<&Roofline>) -> Table {
    let was = |id: &str| old.and_then(|old| old.ceilings.iter().find(|ceiling| ceiling.id == id));
    let old_absent = old.map_or("not measured", |old| absent(&old.ceilings));
    let line = |ceiling: &Ceiling| {
        let absent = if is_tensor(&ceiling.id) { old_absent } else { "not measured" };
        let was = was(&ceiling.id).map(|was| [reading(&was.achieved), share(was.share())]);
        let was = was.or(old.map(|_| [text(absent), text("")]));
        let [was_reached, was_share] = was.unwrap_or_default();
        vec![
            text(ceiling.label.clone()),
            reading(&ceiling.peak),
            was_reached,
            was_share,
            reading(&ceiling.achieved),
            share(ceiling.share()).strong(),
            source(ceiling),
        ]
    };
    // A type that only the old side counted has no peak on the new one: its row carries the old peak.
    let gone = |ceiling: &&Ceiling| is_tensor(&ceiling.id) && all.iter().all(|new| new.id != ceiling.id);
    let past = |ceiling: &Ceiling| {
        vec![
            text(ceiling.label.clone()),
            text(format!("{} (old side)", number(&ceiling.peak))).sorted(ceiling.peak.value()),
            reading(&ceiling.achieved),
            share(ceiling.share()),
            text(absent(all)),
            text(""),
            source(ceiling),
        ]
    };
    // A pipe that did nothing on either side keeps its ceiling out of the way of those that did.
    let worked = |ceiling: &Ceiling| ceiling.achieved.value() != Some(0.0);
    let shown = all.iter().filter(|c| c.kind == CeilingKind::Memory || worked(c) || was(&c.id).is_some_and(worked));
    let gone = old.into_iter().flat_map(|old| &old.ceilings).filter(gone);
    let head = "Ceiling | Peak: | Old reached: | Old share: | Reached: | Share: | Measured by";
    filled("ceilings", head, shown.map(line).chain(gone.map(past)))
}

/// Whether a ceiling is the tensor pipe's, one for each type of its products.
fn is_tensor(id: &str) -> bool {
    id.starts_with("tensor-")
}

/// What stands for a tensor type that a side has no ceiling of: its counters saw other types, or nothing was measured.
fn absent(ceilings: &[Ceiling]) -> &'static str {
    if ceilings.iter().any(|ceiling| is_tensor(&ceiling.id)) { "none counted" } else { "not measured" }
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

/// The points; with an old side its intensity and its share of the roof, and a row for those of tensor types that it alone has.
fn points(roofline: &Roofline, old: Option<&Roofline>) -> Table {
    let was = |point: &Point| {
        let same = |was: &&Point| (&was.compute, &was.memory) == (&point.compute, &point.memory);
        old.and_then(|old| old.points.iter().find(same))
    };
    let intensity =
        |point: &Point| text(format!("{} FLOP/byte", format::fixed(point.intensity, 2))).sorted(point.intensity);
    let both = || roofline.ceilings.iter().chain(old.into_iter().flat_map(|old| &old.ceilings));
    let label = |id: &str| both().find(|c| c.id == id).map(|c| c.label.clone()).unwrap_or_default();
    let line = |point: &Point| {
        let (compute, memory) = (label(&point.compute), label(&point.memory));
        let was = was(point).map(|was| [intensity(was), share(Some(was.share()))]);
        let [was, was_of_roof] = was.or(old.map(|_| [text("no point"), text("")])).unwrap_or_default();
        vec![
            text(compute.clone()),
            text(memory.clone()),
            was,
            was_of_roof,
            intensity(point),
            quantity(point.rate, Unit::FLOP_PER_SECOND),
            quantity(point.roof, Unit::FLOP_PER_SECOND),
            share(Some(point.share())).strong(),
            text(if point.is_under_slope { memory } else { compute }),
        ]
    };
    let is_gone = |was: &&Point| {
        let is_same = |new: &Point| (&new.compute, &new.memory) == (&was.compute, &was.memory);
        is_tensor(&was.compute) && !roofline.points.iter().any(is_same)
    };
    let past = |was: &Point| {
        let cells = [label(&was.compute), label(&was.memory)].map(text);
        let old = [intensity(was), share(Some(was.share()))];
        let none = ["no point", "", "", "", ""].map(text);
        cells.into_iter().chain(old).chain(none).collect()
    };
    let gone = old.into_iter().flat_map(|old| &old.points).filter(is_gone);
    let rows = roofline.points.iter().map(line).chain(gone.map(past));
    let head = "Intensity: | Reached: | Roof: | Of the roof: | Roof set by";
    filled("points", format!("Work | Level | Old intensity: | Old of the roof: | {head}"), rows)
}
