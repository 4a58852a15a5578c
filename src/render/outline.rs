//! The outline of a page: its headings, tables and verbatim blocks, from what was placed and from finished Markdown.

use super::escape;
use super::sink::{Ink, Plain, lines_of, loose, one_line};
use crate::view::{Align, Block, Content, Table};
use crate::words::{Inline, Words};
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
    /// What acts: targets of links and images, elements that the renderer does not write, mentions and issue numbers.
    pub(super) live: Vec<String>,
    /// What a page must not hold: HTML elements, formulas and links that no part of the renderer writes.
    pub(super) foreign: Vec<String>,
}

/// HTML elements that the renderer writes.
const OWN: [&str; 4] = ["details", "summary", "br", "code"];
/// Those that a template may write.
const OF_TEMPLATES: [&str; 8] = ["sub", "sup", "picture", "source", "img", "a", "p", "kbd"];

impl Outline {
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
                Content::Table(table) => {
                    self.tables.push(grid(table));
                    self.links(&table.caption);
                    table.rows.iter().flatten().for_each(|cell| self.links(&cell.words));
                }
                Content::Chart(chart) => {
                    let file = escape::target(&chart.file);
                    self.live.push(target(&file));
                    self.images.push((one_line(&chart.message), file));
                }
                Content::Paragraph(words) => self.links(words),
                Content::List { items, .. } => items.iter().for_each(|item| self.links(item)),
            }
        }
    }

    fn links(&mut self, words: &Words) {
        for inline in words.inlines() {
            match inline {
                Inline::Link { words, target: to } => {
                    self.live.push(target(&escape::target(to)));
                    self.links(words);
                }
                Inline::Strong(inner) => self.links(inner),
                Inline::Text(_) | Inline::Code(_) => {}
            }
        }
    }

    /// Adds what acts in the text that a template printed itself.
    pub(super) fn own(&mut self, markdown: &str) {
        self.live.extend(Outline::of_markdown(markdown).live);
    }

    /// The outline that a Markdown parser sees, with GitHub's extensions on.
    pub(super) fn of_markdown(markdown: &str) -> Outline {
        let mut reader = Reader::default();
        Parser::new_ext(markdown, options()).for_each(|event| reader.take(event));
        reader.outline
    }
}

fn target(address: &str) -> String {
    format!("a link to {address:?}")
}

/// A table as its cells must read.
fn grid(table: &Table) -> Grid {
    Grid {
        name: table.name.clone(),
        right: table.columns.iter().map(|column| column.align == Align::Right).collect(),
        header: table.columns.iter().map(|column| loose(&Plain::words(&Words::from(&column.title), true))).collect(),
        rows: table
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| loose(&Plain::words(&cell.words, true))).collect())
            .collect(),
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
    in_code: bool,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => {
                self.push(&text);
                self.mentions(&text);
            }
            Event::Code(text) => self.push(&text),
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
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => (self.open, self.in_code) = (Some(String::new()), true),
            Tag::CodeBlock(CodeBlockKind::Indented) => {
                self.outline.foreign.push("an indented code block".to_owned());
            }
            Tag::Table(aligns) => {
                self.table.name = self.outline.headings.last().cloned().unwrap_or_default();
                self.table.right = aligns.iter().map(|align| *align == Alignment::Right).collect();
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } if !is_safe_target(&dest_url) => {
                self.outline.foreign.push(target(&dest_url));
            }
            Tag::Image { dest_url, .. } => {
                self.outline.live.push(target(&dest_url));
                self.image = Some((String::new(), dest_url.to_string()));
            }
            Tag::Link { dest_url, .. } => self.outline.live.push(target(&dest_url)),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.outline.headings.push(self.open.take().unwrap_or_default());
            }
            TagEnd::TableCell => {
                self.row.push(loose(&self.open.take().unwrap_or_default()));
            }
            TagEnd::TableHead => self.table.header = std::mem::take(&mut self.row),
            TagEnd::TableRow => self.table.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => self.outline.tables.push(std::mem::take(&mut self.table)),
            TagEnd::CodeBlock => {
                self.in_code = false;
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

    /// Notes what GitHub takes for a mention or an issue number.
    fn mentions(&mut self, text: &str) {
        // In a block of code, and in the text of an image, nothing is looked for.
        if self.image.is_some() || self.in_code {
            return;
        }
        for (at, _) in text.match_indices(['@', '#']).filter(|(at, _)| escape::is_reference(text, *at)) {
            let name: String = text[at..].chars().take_while(|c| !c.is_whitespace()).take(40).collect();
            self.outline.live.push(format!("the mention {name:?}"));
        }
    }

    /// Notes every element of raw HTML that the renderer does not write, but comments.
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
            let name = name.to_ascii_lowercase();
            if ends && OWN.contains(&name.as_str()) {
                continue;
            }
            let shown: String = rest.chars().take_while(|c| *c != '>').collect();
            if ends && OF_TEMPLATES.contains(&name.as_str()) {
                self.outline.live.push(format!("the HTML element <{shown}>"));
            } else {
                let shown: String = shown.chars().take(40).collect();
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
