//! Many kernels on one page, one line each: speed of light, launch, occupancy, shared memory, instructions.

use super::brief::lead::setting;
use super::document::{Cell, Column, Document, Line, Section, Table};
use super::faults::faults;
use super::heading::Heading;
use super::tables::{self, code, left, listed, paragraph, right, text};
use super::{brief, page};
use crate::analysis::line::{Columns, INSTRUCTIONS, LIGHT, OCCUPANCY, SHARED};
use crate::analysis::{Audit, Standing};
use crate::catalog::limiter_label;
use crate::evidence::{Missing, Reading};
use crate::quantity::{Unit, glance};
use crate::words;

/// The name of the template that prints this page.
pub(crate) const DELIVERABLE: &str = "deliverable";

type CellOf = fn(&Audit) -> Cell;

/// The page for kernels of one report or of several, in the order given.
pub fn deliverable(heading: &Heading, audits: &[Audit]) -> Document {
    let Some(first) = audits.first() else { return Document::default() };
    let mut sections: Vec<Section> = light(audits).into_iter().collect();
    sections.extend(section("occupancy", "Launch and occupancy", table("occupancy-lines", OCCUPANCY, audits)));
    sections.extend(section("shared", "Shared memory", table("shared-lines", SHARED, audits)));
    sections.extend(section("instructions", "Instructions", table("instruction-lines", INSTRUCTIONS, audits)));
    sections.extend(needed(audits));
    let mut evidence = brief::provenance::in_full(heading, first);
    let others = audits.iter().filter(|audit| audit.now.artefact.origin != first.now.artefact.origin);
    evidence.blocks.splice(2..2, others.map(|audit| brief::provenance::artefacts(audit).into()));
    sections.push(evidence);
    Document { title: page::title("Kernels in one line", heading), lead: lead(first), sections, ..Document::default() }
}

/// What the kernels of a page have in common: where they ran, and what of the report is damaged.
fn lead(audit: &Audit) -> Vec<Line> {
    let mut lines = Vec::new();
    if audit.standing() == Standing::Wrong {
        let faults = faults(audit).join("; ");
        lines.push(Line::new("wrong", words!("**WRONG:** {}. This page gives no verdict on performance.", faults)));
    }
    lines.push(Line::new("measured-on", words!("**Measured on:** {}", measured_on(audit))));
    if let Some(damage) =
        audit.now.artefact.damage.first().or(audit.before.as_ref().and_then(|old| old.artefact.damage.first()))
    {
        lines.push(Line::new("incomplete", words!("**Incomplete evidence:** {}", &damage.what)));
    }
    lines
}

fn measured_on(audit: &Audit) -> String {
    let facts = [
        ("gpu", "", ""),
        ("sm-count", "", " SMs"),
        ("driver", "driver ", ""),
        ("cuda", "CUDA ", ""),
        ("ncu", "ncu ", ""),
        ("clock-control", "clock control: ", ""),
        ("passes", "", " passes"),
    ];
    let told = |(id, before, behind)| Some(format!("{before}{}{behind}", setting(audit, id)?));
    let parts: Vec<String> = facts.into_iter().filter_map(told).collect();
    if parts.is_empty() { "the report does not say".into() } else { parts.join(" · ") }
}

/// A table; `None` where it has names alone.
fn section(name: &str, title: &str, table: Table) -> Option<Section> {
    (table.columns.len() > 1).then(|| Section::new(name, title, vec![table.into()]))
}

/// Speed of light with the verdict, and the first finding where it is another.
fn light(audits: &[Audit]) -> Option<Section> {
    let mut table = table("light-lines", LIGHT, audits);
    let shape: [(&str, CellOf); 4] = [
        ("Grid", |audit| text(audit.now.artefact.kernel.grid.map(|grid| grid.to_string()).unwrap_or_default())),
        ("Block", |audit| text(audit.now.artefact.kernel.block.map(|block| block.to_string()).unwrap_or_default())),
        ("Limited by", |audit| text(limiter_label(audit.now.bottleneck.limiter))),
        ("First finding", |audit| {
            let mut others = audit.now.findings.iter().filter(|found| found.code != audit.now.bottleneck.limiter);
            text(others.next().map(|found| limiter_label(found.code)).unwrap_or_default())
        }),
    ];
    for (title, cell) in shape {
        table.columns.push(left(title));
        for (row, audit) in table.rows.iter_mut().zip(audits) {
            row.push(cell(audit));
        }
    }
    section("light", "Speed of light", table)
}

fn reading<'a>(audit: &'a Audit, name: &str) -> Option<&'a Reading> {
    audit.line.iter().find(|(known, _)| known == name).map(|(_, reading)| reading)
}

/// The readings that at least one kernel has.
fn table(name: &str, readings: Columns, audits: &[Audit]) -> Table {
    let is_there = |name: &str| audits.iter().filter_map(|audit| reading(audit, name)).any(|one| one.value().is_some());
    let told = || readings.iter().filter(|(_, name)| is_there(name));
    let columns: Vec<Column> = std::iter::once(left("Kernel")).chain(told().map(|(title, _)| right(title))).collect();
    let row = |audit: &Audit| {
        let cells = told().map(|(_, name)| reading(audit, name).map(shown).unwrap_or_default());
        std::iter::once(code(audit.now.artefact.kernel.short_name())).chain(cells).collect()
    };
    tables::table(name, columns, audits.iter().map(row))
}

/// What the heads say that is counted.
const TITLED: [Unit; 3] = [Unit::INST, Unit::WARP, Unit::fixed("register/thread")];

fn shown(reading: &Reading) -> Cell {
    match reading {
        Reading::Measured(measured) if TITLED.contains(&measured.quantity.unit()) => {
            text(glance::amount(measured.quantity.value())).sorted(measured.quantity.value())
        }
        Reading::Measured(_) => tables::reading(reading),
        Reading::Missing(Missing::NotApplicable { .. }) => text("n/a"),
        Reading::Missing(Missing::NotCollected { .. }) => text("NOT MEASURED"),
    }
}

/// What would fill the cells that say NOT MEASURED.
fn needed(audits: &[Audit]) -> Option<Section> {
    let missing = audits.iter().flat_map(|audit| &audit.line).filter_map(|(name, reading)| match reading {
        Reading::Missing(Missing::NotCollected { what, .. }) => {
            Some(what.first().map_or_else(|| name.clone(), ToString::to_string))
        }
        _ => None,
    });
    let mut names: Vec<String> = missing.collect();
    names.sort();
    names.dedup();
    (!names.is_empty()).then(|| {
        let words = words!(
            "At least one kernel lacks: {}. Collect with `--section LaunchStats --section Occupancy --section SchedulerStats --section MemoryWorkloadAnalysis_Tables --section InstructionStats --section SourceCounters`, or `--set full`.",
            listed(&names)
        );
        Section::new("needed", "What was not measured", vec![paragraph("metrics", words)])
    })
}
