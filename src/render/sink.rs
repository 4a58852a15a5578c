//! The walk over a page: what every medium does with each kind of block.

use crate::plain;
use crate::view::charts::Chart;
use crate::view::{Block, Content, Table};
use crate::words::{Inline, Words};

/// What stands behind a number as its unit.
const UNITS: &str = "% s ms µs ns B kB KB MB GB TB KiB MiB GiB B/s kB/s KB/s MB/s GB/s TB/s k K M G T P Hz MHz GHz W \
                     FLOP/s MFLOP/s GFLOP/s TFLOP/s PFLOP/s OP/s TOP/s POP/s pp points cycles launches samples \
                     registers blocks warps inst sectors Gsector/s FLOP/byte OP/byte registers/thread B/block °C";

/// A medium: Markdown, HTML, a terminal.
pub(super) trait Sink {
    /// A heading inside a section.
    fn heading(&mut self, text: &str);
    fn paragraph(&mut self, words: &Words);
    fn list(&mut self, ordered: bool, items: &[Words]);
    fn table(&mut self, table: &Table);
    fn code(&mut self, language: &str, text: &str);
    /// Blocks behind one line.
    fn fold(&mut self, summary: &str, blocks: &[Block]);
    fn chart(&mut self, chart: &Chart);

    fn blocks<'b>(&mut self, blocks: impl IntoIterator<Item = &'b Block>)
    where
        Self: Sized,
    {
        for block in blocks {
            match &block.content {
                Content::Heading(text) => self.heading(text),
                Content::Paragraph(words) => self.paragraph(words),
                Content::List { ordered, items } => self.list(*ordered, items),
                Content::Table(table) => self.table(table),
                Content::Code { language, text } => self.code(language, text),
                Content::Fold { summary, blocks } => self.fold(summary, blocks),
                Content::Chart(chart) => self.chart(chart),
            }
        }
    }
}

/// How a medium writes the pieces of words. Texts come without control characters; the white space around words is
/// dropped. In the cell of a table line ends are kept, else they are spaces.
pub(super) trait Ink {
    fn text(text: &str, in_cell: bool) -> String;
    /// A name, never empty.
    fn code(name: &str, in_cell: bool) -> String;
    /// What stands out, never empty.
    fn strong(inner: String) -> String;
    /// Words that lead somewhere.
    fn link(inner: String, target: &str) -> String;

    fn words(words: &Words, in_cell: bool) -> String {
        let all = words.inlines();
        let piece = |(at, inline): (usize, &Inline)| match inline {
            Inline::Text(text) => {
                let text = if at == 0 { text.trim_start() } else { text };
                let text = if at + 1 == all.len() { text.trim_end() } else { text };
                Self::text(&shown(text, in_cell), in_cell)
            }
            Inline::Code(name) => Some(shown(name.trim(), false))
                .filter(|name| !name.is_empty())
                .map_or_else(String::new, |name| Self::code(&name, in_cell)),
            Inline::Strong(inner) => {
                let inner = Self::words(inner, in_cell);
                if inner.is_empty() { inner } else { Self::strong(inner) }
            }
            Inline::Link { words, target } => Self::link(Self::words(words, in_cell), target),
        };
        let written: String = all.iter().enumerate().map(piece).collect();
        written.trim().to_owned()
    }
}

/// Words as a reader sees them.
pub(super) struct Plain;

impl Ink for Plain {
    fn text(text: &str, _in_cell: bool) -> String {
        text.to_owned()
    }

    fn code(name: &str, _in_cell: bool) -> String {
        name.to_owned()
    }

    fn strong(inner: String) -> String {
        inner
    }

    fn link(inner: String, _target: &str) -> String {
        inner
    }
}

/// A text whose numbers keep their units on one line.
pub(super) fn glued(text: &str) -> String {
    let mut glued = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_inside = || {
            let unit = text[at + 1..].split(|c: char| c.is_whitespace() || ",.;:)→".contains(c)).next();
            // The name of a part ends in a digit too: `L2`.
            let before = text[..at].rsplit(|c: char| c.is_whitespace() || "(≤".contains(c)).next().unwrap_or_default();
            let is_unit = before.ends_with(|c: char| c.is_ascii_digit())
                && !before.starts_with(|c: char| c.is_ascii_alphabetic())
                && unit.is_some_and(|unit| UNITS.split(' ').any(|known| known == unit));
            is_unit || text[..at].ends_with('≤')
        };
        glued.push(if c == ' ' && is_inside() { '\u{a0}' } else { c });
    }
    glued
}

/// The same with plain spaces.
pub(super) fn loose(text: &str) -> String {
    text.replace('\u{a0}', " ")
}

/// Text on one line as a reader sees it.
pub(super) fn one_line(text: &str) -> String {
    shown(text.trim(), false)
}

/// Text as a reader sees it: a line end is `\n` or a space, another character that acts U+FFFD.
pub(super) fn shown(text: &str, has_lines: bool) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' => out.push(if has_lines { '\n' } else { ' ' }),
            '\t' => out.push(' '),
            c if plain::acts(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Verbatim text with `\n` line ends and without the last one, in which nothing acts.
pub(super) fn lines_of(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    plain::clean(text.strip_suffix('\n').unwrap_or(&text)).into_owned()
}
