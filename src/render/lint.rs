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
    let mut weights = Weights { templates, open: Vec::new(), known: BTreeMap::new() };
    templates.keys().find_map(|name| weights.of(name).err()).into_iter().collect()
}

/// What printing a template comes to, with its partials.
#[derive(Clone, Copy, Default)]
struct Weight {
    printed: u64,
    /// Loops that stand in one another.
    loops: usize,
}

/// The walk over the templates that one prints.
struct Weights<'t> {
    templates: &'t BTreeMap<String, Template>,
    /// Those that the walk is in, the outermost first.
    open: Vec<&'t str>,
    known: BTreeMap<&'t str, Weight>,
}

impl<'t> Weights<'t> {
    /// Errors: partials that include each other, which never end, that are too deep in one another, or too many to end in
    /// reasonable time, and loops that are too deep.
    fn of(&mut self, name: &'t str) -> Result<Weight, RenderError> {
        if let Some(known) = self.known.get(name) {
            return Ok(*known);
        }
        let fault = |what: String| Err(RenderError::template(name, (1, 1), what));
        if let Some(at) = self.open.iter().position(|other| *other == name) {
            let names: Vec<&str> = self.open[at..].iter().copied().chain([name]).collect();
            return fault(format!("partials that include each other never end: {}", names.join(" → ")));
        }
        if self.open.len() > TEMPLATE_DEPTH {
            return fault(format!("at most {TEMPLATE_DEPTH} partials stand in one another"));
        }
        self.open.push(name);
        let inner = self.templates.get(name).map(|own| self.inside(own)).transpose()?.unwrap_or_default();
        self.open.pop();
        let weight = Weight { printed: inner.printed.saturating_add(1), ..inner };
        if weight.printed > INCLUDES {
            let count = weight.printed;
            return fault(format!("its partials are included {count} times, at most {INCLUDES} are printed"));
        }
        if weight.loops > LOOPS {
            return fault(format!(
                "at most {LOOPS} loops ({{{{#each}}}}) stand in one another, those of partials counted"
            ));
        }
        self.known.insert(name, weight);
        Ok(weight)
    }

    fn inside(&mut self, template: &'t Template) -> Result<Weight, RenderError> {
        let mut all = Weight::default();
        for element in &template.elements {
            match element {
                TemplateElement::PartialExpression(include) | TemplateElement::PartialBlock(include) => {
                    let own = partial_of(include).map(|name| self.of(name)).transpose()?.unwrap_or_default();
                    all = all.and(own);
                }
                TemplateElement::HelperBlock(block) => {
                    let turns = usize::from(block.name.as_name() == Some("each"));
                    for inner in block.template.iter().chain(&block.inverse) {
                        let own = self.inside(inner)?;
                        all = all.and(Weight { loops: own.loops + turns, ..own });
                    }
                }
                _ => {}
            }
        }
        Ok(all)
    }
}

impl Weight {
    fn and(self, other: Weight) -> Weight {
        Weight { printed: self.printed.saturating_add(other.printed), loops: self.loops.max(other.loops) }
    }
}

/// The partials that no page includes: what they say is never printed.
pub(super) fn unused(templates: &BTreeMap<String, Template>) -> BTreeSet<String> {
    let mut weights = Weights { templates, open: Vec::new(), known: BTreeMap::new() };
    templates.keys().filter(|name| !is_partial(name)).for_each(|name| drop(weights.of(name)));
    let is_unused = |name: &&String| is_partial(name) && !weights.known.contains_key(name.as_str());
    templates.keys().filter(is_unused).cloned().collect()
}

fn partial_of(include: &DecoratorTemplate) -> Option<&str> {
    match &include.name {
        Parameter::Name(name) | Parameter::Path(Path::Relative((_, name))) => Some(name),
        _ => None,
    }
}

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
        if let Some(Parameter::Literal(name)) = call.params.first()
            && let Some(what) = unknown_part(helper, &text_of(name))
        {
            return self.fault(what);
        }
        call.params.iter().chain(call.hash.values()).try_for_each(|one| self.value(one))
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
