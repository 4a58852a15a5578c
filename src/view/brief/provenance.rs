//! Where the numbers come from: files with their hashes, tools, and the command that makes the page again.

use super::lead::setting;
use crate::analysis::{Audit, Row};
use crate::view::document::Section;
use crate::view::page::Heading;
use crate::view::tables::{fold, list, source};
use crate::words;
use crate::words::Words;
use std::collections::BTreeMap;

/// Digits of a hash that tell files apart.
const HASH: usize = 16;

/// The section.
pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
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
    if !heading.command.is_empty() {
        items.push(words!("`{}`", heading.command.as_str()));
    }
    let blocks = vec![fold("metrics", "Row → metric name", vec![list("metrics", names(audit))]), list("files", items)];
    Section::new("provenance", "Provenance", blocks)
}

/// The rows of the page with the metric that each shows, table by table.
fn names(audit: &Audit) -> Vec<Words> {
    let mut tables: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for panel in &audit.panels {
        tables.entry(panel.title.as_str()).or_default().extend(panel.rows.iter().filter(|row| row.has_number()));
    }
    let one = |row: &&Row| words!("{} `{}`", row.label.as_str(), source(row));
    tables
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(title, rows)| words!("**{}** {}", title, words::join(rows.iter().map(one), " · ")))
        .collect()
}
