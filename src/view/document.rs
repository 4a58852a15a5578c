//! The typed page model.

use super::charts::Chart;

/// Horizontal alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Column {
    /// Header text, plain (not Markdown).
    pub title: String,
    /// Alignment.
    pub align: Align,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Cell {
    /// Plain text: what a reader sees. Markdown's special characters are escaped by the renderer, never here.
    pub text: String,
    /// Set in bold.
    pub strong: bool,
    /// Set as code: metric names, kernel names, opcodes.
    pub code: bool,
}

/// A table: every row has one cell per column.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Table {
    /// Stable id, `speed-of-light`.
    pub id: String,
    /// One sentence above the table that names its basis; may be empty.
    pub caption: String,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows.
    pub rows: Vec<Vec<Cell>>,
}

/// A piece of a section, in reading order. Text fields are inline Markdown written by the view (with data escaped).
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Block {
    /// A paragraph.
    Text {
        /// Inline Markdown.
        text: String,
    },
    /// A numbered or bulleted list.
    List {
        /// Numbered.
        ordered: bool,
        /// Inline Markdown, one item each.
        items: Vec<String>,
    },
    /// A table.
    Table {
        /// The table.
        table: Table,
    },
    /// Verbatim text.
    Code {
        /// Info string after the fence; may be empty.
        language: String,
        /// The lines.
        text: String,
    },
    /// Folded content.
    Fold {
        /// The line that stays visible, plain text.
        summary: String,
        /// What is folded away.
        blocks: Vec<Block>,
    },
    /// A chart.
    Chart {
        /// The chart.
        chart: Box<Chart>,
    },
    /// A heading inside a section.
    Heading {
        /// Plain text.
        text: String,
    },
}

/// A section of the page.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Section {
    /// Stable id, `stalls`.
    pub id: String,
    /// Heading, plain text.
    pub title: String,
    /// Content.
    pub blocks: Vec<Block>,
}

/// The whole page.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Document {
    /// Title, plain text.
    pub title: String,
    /// The lines under the title: kernel, work, chip. Inline Markdown.
    pub lead: Vec<String>,
    /// Sections in order.
    pub sections: Vec<Section>,
}

impl Document {
    /// The charts of the page, in reading order.
    pub fn charts(&self) -> Vec<&Chart> {
        fn collect<'d>(blocks: &'d [Block], into: &mut Vec<&'d Chart>) {
            for block in blocks {
                match block {
                    Block::Chart { chart } => into.push(chart),
                    Block::Fold { blocks, .. } => collect(blocks, into),
                    Block::Text { .. }
                    | Block::List { .. }
                    | Block::Table { .. }
                    | Block::Code { .. }
                    | Block::Heading { .. } => {}
                }
            }
        }
        let mut charts = Vec::new();
        self.sections.iter().for_each(|section| collect(&section.blocks, &mut charts));
        charts
    }
}
