//! How the evidence was collected: a row for each step, then its command.

use super::document::{Block, Table};
use super::tables::{self, code, columns_of, fold, heading, list, paragraph, text, verbatim};
use crate::evidence::{Collected, CollectedStep, StepOutcome};
use crate::quantity::Unit;
use crate::words;

/// The part of Provenance about the collection.
pub(super) fn blocks(collected: &Collected) -> Vec<Block> {
    let steps = &collected.steps;
    let mut blocks = vec![heading("collection", "Collection"), table(steps).into()];
    for step in steps {
        if !step.absent_metrics.is_empty() {
            let lead = format!("Asked for in {} and not in its report", step.step);
            blocks.push(tables::names("absent", &lead, &step.absent_metrics));
        }
    }
    let mut folded = Vec::new();
    for step in steps.iter().filter(|step| step.step != "ptxas") {
        folded.push(paragraph("commands", words!("{}:", &step.step)));
        folded.push(verbatim("commands", "sh", &step.command));
        if !step.remarks.is_empty() {
            folded.push(paragraph("commands", "Output:"));
            folded.push(list("commands", &step.remarks));
        }
    }
    blocks.push(fold("commands", "Commands of the collection", folded));
    blocks
}

fn table(steps: &[CollectedStep]) -> Table {
    let columns = columns_of("Step | Tool | Passes: | Wall time: | Ended | Result | BLAKE3");
    let row = |step: &CollectedStep| {
        let result = match step.outcome {
            StepOutcome::Made => step.file.clone(),
            StepOutcome::Failed | StepOutcome::TimedOut => format!("NOT MEASURED: {}", step.why),
        };
        vec![
            text(step.step.clone()),
            text(step.tool.clone()),
            step.passes.map(tables::count).unwrap_or_default(),
            tables::quantity(step.seconds * 1e9, Unit::NS),
            text(step.ended.clone()),
            text(result),
            code(step.blake3.chars().take(16).collect::<String>()),
        ]
    };
    let caption = "Wall time includes the program that the tool runs.";
    Table { caption: caption.into(), ..tables::table("collection", columns, steps.iter().map(row).collect()) }
}
