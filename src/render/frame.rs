//! The frame of a page, which a template prints, and the parts of the document that it places.
//!
//! Handlebars sees names alone: where a template places a section or a block it prints a mark, and the parts are put in
//! when it is done, as the walk of the medium writes them. So no part passes through a template, and what was placed is
//! known to the gate.

use super::error::RenderError;
use super::gate::reject;
use super::lint::{text_of, unknown_part};
use super::outline::Outline;
use super::sink::one_line;
use super::{escape, html, markdown};
use crate::bounds::PAGE;
use crate::view::{Block, CONCLUSIONS, Content, Document, Section, SourceText};
use handlebars::{
    Context, Handlebars, Helper, HelperDef, HelperResult, Output, PathAndJson, RenderContext, RenderErrorReason,
    Renderable,
};
use serde_json::{Value, json};

/// Opens and closes a mark; no text of a page holds it.
const MARK: char = '\0';
/// Levels of a heading that a template asks for; of none, that of a section.
const LEVELS: [&str; 7] = ["", "1", "2", "3", "4", "5", "6"];
/// What ends a table or a fold.
const BREAKS: &str = "\n\n";
/// Parts the fields of a mark.
const FIELD: char = '\u{1}';

/// What a page is written in.
#[derive(Clone, Copy)]
pub(super) enum Medium<'a> {
    Markdown,
    /// HTML with a source view.
    Html(&'a SourceText),
}

pub(super) fn data(document: &Document, medium: Medium<'_>) -> Value {
    match medium {
        Medium::Markdown => {
            let section = |own: &Section| json!({"id": id(&own.name, medium), "title": escape::heading(&own.title)});
            json!({
                "title": escape::heading(&document.title),
                "lead": markdown::lead(document),
                "sections": document.sections.iter().map(section).collect::<Vec<_>>(),
                "details": document.details.iter().map(section).collect::<Vec<_>>(),
            })
        }
        Medium::Html(source) => {
            let entry = |name: &str, title: &str| json!({"id": id(name, medium), "title": html::line(title)});
            let all = |sections: &[Section]| -> Vec<Value> {
                sections.iter().map(|own| entry(&own.name, &own.title)).collect()
            };
            let mut details = all(&document.details);
            details.extend((!source.note.is_empty()).then(|| entry(html::SOURCE.0, html::SOURCE.1)));
            json!({
                "title": html::line(&document.title),
                "lead": html::lead(document),
                "sections": all(&document.sections),
                "details": details,
                "style": html::style(),
                "script": html::SCRIPT,
                "policy": html::policy(),
            })
        }
    }
}

fn id(name: &str, medium: Medium<'_>) -> String {
    match medium {
        Medium::Markdown => one_line(name),
        Medium::Html(_) => html::line(name),
    }
}

pub(super) fn register(registry: &mut Handlebars<'_>) {
    registry.register_helper("section", Box::new(SectionHelper));
    registry.register_helper("block", Box::new(block_helper));
}

fn mark(fields: &[&str]) -> String {
    format!("{MARK}{}{MARK}", fields.join(&FIELD.to_string()))
}

/// `{{section "stalls" title="…" level=3}}` places a section; `{{#section "stalls"}}…{{/section}}` prints what stands
/// between where the page has it.
struct SectionHelper;

impl HelperDef for SectionHelper {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let name = given(helper.param(0));
        let data = context.data();
        let mut here = [&data["sections"], &data["details"]].into_iter().filter_map(Value::as_array).flatten();
        let is_here = here.any(|section| section["id"] == name.as_str());
        if let Some(what) = unknown_part("section", &name).filter(|_| !is_here) {
            return Err(RenderErrorReason::Other(what).into());
        }
        if let Some(inner) = helper.template() {
            if is_here {
                out.write(&mark(&["begin", &name]))?;
                inner.render(registry, context, render, out)?;
            }
            return Ok(());
        }
        let level = given(helper.hash_get("level"));
        if !LEVELS.contains(&level.as_str()) {
            let what = format!("level={level}: expected the level of a heading, 1 to 6");
            return Err(RenderErrorReason::Other(what).into());
        }
        Ok(out.write(&mark(&["section", &name, &level, &given(helper.hash_get("title"))]))?)
    }
}

/// `{{block "stalls.issue"}}` places the blocks of that name.
fn block_helper(
    helper: &Helper<'_>,
    _: &Handlebars<'_>,
    _: &Context,
    _: &mut RenderContext<'_, '_>,
    out: &mut dyn Output,
) -> HelperResult {
    let name = given(helper.param(0));
    match unknown_part("block", &name) {
        Some(what) => Err(RenderErrorReason::Other(what).into()),
        None => Ok(out.write(&mark(&["block", &name]))?),
    }
}

fn given(value: Option<&PathAndJson<'_>>) -> String {
    value.map(|value| text_of(value.value())).unwrap_or_default()
}

#[derive(Default)]
pub(super) struct Placed {
    pub(super) text: String,
    pub(super) sections: Vec<(usize, String)>,
    /// What a reader must find on the page, in this order.
    pub(super) expected: Outline,
    /// Ends of lines that are missing to a blank line behind a table in Markdown.
    breaks: usize,
}

