//! The check of templates before they are used: every name in them must be one that a page holds at that place.
//!
//! Handlebars' strict mode fails on an unknown name only where it is printed; under `{{#if}}` and `{{#each}}` with an
//! `{{else}}` it silently takes the other branch. So each page template is walked from the root, with the shape of the
//! data at hand, through every branch and every partial it includes.

use super::error::RenderError;
use super::html::HtmlPage;
use super::page::Page;
use super::shape::Shape;
use super::templates::is_html;
use crate::nearest::did_you_mean;
use handlebars::Path;
use handlebars::template::{BlockParam, DecoratorTemplate, HelperTemplate, Parameter, Template, TemplateElement};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Helpers that a template may call for a value.
const VALUE_HELPERS: [&str; 5] = ["eq", "ne", "and", "or", "not"];
/// Helpers that open a block.
const BLOCK_HELPERS: [&str; 4] = ["if", "unless", "each", "with"];
/// Names that a loop defines.
const LOOP_NAMES: [&str; 4] = ["index", "first", "last", "key"];

/// Whether a template is only meant to be included by others.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with("partials/")
}

/// The first fault of each page template with the partials that it includes, in the order of their names.
pub(super) fn faults(templates: &HashMap<String, Template>) -> Vec<RenderError> {
    let mut faults: Vec<RenderError> = Vec::new();
    walk_pages(templates, |_, outcome| {
        // Pages share partials, and so their faults.
        if let Err(fault) = outcome
            && faults.iter().all(|known| known.to_string() != fault.to_string())
        {
            faults.push(fault);
        }
    });
    faults
}

/// The partials that no page includes: what they say is never printed.
pub(super) fn unused(templates: &HashMap<String, Template>) -> BTreeSet<String> {
    let mut unused: BTreeSet<String> = templates.keys().filter(|name| is_partial(name)).cloned().collect();
    walk_pages(templates, |walk, _| unused.retain(|name| !walk.used.contains(name.as_str())));
    unused
}

fn walk_pages(templates: &HashMap<String, Template>, mut seen: impl FnMut(&Walk<'_>, Result<(), RenderError>)) {
    let (markdown, html) = (Page::shape(), HtmlPage::shape());
    let mut names: Vec<&String> = templates.keys().filter(|name| !is_partial(name)).collect();
    names.sort();
    for name in names {
        let root = if is_html(name) { &html } else { &markdown };
        let mut walk = Walk { templates, root, included: vec![name], at: (1, 1), used: BTreeSet::new() };
        let outcome = walk.template(&templates[name], &Scope::new(root));
        seen(&walk, outcome);
    }
}

/// What names mean at one place of a template.
#[derive(Clone)]
struct Scope<'a> {
    /// The data at hand, innermost last: `this`, `../`, `../../`.
    stack: Vec<&'a Shape>,
    /// Names that block parameters and arguments of partials define.
    named: BTreeMap<String, &'a Shape>,
}

impl<'a> Scope<'a> {
    fn new(shape: &'a Shape) -> Scope<'a> {
        Scope { stack: vec![shape], named: BTreeMap::new() }
    }

    fn inside(&self, shape: &'a Shape) -> Scope<'a> {
        let mut scope = self.clone();
        scope.stack.push(shape);
        scope
    }
}

struct Walk<'a> {
    templates: &'a HashMap<String, Template>,
    root: &'a Shape,
    /// The template that is walked, after those that include it.
    included: Vec<&'a str>,
    /// Line and column of the element that is walked.
    at: (usize, usize),
    /// Partials that were included.
    used: BTreeSet<&'a str>,
}

impl<'a> Walk<'a> {
    fn template(&mut self, template: &'a Template, scope: &Scope<'a>) -> Result<(), RenderError> {
        for (at, element) in template.elements.iter().enumerate() {
            if let Some(place) = template.mapping.get(at) {
                self.at = (place.0, place.1);
            }
            match element {
                TemplateElement::RawString(_) | TemplateElement::Comment(_) => {}
                TemplateElement::Expression(call) | TemplateElement::HtmlExpression(call) => {
                    let shape = self.call(call, scope)?;
                    if *shape != Shape::Text {
                        let what = format!("{:?} is a {shape} and cannot be printed", name_of(&call.name));
                        return Err(self.fault(what));
                    }
                }
                TemplateElement::HelperBlock(block) => self.block(block, scope)?,
                TemplateElement::PartialExpression(include) | TemplateElement::PartialBlock(include) => {
                    self.include(include, scope)?;
                }
                TemplateElement::DecoratorExpression(_) | TemplateElement::DecoratorBlock(_) => {
                    return Err(self.fault("decorators ({{*…}}) are not supported; put the part into a partial".into()));
                }
                _ => return Err(self.fault("this kind of tag is not supported".into())),
            }
        }
        Ok(())
    }

    /// `{{name}}` or `{{helper argument…}}`, also as a subexpression.
    fn call(&mut self, call: &'a HelperTemplate, scope: &Scope<'a>) -> Result<&'a Shape, RenderError> {
        if call.params.is_empty() && call.hash.is_empty() {
            return match &call.name {
                Parameter::Name(name) => self.resolve(name, scope),
                name => self.value(name, scope),
            };
        }
        self.known(&name_of(&call.name), &VALUE_HELPERS)?;
        self.values(call, scope)?;
        Ok(&Shape::Text)
    }

    fn values(&mut self, call: &'a HelperTemplate, scope: &Scope<'a>) -> Result<(), RenderError> {
        for parameter in call.params.iter().chain(call.hash.values()) {
            self.value(parameter, scope)?;
        }
        Ok(())
    }

