//! What people wrote in Markdown, as typed blocks for another medium: paragraphs, lists, names, what stands out, links.

use super::outline::options;
use crate::view::{Block, Content};
use crate::words::{self, Words};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// The blocks of a text. What is neither paragraph nor list comes as the text that it holds; HTML is left out.
pub fn prose(markdown: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    Parser::new_ext(markdown, options()).for_each(|event| reader.take(event));
    reader.end();
    reader.blocks
}

/// Words that are open: those of the text, of what stands out, of a link.
enum Open {
    Strong,
    Link(String),
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    items: Vec<Words>,
    /// Whether a list is open, and whether it is numbered.
    list: Option<bool>,
    words: Words,
    open: Vec<(Open, Words)>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.push(Words::from(text.as_ref())),
            Event::Code(name) => self.push(words::code(name.to_string())),
            Event::SoftBreak | Event::HardBreak => self.push(Words::from(" ")),
            Event::Start(Tag::Strong) => self.open.push((Open::Strong, Words::default())),
            Event::Start(Tag::Link { dest_url, .. }) => {
                self.open.push((Open::Link(dest_url.to_string()), Words::default()));
            }
            Event::End(TagEnd::Strong | TagEnd::Link) => match self.open.pop() {
                Some((Open::Strong, inner)) => self.push(words::strong(inner)),
                Some((Open::Link(target), inner)) => self.push(words::link(inner, target)),
                None => {}
            },
            Event::Start(Tag::List(first)) => {
                self.end();
                self.list = Some(first.is_some());
            }
            Event::End(TagEnd::List(_)) => {
                let items = std::mem::take(&mut self.items);
                let ordered = self.list.take().unwrap_or_default();
                if !items.is_empty() {
                    self.blocks.push(block(Content::List { ordered, items }));
                }
            }
            Event::End(
                TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::TableRow,
            ) => {
                self.end();
            }
            Event::End(TagEnd::TableCell) => self.push(Words::from(" ")),
            _ => {}
        }
    }

    fn push(&mut self, piece: impl Into<Words>) {
        self.open.last_mut().map_or(&mut self.words, |(_, words)| words).push(piece);
    }

    /// Ends a paragraph or an item.
    fn end(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.is_empty() {
            return;
        }
        match self.list {
            Some(_) => self.items.push(words),
            None => self.blocks.push(block(Content::Paragraph(words))),
        }
    }
}

fn block(content: Content) -> Block {
    Block { name: "prose".to_owned(), content }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn paragraphs_lists_and_names_come_as_they_are() {
        let blocks = prose("One `a|b` and **two**.\n\n- x\n- [y](z.md)\n\n<script>no</script>\n");
        let expected = [
            Content::Paragraph(words!("One `a|b` and **two**.")),
            Content::List { ordered: false, items: vec!["x".into(), words::link("y", "z.md").into()] },
        ];
        assert_eq!(blocks.into_iter().map(|block| block.content).collect::<Vec<_>>(), expected);
    }
}
