//! The page as Markdown strings: what the templates place.
//!
//! Every string here is finished Markdown. The field names are the names that templates may use.

use super::grid;
use crate::view::escape;
use crate::view::{Block, Document};

/// The whole page, the root of the template's data.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Page {
    /// Title of the page.
    pub title: String,
    /// The lines under the title; each but the last ends in a hard line break.
    pub lead: Vec<String>,
    /// Sections in order.
    pub sections: Vec<Part>,
}

/// A section.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Part {
    /// Stable id.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Content.
    pub blocks: Vec<Piece>,
}

/// A piece of a section. `kind` is the variant's name in lower case.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Piece {
    /// A paragraph.
    Text {
        /// The paragraph, on one line.
        text: String,
    },
    /// A list.
    List {
        /// Items, each with its marker.
        items: Vec<String>,
    },
    /// A table.
    Table {
        /// Stable id.
        id: String,
        /// The sentence above the table; may be empty.
        caption: String,
        /// The whole table: header row, delimiter row and rows, aligned in columns, without a last line end.
        lines: String,
    },
    /// Verbatim text.
    Code {
        /// Backticks that open and close it.
        fence: String,
        /// Info string; may be empty.
        language: String,
        /// The lines, without the last line end.
        text: String,
    },
    /// Folded content.
    Fold {
        /// The visible line, as HTML text.
        summary: String,
        /// What is folded away.
        blocks: Vec<Piece>,
    },
    /// A chart, as the image of a file.
    Chart {
        /// Stable id.
        id: String,
        /// What the image shows, in words.
        alt: String,
        /// The path of the file, relative to the page.
        file: String,
    },
    /// A heading inside a section.
    Heading {
        /// The heading.
        text: String,
    },
}

impl Page {
    /// Turns the strings of a document into Markdown.
    pub fn new(document: &Document) -> Page {
        let last = document.lead.len().saturating_sub(1);
        let lead = document.lead.iter().enumerate().map(|(at, line)| {
            let line = escape::line_start(line);
            if at < last { line + "\\" } else { line }
        });
        Page {
            title: escape::heading(&document.title),
            lead: lead.collect(),
            sections: document
                .sections
                .iter()
                .map(|section| Part {
                    id: section.id.clone(),
                    title: escape::heading(&section.title),
                    blocks: pieces(&section.blocks),
                })
                .collect(),
        }
    }
}

fn pieces(blocks: &[Block]) -> Vec<Piece> {
    blocks.iter().map(piece).collect()
}

fn piece(block: &Block) -> Piece {
    match block {
        Block::Text { text } => Piece::Text { text: escape::line_start(text) },
        Block::List { ordered, items } => Piece::List {
            items: items
                .iter()
                .enumerate()
                .map(|(at, item)| {
                    let marker = if *ordered { format!("{}.", at + 1) } else { "-".to_owned() };
                    format!("{marker} {}", escape::line_start(item))
                })
                .collect(),
        },
        Block::Table { table } => {
            let caption = escape::line_start(&table.caption);
            Piece::Table { id: table.id.clone(), caption, lines: grid::markdown(table).lines() }
        }
        Block::Code { language, text } => Piece::Code {
            fence: escape::fence(text),
            language: language.split(['`', '\n', '\r']).next().unwrap_or_default().trim().to_owned(),
            text: code_lines(text),
        },
        Block::Fold { summary, blocks } => Piece::Fold { summary: escape::html(summary), blocks: pieces(blocks) },
        Block::Chart { chart } => {
            Piece::Chart { id: chart.id.clone(), alt: escape::image(&chart.message), file: chart.file.clone() }
        }
        Block::Heading { text } => Piece::Heading { text: escape::heading(text) },
    }
}

/// Verbatim text with `\n` line ends and without the last one.
pub(super) fn code_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
    text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)
}
