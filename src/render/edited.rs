//! Pages that people edit: generated blocks between markers, and everything else as its author left it.
//!
//! A block is what stands between the lines `<!-- audit:begin ID HASH -->` and `<!-- audit:end ID -->`; the hash is of its
//! content, so that an edit inside a block is noticed. Markers are comments of their own as a Markdown parser sees them:
//! inside verbatim text they are text.

use super::error::RenderError;
use pulldown_cmark::{Event, Parser};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

const BEGIN: &str = "<!-- audit:begin ";
const END: &str = "<!-- audit:end ";
const CLOSE: &str = " -->";
/// The block of the title and the lines under it.
const LEAD: &str = "lead";

/// A generated block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    id: String,
    hash: String,
    /// From the first byte of the begin marker to the end of the line of the end marker.
    whole: Range<usize>,
    /// What the markers enclose.
    content: Range<usize>,
    /// Line of the begin marker, from 1.
    line: usize,
}

/// Puts markers around the title and around each section of a finished page, whose sections begin where `sections` says.
pub fn marked(page: &str, sections: &[(usize, String)]) -> String {
    let mut cuts: Vec<(usize, &str)> = vec![(0, LEAD)];
    cuts.extend(sections.iter().map(|(at, name)| (*at, name.as_str())));
    let mut out = String::with_capacity(page.len() + 100 * cuts.len());
    for (position, (at, id)) in cuts.iter().enumerate() {
        let until = cuts.get(position + 1).map_or(page.len(), |(next, _)| *next);
        let content = format!("{}\n", page[*at..until].trim_end_matches('\n'));
        let _ = write!(out, "{BEGIN}{id} {}{CLOSE}\n{content}{END}{id}{CLOSE}\n", hash(&content));
        if position + 1 < cuts.len() {
            out.push('\n');
        }
    }
    out
}

/// The page that takes the place of `existing`: its prose byte for byte, and the blocks of `page`, which is marked. Blocks
/// that `page` does not have go; new ones stand before the block that follows them.
///
/// # Errors
/// Markers that are damaged, doubled or nested; a block that was edited by hand, or a file without any block, unless
/// `force` is set.
pub fn merged(path: &Path, existing: &str, page: &str, force: bool) -> Result<String, RenderError> {
    let fail = |line: usize, what: String, cure: &str| RenderError::Edited {
        path: path.to_owned(),
        line,
        what,
        cure: cure.to_owned(),
    };
    if existing == page {
        return Ok(existing.to_owned());
    }
    let repair = "repair the markers, or move the file away and generate anew";
    let old = blocks(existing).map_err(|(line, what)| fail(line, what, repair))?;
    let new = blocks(page).map_err(|(line, what)| fail(line, what, repair))?;
    if old.is_empty() && !existing.trim().is_empty() {
        if force {
            return Ok(page.to_owned());
        }
        return Err(fail(
            1,
            "it holds no generated block, so all of it may be someone's own text".into(),
            "move it away, or overwrite it with --force",
        ));
    }
    for block in &old {
        if !force && hash(&existing[block.content.clone()]) != block.hash {
            let what = format!("the generated block {:?} was edited by hand", block.id);
            return Err(fail(block.line, what, "move the edit outside of the markers, or overwrite it with --force"));
        }
    }
    let mut out = String::with_capacity(existing.len() + page.len());
    let mut pending = new.iter().peekable();
    let mut at = 0;
    for block in &old {
        out.push_str(&existing[at..block.whole.start]);
        at = block.whole.end;
        let Some(position) = new.iter().position(|other| other.id == block.id) else { continue };
        // Blocks that come before this one on the new page and that the old one does not have.
        while let Some(other) = pending.next_if(|other| other.whole.start < new[position].whole.start) {
            if !old.iter().any(|known| known.id == other.id) {
                out.push_str(&page[other.whole.clone()]);
                out.push('\n');
            }
        }
        out.push_str(&page[new[position].whole.clone()]);
    }
    out.push_str(&existing[at..]);
    for other in pending.filter(|other| !old.iter().any(|known| known.id == other.id)) {
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
        }
        out.push_str(&page[other.whole.clone()]);
    }
    if out == page {
        return Ok(out);
    }
    check(&out, &new, page).map_err(|(line, what)| fail(line, what, repair))?;
    Ok(out)
}

/// Every new block must be read from the merged page as it was written.
fn check(out: &str, new: &[Block], page: &str) -> Result<(), (usize, String)> {
    let found = blocks(out)?;
    for block in new {
        let same = |other: &&Block| other.id == block.id && out[other.content.clone()] == page[block.content.clone()];
        if !found.iter().any(|other| same(&other)) {
            return Err((block.line, format!("the text around the block {:?} swallows it", block.id)));
        }
    }
    Ok(())
}

/// The blocks of a page in order, or the line and what is wrong there.
fn blocks(text: &str) -> Result<Vec<Block>, (usize, String)> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(String, String, Range<usize>, usize)> = None;
    for (range, inline) in comments(text) {
        let line = 1 + text[..range.start].bytes().filter(|b| *b == b'\n').count();
        let marker = text[range.clone()].trim_end();
        if !marker.starts_with("<!-- audit:") {
            continue;
        }
        let starts_line = range.start == 0 || text.as_bytes()[range.start - 1] == b'\n';
        if inline || !starts_line {
            return Err((line, format!("a marker has to stand alone on its line: {marker}")));
        }
        let body = |start: &str| marker.strip_prefix(start).and_then(|rest| rest.strip_suffix(CLOSE));
        let after = text[range.start..].find('\n').map_or(text.len(), |end| range.start + end + 1);
        if let Some((id, stated)) = body(BEGIN).and_then(|rest| rest.split_once(' ')) {
            if let Some((other, ..)) = &open {
                return Err((line, format!("the block {id:?} begins inside the block {other:?}")));
            }
            if found.iter().any(|block| block.id == id) {
                return Err((line, format!("the block {id:?} is there twice")));
            }
            open = Some((id.to_owned(), stated.to_owned(), range.start..after, line));
        } else if let Some(id) = body(END) {
            match open.take() {
                Some((begun, hash, begin, line)) if begun == id => found.push(Block {
                    id: begun,
                    hash,
                    whole: begin.start..after,
                    content: begin.end..range.start,
                    line,
                }),
                Some((begun, ..)) => {
                    return Err((line, format!("expected the end of the block {begun:?}, found {id:?}")));
                }
                None => return Err((line, format!("the block {id:?} ends and never began"))),
            }
        } else {
            return Err((line, format!("this is no marker that this program writes: {marker}")));
        }
    }
    match open {
        Some((id, _, _, line)) => Err((line, format!("the block {id:?} has no end"))),
        None => Ok(found),
    }
}

/// Lines of raw HTML that hold a marker, with whether they stand inside a paragraph.
fn comments(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(text, super::outline::options()).into_offset_iter() {
        let inline = matches!(event, Event::InlineHtml(_));
        if !inline && !matches!(event, Event::Html(_)) {
            continue;
        }
        let mut at = range.start;
        for line in text[range].split_inclusive('\n') {
            if let Some(offset) = line.find("<!-- audit:") {
                found.push((at + offset..at + line.len(), inline));
            }
            at += line.len();
        }
    }
    found
}

/// The first 16 hexadecimal digits of the SHA-256 of a block, whatever line ends version control gave it.
fn hash(content: &str) -> String {
    let digest = match content.contains('\r') {
        true => Sha256::digest(content.replace("\r\n", "\n")),
        false => Sha256::digest(content),
    };
    digest.iter().take(8).fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
