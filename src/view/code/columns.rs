//! Builds side by side as a document.

use super::variants::counted;
use crate::analysis::code::CodeColumns;
use crate::view::columns::{lead, letters};
use crate::view::document::{Document, Section, Table};
use crate::view::tables::{self, left, paragraph, right};
use crate::words::{Words, words};

/// The document of a comparison of the builds of these audits.
pub(crate) fn code_side_by_side(names: &[String], columns: &[CodeColumns]) -> Document {
    let letters = letters(names.len());
    let section = |one: &CodeColumns| {
        let blocks = vec![paragraph("kernels", kernels(one, &letters)), table(one, &letters).into()];
        Section::new(format!("code-{}", one.arch), format!("Code for {}", one.arch), blocks)
    };
    Document {
        title: "Comparison of machine code".into(),
        lead: lead(names, &letters),
        sections: columns.iter().map(section).collect(),
        ..Document::default()
    }
}

fn kernels(one: &CodeColumns, letters: &[String]) -> Words {
    let side = |at: usize| {
        let kernel = &one.kernels[at];
        if kernel.is_empty() {
            return words!("{}: no such build", &letters[at]);
        }
        let same = if at > 0 && one.same_as_first[at] { ", the same bytes as the first" } else { "" };
        words!("{}: `{}`{}", &letters[at], kernel, same)
    };
    let sides = words::join((0..one.kernels.len()).map(side), "; ");
    words!("{}. Static counts: how often an instruction occurs in the code, not how often it ran.", sides)
}

fn table(one: &CodeColumns, letters: &[String]) -> Table {
    let mut columns = vec![left("What")];
    columns.extend(letters.iter().map(|letter| right(letter)));
    tables::table("columns", columns, one.rows.iter().map(counted).collect())
}
