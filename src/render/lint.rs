//! The names in templates, looked at before they are used: each must be one that pages have.
//!
//! Handlebars' strict mode fails on an unknown name only where it is printed; a name under an `{{#if}}`, of a section or
//! of a block would silently leave its part out.

use super::error::RenderError;
use crate::bounds::{INCLUDES, LOOPS, TEMPLATE_DEPTH};
use crate::nearest::did_you_mean;
use crate::view::names;
use handlebars::Path;
use handlebars::template::{BlockParam, DecoratorTemplate, HelperTemplate, Parameter, Template, TemplateElement};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the names of templates of HTML end in.
pub(super) const HTML: &str = ".html";

/// The names of a page's data, with what each stands for; the last three are of HTML alone.
pub(super) const FIELDS: [(&str, &str); 8] = [
    ("title", "title of the page; inside {{#each sections}} that of the section"),
    ("lead", "the lines under the title"),
    ("sections", "the sections of the page, in order"),
    ("details", "the sections with everything else that is known"),
    ("id", "name of a section, inside {{#each sections}} or {{#each details}}"),
    ("style", "what goes into <style>"),
    ("script", "what goes into <script>"),
    ("policy", "content security policy for the head"),
];
/// How many of [`FIELDS`] a page of Markdown has.
const OF_MARKDOWN: usize = 5;
/// Helpers that a template may call.
const HELPERS: [&str; 11] = ["section", "block", "if", "unless", "each", "with", "eq", "ne", "and", "or", "not"];
/// What they take by name.
const PARAMETERS: [&str; 3] = ["title", "level", "includeZero"];
/// Names that a loop defines.
const LOOP_NAMES: [&str; 4] = ["index", "first", "last", "key"];

/// Whether a template is only meant to be included by others.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with("partials/")
}

pub(super) fn is_html(name: &str) -> bool {
    name.ends_with(HTML)
}

/// The first fault of each template, in the order of their names.
pub(super) fn faults(templates: &BTreeMap<String, Template>) -> Vec<RenderError> {
    let fault = |(name, template): (&String, &Template)| {
        let mut names = Names { templates, template: name, at: (1, 1), given: BTreeSet::new() };
        names.of(template).err()
    };
    let faults: Vec<RenderError> = templates.iter().filter_map(fault).collect();
    if !faults.is_empty() {
        return faults;
    }
    let mut known = BTreeMap::new();
    let endless = templates.keys().find_map(|name| printed(templates, name, &mut Vec::new(), &mut known).err());
    if let Some(fault) = endless {
        return vec![fault];
    }
    let mut known = BTreeMap::new();
    let deep = templates.iter().find(|(name, template)| loops(templates, name, template, &mut known) > LOOPS);
    let fault = |(name, _): (&String, _)| {
        let what = format!("at most {LOOPS} loops ({{{{#each}}}}) stand in one another, those of partials counted");
        RenderError::template(name, (1, 1), what)
    };
    deep.map(fault).into_iter().collect()
}

/// The loops of a template that stand in one another, where no partials include each other.
fn loops<'t>(
    templates: &'t BTreeMap<String, Template>,
    name: &'t str,
    template: &'t Template,
    known: &mut BTreeMap<&'t str, usize>,
) -> usize {
    if let Some(depth) = known.get(name) {
        return *depth;
    }
    let depth = loops_of(templates, template, known);
    known.insert(name, depth);
    depth
}

fn loops_of<'t>(
    templates: &'t BTreeMap<String, Template>,
    template: &'t Template,
    known: &mut BTreeMap<&'t str, usize>,
) -> usize {
    let mut deepest = 0;
    for element in &template.elements {
        let depth = match element {
            TemplateElement::PartialExpression(include) | TemplateElement::PartialBlock(include) => {
                let part = partial_of(include).and_then(|name| templates.get_key_value(name));
                part.map_or(0, |(name, part)| loops(templates, name, part, known))
            }
            TemplateElement::HelperBlock(block) => {
                let inner = block.template.iter().chain(&block.inverse);
                let inner = inner.map(|inner| loops_of(templates, inner, known)).max().unwrap_or(0);
                inner + usize::from(block.name.as_name() == Some("each"))
            }
            _ => 0,
        };
        deepest = deepest.max(depth);
    }
    deepest
}

