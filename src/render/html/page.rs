//! The page as HTML strings: what the templates place.
//!
//! Every string here is finished HTML. The field names are the names that templates may use.

use super::inline;
use super::policy::policy;
use super::sort;
use crate::render::{page, svg};
use crate::view::{Align, Block, Cell, CodeRow, CostText, Document, SourceText, Table, escape};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page, the root of the template's data.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HtmlPage {
    /// Title of the page.
    pub title: String,
    /// The lines under the title.
    pub lead: Vec<String>,
    /// Sections in order.
    pub sections: Vec<HtmlPart>,
    /// The source view.
    pub source: HtmlSource,
    /// What goes into `<style>`: the page's style and that of its charts.
    pub style: String,
    /// What goes into `<script>`.
    pub script: String,
    /// What goes into the policy of the head.
    pub policy: String,
}

/// A section.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HtmlPart {
    /// Stable id, also its anchor.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Content.
    pub blocks: Vec<HtmlPiece>,
}

/// A column of a table.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HtmlColumn {
    /// Header text.
    pub title: String,
    /// `number` or `words`.
    pub class: String,
}

/// A cell of a table.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HtmlCell {
    /// The content.
    pub html: String,
    /// `number` or `words`.
    pub class: String,
    /// The number to sort by; empty for words.
    pub key: String,
}

/// A row of a table.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HtmlRow {
    /// Its cells.
    pub cells: Vec<HtmlCell>,
}

/// A piece of a section. `kind` is the variant's name in lower case.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum HtmlPiece {
    /// A paragraph.
    Text {
        /// The paragraph.
        text: String,
    },
    /// A list.
    List {
        /// `ol` or `ul`.
        element: String,
        /// Items.
        items: Vec<String>,
    },
    /// A table.
    Table {
        /// Stable id.
        id: String,
        /// The sentence above the table; may be empty.
        caption: String,
        /// Columns.
        columns: Vec<HtmlColumn>,
        /// Rows.
        rows: Vec<HtmlRow>,
    },
    /// Verbatim text.
    Code {
        /// The lines.
        text: String,
    },
    /// Folded content.
    Fold {
        /// The visible line.
        summary: String,
        /// What is folded away.
        blocks: Vec<HtmlPiece>,
    },
    /// A chart.
    Chart {
        /// Stable id.
        id: String,
        /// The drawing.
        svg: String,
    },
    /// A heading inside a section.
    Heading {
        /// The heading.
        text: String,
    },
}

/// The source view.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HtmlSource {
    /// What is shown; empty where the page has no source view.
    pub note: String,
    /// Files with their lines.
    pub files: Vec<HtmlFile>,
    /// Instructions; may be empty.
    pub code: Vec<HtmlLine>,
}

/// A file of the source view.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HtmlFile {
    /// Name.
    pub name: String,
    /// Lines.
    pub lines: Vec<HtmlLine>,
}

/// A line of source, or an instruction.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HtmlLine {
    /// Identifies a line of source; of an instruction, the line that it belongs to.
    pub line: String,
    /// Line number or byte offset.
    pub number: String,
    /// The text.
    pub text: String,
    /// Share of all samples; may be empty.
    pub samples: String,
    /// How many of them, 0 to 9; may be empty.
    pub heat: String,
    /// What they wait for; may be empty.
    pub waits: String,
    /// Sectors; may be empty.
    pub sectors: String,
    /// Sectors in excess; may be empty.
    pub excess: String,
    /// Executions; may be empty.
    pub executed: String,
}

impl HtmlPage {
    /// Turns the strings of a document and its source view into HTML.
    pub fn new(document: &Document, source: &SourceText) -> HtmlPage {
        let part = |section: &crate::view::Section| HtmlPart {
            id: inline::line(&section.id),
            title: inline::line(&section.title),
            blocks: section.blocks.iter().map(piece).collect(),
        };
        HtmlPage {
            title: inline::line(&document.title),
            lead: document.lead.iter().map(|line| inline::markdown(line)).collect(),
            sections: document.sections.iter().map(part).collect(),
            source: HtmlSource {
                note: inline::markdown(&source.note),
                files: source
                    .files
                    .iter()
                    .map(|file| HtmlFile {
                        name: inline::line(&file.name),
                        lines: file.rows.iter().map(|row| line(&row.id, &row.number, &row.text, &row.cost)).collect(),
                    })
                    .collect(),
                code: source
                    .code
                    .iter()
                    .map(|row: &CodeRow| line(&row.line, &row.offset, &row.text, &row.cost))
                    .collect(),
            },
            style: format!("{STYLE}{}", svg::STYLE),
            script: SCRIPT.to_owned(),
            policy: inline::text(&policy(SCRIPT)).replace("&#39;", "'"),
        }
    }
}

fn line(id: &str, number: &str, text: &str, cost: &CostText) -> HtmlLine {
    HtmlLine {
        line: inline::line(id),
        number: inline::line(number),
        text: inline::text(text),
        samples: inline::line(&cost.samples),
        heat: inline::line(&cost.heat),
        waits: inline::line(&cost.waits),
        sectors: inline::line(&cost.sectors),
        excess: inline::line(&cost.excess),
        executed: inline::line(&cost.executed),
    }
}

fn piece(block: &Block) -> HtmlPiece {
    match block {
        Block::Text { text } => HtmlPiece::Text { text: inline::markdown(text) },
        Block::List { ordered, items } => HtmlPiece::List {
            element: if *ordered { "ol" } else { "ul" }.to_owned(),
            items: items.iter().map(|item| inline::markdown(item)).collect(),
        },
        Block::Table { table } => set(table),
        Block::Code { text, .. } => HtmlPiece::Code { text: inline::text(&page::code_lines(text)) },
        Block::Fold { summary, blocks } => {
            HtmlPiece::Fold { summary: inline::line(summary), blocks: blocks.iter().map(piece).collect() }
        }
        Block::Chart { chart } => HtmlPiece::Chart { id: inline::line(&chart.id), svg: svg::inline(chart) },
        Block::Heading { text } => HtmlPiece::Heading { text: inline::line(text) },
    }
}

fn set(table: &Table) -> HtmlPiece {
    let class = |align: Option<&Align>| if align == Some(&Align::Right) { "number" } else { "words" }.to_owned();
    let aligns: Vec<Align> = table.columns.iter().map(|column| column.align).collect();
    let cell = |(at, cell): (usize, &Cell)| HtmlCell {
        html: content(cell),
        class: class(aligns.get(at)),
        key: match aligns.get(at) {
            Some(Align::Right) => sort::key(&cell.text).map(|key| key.to_string()).unwrap_or_default(),
            _ => String::new(),
        },
    };
    HtmlPiece::Table {
        id: inline::line(&table.id),
        caption: inline::markdown(&table.caption),
        columns: table
            .columns
            .iter()
            .map(|column| HtmlColumn {
                title: broken(&escape::normal(&column.title, false)),
                class: class(Some(&column.align)),
            })
            .collect(),
        rows: table.rows.iter().map(|row| HtmlRow { cells: row.iter().enumerate().map(cell).collect() }).collect(),
    }
}

/// Text with its line ends as breaks.
fn broken(normal: &str) -> String {
    inline::text(normal).replace('\n', "<br>")
}

fn content(cell: &Cell) -> String {
    let text = broken(&escape::normal(&cell.text, cell.code));
    let text = if cell.code && !text.is_empty() { format!("<code>{text}</code>") } else { text };
    if cell.strong && !text.is_empty() { format!("<strong>{text}</strong>") } else { text }
}
