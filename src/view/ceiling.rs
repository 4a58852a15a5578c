//! Remaining performance ceiling: what is left on the table, ranked by its bound.

use super::document::{Cell, Section, Table};
use super::estimates;
use super::tables::{self, code, fold, left, paragraph, right, text};
use crate::analysis::{Audit, Lever, LeverOrigin};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let (ours, nvidia): (Vec<&Lever>, Vec<&Lever>) = audit.levers.iter().partition(|l| l.origin == LeverOrigin::Audit);
    let mut blocks = Vec::new();
    if ours.is_empty() {
        blocks.push(paragraph("levers", "No lever that this evidence supports has a bound of one percent or more."));
    } else {
        blocks.push(paragraph(
            "levers",
            words!("Each bound is the largest part of the run time that the lever could save if everything else stayed as it is; one with `about` rests on the assumption beside it. Levers overlap: bounds are never added up, and none is a forecast."),
        ));
        blocks.push(table("levers", &ours).into());
    }
    if !nvidia.is_empty() {
        blocks.push(fold(
            "nvidia-rules",
            format!("{} estimates of NVIDIA's own rules, as the report stores them", nvidia.len()),
            vec![
                paragraph("nvidia-rules", "ESTIMATE: NVIDIA's numbers, not checked here. A rule speaks of the whole run time only where it says so."),
                table("nvidia-rules", &nvidia).into(),
            ],
        ));
    }
    blocks.extend(estimates::blocks(audit));
    Section::new("ceiling", "Remaining performance ceiling", blocks)
}

/// A bound in a table: one that rests on an assumption is about so much.
pub(super) fn bound(percent: f64, is_rough: bool) -> Cell {
    let about = if is_rough { "about " } else { "" };
    text(format!("{about}{} %", format::fixed(percent, 1))).sorted(percent)
}

/// A sentence in the cell of a table, where names stand as they are.
pub(super) fn sentence(words: &Words) -> Cell {
    text(words.to_plain())
}

fn table(name: &str, levers: &[&Lever]) -> Table {
    let columns = vec![left("Lever"), right("At most"), left("Computed from"), left("Read again")];
    let line = |lever: &&Lever| {
        vec![
            sentence(&lever.sentence),
            bound(lever.bound, lever.is_rough).strong(),
            text(lever.formula.clone()),
            code(lever.remeasure.clone()),
        ]
    };
    tables::table(name, columns, levers.iter().map(line).collect())
}
