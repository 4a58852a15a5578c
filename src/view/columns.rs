//! Profiles side by side as a document.

use super::document::{Document, Line, Section, Table};
use super::tables::{self, code, columns_of, heading, left, list, paragraph, right, text};
use crate::analysis::{Against, Columns, Joined, KernelKey};
use crate::evidence::Reading;
use crate::words;

/// The document of a comparison of the profiles of these names.
pub fn side_by_side(names: &[String], columns: &Columns) -> Document {
    let letters = letters(names.len());
    let summary = Section::new("summary", "Summary", vec![summary(columns, &letters).into()]);
    let first = (!columns.joined.is_empty()).then_some(summary);
    let mut sections: Vec<Section> = first.into_iter().collect();
    sections.extend(columns.joined.iter().map(|joined| section(joined, &letters)));
    if !columns.unmatched.is_empty() {
        let item = |(column, kernel): &(usize, crate::analysis::KernelKey)| {
            let shape = |dim: Option<crate::evidence::Dim3>| dim.map(|d| d.to_string()).unwrap_or_default();
            words!(
                "{}: `{}`, grid {}, block {}",
                &letters[*column],
                kernel.short_name(),
                shape(kernel.grid),
                shape(kernel.block)
            )
        };
        let blocks = vec![list("kernels", columns.unmatched.iter().map(item))];
        sections.push(Section::new("unmatched", "Without a counterpart", blocks));
    }
    Document { title: "Comparison".into(), lead: lead(names, &letters), sections, ..Document::default() }
}

/// One line for each profile of each kernel: its time, and the verdict against the first profile. Of three profiles or more the
/// fastest stands first.
fn summary(columns: &Columns, letters: &[String]) -> Table {
    const TIME: &str = "gpu__time_duration.sum";
    let mut lines = Vec::new();
    for joined in &columns.joined {
        let row = |against: &Against| against.panels.iter().find_map(|panel| panel.row(TIME)).cloned();
        let first = joined.against.iter().find_map(row).and_then(|row| row.old);
        let name = |key: &KernelKey| code(key.short_name());
        let time = |reading: Option<&Reading>| reading.map(tables::reading).unwrap_or_default();
        let value = |reading: Option<&Reading>| reading.and_then(Reading::value).unwrap_or(f64::INFINITY);
        let base = [name(&joined.kernel), text(letters[0].as_str()), time(first.as_ref()), text(""), text("")];
        let mut own = vec![(value(first.as_ref()), base.to_vec())];
        for against in &joined.against {
            let row = row(against);
            let new = row.as_ref().map(|row| &row.new);
            let cells = vec![
                name(&against.kernel),
                text(letters[against.column].as_str()),
                time(new),
                row.as_ref().map(tables::change).unwrap_or_default(),
                tables::verdict(against.comparison.whole.verdict),
            ];
            own.push((value(new), cells));
        }
        if own.len() > 2 {
            own.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        }
        lines.extend(own.into_iter().map(|(_, cells)| cells));
    }
    let columns = columns_of("Kernel | File | Time: | Change: | Verdict");
    tables::table("summary", columns, lines)
}

/// A letter for each column.
pub(super) fn letters(count: usize) -> Vec<String> {
    (0..count).map(letter).collect()
}

/// Which file each letter is.
pub(super) fn lead(names: &[String], letters: &[String]) -> Vec<Line> {
    letters.iter().zip(names).map(|(letter, name)| Line::new("file", words!("**{}:** `{}`", letter, name))).collect()
}

/// `A`, `B`, … `Z`, then numbers.
fn letter(at: usize) -> String {
    match u8::try_from(at) {
        Ok(small) if small < 26 => char::from(b'A' + small).to_string(),
        _ => (at + 1).to_string(),
    }
}

fn section(joined: &Joined, letters: &[String]) -> Section {
    let mut blocks = Vec::new();
    for against in &joined.against {
        let whole = &against.comparison.whole;
        let cure = if whole.cure.is_empty() { String::new() } else { format!(" {}", whole.cure) };
        let (one, first) = (&letters[against.column], &letters[0]);
        let verdict = whole.verdict.word();
        let words = words!("**{} against {}: {}.** {}{}", one, first, verdict, &whole.reason, cure);
        blocks.push(paragraph("verdict", words));
    }
    let panels = joined.against.iter().flat_map(|against| &against.panels).filter(|panel| !panel.rows.is_empty());
    let mut shown: Vec<&str> = Vec::new();
    for panel in panels {
        if !shown.contains(&panel.id.as_str()) {
            shown.push(&panel.id);
            blocks.push(heading(&panel.id, &panel.title));
            blocks.push(table(&panel.id, joined, letters).into());
        }
    }
    Section::new("kernel", joined.kernel.short_name(), blocks)
}

/// One panel: the first profile, then each other one with its verdict.
fn table(id: &str, joined: &Joined, letters: &[String]) -> Table {
    let mut columns = vec![left("Metric"), right(&letters[0])];
    for against in &joined.against {
        columns.extend([right(&letters[against.column]), right("Change"), left("Verdict")]);
    }
    let panel = |at: usize| joined.against[at].panels.iter().find(|panel| panel.id == id);
    let mut ids: Vec<(&str, &str)> = Vec::new();
    for row in (0..joined.against.len()).filter_map(panel).flat_map(|panel| &panel.rows) {
        if !ids.iter().any(|(known, _)| *known == row.id) {
            ids.push((&row.id, &row.label));
        }
    }
    let line = |(row_id, label): &(&str, &str)| {
        let old = (0..joined.against.len()).find_map(|at| panel(at)?.row(row_id)?.old.as_ref());
        let mut cells = vec![text(*label), old.map(tables::reading).unwrap_or_default()];
        for (at, against) in joined.against.iter().enumerate() {
            let row = panel(at).and_then(|panel| panel.row(row_id));
            let verdict = against.comparison.reading(row_id).map(|reading| tables::verdict(reading.verdict));
            cells.extend([
                row.map(|row| tables::reading(&row.new).strong()).unwrap_or_default(),
                row.map(tables::change).unwrap_or_default(),
                verdict.unwrap_or_default(),
            ]);
        }
        cells
    };
    tables::table(id, columns, ids.iter().map(line).collect())
}
