//! Where the numbers come from: files with their hashes, tools, and the command that makes the page again.

use super::lead::setting;
use crate::analysis::Audit;
use crate::view::document::{Cell, Content, Section};
use crate::view::heading::Heading;
use crate::view::tables::{fold, list, paragraph, verbatim};
use crate::words;
use crate::words::Words;
use std::collections::BTreeSet;

/// Digits of a hash that tell files apart.
const HASH: usize = 16;

/// The section.
pub(super) fn section(heading: &Heading, audit: &Audit, sections: &[Section]) -> Section {
    let mut items: Vec<Words> = Vec::new();
    let file = |role: &str, origin: &crate::evidence::Origin| {
        let hash: String = origin.blake3.chars().take(HASH).collect();
        words!("{} `{}` (blake3 `{}`)", role, origin.path.as_str(), hash)
    };
    let mut files = vec![file("Report", &audit.new.origin)];
    files.extend(audit.old.iter().map(|old| file("baseline", &old.origin)));
    items.push(words::join(files, ", "));
    let trials: Vec<Words> = audit.trial_files.iter().map(|(role, origin)| file(role, origin)).collect();
    if !trials.is_empty() {
        items.push(words::join(trials, ", "));
    }
    let tools: Vec<String> = [("ncu", "ncu"), ("driver", "driver"), ("cuda", "CUDA")]
        .into_iter()
        .filter_map(|(id, label)| Some(format!("{label} {}", setting(audit, id)?)))
        .chain(setting(audit, "passes").map(|passes| format!("{passes} passes")))
        .collect();
    if !tools.is_empty() {
        items.push(tools.join(", ").into());
    }
    let mut blocks = Vec::new();
    let names = names(sections);
    if !names.is_empty() {
        blocks.push(fold("metrics", "Row → metric name", vec![paragraph("metrics", words::join(names, " · "))]));
    }
    blocks.push(list("files", items));
    if !heading.command.is_empty() {
        blocks.push(verbatim("again", "sh", &heading.command));
    }
    Section::new("provenance", "Provenance", blocks)
}

/// The rows of the page with the metrics that each shows, section by section.
fn names(sections: &[Section]) -> Vec<Words> {
    let mut all = Vec::new();
    for section in sections {
        let tables = section.blocks.iter().filter_map(|block| match &block.content {
            Content::Table(table) => Some(table),
            _ => None,
        });
        let rows: Vec<Words> = tables.flat_map(|table| &table.rows).flat_map(|row| named(row)).collect();
        if !rows.is_empty() {
            all.push(words!("**{}:** {}", section.title.as_str(), words::join(rows, " · ")));
        }
    }
    all
}

/// The metrics of a row, each behind the label in front of its numbers.
fn named(row: &[Cell]) -> Vec<Words> {
    let mut label = String::new();
    let mut found: Vec<(String, BTreeSet<&str>)> = Vec::new();
    for cell in row {
        if cell.metrics.is_empty() && !cell.words.is_empty() {
            label = cell.words.to_plain();
        }
        let metrics = cell.metrics.iter().map(String::as_str);
        match found.last_mut().filter(|(known, _)| *known == label) {
            Some((_, known)) => known.extend(metrics),
            None if cell.metrics.is_empty() => {}
            None => found.push((label.clone(), metrics.collect())),
        }
    }
    let said = |(label, metrics): (String, BTreeSet<&str>)| {
        words!("{} {}", label, words::join(metrics.into_iter().map(words::code), ", "))
    };
    found.into_iter().map(said).collect()
}
