//! The templates: those built in, those of the user's folder, and printing a page with them.

use super::edited::marked;
use super::error::RenderError;
use super::frame::{self, Medium, Placed};
use super::lint::HTML;
use super::{gate, html, lint};
use crate::bounds::{PAGE, TEMPLATE, TEMPLATE_DEPTH};
use crate::nearest::did_you_mean;
use crate::view::{Document, SourceText};
use handlebars::{Context, Handlebars, Template};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How the file of a template ends; what stands before it, without `.md`, is the template's name.
const EXTENSION: &str = ".hbs";

/// Every file of `report-templates/`, by name.
const BUILT_IN: &[(&str, &str)] = &[
    ("audit", include_str!("../../report-templates/audit.md.hbs")),
    ("audit.html", include_str!("../../report-templates/audit.html.hbs")),
    ("deliverable", include_str!("../../report-templates/deliverable.md.hbs")),
    ("full", include_str!("../../report-templates/full.md.hbs")),
    ("pr", include_str!("../../report-templates/pr.md.hbs")),
];

/// The names under which `[templates]` puts a file in place of a built-in one; `html` stands for `audit.html`.
pub const TEMPLATES: &[&str] = &["audit", "deliverable", "full", "html", "pr"];

/// A template of the user's in place of a built-in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// One of [`TEMPLATES`].
    pub name: String,
    pub file: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedPage {
    pub text: String,
    /// The files of the charts that it shows.
    pub charts: Vec<String>,
}

/// A template before it is compiled.
struct Source {
    text: String,
    /// `None` for a built-in one.
    file: Option<PathBuf>,
}

pub struct Templates {
    compiled: BTreeMap<String, Template>,
    files: BTreeMap<String, PathBuf>,
}

impl Templates {
    /// The built-in templates, with those of `folder` in place of or beside them. A file under `partials/` is one that
    /// others include. Every name that a template uses is checked against those that pages have.
    pub fn load(folder: Option<&Path>) -> Result<Templates, RenderError> {
        Templates::load_with(folder, &[])
    }

    /// The same with single templates replaced, which goes before the folder. Errors: a folder or file that cannot be
    /// read, a file of the folder that ends in `.hbs` and neither in `.md.hbs` nor in `.html.hbs`, a template that does
    /// not parse or that uses a name which is not there.
    pub fn load_with(folder: Option<&Path>, overrides: &[Override]) -> Result<Templates, RenderError> {
        Templates::lint(folder, overrides).map_err(|mut faults| faults.swap_remove(0))
    }

    /// The same with everything that is wrong, in order of the templates' names.
    pub fn lint(folder: Option<&Path>, overrides: &[Override]) -> Result<Templates, Vec<RenderError>> {
        let one = |fault: RenderError| vec![fault];
        let built_in =
            |(name, text): &(&str, &str)| ((*name).to_owned(), Source { text: (*text).to_owned(), file: None });
        let mut sources: BTreeMap<String, Source> = BUILT_IN.iter().map(built_in).collect();
        if let Some(folder) = folder {
            read_folder(folder, folder, "", &mut sources).map_err(one)?;
        }
        for Override { name, file } in overrides {
            let name = if name == "html" { "audit.html" } else { name };
            sources.insert(name.to_owned(), read_file(file).map_err(one)?);
        }
        let mut compiled = BTreeMap::new();
        let mut faults = Vec::new();
        for (name, source) in &sources {
            match compile(name, &source.text) {
                Ok(template) => drop(compiled.insert(name.clone(), template)),
                Err(fault) => faults.push(fault),
            }
        }
        // A page that includes a template which does not parse would only say that it is not there.
        if faults.is_empty() {
            faults = lint::faults(&compiled);
        }
        let files = sources.into_iter().filter_map(|(name, source)| Some((name, source.file?))).collect();
        let templates = Templates { compiled, files };
        if faults.is_empty() {
            return Ok(templates);
        }
        Err(faults.into_iter().map(|fault| templates.placed(fault)).collect())
    }

