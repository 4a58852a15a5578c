//! The page model: sections of named blocks, whose words and cells are typed.

use super::charts::Chart;
use crate::evidence::Reading;
use crate::words::{Words, words};

/// The name of the section that belongs to the author of the page.
pub(crate) const CONCLUSIONS: &str = "conclusions";

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Column {
    pub title: String,
    pub align: Align,
}

/// What a cell says about its subject; a screen gives it a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    #[default]
    Plain,
    Good,
    Bad,
    /// It is not known.
    Unsure,
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Cell {
    pub words: Words,
    /// The number that it is sorted by; `None` for words.
    pub sort: Option<f64>,
    pub tone: Tone,
    /// Names of the metrics whose number it shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
}

impl Cell {
    pub fn new(words: impl Into<Words>) -> Cell {
        Cell { words: words.into(), ..Cell::default() }
    }

    #[must_use]
    pub fn sorted(self, by: impl Into<Option<f64>>) -> Cell {
        Cell { sort: by.into().filter(|by| by.is_finite()), ..self }
    }

    #[must_use]
    pub fn toned(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }

    #[must_use]
    pub fn of(self, reading: &Reading) -> Cell {
        let metrics = match reading {
            Reading::Measured(measured) => measured.from.metrics.iter().map(ToString::to_string).collect(),
            Reading::Missing(_) => Vec::new(),
        };
        Cell { metrics, ..self }
    }

    /// The same in bold; an empty cell stays empty.
    #[must_use]
    pub fn strong(self) -> Cell {
        if self.words.is_empty() { self } else { Cell { words: words::strong(self.words).into(), ..self } }
    }
}

/// A table: every row has one cell per column.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Table {
    /// Name of its block, `speed-of-light`.
    pub name: String,
    /// One sentence above the table that names its basis; may be empty.
    pub caption: Words,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
}

/// A block of a section. Blocks that say one thing together, as a sentence and its table, share a name; a template
/// places them by it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Block {
    /// Stable name inside the section.
    pub name: String,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// A heading inside a section, plain text.
    Heading(String),
    Paragraph(Words),
    List {
        ordered: bool,
        items: Vec<Words>,
    },
    Table(Table),
    Code {
        /// What it is written in; may be empty.
        language: String,
        text: String,
    },
    Fold {
        /// The line that stays visible, plain text.
        summary: String,
        blocks: Vec<Block>,
    },
    Chart(Box<Chart>),
}

impl From<Table> for Block {
    fn from(table: Table) -> Block {
        Block { name: table.name.clone(), content: Content::Table(table) }
    }
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Section {
    /// Stable name, `stalls`.
    pub name: String,
    pub title: String,
    pub blocks: Vec<Block>,
}

impl Section {
    pub fn new(name: impl Into<String>, title: impl Into<String>, blocks: Vec<Block>) -> Section {
        Section { name: name.into(), title: title.into(), blocks }
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = &Table> {
        self.blocks.iter().filter_map(|block| match &block.content {
            Content::Table(table) => Some(table),
            _ => None,
        })
    }
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Line {
    /// Stable name, `measured-on`.
    pub name: String,
    pub words: Words,
}

impl Line {
    pub fn new(name: impl Into<String>, words: Words) -> Line {
        Line { name: name.into(), words }
    }
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Document {
    pub title: String,
    /// The lines under the title: kernel, work, chip.
    pub lead: Vec<Line>,
    /// Sections in order: the page that people act on.
    pub sections: Vec<Section>,
    /// Everything else that is known, as sections whose names are not those of the page; the HTML page opens them.
    pub details: Vec<Section>,
}

impl Document {
    pub fn charts(&self) -> Vec<&Chart> {
        fn collect<'d>(blocks: &'d [Block], into: &mut Vec<&'d Chart>) {
            for block in blocks {
                match &block.content {
                    Content::Chart(chart) => into.push(chart),
                    Content::Fold { blocks, .. } => collect(blocks, into),
                    _ => {}
                }
            }
        }
        let mut charts = Vec::new();
        self.every_section().for_each(|section| collect(&section.blocks, &mut charts));
        charts
    }

    pub fn every_section(&self) -> impl Iterator<Item = &Section> + Clone {
        self.sections.iter().chain(&self.details)
    }

    /// Verdict, what to do next, what changed, the launch over its time and the kernels of the report, without the line that leads elsewhere.
    #[must_use]
    pub fn first_screen(mut self) -> Document {
        self.sections
            .retain(|section| ["verdict", "next", "changed", "over-time", "kernels"].contains(&section.name.as_str()));
        for section in &mut self.sections {
            section.blocks.retain(|block| block.name != "links");
        }
        Document { details: Vec::new(), ..self }
    }

    /// The page with what its author concluded; without that, the program's draft is said to be one.
    #[must_use]
    pub fn concluded(mut self, prose: Option<Vec<Block>>) -> Document {
        let is_empty = |section: &Section| section.name == CONCLUSIONS && section.blocks.is_empty();
        if prose.is_none() {
            self.sections.retain(|section| !is_empty(section));
        }
        if let Some(section) = self.sections.iter_mut().find(|section| section.name == CONCLUSIONS) {
            match prose {
                Some(prose) => section.blocks = prose,
                None => {
                    let words = "A draft by the program that nobody has edited.".into();
                    section.blocks.push(Block { name: "unedited".into(), content: Content::Paragraph(words) });
                }
            }
        }
        self
    }
}
