//! Where the numbers come from: files with their hashes, tools, and the command that makes the page again.

use super::lead::setting;
use crate::analysis::{Artefact, Audit};
use crate::evidence::Origin;
use crate::source::ncu_csv::DETAILS;
use crate::view::document::{Align, Block, Cell, Column, Section, Table};
use crate::view::groups::grouped;
use crate::view::heading::Heading;
use crate::view::tables::{self, code, count, fold, list, paragraph, text, verbatim};
use crate::words::{Words, words};
use std::collections::BTreeSet;

/// Digits of a hash that tell files apart.
const HASH: usize = 16;

/// Characters of a command that fits on a line of its own; a longer one is set as code.
const COMMAND: usize = 160;

pub(super) fn section(heading: &Heading, audit: &Audit, sections: &[Section]) -> Section {
    let mut items = files(audit);
    let tools: Vec<String> = [("ncu", "ncu"), ("driver", "driver"), ("cuda", "CUDA")]
        .into_iter()
        .filter_map(|(id, label)| Some(format!("{label} {}", setting(audit, id)?)))
        .chain(setting(audit, "passes").map(|passes| format!("{passes} passes")))
        .chain(["hashes: BLAKE3".to_owned()])
        .collect();
    items.push(tools.join(", ").into());
    let has_lines = audit.source.as_ref().is_some_and(|source| !source.executed.is_empty());
    if !heading.commit.is_empty() {
        let what =
            if has_lines { "lines are those of the source as it was built, at" } else { "the kernel as it was at" };
        let commit: String = heading.commit.chars().take(8).collect();
        let is_newest = match heading.subject.as_str() {
            "" => Words::default(),
            subject => words!("; `audit check {}` says STALE where HEAD has another", subject),
        };
        items.push(words!("{} `{}`{}", what, commit, is_newest));
    }
    let is_short = heading.command.chars().count() <= COMMAND;
    if !heading.command.is_empty() && is_short {
        items.push(words!("`{}`", heading.command.as_str()));
    }
    let mut blocks = vec![list("files", items)];
    if !is_short {
        blocks.push(verbatim("again", "sh", &heading.command));
    }
    let names = names(sections);
    if !names.is_empty() {
        blocks.push(fold("metrics", "Row → metric name", vec![paragraph("metrics", words::join(names, " · "))]));
    }
    Section::new("provenance", "Provenance", blocks)
}

/// The files with their hashes, folder by folder.
fn files(audit: &Audit) -> Vec<Words> {
    let own = std::iter::once(("report", &audit.now.artefact.origin));
    let old = audit.before.iter().map(|old| ("baseline", &old.artefact.origin));
    let trials = audit.trials.files.iter().map(|(role, origin)| (role.as_str(), origin));
    let folders = grouped(own.chain(old).chain(trials).map(|(role, origin)| {
        let (folder, name) = origin.path.rsplit_once('/').unwrap_or(("", &origin.path));
        let hash: String = origin.blake3.chars().take(HASH).collect();
        (folder, words!("{} `{}` (`{}`)", role, name, hash))
    }));
    let item = |(folder, files): (&str, Vec<Words>)| {
        let files = words::join(files, ", ");
        if folder.is_empty() { files } else { words!("`{}/`: {}", folder, files) }
    };
    folders.into_iter().map(item).collect()
}

/// The rows of the page with the metrics that each shows, section by section.
fn names(sections: &[Section]) -> Vec<Words> {
    let mut all = Vec::new();
    for section in sections {
        let mut rows: Vec<(String, BTreeSet<&str>)> = Vec::new();
        for (label, metrics) in
            section.tables().flat_map(|table| table.rows.iter().flat_map(|row| named(&table.columns, row)))
        {
            match rows.iter_mut().find(|(_, known)| *known == metrics) {
                Some((labels, _)) if labels.split(", ").any(|known| known == label) => {}
                Some((labels, _)) => *labels += &format!(", {label}"),
                None => rows.push((label, metrics)),
            }
        }
        let said = |(label, metrics): (String, BTreeSet<&str>)| {
            words!("{} {}", label, words::join(metrics.into_iter().map(words::code), ", "))
        };
        if !rows.is_empty() {
            let rows: Vec<Words> = rows.into_iter().map(said).collect();
            all.push(words!("**{}:** {}", section.title.as_str(), words::join(rows, " · ")));
        }
    }
    all
}

/// Columns of which each is a side of one fact, not a fact of its own.
const SIDES: [&str; 3] = ["Old", "New", "Reference"];

