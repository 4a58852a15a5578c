//! Cuts the text into header, rows and what is neither.
//!
//! ncu's messages and the program's own output stand between the rows, and a cell may hold line breaks, so the text is
//! walked line by line and a record is taken over several lines only where its quotes ask for it.

use std::borrow::Cow;

pub(super) type Cells<'a> = Vec<Cow<'a, str>>;

/// One piece of the text, with its line from 1.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'a> {
    /// The header of a table, and what separates its cells.
    Header(Cells<'a>, u8),
    /// A record below a header, and the text from it on.
    Row(u64, Cells<'a>, &'a str),
    /// `==PROF== ...`, without the line break.
    Message(u64, &'a str),
    /// A line of anything else.
    Other(u64, &'a str),
    /// A record whose quotes are never closed: the text ends inside it.
    Cut(u64),
}

/// Walks the pieces of a text.
pub(super) struct Pieces<'a> {
    rest: &'a str,
    line: u64,
    separator: Option<u8>,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(text: &'a str) -> Pieces<'a> {
        Pieces { rest: text, line: 1, separator: None }
    }

    /// Takes the next `bytes` bytes, and the line break after them, off the text.
    fn advance(&mut self, bytes: usize) {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count() as u64;
        self.rest = rest.strip_prefix('\r').unwrap_or(rest);
        if let Some(rest) = self.rest.strip_prefix('\n') {
            self.rest = rest;
            self.line += 1;
        }
    }
}

/// The separator of a header line: cells that ncu always prints, in the form that ncu or a spreadsheet writes them.
pub(super) fn header_separator(line: &str) -> Option<u8> {
    if !line.contains("Kernel Name") {
        return None;
    }
    b",;\t".iter().copied().find(|separator| {
        let mut cells = line.split(char::from(*separator)).map(|cell| cell.trim().trim_matches('"'));
        let first = cells.next();
        matches!(first, Some("ID" | "Process ID")) && cells.any(|cell| cell == "Kernel Name")
    })
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let (at, text) = (self.line, self.rest);
            let line = text.split('\n').next().unwrap_or(text).trim_end_matches('\r');
            if line.trim().is_empty() {
                self.advance(line.len());
                continue;
            }
            if line.starts_with("==") {
                self.advance(line.len());
                return Some(Piece::Message(at, line));
            }
            if let Some(separator) = header_separator(line) {
                self.separator = Some(separator);
                self.advance(line.len());
                let cells = record(line, separator).map(|(cells, _)| cells).unwrap_or_default();
                return Some(Piece::Header(cells, separator));
            }
            let first = line.as_bytes()[0];
            let Some(separator) = self.separator.filter(|own| first == b'"' || first == *own || first.is_ascii_digit())
            else {
                self.advance(line.len());
                return Some(Piece::Other(at, line));
            };
            return Some(match record(text, separator) {
                Some((cells, bytes)) => {
                    self.advance(bytes);
                    Piece::Row(at, cells, text)
                }
                None => {
                    self.advance(text.len());
                    Piece::Cut(at)
                }
            });
        }
    }
}

/// The cells of the record at the start of `text` and its length without the line break; `None` where a quoted cell does not end.
pub(super) fn record(text: &str, separator: u8) -> Option<(Cells<'_>, usize)> {
    let bytes = text.as_bytes();
    let mut cells = Vec::new();
    let mut at = 0;
    loop {
        if bytes.get(at) == Some(&b'"') {
            let start = at + 1;
            let mut doubled = false;
            let mut end = start;
            loop {
                end += bytes.get(end..)?.iter().position(|byte| *byte == b'"')?;
                if bytes.get(end + 1) != Some(&b'"') {
                    break;
                }
                doubled = true;
                end += 2;
            }
            let cell = &text[start..end];
            cells.push(if doubled { Cow::Owned(cell.replace("\"\"", "\"")) } else { Cow::Borrowed(cell) });
            at = end + 1;
        }
        let stop = |byte: &u8| *byte == separator || *byte == b'\n' || *byte == b'\r';
        let tail = bytes[at..].iter().position(stop).unwrap_or(bytes.len() - at);
        let tail_text = &text[at..at + tail];
        let unquoted = at == 0 || bytes[at - 1] == separator;
        if unquoted {
            cells.push(Cow::Borrowed(tail_text.trim()));
        }
        at += tail;
        if bytes.get(at) != Some(&separator) {
            return Some((cells, at));
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Option<(Vec<String>, usize)> {
        record(text, b',').map(|(cells, bytes)| (cells.iter().map(ToString::to_string).collect(), bytes))
    }

    #[test]
    fn quotes_commas_and_line_breaks_stay_inside_their_cell() {
        let text = "\"0\",\"f<int, \"\"x\"\">(int)\",\"two\nlines\",,\"\"\r\nnext";
        let expected = ["0", "f<int, \"x\">(int)", "two\nlines", "", ""].map(String::from).to_vec();
        assert_eq!(cells(text), Some((expected, text.len() - "\r\nnext".len())));
        assert_eq!(cells("\"0\",\"open"), None);
        assert_eq!(cells("0, a ,"), Some((["0", "a", ""].map(String::from).to_vec(), 6)));
    }
}
