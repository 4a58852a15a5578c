//! Builds side by side as a document.

use crate::analysis::code::{CodeColumns, CodeColumnsRow};
use crate::quantity::format;
use crate::view::columns::{lead, letters};
use crate::view::document::{Block, Document, Section, Table};
use crate::view::escape;
use crate::view::tables::{left, paragraph, right, text};

/// The document of a comparison of the builds of these audits.
pub fn code_side_by_side(names: &[String], columns: &[CodeColumns]) -> Document {
    let letters = letters(names.len());
    let section = |one: &CodeColumns| {
        let mut blocks = vec![paragraph(kernels(one, &letters))];
        blocks.push(Block::Table { table: table(one, &letters) });
        Section { id: format!("code-{}", one.arch), title: format!("Code for {}", one.arch), blocks }
    };
    Document {
        title: "Comparison of machine code".into(),
        lead: lead(names, &letters),
        sections: columns.iter().map(section).collect(),
    }
}

fn kernels(one: &CodeColumns, letters: &[String]) -> String {
    let side = |at: usize| {
        let kernel = &one.kernels[at];
        if kernel.is_empty() {
            return format!("{}: no such build", letters[at]);
        }
        let same = if at > 0 && one.same_as_first[at] { ", the same bytes as the first" } else { "" };
        format!("{}: {}{same}", letters[at], escape::code(kernel))
    };
    let sides: Vec<String> = (0..one.kernels.len()).map(side).collect();
    format!("{}. Static counts: how often an instruction stands in the code, never how often it ran.", sides.join("; "))
}

fn table(one: &CodeColumns, letters: &[String]) -> Table {
    let mut columns = vec![left("What")];
    columns.extend(letters.iter().map(|letter| right(letter)));
    let row = |row: &CodeColumnsRow| {
        let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
        let value =
            |value: &Option<f64>| text(value.map_or("—".to_owned(), |v| format!("{}{unit}", format::fixed(v, 0))));
        std::iter::once(text(row.label.clone())).chain(row.values.iter().map(value)).collect()
    };
    let rows = one.rows.iter().map(row).collect();
    Table { id: format!("code-columns-{}", one.arch), caption: String::new(), columns, rows }
}
