//! Evidence checklists as a table, FAIL first in the count line.

use super::document::{Cell, Section, Table};
use super::tables::{self, code, columns_of, heading, judged, left, paragraph, right, text};
use crate::analysis::{Audit, CheckedLine, Judgement, Role};
use crate::catalog;
use crate::evidence::{Missing, Reading};
use crate::quantity::{Quantity, Unit, format};
use crate::words;
use crate::words::Words;

/// The section; `None` where the subject expects nothing.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let lines = &audit.checks;
    if lines.is_empty() {
        return None;
    }
    let count = |outcome: Judgement| lines.iter().filter(|line| line.outcome == outcome).count();
    let mut blocks = vec![paragraph(
        "counts",
        words!(
            "{} FAIL, {} NOT MEASURED, {} PASS{}. A line without a number is neither met nor missed.",
            count(Judgement::Fails),
            count(Judgement::NotMeasured),
            count(Judgement::Holds),
            match count(Judgement::DoesNotApply) {
                0 => String::new(),
                spared => format!(", {spared} n/a"),
            }
        ),
    )];
    for id in lists(&audit.checks) {
        let of_list: Vec<&CheckedLine> = lines.iter().filter(|line| line.expected.from == id).collect();
        let title = catalog::checklist(id).map_or("Own checks", |profile| profile.label.as_str());
        blocks.push(heading("checks", title));
        blocks.extend(
            catalog::checklist(id)
                .map(|profile| paragraph("checks", words!("{} Source: {}.", &profile.help, &profile.cite))),
        );
        blocks.push(table(&of_list).into());
        blocks.extend(follows(id, &of_list).map(|words| paragraph("checks", words)));
    }
    Some(Section::new("checklist", "Evidence checklist", blocks))
}

/// What each list says to do next.
pub(super) fn what_follows(audit: &Audit) -> Vec<Words> {
    let of = |id: &str| audit.checks.iter().filter(|line| line.expected.from == id).collect::<Vec<_>>();
    lists(&audit.checks).into_iter().filter_map(|id| follows(id, &of(id))).collect()
}

/// The lists that lines are from, in their order.
fn lists(lines: &[CheckedLine]) -> Vec<&str> {
    let mut from: Vec<&str> = Vec::new();
    for line in lines {
        if !from.contains(&line.expected.from.as_str()) {
            from.push(&line.expected.from);
        }
    }
    from
}

/// What the list says to do next.
fn follows(id: &str, lines: &[&CheckedLine]) -> Option<Words> {
    let of = |outcome: Judgement| lines.iter().filter(move |line| line.outcome == outcome);
    let failed: Vec<&str> = of(Judgement::Fails).map(|line| line.expected.label.as_str()).collect();
    let next = catalog::checklist(id)?.next(&failed, of(Judgement::NotMeasured).next().is_none())?;
    Some(words!("**What follows:** {}", next))
}

fn table(lines: &[&CheckedLine]) -> Table {
    let has_old = lines.iter().any(|line| line.old.is_some());
    let mut columns = columns_of("Check | Result | Found: | Wanted: | Reading");
    if has_old {
        columns.splice(1..1, [left("Old result"), right("Old")]);
    }
    let row = |line: &&CheckedLine| {
        let mut row = vec![
            text(line.expected.label.clone()),
            judged(line.outcome, Role::Check).strong(),
            found(&line.found),
            text(wanted(line)).sorted(line.expected.value),
            code(line.expected.reading.clone()),
        ];
        if has_old {
            let old = line.old.as_ref().map(|old| [judged(old.outcome, Role::Check), found(&old.found)]);
            row.splice(1..1, old.unwrap_or_default());
        }
        row
    };
    tables::table("checks", columns, lines.iter().map(row).collect())
}

fn found(reading: &Reading) -> Cell {
    match reading {
        Reading::Missing(Missing::NotCollected { what, why }) if why.is_empty() => {
            let names: Vec<&str> = what.iter().map(AsRef::as_ref).collect();
            text(format!("needs {}", names.join(", ")))
        }
        other => tables::reading(other),
    }
}

/// The wanted number in the unit of what was found, else as it was written.
pub(super) fn wanted(line: &CheckedLine) -> String {
    let unit = line.found.quantity().map_or(Unit::NONE, Quantity::unit);
    let value = Quantity::new(line.expected.value, unit).map(format::quantity).unwrap_or_default();
    format!("{} {value}", line.expected.op)
}