    /// The fault with the file of its template.
    fn placed(&self, fault: RenderError) -> RenderError {
        match fault {
            RenderError::Template { template, line, column, what, .. } => {
                let file = self.files.get(&template).cloned();
                RenderError::Template { template, line, column, what, file }
            }
            other => other,
        }
    }

    /// The user's partials that no page includes: name and file.
    pub fn unused(&self) -> Vec<(&str, &Path)> {
        let unused = lint::unused(&self.compiled);
        self.files().filter(|(name, _)| unused.contains(*name)).collect()
    }

    /// The user's templates: name and file.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file.as_path()))
    }

    /// The names of the templates that are pages, sorted.
    pub fn names(&self) -> Vec<&str> {
        self.compiled.keys().map(String::as_str).filter(|name| !lint::is_partial(name)).collect()
    }

    /// Prints a document with the template of that name. Every table, heading, verbatim block and chart that the
    /// template places must be read from the page as it went in. Errors: no such template, a template that fails on
    /// this document, or a page that the gate rejects.
    pub fn page(&self, name: &str, document: &Document) -> Result<String, RenderError> {
        Ok(self.placed_page(name, document)?.text)
    }

    /// The same with markers around the sections, between which people may write.
    pub fn marked_page(&self, name: &str, document: &Document) -> Result<MarkedPage, RenderError> {
        let page = self.placed_page(name, document)?;
        let charts = page.expected.images.into_iter().map(|(_, file)| file).collect();
        Ok(MarkedPage { text: marked(&page.text, &page.sections), charts })
    }

    fn placed_page(&self, name: &str, document: &Document) -> Result<Placed, RenderError> {
        let page = frame::place(&self.print(name, document, Medium::Markdown)?, document, Medium::Markdown)?;
        gate::check(&page.text, &page.expected)?;
        Ok(page)
    }

    /// Prints a document and a source view as one HTML page with the template `NAME.html`. A page that has a template
    /// for Markdown alone is printed with `audit.html`, which takes any document. Errors: no such template, or one that
    /// fails on this document.
    pub fn html(&self, name: &str, document: &Document, source: &SourceText) -> Result<String, RenderError> {
        let own = format!("{name}{HTML}");
        let has_markdown_alone = self.compiled.contains_key(name) && !self.compiled.contains_key(&own);
        let name = if has_markdown_alone { "audit.html" } else { &own };
        let medium = Medium::Html(source);
        Ok(frame::place(&self.print(name, document, medium)?, document, medium)?.text + html::END)
    }

    fn print(&self, name: &str, document: &Document, medium: Medium<'_>) -> Result<String, RenderError> {
        let names = self.names();
        if !names.contains(&name) {
            return Err(RenderError::NoTemplate {
                name: name.to_owned(),
                near: did_you_mean(name, names.iter().copied()),
                known: names.join(", "),
            });
        }
        let mut registry = Handlebars::new();
        registry.set_strict_mode(true);
        registry.register_escape_fn(handlebars::no_escape);
        frame::register(&mut registry);
        let needed = |other: &String| other == name || lint::is_partial(other);
        for (name, template) in self.compiled.iter().filter(|(name, _)| needed(name)) {
            registry.register_template(name, template.clone());
        }
        let mut printed = Frame::default();
        let data = Context::from(frame::data(document, medium));
        let ended = registry.render_with_context_to_write(name, &data, &mut printed);
        ended.map(|()| String::from_utf8_lossy(&printed.0).into_owned()).map_err(|error| {
            let at = (error.line_no.unwrap_or(1), error.column_no.unwrap_or(1));
            let name = error.template_name.as_deref().unwrap_or(name);
            self.placed(RenderError::template(name, at, error.reason().to_string()))
        })
    }
}

