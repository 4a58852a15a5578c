//! The document on a terminal: the same strings, set for a screen of a given width.
//!
//! Nothing is cut: words wrap, numbers stay whole. Styles are ANSI sequences; the caller's stream drops them where
//! they are not wanted. Control characters of the data never reach the screen.

use super::grid::pad;
use super::page;
use crate::view::escape;
use crate::view::{Align, Block, Cell, Document, Table};
use pulldown_cmark::{Event, Parser};
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A text column is wrapped down to this width before the next one is narrowed.
const NARROWEST: usize = 16;
/// Between two columns.
const GAP: &str = "  ";

/// Prints a document in `width` terminal columns.
///
/// # Errors
/// What `out` says.
pub fn print(document: &Document, width: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", bold(&one_line(&document.title)))?;
    for line in &document.lead {
        paragraph(&plain(line), "", width, out)?;
    }
    for section in &document.sections {
        writeln!(out, "\n{}", bold(&one_line(&section.title)))?;
        print_blocks(&section.blocks, width, out)?;
    }
    Ok(())
}

/// Prints blocks with an empty line between two, but none right under a heading.
fn print_blocks(blocks: &[Block], width: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut under_heading = true;
    // A chart says what its table says.
    for block in blocks.iter().filter(|block| !matches!(block, Block::Chart { .. })) {
        if !under_heading {
            writeln!(out)?;
        }
        print_block(block, width, out)?;
        under_heading = matches!(block, Block::Heading { .. });
    }
    Ok(())
}

fn print_block(block: &Block, width: usize, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Text { text } => paragraph(&plain(text), "", width, out),
        Block::Heading { text } => writeln!(out, "{}", bold(&one_line(text))),
        Block::List { ordered, items } => items.iter().enumerate().try_for_each(|(at, item)| {
            let marker = if *ordered { format!("{}. ", at + 1) } else { "- ".to_owned() };
            paragraph(&plain(item), &marker, width, out)
        }),
        Block::Code { text, .. } => page::code_lines(text)
            .lines()
            .map(|line| format!("    {}", escape::normal_line(line)))
            .try_for_each(|line| writeln!(out, "{}", line.trim_end())),
        Block::Fold { summary, blocks } => {
            writeln!(out, "{}", bold(&one_line(summary)))?;
            print_blocks(blocks, width, out)
        }
        Block::Chart { .. } => Ok(()),
        Block::Table { table } => print_table(table, width, out),
    }
}

fn print_table(table: &Table, width: usize, out: &mut dyn Write) -> io::Result<()> {
    if !table.caption.is_empty() {
        paragraph(&plain(&table.caption), "", width, out)?;
    }
    let header: Vec<Cell> =
        table.columns.iter().map(|column| Cell { text: column.title.clone(), strong: true, code: false }).collect();
    let aligns: Vec<Align> = table.columns.iter().map(|column| column.align).collect();
    let widths = column_widths(&header, table, &aligns, width);
    for (at, group) in groups(&widths, width).into_iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let pick = |row: &[Cell]| -> Vec<Cell> { group.iter().filter_map(|at| row.get(*at).cloned()).collect() };
        let widths: Vec<usize> = group.iter().map(|at| widths[*at]).collect();
        let aligns: Vec<Align> = group.iter().map(|at| aligns[*at]).collect();
        print_row(&pick(&header), &widths, &aligns, out)?;
        writeln!(out, "{}", widths.iter().map(|w| "─".repeat(*w)).collect::<Vec<_>>().join(GAP))?;
        table.rows.iter().try_for_each(|row| print_row(&pick(row), &widths, &aligns, out))?;
    }
    Ok(())
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

fn print_row(row: &[Cell], widths: &[usize], aligns: &[Align], out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<Vec<String>> = row
        .iter()
        .zip(widths)
        .map(|(cell, width)| lines(cell).iter().flat_map(|line| wrap(line, *width)).collect())
        .collect();
    for at in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let mut line = String::new();
        let mut blank = String::new();
        for (((column, cell), width), align) in columns.iter().zip(row).zip(widths).zip(aligns) {
            let text = column.get(at).map_or("", String::as_str);
            let padded = pad(text, *width, *align);
            if !text.is_empty() {
                line.push_str(&std::mem::take(&mut blank));
                line.push_str(&styled(cell, &padded));
                blank.push_str(GAP);
            } else {
                blank.push_str(&padded);
                blank.push_str(GAP);
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The text of a cell in its style: verdicts in the colour of what they say.
fn styled(cell: &Cell, padded: &str) -> String {
    let colour = match cell.text.as_str() {
        "FASTER" | "BETTER" | "PASS" | "CONFIRMED" => "\x1b[32m",
        "SLOWER" | "WORSE" | "FAIL" | "REFUTED" => "\x1b[31m",
        "AMBIGUOUS" | "INCONCLUSIVE" | "NOT COMPARABLE" | "NOT MEASURED" => "\x1b[33m",
        _ if cell.strong => "\x1b[1m",
        _ => return padded.to_owned(),
    };
    set_off(padded, colour)
}

fn lines(cell: &Cell) -> Vec<String> {
    escape::normal(&cell.text, cell.code).split('\n').map(str::to_owned).collect()
}

/// Prints plain text, wrapped; further lines of an item that begins with a dash are indented.
///
/// # Errors
/// What `out` says.
pub fn print_text(text: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
    match text.strip_prefix("- ") {
        Some(item) => paragraph(&one_line(item), "- ", width, out),
        None => paragraph(&one_line(text), "", width, out),
    }
}

/// Prints text after `marker`, wrapped, further lines indented by the marker's width.
fn paragraph(text: &str, marker: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let indent = " ".repeat(marker.width());
    for (at, line) in wrap(text, width.saturating_sub(marker.width())).iter().enumerate() {
        writeln!(out, "{}{line}", if at == 0 { marker } else { &indent })?;
    }
    Ok(())
}

/// Breaks at spaces into lines of at most `width` columns; a longer word is broken where it must.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let room = width.saturating_sub(used + usize::from(used > 0));
        if used > 0 && word.width() > room {
            lines.push(String::new());
            used = 0;
        }
        if used > 0 {
            push(&mut lines, &mut used, ' ');
        }
        for c in word.chars() {
            if used > 0 && used + c.width().unwrap_or(0) > width {
                lines.push(String::new());
                used = 0;
            }
            push(&mut lines, &mut used, c);
        }
    }
    lines
}

fn push(lines: &mut [String], used: &mut usize, c: char) {
    if let Some(line) = lines.last_mut() {
        line.push(c);
        *used += c.width().unwrap_or(0);
    }
}

/// The text of inline Markdown.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    for event in Parser::new(&escape::line_start(markdown)) {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    one_line(&text)
}

fn one_line(text: &str) -> String {
    escape::normal(text, true)
}

/// Text in bold, the white space around it plain.
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

    #[test]
    fn inline_markdown_is_read_as_text() {
        assert_eq!(plain("**4.1 ms** of `a_b<c>` \\<x @<!-- -->y"), "4.1 ms of a_b<c> <x @y");
        assert_eq!(plain("1\\. one"), "1. one");
    }
}