/// Puts the parts into a printed frame. Errors: a section that is placed twice, or a part of an HTML page where a
/// browser shows none.
pub(super) fn place(frame: &str, document: &Document, medium: Medium<'_>) -> Result<Placed, RenderError> {
    let mut page = Placed::default();
    let (mut between, mut own) = (String::new(), String::new());
    for (at, part) in frame.split(MARK).enumerate() {
        if at % 2 == 0 {
            between.push_str(part);
            own.push_str(part);
            continue;
        }
        if page.text.len() > PAGE {
            let expected = format!("at most {PAGE} bytes");
            return reject("the page".to_owned(), &expected, "a template that places its blocks over and over");
        }
        let mut fields = part.split(FIELD);
        let mut field = || fields.next().unwrap_or_default();
        let (kind, name) = (field(), field());
        if matches!((medium, kind), (Medium::Html(_), "block" | "section")) {
            if let Some(open) = html::unshown(&own) {
                return reject(format!("{kind} {name:?}"), "a place that a browser shows", &open);
            }
            own.clear();
        }
        let section = |name: &str| document.every_section().find(|section| id(&section.name, medium) == name);
        match kind {
            "block" => {
                let (of, block) = name.split_once('.').unwrap_or((name, ""));
                let blocks = section(of).map(|section| named(&section.blocks, block)).unwrap_or_default();
                page.expected.add(blocks.iter().copied());
                let last = blocks.last().copied();
                let blocks = match medium {
                    Medium::Markdown => markdown::blocks(blocks),
                    Medium::Html(_) => html::blocks(blocks),
                };
                page.put(&mut between, &blocks, last, medium);
            }
            "section" => {
                let (level, title) = (field().parse().unwrap_or(2), field());
                let text = match (section(name), medium) {
                    (Some(section), medium) => {
                        let title = if title.is_empty() { &section.title } else { title };
                        if !section.blocks.is_empty() {
                            page.expected.heading(title);
                        }
                        page.expected.add(&section.blocks);
                        match medium {
                            // What is empty is its marks, for the author to write between.
                            Medium::Markdown if section.blocks.is_empty() => String::new(),
                            Medium::Markdown => {
                                let (title, blocks) = (escape::heading(title), markdown::blocks(&section.blocks));
                                format!("{} {title}\n{blocks}", "#".repeat(level)).trim_end().to_owned()
                            }
                            Medium::Html(_) => {
                                let is_detail = document.details.iter().any(|detail| detail.name == section.name);
                                html::section(section, title, is_detail)
                            }
                        }
                    }
                    (None, Medium::Html(source)) if name == html::SOURCE.0 => {
                        html::source_view(source).unwrap_or_default()
                    }
                    (None, _) => String::new(),
                };
                if !text.is_empty() || name == CONCLUSIONS && matches!(medium, Medium::Markdown) {
                    page.begin(&mut between, name, medium)?;
                    let last = section(name).and_then(|section| section.blocks.last());
                    page.put(&mut between, &text, last, medium);
                }
            }
            _ => page.begin(&mut between, name, medium)?,
        }
    }
    page.close(&mut between, medium);
    if matches!(medium, Medium::Markdown) {
        page.expected.own(&own);
    }
    page.text.truncate(page.text.trim_end().len());
    page.text.push('\n');
    Ok(page)
}

/// The blocks of a name, those in folds only where none stands outside.
fn named<'d>(blocks: &'d [Block], name: &str) -> Vec<&'d Block> {
    let here: Vec<&Block> = blocks.iter().filter(|block| block.name == name).collect();
    if !here.is_empty() {
        return here;
    }
    let folded = blocks.iter().filter_map(|block| match &block.content {
        Content::Fold { blocks, .. } => Some(named(blocks, name)),
        _ => None,
    });
    folded.flatten().collect()
}

impl Placed {
    /// Adds what the template printed since the last part. In Markdown, parts that the page does not have leave no
    /// empty lines behind.
    fn close(&mut self, between: &mut String, medium: Medium<'_>) {
        let mut text = std::mem::take(between);
        if matches!(medium, Medium::Markdown) {
            while text.contains("\n\n\n") {
                text = text.replace("\n\n\n", "\n\n");
            }
            if self.text.is_empty() {
                text = text.trim_start_matches('\n').to_owned();
            }
        }
        self.push(&text);
    }

    /// Adds a part whose last block is given.
    fn put(&mut self, between: &mut String, text: &str, last: Option<&Block>, medium: Medium<'_>) {
        if !text.is_empty() {
            self.close(between, medium);
            self.push(text);
            // A table and the HTML of a fold go on to the next blank line.
            let goes_on = last.is_some_and(|block| matches!(block.content, Content::Table(_) | Content::Fold { .. }));
            self.breaks = if goes_on && matches!(medium, Medium::Markdown) { BREAKS.len() } else { 0 };
        }
    }

    /// Adds text, behind a table or a fold after a blank line: in a row it would be one cell more, which no reader sees, on the next
    /// line a row, and behind a fold HTML.
    fn push(&mut self, text: &str) {
        let own = text.trim_start_matches([' ', '\t']);
        let rest = own.trim_start_matches('\n');
        let missing = self.breaks.saturating_sub(own.len() - rest.len());
        if missing > 0 && !rest.is_empty() {
            self.text.push_str(&BREAKS[..missing]);
            self.text.push_str(own);
        } else {
            self.text.push_str(text);
        }
        self.breaks = if rest.is_empty() { missing } else { 0 };
    }

    fn begin(&mut self, between: &mut String, name: &str, medium: Medium<'_>) -> Result<(), RenderError> {
        self.close(between, medium);
        if self.sections.iter().any(|(_, known)| known == name) {
            return reject(format!("section {name:?}"), "one place", "the template places it twice");
        }
        self.sections.push((self.text.len(), name.to_owned()));
        Ok(())
    }
}
