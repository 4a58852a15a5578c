//! The options of profilers, and of our own launcher, that pages may show.

use super::row::{Catalog, embedded};
use serde::Deserialize;
use std::sync::LazyLock;

/// What an option takes, and what of it may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OptionKind {
    Flag,
    /// A word that the tool knows, which may be shown.
    Value,
    /// A file, of which the last part of its path may be shown.
    File,
    /// A word that may name a machine or a person.
    Hidden,
    /// Nothing; an option of `audit launch`.
    OwnFlag,
    /// A word; an option of `audit launch`.
    OwnValue,
    /// A file; an option of `audit launch`.
    OwnFile,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct KindRow {
    id: OptionKind,
    options: Vec<&'static str>,
}

static ROWS: LazyLock<Catalog<KindRow>> =
    LazyLock::new(|| Catalog::load(embedded!("tool_options.toml"), "kind", |row| row.options.clone()));

/// What an option takes; `None` for one that nobody knows, whose value may be anything.
pub(crate) fn tool_option(name: &str) -> Option<OptionKind> {
    ROWS.get(name).map(|row| row.id)
}
