//! Pages that people edit: generated blocks between markers, and everything else as its author left it.
//!
//! A block is what stands between the markers `<!-- audit:begin ID HASH -->` and `<!-- audit:end ID -->`; the hash is of its
//! content, so that an edit inside a block is noticed. The author's block stands between `<!-- audit:human HASH -->` and
//! `<!-- audit:human end -->`: what the program drafted until its content no longer has that hash, and the author's from
//! then on. A marker stands alone on its line, but that the end of a block and the begin of the next share one where nobody
//! wrote between them. Markers are comments of their own as a Markdown parser sees them: inside verbatim text they are text.

use super::error::RenderError;
use super::sink::loose;
use crate::merge::{OURS, is_unmerged};
use crate::view::CONCLUSIONS;
use pulldown_cmark::{Event, Parser};
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

const BEGIN: &str = "<!-- audit:begin ";
const END: &str = "<!-- audit:end ";
const CLOSE: &str = " -->";
const HUMAN_BEGIN: &str = "<!-- audit:human";
const HUMAN_END: &str = "<!-- audit:human end -->";
/// The id of the author's block.
const HUMAN: &str = "human";
/// What begins the words that a page carries from an earlier one.
const FROM: &str = "*From ";
/// The block of the title and the lines under it.
const LEAD: &str = "lead";

#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    id: String,
    hash: String,
    /// From the first byte of the begin marker to the last of the end marker.
    whole: Range<usize>,
    /// What the markers enclose.
    content: Range<usize>,
    /// Line of the begin marker, from 1.
    line: usize,
}

impl Block {
    /// Whether it is the author's block, and no longer the program's draft.
    fn is_authored(&self, page: &str) -> bool {
        self.id == HUMAN && hash(&page[self.content.clone()]) != self.hash
    }
}

/// What the author of a page wrote in the place of the program's draft, without its heading.
pub(crate) fn authored(page: &str) -> Option<&str> {
    let block = blocks(page).ok()?.into_iter().find(|block| block.is_authored(page))?;
    let text = page[block.content].trim_start();
    Some(if text.starts_with("## ") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text })
}

/// The page with what the author of an earlier one wrote in its author's block, under the `day` of that page, or the one that
/// stands over the words already; `None` where nobody wrote. What the program drafted stays that of this page.
pub(crate) fn carried(page: &str, earlier: &str, day: &str) -> Option<String> {
    let theirs = blocks(earlier).ok()?.into_iter().find(|block| block.is_authored(earlier))?;
    let own = blocks(page).ok()?.into_iter().find(|block| block.id == HUMAN)?;
    let draft = page[own.content.clone()].trim();
    let is_same = |one: &str, other: &str| loose(one) == loose(other.trim_end());
    let is_drafted = |line: &str| !line.trim().is_empty() && draft.lines().any(|drafted| is_same(drafted, line));
    let content = &earlier[theirs.content.clone()];
    let text: String = content.split_inclusive('\n').filter(|line| !is_drafted(line)).collect();
    let (heading, text) = match text.trim_start().split_once('\n').filter(|(first, _)| first.starts_with("## ")) {
        Some((heading, text)) => (format!("{heading}\n"), text),
        None => (String::new(), text.as_str()),
    };
    let said = match text.lines().any(|line| line.starts_with(FROM)) || text.trim().is_empty() {
        true => text.to_owned(),
        false => format!("{FROM}{day}.*\n\n{text}"),
    };
    let draft = match (draft.is_empty(), text.trim().is_empty()) {
        (true, _) => String::new(),
        (false, true) => return None,
        (false, false) => format!("{draft}\n\n"),
    };
    let begin = &earlier[theirs.whole.start..theirs.content.start];
    let end = &earlier[theirs.content.end..theirs.whole.end];
    Some(format!("{}{begin}{draft}{heading}{said}{end}{}", &page[..own.whole.start], &page[own.whole.end..]))
}

/// Puts markers around the title and around each section of a finished page, whose sections begin where `sections` says.
pub fn marked(page: &str, sections: &[(usize, String)]) -> String {
    let mut cuts: Vec<(usize, &str)> = vec![(0, LEAD)];
    cuts.extend(sections.iter().map(|(at, name)| (*at, name.as_str())));
    let mut out = String::with_capacity(page.len() + 100 * cuts.len());
    for (position, (at, id)) in cuts.iter().enumerate() {
        let until = cuts.get(position + 1).map_or(page.len(), |(next, _)| *next);
        let content = page[*at..until].trim_end_matches('\n');
        // Raw HTML goes on to the next empty line, and would take the marker and the heading behind it.
        let is_html = content.rsplit('\n').next().is_some_and(|last| last.starts_with('<'));
        let content = format!("{content}{}", if is_html { "\n\n" } else { "\n" });
        let _ = match *id {
            CONCLUSIONS => write!(out, "{HUMAN_BEGIN} {}{CLOSE}\n{content}{HUMAN_END}", hash(&content)),
            id => write!(out, "{BEGIN}{id} {}{CLOSE}\n{content}{END}{id}{CLOSE}", hash(&content)),
        };
    }
    out.push('\n');
    out
}

