//! The shape of a page's data: which names there are, without the values.

use super::html::HtmlPage;
use super::page::Page;
use crate::view::charts::{Bars, Chart, Figure};
use crate::view::{
    Block, Cell, CodeRow, Column, CostText, Document, Section, SourceFile, SourceRow, SourceText, Table,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// What a name in a template stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Something that can be printed.
    Text,
    /// A list of things of one shape: what the elements have between them.
    List(Box<Shape>),
    /// Named things.
    Map(BTreeMap<String, Shape>),
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shape::Text => "text",
            Shape::List(_) => "list",
            Shape::Map(_) => "group",
        })
    }
}

impl Shape {
    pub(super) fn of(value: &Value) -> Shape {
        match value {
            Value::Array(items) => {
                Shape::List(Box::new(items.iter().map(Shape::of).reduce(Shape::with).unwrap_or(Shape::Text)))
            }
            Value::Object(fields) => {
                Shape::Map(fields.iter().map(|(name, value)| (name.clone(), Shape::of(value))).collect())
            }
            _ => Shape::Text,
        }
    }

    /// What either has.
    fn with(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Map(mut fields), Shape::Map(more)) => {
                for (name, shape) in more {
                    let merged = match fields.remove(&name) {
                        Some(known) => known.with(shape),
                        None => shape,
                    };
                    fields.insert(name, merged);
                }
                Shape::Map(fields)
            }
            (Shape::List(a), Shape::List(b)) => Shape::List(Box::new(a.with(*b))),
            (Shape::Text, other) => other,
            (known, _) => known,
        }
    }
}

impl Page {
    /// The shape of every page, from a sample that holds one block of each kind.
    pub(super) fn shape() -> Shape {
        // A page is made of strings and lists; serde_json refuses neither.
        Shape::of(&serde_json::to_value(Page::new(&sample())).unwrap_or_default())
    }
}

impl HtmlPage {
    /// The shape of every HTML page, from a sample that holds one block of each kind and a source view.
    pub(super) fn shape() -> Shape {
        let row = SourceRow { id: word(), number: word(), text: word(), cost: CostText::default() };
        let code = CodeRow { offset: word(), text: word(), line: word(), cost: CostText::default() };
        let source =
            SourceText { note: word(), files: vec![SourceFile { name: word(), rows: vec![row] }], code: vec![code] };
        Shape::of(&serde_json::to_value(HtmlPage::new(&sample(), &source)).unwrap_or_default())
    }
}

fn word() -> String {
    "x".to_owned()
}

/// A document with one block of each kind.
fn sample() -> Document {
    let section = Section { id: word(), title: word(), blocks: sample_blocks() };
    Document { title: word(), lead: vec![word()], sections: vec![section] }
}

/// A block of each kind.
pub(super) fn sample_blocks() -> Vec<Block> {
    let leaves = vec![
        Block::Text { text: word() },
        Block::Heading { text: word() },
        Block::List { ordered: false, items: vec![word()] },
        Block::Table {
            table: Table {
                id: word(),
                caption: word(),
                columns: vec![Column { title: word(), align: crate::view::Align::Left }],
                rows: vec![vec![Cell { text: word(), ..Cell::default() }]],
            },
        },
        Block::Code { language: word(), text: word() },
        Block::Chart { chart: Box::new(sample_chart()) },
    ];
    let fold = Block::Fold { summary: word(), blocks: leaves.clone() };
    leaves.into_iter().chain([fold]).collect()
}

fn sample_chart() -> Chart {
    let figure =
        Figure::Bars(Bars { legend: Vec::new(), is_stacked: false, until: 1.0, ticks: Vec::new(), rows: Vec::new() });
    Chart { id: word(), title: word(), subtitle: word(), message: word(), file: word(), figure }
}