/// What a template prints, up to the size of a page.
#[derive(Default)]
struct Frame(Vec<u8>);

impl Write for Frame {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.0.len() + text.len() > PAGE {
            return Err(io::Error::other(format!("it prints more than {PAGE} bytes")));
        }
        self.0.extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn compile(name: &str, text: &str) -> Result<Template, RenderError> {
    // The parser of Handlebars takes time that grows with the power of the depth, and its stack with the depth.
    let deep = text.match_indices("{{").scan(0_usize, |depth, (at, _)| {
        let tag = text[at..].trim_start_matches(['{', '~']);
        match tag.chars().next() {
            Some('#') => *depth += 1,
            Some('/') => *depth = depth.saturating_sub(1),
            _ => {}
        }
        Some((at, *depth))
    });
    let at = deep.into_iter().find(|(_, depth)| *depth > TEMPLATE_DEPTH).map(|(at, _)| at);
    if let Some(at) = at.or((text.len() > TEMPLATE).then_some(TEMPLATE)) {
        let line = 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        let what = format!("a template has at most {TEMPLATE} bytes and {TEMPLATE_DEPTH} blocks in one another");
        return Err(RenderError::template(name, (line, 1), what));
    }
    Template::compile_with_name(text, name.to_owned())
        .map_err(|error| RenderError::template(name, error.pos().unwrap_or((1, 1)), error.reason().to_string()))
}

/// Reads the templates of a folder that is `root` or lies in it.
fn read_folder(
    root: &Path,
    folder: &Path,
    prefix: &str,
    into: &mut BTreeMap<String, Source>,
) -> Result<(), RenderError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| RenderError::TemplateFolder { path, source }
    };
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        let Some(file) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if path.is_symlink() && (path.is_dir() || file.ends_with(EXTENSION)) && leads_out(root, &path) {
            let what = "it is a link out of the folder of templates; copy what it leads to";
            return Err(failed(&path)(io::Error::new(io::ErrorKind::InvalidInput, what)));
        }
        if path.is_dir() {
            read_folder(root, &path, &format!("{prefix}{file}/"), into)?;
        } else if let Some(stem) = file.strip_suffix(EXTENSION) {
            let stem = match stem.strip_suffix(".md") {
                Some(stem) => stem,
                None if lint::is_html(stem) => stem,
                None => return Err(RenderError::TemplateName { path }),
            };
            into.insert(format!("{prefix}{stem}"), read_file(&path)?);
        }
    }
    Ok(())
}

/// Whether a link leads out of the folder of templates: to what nobody meant to print.
fn leads_out(root: &Path, link: &Path) -> bool {
    match (fs::canonicalize(root), fs::canonicalize(link)) {
        (Ok(root), Ok(target)) => !target.starts_with(root),
        // One that leads nowhere says so when it is read.
        _ => false,
    }
}

fn read_file(path: &Path) -> Result<Source, RenderError> {
    let failed = |source| RenderError::TemplateFolder { path: path.to_owned(), source };
    let text = crate::read::text(path).map_err(failed)?;
    Ok(Source { text: text.replace("\r\n", "\n").replace('\0', "\u{fffd}"), file: Some(path.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_templates_have_no_fault() {
        assert_eq!(Templates::lint(None, &[]).map(|_| ()).map_err(|faults| format!("{faults:?}")), Ok(()));
    }

    #[test]
    fn every_file_of_the_folder_is_built_in() {
        let mut files = BTreeMap::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("report-templates");
        read_folder(&folder, &folder, "", &mut files).expect("reads");
        let built_in: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        assert_eq!(files.keys().map(String::as_str).collect::<Vec<_>>(), built_in);
        let mut named: Vec<&str> =
            TEMPLATES.iter().map(|name| if *name == "html" { "audit.html" } else { name }).collect();
        named.sort_unstable();
        assert_eq!(named, built_in, "every built-in template can be replaced by name");
    }
}