/// Whether the generated blocks of a page are as they were written; the author's own may be anything. Errors: markers
/// that are damaged, doubled or nested, or a block that was edited by hand.
pub(crate) fn intact(path: &Path, page: &str) -> Result<(), RenderError> {
    let cure = "generate the page again with --force, or restore it from version control";
    let fail = |line: usize, what: String| RenderError::edited(path, line, what, cure);
    is_one(path, page)?;
    let all = blocks(page).map_err(|(line, what)| fail(line, what))?;
    let is_edited = |block: &&Block| block.id != HUMAN && hash(&page[block.content.clone()]) != block.hash;
    match all.iter().find(is_edited) {
        Some(block) => Err(fail(block.line, format!("the generated block {:?} was edited by hand", block.id))),
        None => Ok(()),
    }
}

/// The name of the first block of a marked page that another one does not have, or with other words, and whether it has it;
/// the author's own may say anything.
pub(crate) fn otherwise(page: &str, whole: &str) -> Option<(String, bool)> {
    let held = blocks(page).unwrap_or_default();
    blocks(whole).unwrap_or_default().into_iter().find_map(|block| {
        let own = held.iter().find(|own| own.id == block.id);
        let is_same = own.is_some_and(|own| own.hash == block.hash || block.id == HUMAN);
        (!is_same).then_some((block.id, own.is_some()))
    })
}

/// The page that takes the place of `existing`: the blocks of `page`, which is marked, in its order, and the prose of
/// `existing` byte for byte, each piece behind the block that it stood behind. Blocks that `page` does not have go;
/// what was written behind one goes on behind the block before it. Errors: markers that are damaged, doubled or nested;
/// a block that was edited by hand, or a file without any block, unless `force` is set.
pub fn merged(path: &Path, existing: &str, page: &str, force: bool) -> Result<String, RenderError> {
    let fail = |line: usize, what: String, cure: &str| RenderError::edited(path, line, what, cure);
    if existing == page {
        return Ok(existing.to_owned());
    }
    is_one(path, existing)?;
    let repair = "repair the markers, or move the file away and generate anew";
    let old = blocks(existing).map_err(|(line, what)| fail(line, what, repair))?;
    let new = blocks(page).map_err(|(line, what)| fail(line, what, repair))?;
    if let Some((line, id)) = swallowed(existing, &old) {
        let what = format!("the generated block {id:?} is inside verbatim text or another comment");
        return Err(fail(line, what, "close the fence (```, ~~~) or the comment that is open above it"));
    }
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
        if !force && block.id != HUMAN && hash(&existing[block.content.clone()]) != block.hash {
            let what = format!("the generated block {:?} was edited by hand", block.id);
            return Err(fail(block.line, what, "move the edit outside of the markers, or overwrite it with --force"));
        }
    }
    let mut prose = Prose::of(existing, &old, |id| new.iter().any(|block| block.id == id));
    let mut out = String::with_capacity(existing.len() + page.len());
    out.push_str(&prose.head);
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    for (position, block) in new.iter().enumerate() {
        let is_last = position + 1 == new.len();
        let authored = old.iter().find(|other| other.id == block.id && other.is_authored(existing));
        out.push_str(authored.map_or(&page[block.whole.clone()], |own| &existing[own.whole.clone()]));
        match prose.behind.remove(block.id.as_str()).filter(|written| !written.is_empty()) {
            Some(written) => {
                out.push_str(if written.starts_with(['\n', '\r']) { "" } else { "\n" });
                out.push_str(&written);
                if !is_last {
                    part(&mut out);
                }
            }
            None if is_last => out.push('\n'),
            None => {}
        }
    }
    if out == page {
        return Ok(out);
    }
    check(&out, &new, page).map_err(|(line, what)| fail(line, what, repair))?;
    Ok(out)
}

/// Errors: a page that a merge left with both sides.
fn is_one(path: &Path, page: &str) -> Result<(), RenderError> {
    let Some(at) = page.lines().position(|line| line.starts_with(OURS)).filter(|_| is_unmerged(page.as_bytes())) else {
        return Ok(());
    };
    let cure = "`audit resolve` keeps the audits of both";
    Err(RenderError::edited(path, at + 1, "a merge stopped in it and left both sides", cure))
}

/// What people wrote on a page.
struct Prose<'p> {
    /// In front of the first block.
    head: String,
    /// Behind a block that stays, by its id; white space alone is none.
    behind: FxHashMap<&'p str, String>,
}

