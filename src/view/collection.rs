//! How the evidence was collected: a row for each step, then its command.

use super::document::{Block, Table};
use super::tables::{code, left, paragraph, right, text};
use super::{escape, tables};
use crate::evidence::{Collected, CollectedStep, StepOutcome};
use crate::quantity::{Quantity, Unit, format};

/// The part of Provenance about the collection.
pub(super) fn blocks(collected: &Collected) -> Vec<Block> {
    let steps = &collected.steps;
    let mut blocks = vec![Block::Heading { text: "Collection".into() }, Block::Table { table: table(steps) }];
    for step in steps {
        if !step.absent_metrics.is_empty() {
            let lead = format!("Asked for in {} and not in its report", step.step);
            blocks.push(tables::names(&lead, &step.absent_metrics));
        }
    }
    let mut folded = Vec::new();
    for step in steps.iter().filter(|step| step.step != "ptxas") {
        folded.push(paragraph(format!("{}:", escape::text(&step.step))));
        folded.push(Block::Code { language: "sh".into(), text: step.command.clone() });
        if !step.remarks.is_empty() {
            let items = step.remarks.iter().map(|line| escape::text(line)).collect();
            folded.push(paragraph("It said:"));
            folded.push(Block::List { ordered: false, items });
        }
    }
    blocks.push(Block::Fold { summary: "Commands of the collection".into(), blocks: folded });
    blocks
}

fn table(steps: &[CollectedStep]) -> Table {
    let columns = vec![
        left("Step"),
        left("Tool"),
        right("Passes"),
        right("Wall time"),
        left("Ended"),
        left("Result"),
        left("BLAKE3"),
    ];
    let row = |step: &CollectedStep| {
        let wall = Quantity::new(step.seconds * 1e9, Unit::NS).map_or_else(String::new, format::quantity);
        let result = match step.outcome {
            StepOutcome::Made => step.file.clone(),
            StepOutcome::Failed | StepOutcome::TimedOut => format!("NOT MEASURED: {}", step.why),
        };
        vec![
            text(step.step.clone()),
            text(step.tool.clone()),
            text(step.passes.map(format::integer).unwrap_or_default()),
            text(wall),
            text(step.ended.clone()),
            text(result),
            code(step.blake3.chars().take(16).collect::<String>()),
        ]
    };
    let caption = "Wall time is that of the tool with the program under it.";
    Table { id: "collection".into(), caption: caption.into(), columns, rows: steps.iter().map(row).collect() }
}
