//! The names that templates may use, with what each stands for, as `audit explain view` prints them.

use super::html::HtmlPage;
use super::page::Page;
use super::shape::{Shape, sample_blocks};
use crate::view::{Document, Section, SourceText};
use std::fmt::Write as _;

/// A name of a page's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// Its path from the root, or from the block for those of a kind of block: `sections[].title`.
    pub(super) path: String,
    /// What it stands for.
    pub(super) words: &'static str,
}

/// What the names stand for. An entry that begins with a bracket is for every path that ends in it.
const WORDS: &[(&str, &str)] = &[
    ("title", "title of the page"),
    ("lead[]", "the lines under the title"),
    ("sections[]", "the sections in order"),
    ("sections[].id", "stable id"),
    ("sections[].title", "heading"),
    ("sections[].blocks[]", "content; each block has a `kind`, and the names of that kind"),
    ("style", "what goes into <style>"),
    ("script", "what goes into <script>"),
    ("policy", "content security policy for the head"),
    ("source.note", "what the source view shows; empty where there is none"),
    ("source.files[]", "the files of the source view"),
    ("source.files[].name", "name of the file"),
    ("source.files[].lines[]", "its lines"),
    ("source.code[]", "the instructions; may be empty"),
    ("[].line", "id of the line of source, also of the one that an instruction belongs to"),
    ("[].number", "line number, or byte offset of an instruction"),
    ("[].text", "the text"),
    ("[].samples", "share of all warp samples; may be empty"),
    ("[].heat", "samples beside the line with the most, 0 to 9; may be empty"),
    ("[].waits", "what the samples wait for; may be empty"),
    ("[].sectors", "sectors of global memory; may be empty"),
    ("[].excess", "sectors beyond what the bytes need; may be empty"),
    ("[].executed", "warp-level executions; may be empty"),
    ("text: text", "the paragraph"),
    ("heading: text", "the heading"),
    ("code: text", "the lines"),
    ("code: fence", "backticks that open and close it"),
    ("code: language", "info string; may be empty"),
    ("list: items[]", "items; in Markdown each with its marker"),
    ("list: element", "ol or ul"),
    ("table: id", "stable id"),
    ("table: caption", "sentence above the table; may be empty"),
    ("table: lines", "the whole table"),
    ("table: columns[]", "columns"),
    ("table: columns[].title", "header"),
    ("table: columns[].class", "number or words"),
    ("table: rows[]", "rows"),
    ("table: rows[].cells[]", "cells of a row"),
    ("table: rows[].cells[].html", "content"),
    ("table: rows[].cells[].class", "number or words"),
    ("table: rows[].cells[].key", "number to sort by; empty for words"),
    ("fold: summary", "the line that stays visible"),
    ("fold: blocks[]", "what is folded away"),
    ("chart: id", "stable id"),
    ("chart: alt", "what the image shows, in words"),
    ("chart: file", "path of the image, relative to the page"),
    ("chart: svg", "the drawing"),
];

fn words(path: &str) -> &'static str {
    let exact = WORDS.iter().find(|(known, _)| *known == path);
    let tail = || WORDS.iter().find(|(known, _)| known.starts_with('[') && path.ends_with(known));
    exact.or_else(tail).map_or("", |(_, words)| words)
}

/// The names of a shape. Blocks have names of their own.
fn flatten(shape: &Shape, prefix: &str, into: &mut Vec<Field>) {
    let Shape::Map(fields) = shape else { return };
    for (name, inner) in fields {
        let path = format!("{prefix}{name}");
        let mut add = |path: &str| into.push(Field { path: path.to_owned(), words: words(path) });
        match inner {
            Shape::Text => add(&path),
            Shape::List(element) => {
                let path = format!("{path}[]");
                add(&path);
                if name != "blocks" {
                    flatten(element, &format!("{path}."), into);
                }
            }
            Shape::Map(_) => flatten(inner, &format!("{path}."), into),
        }
    }
}

/// The names at the root, and those of each kind of block, of Markdown or HTML.
pub(super) fn fields(is_html: bool) -> Vec<Field> {
    let mut all = Vec::new();
    flatten(&if is_html { HtmlPage::shape() } else { Page::shape() }, "", &mut all);
    for block in sample_blocks() {
        let sections = vec![Section { id: String::new(), title: String::new(), blocks: vec![block] }];
        let document = Document { title: String::new(), lead: Vec::new(), sections };
        let value = match is_html {
            true => serde_json::to_value(HtmlPage::new(&document, &SourceText::default())),
            false => serde_json::to_value(Page::new(&document)),
        };
        // A page is made of strings and lists; serde_json refuses neither.
        let mut piece = value.unwrap_or_default()["sections"][0]["blocks"][0].take();
        let kind = piece["kind"].take().as_str().unwrap_or_default().to_owned();
        if let Some(fields) = piece.as_object_mut() {
            fields.remove("kind");
        }
        flatten(&Shape::of(&piece), &format!("{kind}: "), &mut all);
    }
    all
}

/// All names with what they stand for, for people.
pub fn explain_view() -> String {
    let mut text = String::from(
        "The names that templates may use. Every string is finished: a template places it and adds nothing.\n\
         `{{#each LIST}}` goes through a name that ends in []; inside, names are those behind the dot.\n",
    );
    for (title, is_html) in [("Markdown: *.md.hbs", false), ("HTML: *.html.hbs", true)] {
        let all = fields(is_html);
        let width = all.iter().map(|field| field.path.len()).max().unwrap_or(0);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{title}");
        for field in &all {
            let _ = writeln!(text, "  {:width$}  {}", field.path, field.words);
        }
    }
    text + "\nLists and conditions: #each, #if, #unless, #with, eq, ne, and, or, not; @index, @first, @last, @key.\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_explained_and_every_explanation_is_of_a_name() {
        let all: Vec<Field> = fields(false).into_iter().chain(fields(true)).collect();
        for field in &all {
            assert!(!field.words.is_empty(), "{} has no words", field.path);
        }
        for (path, _) in WORDS {
            assert!(all.iter().any(|field| field.path.ends_with(path)), "{path} is no name");
        }
        assert!(explain_view().contains("sections[].title"));
    }
}
