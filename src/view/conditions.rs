//! Comparability: the conditions under which each side was measured.

use super::document::{Block, Section, Table};
use super::tables::{left, paragraph, strong, text};
use crate::analysis::{Audit, Setting, Weight};

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let has_old = audit.old.is_some();
    let mut columns = vec![left("Condition")];
    columns.extend(if has_old { vec![left("Old"), left("New"), left("Difference")] } else { vec![left("Value")] });
    let said = |value: &Option<String>| text(value.clone().unwrap_or_else(|| "not stated".into()));
    let line = |setting: &Setting| {
        let mut cells = vec![text(setting.label.clone())];
        if has_old {
            cells.push(said(&setting.old));
        }
        cells.push(said(&setting.new));
        if has_old {
            cells.push(difference(setting));
        }
        cells
    };
    let table = Table {
        id: "conditions".into(),
        caption: String::new(),
        columns,
        rows: audit.settings.iter().map(line).collect(),
    };
    let blocks = if audit.settings.is_empty() {
        vec![paragraph("The artefact states no measuring conditions: treat every comparison with care.")]
    } else {
        vec![Block::Table { table }]
    };
    Section { id: "comparability".into(), title: "Comparability".into(), blocks }
}

fn difference(setting: &Setting) -> super::document::Cell {
    match (setting.differs(), setting.weight) {
        (true, Weight::Breaks) => strong("differs: times do not compare"),
        (true, Weight::Weakens) => text("differs: may move times a little"),
        (true, Weight::Informs) => text("differs"),
        (false, _) if setting.new.is_none() || setting.old.is_none() => text("unknown"),
        (false, _) => text("same"),
    }
}
