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
    print_row(&header, &widths, &aligns, out)?;
    writeln!(out, "{}", widths.iter().map(|w| "─".repeat(*w)).collect::<Vec<_>>().join(GAP))?;
    table.rows.iter().try_for_each(|row| print_row(row, &widths, &aligns, out))
}

/// The natural width of each column; where the table is wider than the screen, text columns give way, the last first.
fn column_widths(header: &[Cell], table: &Table, aligns: &[Align], width: usize) -> Vec<usize> {
    let natural = |at: usize| {
        let cells = header.get(at).into_iter().chain(table.rows.iter().filter_map(|row| row.get(at)));
        cells.flat_map(|cell| lines(cell).into_iter().map(|line| line.width())).max().unwrap_or(0).max(1)
    };
    let mut widths: Vec<usize> = (0..header.len()).map(natural).collect();
    let total = widths.iter().sum::<usize>() + GAP.len() * header.len().saturating_sub(1);
    let mut excess = total.saturating_sub(width);
    for (w, _) in widths.iter_mut().zip(aligns).rev().filter(|(_, align)| **align == Align::Left) {
        let give = excess.min(w.saturating_sub(NARROWEST));
        *w -= give;
        excess -= give;
    }
    widths
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
                line.push_str(&if cell.strong { bold(&padded) } else { padded });
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

fn lines(cell: &Cell) -> Vec<String> {
    escape::normal(&cell.text, cell.code).split('\n').map(str::to_owned).collect()
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
    let body = text.trim();
    if body.is_empty() { text.to_owned() } else { text.replacen(body, &format!("\x1b[1m{body}\x1b[0m"), 1) }
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
