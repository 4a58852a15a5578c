//! Remaining performance ceiling: what is left on the table, ranked by its bound.

use super::document::{Block, Section, Table};
use super::estimates;
use super::tables::{code, left, paragraph, right, strong, text, words};
use crate::analysis::{Audit, Lever, LeverOrigin};
use crate::quantity::format;

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let (ours, nvidia): (Vec<&Lever>, Vec<&Lever>) = audit.levers.iter().partition(|l| l.origin == LeverOrigin::Audit);
    let mut blocks = Vec::new();
    if ours.is_empty() {
        blocks.push(paragraph("No lever that this evidence supports has a bound of one percent or more."));
    } else {
        blocks.push(paragraph(
            "Each bound is the largest part of the run time that the lever could save if everything else stayed as it is; one with `about` rests on the assumption beside it. Levers overlap: bounds are never added up, and none is a forecast.",
        ));
        blocks.push(Block::Table { table: table("levers", &ours) });
    }
    if !nvidia.is_empty() {
        blocks.push(Block::Fold {
            summary: format!("{} estimates of NVIDIA's own rules, as the report stores them", nvidia.len()),
            blocks: vec![
                paragraph("ESTIMATE: NVIDIA's numbers, not checked here. A rule speaks of the whole run time only where it says so."),
                Block::Table { table: table("nvidia-rules", &nvidia) },
            ],
        });
    }
    blocks.extend(estimates::blocks(audit));
    Section { id: "ceiling".into(), title: "Remaining performance ceiling".into(), blocks }
}

/// A bound in a table: one that rests on an assumption is about so much.
pub(super) fn bound(percent: f64, is_rough: bool) -> String {
    format!("{}{} %", if is_rough { "about " } else { "" }, format::fixed(percent, 1))
}

fn table(id: &str, levers: &[&Lever]) -> Table {
    let columns = vec![left("Lever"), right("At most"), left("Computed from"), left("Read again")];
    let line = |lever: &&Lever| {
        vec![
            words(&lever.sentence.to_marked()),
            strong(bound(lever.bound, lever.is_rough)),
            text(lever.formula.clone()),
            code(lever.remeasure.clone()),
        ]
    };
    Table { id: id.into(), caption: String::new(), columns, rows: levers.iter().map(line).collect() }
}