/// How many templates one prints, itself and those in partials counted. Errors: partials that include each other, which
/// never end, are too deep in one another, or too many to end in reasonable time.
fn printed<'t>(
    templates: &'t BTreeMap<String, Template>,
    name: &'t str,
    open: &mut Vec<&'t str>,
    known: &mut BTreeMap<&'t str, u64>,
) -> Result<u64, RenderError> {
    if let Some(count) = known.get(name) {
        return Ok(*count);
    }
    let fault = |what: String| Err(RenderError::template(name, (1, 1), what));
    if let Some(at) = open.iter().position(|other| *other == name) {
        let names: Vec<&str> = open[at..].iter().copied().chain([name]).collect();
        return fault(format!("partials that include each other never end: {}", names.join(" → ")));
    }
    if open.len() > TEMPLATE_DEPTH {
        return fault(format!("at most {TEMPLATE_DEPTH} partials stand in one another"));
    }
    open.push(name);
    let mut count = 1_u64;
    for part in templates.get(name).map(parts).unwrap_or_default() {
        count = count.saturating_add(printed(templates, part, open, known)?);
    }
    open.pop();
    if count > INCLUDES {
        return fault(format!("its partials are included {count} times, at most {INCLUDES} are printed"));
    }
    known.insert(name, count);
    Ok(count)
}

/// The partials that no page includes: what they say is never printed.
pub(super) fn unused(templates: &BTreeMap<String, Template>) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let mut left: Vec<&Template> = templates.iter().filter(|(name, _)| !is_partial(name)).map(|(_, own)| own).collect();
    while let Some(template) = left.pop() {
        let new = parts(template).into_iter().filter(|name| used.insert(*name));
        left.extend(new.filter_map(|name| templates.get(name)));
    }
    templates.keys().filter(|name| is_partial(name) && !used.contains(name.as_str())).cloned().collect()
}

/// The partials that a template names.
fn parts(template: &Template) -> Vec<&str> {
    let mut names = Vec::new();
    for element in &template.elements {
        match element {
            TemplateElement::PartialExpression(include) | TemplateElement::PartialBlock(include) => {
                names.extend(partial_of(include));
            }
            TemplateElement::HelperBlock(block) => {
                block.template.iter().chain(&block.inverse).for_each(|inner| names.extend(parts(inner)));
            }
            _ => {}
        }
    }
    names
}

fn partial_of(include: &DecoratorTemplate) -> Option<&str> {
    match &include.name {
        Parameter::Name(name) | Parameter::Path(Path::Relative((_, name))) => Some(name),
        _ => None,
    }
}

