//! Whether the kernel computes what it should: the check of its outputs, then the findings of compute-sanitizer.

use super::document::{Block, Section, Table};
use super::tables::{code, left, paragraph, right, strong, text};
use super::{escape, sanitizer};
use crate::analysis::{Audit, Standing, position};
use crate::evidence::{Correctness, LaunchFacts, OutputCheck};
use crate::quantity::format;

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let mut blocks = vec![paragraph(standing(audit))];
    if let Some(check) = &audit.correctness {
        blocks.push(Block::Table { table: outputs(check) });
        blocks.push(paragraph(
            "Outputs that are only written held NaNs before each launch, so that an element which was not written shows. The \
             reference ran first, so that a kernel which spoils its inputs does not spoil what is expected of it.",
        ));
        blocks.extend(launch(audit, &check.launch, "check"));
    }
    blocks.extend(sanitizer::blocks(&audit.sanitizer));
    Section { id: "correctness".into(), title: "Correctness".into(), blocks }
}

/// The first sentences: right, wrong, or not known.
fn standing(audit: &Audit) -> String {
    let tools = match (audit.sanitizer.is_empty(), audit.sanitizer.iter().all(|run| run.is_clean())) {
        (true, _) => "",
        (false, true) => " compute-sanitizer found nothing.",
        (false, false) => " What compute-sanitizer says stands below.",
    };
    match audit.standing() {
        Standing::Wrong => {
            let faults: Vec<String> = audit.faults().iter().map(|fault| escape::text(fault)).collect();
            format!("**WRONG:** {}.", faults.join("; "))
        }
        Standing::Correct => {
            let said = audit.correctness.as_ref().map(within).unwrap_or_default();
            format!("**Correct:** {said}.{tools}")
        }
        Standing::NotChecked => {
            let missed = audit.trials_missed.iter().find(|(step, _)| step == "correctness").map(|(_, why)| why.clone());
            let why = match missed.or(audit.void_check()) {
                Some(why) => format!("{}.", escape::text(why.trim_end_matches('.'))),
                None => {
                    "No check of the kernel's outputs was given: `audit launch` makes one with `--check`.".to_owned()
                }
            };
            format!("**NOT MEASURED:** {why} Whether the kernel computes what it should is not known.{tools}")
        }
    }
}

/// What passed, within what.
fn within(check: &Correctness) -> String {
    let seeds: Vec<String> = check.runs.iter().map(|run| run.seed.to_string()).collect();
    let seeds = match seeds.as_slice() {
        [one] => format!("seed {one}"),
        some => format!("seeds {}", some.join(", ")),
    };
    let reference = escape::text(&check.reference);
    let start = format!("every element of every output, on inputs of {seeds}, against {reference}");
    if check.tolerance == 0.0 {
        return format!("{start}: the same bits");
    }
    let outputs = || check.runs.iter().flat_map(|run| &run.outputs);
    let largest = |value: fn(&OutputCheck) -> Option<f64>| outputs().filter_map(value).fold(0.0, f64::max);
    let norm = largest(|output| output.relative_norm);
    let error = largest(|output| output.worst.as_ref().and_then(|worst| worst.error));
    format!(
        "{start}: the relative norm of the difference is at most {} where {} is allowed, the error of one element at most {} where {} is",
        format::scientific(norm),
        format::scientific(check.tolerance),
        format::scientific(error),
        format::scientific(check.worst_tolerance)
    )
}

/// A row for each output and seed.
fn outputs(check: &Correctness) -> Table {
    let columns = vec![
        left("Output"),
        right("Seed"),
        right("Elements"),
        right("Relative norm"),
        left("Worst element"),
        right("Its error"),
        right("In other bits"),
        right("Not written"),
        right("Not finite"),
        right("Changed in a second launch"),
        left("Result"),
    ];
    let row = |seed: u64, output: &OutputCheck| {
        let worst = output.worst.as_ref();
        let place = worst.map(|w| format!("{}: {} for {}", position(output, w), w.got, w.expected));
        let error = worst.map(|w| w.error.map_or_else(|| "not finite".to_owned(), format::scientific));
        let extents: Vec<String> = output.shape.iter().map(u64::to_string).collect();
        vec![
            code(format!("{}: {} [{}]", output.name, output.dtype, extents.join(", "))),
            text(seed.to_string()),
            text(format::integer(output.elements)),
            text(output.relative_norm.map_or_else(|| "not finite".to_owned(), format::scientific)),
            text(place.unwrap_or_else(|| "none".to_owned())),
            text(error.unwrap_or_default()),
            text(format::integer(output.different)),
            text(format::integer(output.unwritten)),
            text(format::integer(output.not_finite)),
            text(output.changed_between_runs.map_or_else(|| "no second launch".to_owned(), format::integer)),
            if output.passed { text("within") } else { strong("WRONG") },
        ]
    };
    let rows = check.runs.iter().flat_map(|run| run.outputs.iter().map(|output| row(run.seed, output))).collect();
    let caption = "The relative norm is that of the difference over that of what was expected (Frobenius). The error of an \
                   element is relative to the larger of its expected magnitude and the root mean square of all.";
    Table { id: "outputs".into(), caption: caption.into(), columns, rows }
}

/// What was launched, and whether it is what this page is about.
pub(super) fn launch(audit: &Audit, launch: &LaunchFacts, what: &str) -> Vec<Block> {
    let extent = |of: [u32; 3]| of.iter().map(|side| format::integer(u64::from(*side))).collect::<Vec<_>>().join(" × ");
    let mut said = format!(
        "Launched by `audit launch`: {}, grid {}, block {}",
        escape::code(&launch.kernel),
        extent(launch.grid),
        extent(launch.block)
    );
    if let Some(cluster) = launch.cluster {
        said += &format!(", cluster {}", extent(cluster));
    }
    if launch.dynamic_shared > 0 {
        said += &format!(", {} bytes of dynamic shared memory", format::integer(u64::from(launch.dynamic_shared)));
    }
    said += ".";
    let built: Vec<&str> = audit.code.iter().map(|code| code.code_sha256.as_str()).collect();
    match (launch.code_sha256.as_str(), built.as_slice()) {
        ("", _) => said += " The driver compiled it from PTX.",
        (_, []) => {}
        (own, built) if built.contains(&own) => said += " It is the machine code of this page's build.",
        (own, _) => {
            let own: String = own.chars().take(16).collect();
            said += &format!(
                " **The {what} ran other machine code** (SHA-256 `{own}…`) than this page's build: it says nothing of that."
            );
        }
    }
    let profiled = (audit.new.kernel.grid, audit.new.kernel.block);
    let same = |of: Option<crate::evidence::Dim3>, own: [u32; 3]| of.is_none_or(|of| of.0 == own.map(u64::from));
    if !(same(profiled.0, launch.grid) && same(profiled.1, launch.block)) {
        said += " **The profile is of another grid or block.**";
    }
    let mut blocks = vec![paragraph(said)];
    if !launch.arguments.is_empty() {
        let items = launch.arguments.iter().map(|argument| escape::code(argument)).collect();
        blocks.push(Block::Fold {
            summary: format!("Arguments of the {what}"),
            blocks: vec![Block::List { ordered: false, items }],
        });
    }
    blocks
}
