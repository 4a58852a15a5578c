//! Provenance: which bytes every number came from, what was not understood, and how to make the page again.

use super::collection;
use super::document::{Block, Section, Table};
use super::heading::Heading;
use super::tables::{self, code, columns_of, count, fold, list, paragraph, text, verbatim};
use crate::analysis::{Artefact, Audit};
use crate::evidence::Origin;
use crate::words;

pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let mut blocks = vec![
        paragraph(
            "artefacts",
            "Numbers without a formula are MEASURED: the value that the report stores under the metric's name. Numbers with several names beside them are DERIVED from those. Bounds are ESTIMATES.",
        ),
        artefacts(audit).into(),
    ];
    let both = audit.old.as_ref().map(|old| (old.dropped == audit.new.dropped, old.aliases == audit.new.aliases));
    let (same_dropped, same_aliases) = both.unwrap_or_default();
    for (name, side) in [("new", Some(&audit.new)), ("old", audit.old.as_ref())] {
        let Some(side) = side else { continue };
        blocks.extend(command(name, side));
        if !same_dropped {
            blocks.extend(dropped(&format!("the {name} report"), side));
        }
        if !same_aliases {
            blocks.extend(aliases(&format!("the {name} report uses"), side));
        }
        blocks.extend(remarks(name, side));
    }
    if same_dropped {
        blocks.extend(dropped("either report", &audit.new));
    }
    if same_aliases {
        blocks.extend(aliases("both reports use", &audit.new));
    }
    blocks.extend(audit.collected.iter().flat_map(collection::blocks));
    if !heading.command.is_empty() {
        let words = words!("Made with audit {}. To make this page again:", &heading.program);
        blocks.push(paragraph("again", words));
        blocks.push(verbatim("again", "sh", &heading.command));
    }
    Section::new("evidence", "Evidence", blocks)
}

/// What the numbers of a further kernel come from.
pub(super) fn sources(audit: &Audit) -> Block {
    artefacts(audit).into()
}

fn artefacts(audit: &Audit) -> Table {
    let columns = columns_of("Evidence | File | Format | Bytes: | Results used | BLAKE3");
    let line = |role: &str, origin: &Origin, used: String| {
        vec![
            text(role),
            code(origin.path.clone()),
            text(origin.format.clone()),
            count(origin.bytes),
            text(used),
            code(origin.blake3.chars().take(16).collect::<String>()),
        ]
    };
    let mut rows = vec![line("new report", &audit.new.origin, used(&audit.new))];
    rows.extend(audit.old.iter().map(|old| line("old report", &old.origin, used(old))));
    rows.extend(audit.trial_files.iter().map(|(role, origin)| line(role, origin, String::new())));
    rows.extend(audit.build_logs.iter().map(|origin| line("build log", origin, String::new())));
    tables::table("artefacts", columns, rows)
}

/// The report's row ids, shortened where there are many.
fn used(side: &Artefact) -> String {
    match side.launches.as_slice() {
        [] => String::new(),
        [one] => format!("ID {one}"),
        [first, .., last] if side.launches.len() > 8 => format!("{} of IDs {first}–{last}", side.launches.len()),
        some => format!("IDs {}", some.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Characters of a command that are read in passing; longer ones list metrics.
const SHORT: usize = 400;

/// How the report was made.
fn command(name: &str, side: &Artefact) -> Vec<Block> {
    if side.command_line.is_empty() {
        return Vec::new();
    }
    let block = verbatim("commands", "sh", &side.command_line);
    if side.command_line.len() > SHORT {
        return vec![fold("commands", format!("Command of the {name} report"), vec![block])];
    }
    vec![paragraph("commands", words!("Command of the {} report:", name)), block]
}

/// What was asked for and is not there.
fn dropped(whose: &str, side: &Artefact) -> Option<Block> {
    let lead = format!("Asked for and not collected in {whose}");
    (!side.dropped.is_empty()).then(|| tables::names("dropped", &lead, &side.dropped))
}

/// Metrics that the report has under another name than this page's.
fn aliases(who: &str, side: &Artefact) -> Vec<Block> {
    if side.aliases.is_empty() {
        return Vec::new();
    }
    let items = side.aliases.iter().map(|(asked, found)| words!("`{}` for `{}`", found, asked));
    vec![paragraph("aliases", words!("Other spellings that {}:", who)), list("aliases", items)]
}

/// What the reader met in one report and could not take.
fn remarks(name: &str, side: &Artefact) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !side.not_understood.is_empty() {
        let skipped = side.not_understood.iter().map(|(what, n)| words!("`{}` ({} times)", what, n.to_string()));
        let words = words!("Not understood in the {} report, and skipped: {}.", name, words::join(skipped, ", "));
        blocks.push(paragraph("not-understood", words));
    }
    for damage in &side.damage {
        let words = words!("Damage in the {} report at {}: {}", name, damage.at.to_string(), &damage.what);
        blocks.push(paragraph("damage", words));
    }
    blocks
}
