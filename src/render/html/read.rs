//! The finished HTML page, read again: what a browser finds on it must be what went in, and nothing that acts.

use super::page::HtmlPage;
use crate::render::error::RenderError;
use crate::render::gate;
use crate::render::outline::{Grid, Outline};
use crate::view::{Document, escape};

/// Elements that a page may hold.
const ELEMENTS: [&str; 51] = [
    "!doctype",
    "html",
    "head",
    "meta",
    "title",
    "style",
    "script",
    "body",
    "header",
    "main",
    "nav",
    "section",
    "footer",
    "h1",
    "h2",
    "h3",
    "p",
    "a",
    "ul",
    "ol",
    "li",
    "strong",
    "em",
    "del",
    "code",
    "pre",
    "br",
    "div",
    "span",
    "figure",
    "figcaption",
    "details",
    "summary",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "colgroup",
    "col",
    "svg",
    "desc",
    "rect",
    "path",
    "circle",
    "text",
    "small",
    "button",
    "aside",
];

/// Checks a finished page against what went into it.
///
/// # Errors
/// [`RenderError::Rejected`] names the first part that differs or could act.
pub(in crate::render) fn check(html: &str, page: &HtmlPage, document: &Document) -> Result<(), RenderError> {
    let mut expected = Outline::of_document(document);
    expected.images = expected.images.into_iter().map(|(message, _)| (message, "drawn".to_owned())).collect();
    let shown = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
    expected.code = expected.code.into_iter().map(|text| text.chars().map(shown).collect()).collect();
    gate::compare(&expected, &outline(html, page))
}

/// What a browser finds. Scripts other than the page's own, handlers and targets that act are foreign.
fn outline(html: &str, page: &HtmlPage) -> Outline {
    let mut reader = Reader::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        reader.push(&rest[..at]);
        rest = &rest[at + 1..];
        let end = tag_end(rest);
        let tag = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        let name = name_of(tag);
        reader.tag(&name, tag);
        if !tag.starts_with('/') && matches!(name.as_str(), "script" | "style") {
            let close = rest.find(&format!("</{name}")).unwrap_or(rest.len());
            if name == "script" && rest[..close].trim() != page.script.trim() {
                reader.outline.foreign.push("a script that is not the page's own".to_owned());
            }
            rest = &rest[close..];
        }
    }
    reader.outline
}

/// Where a tag ends, quoted attributes skipped.
fn tag_end(rest: &str) -> usize {
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (None, '>') => return at,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    rest.len()
}

fn name_of(tag: &str) -> String {
    tag.trim_start_matches('/')
        .chars()
        .take_while(|c| !c.is_whitespace() && !matches!(c, '/' | '>'))
        .collect::<String>()
        .to_ascii_lowercase()
}

/// The attributes of a tag: (name, value).
fn attributes(tag: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = tag.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.split_whitespace().last().unwrap_or_default().to_ascii_lowercase();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        found.push((name, value.to_owned()));
        rest = next;
    }
    found
}

#[derive(Default)]
struct Reader {
    outline: Outline,
    table: Grid,
    row: Vec<String>,
    /// The text that is collected, and whether it is verbatim.
    open: Option<String>,
    /// Whether a table of the document is open; the source view has tables of its own.
    is_grid: bool,
}

impl Reader {
    fn push(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.push_str(&plain(text));
        }
    }

    fn tag(&mut self, name: &str, tag: &str) {
        if !ELEMENTS.contains(&name) {
            self.outline.foreign.push(format!("the element <{name}>"));
        }
        let given = attributes(tag);
        for (key, value) in &given {
            let is_target = matches!(key.as_str(), "href" | "src" | "xlink:href" | "action" | "formaction");
            if key.starts_with("on")
                || key == "style"
                || is_target && !crate::render::outline::is_safe_target(&plain(value))
            {
                self.outline.foreign.push(format!("the attribute {key}={value:?}"));
            }
        }
        let class =
            |name: &str| given.iter().any(|(key, value)| key == "class" && value.split(' ').any(|one| one == name));
        match (tag.starts_with('/'), name) {
            (false, "table") => {
                self.is_grid = class("grid");
                self.table = Grid::default();
                self.table.name = self.outline.headings.last().cloned().unwrap_or_default();
            }
            (false, "th") if self.is_grid => {
                self.table.right.push(class("number"));
                self.open = Some(String::new());
            }
            (false, "td" | "h1" | "h2" | "h3" | "desc" | "pre") => self.open = Some(String::new()),
            (false, "br") => self.push("\n"),
            (true, "th" | "td") if self.is_grid => self.row.extend(self.open.take()),
            (true, "tr") if self.is_grid && self.table.header.is_empty() => {
                self.table.header = std::mem::take(&mut self.row);
            }
            (true, "tr") if self.is_grid => self.table.rows.push(std::mem::take(&mut self.row)),
            (true, "table") if self.is_grid => {
                self.outline.tables.push(std::mem::take(&mut self.table));
                self.is_grid = false;
            }
            (true, "h1" | "h2" | "h3") => self.outline.headings.extend(self.open.take()),
            (true, "pre") => self.outline.code.extend(self.open.take()),
            (true, "desc") => {
                let message = self.open.take().map(|text| (escape::normal(&text, true), "drawn".to_owned()));
                self.outline.images.extend(message);
            }
            (true, "td") => self.open = None,
            _ => {}
        }
    }
}

/// Text without its references.
fn plain(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    text.replace("&#10;", "\n").replace("&amp;", "&")
}