    fn value(&mut self, parameter: &'a Parameter, scope: &Scope<'a>) -> Result<&'a Shape, RenderError> {
        match parameter {
            Parameter::Literal(_) => Ok(&Shape::Text),
            Parameter::Name(name) => self.resolve(name, scope),
            Parameter::Path(Path::Local((_, name, _))) => {
                self.known(name, &LOOP_NAMES)?;
                Ok(&Shape::Text)
            }
            Parameter::Path(Path::Relative((_, raw))) => self.resolve(raw, scope),
            Parameter::Subexpression(inner) => match inner.as_element() {
                TemplateElement::Expression(call) => self.call(call, scope),
                _ => Err(self.fault("this kind of subexpression is not supported".into())),
            },
            _ => Err(self.fault("this kind of parameter is not supported".into())),
        }
    }

    fn block(&mut self, block: &'a HelperTemplate, scope: &Scope<'a>) -> Result<(), RenderError> {
        let name = name_of(&block.name);
        self.known(&name, &BLOCK_HELPERS)?;
        self.values(block, scope)?;
        let [subject] = block.params.as_slice() else {
            return Err(self.fault(format!("{{{{#{name}}}}} takes one argument, not {}", block.params.len())));
        };
        let shape = self.value(subject, scope)?;
        let inner = match (name.as_str(), shape) {
            ("each", Shape::List(element)) => self.loop_scope(block, scope.inside(element), element),
            ("each", other) => return Err(self.fault(format!("{{{{#each}}}} needs a list, not a {other}"))),
            ("with", _) => self.loop_scope(block, scope.inside(shape), shape),
            _ => scope.clone(),
        };
        if let Some(body) = &block.template {
            self.template(body, &inner)?;
        }
        if let Some(body) = &block.inverse {
            self.template(body, scope)?;
        }
        Ok(())
    }

    fn loop_scope(&self, block: &HelperTemplate, mut scope: Scope<'a>, element: &'a Shape) -> Scope<'a> {
        match &block.block_param {
            Some(BlockParam::Single(name)) => {
                scope.named.insert(name_of(name), element);
            }
            Some(BlockParam::Pair((name, index))) => {
                scope.named.insert(name_of(name), element);
                scope.named.insert(name_of(index), &Shape::Text);
            }
            _ => {}
        }
        scope
    }

    fn include(&mut self, include: &'a DecoratorTemplate, scope: &Scope<'a>) -> Result<(), RenderError> {
        let templates = self.templates;
        let (Parameter::Name(name) | Parameter::Path(Path::Relative((_, name)))) = &include.name else {
            return Err(self.fault("a partial must be named in full".into()));
        };
        let Some(partial) = templates.get(name) else {
            let near = did_you_mean(name, templates.keys().map(String::as_str));
            return Err(self.fault(format!("unknown partial {name:?}{near}")));
        };
        let here = match include.params.first() {
            Some(parameter) => self.value(parameter, scope)?,
            None => scope.stack.last().copied().unwrap_or(self.root),
        };
        let mut inner = Scope::new(here);
        for (key, parameter) in &include.hash {
            inner.named.insert(key.clone(), self.value(parameter, scope)?);
        }
        self.used.insert(name);
        if self.included.contains(&name.as_str()) {
            return Ok(());
        }
        let at = self.at;
        self.included.push(name);
        self.template(partial, &inner)?;
        self.included.pop();
        self.at = at;
        Ok(())
    }

    /// The shape behind a path such as `title`, `this`, `../id`, `table.rows`, `@root.title`.
    fn resolve(&self, path: &str, scope: &Scope<'a>) -> Result<&'a Shape, RenderError> {
        let mut up = 0;
        let mut rest = path;
        loop {
            if let Some(outer) = rest.strip_prefix("../") {
                up += 1;
                rest = outer;
            } else if let Some(same) = rest.strip_prefix("./") {
                rest = same;
            } else {
                break;
            }
        }
        let mut names = rest.split(['.', '/']).filter(|name| !name.is_empty()).peekable();
        let start = scope.stack.len().checked_sub(up + 1).and_then(|at| scope.stack.get(at));
        let Some(mut shape) = start.copied() else {
            return Err(self.fault(format!("{path:?} goes above what this template is given")));
        };
        match names.peek().copied() {
            Some("this") => {
                names.next();
            }
            Some("@root") => {
                shape = self.root;
                names.next();
            }
            Some(name) if up == 0 && scope.named.contains_key(name) => {
                shape = scope.named[name];
                names.next();
            }
            _ => {}
        }
        for name in names {
            shape = match shape {
                Shape::Map(fields) => fields.get(name).ok_or_else(|| {
                    let known = fields.keys().map(String::as_str).collect::<Vec<_>>();
                    let near = did_you_mean(name, known.iter().copied().chain(scope.named.keys().map(String::as_str)));
                    self.fault(format!("unknown name {name:?}{near} (known here: {})", known.join(", ")))
                })?,
                other => return Err(self.fault(format!("unknown name {name:?}: here is a {other}, without names"))),
            };
        }
        Ok(shape)
    }

    fn known(&self, name: &str, names: &[&'static str]) -> Result<(), RenderError> {
        if names.contains(&name) {
            return Ok(());
        }
        let near = did_you_mean(name, names.iter().copied());
        Err(self.fault(format!("unknown helper {name:?}{near} (known here: {})", names.join(", "))))
    }

    fn fault(&self, what: String) -> RenderError {
        let template = self.included.last().copied().unwrap_or_default().to_owned();
        RenderError::Template { template, line: self.at.0, column: self.at.1, what, file: None }
    }
}

fn name_of(parameter: &Parameter) -> String {
    parameter.as_name().unwrap_or_default().to_owned()
}
