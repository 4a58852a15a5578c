//! Comparability: the conditions under which each side was measured.

use super::document::{Cell, Section, Tone};
use super::tables::{columns_of, left, paragraph, strong, table, text};
use crate::analysis::{Audit, Setting, Weight};

pub(super) fn section(audit: &Audit) -> Section {
    let has_old = audit.old.is_some();
    let mut columns = vec![left("Condition")];
    columns.extend(if has_old { columns_of("Old | New | Difference") } else { vec![left("Value")] });
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
    let blocks = if audit.settings.is_empty() {
        let words = "The artefact states no measuring conditions: treat every comparison with care.";
        vec![paragraph("conditions", words)]
    } else {
        vec![table("conditions", columns, audit.settings.iter().map(line).collect()).into()]
    };
    Section::new("comparability", "Comparability", blocks)
}

fn difference(setting: &Setting) -> Cell {
    match (setting.differs(), setting.weight) {
        (true, Weight::Breaks) => strong("differs: times do not compare").toned(Tone::Unsure),
        (true, Weight::Weakens) => text("differs: may move times a little"),
        (true, Weight::Informs) => text("differs"),
        (false, _) if setting.new.is_none() || setting.old.is_none() => text("unknown"),
        (false, _) => text("same"),
    }
}
