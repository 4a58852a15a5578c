//! The check of templates before they are used: every name in them must be one that pages have.
//!
//! Handlebars' strict mode fails on an unknown name only where it is printed; a name under an `{{#if}}`, of a section or
//! of a block would silently leave its part out. So each template is walked with lists of the names.

use super::error::RenderError;
use super::frame::text_of;
use crate::bounds::INCLUDES;
use crate::nearest::did_you_mean;
use crate::view::{COMMENT, names};
use handlebars::Path;
use handlebars::template::{BlockParam, DecoratorTemplate, HelperTemplate, Parameter, Template, TemplateElement};
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
/// Helpers that place a part.
const PLACING: [&str; 2] = ["section", "block"];
/// Helpers that a template may call for a value.
const VALUE_HELPERS: [&str; 5] = ["eq", "ne", "and", "or", "not"];
/// Levels of headings.
const LEVELS: [&str; 6] = ["1", "2", "3", "4", "5", "6"];
/// Helpers that open a block.
const BLOCK_HELPERS: [&str; 5] = ["section", "if", "unless", "each", "with"];
/// Names that a loop defines.
const LOOP_NAMES: [&str; 4] = ["index", "first", "last", "key"];

/// Whether a template is only meant to be included by others.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with("partials/")
}

/// The first fault of each template, in the order of their names.
pub(super) fn faults(templates: &BTreeMap<String, Template>) -> Vec<RenderError> {
    let of_comment = reached(templates, templates.get(COMMENT));
    let fault = |(name, template): (&String, &Template)| {
        let has_subjects = name == COMMENT || of_comment.contains(name.as_str());
        let mut walk =
            Walk { templates, name, at: (1, 1), given: BTreeSet::new(), has_subjects, in_loop: is_partial(name) };
        walk.template(template).err()
    };
    let faults: Vec<RenderError> = templates.iter().filter_map(fault).collect();
    if faults.is_empty() { circle(templates).or_else(|| too_many(templates)).into_iter().collect() } else { faults }
}

/// Partials that include each other, which would never end.
fn circle(templates: &BTreeMap<String, Template>) -> Option<RenderError> {
    let includes: BTreeMap<&str, Vec<&str>> = templates.iter().map(|(name, own)| (name.as_str(), parts(own))).collect();
    let mut ended: BTreeSet<&str> = BTreeSet::new();
    for start in includes.keys() {
        // The chain of partials that are open, each with how many of its own were looked at.
        let mut chain: Vec<(&str, usize)> = vec![(start, 0)];
        while let Some((name, seen)) = chain.last_mut() {
            let next = includes.get(name).and_then(|own| own.get(*seen)).copied();
            *seen += 1;
            match next {
                None => {
                    ended.insert(name);
                    chain.pop();
                }
                Some(next) if ended.contains(next) => {}
                Some(next) => {
                    if let Some(at) = chain.iter().position(|(open, _)| *open == next) {
                        let names: Vec<&str> = chain[at..].iter().map(|(name, _)| *name).chain([next]).collect();
                        let what = format!("partials that include each other never end: {}", names.join(" → "));
                        return Some(RenderError::template(next, (1, 1), what));
                    }
                    chain.push((next, 0));
                }
            }
        }
    }
    None
}

/// A page whose partials include partials so often that printing it would not end in reasonable time.
fn too_many(templates: &BTreeMap<String, Template>) -> Option<RenderError> {
    let mut printed: BTreeMap<&str, u64> = BTreeMap::new();
    // Without circles, every name is counted at the latest when all that it includes are.
    for _ in 0..templates.len() {
        for (name, own) in templates {
            let parts = parts(own);
            if let Some(sum) = parts.iter().try_fold(1_u64, |sum, part| Some(sum.saturating_add(*printed.get(part)?))) {
                printed.insert(name, sum);
            }
        }
    }
    let (name, count) = printed.into_iter().find(|(_, count)| *count > INCLUDES)?;
    Some(RenderError::template(
        name,
        (1, 1),
        format!("its partials are included {count} times, at most {INCLUDES} are printed"),
    ))
}

fn parts(template: &Template) -> Vec<&str> {
    let mut names = Vec::new();
    included(template, &mut names);
    names
}

/// The partials that no page includes: what they say is never printed.
pub(super) fn unused(templates: &BTreeMap<String, Template>) -> BTreeSet<String> {
    let pages = templates.iter().filter(|(name, _)| !is_partial(name)).map(|(_, page)| page);
    let used = reached(templates, pages);
    templates.keys().filter(|name| is_partial(name) && !used.contains(name.as_str())).cloned().collect()
}

