//! The page in Markdown, as GitHub reads it.

use super::escape;
use super::grid::{self, Grid};
use super::outline::is_safe_target;
use super::sink::{Ink, Sink, glued, lines_of};
use crate::view::charts::Chart;
use crate::view::{Block, Document, Table};
use crate::words::Words;

struct Marks;

impl Ink for Marks {
    fn text(text: &str, in_cell: bool) -> String {
        escape::text(&glued(text), in_cell)
    }

    fn code(name: &str, in_cell: bool) -> String {
        escape::code(name, in_cell)
    }

    fn strong(inner: String) -> String {
        format!("**{inner}**")
    }

    fn link(inner: String, target: &str) -> String {
        if is_safe_target(target) { format!("[{inner}]({})", escape::target(target)) } else { inner }
    }
}

fn line(words: &Words) -> String {
    escape::line_start(&Marks::words(words, false))
}

/// The lines under the title, with a hard break behind each but the last.
pub(super) fn lead(document: &Document) -> String {
    document.lead.iter().map(|own| line(&own.words)).collect::<Vec<_>>().join("\\\n")
}

/// Blocks, an empty line between two.
pub(super) fn blocks<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> String {
    let mut page = Markdown::default();
    page.blocks(blocks);
    page.text.trim_end().to_owned()
}

pub(crate) fn table(table: &Table) -> String {
    grid(table).lines() + "\n"
}

fn grid(table: &Table) -> Grid {
    let header = table.columns.iter().map(|column| Marks::words(&Words::from(&column.title), true)).collect();
    let rows = table.rows.iter().map(|row| row.iter().map(|cell| Marks::words(&cell.words, true)).collect()).collect();
    grid::set(header, rows, table.columns.iter().map(|column| column.align).collect())
}

/// The page so far; every block ends in an empty line, but a paragraph in front of a list.
#[derive(Default)]
struct Markdown {
    text: String,
    /// Whether the last block is a paragraph, which a list may follow without an empty line.
    is_paragraph: bool,
}

impl Markdown {
    fn push(&mut self, block: &str) {
        self.text.push_str(block);
        self.text.push_str("\n\n");
        self.is_paragraph = false;
    }
}

impl Sink for Markdown {
    fn heading(&mut self, text: &str) {
        self.push(&format!("### {}", escape::heading(text)));
    }

    fn paragraph(&mut self, words: &Words) {
        self.push(&line(words));
        self.is_paragraph = true;
    }

    fn list(&mut self, ordered: bool, items: &[Words]) {
        let item = |(at, item): (usize, &Words)| {
            let marker = if ordered { format!("{}.", at + 1) } else { "-".to_owned() };
            format!("{marker} {}", line(item))
        };
        // An item without text could not follow a paragraph.
        if self.is_paragraph && items.first().is_some_and(|first| !line(first).is_empty()) {
            self.text.pop();
        }
        self.push(&items.iter().enumerate().map(item).collect::<Vec<_>>().join("\n"));
    }

    fn table(&mut self, table: &Table) {
        if !table.caption.is_empty() {
            self.paragraph(&table.caption);
        }
        self.push(&grid(table).lines());
    }

    fn code(&mut self, language: &str, text: &str) {
        let fence = escape::fence(text);
        let language = language.split(['`', '\n', '\r']).next().unwrap_or_default().trim();
        self.push(&format!("{fence}{language}\n{}\n{fence}", lines_of(text)));
    }

    fn fold(&mut self, summary: &str, blocks: &[Block]) {
        self.push(&format!("<details><summary>{}</summary>", escape::html(summary)));
        self.blocks(blocks);
        self.push("</details>");
    }

    fn chart(&mut self, chart: &Chart) {
        self.push(&format!("![{}]({})", escape::image(&chart.message), escape::target(&chart.file)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::outline::options;
    use crate::render::sink::{Plain, loose};
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};

    /// What a reader sees of a paragraph, with marks around names.
    fn read(markdown: &str) -> Result<String, String> {
        let mut found = String::new();
        for event in Parser::new_ext(markdown, options()) {
            match event {
                Event::Text(part) => found.push_str(&part),
                Event::Code(part) => found.push_str(&part),
                Event::InlineHtml(html) if html.as_ref() == "<!-- -->" => {}
                Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
                other => return Err(format!("{other:?} in {markdown:?}")),
            }
        }
        Ok(found)
    }

    proptest! {
        #[test]
        fn any_words_are_read_as_they_are(text in "\\PC{0,12}", name in "[a-z<>`|_*]{0,6}", marks in "[\\[\\]()*_`~$&#@!<>|\\\\ :.a1-]{0,9}") {
            let words = crate::words!("{}{} `{}` {}", &text, &marks, &name, &marks);
            let found = read(&line(&words)).map(|found| loose(&found));
            prop_assert_eq!(found, Ok(loose(&Plain::words(&words, false))));
        }
    }
}