/// What a number of a row that shows different metrics is called: `L2 (old)`, or the fact that its column is.
fn beside(label: &str, column: &Column) -> String {
    match SIDES.iter().find(|side| column.title.starts_with(*side)) {
        Some(side) => format!("{label} ({})", side.to_lowercase()),
        None => column.title.clone(),
    }
}

/// A number's column and its metrics.
type Shown<'a> = (&'a Column, BTreeSet<&'a str>);

/// The metrics of a row, each behind its label: the words in front of the numbers, with the side or the title of the column where
/// these show different metrics.
fn named<'a>(columns: &'a [Column], row: &'a [Cell]) -> Vec<(String, BTreeSet<&'a str>)> {
    // A number without a metric, such as what ptxas printed, is no label.
    let is_label =
        |column: &Column, cell: &Cell| column.align == Align::Left && cell.metrics.is_empty() && !cell.words.is_empty();
    let mut labelled: Vec<(String, Vec<Shown<'a>>)> = vec![Default::default()];
    for (column, cell) in columns.iter().zip(row) {
        if is_label(column, cell) {
            labelled.push((cell.words.to_plain(), Vec::new()));
        } else if let Some((_, shown)) = labelled.last_mut().filter(|_| !cell.metrics.is_empty()) {
            shown.push((column, cell.metrics.iter().map(String::as_str).collect()));
        }
    }
    let mut found = Vec::new();
    for (label, shown) in labelled {
        match shown.split_first() {
            Some(((_, first), others)) if !label.is_empty() && others.iter().all(|(_, metrics)| metrics == first) => {
                found.push((label, first.clone()));
            }
            _ => found.extend(shown.into_iter().map(|(column, metrics)| (beside(&label, column), metrics))),
        }
    }
    found
}

/// Which numbers of ncu's details page no row of it holds.
const SENTENCES: &str = " Where that is ncu's details page as CSV, what only a sentence of a rule tells is worked out of the rounded numbers in it: waits by reason and the cycles between two instructions (to 0.1 %, 0.1 cycles), the cycles of the longest SM (to 0.01 %), needed accesses (all without the excessive ones).";

/// Which bytes every number came from, what was not understood, and how to make the page again.
pub(in crate::view) fn in_full(heading: &Heading, audit: &Audit) -> Section {
    let mut sides = std::iter::once(&audit.now.artefact).chain(audit.before.iter().map(|old| &old.artefact));
    let of_rules = if sides.any(|side| side.origin.format == DETAILS) { SENTENCES } else { "" };
    let mut blocks = vec![
        paragraph(
            "artefacts",
            format!(
                "Numbers without a formula are MEASURED: the value that the report stores under the metric's name.{of_rules} Numbers with several names beside them are DERIVED from those. Bounds are ESTIMATES."
            ),
        ),
        artefacts(audit).into(),
    ];
    let old = audit.before.as_ref().map(|old| &old.artefact);
    match old.filter(|old| old.dropped == audit.now.artefact.dropped) {
        Some(both) => blocks.extend(dropped("either report", both)),
        None => {
            blocks.extend(dropped("the new report", &audit.now.artefact));
            blocks.extend(old.and_then(|old| dropped("the old report", old)));
        }
    }
    blocks.extend(remarks("new", &audit.now.artefact));
    blocks.extend(old.into_iter().flat_map(|old| remarks("old", old)));
    if !heading.command.is_empty() {
        let words = words!("Made with audit {}. To make this page again:", &heading.program);
        blocks.push(paragraph("again", words));
        blocks.push(verbatim("again", "sh", &heading.command));
    }
    Section::new("evidence", "Evidence", blocks)
}

pub(in crate::view) fn artefacts(audit: &Audit) -> Table {
    let line = |role: &str, origin: &Origin, used: String| {
        vec![
            text(role),
            code(origin.path.clone()),
            text(origin.format.clone()),
            count(origin.bytes),
            text(used),
            code(origin.blake3.chars().take(HASH).collect::<String>()),
        ]
    };
    let mut rows = vec![line("new report", &audit.now.artefact.origin, used(&audit.now.artefact))];
    rows.extend(audit.before.iter().map(|old| line("old report", &old.artefact.origin, used(&old.artefact))));
    rows.extend(audit.trials.files.iter().map(|(role, origin)| line(role, origin, String::new())));
    rows.extend(audit.trials.build_logs.iter().map(|origin| line("build log", origin, String::new())));
    tables::table("artefacts", "Evidence | File | Format | Bytes: | Results used | BLAKE3", rows)
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

/// What was asked for and is not there.
fn dropped(whose: &str, side: &Artefact) -> Option<Block> {
    let lead = format!("Asked for and not collected in {whose}");
    (!side.dropped.is_empty()).then(|| tables::names("dropped", &lead, &side.dropped))
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
