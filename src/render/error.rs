//! What the renderer says when a page cannot be made, does not hold, or cannot be kept.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    #[error("template {template}, line {line}, column {column}: {what}{}", in_file(file.as_deref()))]
    Template {
        /// Name of the template, `partials/table`.
        template: String,
        line: usize,
        column: usize,
        what: String,
        /// The file that it was read from; `None` for a built-in one.
        file: Option<PathBuf>,
    },
    #[error(
        "no template is called {name:?}{near}\n  help: templates are files that end in .md.hbs or .html.hbs; known: {known}"
    )]
    NoTemplate {
        name: String,
        /// A nearer name, as a clause, or nothing.
        near: String,
        known: String,
    },
    #[error("cannot read templates from {path}: {source}")]
    TemplateFolder { path: PathBuf, source: std::io::Error },
    #[error("{path} is not named like a template\n  help: rename it to end in .md.hbs or .html.hbs")]
    TemplateName { path: PathBuf },
    #[error(
        "the page was rejected: {place}: expected {expected}, found {found}\n  help: nothing was written; check the templates that place this part"
    )]
    Rejected { place: String, expected: String, found: String },
    #[error("{path}, line {line}: {what}\n  help: nothing was written; {cure}")]
    Edited { path: PathBuf, line: usize, what: String, cure: String },
    #[error("cannot write {path}: {doing}: {source}\n  help: {cure}")]
    Write { path: PathBuf, doing: &'static str, cure: String, source: std::io::Error },
}

impl RenderError {
    pub(super) fn edited(path: &Path, line: usize, what: impl Into<String>, cure: &str) -> RenderError {
        RenderError::Edited { path: path.to_owned(), line, what: what.into(), cure: cure.to_owned() }
    }

    /// [`RenderError::Template`] of a template whose file is not known here.
    pub(super) fn template(name: &str, (line, column): (usize, usize), what: String) -> RenderError {
        RenderError::Template { template: name.to_owned(), line, column, what, file: None }
    }

    pub fn not_text(path: &Path) -> RenderError {
        let what = "it is not UTF-8 text, so what people wrote on it cannot be kept";
        RenderError::edited(path, 1, what, "mend it, or move it away; --force overwrites the page that is made anew")
    }

    pub fn foreign(path: &Path) -> RenderError {
        let what = "it is someone's own, or leads to it: audit did not write it";
        RenderError::edited(path, 1, what, "move it away, or overwrite it with --force")
    }
}

fn in_file(file: Option<&Path>) -> String {
    file.map(|file| format!("\n  in {}", file.display())).unwrap_or_default()
}
