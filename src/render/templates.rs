//! The templates: those built in, those of the user's folder, and printing a page with them.

use super::error::RenderError;
use super::html::{self, HtmlPage};
use super::page::Page;
use super::{gate, lint};
use crate::nearest::did_you_mean;
use crate::view::{Document, SourceText};
use handlebars::{Handlebars, Template};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How the file of a template ends; what stands before it, without `.md`, is the template's name.
const EXTENSION: &str = ".hbs";
/// What the names of templates of HTML end in.
const HTML: &str = ".html";

macro_rules! built_in {
    ($($name:literal: $file:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../report-templates/", $file)))),*]
    };
}

/// Every file of `report-templates/`, by name. Partials, which other templates include, live under `partials/`.
const BUILT_IN: &[(&str, &str)] = built_in![
    "audit": "audit.md.hbs",
    "audit.html": "audit.html.hbs",
    "deliverable": "deliverable.md.hbs",
    "partials/blocks": "partials/blocks.md.hbs",
    "partials/blocks.html": "partials/blocks.html.hbs",
    "partials/chart": "partials/chart.md.hbs",
    "partials/chart.html": "partials/chart.html.hbs",
    "partials/code": "partials/code.md.hbs",
    "partials/code.html": "partials/code.html.hbs",
    "partials/fold": "partials/fold.md.hbs",
    "partials/fold.html": "partials/fold.html.hbs",
    "partials/heading": "partials/heading.md.hbs",
    "partials/heading.html": "partials/heading.html.hbs",
    "partials/list": "partials/list.md.hbs",
    "partials/list.html": "partials/list.html.hbs",
    "partials/source.html": "partials/source.html.hbs",
    "partials/table": "partials/table.md.hbs",
    "partials/table.html": "partials/table.html.hbs",
    "partials/text": "partials/text.md.hbs",
    "partials/text.html": "partials/text.html.hbs",
];

/// The templates of one run, checked.
pub struct Templates {
    registry: Handlebars<'static>,
}

impl Templates {
    /// The built-in templates, with those of `folder` in place of or beside them: `folder/partials/table.md.hbs` is
    /// `partials/table`. Every name that a template uses is checked against what a page holds.
    ///
    /// # Errors
    /// A folder that cannot be read, a file of the folder that ends in `.hbs` and neither in `.md.hbs` nor in
    /// `.html.hbs`, a template that does not parse or that uses a name which is not there.
    pub fn load(folder: Option<&Path>) -> Result<Templates, RenderError> {
        let mut sources: BTreeMap<String, String> =
            BUILT_IN.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        if let Some(folder) = folder {
            read_folder(folder, "", &mut sources)?;
        }
        let mut registry = Handlebars::new();
        registry.set_strict_mode(true);
        registry.register_escape_fn(handlebars::no_escape);
        for (name, text) in &sources {
            registry.register_template(name, compile(name, text)?);
        }
        lint::check(registry.get_templates())?;
        Ok(Templates { registry })
    }

    /// The names of the templates that are pages, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.registry.get_templates().keys().map(String::as_str).collect();
        names.retain(|name| !lint::is_partial(name));
        names.sort_unstable();
        names
    }

    /// Prints a document with the template of that name and passes the page through [`gate::check`].
    ///
    /// # Errors
    /// No such template, a template that fails on this document, or a page that the gate rejects.
    pub fn page(&self, name: &str, document: &Document) -> Result<String, RenderError> {
        let page = self.print(name, &Page::new(document))?;
        gate::check(&page, document)?;
        Ok(page)
    }

    /// Prints a document and a source view as one HTML page with the template `NAME.html`, and reads it again.
    ///
    /// # Errors
    /// As [`Templates::page`].
    pub fn html(&self, name: &str, document: &Document, source: &SourceText) -> Result<String, RenderError> {
        let data = HtmlPage::new(document, source);
        let page = self.print(&format!("{name}{HTML}"), &data)?;
        html::check(&page, &data, document)?;
        Ok(page)
    }

    fn print(&self, name: &str, data: &impl serde::Serialize) -> Result<String, RenderError> {
        let names = self.names();
        if !names.contains(&name) {
            return Err(RenderError::NoTemplate {
                name: name.to_owned(),
                near: did_you_mean(name, names.iter().copied()),
                known: names.join(", "),
            });
        }
        let printed = self.registry.render(name, data).map_err(|error| RenderError::Template {
            template: error.template_name.clone().unwrap_or_else(|| name.to_owned()),
            line: error.line_no.unwrap_or(1),
            column: error.column_no.unwrap_or(1),
            what: error.reason().to_string(),
        })?;
        Ok(format!("{}\n", printed.trim_end()))
    }
}

/// Whether a template makes HTML.
pub(super) fn is_html(name: &str) -> bool {
    name.ends_with(HTML)
}

fn compile(name: &str, text: &str) -> Result<Template, RenderError> {
    Template::compile_with_name(text, name.to_owned()).map_err(|error| {
        let (line, column) = error.pos().unwrap_or((1, 1));
        RenderError::Template { template: name.to_owned(), line, column, what: error.reason().to_string() }
    })
}

fn read_folder(folder: &Path, prefix: &str, into: &mut BTreeMap<String, String>) -> Result<(), RenderError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| RenderError::TemplateFolder { path, source }
    };
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        let Some(file) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_dir() {
            read_folder(&path, &format!("{prefix}{file}/"), into)?;
        } else if let Some(stem) = file.strip_suffix(EXTENSION) {
            let stem = match stem.strip_suffix(".md") {
                Some(stem) => stem,
                None if is_html(stem) => stem,
                None => return Err(RenderError::TemplateName { path }),
            };
            let text = fs::read_to_string(&path).map_err(failed(&path))?;
            into.insert(format!("{prefix}{stem}"), text.replace("\r\n", "\n"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_built_in() {
        let mut files = BTreeMap::new();
        read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("report-templates"), "", &mut files).expect("reads");
        let built_in: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        assert_eq!(files.keys().map(String::as_str).collect::<Vec<_>>(), built_in);
    }
}
