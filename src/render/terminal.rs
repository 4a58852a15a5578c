//! The document on a terminal, set for a screen of a given width.
//!
//! Nothing is cut: words wrap, numbers stay whole, and a table too wide for the screen comes in parts, each with its
//! first column. Styles are ANSI sequences; the caller's stream drops them where they are not wanted. Control characters
//! of the data never reach the screen.

use super::grid::pad;
use super::sink::{Ink, Plain, Sink, glued, lines_of, loose, one_line};
use crate::plain;
use crate::view::charts::{Chart, Figure};
use crate::view::{Align, Block, Cell, Document, Section, Table, Tone, sparkline};
use crate::words::{Inline, Words};
use std::io::{self, Write};
use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::UnicodeWidthStr;

/// A text column is wrapped down to this width before the next one is narrowed.
const NARROWEST: usize = 16;
/// Between two columns.
const GAP: &str = "  ";
/// Characters of a line of levels at most.
const MOST_LEVELS: usize = 64;

pub fn print(document: &Document, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut screen = Screen { text: String::new(), width, is_under_heading: true };
    screen.line(&bold(&one_line(&document.title)));
    for line in &document.lead {
        screen.wrapped(&plain(&line.words), "");
    }
    document.every_section().for_each(|section| screen.section(section));
    out.write_all(screen.text.as_bytes())
}

/// Prints a section of a document, of which another part is printed already, in `width` terminal columns.
pub(crate) fn print_section(section: &Section, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut screen = Screen { text: String::new(), width, is_under_heading: false };
    screen.section(section);
    out.write_all(screen.text.as_bytes())
}

/// Prints plain text, wrapped; further lines of an item that begins with a dash are indented.
pub(crate) fn print_text(text: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut screen = Screen { text: String::new(), width, is_under_heading: true };
    let (marker, item) = text.strip_prefix("- ").map_or(("", text), |item| ("- ", item));
    screen.wrapped(&one_line(item), marker);
    out.write_all(screen.text.as_bytes())
}

struct Screen {
    text: String,
    width: usize,
    /// Whether nothing stands between the last heading and here: no empty line comes there.
    is_under_heading: bool,
}

impl Screen {
    fn section(&mut self, section: &Section) {
        self.line("");
        self.line(&bold(&one_line(&section.title)));
        self.is_under_heading = true;
        self.blocks(&section.blocks);
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&plain::no_command(line));
        self.text.push('\n');
    }

    /// Text after `marker`, wrapped, further lines indented by the marker's width.
    fn wrapped(&mut self, text: &str, marker: &str) {
        let indent = " ".repeat(marker.width());
        for (at, line) in wrap(text, self.width.saturating_sub(marker.width())).iter().enumerate() {
            self.line(&format!("{}{line}", if at == 0 { marker } else { &indent }));
        }
    }

    fn gap(&mut self) {
        if !std::mem::take(&mut self.is_under_heading) {
            self.line("");
        }
    }
}

impl Sink for Screen {
    fn heading(&mut self, text: &str) {
        self.gap();
        self.line(&bold(&one_line(text)));
        self.is_under_heading = true;
    }

    fn paragraph(&mut self, words: &Words) {
        self.gap();
        self.wrapped(&plain(words), "");
    }

    fn list(&mut self, ordered: bool, items: &[Words]) {
        self.gap();
        for (at, item) in items.iter().enumerate() {
            let marker = if ordered { format!("{}. ", at + 1) } else { "- ".to_owned() };
            self.wrapped(&plain(item), &marker);
        }
    }

    fn table(&mut self, table: &Table) {
        self.gap();
        if !table.caption.is_empty() {
            self.wrapped(&plain(&table.caption), "");
        }
        let header: Vec<Cell> = table.columns.iter().map(|column| Cell::new(&column.title).strong()).collect();
        let aligns: Vec<Align> = table.columns.iter().map(|column| column.align).collect();
        let widths = column_widths(&header, table, &aligns, self.width);
        for (at, group) in groups(&widths, self.width).into_iter().enumerate() {
            if at > 0 {
                self.line("");
            }
            let pick = |row: &[Cell]| -> Vec<Cell> { group.iter().filter_map(|at| row.get(*at).cloned()).collect() };
            let widths: Vec<usize> = group.iter().map(|at| widths[*at]).collect();
            let aligns: Vec<Align> = group.iter().map(|at| aligns[*at]).collect();
            self.row(&pick(&header), &widths, &aligns);
            self.line(&widths.iter().map(|w| "─".repeat(*w)).collect::<Vec<_>>().join(GAP));
            for row in &table.rows {
                self.row(&pick(row), &widths, &aligns);
            }
        }
    }

    fn code(&mut self, _language: &str, text: &str) {
        self.gap();
        for line in lines_of(text).lines() {
            self.line(format!("    {}", line.replace('\t', "    ")).trim_end());
        }
    }

    fn fold(&mut self, summary: &str, blocks: &[Block]) {
        self.heading(summary);
        self.blocks(blocks);
        self.is_under_heading = false;
    }