impl<'p> Prose<'p> {
    fn of(page: &'p str, blocks: &'p [Block], stays: impl Fn(&str) -> bool) -> Prose<'p> {
        let upto = |at: usize| blocks.get(at).map_or(page.len(), |block| block.whole.start);
        let text = |range: Range<usize>| if page[range.clone()].trim().is_empty() { "" } else { &page[range] };
        let mut prose = Prose { head: text(0..upto(0)).to_owned(), behind: FxHashMap::default() };
        let mut last = None;
        let mut homeless = String::new();
        for (at, block) in blocks.iter().enumerate() {
            if stays(&block.id) {
                last = Some(block.id.as_str());
            }
            // What an author concluded is prose on a page that has no place for it.
            let kept = if !stays(&block.id) && block.is_authored(page) { block.whole.start } else { block.whole.end };
            let written = text(kept..upto(at + 1));
            match last {
                Some(id) => prose.behind.entry(id).or_default().push_str(written),
                None => homeless.push_str(written),
            }
        }
        match blocks.iter().find(|block| stays(&block.id)) {
            Some(first) => prose.behind.entry(first.id.as_str()).or_default().insert_str(0, &homeless),
            None => prose.head.push_str(&homeless),
        }
        prose
    }
}

/// An empty line at the end of a text, where there is none.
fn part(out: &mut String) {
    if !out.ends_with("\n\n") {
        out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
    }
}

/// Every new block must be read from the merged page as it was written.
fn check(out: &str, new: &[Block], page: &str) -> Result<(), (usize, String)> {
    let found = blocks(out)?;
    for block in new.iter().filter(|block| block.id != HUMAN) {
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
        let starts_line = range.start == 0 || text.as_bytes()[range.start - 1] == b'\n';
        let follows_end = open.is_none() && found.last().is_some_and(|last| last.whole.end == range.start);
        if inline || !(starts_line || follows_end) {
            return Err((line, format!("a marker has to stand alone on its line: {marker}")));
        }
        let body = |start: &str| marker.strip_prefix(start).and_then(|rest| rest.strip_suffix(CLOSE));
        let until = range.start + marker.len();
        let after = text[until..].find('\n').map_or(text.len(), |end| until + end + 1);
        let human = (marker != HUMAN_END).then(|| body(HUMAN_BEGIN)).flatten().map(|stated| (HUMAN, stated.trim()));
        let end = if marker == HUMAN_END { Some(HUMAN) } else { body(END) };
        if let Some((id, stated)) = human.or_else(|| body(BEGIN)?.split_once(' ')) {
            if let Some((other, ..)) = &open {
                return Err((line, format!("the block {id:?} begins inside the block {other:?}")));
            }
            if found.iter().any(|block| block.id == id) {
                return Err((line, format!("the block {id:?} is there twice")));
            }
            open = Some((id.to_owned(), stated.to_owned(), range.start..after, line));
        } else if let Some(id) = end {
            match open.take() {
                Some((begun, hash, begin, line)) if begun == id => found.push(Block {
                    id: begun,
                    hash,
                    whole: begin.start..until,
                    content: begin.end..range.start,
                    line,
                }),
                Some((begun, ..)) => {
                    return Err((line, format!("expected the end of the block {begun:?}, found {id:?}")));
                }
                None => return Err((line, format!("the block {id:?} ends and never began"))),
            }
        } else {
            return Err((line, format!("this is not a marker that this program writes: {marker}")));
        }
    }
    match open {
        Some((id, _, _, line)) => Err((line, format!("the block {id:?} has no end"))),
        None => Ok(found),
    }
}

/// A block that is whole, with the content that its hash says, and that a parser does not see as one: something above it
/// takes it for its own text. Gives its line and its name.
fn swallowed<'t>(text: &'t str, seen: &[Block]) -> Option<(usize, &'t str)> {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let (start, after) = (at, at + line.len());
        at = after;
        // The begin of a block may stand behind the end of the one before it.
        let Some(begin) = line.find(BEGIN).filter(|begin| *begin == 0 || line.starts_with(END)) else { continue };
        let Some(body) = line[begin..].trim_end().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(CLOSE)) else {
            continue;
        };
        let Some((id, stated)) = body.split_once(' ') else { continue };
        if seen.iter().any(|block| block.whole.start == start + begin) {
            continue;
        }
        let end = text[after..].find(&format!("{END}{id}{CLOSE}"));
        if end.is_some_and(|end| hash(&text[after..after + end]) == stated) {
            return Some((number + 1, id));
        }
    }
    None
}

/// Markers in raw HTML, each with what stands behind it on its line up to the next one, and with whether they stand inside
/// a paragraph.
fn comments(text: &str) -> Vec<(Range<usize>, bool)> {
    const MARKER: &str = "<!-- audit:";
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(text, super::outline::options()).into_offset_iter() {
        let inline = matches!(event, Event::InlineHtml(_));
        if !inline && !matches!(event, Event::Html(_)) {
            continue;
        }
        let mut at = range.start;
        for line in text[range].split_inclusive('\n') {
            let starts: Vec<usize> = line.match_indices(MARKER).map(|(start, _)| start).collect();
            for (nth, start) in starts.iter().enumerate() {
                let until = starts.get(nth + 1).copied().unwrap_or(line.len());
                found.push((at + start..at + until, inline));
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
    format!("{digest:x}")[..16].to_owned()
}