/// The partials that templates include, and those that these include.
fn reached<'t>(
    templates: &'t BTreeMap<String, Template>,
    from: impl IntoIterator<Item = &'t Template>,
) -> BTreeSet<&'t str> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&Template> = from.into_iter().collect();
    while let Some(template) = left.pop() {
        let new = parts(template).into_iter().filter(|name| reached.insert(*name));
        left.extend(new.filter_map(|name| templates.get(name)));
    }
    reached
}

/// The partials that a template names.
fn included<'t>(template: &'t Template, into: &mut Vec<&'t str>) {
    for element in &template.elements {
        match element {
            TemplateElement::PartialExpression(include) | TemplateElement::PartialBlock(include) => {
                into.extend(partial_of(include));
            }
            TemplateElement::HelperBlock(block) => {
                block.template.iter().chain(&block.inverse).for_each(|inner| included(inner, into));
            }
            _ => {}
        }
    }
}

fn partial_of(include: &DecoratorTemplate) -> Option<&str> {
    match &include.name {
        Parameter::Name(name) | Parameter::Path(Path::Relative((_, name))) => Some(name),
        _ => None,
    }
}

struct Walk<'a> {
    templates: &'a BTreeMap<String, Template>,
    name: &'a str,
    /// Line and column of the element that is walked.
    at: (usize, usize),
    /// Names that block parameters and arguments of partials define.
    given: BTreeSet<String>,
    /// Whether it may print a comment, some of whose sections are called as subjects.
    has_subjects: bool,
    /// Whether it may stand in a loop, where sections have an id.
    in_loop: bool,
}

impl<'a> Walk<'a> {
    fn template(&mut self, template: &'a Template) -> Result<(), RenderError> {
        for (at, element) in template.elements.iter().enumerate() {
            if let Some(place) = template.mapping.get(at) {
                self.at = (place.0, place.1);
            }
            match element {
                TemplateElement::RawString(_) | TemplateElement::Comment(_) => {}
                TemplateElement::Expression(call) | TemplateElement::HtmlExpression(call) => {
                    self.call(call, &PLACING)?
                }
                TemplateElement::HelperBlock(block) => self.block(block)?,
                TemplateElement::PartialExpression(include) | TemplateElement::PartialBlock(include) => {
                    self.include(include)?;
                }
                _ => return Err(self.fault("this kind of tag is not supported; put the part into a partial".into())),
            }
        }
        Ok(())
    }

    /// `{{name}}` or `{{helper argument…}}`, also as a subexpression, which places nothing.
    fn call(&self, call: &HelperTemplate, placing: &[&str]) -> Result<(), RenderError> {
        if call.params.is_empty() && call.hash.is_empty() {
            return self.value(&call.name);
        }
        self.known("helper", name_of(call), placing.iter().copied().chain(VALUE_HELPERS))?;
        self.arguments(call)
    }

    fn arguments(&self, call: &HelperTemplate) -> Result<(), RenderError> {
        let helper = name_of(call);
        let parameters: &[&str] = match helper {
            "section" if call.block => &[],
            "section" if is_html(self.name) => &["title"],
            "section" => &["title", "level"],
            "if" | "unless" => &["includeZero"],
            _ => &[],
        };
        if let Some(unknown) = call.hash.keys().filter(|name| !parameters.contains(&name.as_str())).min() {
            self.known(&format!("parameter of {helper}"), unknown, parameters.iter().copied())?;
        }
        if let Some(level) = call.hash.get("level").map(shown).filter(|level| !LEVELS.contains(&level.as_str())) {
            return Err(self.fault(format!("level={level}: expected the level of a heading, 1 to 6")));
        }
        let count = match helper {
            "eq" | "ne" => 2,
            "and" | "or" => call.params.len(),
            _ => 1,
        };
        if call.params.len() != count {
            let arguments = if count == 1 { "one argument" } else { "two arguments" };
            return Err(self.fault(format!("{helper} takes {arguments}, not {}", call.params.len())));
        }
        match (helper, call.params.as_slice()) {
            ("section", [part]) => self.part(helper, part, names::sections())?,
            ("block", [part]) => {
                let all: Vec<String> = names::blocks().collect();
                self.part(helper, part, all.iter().map(String::as_str))?;
            }
            ("eq" | "ne", [id, Parameter::Literal(name)] | [Parameter::Literal(name), id])
                if self.is_id(id) && !self.has_subjects =>
            {
                self.known("section", &text_of(name), names::sections())?;
            }
            _ => {}
        }
        call.params.iter().chain(call.hash.values()).try_for_each(|parameter| self.value(parameter))
    }

