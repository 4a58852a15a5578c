//! The outline of a page: its headings, tables and verbatim blocks, from what was placed and from finished Markdown.

use super::sink::{Ink, Plain, lines_of, one_line};
use crate::view::{Align, Block, Content, Table};
use crate::words::Words;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A table as a reader of the page sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Grid {
    /// The name in the document, or the heading above it on the page.
    pub(super) name: String,
    pub(super) right: Vec<bool>,
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// What must be the same before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    pub(super) headings: Vec<String>,
    pub(super) tables: Vec<Grid>,
    pub(super) code: Vec<String>,
    /// Text alternatives and targets.
    pub(super) images: Vec<(String, String)>,
    /// What a page must not hold: HTML elements, formulas and links that no part of the renderer writes.
    pub(super) foreign: Vec<String>,
}

/// HTML elements that may stand on a page: those that the renderer writes and those of figures in templates.
const ELEMENTS: [&str; 12] =
    ["details", "summary", "br", "code", "sub", "sup", "picture", "source", "img", "a", "p", "kbd"];

impl Outline {
    /// Adds a heading.
    pub(super) fn heading(&mut self, text: &str) {
        self.headings.push(one_line(text));
    }

    /// Adds what a reader must find of blocks.
    pub(super) fn add<'b>(&mut self, blocks: impl IntoIterator<Item = &'b Block>) {
        for block in blocks {
            match &block.content {
                Content::Heading(text) => self.heading(text),
                Content::Code { text, .. } => self.code.push(lines_of(text)),
                Content::Fold { blocks, .. } => self.add(blocks.iter().collect::<Vec<_>>()),
                Content::Table(table) => self.tables.push(grid(table)),
                Content::Chart(chart) => self.images.push((one_line(&chart.message), chart.file.clone())),
                Content::Paragraph(_) | Content::List { .. } => {}
            }
        }
    }

    /// The outline that a Markdown parser sees, with GitHub's extensions on.
    pub(super) fn of_markdown(markdown: &str) -> Outline {
        let mut reader = Reader::default();
        Parser::new_ext(markdown, options()).for_each(|event| reader.take(event));
        reader.outline
    }
}

/// A table as its cells must read.
fn grid(table: &Table) -> Grid {
    let ink = Plain { has_lines: true };
    Grid {
        name: table.name.clone(),
        right: table.columns.iter().map(|column| column.align == Align::Right).collect(),
        header: table.columns.iter().map(|column| ink.words(&Words::from(&column.title))).collect(),
        rows: table.rows.iter().map(|row| row.iter().map(|cell| ink.words(&cell.words)).collect()).collect(),
    }
}

/// The dialect of the pages: what GitHub reads.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_GFM
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
}

/// Collects an outline from parser events.
#[derive(Default)]
struct Reader {
    outline: Outline,
    table: Grid,
    row: Vec<String>,
    /// Text of the heading, cell or code block that is open.
    open: Option<String>,
    html: String,
    /// Text and target of the image that is open.
    image: Option<(String, String)>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) => self.push(&text),
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            Event::InlineHtml(html) if html.as_ref() == "<br>" => self.push("\n"),
            Event::InlineHtml(html) => self.foreign_elements(&html),
            Event::Html(html) => self.html.push_str(&html),
            Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.outline.foreign.push(format!("the formula {text:?}"));
            }
            Event::FootnoteReference(_) | Event::Rule | Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } | Tag::TableCell => self.open = Some(String::new()),
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.open = Some(String::new()),
            Tag::CodeBlock(CodeBlockKind::Indented) => {
                self.outline.foreign.push("an indented code block".to_owned());
            }
            Tag::Table(aligns) => {
                let name = self.outline.headings.last().cloned().unwrap_or_default();
                let right = aligns.iter().map(|align| *align == Alignment::Right).collect();
                self.table = Grid { name, right, ..Grid::default() };
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } if !is_safe_target(&dest_url) => {
                self.outline.foreign.push(format!("a link to {dest_url:?}"));
            }
            Tag::Image { dest_url, .. } => self.image = Some((String::new(), dest_url.to_string())),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                let text = self.open.take().unwrap_or_default();
                self.outline.headings.push(text);
            }
            TagEnd::TableCell => {
                let text = self.open.take().unwrap_or_default();
                self.row.push(text);
            }
            TagEnd::TableHead => self.table.header = std::mem::take(&mut self.row),
            TagEnd::TableRow => self.table.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => self.outline.tables.push(std::mem::take(&mut self.table)),
            TagEnd::CodeBlock => {
                if let Some(text) = self.open.take() {
                    self.outline.code.push(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text));
                }
            }
            TagEnd::Image => self.outline.images.extend(self.image.take()),
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.html);
                self.foreign_elements(&html);
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        if let Some((alt, _)) = &mut self.image {
            alt.push_str(text);
        }
        if let Some(open) = &mut self.open {
            open.push_str(text);
        }
    }

    /// Notes every element of raw HTML that is not one of [`ELEMENTS`] or a comment.
    fn foreign_elements(&mut self, html: &str) {
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            rest = &rest[at + 1..];
            if let Some(comment) = rest.strip_prefix("!--") {
                rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
                continue;
            }
            let body = rest.strip_prefix('/').unwrap_or(rest);
            let name: String = body.chars().take_while(char::is_ascii_alphanumeric).collect();
            let after = body[name.len()..].chars().next();
            let ends = after.is_none_or(|c| c.is_whitespace() || matches!(c, '>' | '/'));
            if !ends || !ELEMENTS.contains(&name.to_ascii_lowercase().as_str()) {
                let shown: String = rest.chars().take_while(|c| *c != '>').take(40).collect();
                self.outline.foreign.push(format!("the HTML element <{shown}>"));
            }
        }
    }
}

/// Links go to the web or to another file of the repository; nothing else.
pub(super) fn is_safe_target(target: &str) -> bool {
    let scheme = target.split(['/', '?', '#']).next().unwrap_or_default();
    !scheme.contains(':') || target.starts_with("https://") || target.starts_with("http://")
}
