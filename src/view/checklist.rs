//! Evidence checklists as a table, FAIL first in the count line.

use super::document::{Block, Section, Table};
use super::tables::{code, left, number, paragraph, right, strong, text};
use crate::analysis::{Audit, CheckedLine, Outcome};
use crate::catalog;
use crate::evidence::{Missing, Reading};
use crate::quantity::{Quantity, Unit, format};

/// The section; `None` where the subject expects nothing.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let lines = &audit.checks;
    if lines.is_empty() {
        return None;
    }
    let count = |outcome: Outcome| lines.iter().filter(|line| line.outcome == outcome).count();
    let mut blocks = vec![paragraph(format!(
        "{} FAIL, {} NOT MEASURED, {} PASS. A line without a number is neither met nor missed.",
        count(Outcome::Fail),
        count(Outcome::NotMeasured),
        count(Outcome::Pass)
    ))];
    let mut from: Vec<&str> = Vec::new();
    for line in lines {
        if !from.contains(&line.expected.from.as_str()) {
            from.push(&line.expected.from);
        }
    }
    for id in from {
        let of_list: Vec<&CheckedLine> = lines.iter().filter(|line| line.expected.from == id).collect();
        let title = catalog::profile(id).map_or("Own checks", |profile| profile.label.as_str());
        blocks.push(Block::Heading { text: title.into() });
        blocks.extend(
            catalog::profile(id).map(|profile| paragraph(format!("{} Source: {}.", profile.help, profile.cite))),
        );
        blocks.push(Block::Table { table: table(id, &of_list) });
    }
    Some(Section { id: "checklist".into(), title: "Evidence checklist".into(), blocks })
}

fn table(id: &str, lines: &[&CheckedLine]) -> Table {
    let has_old = lines.iter().any(|line| line.old.is_some());
    let mut columns = vec![left("Check"), left("Result"), right("Found"), right("Wanted"), left("Reading")];
    if has_old {
        columns.splice(1..1, [left("Old result"), right("Old")]);
    }
    let row = |line: &&CheckedLine| {
        let mut row = vec![
            text(line.expected.label.clone()),
            strong(word(line.outcome)),
            text(found(&line.found)),
            text(wanted(line)),
            code(line.expected.reading.clone()),
        ];
        if has_old {
            let old = line.old.as_ref().map(|old| [text(word(old.outcome)), text(found(&old.found))]);
            row.splice(1..1, old.unwrap_or_default());
        }
        row
    };
    Table { id: format!("checks-{id}"), caption: String::new(), columns, rows: lines.iter().map(row).collect() }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "PASS",
        Outcome::Fail => "FAIL",
        Outcome::NotMeasured => "NOT MEASURED",
    }
}

fn found(reading: &Reading) -> String {
    match reading {
        Reading::Missing(Missing::NotCollected { what, why }) if why.is_empty() => {
            let names: Vec<&str> = what.iter().map(AsRef::as_ref).collect();
            format!("needs {}", names.join(", "))
        }
        other => number(other),
    }
}

/// The wanted number in the unit of what was found, else as it was written.
fn wanted(line: &CheckedLine) -> String {
    let unit = line.found.quantity().map_or(Unit::NONE, Quantity::unit);
    let value = Quantity::new(line.expected.value, unit).map(format::quantity).unwrap_or_default();
    format!("{} {value}", line.expected.op)
}