/// The walk through one template.
struct Names<'a> {
    templates: &'a BTreeMap<String, Template>,
    template: &'a str,
    /// Line and column of the element that is walked.
    at: (usize, usize),
    /// Names that blocks define.
    given: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(&mut self, template: &'a Template) -> Result<(), RenderError> {
        for (at, element) in template.elements.iter().enumerate() {
            if let Some(place) = template.mapping.get(at) {
                self.at = (place.0, place.1);
            }
            match element {
                TemplateElement::RawString(_) | TemplateElement::Comment(_) => {}
                TemplateElement::Expression(call) | TemplateElement::HtmlExpression(call) => self.call(call)?,
                TemplateElement::HelperBlock(block) => {
                    match &block.block_param {
                        Some(BlockParam::Single(name)) => self.given.extend(name.as_name()),
                        Some(BlockParam::Pair((name, index))) => {
                            self.given.extend([name, index].into_iter().filter_map(|name| name.as_name()));
                        }
                        _ => {}
                    }
                    self.call(block)?;
                    block.template.iter().chain(&block.inverse).try_for_each(|inner| self.of(inner))?;
                }
                TemplateElement::PartialExpression(include) | TemplateElement::PartialBlock(include) => {
                    let partials = self.templates.keys().map(String::as_str).filter(|name| is_partial(name));
                    self.known("partial", partial_of(include).unwrap_or_default(), partials)?;
                    include.params.iter().chain(include.hash.values()).try_for_each(|one| self.value(one))?;
                }
                _ => return self.fault("this kind of tag is not supported; put the part into a partial".to_owned()),
            }
        }
        Ok(())
    }

    /// `{{name}}`, or `{{helper argument…}}`, also as a block or a subexpression.
    fn call(&self, call: &HelperTemplate) -> Result<(), RenderError> {
        if call.params.is_empty() && call.hash.is_empty() && !call.block {
            return self.value(&call.name);
        }
        let helper = call.name.as_name().unwrap_or_default();
        self.known("helper", helper, HELPERS.into_iter())?;
        call.hash.keys().min().map_or(Ok(()), |name| self.known("parameter", name, PARAMETERS.into_iter()))?;
        if let Some(Parameter::Literal(name)) = call.params.first() {
            self.part(helper, &text_of(name))?;
        }
        call.params.iter().chain(call.hash.values()).try_for_each(|one| self.value(one))
    }

    fn part(&self, helper: &str, name: &str) -> Result<(), RenderError> {
        unknown_part(helper, name).map_or(Ok(()), |what| self.fault(what))
    }

    fn value(&self, parameter: &Parameter) -> Result<(), RenderError> {
        match parameter {
            Parameter::Name(path) | Parameter::Path(Path::Relative((_, path))) => {
                let mut names = path.split(['.', '/']).filter(|name| !matches!(*name, "" | "this" | "@root"));
                let count = if is_html(self.template) { FIELDS.len() } else { OF_MARKDOWN };
                let fields = FIELDS[..count].iter().map(|(name, _)| *name);
                names.try_for_each(|name| self.known("name", name, fields.clone().chain(self.given.iter().copied())))
            }
            Parameter::Path(Path::Local((_, name, _))) => self.known("name", name, LOOP_NAMES.into_iter()),
            Parameter::Subexpression(inner) => match inner.as_element() {
                TemplateElement::Expression(call) => self.call(call),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn known<'n>(
        &self,
        what: &str,
        name: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<(), RenderError> {
        unknown(what, name, names).map_or(Ok(()), |what| self.fault(what))
    }

    fn fault(&self, what: String) -> Result<(), RenderError> {
        Err(RenderError::template(self.template, self.at, what))
    }
}

/// What is said of a name that is in no list; `None` of one that is.
fn unknown<'n>(what: &str, name: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<String> {
    let is_known = names.clone().any(|known| known == name);
    (!is_known).then(|| {
        let near = did_you_mean(name, names);
        format!("unknown {what} {name:?}{near}\n  help: `audit explain view` lists the names")
    })
}

/// A value as text; that of a string is without quotation marks.
pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What is said of a section or block that no page has, by the helper that would place it; `None` where one has it.
pub(super) fn unknown_part(helper: &str, name: &str) -> Option<String> {
    match helper {
        "section" => unknown(helper, name, names::sections()),
        "block" => {
            let all: Vec<String> = names::blocks().collect();
            unknown(helper, name, all.iter().map(String::as_str))
        }
        _ => None,
    }
}

/// The names that templates may use, for people.
pub(crate) fn explain_view() -> String {
    let mut text = String::from(
        "The names that templates may use. Each is a finished part: a template places it and adds text of its own.\n\n",
    );
    for (name, words) in FIELDS {
        text += &format!("  {name:<10}{words}\n");
    }
    text += "\n{{section \"NAME\"}} places a section with its heading, or nothing where the page has none of that name;\n\
             title=\"…\" gives it another heading, and in Markdown level=3 another level.\n\
             {{#section \"NAME\"}}…{{/section}} prints what stands between where the page has the section.\n\
             {{block \"NAME.BLOCK\"}} places one part of a section: its sentence, table, list or chart.\n\
             Conditions and loops: #if, #unless, #each, #with, eq, ne, and, or, not; @index, @first, @last, @key.\n\n\
             Sections with their blocks:\n";
    for (section, blocks) in names::NAMES {
        text += &format!("  {section}\n");
        for line in textwrap::wrap(&blocks.join(", "), 100) {
            text += &format!("      {line}\n");
        }
    }
    text
}