    /// A chart says what its table says; levels over time are lines of characters.
    fn chart(&mut self, chart: &Chart) {
        let Figure::Series(series) = &chart.figure else { return };
        self.gap();
        let longest = series.legend.iter().map(|name| name.width()).max().unwrap_or_default();
        let room = self.width.saturating_sub(longest + GAP.len()).min(MOST_LEVELS);
        for panel in &series.panels {
            if !panel.title.is_empty() {
                self.line(&panel.title);
            }
            for (name, points) in &panel.levels {
                let name = series.legend.get(*name).map_or("", String::as_str);
                self.line(&format!("{}{GAP}{}", pad(name, longest, Align::Left), sparkline(points, room)));
            }
        }
    }
}

/// The columns that stand side by side. A table that cannot be narrowed to the screen comes in parts, each with the first
/// column.
fn groups(widths: &[usize], width: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut used = 0;
    for (at, own) in widths.iter().enumerate() {
        let has_room = used + GAP.len() + own <= width;
        match all.last_mut() {
            Some(group) if has_room || group.len() < 2 => {
                group.push(at);
                used += GAP.len() + own;
            }
            Some(_) => {
                all.push(vec![0, at]);
                used = widths[0] + GAP.len() + own;
            }
            None => {
                all.push(vec![at]);
                used = *own;
            }
        }
    }
    all
}

/// The natural width of each column. Where the table is wider than the screen, columns give way: headers wrap, then text,
/// the last first. Numbers stay whole.
fn column_widths(header: &[Cell], table: &Table, aligns: &[Align], width: usize) -> Vec<usize> {
    let cells = |at: usize| table.rows.iter().filter_map(move |row| row.get(at));
    let natural = |cell: &Cell| lines(cell).iter().map(|line| line.width()).max().unwrap_or(0);
    let longest_word = |cell: &Cell| {
        let words = lines(cell);
        words.iter().flat_map(|line| line.split_whitespace()).map(UnicodeWidthStr::width).max().unwrap_or(0)
    };
    let columns = 0..header.len();
    let body: Vec<usize> = columns.clone().map(|at| cells(at).map(natural).max().unwrap_or(0).max(1)).collect();
    let words: Vec<usize> =
        columns.clone().map(|at| cells(at).chain(header.get(at)).map(longest_word).max().unwrap_or(0).max(1)).collect();
    let mut widths: Vec<usize> = columns.map(|at| body[at].max(header.get(at).map_or(0, natural))).collect();
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1);
    let shrink = |widths: &mut Vec<usize>, floor: &dyn Fn(usize) -> usize| {
        let mut excess = total(widths).saturating_sub(width);
        for (at, own) in widths.iter_mut().enumerate().rev() {
            let give = excess.min(own.saturating_sub(floor(at)));
            *own -= give;
            excess -= give;
        }
    };
    let is_text = |at: usize| aligns.get(at) == Some(&Align::Left);
    shrink(&mut widths, &|at| body[at].max(header.get(at).map_or(0, longest_word)));
    shrink(&mut widths, &|at| if is_text(at) { NARROWEST } else { usize::MAX });
    let mut least = widths.clone();
    shrink(&mut least, &|at| if is_text(at) { words[at].min(NARROWEST) } else { usize::MAX });
    // Where even that is not enough the table comes in parts, which have room for more.
    if total(&least) <= width { least } else { widths }
}

impl Screen {
    fn row(&mut self, row: &[Cell], widths: &[usize], aligns: &[Align]) {
        let column = |(cell, width): (&Cell, &usize)| lines(cell).iter().flat_map(|line| wrap(line, *width)).collect();
        let columns: Vec<Vec<String>> = row.iter().zip(widths).map(column).collect();
        for at in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
            let mut line = String::new();
            let mut blank = String::new();
            for (((column, cell), width), align) in columns.iter().zip(row).zip(widths).zip(aligns) {
                let text = column.get(at).map_or("", String::as_str);
                let padded = pad(text, *width, *align);
                if text.is_empty() {
                    blank.push_str(&padded);
                } else {
                    line.push_str(&std::mem::take(&mut blank));
                    line.push_str(&styled(cell, &padded));
                }
                blank.push_str(GAP);
            }
            self.line(line.trim_end());
        }
    }
}

fn styled(cell: &Cell, padded: &str) -> String {
    match cell.tone {
        Tone::Good => set_off(padded, "\x1b[32m"),
        Tone::Bad => set_off(padded, "\x1b[31m"),
        Tone::Unsure => set_off(padded, "\x1b[33m"),
        Tone::Plain if matches!(cell.words.inlines(), [Inline::Strong(_)]) => bold(padded),
        Tone::Plain => padded.to_owned(),
    }
}

fn lines(cell: &Cell) -> Vec<String> {
    Plain::words(&cell.words, true).split('\n').map(str::to_owned).collect()
}

/// Breaks at spaces into lines of at most `width` columns, a number with its unit on one; a longer word is broken where it must.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let options =
        Options::new(width.max(1)).word_separator(WordSeparator::AsciiSpace).word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(&glued(text), options).into_iter().map(|line| loose(&line)).collect()
}

fn plain(words: &Words) -> String {
    Plain::words(words, false)
}

fn bold(text: &str) -> String {
    set_off(text, "\x1b[1m")
}

/// Text in a style, the white space around it plain.
fn set_off(text: &str, style: &str) -> String {
    let body = text.trim();
    if body.is_empty() { text.to_owned() } else { text.replacen(body, &format!("{style}{body}\x1b[0m"), 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_and_nothing_is_lost() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 5), [""]);
    }
}