    /// What names the part that is placed: a literal, a name that a block defines, or the id of a section.
    fn part<'n>(
        &self,
        helper: &str,
        part: &Parameter,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<(), RenderError> {
        let (own, is_section) = (shown(part), helper == "section");
        if let Parameter::Literal(_) = part {
            return self.known(helper, &own, names);
        }
        if is_section && self.is_id(part) || self.given.contains(&own) {
            return Ok(());
        }
        let (or_id, near) =
            (if is_section { ", or id in a loop over sections" } else { "" }, did_you_mean(&own, names));
        Err(self.fault(format!("{helper} takes a name in quotation marks{or_id}, not {own}{near}")))
    }

    /// Whether it is the name of the section that a loop is at.
    fn is_id(&self, parameter: &Parameter) -> bool {
        let path = shown(parameter);
        matches!(parameter, Parameter::Path(Path::Relative(_)))
            && path.rsplit(['.', '/']).next() == Some("id")
            && !self.given.contains(&path)
    }

    fn value(&self, parameter: &Parameter) -> Result<(), RenderError> {
        match parameter {
            Parameter::Name(path) | Parameter::Path(Path::Relative((_, path))) => self.path(path),
            Parameter::Path(Path::Local((_, name, _))) => self.known("name", name, LOOP_NAMES.into_iter()),
            Parameter::Subexpression(inner) => match inner.as_element() {
                TemplateElement::Expression(call) => self.call(call, &[]),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// A path such as `title`, `this`, `../id`, `@root.title`.
    fn path(&self, path: &str) -> Result<(), RenderError> {
        let known = || FIELDS.iter().take(if is_html(self.name) { FIELDS.len() } else { OF_MARKDOWN });
        let names = path.split(['.', '/']).filter(|name| !matches!(*name, "" | "this" | "@root"));
        for name in names.filter(|name| !self.given.contains(*name)) {
            self.known("name", name, known().map(|(name, _)| *name))?;
            if name == "id" && !self.in_loop {
                return Err(self.fault("a section has an id inside {{#each sections}} and {{#each details}}".into()));
            }
        }
        Ok(())
    }

    fn block(&mut self, block: &'a HelperTemplate) -> Result<(), RenderError> {
        let helper = name_of(block);
        self.known("helper", helper, BLOCK_HELPERS.into_iter())?;
        self.arguments(block)?;
        let given: Vec<&str> = match &block.block_param {
            Some(BlockParam::Single(name)) => vec![name.as_name().unwrap_or_default()],
            Some(BlockParam::Pair((name, index))) => {
                [name, index].map(|name| name.as_name().unwrap_or_default()).into()
            }
            _ => Vec::new(),
        };
        self.given.extend(given.into_iter().map(str::to_owned));
        let outside = self.in_loop;
        self.in_loop |= matches!(helper, "each" | "with");
        block.template.iter().chain(&block.inverse).try_for_each(|inner| self.template(inner))?;
        self.in_loop = outside;
        Ok(())
    }

    fn include(&mut self, include: &DecoratorTemplate) -> Result<(), RenderError> {
        let Some(name) = partial_of(include) else {
            return Err(self.fault("a partial must be named in full".into()));
        };
        self.known("partial", name, self.templates.keys().map(String::as_str).filter(|name| is_partial(name)))?;
        include.params.iter().chain(include.hash.values()).try_for_each(|parameter| self.value(parameter))
    }

    fn known<'n>(
        &self,
        what: &str,
        name: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<(), RenderError> {
        if names.clone().any(|known| known == name) {
            return Ok(());
        }
        let near = did_you_mean(name, names.clone());
        let all: Vec<&str> = names.collect();
        let all = match all.len() {
            0 => "known here: none".to_owned(),
            1..=MOST => format!("known here: {}", all.join(", ")),
            _ => "`audit explain view` lists them".to_owned(),
        };
        Err(self.fault(format!("unknown {what} {name:?}{near} ({all})")))
    }

    fn fault(&self, what: String) -> RenderError {
        RenderError::template(self.name, self.at, what)
    }
}

fn name_of(call: &HelperTemplate) -> &str {
    call.name.as_name().unwrap_or_default()
}

/// A parameter as a template writes it.
fn shown(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Name(name) | Parameter::Path(Path::Relative((_, name)) | Path::Local((_, _, name))) => name.clone(),
        Parameter::Literal(value) => text_of(value),
        _ => "what another helper gives".to_owned(),
    }
}

/// Names that an error lists; more are left to `audit explain view`.
const MOST: usize = 12;

pub(super) fn is_html(name: &str) -> bool {
    name.ends_with(HTML)
}

/// The names that templates may use, for people.
pub fn explain_view() -> String {
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
