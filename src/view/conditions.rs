//! Comparability: the conditions under which each side was measured.

use super::document::{Cell, Section, Tone};
use super::heading::Heading;
use super::tables::{paragraph, strong, table, text};
use crate::analysis::{Audit, Setting, Weight};
use crate::words::{Words, words};

pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let has_old = audit.before.is_some();
    let said = |value: &Option<String>| text(value.clone().unwrap_or_else(|| "not stated".into()));
    let line = |setting: &Setting| {
        let (label, own) = (text(setting.label.clone()), said(&setting.new));
        if has_old { vec![label, said(&setting.old), own, difference(setting)] } else { vec![label, own] }
    };
    let conditions = if audit.settings.is_empty() {
        let words = "The artefact states no measuring conditions: treat every comparison with care.";
        paragraph("conditions", words)
    } else {
        table(
            "conditions",
            if has_old { "Condition | Old | New | Difference" } else { "Condition | Value" },
            audit.settings.iter().map(line),
        )
        .into()
    };
    Section::new("comparability", "Comparability", vec![paragraph("against", against(heading, audit)), conditions])
}

/// The old side, and why it is that one.
fn against(heading: &Heading, audit: &Audit) -> Words {
    let why = heading.baseline.as_str();
    let Some(old) = &audit.before else {
        let why = if why.is_empty() { "No baseline was given, and there is no earlier audit." } else { why };
        return words!("**Compared with:** nothing. {}", why);
    };
    let why = if why.is_empty() { String::new() } else { format!(" · {why}") };
    words!("**Compared with:** `{}` of `{}`{}", old.artefact.kernel.short_name(), &old.artefact.origin.path, why)
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
